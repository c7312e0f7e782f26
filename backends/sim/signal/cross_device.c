/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/event.h"

#include "device/device.h"
#include "queue/sqe.h"
#include "wait/model_lock.h"

void sim_cross_device_record(stars_sqe *sqe, const twin_signal *signal)
{
    const twin_signal *origin = signal->origin;
    sim_sqe_remote_record(sqe,
                          STARS_PEER(origin->device->index) +
                              sim_ids_entry(&origin->device->notifies, origin->id),
                          sim_devices_linked());
}

/* The entry that the record on the other device sets. The record must be pending. Model and queue
 * are locked. */
static twin_status wait_locked(twin_queue *queue, twin_signal *signal, uint32_t event,
                               uint32_t serial, uint64_t timeout_ns)
{
    uint32_t id;
    uint32_t generation;
    if (!sim_queue_fits_locked(queue, 1))
        return TWIN_E_BUSY;
    if (!sim_ids_take(&queue->device->events, &queue->id_cursor, &id, &generation)) {
        queue->id_wanted = true;
        return TWIN_E_BUSY;
    }
    if (twinsim_event_forward(sim_process.sim, signal->device->index, event, queue->device->index,
                              id) != TWINSIM_OK) {
        sim_ids_drop(&queue->device->events, id);
        return TWIN_E_NOMEM;
    }
    struct sim_task_state *state;
    sim_sqe_event_wait(sim_queue_slot_locked(queue, 0, &state), id, timeout_ns);
    atomic_fetch_add_explicit(&signal->waits_open, 1, memory_order_relaxed);
    sim_event_use(state, SIM_TASK_WAIT, signal, serial, id);
    state->bound = 1;
    state->cross_device = 1;
    sim_queue_send_locked(queue, 1);
    return TWIN_OK;
}

twin_status sim_cross_device_wait(twin_queue *queue, twin_signal *signal, uint32_t event,
                                  const struct sim_queue_point *point, uint32_t serial,
                                  uint64_t timeout_ns)
{
    twin_status status = TWIN_OK;
    sim_model_lock();
    if (sim_point_completion_locked(point) == SIM_PENDING) {
        pthread_mutex_lock(&queue->lock);
        status = wait_locked(queue, signal, event, serial, timeout_ns);
        pthread_mutex_unlock(&queue->lock);
    }
    sim_model_unlock();
    return status;
}
