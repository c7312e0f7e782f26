/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that end: what completion queues report, times of records and failures; and the observer of
 * tasks. */
#include "device/device.h"
#include "queue/failure.h"
#include "queue/queue.h"
#include "queue/ring_users.h"
#include "wait/model_lock.h"

static void handle_cqe(twin_queue *queue, const stars_cqe *cqe)
{
    bool failed = cqe->flags & STARS_CQE_ERROR;
    uint32_t slot = failed ? cqe->u.error.sqe_index : (uint32_t)cqe->sq_head - 1u;
    slot &= queue->mask;
    bool go_on = false;
    pthread_mutex_lock(&queue->lock);
    /* The slot may have been reused after an unexpected CQE; the task id shows it. */
    struct sim_task_state *state = &queue->task_states[slot];
    if (queue->ring[slot].word[1] >> STARS_W1_TASK_SHIFT != cqe->task_id)
        state = NULL;
    if (failed)
        go_on = sim_failure_note_locked(queue, cqe, state, state ? state->thread : UINT32_MAX);
    if (failed && state && state->kind == SIM_TASK_RUN)
        sim_instance_run_failed(queue, state->instance);
    else if (state && state->kind == SIM_TASK_RECORD && state->expects_cqe)
        sim_event_stamp(state, sim_ticks_ns(cqe->u.timestamp, sim_process.limits.counter_mhz));
    if (state)
        state->cqe_read = 1;
    pthread_mutex_unlock(&queue->lock);
    if (go_on) /* the tasks after the failed one */
        (void)sim_queue_write(queue, STARS_SQ_CONTROL, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
}

void sim_queue_read_cq(twin_hw_device *device, uint32_t sq)
{
    twin_queue *queue = sim_device_queue(device, sq);
    if (!queue || !queue->open)
        return;
    uint32_t depth = sim_process.limits.cq_depth;
    uint64_t before = queue->cq_read;
    for (;; queue->cq_read++) {
        const stars_cqe *cqe = &queue->cq[queue->cq_read & (depth - 1)];
        unsigned phase = queue->cq_read / depth % 2 == 0 ? STARS_CQE_PHASE : 0;
        if ((cqe->flags & STARS_CQE_PHASE) != phase)
            break;
        handle_cqe(queue, cqe);
    }
    if (queue->cq_read != before)
        twinsim_queue_cq_head(sim_process.sim, device->index, sq,
                              (uint32_t)(queue->cq_read & (depth - 1)));
}

/* ---- the observer ---- */

/* Inside a run of the model: the model lock is held. */
static void ended(void *context, const struct twinsim_task_end *end)
{
    (void)context;
    const twin_queue *queue = sim_device_queue(sim_process.devices[end->device], end->sq);
    if (!queue || !queue->task_take)
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

twin_status sim_diag_tasks(twin_queue *queue,
                           void (*take)(void *context, const twin_task_end *task), void *context)
{
    sim_model_lock();
    pthread_mutex_lock(&queue->lock);
    queue->task_take = take;
    queue->task_context = context;
    pthread_mutex_unlock(&queue->lock);
    if (take)
        twinsim_report_tasks(sim_process.sim, ended, NULL);
    sim_model_unlock();
    return TWIN_OK;
}

uint64_t sim_diag_newest_task(twin_queue *queue)
{
    return queue->task_base + atomic_load_explicit(&queue->submitted, memory_order_relaxed);
}
