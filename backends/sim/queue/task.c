/* SPDX-License-Identifier: Apache-2.0 */
/* Telling an observer of the tasks that end. */
#include "process/device.h"
#include "queue/failure.h"
#include "queue/queue.h"
#include "wait/model_lock.h"

/* Inside a run of the model: the model lock is held. */
static void ended(void *context, const struct twinsim_task_end *end)
{
    (void)context;
    const twin_hw_device *device = sim_process.devices[end->device];
    if (!device || end->sq >= atomic_load_explicit(&device->queue_slots, memory_order_relaxed))
        return;
    const twin_queue *queue = atomic_load_explicit(&device->queues[end->sq], memory_order_relaxed);
    if (!queue->task_take)
        return;
    /* A deferred queue begins again and again: its tasks have the numbers of their places. */
    uint64_t number = queue->config.deferred ? ((end->number - 1) & queue->mask) + 1
                                             : queue->task_base + end->number;
    const twin_task_end task = {
        .number = number,
        .begin_ns = end->begin_ns,
        .end_ns = end->end_ns,
        .status = end->error != 0 ? sim_failure_status(end->error, end->status) : TWIN_OK,
    };
    queue->task_take(queue->task_context, &task);
}

twin_status sim_queue_tasks(twin_queue *queue,
                            void (*take)(void *context, const twin_task_end *task), void *context)
{
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    queue->task_take = take;
    queue->task_context = context;
    pthread_mutex_unlock(&queue->lock);
    if (take)
        twinsim_tell_tasks(sim_process.sim, ended, NULL);
    sim_model_unlock();
    return TWIN_OK;
}

uint64_t sim_queue_newest_task(twin_queue *queue)
{
    return queue->task_base + atomic_load_explicit(&queue->submitted, memory_order_relaxed);
}
