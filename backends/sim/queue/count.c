/* SPDX-License-Identifier: Apache-2.0 */
/* Work on counting notifies. */
#include "queue/queue.h"
#include "queue/sqe.h"
#include "signal/event.h"

/* The next SQE for the signal, as sim_queue_begin(), with its task state of that kind. */
static stars_sqe *begin(twin_queue *queue, twin_signal *signal, enum sim_task_kind kind)
{
    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_begin(queue, &state);
    if (!sqe)
        return NULL;
    sim_event_retain(signal);
    *state = (struct sim_task_state){
        .thread = state->thread,
        .signal = signal,
        .id = (uint16_t)signal->id,
        .kind = kind & 0xf,
        .stays = queue->config.deferred,
    };
    return sqe;
}

static twin_status check(twin_queue *queue, const twin_signal *signal)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    return signal->config.kind == TWIN_SIGNAL_COUNT && queue->device == signal->device
               ? TWIN_OK
               : TWIN_E_UNSUPPORTED;
}

twin_status sim_work_count(twin_queue *queue, twin_signal *signal, const twin_count_change *change)
{
    static const uint32_t modes[] = {[TWIN_COUNT_SET] = STARS_COUNT_SET,
                                     [TWIN_COUNT_ADD] = STARS_COUNT_ADD,
                                     [TWIN_COUNT_OR] = STARS_COUNT_OR,
                                     [TWIN_COUNT_AND] = STARS_COUNT_AND};
    twin_status status = check(queue, signal);
    if (status != TWIN_OK)
        return status;
    stars_sqe *sqe = begin(queue, signal, SIM_TASK_RECORD);
    if (!sqe)
        return TWIN_E_BUSY;
    sim_sqe_count_record(sqe, signal->id, modes[change->mode], change->value);
    sim_queue_commit(queue);
    return TWIN_OK;
}

twin_status sim_work_wait_count(twin_queue *queue, twin_signal *signal, const twin_count_wait *wait)
{
    static const uint32_t relations[] = {[TWIN_COUNT_LESS] = STARS_COUNT_LESS,
                                         [TWIN_COUNT_EQUAL] = STARS_COUNT_EQUAL,
                                         [TWIN_COUNT_GREATER] = STARS_COUNT_GREATER,
                                         [TWIN_COUNT_GREATER_OR_EQUAL] =
                                             STARS_COUNT_GREATER_OR_EQUAL,
                                         [TWIN_COUNT_MASK] = STARS_COUNT_MASK};
    twin_status status = check(queue, signal);
    if (status != TWIN_OK)
        return status;
    stars_sqe *sqe = begin(queue, signal, SIM_TASK_WAIT);
    if (!sqe)
        return TWIN_E_BUSY;
    if (!queue->config.deferred)
        atomic_fetch_add_explicit(&signal->waits_open, 1, memory_order_relaxed);
    sim_sqe_count_wait(sqe, signal->id, relations[wait->relation], wait->value, wait->clear,
                       wait->timeout_ns);
    sim_queue_commit(queue);
    return TWIN_OK;
}
