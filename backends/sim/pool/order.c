/* SPDX-License-Identifier: Apache-2.0 */
/* Which queue comes after which, as allocations of pools need to know. */
#include <stdlib.h>
#include <utlist.h>

#include "device/device.h"
#include "pool/pool.h"
#include "process/nondeterminism.h"
#include "queue/queue.h"
#include "signal/event.h"

/* The newest record of another queue that a queue has waited for. */
struct edge {
    struct edge *next;
    const twin_queue *queue; /* that waited */
    uint32_t epoch;          /* of it */
    struct sim_queue_point record;
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
    struct edge *one = edges;
    while (one && (one->queue != queue || one->record.queue != record.queue))
        one = one->next;
    if (!one && (one = calloc(1, sizeof(*one))) != NULL) {
        one->queue = queue;
        LL_PREPEND(edges, one);
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
    for (const struct edge *one = edges; one; one = one->next)
        if (one->queue == queue && one->epoch == sim_pool_epoch(queue) &&
            one->record.queue == point->queue)
            return one->record.epoch == point->epoch && one->record.number > point->number;
    return false;
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
    LL_FOREACH_SAFE(edges, one, next) {
        LL_DELETE(edges, one);
        free(one);
    }
}
