/* SPDX-License-Identifier: Apache-2.0 */
/* Which queue comes after which, as allocations of pools need to know. */
#include <stdlib.h>
#include <uthash.h>

#include "device/device.h"
#include "pool/pool.h"
#include "process/nondeterminism.h"
#include "queue/queue.h"
#include "signal/event.h"

/* Which queue waited for which. */
struct pair {
    const twin_queue *queue;
    const twin_queue *recorded;
};

/* The newest record of another queue that a queue has waited for. */
struct edge {
    struct pair pair;
    uint32_t epoch; /* of the queue that waited */
    struct sim_queue_point record;
    UT_hash_handle hh;
};

static struct edge *edges; /* guarded by the lock of the pools */

uint32_t sim_pool_epoch(const twin_queue *queue)
{
    return atomic_load_explicit(&queue->epoch, memory_order_acquire);
}

static bool point_passed(const struct sim_queue_point *point)
{
    return sim_pool_epoch(point->queue) != point->epoch ||
           sim_queue_retired(point->queue) >= point->number;
}

bool sim_pool_block_passed(const struct sim_block *block)
{
    const struct sim_queue_point point = {
        .queue = atomic_load_explicit(&block->returned_by, memory_order_relaxed),
        .epoch = atomic_load_explicit(&block->returned_epoch, memory_order_relaxed),
        .number = atomic_load_explicit(&block->returned_after, memory_order_relaxed)};
    return !point.queue || point_passed(&point);
}

bool sim_pool_passed(const struct sim_piece *piece)
{
    uint64_t passed = point_passed(&piece->point);
    (void)sim_nd(TWIN_ND_POOL, piece->number, &passed);
    return passed != 0;
}

/* ---- order ---------------------------------------------------------------------------------- */

static struct edge *find_edge(const struct pair *pair)
{
    struct edge *one;
    /* All of it is set. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    HASH_FIND(hh, edges, pair, sizeof(*pair), one);
    return one;
}

void sim_pool_waited(const twin_queue *queue, twin_signal *signal)
{
    pthread_mutex_lock(&signal->lock);
    const bool recorded = signal->source == COMPLETION_QUEUE;
    const struct sim_queue_point record = signal->point;
    pthread_mutex_unlock(&signal->lock);
    if (!recorded || record.queue == queue)
        return;
    const uint32_t epoch = sim_pool_epoch(queue);
    sim_pool_take_lock();
    const struct pair pair = {queue, record.queue};
    struct edge *one = find_edge(&pair);
    if (!one && (one = calloc(1, sizeof(*one))) != NULL) {
        one->pair = pair;
        HASH_ADD(hh, edges, pair, sizeof(one->pair), one);
    } /* without memory there is less reuse */
    if (one && (one->epoch != epoch || one->record.epoch != record.epoch ||
                one->record.number < record.number)) {
        one->epoch = epoch;
        one->record = record;
    }
    sim_pool_drop_lock();
}

/* Whether the queue has waited for a record that came after the point. */
static bool has_followed(const twin_queue *queue, const struct sim_queue_point *point)
{
    const struct pair pair = {queue, point->queue};
    const struct edge *one = find_edge(&pair);
    return one && one->epoch == sim_pool_epoch(queue) && one->record.epoch == point->epoch &&
           one->record.number > point->number;
}

enum sim_way sim_pool_way(const struct sim_piece *piece, const twin_queue *queue)
{
    const twin_hw_pool *pool = piece->pool;
    const struct sim_queue_point *point = &piece->point;
    if (point->queue == queue && point->epoch == sim_pool_epoch(queue))
        return WAY_ORDER;
    if (pool->follow_events && has_followed(queue, point))
        return WAY_ORDER;
    if ((pool->opportunistic || pool->add_waits) && sim_pool_passed(piece))
        return pool->opportunistic ? WAY_PASSED : WAY_WAIT;
    return pool->add_waits && piece->signal ? WAY_WAIT : WAY_NONE;
}

void sim_pool_forget_order(void)
{
    struct edge *one, *next;
    HASH_ITER(hh, edges, one, next)
    {
        /* The macro has kept the next one. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        HASH_DELETE(hh, edges, one);
        free(one);
    }
}
