/* SPDX-License-Identifier: Apache-2.0 */
/* Releases what the task states of retired entries retained. */
#include "queue/queue.h"

#include "device/device.h"
#include "process/nondeterminism.h"
#include "queue/kernel.h"
#include "queue/replace.h"
#include "queue/ring_users.h"
#include "wait/leader.h"

void sim_queue_release_task_state(twin_queue *queue, struct sim_task_state *state)
{
    if (state->kind == SIM_TASK_CALL) {
        if (state->call)
            sim_call_queue_release(state->call);
    } else if (state->kind == SIM_TASK_KERNEL) {
        if (queue->config.deferred)
            sim_kept_release(queue, (uint32_t)(state - queue->task_states));
        else
            sim_kernel_release(state->kernel);
    } else if (state->kind == SIM_TASK_LIST) {
        sim_lists_release(&queue->device->lists, state->list);
    } else if (state->kind != SIM_TASK_NONE && state->kind != SIM_TASK_RUN) {
        sim_event_release(queue, state);
    }
    state->kind = SIM_TASK_NONE;
}

/* A retired entry whose CQE has not been read: whether there will be none. Both come in one
 * instant, so once the results of a chunk have been read, it is lost. */
static bool lost_cqe(const twin_queue *queue, uint64_t place)
{
    if (!sim_drive_settled())
        return false;
    sim_log(2, "device %u, stream %u: the completion of task %u was not reported; its time is lost",
            queue->device->index, queue->config.id,
            queue->ring[place & queue->mask].word[1] >> STARS_W1_TASK_SHIFT);
    return true;
}

/* As far as it was then; the model may have to run on for that. */
static uint64_t free_as_then(const twin_queue *queue, uint64_t reclaimed, uint64_t retired,
                             uint64_t then)
{
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    if (then <= reclaimed || then > submitted)
        return reclaimed;
    if (then > retired)
        sim_replay_until_retired(queue->device->index, queue->sq, then);
    return then;
}

/* Looks at task states of entries up to `retired`; returns the newest that was released. */
static uint64_t reclaim_to(twin_queue *queue, uint64_t reclaimed, uint64_t retired)
{
    if (reclaimed < retired)
        queue->id_cursor = queue->sq * 64u;
    while (reclaimed < retired && reclaimed < queue->held) {
        struct sim_task_state *state = &queue->task_states[reclaimed & queue->mask];
        if (state->kind != SIM_TASK_NONE) {
            if (state->expects_cqe && !state->cqe_read && !lost_cqe(queue, reclaimed)) {
                retired = reclaimed;
                break;
            }
            sim_queue_release_task_state(queue, state);
        }
        reclaimed++;
    }
    if (reclaimed < retired) /* the others hold nothing */
        reclaimed = retired;
    atomic_store_explicit(&queue->reclaimed, reclaimed, memory_order_release);
    return reclaimed;
}

/* By a caller without the model lock; `what` names it in the log. It is logged when all is
 * released: a thread that found an object retained did so before that. */
static void reclaim_logged(twin_queue *queue, uint64_t reclaimed, uint64_t retired, twin_nd what)
{
    uint64_t free = reclaim_to(queue, reclaimed, retired);
    if (free > reclaimed)
        sim_nd_found(what, sim_nd_queue(queue->device->index, queue->sq), free);
}

void sim_queue_reclaim_locked(twin_queue *queue)
{
    uint64_t reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    if (reclaimed == submitted || queue->config.deferred)
        return;
    uint64_t retired = sim_queue_retired(queue);
    uint64_t then = 0;
    if (!sim_replaying())
        reclaim_logged(queue, reclaimed, retired, TWIN_ND_FREED);
    else if (sim_nd(TWIN_ND_FREED, sim_nd_queue(queue->device->index, queue->sq), &then))
        (void)reclaim_to(queue, reclaimed, free_as_then(queue, reclaimed, retired, then));
}

void sim_queue_reclaim(twin_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    sim_queue_reclaim_locked(queue);
    const uint64_t reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    if (reclaimed >= queue->held)
        atomic_store_explicit(&queue->holds_memory, false, memory_order_relaxed);
    pthread_mutex_unlock(&queue->lock);
}

uint64_t sim_queue_next_id(twin_queue *queue)
{
    uint64_t number = 0;
    pthread_mutex_lock(&queue->lock);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    uint64_t at = sim_queue_retired(queue);
    for (; at < submitted && number == 0; at++)
        if (queue->task_states[at & queue->mask].bound)
            number = at + 1;
    pthread_mutex_unlock(&queue->lock);
    return number;
}

/* One queue of many. In a replay the ops of other threads come in between, before the queue's lock
 * is taken. */
static void sweep(twin_queue *queue, bool model_locked)
{
    uint64_t then = 0;
    bool repeats = !model_locked && sim_replaying();
    if (repeats && !sim_nd(TWIN_ND_SWEPT, sim_nd_queue(queue->device->index, queue->sq), &then))
        return;
    pthread_mutex_lock(&queue->lock);
    uint64_t reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    uint64_t submitted = atomic_load_explicit(&queue->submitted, memory_order_relaxed);
    if (reclaimed != submitted && !queue->config.deferred) {
        uint64_t retired = sim_queue_retired(queue);
        if (repeats)
            retired = free_as_then(queue, reclaimed, retired, then);
        if (model_locked || repeats)
            (void)reclaim_to(queue, reclaimed, retired);
        else
            reclaim_logged(queue, reclaimed, retired, TWIN_ND_SWEPT);
    }
    pthread_mutex_unlock(&queue->lock);
}

void sim_queue_reclaim_all(twin_hw_device *device, bool model_locked)
{
    twin_queue *queue;
    for (unsigned sq = 0; (queue = sim_device_queue(device, sq)); sq++)
        sweep(queue, model_locked);
}

/* Releases entries up to the last that holds the id. */
static void release_id(twin_queue *queue, const struct sim_ids *ids, uint32_t id)
{
    const bool free = pthread_mutex_trylock(&queue->lock) == 0; /* else it is the caller's own */
    const uint64_t reclaimed = atomic_load_explicit(&queue->reclaimed, memory_order_relaxed);
    const uint64_t retired = sim_queue_retired(queue);
    uint64_t last = reclaimed;
    for (uint64_t at = reclaimed; at < retired && at < queue->held; at++)
        if (sim_event_keeps_id(queue, &queue->task_states[at & queue->mask], ids, id))
            last = at + 1;
    if (last > reclaimed && !queue->config.deferred)
        (void)reclaim_to(queue, reclaimed, last);
    if (free)
        pthread_mutex_unlock(&queue->lock);
}

void sim_queue_release_id(struct sim_ids *ids, uint32_t id)
{
    twin_queue *queue;
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        twin_hw_device *device = sim_process.devices[i];
        for (unsigned sq = 0; (queue = sim_device_queue(device, sq)); sq++)
            release_id(queue, ids, id);
        if (device &&
            (ids == &device->events || ids == &device->notifies || ids == &device->counts))
            sim_ids_clean_one(ids, sim_process.sim, i, id);
    }
}
