/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/steps.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_STEPS      256u
#define FIRST_STEP_LISTS 64u
#define KEPT_STEP_LISTS  65536u /* of a run that ended */
#define KEPT_SHARED      16u    /* likewise, of */
#define KEPT_STEPS       4096u  /* as many in all */
#define LONG_STEPS       65536u /* of a list that is not copied */
#define FREE             UINT32_MAX

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

bool twin_native_steps_end(native_steps *steps, twin_pipe pipe, twin_step_kind kind, uint32_t flag,
                           uint64_t amount)
{
    native_steps full = *steps;
    if (steps->list)
        full.room += NATIVE_STEPS_LAST;
    const bool added = native_steps_add(&full, pipe, kind, (uint16_t)flag, amount);
    if (steps->list)
        full.room -= NATIVE_STEPS_LAST;
    *steps = full;
    return added;
}

static uint64_t hash_of(const native_steps *steps)
{
    uint64_t hash = 0x9e3779b97f4a7c15ull ^ steps->count;
    for (uint64_t i = 0; i < steps->count; i++) {
        uint64_t words[4];
        memcpy(words, &steps->list[i], sizeof(words));
        hash = (hash ^ words[0] ^ (words[2] << 17 | words[2] >> 47)) * 0xff51afd7ed558ccdull;
        hash ^= hash >> 32;
        hash = (hash ^ words[1] ^ (words[3] << 23 | words[3] >> 41)) * 0xc4ceb9fe1a85ec53ull;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool grow_table(native_step_lists *lists)
{
    const uint32_t room = lists->table_room ? lists->table_room * 2 : FIRST_STEP_LISTS * 2;
    uint32_t *table = malloc(room * sizeof(*table));
    if (!table)
        return false;
    memset(table, 0xff, room * sizeof(*table));
    for (uint32_t i = 0; i < lists->shared_count; i++) {
        uint32_t at = (uint32_t)lists->shared[i].hash & (room - 1);
        while (table[at] != FREE)
            at = (at + 1) & (room - 1);
        table[at] = i;
    }
    free(lists->table);
    lists->table = table;
    lists->table_room = room;
    return true;
}

/* Where the list is, or FREE; `at` is then where its number goes. */
static uint32_t find(const native_step_lists *lists, const native_steps *steps, uint64_t hash,
                     uint32_t *out_at)
{
    uint32_t at = (uint32_t)hash & (lists->table_room - 1);
    for (;; at = (at + 1) & (lists->table_room - 1)) {
        const uint32_t found = lists->table[at];
        *out_at = at;
        if (found == FREE)
            return FREE;
        const native_shared_steps *one = &lists->shared[found];
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

static uint32_t share(native_step_lists *lists, native_steps *steps)
{
    if (lists->shared_count >= lists->table_room / 2 && !grow_table(lists))
        return FREE;
    const uint64_t hash = hash_of(steps);
    uint32_t at = 0;
    const uint32_t found = find(lists, steps, hash, &at);
    if (found != FREE)
        return found;
    if (lists->shared_count == lists->shared_room &&
        !twin_native_grow(&lists->shared, &lists->shared_room, sizeof(*lists->shared),
                          FIRST_STEP_LISTS))
        return FREE;
    const uint64_t length = steps->count;
    twin_step *kept = length > 0 ? keep(steps) : NULL;
    if (length > 0 && !kept)
        return FREE;
    lists->shared[lists->shared_count] =
        (native_shared_steps){.hash = hash, .steps = {.steps = kept, .count = length}};
    lists->shared_steps += length;
    lists->table[at] = lists->shared_count;
    return lists->shared_count++;
}

bool twin_native_step_lists_put(native_step_lists *lists, uint64_t number, native_steps *steps)
{
    while (lists->room <= number)
        if (!twin_native_grow(&lists->items, &lists->room, sizeof(*lists->items), FIRST_STEP_LISTS))
            return false;
    for (; lists->count <= number; lists->count++)
        lists->items[lists->count] = (twin_steps){0};
    if (!steps)
        return true;
    const uint32_t found = share(lists, steps);
    if (found == FREE)
        return false;
    lists->items[number] = lists->shared[found].steps;
    return true;
}

/* The list of `lists` was taken away. */
static void forget(native_step_lists *lists, const twin_step *list)
{
    for (uint32_t i = 0; i < lists->shared_count; i++)
        if (lists->shared[i].steps.steps == list)
            lists->shared[i].steps.steps = NULL;
}

bool twin_native_step_lists_join(native_step_lists *lists, uint64_t first, native_step_lists *other)
{
    bool good = true;
    for (uint64_t i = 0; i < other->count && good; i++) {
        twin_step *list = (twin_step *)(uintptr_t)other->items[i].steps;
        native_steps steps = {.list = list, .count = other->items[i].count};
        good = twin_native_step_lists_put(lists, first + i, &steps);
        if (list && !steps.list)
            forget(other, list);
    }
    return good;
}

twin_launch_work twin_native_step_lists_work(const native_step_lists *lists, uint32_t per_block)
{
    bool alike = true;
    for (uint64_t i = per_block; i < lists->count && alike; i++)
        alike = lists->items[i].steps == lists->items[i % per_block].steps &&
                lists->items[i].count == lists->items[i % per_block].count;
    return (twin_launch_work){.lists = lists->items, .count = alike ? per_block : lists->count};
}

void twin_native_step_lists_clear(native_step_lists *lists)
{
    lists->count = 0;
    if (lists->room <= KEPT_STEP_LISTS && lists->shared_count <= KEPT_SHARED &&
        lists->shared_steps <= KEPT_STEPS)
        return;
    for (uint32_t i = 0; i < lists->shared_count; i++)
        free((void *)(uintptr_t)lists->shared[i].steps.steps);
    lists->shared_count = 0;
    lists->shared_steps = 0;
    if (lists->room > KEPT_STEP_LISTS)
        twin_native_step_lists_free(lists);
    else if (lists->table)
        memset(lists->table, 0xff, lists->table_room * sizeof(*lists->table));
}

void twin_native_step_lists_free(native_step_lists *lists)
{
    for (uint32_t i = 0; i < lists->shared_count; i++)
        free((void *)(uintptr_t)lists->shared[i].steps.steps);
    free(lists->items);
    free(lists->shared);
    free(lists->table);
    *lists = (native_step_lists){0};
}
