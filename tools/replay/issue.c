/* SPDX-License-Identifier: Apache-2.0 */
/* One op of the recording: asked for again, on the thread and at the time that it was. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/state.h"

_Thread_local struct replay_call *replay_current;

/* ---- host ---- */

static twin_status host_attach(struct replay_call *call)
{
    call->ops->host.attach();
    return TWIN_OK;
}

static twin_status host_detach(struct replay_call *call)
{
    call->ops->host.detach();
    return TWIN_OK;
}

static twin_status host_last_task(struct replay_call *call)
{
    call->now.HOST_LAST_TASK.out_task = call->ops->host.last_task();
    return TWIN_OK;
}

/* The device's time does not last longer. */
#define LATEST_NS (UINT64_MAX / 4)

static twin_status host_advance(struct replay_call *call)
{
    if (call->then.HOST_ADVANCE.ns > LATEST_NS)
        return replay_leave_out(call, "no device runs that long");
    call->ops->host.advance(call->then.HOST_ADVANCE.ns);
    return TWIN_OK;
}

/* Where the thread is, if another one follows it from the entry on that has just come back. */
static void release(struct replay *replay, const struct twin_record_entry *entry)
{
    size_t first = 0;
    if (replay->follows.count == 0 || entry->end_seq == 0)
        return;
    for (size_t left = twin_recording_index_find(&replay->follows, entry->end_seq, &first);
         left > 0; left--)
        replay->released[first + left - 1] = *replay->ops->host.self();
}

/* On the recorded device with the clock that the releaser had then, which was past its entry if a
 * call was under way. */
static twin_status host_follow(struct replay_call *call)
{
    const struct replay *replay = call->replay;
    const struct twin_record_HOST_FOLLOW *f = &call->then.HOST_FOLLOW;
    twin_host_moment moment = {0};
    size_t first = 0;
    if (f->released_ns > LATEST_NS)
        return replay_leave_out(call, "no device runs that long");
    if (twin_recording_index_find(&replay->follows, f->of_seq, &first) > 0)
        moment = replay->released[first];
    if (replay->report.same)
        moment.at_ns = f->released_ns;
    call->ops->host.follow(&moment);
    return TWIN_OK;
}

/* The public function as it is handed to the device, which may look at it until the end: one for
 * each name and cost. */
static const twin_call *public_call(struct replay *replay, const struct twin_record_HOST_CALL *f)
{
    static twin_call unnamed[TWIN_COST_COUNT];
    struct replay_object *name = replay_object_quiet(replay, TWIN_RECORD_ROLE_STRING, f->name);
    if (name && !name->extra)
        name->extra = calloc(TWIN_COST_COUNT, sizeof(twin_call));
    twin_call *calls = name && name->extra ? (twin_call *)name->extra : unnamed;
    if (!calls[f->cost].name)
        calls[f->cost] = (twin_call){.name = twin_recording_string(replay->recording, f->name),
                                     .cost = (twin_cost)f->cost};
    return &calls[f->cost];
}

static twin_status host_call(struct replay_call *call)
{
    call->ops->host.enter(public_call(call->replay, &call->then.HOST_CALL));
    return TWIN_OK;
}

/* A call has come back, and with the same device at the same time. */
static void come_back(struct replay *replay, const struct twin_record_entry *entry)
{
    if (replay->report.same && entry->end_ns != 0 && replay->ops->host.now() != entry->end_ns)
        replay->report.clocks++;
    release(replay, entry);
}

/* Moves the thread's clock up to where others had brought it. */
static void raise_clock(struct replay *replay, uint64_t to_ns)
{
    if (replay->ops->host.now() >= to_ns)
        return;
    replay->ops->host.reach(to_ns);
    replay->report.raised++;
}

void replay_leave(struct replay *replay, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(replay->recording, index);
    struct twin_record_HOST_CALL f;
    twin_recording_fields(entry, &f, sizeof(f));
    if (f.cost >= TWIN_COST_COUNT)
        return;
    if (replay->report.same)
        raise_clock(replay, entry->end_ns);
    if (replay->traced)
        replay->ops->host.leave(public_call(replay, &f), f.out_code);
    come_back(replay, entry);
}

/* ---- process, device, diagnosis, faults ---- */

static twin_status process_count(struct replay_call *call)
{
    return call->ops->process.count(&call->now.PROCESS_COUNT.out_count);
}

static twin_status process_describe(struct replay_call *call)
{
    const twin_device_properties *properties;
    return call->ops->process.describe(call->then.PROCESS_DESCRIBE.device, &properties);
}

static twin_status device_open(struct replay_call *call)
{
    struct replay *replay = call->replay;
    uint32_t index = call->then.DEVICE_OPEN.device;
    if (index >= REPLAY_DEVICES_MOST || replay->devices[index])
        return replay_leave_out(call, "device %u is open already", index);
    twin_hw_device *device = NULL;
    twin_status status = call->ops->device.open(index, &device);
    if (status != TWIN_OK) {
        bool alone = call->succeeded;
        for (uint32_t i = 0; i < REPLAY_DEVICES_MOST; i++)
            alone = alone && !replay->devices[i];
        replay->report.refused = alone;
        return status;
    }
    if (call->succeeded)
        replay->devices[index] = device;
    else
        call->ops->device.close(device);
    return status;
}

static twin_status device_close(struct replay_call *call)
{
    uint32_t index = call->then.DEVICE_CLOSE.device;
    if (call->replay->children[index] != 0)
        return replay_leave_out(call, "%u objects of device %u are still there",
                                call->replay->children[index], index);
    call->replay->devices[index] = NULL;
    call->ops->device.close(call->device);
    replay_memory_close(call->replay, index);
    return TWIN_OK;
}

static twin_status process_snapshot(struct replay_call *call)
{
    return call->ops->process.snapshot((twin_snapshot_step)call->then.PROCESS_SNAPSHOT.step);
}

static twin_status device_abort(struct replay_call *call)
{
    return call->ops->device.abort(call->device);
}

static twin_status device_peer(struct replay_call *call)
{
    const struct twin_record_DEVICE_PEER *f = &call->then.DEVICE_PEER;
    return call->ops->device.peer(call->device, f->other, f->enable != 0);
}

static twin_status diag_usage(struct replay_call *call)
{
    twin_usage usage = {0};
    twin_status status = call->ops->diag.usage(call->then.DIAG_USAGE.device, &usage);
    if (status == TWIN_OK) {
        call->now.DIAG_USAGE.out_cube = usage.cube;
        call->now.DIAG_USAGE.out_vector = usage.vector;
        call->now.DIAG_USAGE.out_cpu = usage.cpu;
    }
    return status;
}

/* It only logs, and what it would log is of no use here. */
static twin_status nothing(struct replay_call *call)
{
    call->skipped = true;
    return TWIN_OK;
}

static twin_status fault_inject(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_FAULT_INJECT *f = &call->then.FAULT_INJECT;
    const twin_fault fault = {.kind = (twin_fault_kind)f->kind,
                              .task = (twin_fault_task)f->task,
                              .device = f->device,
                              .stream = f->stream,
                              .id = f->id,
                              .first = f->first,
                              .times = f->times,
                              .duration_ns = f->duration_ns,
                              .factor_permille = f->factor_permille,
                              .access = f->access,
                              .address = replay_address_any(replay, f->address),
                              .bytes = f->bytes,
                              .status = f->device_status};
    if (!LIST_ROOM(&replay->faults))
        return TWIN_E_NOMEM;
    uint32_t number = 0;
    twin_status status = call->ops->fault.inject(&fault, &number);
    if (status == TWIN_OK && !call->succeeded)
        (void)call->ops->fault.remove(number);
    else if (status == TWIN_OK)
        replay->faults.items[replay->faults.count++] =
            (struct replay_fault){.recorded = f->out_number, .now = number};
    return status; /* its number is what the device makes of it */
}

/* As the device numbers it; a number that names none stays. */
static uint32_t fault_number(const struct replay *replay, uint32_t recorded)
{
    for (size_t i = replay->faults.count; i > 0; i--)
        if (replay->faults.items[i - 1].recorded == recorded)
            return replay->faults.items[i - 1].now;
    return recorded;
}

static twin_status fault_remove(struct replay_call *call)
{
    return call->ops->fault.remove(fault_number(call->replay, call->then.FAULT_REMOVE.number));
}

static twin_status fault_triggered(struct replay_call *call)
{
    return call->ops->fault.triggered(fault_number(call->replay, call->then.FAULT_TRIGGERED.number),
                                      &call->now.FAULT_TRIGGERED.out_times);
}

void replay_move(struct replay *replay, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(replay->recording, index);
    struct replay_call *inside = replay_current;
    struct twin_record_SEEN seen;
    struct twin_record_WATCHED watched;
    struct twin_record_SHARED shared;
    struct twin_record_MOVED moved;
    replay_current = NULL; /* what comes of it is nothing that this thread's call meets */
    if (TWIN_RECORDING_GET(entry, SEEN, &seen)) {
        if (replay->ops->host.see(TWIN_SEEN_WORK, seen.device, seen.hardware_queue, seen.newest) !=
            TWIN_OK)
            replay_note(&replay->report.times, index,
                        "hardware queue %u of device %u has no %" PRIu64
                        " tasks that the device could see",
                        seen.hardware_queue, seen.device, seen.newest);
    } else if (TWIN_RECORDING_GET(entry, WATCHED, &watched)) {
        (void)replay->ops->host.see(TWIN_SEEN_WATCH, watched.device, watched.hardware_queue,
                                    watched.retired);
    } else if (TWIN_RECORDING_GET(entry, SHARED, &shared)) {
        if (shared.what <= TWIN_SEEN_WATCH ||
            replay->ops->host.see((twin_seen)shared.what, shared.device, shared.which,
                                  shared.number) != TWIN_OK)
            replay_note(&replay->report.times, index, "there is no such signal that is shared");
    } else if (TWIN_RECORDING_GET(entry, MOVED, &moved) &&
               replay->ops->host.move(moved.at_ns, moved.events) != TWIN_OK) {
        replay_note(&replay->report.times, index,
                    "the device does not come to event %" PRIu64 " of %" PRIu64 " ns", moved.events,
                    moved.at_ns);
    }
    replay_current = inside;
}

/* ---- the table ---- */

static const replay_issue own_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_HOST_ATTACH] = host_attach,
    [TWIN_RECORD_HOST_DETACH] = host_detach,
    [TWIN_RECORD_HOST_ADVANCE] = host_advance,
    [TWIN_RECORD_HOST_CALL] = host_call,
    [TWIN_RECORD_HOST_FOLLOW] = host_follow,
    [TWIN_RECORD_HOST_LAST_TASK] = host_last_task,
    [TWIN_RECORD_PROCESS_COUNT] = process_count,
    [TWIN_RECORD_PROCESS_DESCRIBE] = process_describe,
    [TWIN_RECORD_PROCESS_SNAPSHOT] = process_snapshot,
    [TWIN_RECORD_DEVICE_OPEN] = device_open,
    [TWIN_RECORD_DEVICE_CLOSE] = device_close,
    [TWIN_RECORD_DEVICE_ABORT] = device_abort,
    [TWIN_RECORD_DEVICE_PEER] = device_peer,
    [TWIN_RECORD_DIAG_FACTS] = nothing,
    [TWIN_RECORD_DIAG_USAGE] = diag_usage,
    [TWIN_RECORD_FAULT_INJECT] = fault_inject,
    [TWIN_RECORD_FAULT_REMOVE] = fault_remove,
    [TWIN_RECORD_FAULT_TRIGGERED] = fault_triggered,
};

static replay_issue find_issue(unsigned kind)
{
    static const replay_issue *const tables[] = {
        own_ops,           replay_work_ops, replay_object_ops, replay_model_instance_ops,
        replay_memory_ops, replay_vmm_ops,  replay_pool_ops,   replay_managed_ops};
    for (size_t i = 0; kind < TWIN_RECORD_KINDS_END && i < sizeof(tables) / sizeof(tables[0]); i++)
        if (tables[i][kind])
            return tables[i][kind];
    return NULL;
}

bool replay_can_issue(unsigned kind)
{
    return find_issue(kind) != NULL;
}

/* Whether all values of enums are known ones; else no core has asked for it. */
static bool is_sound(struct replay_call *call)
{
    const struct twin_recording_kind *kind = twin_recording_kind(call->entry->kind);
    for (unsigned i = 0; i < kind->field_count; i++) {
        const struct twin_recording_field *field = &kind->fields[i];
        /* the words of links have holes, and nothing goes by them */
        if (field->role == TWIN_RECORD_ROLE_LINK ||
            !twin_recording_word((enum twin_record_role)field->role, 0))
            continue;
        uint64_t value = twin_recording_value(call->entry, field);
        if (!twin_recording_word((enum twin_record_role)field->role, value)) {
            (void)replay_leave_out(call, "its %s is %" PRIu64 ", which means nothing", field->name,
                                   value);
            return false;
        }
    }
    return true;
}

/* What the first field of the op names, which all of them but a few need. False: it is not there,
 * or not to be asked. */
static bool find_subject(struct replay_call *call)
{
    const unsigned kind = call->entry->kind;
    const enum twin_record_role role =
        (enum twin_record_role)twin_recording_kind(kind)->fields[0].role;
    const uint32_t number = call->then.DEVICE_OPEN.device; /* the first field */
    switch (kind) {
    case TWIN_RECORD_DEVICE_OPEN:
    case TWIN_RECORD_DIAG_USAGE:
    case TWIN_RECORD_IMAGE_UNLOAD:
    case TWIN_RECORD_PROCESS_DESCRIBE:
        return true;
    default:
        break;
    }
    switch (role) {
    case TWIN_RECORD_ROLE_DEVICE:
        call->device = number < REPLAY_DEVICES_MOST ? call->replay->devices[number] : NULL;
        if (!call->device)
            (void)replay_leave_out(call, "device %u is not open", number);
        return call->device != NULL;
    case TWIN_RECORD_ROLE_CALL_QUEUE:
    case TWIN_RECORD_ROLE_MODEL_INSTANCE:
    case TWIN_RECORD_ROLE_POOL:
    case TWIN_RECORD_ROLE_QUEUE:
    case TWIN_RECORD_ROLE_SIGNAL:
        call->object = replay_object(call, role, number);
        return call->object && (!replay_work_ops[kind] || replay_begin_work(call));
    default:
        return true;
    }
}

void replay_execute(struct replay *replay, size_t index, struct replay_call *outer)
{
    struct replay_call call = {.replay = replay,
                               .ops = replay->ops,
                               .entry = twin_recording_at(replay->recording, index),
                               .index = index,
                               .awaits = TWIN_RECORDING_NONE,
                               .outer = outer};
    const struct twin_record_entry *entry = call.entry;
    twin_recording_fields(entry, &call.then, sizeof(call.then));
    call.now = call.then;
    call.succeeded = twin_recording_succeeded(entry);
    if (replay->pacing)
        call.nd_end = twin_recording_index_find(&replay->nd_index, entry->begin_seq, &call.nd_next);
    call.nd_end += call.nd_next;
    twin_status status = TWIN_OK;
    if (replay_place)
        *replay_place = entry->begin_seq;
    if (is_sound(&call)) {
        if (replay->report.same)
            raise_clock(replay, entry->begin_ns);
        if (replay->trial)
            replay_trial_begin(&call);
        replay_current = &call;
        if (find_subject(&call))
            status = find_issue(entry->kind)(&call);
        replay_current = outer;
    }
    if (replay->trial) {
        replay_trial_end(&call, status);
        return;
    }
    if (call.left_out) {
        replay_note(&replay->report.left_out, index, "%s of thread %" PRIu32 ": %s",
                    twin_recording_kind(entry->kind)->name, entry->thread, call.left_out);
        return;
    }
    if (call.skipped) {
        release(replay, entry);
        return;
    }
    replay->report.asked++;
    if (entry->kind == TWIN_RECORD_HOST_CALL)
        return; /* its end is a separate event */
    if (replay->pacing)
        raise_clock(replay, entry->end_ns);
    replay_compare(&call, status);
    come_back(replay, entry);
}
