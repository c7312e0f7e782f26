/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/event.h"

#include <stdlib.h>
#include <utlist.h>

#include "device/device.h"
#include "queue/failure.h"
#include "queue/sqe.h"
#include "process/nondeterminism.h"
#include "process/pool_hooks.h"
#include "signal/ipc.h"
#include "wait/clock.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/repeated_polls.h"
#include "wait/wait.h"

uint32_t sim_event_name(const twin_signal *signal)
{
    return signal->config.name;
}

const char *sim_event_noun(const twin_signal *signal)
{
    return signal->config.kind == TWIN_SIGNAL_NOTIFY  ? "notify"
           : signal->config.kind == TWIN_SIGNAL_COUNT ? "counting notify"
                                                      : "event";
}

static bool owns_id(const twin_signal *signal)
{
    return signal->config.kind != TWIN_SIGNAL_EVENT_REBIND && !signal->remote;
}

static struct sim_ids *ids_of(twin_hw_device *device, twin_signal_kind kind)
{
    return kind == TWIN_SIGNAL_NOTIFY  ? &device->notifies
           : kind == TWIN_SIGNAL_COUNT ? &device->counts
                                       : &device->events;
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Ids that only wait for their table entry to be cleared come back here. */
static bool take_id(twin_hw_device *device, struct sim_ids *ids, uint32_t *out_id,
                    uint32_t *out_generation)
{
    uint32_t cursor = 0;
    if (sim_ids_take(ids, &cursor, out_id, out_generation))
        return true;
    sim_model_lock();
    sim_queue_reclaim_all(device, true);
    sim_ids_clean(ids, sim_process.sim, device->index);
    bool taken = sim_ids_take(ids, &cursor, out_id, out_generation);
    sim_model_unlock();
    return taken;
}

static void enlist(twin_signal *signal)
{
    twin_hw_device *device = signal->device;
    pthread_mutex_init(&signal->lock, NULL);
    atomic_init(&signal->references, 1);
    pthread_mutex_lock(&device->signals_lock);
    DL_PREPEND(device->signals, signal);
    pthread_mutex_unlock(&device->signals_lock);
}

twin_signal *sim_event_create_remote(twin_hw_device *device, const twin_signal_config *config,
                                     uint32_t hardware_id)
{
    twin_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return NULL;
    signal->device = device;
    signal->config = *config;
    signal->remote = true;
    signal->id = hardware_id;
    enlist(signal);
    return signal;
}

twin_status sim_signal_create(twin_hw_device *device, const twin_signal_config *config,
                              twin_signal **out_signal)
{
    if (config->kind == TWIN_SIGNAL_COUNT && sim_process.limits.count_notifies == 0) {
        sim_explain("%s has no counting notifies", sim_process.properties[device->index].soc_name);
        return TWIN_E_UNSUPPORTED;
    }
    twin_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return TWIN_E_NOMEM;
    signal->device = device;
    signal->config = *config;
    if (owns_id(signal) &&
        !take_id(device, ids_of(device, config->kind), &signal->id, &signal->generation)) {
        bool notify = config->kind != TWIN_SIGNAL_EVENT_LEVEL;
        sim_fail("device %u: all %u hardware %s are taken; destroy those no longer used",
                 device->index, ids_of(device, config->kind)->count,
                 notify ? "notifies" : "events");
        free(signal);
        return notify ? TWIN_E_NO_NOTIFY : TWIN_E_NO_EVENT;
    }
    enlist(signal);
    *out_signal = signal;
    return TWIN_OK;
}

void sim_event_retain(twin_signal *signal)
{
    atomic_fetch_add_explicit(&signal->references, 1, memory_order_relaxed);
}

bool sim_event_retain_live(twin_signal *signal)
{
    uint32_t count = atomic_load_explicit(&signal->references, memory_order_relaxed);
    while (count != 0)
        if (atomic_compare_exchange_weak_explicit(&signal->references, &count, count + 1,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

void sim_event_drop(twin_signal *signal)
{
    /* acq_rel: the thread that frees it sees what the others did before their release */
    if (atomic_fetch_sub_explicit(&signal->references, 1, memory_order_acq_rel) != 1)
        return;
    if (owns_id(signal))
        sim_ids_drop(ids_of(signal->device, signal->config.kind), signal->id);
    if (sim_event_shared(signal))
        sim_shared_end(sim_event_shared(signal));
    if (signal->origin)
        sim_event_drop(signal->origin); /* which has none itself */
    pthread_mutex_destroy(&signal->lock);
    free(signal);
}

void sim_signal_destroy(twin_signal *signal)
{
    twin_hw_device *device = signal->device;
    struct sim_shared *shared = sim_event_shared(signal);
    if (shared && !sim_shared_leave(shared))
        return; /* another handle of this process is the same signal */
    pthread_mutex_lock(&device->signals_lock);
    DL_DELETE(device->signals, signal);
    pthread_mutex_unlock(&device->signals_lock);
    sim_event_drop(signal);
    sim_drive_submitted(); /* a thread may wait for the id that is free now */
}

void sim_event_release(const twin_queue *queue, const struct sim_task_state *state)
{
    twin_signal *signal = state->signal;
    if (state->bound)
        sim_ids_drop(state->cross_device ? &queue->device->events : &signal->device->events,
                     state->id);
    if (state->kind == SIM_TASK_WAIT && !state->stays)
        atomic_fetch_sub_explicit(&signal->waits_open, 1, memory_order_relaxed);
    sim_event_drop(signal);
}

bool sim_event_keeps_id(const twin_queue *queue, const struct sim_task_state *state,
                        const struct sim_ids *ids, uint32_t id)
{
    if (state->kind < SIM_TASK_RECORD || state->kind > SIM_TASK_RESET)
        return false;
    const twin_signal *signal = state->signal;
    if (state->bound)
        return state->id == id &&
               ids == (state->cross_device ? &queue->device->events : &signal->device->events);
    return owns_id(signal) && signal->id == id &&
           ids == ids_of(signal->device, signal->config.kind);
}

void sim_event_stamp(const struct sim_task_state *state, uint64_t time_ns)
{
    twin_signal *signal = state->signal;
    pthread_mutex_lock(&signal->lock);
    if ((uint32_t)signal->serial == state->serial) { /* else a newer record replaced it */
        signal->timed_serial = signal->serial;
        signal->time_ns = time_ns;
    }
    pthread_mutex_unlock(&signal->lock);
}

/* ---- work ----------------------------------------------------------------------------------- */

/* Fills in the SQE of a record; the queue's lock is held and the SQE fits. */
static twin_status record_locked(twin_queue *queue, twin_signal *signal,
                                 struct sim_publication *publication)
{
    const twin_signal_config *config = &signal->config;
    bool bound = config->kind == TWIN_SIGNAL_EVENT_REBIND && config->waitable;
    uint32_t id = signal->id;
    uint32_t generation = signal->generation;
    if (bound && !sim_ids_take(&signal->device->events, &queue->id_cursor, &id, &generation)) {
        queue->id_wanted = true;
        return TWIN_E_BUSY;
    }

    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_slot_locked(queue, 0, &state);
    if (signal->origin)
        sim_cross_device_record(sqe, signal);
    else if (config->kind == TWIN_SIGNAL_NOTIFY && !signal->remote)
        sim_sqe_notify_record(sqe, id, config->timed);
    else if (bound || config->kind == TWIN_SIGNAL_EVENT_LEVEL)
        sim_sqe_event_record(sqe, id, config->timed);
    else
        sim_sqe_placeholder(sqe, config->timed);

    pthread_mutex_lock(&signal->lock);
    signal->serial++;
    signal->source = !queue->config.deferred                   ? COMPLETION_QUEUE
                     : config->kind == TWIN_SIGNAL_EVENT_LEVEL ? COMPLETION_FLAG
                                                               : COMPLETION_TIME;
    signal->bound = bound;
    if (bound) { /* else it is fixed, and read without the lock */
        signal->id = id;
        signal->generation = generation;
    }
    signal->point = (struct sim_queue_point){
        .queue = queue,
        .epoch = atomic_load_explicit(&queue->epoch, memory_order_relaxed),
        .number = queue->config.deferred
                      ? 0 /* no single moment: each run records */
                      : atomic_load_explicit(&queue->submitted, memory_order_relaxed) + 1,
    };
    uint64_t nothing = 0;
    (void)sim_nd(TWIN_ND_SET, 0, &nothing);
    if (__builtin_expect(publication != NULL, 0))
        sim_shared_publish_locked(signal, publication, &signal->point);
    sim_event_use(state, SIM_TASK_RECORD, signal, (uint32_t)signal->serial, id);
    state->bound = bound;
    state->expects_cqe = config->timed;
    pthread_mutex_unlock(&signal->lock);
    return TWIN_OK;
}

twin_status sim_work_record(twin_queue *queue, twin_signal *signal)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    if (queue->device != signal->device) {
        sim_explain("%s %u of device %u cannot be recorded on device %u", sim_event_noun(signal),
                    signal->config.name, signal->device->index, queue->device->index);
        return TWIN_E_UNSUPPORTED;
    }
    if (__builtin_expect(queue->config.deferred, 0) &&
        (sim_event_shared(signal) != NULL ||
         (signal->config.waitable && signal->config.kind == TWIN_SIGNAL_EVENT_REBIND)))
        return TWIN_E_UNSUPPORTED;
    struct sim_publication *publication = NULL;
    twin_status status = TWIN_OK;
    if (__builtin_expect(sim_event_shared(signal) != NULL, 0))
        status = sim_shared_prepare(signal, &publication);
    if (__builtin_expect(status != TWIN_OK, 0))
        return status;
    pthread_mutex_lock(&queue->lock);
    status = TWIN_E_BUSY;
    if (sim_queue_fits_locked(queue, 1))
        status = record_locked(queue, signal, publication);
    if (status == TWIN_OK)
        sim_queue_send_locked(queue, 1);
    pthread_mutex_unlock(&queue->lock);
    if (__builtin_expect(publication != NULL, 0))
        sim_shared_submitted(publication, status == TWIN_OK);
    return status;
}

/* The signal that made the newest record of this one, with a reference on it. NULL: this one
 * did. */
static twin_signal *stand_in(twin_signal *signal)
{
    return __builtin_expect(sim_event_shared(signal) != NULL, 0) ? sim_shared_maker(signal) : NULL;
}

/* Locks the signal to look which record is its newest. Returns the twin_newest of the recording in
 * a replay. */
static inline uint64_t lock_newest(twin_signal *signal)
{
    uint64_t then = TWIN_NEWEST_UNKNOWN;
    (void)sim_nd_then(TWIN_ND_SIGNAL, 0, &then);
    pthread_mutex_lock(&signal->lock);
    return then;
}

/* It has seen that. */
static inline bool saw_newest(const twin_signal *signal, uint64_t then)
{
    bool timed = signal->source != COMPLETION_NONE && signal->timed_serial == signal->serial;
    if (__builtin_expect(!sim_nd_logged(), 1))
        return timed;
    sim_nd_found(TWIN_ND_SIGNAL, 0, timed ? TWIN_NEWEST_TIMED : TWIN_NEWEST_UNTIMED);
    return timed && then != TWIN_NEWEST_UNTIMED;
}

/* A record had been released when a wait was to hold on to it. */
static bool had_gone(struct sim_ids *ids, uint32_t id, uint32_t generation)
{
    uint64_t then = id;
    if (sim_nd_then(TWIN_ND_GONE, 0, &then))
        return true;
    if (sim_ids_retain(ids, id, generation))
        return false;
    sim_nd_found(TWIN_ND_GONE, 0, id);
    return true;
}

twin_status sim_event_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    if (__builtin_expect(sim_event_shared(signal) != NULL, 0)) {
        bool done = false;
        sim_shared_look(signal);
        twin_status status = sim_shared_wait(queue, signal, timeout_ns, &done);
        if (done)
            return status;
    }
    bool rebind = signal->config.kind == TWIN_SIGNAL_EVENT_REBIND;
    (void)saw_newest(signal, lock_newest(signal));
    bool recorded = signal->source != COMPLETION_NONE;
    bool bound = signal->bound;
    uint32_t id = signal->id;
    uint32_t generation = signal->generation;
    uint32_t serial = (uint32_t)signal->serial;
    struct sim_queue_point point = signal->point;
    pthread_mutex_unlock(&signal->lock);
    /* The work a REBIND wait binds to is known: nothing to queue when it is done already. */
    if (rebind && (!recorded || sim_point_completion_cached(&point) != SIM_PENDING))
        return TWIN_OK;
    if (queue->device != signal->device && rebind && bound)
        return sim_cross_device_wait(queue, signal, id, &point, serial, timeout_ns);
    if (queue->device != signal->device || (rebind && !bound)) {
        sim_explain("device %u, stream %u cannot wait for %s %u of device %u%s",
                    queue->device->index, queue->config.id, sim_event_noun(signal),
                    signal->config.name, signal->device->index,
                    bound || !rebind ? "" : ", which was made without ACL_EVENT_SYNC");
        return TWIN_E_UNSUPPORTED;
    }

    pthread_mutex_lock(&queue->lock);
    if (!sim_queue_fits_locked(queue, 1)) {
        pthread_mutex_unlock(&queue->lock);
        return TWIN_E_BUSY;
    }
    if (rebind && had_gone(&signal->device->events, id, generation)) {
        pthread_mutex_unlock(&queue->lock); /* the record has retired meanwhile */
        return TWIN_OK;
    }
    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_slot_locked(queue, 0, &state);
    if (signal->config.kind == TWIN_SIGNAL_NOTIFY)
        sim_sqe_notify_wait(sqe, id, timeout_ns);
    else
        sim_sqe_event_wait(sqe, id, timeout_ns);
    if (!queue->config.deferred)
        atomic_fetch_add_explicit(&signal->waits_open, 1, memory_order_relaxed);
    sim_event_use(state, SIM_TASK_WAIT, signal, serial, id);
    state->bound = rebind;
    state->stays = queue->config.deferred;
    sim_queue_send_locked(queue, 1);
    pthread_mutex_unlock(&queue->lock);
    return TWIN_OK;
}

twin_status sim_work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    if (__builtin_expect(queue->config.deferred, 0) &&
        (sim_event_shared(signal) != NULL || signal->config.kind == TWIN_SIGNAL_EVENT_REBIND))
        return TWIN_E_UNSUPPORTED;
    twin_signal *maker = stand_in(signal);
    twin_status status = sim_event_wait(queue, maker ? maker : signal, timeout_ns);
    if (__builtin_expect(atomic_load_explicit(&sim_pool_followers, memory_order_relaxed) != 0, 0) &&
        status == TWIN_OK)
        sim_pool_waited(queue, maker ? maker : signal);
    if (maker)
        sim_event_drop(maker);
    return status;
}

twin_status sim_work_reset(twin_queue *queue, twin_signal *signal)
{
    twin_status refusal = sim_queue_refusal(queue);
    if (refusal != TWIN_OK)
        return refusal;
    if (signal->config.kind != TWIN_SIGNAL_EVENT_LEVEL || queue->device != signal->device)
        return TWIN_E_UNSUPPORTED;
    struct sim_task_state *state;
    stars_sqe *sqe = sim_queue_begin(queue, &state);
    if (!sqe)
        return TWIN_E_BUSY;
    sim_sqe_event_reset(sqe, signal->id);
    sim_event_use(state, SIM_TASK_RESET, signal, 0, signal->id);
    sim_queue_commit(queue);
    return TWIN_OK;
}

/* ---- host side ------------------------------------------------------------------------------ */

struct snapshot {
    enum completion_source source;
    bool timed; /* time_ns is that of the newest record */
    bool bound;
    uint32_t id;
    uint32_t generation;
    uint64_t time_ns;
    uint64_t elsewhere; /* the newest record is that one of another process or device */
    struct sim_queue_point point;
};

__attribute__((always_inline)) static inline struct snapshot look(twin_signal *signal)
{
    if (__builtin_expect(sim_event_shared(signal) != NULL, 0))
        sim_shared_look(signal);
    uint64_t then = lock_newest(signal);
    struct snapshot snapshot = {
        .source = signal->source,
        .timed = saw_newest(signal, then),
        .bound = signal->bound,
        .id = signal->id,
        .generation = signal->generation,
        .time_ns = signal->time_ns,
        .point = signal->point,
    };
    if (__builtin_expect(sim_event_shared(signal) != NULL, 0))
        snapshot.elsewhere = sim_shared_elsewhere_locked(signal);
    if (snapshot.elsewhere != 0)
        snapshot.source = COMPLETION_SHARED;
    pthread_mutex_unlock(&signal->lock);
    return snapshot;
}

static bool flag_is_set(const twin_signal *signal)
{
    uint32_t entry = 0;
    sim_model_lock();
    (void)twinsim_read(sim_process.sim, signal->device->index, STARS_EVENT_ENTRY(signal->id),
                       &entry);
    sim_model_unlock();
    return (entry & 1u) != 0;
}

static enum sim_completion completion_cached(const twin_signal *signal, const struct snapshot *now)
{
    switch (now->source) {
    case COMPLETION_NONE:
        break;
    case COMPLETION_QUEUE:
        return sim_point_completion_cached(&now->point);
    case COMPLETION_FLAG:
        return flag_is_set(signal) ? SIM_DONE : SIM_PENDING;
    case COMPLETION_TIME:
        return now->timed ? SIM_DONE : SIM_PENDING;
    case COMPLETION_SHARED:
        return sim_shared_completion(signal, now->elsewhere);
    }
    return SIM_DONE;
}

/* The same, and never stale: other threads may keep the model running. */
static enum sim_completion completion_exact(const twin_signal *signal, const struct snapshot *now)
{
    return now->source == COMPLETION_QUEUE ? sim_point_completion_exact(&now->point)
                                           : completion_cached(signal, now);
}

/* Why the newest record was dropped. */
static twin_status reason_of(const struct snapshot *now)
{
    return now->source == COMPLETION_SHARED ? TWIN_E_ABORTED : sim_point_reason(&now->point);
}

/* The result of a wait for a record that was dropped. */
static twin_status dropped(const twin_signal *signal, const struct snapshot *now)
{
    twin_status reason = reason_of(now);
    if (sim_failure_is(reason))
        sim_explain("the record of %s %u was dropped when a task of its context failed",
                    sim_event_noun(signal), signal->config.name);
    return reason;
}

/* Waits end when a thread looks at the task states of their queues. */
static uint32_t waits_open(const twin_signal *signal)
{
    uint64_t waits = atomic_load_explicit(&signal->waits_open, memory_order_relaxed);
    if (sim_replaying())
        waits = 0; /* only other numbers are in the log */
    if (waits != 0 || sim_replaying())
        (void)sim_nd(TWIN_ND_WAITS, 0, &waits);
    return (uint32_t)waits;
}

static void query(twin_signal *signal, twin_signal_state *out_state)
{
    struct snapshot now = look(signal);
    enum sim_completion completion = completion_cached(signal, &now);
    uint32_t waits = waits_open(signal);
    if (completion == SIM_PENDING || waits != 0) {
        sim_drive_poll();
        if (waits != 0) {
            for (uint32_t i = 0; i < sim_process.device_count; i++)
                if (sim_process.devices[i])
                    sim_queue_reclaim_all(sim_process.devices[i], false);
            waits = waits_open(signal);
        }
        if (completion == SIM_PENDING)
            completion = completion_exact(signal, &now);
        if (completion == SIM_PENDING && sim_poll_repeated(signal, &now.point, true))
            completion = completion_exact(signal, &now);
        else if (completion != SIM_PENDING && waits != 0 &&
                 sim_poll_repeated(signal, &now.point, false))
            waits = waits_open(signal);
    }
    bool complete =
        completion == SIM_DONE || (completion == SIM_DROPPED && sim_failure_is(reason_of(&now)));
    if (complete)
        sim_clock_catch_up();
    *out_state = (twin_signal_state){
        .recorded = now.source != COMPLETION_NONE,
        .complete = complete,
        .waits_open = waits,
        .hardware_id = now.id,
        .has_hardware_id = signal->config.kind != TWIN_SIGNAL_EVENT_REBIND ||
                           (now.bound && completion == SIM_PENDING),
    };
}

twin_status sim_signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    twin_signal *maker = stand_in(signal);
    query(maker ? maker : signal, out_state);
    if (maker)
        sim_event_drop(maker);
    return TWIN_OK;
}

static twin_status host_wait(twin_signal *signal, uint64_t timeout_ns)
{
    struct snapshot now = look(signal);
    if (now.source == COMPLETION_NONE)
        return TWIN_OK;
    switch (completion_cached(signal, &now)) {
    case SIM_DONE:
        return TWIN_OK;
    case SIM_DROPPED:
        return dropped(signal, &now);
    case SIM_PENDING:
        break;
    }
    if (__builtin_expect(now.source == COMPLETION_SHARED, 0)) {
        struct sim_wait other = {
            .kind = SIM_WAIT_SHARED,
            .wake = SIM_WAKE_EVENT,
            .timeout_ns = timeout_ns,
            .shared = signal,
            .number = now.elsewhere,
        };
        return sim_drive_wait(&other);
    }
    struct sim_wait wait = {
        .kind = SIM_WAIT_QUEUE_POINT,
        .wake = now.point.queue->config.fast_sync ? SIM_WAKE_POLL : SIM_WAKE_EVENT,
        .timeout_ns = timeout_ns,
        .point = now.point,
    };
    twin_status status = sim_drive_wait(&wait);
    if (status == TWIN_OK)
        sim_queue_release_memory(now.point.queue);
    return sim_failure_is(status) ? dropped(signal, &now) : status;
}

twin_status sim_signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    twin_signal *maker = stand_in(signal);
    twin_status status = host_wait(maker ? maker : signal, timeout_ns);
    if (maker)
        sim_event_drop(maker);
    return status;
}

twin_status sim_signal_timestamp(twin_signal *signal, uint64_t *out_ns)
{
    struct snapshot now = look(signal);
    if (now.source == COMPLETION_NONE)
        return TWIN_E_NEVER_RECORDED;
    if (!now.timed) {
        sim_drive_poll();
        now = look(signal);
        if (!now.timed && sim_poll_repeated(signal, &now.point, true))
            now = look(signal);
    }
    if (!now.timed)
        return TWIN_E_NOT_READY;
    *out_ns = now.time_ns;
    return TWIN_OK;
}

twin_status sim_signal_available(twin_hw_device *device, twin_signal_kind kind, uint32_t *out_count)
{
    struct sim_ids *ids = ids_of(device, kind);
    sim_model_lock();
    sim_queue_reclaim_all(device, true);
    sim_ids_clean(ids, sim_process.sim, device->index);
    uint64_t left = atomic_load_explicit(&ids->free_count, memory_order_relaxed);
    (void)sim_nd(TWIN_ND_LEFT, 0, &left);
    *out_count = (uint32_t)left;
    sim_model_unlock();
    return TWIN_OK;
}
