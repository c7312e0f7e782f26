/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/range_table.h"

#include <stdlib.h>

#define FIRST_ROOM 64u

/* `version` shows a reader whether it has seen a change half way: acquire, so that its second look
 * at the version comes after what it read; release, so that what is written comes after the version
 * has become odd. */
struct row {
    _Atomic uint64_t base;
    _Atomic uint64_t bytes;
    _Atomic(void *) what;
};

struct sim_ranges_list {
    struct sim_ranges_list *older; /* readers may still be in it */
    size_t room;
    _Atomic size_t count;
    struct row rows[];
};

static uint64_t get(_Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static void set(struct row *row, uint64_t base, uint64_t bytes, void *what)
{
    atomic_store_explicit(&row->base, base, memory_order_release);
    atomic_store_explicit(&row->bytes, bytes, memory_order_release);
    atomic_store_explicit(&row->what, what, memory_order_release);
}

static void move(struct row *to, struct row *from)
{
    set(to, get(&from->base), get(&from->bytes),
        atomic_load_explicit(&from->what, memory_order_acquire));
}

/* Index of the first range whose end is above `address`. */
static size_t first_above(struct sim_ranges_list *list, size_t count, uint64_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (get(&list->rows[middle].base) + get(&list->rows[middle].bytes) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sim_ranges_next(struct sim_ranges *ranges, uint64_t address, struct sim_range *out)
{
    for (;;) {
        const uint64_t before = atomic_load_explicit(&ranges->version, memory_order_acquire);
        struct sim_ranges_list *list = atomic_load_explicit(&ranges->list, memory_order_acquire);
        const size_t count = list ? atomic_load_explicit(&list->count, memory_order_acquire) : 0;
        const size_t at = count > 0 ? first_above(list, count, address) : 0;
        const bool found = at < count;
        if (found)
            *out = (struct sim_range){
                .base = get(&list->rows[at].base),
                .bytes = get(&list->rows[at].bytes),
                .what = atomic_load_explicit(&list->rows[at].what, memory_order_acquire)};
        if ((before & 1) == 0 &&
            atomic_load_explicit(&ranges->version, memory_order_relaxed) == before)
            return found;
    }
}

bool sim_ranges_find(struct sim_ranges *ranges, uint64_t address, struct sim_range *out)
{
    return sim_ranges_next(ranges, address, out) && out->base <= address;
}

/* The list with room for one more row; NULL: no memory. */
static struct sim_ranges_list *grow(struct sim_ranges *ranges)
{
    struct sim_ranges_list *old = atomic_load_explicit(&ranges->list, memory_order_relaxed);
    const size_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 0;
    if (old && count < old->room)
        return old;
    const size_t room = old ? 2 * old->room : FIRST_ROOM;
    struct sim_ranges_list *made = calloc(1, sizeof(*made) + room * sizeof(struct row));
    if (!made)
        return NULL;
    made->older = old;
    made->room = room;
    for (size_t i = 0; i < count; i++)
        move(&made->rows[i], &old->rows[i]);
    atomic_store_explicit(&made->count, count, memory_order_relaxed);
    atomic_store_explicit(&ranges->list, made, memory_order_release);
    return made;
}

bool sim_ranges_add(struct sim_ranges *ranges, const struct sim_range *range)
{
    struct sim_ranges_list *list = grow(ranges);
    if (!list)
        return false;
    const size_t count = atomic_load_explicit(&list->count, memory_order_relaxed);
    const size_t at = first_above(list, count, range->base);
    atomic_fetch_add_explicit(&ranges->version, 1, memory_order_relaxed);
    for (size_t i = count; i > at; i--)
        move(&list->rows[i], &list->rows[i - 1]);
    set(&list->rows[at], range->base, range->bytes, range->what);
    atomic_store_explicit(&list->count, count + 1, memory_order_release);
    atomic_fetch_add_explicit(&ranges->version, 1, memory_order_release);
    return true;
}

void sim_ranges_remove(struct sim_ranges *ranges, uint64_t base)
{
    struct sim_ranges_list *list = atomic_load_explicit(&ranges->list, memory_order_relaxed);
    const size_t count = list ? atomic_load_explicit(&list->count, memory_order_relaxed) : 0;
    const size_t at = count > 0 ? first_above(list, count, base) : 0;
    if (at >= count || get(&list->rows[at].base) != base)
        return;
    atomic_fetch_add_explicit(&ranges->version, 1, memory_order_relaxed);
    for (size_t i = at; i + 1 < count; i++)
        move(&list->rows[i], &list->rows[i + 1]);
    atomic_store_explicit(&list->count, count - 1, memory_order_release);
    atomic_fetch_add_explicit(&ranges->version, 1, memory_order_release);
}
