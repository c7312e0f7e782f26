/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies, see twin_signal_kind for what the kinds mean.
 *
 * A signal exists while its user or a task state of a queue retains it. A REBIND record takes one
 * hardware id; the id's binding counts that record and the waits bound to it. LEVEL and NOTIFY own
 * one id for life. */
#ifndef TWINRT_SIM_SIGNAL_EVENT_H
#define TWINRT_SIM_SIGNAL_EVENT_H

#include "queue/queue.h"
#include "queue/ring_users.h"

struct sim_shared;

/* The source of whether the newest record is complete; decided when it is recorded. */
enum completion_source {
    COMPLETION_NONE,  /* there is no record, which counts as complete */
    COMPLETION_QUEUE, /* its queue point */
    /* Of a model instance, whose runs record anew, the record has no point: */
    COMPLETION_FLAG,  /* LEVEL: the flag in the event table */
    COMPLETION_TIME,  /* the others: the time of the record */
    COMPLETION_SHARED /* made elsewhere: the shared file (only in answers, never in a signal) */
};

struct twin_signal {
    pthread_mutex_t lock; /* last but signals_lock */
    twin_hw_device *device;
    twin_signal_config config;
    atomic_uint references;
    atomic_uint waits_open;
    bool remote; /* opened by name: NOTIFY then has no id of this device. Fixed. */
    /* NOTIFY, opened by name: the one that another device of this process made, a reference on it.
     * Else NULL. Fixed. */
    twin_signal *origin;
    /* NULL: other processes do not know it. Set once, under lock. */
    _Atomic(struct sim_shared *) shared;
    uint32_t id; /* LEVEL, NOTIFY: for life. REBIND: of the newest record when `bound`. Guarded by
               lock. */
    uint32_t generation; /* of the id */
    /* The newest record. Guarded by lock. */
    enum completion_source source;
    bool bound;
    uint64_t serial; /* counts records */
    struct sim_queue_point point;
    uint64_t timed_serial; /* the record that time_ns belongs to */
    uint64_t time_ns;
    /* List of the device, guarded by its signals_lock. */
    twin_signal *next, *prev;
};

/* ---- between devices of this process (cross_device.c), which the model carries in its own time
 * (RMT); thread: any ---- */

/* The SQE of a record of a notify that another device has made: a store into that one's table. */
void sim_cross_device_record(stars_sqe *sqe, const twin_signal *signal);
/* Waits for the record at `point`, of another device, which sets `event` there. A queue waits in
 * its own device's table alone: the wait takes an entry there, and the record is forwarded to it
 * (T-RMT-6). Both entries are cleared when they are freed, which ends what was not forwarded: the
 * record was dropped, or the wait. */
twin_status sim_cross_device_wait(twin_queue *queue, twin_signal *signal, uint32_t event,
                                  const struct sim_queue_point *point, uint32_t serial,
                                  uint64_t timeout_ns);

/* work.wait, for a signal whose newest record it made itself. Thread: queue. */
twin_status sim_event_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns);

/* ---- for ipc.c ---- */

/* A signal for one made elsewhere; `hardware_id` is that of a NOTIFY there. NULL: out of memory. */
twin_signal *sim_event_create_remote(twin_hw_device *device, const twin_signal_config *config,
                                     uint32_t hardware_id);
static inline struct sim_shared *sim_event_shared(const twin_signal *signal)
{
    return atomic_load_explicit(&signal->shared, memory_order_acquire);
}
void sim_event_retain(twin_signal *signal);
/* False: the last reference has gone. */
bool sim_event_retain_live(twin_signal *signal);
void sim_event_drop(twin_signal *signal);

/* Writes the state of a task that uses the signal, and retains it for the task. */
static inline void sim_event_use(struct sim_task_state *state, enum sim_task_kind kind,
                                 twin_signal *signal, uint32_t serial, uint32_t id)
{
    sim_event_retain(signal);
    *state = (struct sim_task_state){.thread = state->thread,
                                     .signal = signal,
                                     .serial = serial,
                                     .id = (uint16_t)id,
                                     .kind = kind & 0xf};
}

#endif
