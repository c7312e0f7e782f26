/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "process.h"

#define FIRST_ROOM 1024u

/* One allocation, or a place where one was. `version` shows a reader whether it saw a change half
 * way: acquire, so that its second look comes after what it read; release, so that what is written
 * comes after its first change. */
typedef struct range {
    _Atomic uint64_t base;
    _Atomic uint64_t bytes;
    _Atomic uint64_t what; /* kind, device, page size */
} range;

/* Sorted by base; ranges do not overlap. */
typedef struct table {
    struct table *older; /* readers may still be in it */
    size_t room;
    _Atomic size_t count;
    range list[];
} table;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of writers */
static _Atomic(table *) present;
static _Atomic uint64_t version; /* odd: a change is under way */

#define KIND_MASK UINT64_C(0x3f)
#define FOREIGN   UINT64_C(0x40)
#define MAPPED    UINT64_C(0x80)

static uint64_t pack(const twin_memory_info *info)
{
    return (uint64_t)info->kind | (info->mapped ? MAPPED : 0) | (info->foreign ? FOREIGN : 0) |
           (uint64_t)info->device << 8 | (uint64_t)info->page_bytes << 32;
}

static twin_memory_kind kind_of(uint64_t what)
{
    return (twin_memory_kind)(what & KIND_MASK);
}

static uint64_t get(_Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static void put(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

static void unpack(range *from, twin_memory_info *out_info)
{
    uint64_t what = get(&from->what);
    *out_info = (twin_memory_info){.kind = kind_of(what)};
    if (out_info->kind == TWIN_MEMORY_GONE)
        return;
    out_info->device = (uint32_t)(what >> 8) & 0xffffff;
    out_info->page_bytes = (uint32_t)(what >> 32);
    out_info->base = get(&from->base);
    out_info->size_bytes = get(&from->bytes);
    out_info->mapped = (what & MAPPED) != 0;
    out_info->foreign = (what & FOREIGN) != 0;
}

/* Index of the first range whose base is above `address`. */
static size_t first_above(table *in, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (get(&in->list[middle].base) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ascend_range_find(uint64_t address, twin_memory_info *out_info)
{
    for (;;) {
        uint64_t before = atomic_load_explicit(&version, memory_order_acquire);
        twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
        table *in = atomic_load_explicit(&present, memory_order_acquire);
        size_t count = in ? atomic_load_explicit(&in->count, memory_order_relaxed) : 0;
        size_t at = count > 0 ? first_above(in, count, address) : 0;
        if (at > 0 && address - get(&in->list[at - 1].base) < get(&in->list[at - 1].bytes))
            unpack(&in->list[at - 1], &info);
        if ((before & 1) == 0 && atomic_load_explicit(&version, memory_order_relaxed) == before) {
            *out_info = info;
            return;
        }
    }
}

static void begin_change_locked(void)
{
    atomic_fetch_add_explicit(&version, 1, memory_order_relaxed);
}

static void end_change_locked(void)
{
    atomic_fetch_add_explicit(&version, 1, memory_order_release);
}

static void set(range *to, uint64_t base, uint64_t bytes, uint64_t what)
{
    put(&to->base, base);
    put(&to->bytes, bytes);
    put(&to->what, what);
}

static void move(range *to, range *from)
{
    set(to, get(&from->base), get(&from->bytes), get(&from->what));
}

/* A table with room for two more, with the present ranges. NULL: out of host memory. */
static table *grown_locked(void)
{
    table *old = atomic_load_explicit(&present, memory_order_relaxed);
    size_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 0;
    if (old && count + 2 <= old->room)
        return old;
    size_t room = old ? 2 * old->room : FIRST_ROOM;
    table *made = calloc(1, sizeof(*made) + room * sizeof(range));
    if (!made)
        return NULL;
    made->older = old;
    made->room = room;
    for (size_t i = 0; i < count; i++)
        move(&made->list[i], &old->list[i]);
    atomic_store_explicit(&made->count, count, memory_order_relaxed);
    atomic_store_explicit(&present, made, memory_order_release);
    return made;
}

static void drop_at_locked(table *in, size_t at, size_t how_many)
{
    size_t count = atomic_load_explicit(&in->count, memory_order_relaxed);
    for (size_t i = at; i + how_many < count; i++)
        move(&in->list[i], &in->list[i + how_many]);
    atomic_store_explicit(&in->count, count - how_many, memory_order_relaxed);
}

static void insert_at_locked(table *in, size_t at, uint64_t base, uint64_t bytes, uint64_t what)
{
    size_t count = atomic_load_explicit(&in->count, memory_order_relaxed);
    for (size_t i = count; i > at; i--)
        move(&in->list[i], &in->list[i - 1]);
    set(&in->list[at], base, bytes, what);
    atomic_store_explicit(&in->count, count + 1, memory_order_relaxed);
}

/* Removes the ranges in the place of a new one. */
static size_t clear_locked(table *in, uint64_t base, uint64_t end)
{
    size_t at = first_above(in, atomic_load_explicit(&in->count, memory_order_relaxed), base);
    if (at > 0) {
        range *left = &in->list[at - 1];
        uint64_t left_base = get(&left->base), left_end = left_base + get(&left->bytes);
        if (left_end > base) {
            uint64_t what = get(&left->what);
            if (left_base < base) {
                put(&left->bytes, base - left_base);
                if (left_end > end)
                    insert_at_locked(in, at, end, left_end - end, what);
            } else if (left_end > end) {
                set(left, end, left_end - end, what);
                at--;
            } else {
                drop_at_locked(in, --at, 1);
            }
        }
    }
    for (;;) {
        size_t count = atomic_load_explicit(&in->count, memory_order_relaxed);
        if (at >= count || get(&in->list[at].base) >= end)
            return at;
        range *right = &in->list[at];
        uint64_t right_end = get(&right->base) + get(&right->bytes);
        if (right_end > end) {
            set(right, end, right_end - end, get(&right->what));
            return at;
        }
        drop_at_locked(in, at, 1);
    }
}

bool ascend_range_add(const twin_memory_info *info)
{
    pthread_mutex_lock(&lock);
    table *in = grown_locked();
    if (in) {
        begin_change_locked();
        size_t at = clear_locked(in, info->base, info->base + info->size_bytes);
        insert_at_locked(in, at, info->base, info->size_bytes, pack(info));
        end_change_locked();
    }
    pthread_mutex_unlock(&lock);
    return in != NULL;
}

void ascend_range_drop(uint64_t base, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    table *in = grown_locked(); /* a range may be cut in two */
    if (in) {
        begin_change_locked();
        (void)clear_locked(in, base, base + bytes);
        end_change_locked();
    }
    pthread_mutex_unlock(&lock);
}

/* Marks a range as freed device memory, and merges it with such neighbours. */
static void bury_locked(table *in, size_t at)
{
    const uint64_t gone = TWIN_MEMORY_GONE;
    put(&in->list[at].what, gone);
    size_t count = atomic_load_explicit(&in->count, memory_order_relaxed);
    if (at + 1 < count && get(&in->list[at + 1].what) == gone &&
        get(&in->list[at].base) + get(&in->list[at].bytes) == get(&in->list[at + 1].base)) {
        put(&in->list[at].bytes, get(&in->list[at].bytes) + get(&in->list[at + 1].bytes));
        drop_at_locked(in, at + 1, 1);
    }
    if (at > 0 && get(&in->list[at - 1].what) == gone &&
        get(&in->list[at - 1].base) + get(&in->list[at - 1].bytes) == get(&in->list[at].base)) {
        put(&in->list[at - 1].bytes, get(&in->list[at - 1].bytes) + get(&in->list[at].bytes));
        drop_at_locked(in, at, 1);
    }
}

bool ascend_range_remove(uint64_t base, twin_memory_kind kind, twin_memory_info *out_info)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    table *in = atomic_load_explicit(&present, memory_order_relaxed);
    size_t at =
        in ? first_above(in, atomic_load_explicit(&in->count, memory_order_relaxed), base) : 0;
    if (at > 0 && get(&in->list[at - 1].base) == base &&
        (get(&in->list[at - 1].what) & (KIND_MASK | MAPPED)) == (uint64_t)kind) {
        found = true;
        unpack(&in->list[at - 1], out_info);
        begin_change_locked();
        /* Host memory returns to the system, which may reuse it for anything; device addresses
         * belong to the vendor. */
        if (kind == TWIN_MEMORY_DEVICE)
            bury_locked(in, at - 1);
        else
            drop_at_locked(in, at - 1, 1);
        end_change_locked();
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t ascend_ranges_forget(uint32_t device, uint64_t *out_bytes)
{
    uint32_t forgotten = 0;
    *out_bytes = 0;
    pthread_mutex_lock(&lock);
    table *in = atomic_load_explicit(&present, memory_order_relaxed);
    begin_change_locked();
    for (size_t i = 0; in && i < atomic_load_explicit(&in->count, memory_order_relaxed); i++) {
        twin_memory_info info;
        unpack(&in->list[i], &info);
        if (info.kind != TWIN_MEMORY_DEVICE || info.mapped || info.device != device)
            continue; /* what is mapped ends with its mapping or import */
        forgotten++;
        *out_bytes += info.size_bytes;
        size_t before = atomic_load_explicit(&in->count, memory_order_relaxed);
        bool joins_left = i > 0 && get(&in->list[i - 1].what) == TWIN_MEMORY_GONE;
        bury_locked(in, i);
        if (joins_left && atomic_load_explicit(&in->count, memory_order_relaxed) < before)
            i--;
    }
    end_change_locked();
    pthread_mutex_unlock(&lock);
    return forgotten;
}

void ascend_ranges_clear(void)
{
    table *in = atomic_exchange_explicit(&present, NULL, memory_order_acq_rel);
    while (in) {
        table *older = in->older;
        free(in);
        in = older;
    }
}
