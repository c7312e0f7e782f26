/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, signals, channels: what stands for the numbers of the record. */
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
    replay_leave_out(call, "%s %u is not there", twin_recording_role_name(role), number);
    return NULL;
}

struct replay_object *replay_object_new(struct replay_call *call, enum twin_record_role role,
                                        uint32_t number)
{
    struct replay_object *object =
        call->succeeded ? replay_object_quiet(call->replay, role, number) : NULL;
    return object && !object->handle ? object : NULL;
}

void replay_place_object(struct replay_call *call, struct replay_object *object, void *handle,
                         uint32_t device, uint32_t number)
{
    *object = (struct replay_object){
        .handle = handle, .device = device, .number = number, .replay = call->replay};
    call->replay->children[device]++;
}

void replay_forget_object(struct replay_object *object)
{
    object->handle = NULL;
    object->replay->children[object->device]--;
}

#define QUEUE(number)   replay_object(call, TWIN_RECORD_ROLE_QUEUE, (number))
#define SIGNAL(number)  replay_object(call, TWIN_RECORD_ROLE_SIGNAL, (number))
#define CHANNEL(number) replay_object(call, TWIN_RECORD_ROLE_CHANNEL, (number))

/* ---- queues ---- */

static twin_status queue_create(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_QUEUE_CREATE *f = &call->then.QUEUE_CREATE;
    twin_hw_device *device = replay_device(call, f->device);
    const twin_device_properties *properties = NULL;
    if (!device)
        return TWIN_OK;
    uint32_t priority = f->priority;
    if (replay->ops->process.describe(f->device, &properties) == TWIN_OK &&
        priority >= properties->priority_count)
        priority = properties->priority_count > 0 ? properties->priority_count - 1 : 0;
    const twin_queue_config config = {.id = f->stream,
                                      .priority = priority,
                                      .fast_launch = f->fast_launch != 0,
                                      .fast_sync = f->fast_sync != 0,
                                      .deferred = f->deferred != 0,
                                      .is_default = f->is_default != 0,
                                      .group = f->group};
    twin_queue *queue = NULL;
    twin_status status = replay->ops->queue.create(device, &config, &queue);
    if (status != TWIN_OK)
        return status;
    struct replay_object *object = replay_object_new(call, TWIN_RECORD_ROLE_QUEUE, f->out_queue);
    if (!object) {
        replay->ops->queue.destroy(queue);
        return status;
    }
    replay_place_object(call, object, queue, f->device, f->out_queue);
    object->deferred = config.deferred;
    replay_tasks_observe(object);
    return status;
}

/* The core ends no queue that works or is of a program; a record may. */
static void put_to_rest(struct replay *replay, struct replay_object *queue)
{
    bool idle = false;
    struct replay_object *program =
        queue->bound ? replay_object_quiet(replay, TWIN_RECORD_ROLE_PROGRAM, queue->bound) : NULL;
    if (program && program->handle)
        (void)replay->ops->program.unbind(program->handle, queue->handle);
    if (replay->trial)
        replay_trial_rest(queue);
    if (replay->trial || !queue->busy || queue->deferred)
        return;
    if (replay->ops->queue.query(queue->handle, &idle) != TWIN_OK || !idle)
        (void)replay->ops->queue.abort(queue->handle);
}

static twin_status queue_destroy(struct replay_call *call)
{
    struct replay_object *queue = QUEUE(call->then.QUEUE_DESTROY.queue);
    if (!queue)
        return TWIN_OK;
    put_to_rest(call->replay, queue);
    call->replay->ops->queue.destroy(queue->handle);
    replay_trial_forget(queue);
    replay_forget_object(queue);
    return TWIN_OK;
}

static twin_status queue_drain(struct replay_call *call)
{
    struct replay_object *queue = QUEUE(call->then.QUEUE_DRAIN.queue);
    if (!queue)
        return TWIN_OK;
    twin_status status = call->replay->ops->queue.drain(
        queue->handle, replay_timeout(call, call->then.QUEUE_DRAIN.timeout_ns));
    if (status != TWIN_E_TIMEOUT && !twin_wait_given_up(status))
        queue->busy = false;
    return status;
}

static twin_status queue_query(struct replay_call *call)
{
    bool idle = false;
    struct replay_object *queue = QUEUE(call->then.QUEUE_QUERY.queue);
    if (!queue)
        return TWIN_OK;
    twin_status status = call->replay->ops->queue.query(queue->handle, &idle);
    call->now.QUEUE_QUERY.out_idle = status == TWIN_OK && idle;
    return status;
}

#define PLAIN_QUEUE(op, NAME)                                                                      \
    static twin_status queue_##op(struct replay_call *call)                                        \
    {                                                                                              \
        struct replay_object *queue = QUEUE(call->then.NAME.queue);                                \
        return queue ? call->replay->ops->queue.op(queue->handle) : TWIN_OK;                       \
    }
PLAIN_QUEUE(room, QUEUE_ROOM)
PLAIN_QUEUE(stop, QUEUE_STOP)
PLAIN_QUEUE(stop_on_failure, QUEUE_STOP_ON_FAILURE)

static twin_status queue_abort(struct replay_call *call)
{
    struct replay_object *queue = QUEUE(call->then.QUEUE_ABORT.queue);
    if (!queue)
        return TWIN_OK;
    queue->busy = false;
    return call->replay->ops->queue.abort(queue->handle);
}

static twin_status queue_set_priority(struct replay_call *call)
{
    const struct twin_record_QUEUE_SET_PRIORITY *f = &call->then.QUEUE_SET_PRIORITY;
    struct replay_object *queue = QUEUE(f->queue);
    const twin_device_properties *properties = NULL;
    if (!queue)
        return TWIN_OK;
    uint32_t priority = f->priority;
    if (call->replay->ops->process.describe(queue->device, &properties) == TWIN_OK &&
        priority >= properties->priority_count)
        priority = properties->priority_count > 0 ? properties->priority_count - 1 : 0;
    return call->replay->ops->queue.set_priority(queue->handle, priority);
}

static twin_status queue_take_failure(struct replay_call *call)
{
    struct twin_record_QUEUE_TAKE_FAILURE *now = &call->now.QUEUE_TAKE_FAILURE;
    struct replay_object *queue = QUEUE(now->queue);
    twin_failure failure = {0};
    if (!queue)
        return TWIN_OK;
    twin_status status = call->replay->ops->queue.take_failure(queue->handle, &failure);
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
    struct replay_object *object = replay_object_new(call, TWIN_RECORD_ROLE_SIGNAL, f->out_signal);
    if (!object) {
        call->replay->ops->signal.destroy(signal);
        return;
    }
    replay_place_object(call, object, signal, f->device, f->out_signal);
    object->kind = f->kind;
    object->waitable = f->waitable != 0 || f->kind != TWIN_SIGNAL_EVENT_REBIND;
}

static twin_status signal_create(struct replay_call *call)
{
    const struct twin_record_SIGNAL_CREATE *f = &call->then.SIGNAL_CREATE;
    twin_hw_device *device = replay_device(call, f->device);
    twin_signal *signal = NULL;
    if (!device)
        return TWIN_OK;
    const twin_signal_config config = signal_config(f);
    twin_status status = call->replay->ops->signal.create(device, &config, &signal);
    if (status == TWIN_OK)
        place_signal(call, f, signal);
    return status;
}

static twin_status signal_open(struct replay_call *call)
{
    struct replay *replay = call->replay;
    struct twin_record_SIGNAL_CREATE f; /* begins alike */
    memcpy(&f, &call->then, sizeof(f));
    twin_hw_device *device = replay_device(call, f.device);
    twin_signal *signal = NULL;
    const char *name = NULL;
    if (!device)
        return TWIN_OK;
    for (size_t i = 0; i < replay->names.count; i++)
        if (replay->names.items[i].hash == call->then.SIGNAL_OPEN.name_hash)
            name = replay->names.items[i].name;
    if (!name) {
        replay_leave_out(call, "another process has shared it");
        return TWIN_OK;
    }
    const twin_signal_config config = signal_config(&f);
    twin_status status = replay->ops->signal.open(device, name, &config, &signal);
    if (status == TWIN_OK)
        place_signal(call, &f, signal);
    return status;
}

static twin_status signal_share(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_SIGNAL_SHARE *f = &call->then.SIGNAL_SHARE;
    struct replay_object *signal = SIGNAL(f->signal);
    char name[TWIN_SHARE_NAME];
    if (!signal)
        return TWIN_OK;
    twin_status status = replay->ops->signal.share(signal->handle, f->check_pid != 0, name);
    if (status != TWIN_OK || !call->succeeded)
        return status;
    for (size_t i = 0; i < replay->names.count; i++)
        if (replay->names.items[i].hash == f->out_name_hash)
            return status;
    if (!LIST_ROOM(&replay->names))
        return status;
    replay->names.items[replay->names.count].hash = f->out_name_hash;
    memcpy(replay->names.items[replay->names.count++].name, name, sizeof(name));
    return status;
}

static twin_status signal_allow(struct replay_call *call)
{
    struct replay_object *signal = SIGNAL(call->then.SIGNAL_ALLOW.signal);
    struct twin_record_PROCESS_START start;
    size_t bytes = 0;
    const int32_t *recorded = twin_recording_tail(call->entry, &bytes);
    size_t count = bytes / sizeof(*recorded);
    if (!signal)
        return TWIN_OK;
    int32_t *pids = count <= PIDS_MOST ? malloc((count + 1) * sizeof(*pids)) : NULL;
    if (!pids) {
        replay_leave_out(call, "it allows %zu processes", count);
        return TWIN_OK;
    }
    twin_recording_fields(twin_recording_at(call->replay->recording, call->replay->start), &start,
                          sizeof(start));
    for (size_t i = 0; i < count; i++)
        pids[i] = recorded[i] == (int32_t)start.process ? (int32_t)getpid() : recorded[i];
    twin_status status = call->replay->ops->signal.allow(signal->handle, pids, count);
    free(pids);
    return status;
}

static twin_status signal_destroy(struct replay_call *call)
{
    struct replay_object *signal = SIGNAL(call->then.SIGNAL_DESTROY.signal);
    if (!signal)
        return TWIN_OK;
    call->replay->ops->signal.destroy(signal->handle);
    replay_forget_object(signal);
    return TWIN_OK;
}

static twin_status signal_query(struct replay_call *call)
{
    struct twin_record_SIGNAL_QUERY *now = &call->now.SIGNAL_QUERY;
    struct replay_object *signal = SIGNAL(now->signal);
    twin_signal_state state = {.ask = now->ask};
    if (!signal)
        return TWIN_OK;
    twin_status status = call->replay->ops->signal.query(signal->handle, &state);
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

/* A signal whose records have times, which the host waits for. */
static struct replay_object *event_of(struct replay_call *call, uint32_t number)
{
    struct replay_object *signal = SIGNAL(number);
    if (!signal || signal->kind == TWIN_SIGNAL_EVENT_REBIND ||
        signal->kind == TWIN_SIGNAL_EVENT_LEVEL)
        return signal;
    replay_leave_out(call, "signal %u is no event", number);
    return NULL;
}

static twin_status signal_wait(struct replay_call *call)
{
    struct replay_object *signal = event_of(call, call->then.SIGNAL_WAIT.signal);
    return signal ? call->replay->ops->signal.wait(
                        signal->handle, replay_timeout(call, call->then.SIGNAL_WAIT.timeout_ns))
                  : TWIN_OK;
}

static twin_status signal_timestamp(struct replay_call *call)
{
    struct replay_object *signal = event_of(call, call->then.SIGNAL_TIMESTAMP.signal);
    return signal ? call->replay->ops->signal.timestamp(signal->handle,
                                                        &call->now.SIGNAL_TIMESTAMP.out_time_ns)
                  : TWIN_OK;
}

static twin_status signal_elapsed(struct replay_call *call)
{
    struct replay_object *begin = event_of(call, call->then.SIGNAL_ELAPSED.begin);
    struct replay_object *end = begin ? event_of(call, call->then.SIGNAL_ELAPSED.end) : NULL;
    double length = 0;
    if (!end)
        return TWIN_OK;
    twin_status status = call->replay->ops->signal.elapsed(begin->handle, end->handle, &length);
    if (status == TWIN_OK)
        memcpy(&call->now.SIGNAL_ELAPSED.out_length_ns, &length, sizeof(length));
    return status;
}

static twin_status signal_available(struct replay_call *call)
{
    const struct twin_record_SIGNAL_AVAILABLE *f = &call->then.SIGNAL_AVAILABLE;
    twin_hw_device *device = replay_device(call, f->device);
    return device ? call->replay->ops->signal.available(device, (twin_signal_kind)f->kind,
                                                        &call->now.SIGNAL_AVAILABLE.out_count)
                  : TWIN_OK;
}

static twin_status signal_clear(struct replay_call *call)
{
    struct replay_object *signal = SIGNAL(call->then.SIGNAL_CLEAR.signal);
    if (signal && signal->kind != TWIN_SIGNAL_NOTIFY) {
        replay_leave_out(call, "signal %u is no notify", call->then.SIGNAL_CLEAR.signal);
        return TWIN_OK;
    }
    return signal ? call->replay->ops->signal.clear(signal->handle) : TWIN_OK;
}

/* ---- channels ---- */

static twin_status channel_create(struct replay_call *call)
{
    const struct twin_record_CHANNEL_CREATE *f = &call->then.CHANNEL_CREATE;
    twin_hw_device *device = replay_device(call, f->device);
    twin_channel *channel = NULL;
    if (!device)
        return TWIN_OK;
    /* a thread that serves never ends a wait by itself, and in a trial it must */
    bool service = f->service != 0 && !call->replay->trial;
    twin_status status = call->replay->ops->channel.create(device, service, &channel);
    if (status != TWIN_OK)
        return status;
    struct replay_object *object =
        replay_object_new(call, TWIN_RECORD_ROLE_CHANNEL, f->out_channel);
    if (object)
        replay_place_object(call, object, channel, f->device, f->out_channel);
    else
        call->replay->ops->channel.destroy(channel);
    return status;
}

static twin_status channel_destroy(struct replay_call *call)
{
    struct replay_object *channel = CHANNEL(call->then.CHANNEL_DESTROY.channel);
    struct replay *replay = call->replay;
    if (!channel)
        return TWIN_OK;
    for (size_t i = 0; i < replay->tickets.count;) {
        if (replay->tickets.items[i].channel != call->then.CHANNEL_DESTROY.channel) {
            i++;
            continue;
        }
        /* the core answers what it has taken before */
        replay->ops->channel.answer(channel->handle, replay->tickets.items[i].now);
        replay->tickets.items[i] = replay->tickets.items[--replay->tickets.count];
    }
    replay->ops->channel.destroy(channel->handle);
    replay_forget_object(channel);
    return TWIN_OK;
}

static twin_status channel_take(struct replay_call *call)
{
    struct replay *replay = call->replay;
    struct twin_record_CHANNEL_TAKE *now = &call->now.CHANNEL_TAKE;
    struct replay_object *channel = CHANNEL(now->channel);
    twin_taken_call taken = {0};
    if (!channel)
        return TWIN_OK;
    if (!LIST_ROOM(&replay->tickets))
        return TWIN_E_NOMEM;
    twin_status status =
        replay->ops->channel.take(channel->handle, replay_timeout(call, now->timeout_ns), &taken);
    if (status != TWIN_OK)
        return status;
    now->out_block = taken.call.block;
    now->out_function = (uint64_t)(uintptr_t)taken.call.fn;
    now->out_argument = (uint64_t)(uintptr_t)taken.call.argument;
    if (call->succeeded)
        replay->tickets.items[replay->tickets.count++] = (struct replay_ticket){
            .channel = now->channel, .recorded = now->out_ticket, .now = taken.ticket};
    else
        replay->ops->channel.answer(channel->handle, taken.ticket);
    return status;
}

static twin_status channel_answer(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_CHANNEL_ANSWER *f = &call->then.CHANNEL_ANSWER;
    struct replay_object *channel = CHANNEL(f->channel);
    if (!channel)
        return TWIN_OK;
    for (size_t i = replay->tickets.count; i > 0; i--) {
        const struct replay_ticket ticket = replay->tickets.items[i - 1];
        if (ticket.channel != f->channel || ticket.recorded != f->ticket)
            continue;
        replay->tickets.items[i - 1] = replay->tickets.items[--replay->tickets.count];
        replay->ops->channel.answer(channel->handle, ticket.now);
        return TWIN_OK;
    }
    replay_leave_out(call, "no host function was taken that it could be the end of");
    return TWIN_OK;
}

static twin_status channel_close(struct replay_call *call)
{
    struct replay_object *channel = CHANNEL(call->then.CHANNEL_CLOSE.channel);
    if (channel)
        call->replay->ops->channel.close(channel->handle);
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
    [TWIN_RECORD_CHANNEL_CREATE] = channel_create,
    [TWIN_RECORD_CHANNEL_DESTROY] = channel_destroy,
    [TWIN_RECORD_CHANNEL_TAKE] = channel_take,
    [TWIN_RECORD_CHANNEL_ANSWER] = channel_answer,
    [TWIN_RECORD_CHANNEL_CLOSE] = channel_close,
};
