/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "device/ids.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/reserve.h"
#include "process/nondeterminism.h"

static uint32_t word_count(uint32_t count)
{
    return (count + 63) / 64;
}

static size_t bytes_of(const struct sim_ids *ids)
{
    return word_count(ids->count) * sizeof(*ids->taken) + ids->count * sizeof(*ids->bindings);
}

bool sim_ids_init(struct sim_ids *ids, uint32_t count, uint64_t table_base, uint32_t of_table)
{
    memset(ids, 0, sizeof(*ids));
    ids->count = count;
    ids->table_base = table_base;
    ids->of_table = of_table;
    void *place = sim_reserve(bytes_of(ids));
    if (!place)
        return false;
    ids->taken = place;
    ids->bindings = (void *)((char *)place + word_count(count) * sizeof(*ids->taken));
    if (count % 64 != 0)
        atomic_store(&ids->taken[count / 64], UINT64_MAX << (count % 64));
    atomic_store(&ids->free_count, count);
    return true;
}

void sim_ids_fini(struct sim_ids *ids)
{
    if (ids->taken)
        munmap((void *)ids->taken, bytes_of(ids));
    memset(ids, 0, sizeof(*ids));
}

/* The id is taken, its binding at rest. */
static uint32_t bind(struct sim_ids *ids, uint32_t id)
{
    uint64_t old = atomic_load_explicit(&ids->bindings[id].state, memory_order_relaxed);
    uint32_t generation = (uint32_t)(old >> 32) + 1;
    atomic_store_explicit(&ids->bindings[id].state, (uint64_t)generation << 32 | 1,
                          memory_order_release);
    atomic_fetch_sub_explicit(&ids->free_count, 1, memory_order_relaxed);
    return generation;
}

static bool is_taken(const struct sim_ids *ids, uint64_t id)
{
    return (atomic_load(&ids->taken[id / 64]) >> (id % 64) & 1) != 0;
}

/* The id that was found then. Who had it before may have let it go then in the middle of an op that
 * is yet to come, or has just begun: others find it free as soon as that had come to this. */
static bool take_again(struct sim_ids *ids, uint32_t *cursor, uint32_t *out_id,
                       uint32_t *out_generation)
{
    uint64_t id = 0;
    if (!sim_nd(TWIN_ND_ID, 0, &id) || id >= ids->count)
        return false;
    if (is_taken(ids, id))
        sim_queue_release_id(ids, (uint32_t)id);
    if (is_taken(ids, id))
        return false;
    atomic_fetch_or(&ids->taken[id / 64], UINT64_C(1) << (id % 64));
    *out_id = (uint32_t)id;
    *cursor = (uint32_t)id + 1;
    *out_generation = bind(ids, (uint32_t)id);
    return true;
}

bool sim_ids_take(struct sim_ids *ids, uint32_t *cursor, uint32_t *out_id, uint32_t *out_generation)
{
    if (sim_replaying())
        return take_again(ids, cursor, out_id, out_generation);
    uint32_t words = word_count(ids->count);
    uint32_t start = *cursor % ids->count;
    for (uint32_t step = 0; step <= words; step++) {
        uint32_t index = (start / 64 + step) % words;
        /* The first word is looked at twice: above the cursor, and at last below it. */
        uint64_t wanted = step == 0       ? UINT64_MAX << (start % 64)
                          : step == words ? ~(UINT64_MAX << (start % 64))
                                          : UINT64_MAX;
        uint64_t word = atomic_load_explicit(&ids->taken[index], memory_order_relaxed);
        while ((~word & wanted) != 0) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~word & wanted);
            /* acquire: pairs with the release that freed the id, so its binding is seen at rest */
            uint64_t before = atomic_fetch_or_explicit(&ids->taken[index], UINT64_C(1) << bit,
                                                       memory_order_acquire);
            if (before >> bit & 1) {
                word = before;
                continue;
            }
            uint32_t id = index * 64 + bit;
            *cursor = id + 1;
            *out_id = id;
            *out_generation = bind(ids, id);
            sim_nd_found(TWIN_ND_ID, 0, id);
            return true;
        }
    }
    return false;
}

bool sim_ids_retain(struct sim_ids *ids, uint32_t id, uint32_t generation)
{
    uint64_t state = atomic_load_explicit(&ids->bindings[id].state, memory_order_acquire);
    while (state >> 32 == generation && (uint32_t)state != 0)
        if (atomic_compare_exchange_weak_explicit(&ids->bindings[id].state, &state, state + 1,
                                                  memory_order_acq_rel, memory_order_acquire))
            return true;
    return false;
}

bool sim_ids_shared(const struct sim_ids *ids, uint32_t id, uint32_t generation)
{
    uint64_t state = atomic_load_explicit(&ids->bindings[id].state, memory_order_acquire);
    return state >> 32 == generation && (uint32_t)state > 1;
}

void sim_ids_drop(struct sim_ids *ids, uint32_t id)
{
    uint64_t before = atomic_fetch_sub_explicit(&ids->bindings[id].state, 1, memory_order_acq_rel);
    assert((uint32_t)before != 0);
    if ((uint32_t)before != 1)
        return;
    uint32_t head = atomic_load_explicit(&ids->dirty, memory_order_relaxed);
    do {
        atomic_store_explicit(&ids->bindings[id].next_dirty, head, memory_order_relaxed);
        /* release: who takes the list sees the links. Only whole lists are taken, so no ABA. */
    } while (!atomic_compare_exchange_weak_explicit(&ids->dirty, &head, id + 1,
                                                    memory_order_release, memory_order_relaxed));
}

/* Its entry is clear, and it is free. */
static void clean(struct sim_ids *ids, twinsim *sim, uint32_t device, uint32_t id)
{
    if (twinsim_write(sim, device, sim_ids_entry(ids, id), 0) != TWINSIM_OK)
        sim_log(3, "device %u: table entry %u cannot be cleared", device, id);
    atomic_fetch_and_explicit(&ids->taken[id / 64], ~(UINT64_C(1) << (id % 64)),
                              memory_order_release);
    atomic_fetch_add_explicit(&ids->free_count, 1, memory_order_relaxed);
}

void sim_ids_clean(struct sim_ids *ids, twinsim *sim, uint32_t device)
{
    if (atomic_load_explicit(&ids->dirty, memory_order_relaxed) == 0)
        return;
    uint32_t link = atomic_exchange_explicit(&ids->dirty, 0, memory_order_acquire);
    while (link != 0) {
        uint32_t id = link - 1;
        link = atomic_load_explicit(&ids->bindings[id].next_dirty, memory_order_relaxed);
        clean(ids, sim, device, id);
    }
}

void sim_ids_clean_one(struct sim_ids *ids, twinsim *sim, uint32_t device, uint32_t wanted)
{
    uint32_t kept = 0;
    uint32_t link = atomic_load(&ids->dirty);
    while (link != 0) {
        uint32_t id = link - 1;
        link = atomic_load(&ids->bindings[id].next_dirty);
        if (id == wanted) {
            clean(ids, sim, device, id);
            continue;
        }
        atomic_store(&ids->bindings[id].next_dirty, kept);
        kept = id + 1;
    }
    atomic_store(&ids->dirty, kept);
}
