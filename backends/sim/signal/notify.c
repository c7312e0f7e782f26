/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: clearing one, and work on those that count. */
#include "device/device.h"
#include "queue/queue.h"
#include "queue/sqe.h"
#include "signal/event.h"
#include "signal/ipc.h"
#include "wait/leader.h"
#include "wait/model_lock.h"

/* What was due by the caller's time is done first: a record that the device has passed is cleared
 * too. */
twin_status sim_signal_clear(twin_signal *signal)
{
    if (signal->config.kind != TWIN_SIGNAL_NOTIFY)
        return TWIN_E_UNSUPPORTED;
    twin_hw_device *device = signal->device;
    if (signal->remote) {
        sim_explain("notify %u was imported: only the process that created it clears it",
                    signal->config.name);
        return TWIN_E_UNSUPPORTED;
    }
    if (atomic_load_explicit(&device->faulted, memory_order_relaxed))
        return TWIN_E_DEVICE;
    sim_drive_poll();
    sim_model_lock();
    if (sim_event_shared(signal))
        sim_shared_clear(sim_event_shared(signal));
    int code = twinsim_write(sim_process.sim, device->index,
                             sim_ids_entry(&device->notifies, signal->id), 0);
    sim_model_unlock();
    if (code == TWINSIM_OK)
        return TWIN_OK;
    sim_fail("device %u: notify %u cannot be cleared", device->index, signal->config.name);
    return TWIN_E_DEVICE;
}

/* ---- counting notifies ---- */

/* The next SQE for the signal, as sim_queue_begin(), with its task state of that kind. */
static twin_status begin(twin_queue *queue, twin_signal *signal, enum sim_task_kind kind,
                         stars_sqe **out_sqe)
{
    struct sim_task_state *state;
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    if (signal->config.kind != TWIN_SIGNAL_COUNT || queue->device != signal->device)
        return TWIN_E_UNSUPPORTED;
    *out_sqe = sim_queue_begin(queue, &state);
    if (!*out_sqe)
        return TWIN_E_BUSY;
    sim_event_use(state, kind, signal, 0, signal->id);
    state->stays = queue->config.deferred;
    return TWIN_OK;
}

twin_status sim_work_count(twin_queue *queue, twin_signal *signal, const twin_count_change *change)
{
    static const uint32_t modes[] = {[TWIN_COUNT_SET] = STARS_COUNT_SET,
                                     [TWIN_COUNT_ADD] = STARS_COUNT_ADD,
                                     [TWIN_COUNT_OR] = STARS_COUNT_OR,
                                     [TWIN_COUNT_AND] = STARS_COUNT_AND};
    stars_sqe *sqe;
    twin_status status = begin(queue, signal, SIM_TASK_RECORD, &sqe);
    if (status != TWIN_OK)
        return status;
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
    stars_sqe *sqe;
    twin_status status = begin(queue, signal, SIM_TASK_WAIT, &sqe);
    if (status != TWIN_OK)
        return status;
    if (!queue->config.deferred)
        atomic_fetch_add_explicit(&signal->waits_open, 1, memory_order_relaxed);
    sim_sqe_count_wait(sqe, signal->id, relations[wait->relation], wait->value, wait->clear,
                       wait->timeout_ns);
    sim_queue_commit(queue);
    return TWIN_OK;
}
