/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of timed steps: of the cores of the block under way, and of all blocks, where equal lists
 * are one. */
#ifndef TWINRT_KERNEL_STEPS_H
#define TWINRT_KERNEL_STEPS_H

#include <stddef.h>

#include "seam/launch.h"

#define NATIVE_STEPS_MOST ((uint64_t)1 << 24) /* of a core of a block */
/* For which there is always room: how it ends, and what it counts. */
#define NATIVE_STEPS_LAST (3u + 2u * TWIN_COUNT_KINDS)

/* Makes room in a full array of `*room` elements, for `first` of them at first. false: no
 * memory. */
bool twin_native_grow(void *array, size_t *room, size_t element_bytes, size_t first);

typedef struct native_steps {
    twin_step *list;
    uint64_t count, room;
} native_steps;

/* Room for one more; NULL: no memory, or too many. Called when the list is full, but for its last
 * steps. */
twin_step *twin_native_steps_grow(native_steps *steps);

/* The list as the block's core leaves it. false: no room. Work of one pipe that follows on itself
 * is one step. */
static inline bool native_steps_add(native_steps *steps, twin_pipe pipe, twin_step_kind kind,
                                    uint16_t flag, uint64_t amount)
{
    if (kind == TWIN_STEP_WORK) {
        if (amount == 0)
            return true;
        twin_step *last = steps->count > 0 ? &steps->list[steps->count - 1] : NULL;
        if (last && last->kind == TWIN_STEP_WORK && last->pipe == pipe) {
            last->amount += amount;
            return true;
        }
    }
    twin_step *step =
        steps->count < steps->room ? &steps->list[steps->count] : twin_native_steps_grow(steps);
    if (!step)
        return false;
    *step = (twin_step){.pipe = (uint8_t)pipe,
                        .kind = (uint8_t)kind,
                        .flag = flag,
                        .hit_permille = TWIN_HIT_DEFAULT,
                        .amount = amount};
    steps->count++;
    return true;
}

/* One of the steps with which the list ends, at most NATIVE_STEPS_LAST: also when it is full.
 * false: no memory. */
bool twin_native_steps_end(native_steps *steps, twin_pipe pipe, twin_step_kind kind, uint32_t flag,
                           uint64_t amount);

/* Lists that blocks share, found by their hash; and which list each core of each block has. */
typedef struct native_step_lists {
    twin_steps *items; /* block by block */
    uint64_t count;
    size_t room;
    struct native_shared_steps *shared;
    uint32_t shared_count;
    size_t shared_room;
    uint64_t shared_steps; /* in all lists */
    uint32_t *table;       /* of shared, by hash; a power of two */
    uint32_t table_room;
} native_step_lists;

/* List `number`: keeps a copy, or finds the equal list that is kept; a long list is taken away, and
 * no copy. NULL: an empty one, as is each before it that was not put. false: no memory. */
bool twin_native_step_lists_put(native_step_lists *lists, uint64_t number, native_steps *steps);
/* The lists of `other` become those from `first` on. false: no memory. */
bool twin_native_step_lists_join(native_step_lists *lists, uint64_t first,
                                 native_step_lists *other);
/* What the run hands out: one block's, when all are alike. `per_block`: cores of a block. */
twin_launch_work twin_native_step_lists_work(const native_step_lists *lists, uint32_t per_block);
/* No block has a list. A few short lists stay for the next run, which is often of the same
 * kernel. */
void twin_native_step_lists_clear(native_step_lists *lists);
void twin_native_step_lists_free(native_step_lists *lists);

#endif
