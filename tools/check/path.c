/* SPDX-License-Identifier: Apache-2.0 */
/* How one piece of work comes before another; asked for breaches only. */
#include <stdlib.h>
#include <string.h>

#include "check/state.h"

/* Joins of a queue up to a count. */
static size_t joins_upto(const struct check_queue *queue, uint32_t number)
{
    return PARTITION_POINT(queue->joins.count, i, queue->joins.items[i].number <= number);
}

uint32_t check_hops(const struct checker *checker, uint32_t from_clock_index, uint32_t from_number,
                    uint32_t to_clock_index, uint32_t to_number)
{
    size_t slots = checker->clock_slots.count;
    if (from_clock_index >= slots || to_clock_index >= slots)
        return CHECK_NONE;
    /* the highest count reached of each clock index, nearest first */
    uint32_t *reached = calloc(slots, sizeof(*reached));
    uint32_t *next = calloc(slots, sizeof(*next));
    uint32_t result = CHECK_NONE;
    if (!reached || !next)
        goto done;
    reached[to_clock_index] = to_number;
    for (uint32_t hops = 0; hops <= slots && result == CHECK_NONE; hops++) {
        if (reached[from_clock_index] >= from_number) {
            result = hops;
            break;
        }
        bool changed = false;
        memcpy(next, reached, slots * sizeof(*next));
        for (uint32_t clock_index = 0; clock_index < slots; clock_index++) {
            const struct check_queue *queue = checker->clock_slots.items[clock_index].queue;
            if (reached[clock_index] == 0)
                continue;
            for (size_t i = joins_upto(queue, reached[clock_index]); i-- > 0;) {
                const struct check_join *join = &queue->joins.items[i];
                if (next[join->from_clock_index] < join->from_number) {
                    next[join->from_clock_index] = join->from_number;
                    changed = true;
                }
            }
        }
        uint32_t *swap = reached;
        reached = next;
        next = swap;
        if (!changed)
            break;
    }
done:
    free(reached);
    free(next);
    return result;
}
