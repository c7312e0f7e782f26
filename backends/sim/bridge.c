/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge.h"

#include <stdlib.h>

#include "device.h"
#include "drive.h"
#include "sqe.h"

struct bridge {
    struct bridge *next;
    struct sim_mark from;
    twin_hw_device *to;
    uint32_t id; /* in the event table of `to` */
    uint32_t generation;
};

/* Guarded by the model lock. */
static struct bridge *first;

static void remove_at(struct bridge **link)
{
    struct bridge *gone = *link;
    *link = gone->next;
    free(gone);
}

bool sim_bridge_settle(void)
{
    bool any = false;
    for (struct bridge **link = &first; *link;) {
        const struct bridge *bridge = *link;
        enum sim_fate fate = sim_mark_fate_locked(&bridge->from);
        bool held = sim_ids_held(&bridge->to->events, bridge->id, bridge->generation);
        if (fate == SIM_PENDING && held) {
            link = &(*link)->next;
            continue;
        }
        if (fate == SIM_DONE && held) {
            (void)twinsim_write(sim_process.board, bridge->to->index,
                                STARS_EVENT_TABLE_BASE + 4ull * bridge->id, 1);
            any = true;
        }
        remove_at(link);
    }
    return any;
}

uint64_t sim_bridge_next(const twin_queue *queue)
{
    uint64_t nearest = 0;
    uint32_t epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed);
    for (const struct bridge *bridge = first; bridge; bridge = bridge->next)
        if (bridge->from.queue == queue && bridge->from.epoch == epoch &&
            (nearest == 0 || bridge->from.number < nearest))
            nearest = bridge->from.number;
    return nearest;
}

void sim_bridge_forget(const twin_hw_device *device)
{
    for (struct bridge **link = &first; *link;)
        if ((*link)->to == device || (*link)->from.queue->device == device)
            remove_at(link);
        else
            link = &(*link)->next;
}

/* Model and queue are locked. */
static twin_status wait_locked(twin_queue *queue, twin_signal *signal, uint32_t serial,
                               uint64_t timeout_ns, struct bridge *bridge)
{
    if (!sim_queue_fits_locked(queue, 1))
        return TWIN_E_BUSY;
    if (!sim_ids_take(&queue->device->events, &queue->id_cursor, &bridge->id,
                      &bridge->generation)) {
        queue->id_wanted = true;
        return TWIN_E_BUSY;
    }
    struct sim_token *token;
    sim_sqe_event_wait(sim_queue_slot_locked(queue, 0, &token), bridge->id, timeout_ns);
    sim_event_hold(signal);
    atomic_fetch_add_explicit(&signal->waits_open, 1, memory_order_relaxed);
    *token = (struct sim_token){
        .thread = token->thread,
        .signal = signal,
        .serial = serial,
        .id = (uint16_t)bridge->id,
        .kind = SIM_TOKEN_WAIT,
        .bound = 1,
        .bridged = 1,
    };
    sim_queue_send_locked(queue, 1);
    return TWIN_OK;
}

twin_status sim_bridge_wait(twin_queue *queue, twin_signal *signal, const struct sim_mark *mark,
                            uint32_t serial, uint64_t timeout_ns)
{
    struct bridge *bridge = malloc(sizeof(*bridge));
    if (!bridge)
        return TWIN_E_NOMEM;
    *bridge = (struct bridge){.from = *mark, .to = queue->device};
    twin_status status = TWIN_OK;
    sim_model_lock();
    if (sim_mark_fate_locked(mark) == SIM_PENDING) {
        pthread_mutex_lock(&queue->lock);
        status = wait_locked(queue, signal, serial, timeout_ns, bridge);
        pthread_mutex_unlock(&queue->lock);
        if (status == TWIN_OK) {
            bridge->next = first;
            first = bridge;
            bridge = NULL;
            sim_drive_watch_locked(mark->queue);
        }
    }
    sim_model_unlock();
    free(bridge);
    return status;
}
