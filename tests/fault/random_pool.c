/* SPDX-License-Identifier: Apache-2.0 */
/* Everything here is relaxed atomics: a lock would order threads that the runtime is to keep apart
 * by itself, and hide from a race detector what it should see. So an entry's two words need not
 * belong together; that is one more kind of wrong argument. */
#include "random_pool.h"

#include <stdatomic.h>

#define LIVING     24u
#define DEAD       32u
#define GIVEN_BITS 22u

/* A sanitizer has mapped pages without access at many addresses; a copy from there is not
 * refused. */
#ifdef TWIN_SANITIZED
#define FLIPPED_BITS 32u
#else
#define FLIPPED_BITS 64u
#endif

typedef struct pool {
    _Atomic uint64_t handles[LIVING];
    _Atomic uint64_t owners[LIVING];
    _Atomic uint64_t dead[DEAD];
} pool;

static pool pools[RANDOM_KIND_COUNT];

/* Every handle ever given, as an open hash table. */
static _Atomic uint64_t given[1u << GIVEN_BITS];
static _Atomic uint32_t given_count;

static void note_given(uint64_t handle)
{
    if (atomic_fetch_add_explicit(&given_count, 1, memory_order_relaxed) > 3u << (GIVEN_BITS - 2))
        return; /* full: checks no more */
    uint64_t at = (handle * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - GIVEN_BITS);
    for (;; at = (at + 1) & ((1u << GIVEN_BITS) - 1)) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong_explicit(&given[at], &there, handle,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
        if (there == handle) {
            random_failure("the handle %#llx was given twice", (unsigned long long)handle);
            return;
        }
    }
}

static void bury(random_state *random, random_kind kind, uint64_t handle)
{
    if (handle != 0)
        atomic_store_explicit(&pools[kind].dead[random_below(random, DEAD)], handle,
                              memory_order_relaxed);
}

random_entry random_pool_put(random_state *random, random_kind kind, random_entry entry)
{
    pool *to = &pools[kind];
    uint32_t place = random_below(random, LIVING);
    /* An empty place, if one is near. */
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t near = (place + i) % LIVING;
        if (atomic_load_explicit(&to->handles[near], memory_order_relaxed) == 0) {
            place = near;
            break;
        }
    }
    /* Addresses come again, and a function is found more than once. */
    if (kind != RANDOM_MEMORY && kind != RANDOM_FUNCTION)
        note_given(entry.handle);
    random_entry old;
    old.owner = atomic_exchange_explicit(&to->owners[place], entry.owner, memory_order_relaxed);
    old.handle = atomic_exchange_explicit(&to->handles[place], entry.handle, memory_order_relaxed);
    bury(random, kind, old.handle);
    return old;
}

random_entry random_pool_take(random_state *random, random_kind kind)
{
    pool *from = &pools[kind];
    uint32_t place = random_below(random, LIVING);
    random_entry taken;
    taken.owner = atomic_load_explicit(&from->owners[place], memory_order_relaxed);
    taken.handle = atomic_exchange_explicit(&from->handles[place], 0, memory_order_relaxed);
    bury(random, kind, taken.handle);
    return taken;
}

random_entry random_pool_living(random_state *random, random_kind kind, uint64_t owner)
{
    pool *from = &pools[kind];
    random_entry found = {0, 0};
    uint32_t place = random_below(random, LIVING);
    for (uint32_t i = 0; i < LIVING; i++, place = (place + 1) % LIVING) {
        random_entry entry;
        entry.handle = atomic_load_explicit(&from->handles[place], memory_order_relaxed);
        entry.owner = atomic_load_explicit(&from->owners[place], memory_order_relaxed);
        if (entry.handle == 0)
            continue;
        if (owner == 0 || entry.owner == owner)
            return entry;
        found = entry;
    }
    return found;
}

static uint64_t garbage(random_state *random)
{
    static const uint64_t numbers[] = {
        1,
        8,
        64,
        0x1000,
#ifndef TWIN_SANITIZED
        UINT32_MAX,
        UINT64_C(1) << 32,
#endif
        UINT64_C(0x7FFFFFFFFFFFFFF8),
        UINT64_C(0x8000000000000000),
        UINT64_MAX,
        UINT64_MAX - 7,
        UINT64_C(0x4200000000000000),
        UINT64_C(0x42FFFFFFFFFFFFFF),
        UINT64_C(0x4300000000000001),
        UINT64_C(0x4400FFFF00000001),
    };
    uint32_t choice = random_below(random, 20);
    if (choice < sizeof(numbers) / sizeof(numbers[0]))
        return numbers[choice];
    uint64_t word = random_next(random);
    /* Small ones are NULL pages; the others no address that user space can have. */
    return choice < 17 ? word & 0xFFFF : word | UINT64_C(0x8000000000000000);
}

random_entry random_pool_any(random_state *random, random_kind kind, uint64_t owner)
{
    uint32_t choice = random_below(random, 100);
    if (choice < 80)
        return random_pool_living(random, kind, random_percent(random, 90) ? owner : 0);
    random_entry entry = {0, 64};
    if (choice < 88) {
        entry.handle = atomic_load_explicit(&pools[kind].dead[random_below(random, DEAD)],
                                            memory_order_relaxed);
    } else if (choice < 92) {
        random_kind other = random_below(random, RANDOM_KIND_COUNT);
        entry = random_pool_living(random, other, 0);
    } else if (choice < 96) {
        entry.handle = garbage(random);
    } else if (choice < 97) {
        /* One bit off. */
        entry = random_pool_living(random, kind, owner);
        entry.handle ^= UINT64_C(1) << random_below(random, FLIPPED_BITS);
    }
    return entry;
}
