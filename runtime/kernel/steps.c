/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/steps.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_STEPS    256u
#define FIRST_PROGRAMS 64u
#define KEPT_PROGRAMS  65536u /* of a run that ended */
#define KEPT_LISTS     16u    /* likewise, of */
#define KEPT_STEPS     4096u  /* as many in all */
#define LONG_STEPS     65536u /* of a list that is not copied */
#define FREE           UINT32_MAX

typedef struct native_shared_steps {
    uint64_t hash;
    twin_steps steps;
} native_shared_steps;

bool twin_native_grow(void *array, size_t *room, size_t element_bytes, size_t first)
{
    const size_t more = *room > 0 ? *room * 2 : first;
    void *larger = realloc(*(void **)array, more * element_bytes);
    if (!larger)
        return false;
    *(void **)array = larger;
    *room = more;
    return true;
}

twin_step *twin_native_steps_grow(native_steps *steps)
{
    if (steps->count >= NATIVE_STEPS_MOST)
        return NULL;
    const uint64_t room = steps->room ? steps->room * 2 : FIRST_STEPS;
    twin_step *list = realloc(steps->list, (room + NATIVE_STEPS_LAST) * sizeof(*list));
    if (!list)
        return NULL;
    steps->list = list;
    steps->room = room;
    return &list[steps->count];
}

bool twin_native_steps_end(native_steps *steps, twin_pipe pipe, twin_step_kind kind,
                           uint64_t amount)
{
    native_steps full = *steps;
    if (steps->list)
        full.room += NATIVE_STEPS_LAST;
    const bool added = native_steps_add(&full, pipe, kind, 0, amount);
    if (steps->list)
        full.room -= NATIVE_STEPS_LAST;
    *steps = full;
    return added;
}

static uint64_t hash_of(const native_steps *steps)
{
    uint64_t hash = 0x9e3779b97f4a7c15ull ^ steps->count;
    for (uint64_t i = 0; i < steps->count; i++) {
        uint64_t words[2];
        memcpy(words, &steps->list[i], sizeof(words));
        hash = (hash ^ words[0]) * 0xff51afd7ed558ccdull;
        hash ^= hash >> 32;
        hash = (hash ^ words[1]) * 0xc4ceb9fe1a85ec53ull;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool grow_table(native_programs *programs)
{
    const uint32_t room = programs->table_room ? programs->table_room * 2 : FIRST_PROGRAMS * 2;
    uint32_t *table = malloc(room * sizeof(*table));
    if (!table)
        return false;
    memset(table, 0xff, room * sizeof(*table));
    for (uint32_t i = 0; i < programs->shared_count; i++) {
        uint32_t at = (uint32_t)programs->shared[i].hash & (room - 1);
        while (table[at] != FREE)
            at = (at + 1) & (room - 1);
        table[at] = i;
    }
    free(programs->table);
    programs->table = table;
    programs->table_room = room;
    return true;
}

/* Where the list is, or FREE; `at` is then where its number goes. */
static uint32_t find(const native_programs *programs, const native_steps *steps, uint64_t hash,
                     uint32_t *out_at)
{
    uint32_t at = (uint32_t)hash & (programs->table_room - 1);
    for (;; at = (at + 1) & (programs->table_room - 1)) {
        const uint32_t found = programs->table[at];
        *out_at = at;
        if (found == FREE)
            return FREE;
        const native_shared_steps *one = &programs->shared[found];
        if (one->hash == hash && one->steps.count == steps->count &&
            (steps->count == 0 ||
             memcmp(one->steps.steps, steps->list, steps->count * sizeof(twin_step)) == 0))
            return found;
    }
}

/* A copy of the list, or the list. */
static twin_step *keep(native_steps *steps)
{
    twin_step *list = steps->list;
    if (steps->count > LONG_STEPS) {
        *steps = (native_steps){0};
        return list;
    }
    twin_step *copy = malloc(steps->count * sizeof(*copy));
    if (copy)
        memcpy(copy, list, steps->count * sizeof(*copy));
    return copy;
}

static uint32_t share(native_programs *programs, native_steps *steps)
{
    if (programs->shared_count >= programs->table_room / 2 && !grow_table(programs))
        return FREE;
    const uint64_t hash = hash_of(steps);
    uint32_t at = 0;
    const uint32_t found = find(programs, steps, hash, &at);
    if (found != FREE)
        return found;
    if (programs->shared_count == programs->shared_room &&
        !twin_native_grow(&programs->shared, &programs->shared_room, sizeof(*programs->shared),
                          FIRST_PROGRAMS))
        return FREE;
    const uint64_t length = steps->count;
    twin_step *kept = length > 0 ? keep(steps) : NULL;
    if (length > 0 && !kept)
        return FREE;
    programs->shared[programs->shared_count] =
        (native_shared_steps){.hash = hash, .steps = {.steps = kept, .count = length}};
    programs->shared_steps += length;
    programs->table[at] = programs->shared_count;
    return programs->shared_count++;
}

bool twin_native_programs_add(native_programs *programs, native_steps *steps)
{
    if (programs->count == programs->room &&
        !twin_native_grow(&programs->list, &programs->room, sizeof(*programs->list),
                          FIRST_PROGRAMS))
        return false;
    const uint32_t number = share(programs, steps);
    if (number == FREE)
        return false;
    programs->list[programs->count++] = programs->shared[number].steps;
    return true;
}

twin_launch_work twin_native_programs_work(const native_programs *programs, uint32_t per_block)
{
    bool alike = true;
    for (uint64_t i = per_block; i < programs->count && alike; i++)
        alike = programs->list[i].steps == programs->list[i % per_block].steps &&
                programs->list[i].count == programs->list[i % per_block].count;
    return (twin_launch_work){.programs = programs->list,
                              .count = alike ? per_block : programs->count};
}

void twin_native_programs_clear(native_programs *programs)
{
    programs->count = 0;
    if (programs->room <= KEPT_PROGRAMS && programs->shared_count <= KEPT_LISTS &&
        programs->shared_steps <= KEPT_STEPS)
        return;
    for (uint32_t i = 0; i < programs->shared_count; i++)
        free((void *)(uintptr_t)programs->shared[i].steps.steps);
    programs->shared_count = 0;
    programs->shared_steps = 0;
    if (programs->room > KEPT_PROGRAMS)
        twin_native_programs_free(programs);
    else if (programs->table)
        memset(programs->table, 0xff, programs->table_room * sizeof(*programs->table));
}

void twin_native_programs_free(native_programs *programs)
{
    for (uint32_t i = 0; i < programs->shared_count; i++)
        free((void *)(uintptr_t)programs->shared[i].steps.steps);
    free(programs->list);
    free(programs->shared);
    free(programs->table);
    *programs = (native_programs){0};
}
