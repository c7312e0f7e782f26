/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, signals, host-call queues: what replaces the numbers of the recording. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/state.h"

#define PIDS_MOST 65536u

/* ---- numbers ---- */

struct replay_object *replay_object_quiet(struct replay *replay, enum twin_record_role role,
                                          uint32_t number)
{
    const struct twin_recording_object *object =
        twin_recording_object(replay->recording, role, number);
    return object ? &replay->objects[object - twin_recording_object_at(replay->recording, 0)]
                  : NULL;
}

struct replay_object *replay_object(struct replay_call *call, enum twin_record_role role,
                                    uint32_t number)
{
    struct replay_object *object = replay_object_quiet(call->replay, role, number);
    if (object && object->handle)
        return object;
    (void)replay_leave_out(call, "%s %u is not there", twin_recording_role_name(role), number);
    return NULL;
}

struct replay_object *replay_made(struct replay_call *call, enum twin_record_role role,
                                  uint32_t number, void *handle)
{
    struct replay *replay = call->replay;
    struct replay_object *object =
        call->succeeded ? replay_object_quiet(replay, role, number) : NULL;
    if (!object || object->handle)
        return NULL;
    *object = (struct replay_object){.handle = handle,
                                     .device = call->then.QUEUE_CREATE.device,
                                     .number = number,
                                     .replay = replay};
    replay->children[object->device]++;
    return object;
}

void replay_forget_object(struct replay_object *object)
{
    object->handle = NULL;
    object->replay->children[object->device]--;
}

/* ---- queues ---- */

/* The priority as recorded, or the lowest that the device has. */
static uint32_t priority_on(const struct replay_call *call, uint32_t device, uint32_t recorded)
{
    const twin_device_properties *properties = NULL;
    if (call->ops->process.describe(device, &properties) != TWIN_OK ||
        recorded < properties->priority_count)
        return recorded;
    return properties->priority_count > 0 ? properties->priority_count - 1 : 0;
}

static twin_status queue_create(struct replay_call *call)
{
    const struct twin_record_QUEUE_CREATE *f = &call->then.QUEUE_CREATE;
    const twin_queue_config config = {.id = f->stream,
                                      .priority = priority_on(call, f->device, f->priority),
                                      .fast_launch = f->fast_launch != 0,
                                      .fast_sync = f->fast_sync != 0,
                                      .deferred = f->deferred != 0,
                                      .is_default = f->is_default != 0,
                                      .group = f->group};
    twin_queue *queue = NULL;
    twin_status status = call->ops->queue.create(call->device, &config, &queue);
    if (status != TWIN_OK)
        return status;
    struct replay_object *object = replay_made(call, TWIN_RECORD_ROLE_QUEUE, f->out_queue, queue);
    if (object) {
        object->deferred = config.deferred;
        replay_tasks_observe(object);
    } else {
        call->ops->queue.destroy(queue);
    }
    return status;
}

/* The core never destroys a queue that has work or belongs to a model instance; a recording may. */
static void put_to_rest(struct replay_call *call, struct replay_object *queue)
{
    bool idle = false;
    struct replay_object *instance =
        queue->bound
            ? replay_object_quiet(call->replay, TWIN_RECORD_ROLE_MODEL_INSTANCE, queue->bound)
            : NULL;
    if (instance && instance->handle)
        (void)call->ops->model_instance.unbind(instance->handle, queue->handle);
    if (call->replay->trial)
        replay_trial_rest(queue);
    if (call->replay->trial || !queue->busy || queue->deferred)
        return;
    if (call->ops->queue.query(queue->handle, &idle) != TWIN_OK || !idle)
        (void)call->ops->queue.abort(queue->handle);
}

static twin_status queue_destroy(struct replay_call *call)
{
    put_to_rest(call, call->object);
    call->ops->queue.destroy(call->object->handle);
    replay_trial_forget(call->object);
    replay_forget_object(call->object);
    return TWIN_OK;
}

static twin_status queue_drain(struct replay_call *call)
{
    twin_status status = call->ops->queue.drain(
        call->object->handle, replay_timeout(call, call->then.QUEUE_DRAIN.timeout_ns));
    if (status != TWIN_E_TIMEOUT && !twin_wait_given_up(status))
        call->object->busy = false;
    return status;
}

static twin_status queue_query(struct replay_call *call)
{
    bool idle = false;
    twin_status status = call->ops->queue.query(call->object->handle, &idle);
    call->now.QUEUE_QUERY.out_idle = status == TWIN_OK && idle;
    return status;
}

REPLAY_PLAIN(queue, room)
REPLAY_PLAIN(queue, stop)
REPLAY_PLAIN(queue, stop_on_failure)

static twin_status queue_abort(struct replay_call *call)
{
    call->object->busy = false;
    return call->ops->queue.abort(call->object->handle);
}

static twin_status queue_set_priority(struct replay_call *call)
{
    return call->ops->queue.set_priority(
        call->object->handle,
        priority_on(call, call->object->device, call->then.QUEUE_SET_PRIORITY.priority));
}

static twin_status queue_take_failure(struct replay_call *call)
{
    struct twin_record_QUEUE_TAKE_FAILURE *now = &call->now.QUEUE_TAKE_FAILURE;
    twin_failure failure = {0};
    twin_status status = call->ops->queue.take_failure(call->object->handle, &failure);
    if (status != TWIN_OK)
        return status;
    now->out_failure = (uint32_t)failure.status;
    now->out_task_id = failure.task_id;
    if (failure.kernel && failure.kernel->release)
        failure.kernel->release(failure.kernel);
    return status;
}

/* ---- signals ---- */

static twin_signal_config signal_config(const struct twin_record_SIGNAL_CREATE *f)
{
    return (twin_signal_config){.kind = (twin_signal_kind)f->kind,
                                .name = f->name,
                                .timed = f->timed != 0,
                                .waitable = f->waitable != 0,
                                .shared = f->shared != 0,
                                .counted = f->counted != 0};
}

static void place_signal(struct replay_call *call, const struct twin_record_SIGNAL_CREATE *f,
                         twin_signal *signal)
{
    struct replay_object *object =
        replay_made(call, TWIN_RECORD_ROLE_SIGNAL, f->out_signal, signal);
    if (!object) {
        call->ops->signal.destroy(signal);
        return;
    }
    object->kind = f->kind;
    object->waitable = f->waitable != 0 || f->kind != TWIN_SIGNAL_EVENT_REBIND;
}

static twin_status signal_create(struct replay_call *call)
{
    const struct twin_record_SIGNAL_CREATE *f = &call->then.SIGNAL_CREATE;
    const twin_signal_config config = signal_config(f);
    twin_signal *signal = NULL;
    twin_status status = call->ops->signal.create(call->device, &config, &signal);
    if (status == TWIN_OK)
        place_signal(call, f, signal);
    return status;
}

/* The name under which a signal is shared here; NULL: it is not. */
static const char *shared_name(const struct replay *replay, uint64_t hash)
{
    for (size_t i = 0; i < replay->names.count; i++)
        if (replay->names.items[i].hash == hash)
            return replay->names.items[i].name;
    return NULL;
}

static twin_status signal_open(struct replay_call *call)
{
    struct twin_record_SIGNAL_CREATE f; /* begins alike */
    memcpy(&f, &call->then, sizeof(f));
    const char *name = shared_name(call->replay, call->then.SIGNAL_OPEN.name_hash);
    twin_signal *signal = NULL;
    if (!name && !call->succeeded) {
        call->skipped = true;
        return TWIN_OK;
    }
    if (!name && !call->replay->report.same)
        return replay_leave_out(call, "another process has shared it");
    if (!name) /* what that process recorded is in the recording */
        name = "";
    const twin_signal_config config = signal_config(&f);
    twin_status status = call->ops->signal.open(call->device, name, &config, &signal);
    if (status == TWIN_OK)
        place_signal(call, &f, signal);
    return status;
}

static twin_status signal_share(struct replay_call *call)
{
    const struct twin_record_SIGNAL_SHARE *f = &call->then.SIGNAL_SHARE;
    struct replay_name name = {.hash = f->out_name_hash};
    twin_status status =
        call->ops->signal.share(call->object->handle, f->check_pid != 0, name.name);
    if (status == TWIN_OK && call->succeeded && !shared_name(call->replay, name.hash))
        (void)LIST_ADD(&call->replay->names, name);
    return status;
}

static twin_status signal_allow(struct replay_call *call)
{
    struct twin_record_PROCESS_START start;
    size_t bytes = 0;
    const int32_t *recorded = twin_recording_tail(call->entry, &bytes);
    size_t count = bytes / sizeof(*recorded);
    int32_t *pids = count <= PIDS_MOST ? malloc((count + 1) * sizeof(*pids)) : NULL;
    if (!pids)
        return replay_leave_out(call, "it allows %zu processes", count);
    twin_recording_fields(twin_recording_at(call->replay->recording, call->replay->start), &start,
                          sizeof(start));
    for (size_t i = 0; i < count; i++)
        pids[i] = recorded[i] == (int32_t)start.process ? (int32_t)getpid() : recorded[i];
    twin_status status = call->ops->signal.allow(call->object->handle, pids, count);
    free(pids);
    return status;
}

static twin_status signal_destroy(struct replay_call *call)
{
    call->ops->signal.destroy(call->object->handle);
    replay_forget_object(call->object);
    return TWIN_OK;
}

static twin_status signal_query(struct replay_call *call)
{
    struct twin_record_SIGNAL_QUERY *now = &call->now.SIGNAL_QUERY;
    twin_signal_state state = {.ask = now->ask};
    twin_status status = call->ops->signal.query(call->object->handle, &state);
    if (status != TWIN_OK)
        return status;
    now->out_recorded = state.recorded;
    now->out_complete = state.complete;
    if (now->ask & TWIN_ASK_WAITS)
        now->out_waits_open = state.waits_open;
    if (now->ask & TWIN_ASK_HARDWARE_ID) {
        now->out_has_hardware_id = state.has_hardware_id;
        now->out_hardware_id = state.has_hardware_id ? state.hardware_id : 0;
    }
    return status;
}

/* Whether the records of a signal have times and the host can wait for them; else the call is left
 * out. */
static bool is_event(struct replay_call *call, const struct replay_object *signal)
{
    if (signal->kind == TWIN_SIGNAL_EVENT_REBIND || signal->kind == TWIN_SIGNAL_EVENT_LEVEL)
        return true;
    (void)replay_leave_out(call, "signal %u is not an event", signal->number);
    return false;
}

static twin_status signal_wait(struct replay_call *call)
{
    const uint64_t timeout_ns = replay_timeout(call, call->then.SIGNAL_WAIT.timeout_ns);
    return is_event(call, call->object) ? call->ops->signal.wait(call->object->handle, timeout_ns)
                                        : TWIN_OK;
}

static twin_status signal_timestamp(struct replay_call *call)
{
    uint64_t *time_ns = &call->now.SIGNAL_TIMESTAMP.out_time_ns;
    return is_event(call, call->object) ? call->ops->signal.timestamp(call->object->handle, time_ns)
                                        : TWIN_OK;
}

static twin_status signal_elapsed(struct replay_call *call)
{
    const struct replay_object *end = NULL;
    double length = 0;
    if (is_event(call, call->object))
        end = replay_object(call, TWIN_RECORD_ROLE_SIGNAL, call->then.SIGNAL_ELAPSED.end);
    if (!end || !is_event(call, end))
        return TWIN_OK;
    twin_status status = call->ops->signal.elapsed(call->object->handle, end->handle, &length);
    if (status == TWIN_OK)
        memcpy(&call->now.SIGNAL_ELAPSED.out_length_ns, &length, sizeof(length));
    return status;
}

static twin_status signal_available(struct replay_call *call)
{
    return call->ops->signal.available(call->device,
                                       (twin_signal_kind)call->then.SIGNAL_AVAILABLE.kind,
                                       &call->now.SIGNAL_AVAILABLE.out_count);
}

static twin_status signal_clear(struct replay_call *call)
{
    if (call->object->kind != TWIN_SIGNAL_NOTIFY)
        return replay_leave_out(call, "signal %u is not a notify", call->object->number);
    return call->ops->signal.clear(call->object->handle);
}

/* ---- host-call queues ---- */

static twin_status call_queue_create(struct replay_call *call)
{
    const struct twin_record_CALL_QUEUE_CREATE *f = &call->then.CALL_QUEUE_CREATE;
    twin_call_queue *call_queue = NULL;
    /* the thread that serves host calls never ends a wait by itself; in a trial waits must end */
    bool service = f->service != 0 && !call->replay->trial;
    twin_status status = call->ops->call_queue.create(call->device, service, &call_queue);
    if (status == TWIN_OK &&
        !replay_made(call, TWIN_RECORD_ROLE_CALL_QUEUE, f->out_call_queue, call_queue))
        call->ops->call_queue.destroy(call_queue);
    return status;
}

static twin_status call_queue_destroy(struct replay_call *call)
{
    struct replay *replay = call->replay;
    for (size_t i = 0; i < replay->tickets.count;) {
        if (replay->tickets.items[i].call_queue != call->object->number) {
            i++;
            continue;
        }
        /* the core answers what it has taken before */
        call->ops->call_queue.answer(call->object->handle, replay->tickets.items[i].now);
        replay->tickets.items[i] = replay->tickets.items[--replay->tickets.count];
    }
    call->ops->call_queue.destroy(call->object->handle);
    replay_forget_object(call->object);
    return TWIN_OK;
}

static twin_status call_queue_take(struct replay_call *call)
{
    struct replay *replay = call->replay;
    struct twin_record_CALL_QUEUE_TAKE *now = &call->now.CALL_QUEUE_TAKE;
    twin_taken_call taken = {0};
    if (!LIST_ROOM(&replay->tickets))
        return TWIN_E_NOMEM;
    twin_status status = call->ops->call_queue.take(call->object->handle,
                                                    replay_timeout(call, now->timeout_ns), &taken);
    if (status != TWIN_OK)
        return status;
    now->out_block = taken.call.block;
    now->out_function = (uint64_t)(uintptr_t)taken.call.fn;
    now->out_argument = (uint64_t)(uintptr_t)taken.call.argument;
    if (call->succeeded)
        replay->tickets.items[replay->tickets.count++] = (struct replay_ticket){
            .call_queue = now->call_queue, .recorded = now->out_ticket, .now = taken.ticket};
    else
        call->ops->call_queue.answer(call->object->handle, taken.ticket);
    return status;
}

static twin_status call_queue_answer(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_CALL_QUEUE_ANSWER *f = &call->then.CALL_QUEUE_ANSWER;
    for (size_t i = replay->tickets.count; i > 0; i--) {
        const struct replay_ticket ticket = replay->tickets.items[i - 1];
        if (ticket.call_queue != f->call_queue || ticket.recorded != f->ticket)
            continue;
        replay->tickets.items[i - 1] = replay->tickets.items[--replay->tickets.count];
        call->ops->call_queue.answer(call->object->handle, ticket.now);
        return TWIN_OK;
    }
    return replay_leave_out(call, "no host function was taken that it could be the end of");
}

static twin_status call_queue_close(struct replay_call *call)
{
    call->ops->call_queue.close(call->object->handle);
    return TWIN_OK;
}

const replay_issue replay_object_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_QUEUE_CREATE] = queue_create,
    [TWIN_RECORD_QUEUE_DESTROY] = queue_destroy,
    [TWIN_RECORD_QUEUE_DRAIN] = queue_drain,
    [TWIN_RECORD_QUEUE_QUERY] = queue_query,
    [TWIN_RECORD_QUEUE_ROOM] = queue_room,
    [TWIN_RECORD_QUEUE_ABORT] = queue_abort,
    [TWIN_RECORD_QUEUE_STOP] = queue_stop,
    [TWIN_RECORD_QUEUE_SET_PRIORITY] = queue_set_priority,
    [TWIN_RECORD_QUEUE_STOP_ON_FAILURE] = queue_stop_on_failure,
    [TWIN_RECORD_QUEUE_TAKE_FAILURE] = queue_take_failure,
    [TWIN_RECORD_SIGNAL_CREATE] = signal_create,
    [TWIN_RECORD_SIGNAL_DESTROY] = signal_destroy,
    [TWIN_RECORD_SIGNAL_QUERY] = signal_query,
    [TWIN_RECORD_SIGNAL_WAIT] = signal_wait,
    [TWIN_RECORD_SIGNAL_TIMESTAMP] = signal_timestamp,
    [TWIN_RECORD_SIGNAL_AVAILABLE] = signal_available,
    [TWIN_RECORD_SIGNAL_CLEAR] = signal_clear,
    [TWIN_RECORD_SIGNAL_SHARE] = signal_share,
    [TWIN_RECORD_SIGNAL_ALLOW] = signal_allow,
    [TWIN_RECORD_SIGNAL_OPEN] = signal_open,
    [TWIN_RECORD_SIGNAL_ELAPSED] = signal_elapsed,
    [TWIN_RECORD_CALL_QUEUE_CREATE] = call_queue_create,
    [TWIN_RECORD_CALL_QUEUE_DESTROY] = call_queue_destroy,
    [TWIN_RECORD_CALL_QUEUE_TAKE] = call_queue_take,
    [TWIN_RECORD_CALL_QUEUE_ANSWER] = call_queue_answer,
    [TWIN_RECORD_CALL_QUEUE_CLOSE] = call_queue_close,
};
