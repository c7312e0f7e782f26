/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that drop work, and that set a priority. They take the model lock; those that act on the task
 * under way first move the model up to the caller's clock. */
#include "device/device.h"
#include "queue/failure.h"
#include "queue/kernel.h"
#include "queue/queue.h"
#include "queue/ring_users.h"
#include "wait/leader.h"
#include "wait/model_lock.h"

#define PRIORITY_SHIFT 10u /* STARS_SQ_PRIORITY */

static twin_status write_page(const twin_queue *queue, uint32_t offset, uint32_t value)
{
    return sim_queue_write(queue, offset, value) == TWINSIM_OK ? TWIN_OK : TWIN_E_INTERNAL;
}

void sim_queue_entries_changed(const twin_queue *queue)
{
    /* The device drops what it has read only under a pause. */
    (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_PAUSE);
    (void)sim_queue_write(queue, STARS_SQ_PREFETCH, STARS_SQ_PREFETCH_DROP);
    (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_DEBUG_RESUME);
}

/* Work that was complete at the caller's clock is complete, and is not dropped. A kernel that
 * another thread describes just now is not waited for: it has not ended. */
static void finish_past(uint32_t device, uint32_t sq)
{
    if (!sim_kernel_described_on(device, sq))
        sim_drive_poll();
}

twin_status sim_queue_abort(twin_queue *queue)
{
    finish_past(queue->device->index, queue->sq);
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    twin_status status = sim_queue_restart_locked(queue, TWIN_E_ABORTED);
    /* What stopped the group stays. */
    if (atomic_load_explicit(&queue->refusal, memory_order_relaxed) == TWIN_OK)
        sim_failure_forget_locked(queue);
    pthread_mutex_unlock(&queue->lock);
    sim_drive_check_locked();
    sim_model_unlock();
    return status;
}

struct abort_all {
    twin_status status;
};

static void abort_queue(void *context, twin_queue *queue)
{
    struct abort_all *all = context;
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&queue->lock);
    if (!queue->config.deferred) /* its tasks stay; a run ends with the queue that asked for it */
        status = sim_queue_restart_locked(queue, TWIN_E_DEVICE_ABORTED);
    sim_failure_forget_locked(queue);
    pthread_mutex_unlock(&queue->lock);
    if (status != TWIN_OK)
        all->status = status;
}

twin_status sim_device_abort(twin_hw_device *device)
{
    struct abort_all all = {.status = TWIN_OK};
    finish_past(device->index, SIM_ANY_QUEUE);
    sim_model_lock();
    sim_queue_each(device, abort_queue, &all);
    sim_failure_clear_groups(device);
    sim_drive_check_locked();
    sim_model_unlock();
    return all.status;
}

twin_status sim_queue_stop(twin_queue *queue)
{
    sim_drive_poll();
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    uint64_t before = sim_queue_retired(queue);
    twin_status status = TWIN_OK;
    if (sim_instance_leave_run(queue))
        status = write_page(queue, STARS_SQ_CONTROL,
                            STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME);
    if (sim_queue_retired(queue) != before)
        queue->task_states[before & queue->mask].cqe_read = 1; /* there will be none */
    pthread_mutex_unlock(&queue->lock);
    sim_drive_check_locked();
    sim_model_unlock();
    return status;
}

twin_status sim_queue_set_priority(twin_queue *queue, uint32_t priority)
{
    sim_drive_poll();
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    twin_status status = write_page(queue, STARS_SQ_PRIORITY, priority << PRIORITY_SHIFT);
    if (status == TWIN_OK)
        queue->config.priority = priority;
    pthread_mutex_unlock(&queue->lock);
    sim_drive_check_locked();
    sim_model_unlock();
    return status;
}
