/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for work of queues, and for ids that queues hold. */
#include "device/device.h"
#include "queue/queue.h"
#include "process/nondeterminism.h"
#include "wait/hooks.h"
#include "wait/wait.h"

/* Sets the watch of a queue to the nearest target of a wait: a point, or an entry that may release
 * a hardware event id. */
static void watch_queue(twin_queue *queue)
{
    uint64_t nearest = 0;
    bool id_wanted = false;
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next) {
        if (wait->kind == SIM_WAIT_QUEUE_POINT && wait->point.queue == queue &&
            (nearest == 0 || wait->point.number < nearest))
            nearest = wait->point.number;
        id_wanted = id_wanted || (wait->kind == SIM_WAIT_EVENT_ID && wait->device == queue->device);
    }
    if (id_wanted) {
        uint64_t due = sim_queue_next_id(queue);
        nearest = nearest == 0 || (due != 0 && due < nearest) ? due : nearest;
    }
    if (queue->open && (nearest != 0 || queue->watched))
        sim_nd_watch(queue->device->index, queue->sq, nearest);
    queue->watched = nearest != 0;
}

static void watch_ids(twin_hw_device *device)
{
    twin_queue *queue;
    for (unsigned sq = 0; (queue = sim_device_queue(device, sq)); sq++)
        watch_queue(queue);
}

void sim_watch_for(const struct sim_wait *wait)
{
    if (wait->kind == SIM_WAIT_QUEUE_POINT)
        watch_queue(wait->point.queue);
    else if (wait->kind == SIM_WAIT_EVENT_ID)
        watch_ids(wait->device);
}

void sim_check_queue_point(struct sim_wait *wait)
{
    const struct sim_queue_point *point = &wait->point;
    const twin_queue *queue = point->queue;
    switch (sim_point_completion_locked(point)) {
    case SIM_PENDING:
        return;
    case SIM_DROPPED:
        sim_wait_finish(wait, sim_point_reason_locked(point), queue->ended_ns);
        return;
    case SIM_DONE:
        sim_wait_finish(wait, TWIN_OK,
                        point->epoch == atomic_load_explicit(&queue->epoch, memory_order_relaxed)
                            ? twinsim_queue_retired_at(sim_process.sim, queue->device->index,
                                                       queue->sq, point->number)
                            : queue->ended_done_ns);
        return;
    }
}

void sim_check_event_id(struct sim_wait *wait)
{
    const struct sim_queue_point *point = &wait->point;
    if (sim_replay_step == SIM_REPLAY_RUN) {
        sim_id_wanted = true;
        return;
    }
    sim_id_wanted = sim_nd_logged();
    sim_queue_reclaim_all(wait->device, true);
    sim_ids_clean(&wait->device->events, sim_process.sim, wait->device->index);
    if (atomic_load_explicit(&wait->device->events.free_count, memory_order_relaxed) > 0 ||
        point->epoch != atomic_load_explicit(&point->queue->epoch, memory_order_relaxed))
        sim_wait_finish(wait, TWIN_OK, twinsim_now(sim_process.sim));
    else
        watch_ids(wait->device); /* the watched entries have retired without a free id */
}
