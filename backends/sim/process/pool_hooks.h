/* SPDX-License-Identifier: Apache-2.0 */
/* What memory, queues and signals call in the pools (pool/pool.c), which are built on them. */
#ifndef TWINRT_SIM_PROCESS_POOL_HOOKS_H
#define TWINRT_SIM_PROCESS_POOL_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

struct sim_arena;
struct sim_block;

/* How many pools there are; relaxed: most processes have none. */
extern atomic_uint sim_pool_count;

/* How many of them may use memory again behind an event; relaxed. */
extern atomic_uint sim_pool_followers;

static inline bool sim_pool_exists(void)
{
    return __builtin_expect(atomic_load_explicit(&sim_pool_count, memory_order_relaxed) != 0, 0);
}

/* A host has waited for all work of the queue: pools of its device release idle memory. No lock is
 * held. */
void sim_pool_drained(twin_queue *queue);
/* The queue waits for the newest record of the signal now. No lock is held. */
void sim_pool_waited(const twin_queue *queue, twin_signal *signal);
/* Whether a pool has allocated the block. */
bool sim_pool_contains(const struct sim_block *block);
/* Memory of a pool is freed at once, by memory.free. False: the address is not of a pool. */
bool sim_pool_free_now(struct sim_arena *arena, uint64_t address, twin_status *out_status);
/* Whether a block that is not live is free: false as long as the queue in whose order it was freed
 * has work from before that. Lock free. */
bool sim_pool_block_passed(const struct sim_block *block);

#endif
