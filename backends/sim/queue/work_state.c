/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/hooks.h"

#include "device/device.h"
#include "memory/registered.h"
#include "queue/queue.h"
#include "wait/clock.h"

uint64_t sim_work_stamp(void)
{
    uint64_t stamp = sim_clock_attachings();
    const twin_queue *queue;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        for (unsigned sq = 0; (queue = sim_device_queue(sim_process.devices[i], sq)); sq++)
            stamp += atomic_load_explicit(&queue->epoch, memory_order_relaxed) * UINT64_C(65537) +
                     atomic_load_explicit(&queue->submitted, memory_order_relaxed) +
                     sim_queue_retired(queue);
    return stamp;
}

uint64_t sim_tasks_stamp(void)
{
    uint64_t stamp = 0;
    twin_queue *queue;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        for (unsigned sq = 0; (queue = sim_device_queue(sim_process.devices[i], sq)); sq++) {
            struct twinsim_queue_info info;
            /* Entries of a deferred queue that no run has are written at any time. */
            const bool deferred = atomic_load_explicit(&queue->is_deferred, memory_order_relaxed);
            if (deferred)
                pthread_mutex_lock(&queue->lock);
            const bool open = twinsim_queue_inspect(sim_process.sim, i, sq, &info) == TWINSIM_OK;
            if (deferred)
                pthread_mutex_unlock(&queue->lock);
            if (!open)
                continue;
            stamp +=
                ((sim_queue_retired(queue) << 24) + ((uint64_t)info.task_id << 8) + info.state) *
                (UINT64_C(2654435761) + 2 * (uint64_t)sq);
        }
    return stamp;
}

bool sim_work_polls_outside(void)
{
    const twin_queue *queue;
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        for (unsigned sq = 0; (queue = sim_device_queue(sim_process.devices[i], sq)); sq++) {
            struct twinsim_queue_info info;
            if (!atomic_load_explicit(&queue->is_deferred, memory_order_relaxed) &&
                twinsim_queue_inspect(sim_process.sim, i, sq, &info) == TWINSIM_OK &&
                info.state == TWINSIM_QUEUE_PARKED && sim_registered_outside(info.wait_address))
                return true;
        }
    return false;
}

static bool is_pending(const twin_queue *queue, bool all)
{
    uint64_t visible = all ? atomic_load_explicit(&queue->submitted, memory_order_acquire)
                           : atomic_load_explicit(&queue->visible, memory_order_acquire);
    return visible != 0 && !atomic_load_explicit(&queue->is_deferred, memory_order_relaxed) &&
           sim_queue_retired(queue) < visible;
}

const twin_queue *sim_pending_work(bool all)
{
    const twin_queue *queue;
    for (uint32_t i = 0; i < SIM_DEVICES_MOST; i++) /* a start may write the count */
        for (unsigned sq = 0; (queue = sim_device_queue(sim_process.devices[i], sq)); sq++)
            if (is_pending(queue, all))
                return queue;
    return NULL;
}

void sim_work_names(const twin_queue *queue, uint32_t *out_device, uint32_t *out_stream)
{
    *out_device = queue->device->index;
    *out_stream = queue->config.id;
}

uint32_t sim_work_sq(const twin_queue *queue)
{
    return queue->sq;
}
