/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: device memory that is allocated and freed in queue order.
 *
 * Each allocation of a pool is a block of the device's arena. A free makes it RETURNED: from the
 * point in its queue on no task may use it, and the pool keeps its share of the device's capacity.
 * An allocation takes a share of what was returned, where the order of the queues allows that, and
 * the block too if it has the same size; else a new share, up to the size of the pool.
 *
 * One lock guards all pools; it comes after the model lock and before those of queues and
 * arenas. */
#ifndef TWINRT_SIM_POOL_POOL_H
#define TWINRT_SIM_POOL_POOL_H

#include <pthread.h>

#include "memory/arena.h"
#include "process/pool_hooks.h"
#include "wait/queue_point.h"

/* A piece of a pool: an allocation, or what was freed. */
struct sim_piece {
    struct sim_piece *prev, *next;
    struct twin_hw_pool *pool;
    struct sim_block *block; /* NULL: freed, and a part of the share is used elsewhere */
    uint64_t bytes;  /* of the pool's share of the capacity; of an allocation all of the block */
    uint64_t number; /* in the nondeterminism log */
    bool whole;      /* the share is that of the whole block */
    bool used;       /* allocated */
    /* Freed: */
    struct sim_queue_point point;
    twin_signal
        *signal; /* recorded there, for waits that an allocation adds; NULL: there is none */
    bool taken;  /* by the allocation that is being planned */
};

struct twin_hw_pool {
    twin_hw_pool *prev, *next;
    twin_hw_device *device;
    uint64_t size;
    uint64_t threshold;
    bool follow_events, opportunistic, add_waits;
    uint64_t reserved, reserved_high;
    uint64_t used, used_high;
    struct sim_piece *pieces; /* oldest first */
};

/* The lock of all pools. */
void sim_pool_take_lock(void);
void sim_pool_drop_lock(void);

/* ---- order (order.c); the lock is held ---- */

/* Why an allocation in a queue may take what was freed. */
enum sim_way { WAY_NONE, WAY_ORDER, WAY_PASSED, WAY_WAIT };
enum sim_way sim_pool_way(const struct sim_piece *piece, const twin_queue *queue);
/* Whether the work before the free is done, which depends on the order of threads. */
bool sim_pool_passed(const struct sim_piece *piece);
uint32_t sim_pool_epoch(const twin_queue *queue);
/* Forgets which queue has waited for which. */
void sim_pool_forget_order(void);

#endif
