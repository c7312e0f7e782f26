/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: tasks. */
#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/log.h"
#include "core/callback/callback_delivery.h"
#include "core/capture/capture_parts.h"
#include "core/model_instance/stored_task.h"
#include "core/model_instance/task_group.h"

int32_t twin_capture_make_room(twin_capture_lane *lane)
{
    twin_capture_tail *tail = &lane->tail;
    twin_lock_take(&lane->stream->lock);
    const bool room = tail->tasks < TWIN_CAPTURE_TASKS;
    twin_lock_drop(&lane->stream->lock);
    if (room)
        return 0;
    twin_stream *next = NULL;
    int32_t code = twin_instance_add_lane(lane->capture->instance, false, &next);
    if (code != 0)
        return code;
    TWIN_LOCKED(&lane->stream->lock);
    code = twin_instance_continue_lane(tail->newest, next);
    if (code == 0) {
        tail->newest = next;
        tail->tasks = 0;
    }
    return code;
}

int32_t twin_capture_begin_lane(twin_capture_lane *lane, const twin_stream *first)
{
    int32_t code = twin_capture_make_room(lane);
    if (code == 0)
        code = twin_instance_continue_lane(lane->tail.newest, first);
    lane->tail.tasks++;
    return code;
}

/* *out_full: there is no room, and the answer is 0. */
static int32_t add_one(twin_capture_lane *lane, const twin_task *task, twin_capture_edge *edge,
                       bool *out_full)
{
    TWIN_LOCKED(&lane->stream->lock);
    const int32_t code =
        twin_stream_submit_captured(lane->stream, lane->tail.newest, task, out_full);
    if (code == 0 && !*out_full) {
        lane->tail.tasks++;
        lane->tail.last_edge = edge;
        lane->tail.last = twin_capture_this_call();
    } else if (code == 0) {
        lane->tail.tasks = TWIN_CAPTURE_TASKS;
    }
    return code;
}

int32_t twin_capture_add(twin_capture_lane *lane, const twin_task *task, twin_capture_edge *edge)
{
    bool full = true;
    int32_t code = 0;
    for (int i = 0; i < 2 && code == 0 && full; i++) {
        code = twin_capture_make_room(lane);
        if (code == 0)
            code = add_one(lane, task, edge, &full);
    }
    const twin_stream *newest = lane->tail.newest;
    return code != 0 || !full
               ? code
               : twin_instance_fail_work(TWIN_E_BUSY, newest->id, newest->device->id);
}

void twin_capture_watch(twin_capture *capture, bool watch)
{
    for (twin_capture_lane *lane = capture->lanes; lane; lane = lane->next) {
        TWIN_LOCKED(&lane->stream->lock);
        lane->tail.tasks_most = watch ? 0 : TWIN_CAPTURE_TASKS;
    }
}

/* Task groups ---------------------------------------------------------------------------------- */

int32_t twin_capture_break_group(twin_capture_lane *lane, int32_t code)
{
    lane->capture->group_code = code;
    return twin_capture_break(lane->capture, lane->stream, code);
}

/* A task while a group of the capture is open. */
static int32_t submit_to_group(twin_capture_lane *lane, const twin_task *task)
{
    twin_task_group *group = lane->group;
    if (!group)
        return twin_capture_break_group(
            lane, twin_fail(TWIN_ERR_GROUP_INTERRUPTED,
                            "a task group of the capture is open on another stream "
                            "than %u; call aclmdlRICaptureTaskGrpEnd there first",
                            lane->stream->id));
    if (task->kind != TWIN_TASK_LAUNCH)
        return twin_capture_break_group(
            lane, twin_fail(TWIN_ERR_TASK_TYPE,
                            "a task group is open on stream %u, which takes kernels "
                            "only; call aclmdlRICaptureTaskGrpEnd first",
                            lane->stream->id));
    const twin_launch_cores cores = task->launch->cores;
    task->launch->guarded = true; /* another may replace it */
    int32_t code = twin_capture_add(lane, task, NULL);
    twin_stream *newest = lane->tail.newest;
    if (code == 0) {
        TWIN_LOCKED(&newest->lock);
        code = twin_group_add(
            group, &(twin_group_task){.stream = newest->object.handle,
                                      .place = twin_ops()->diag.newest_task(newest->queue),
                                      .cores = cores,
                                      .stored = twin_stored_last(newest)});
    }
    return code != 0 ? twin_capture_break(lane->capture, lane->stream, code) : 0;
}

/* Events --------------------------------------------------------------------------------------- */

static int32_t record(twin_capture_lane *lane, const twin_task *task)
{
    twin_capture *capture = lane->capture;
    twin_capture_edge *edge = twin_zalloc(sizeof(*edge));
    if (!edge)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory to capture an event");
    edge->capture = capture;
    edge->lane = lane;
    edge->event_handle = task->event_handle;
    int32_t code = twin_event_pin(&twin_events, task->event_handle, &edge->event);
    if (code == 0)
        code = twin_instance_add_edge(capture->instance, &edge->signal);
    if (code == 0)
        code = twin_capture_add(lane,
                                &(twin_task){.kind = TWIN_TASK_RECORD,
                                             .event = edge->signal,
                                             .event_handle = edge->signal->object.handle,
                                             .shown_event = task->event_handle},
                                edge);
    if (code != 0) {
        if (edge->event)
            twin_event_unpin(edge->event);
        twin_free(edge);
        return code;
    }
    LL_PREPEND(capture->edges, edge);
    task->event->edge = edge;
    twin_event_mark(task->event, task->event_handle, TWIN_EVENT_CAPTURED);
    return 0;
}

static int32_t wait(twin_capture_lane *lane, twin_capture_edge *edge, uint64_t timeout_ns)
{
    int32_t code = twin_capture_add(lane,
                                    &(twin_task){.kind = TWIN_TASK_WAIT,
                                                 .event = edge->signal,
                                                 .event_handle = edge->signal->object.handle,
                                                 .shown_event = edge->event_handle,
                                                 .timeout_ns = timeout_ns},
                                    NULL);
    if (code != 0)
        return code;
    edge->waited = true;
    edge->waited_by_origin |= lane->origin && edge->lane != lane;
    return 0;
}

static int32_t fail_conflict(const twin_capture_edge *edge, const twin_capture_lane *lane)
{
    return twin_fail(TWIN_ERR_CAPTURE_CONFLICT,
                     "stream %u is in the capture of stream %u, and the event was recorded in that "
                     "of stream %u; both captures are invalid now: end both, and capture streams "
                     "that wait for each other in one",
                     lane->stream->id, lane->capture->place.stream, edge->capture->place.stream);
}

static int32_t fail_implicit(const twin_capture *capture, const twin_stream *stream)
{
    return twin_fail(TWIN_ERR_CAPTURE_IMPLICIT,
                     "the event belongs to the capture of stream %u, which the default stream %u "
                     "cannot join; use a stream of aclrtCreateStream",
                     capture->place.stream, stream->id);
}

/* A wait for an event that a capture has recorded. */
static int32_t wait_captured(twin_stream **stream, twin_capture_edge *edge, const twin_task *task)
{
    twin_stream *waiter = *stream;
    twin_capture *capture = edge->capture;
    twin_capture_lane *lane = waiter->lane;
    if (waiter->is_default)
        return fail_implicit(capture, waiter);
    if (twin_stream_is_bound(waiter))
        return twin_fail(TWIN_ERR_STREAM_MODEL,
                         "stream %u is bound to a model instance and cannot join a capture",
                         waiter->id);
    if ((waiter->flags & TWIN_STREAM_PASSIVE) != 0)
        return twin_fail(TWIN_ERR_INTERNAL,
                         "stream %u was made with flags %#x and cannot join a capture", waiter->id,
                         waiter->flags & TWIN_STREAM_ALL);
    if (waiter->device != capture->instance->device)
        return twin_fail(TWIN_ERR_STREAM_CONTEXT,
                         "stream %u is of device %u and cannot join the capture of stream %u of "
                         "device %u",
                         waiter->id, waiter->device->id, capture->place.stream,
                         capture->instance->device->id);
    if (lane && lane->capture != capture) {
        const int32_t code = fail_conflict(edge, lane);
        (void)twin_capture_break(lane->capture, waiter, code);
        return twin_capture_break(capture, waiter, code);
    }
    if (!lane && capture->broken_code != 0)
        return twin_fail(TWIN_ERR_INTERNAL,
                         "stream %u cannot join the capture of stream %u, which is invalid",
                         waiter->id, capture->place.stream);
    if (capture->open_groups > 0)
        return lane ? submit_to_group(lane, task)
                    : twin_fail(TWIN_ERR_GROUP_INTERRUPTED,
                                "stream %u cannot join while a task group is open", waiter->id);
    int32_t code = 0;
    if (!lane) {
        code = twin_capture_enter(capture, waiter, false, &lane);
        if (code == 0)
            *stream = NULL; /* the pin is the capture's now */
    }
    if (code == 0)
        code = wait(lane, edge, task->timeout_ns);
    return code != 0 ? twin_capture_break(capture, waiter, code) : 0;
}

/* A wait in a capture for an event, pinned, that no capture has recorded. */
static int32_t wait_outside(const twin_capture_lane *lane, twin_event *event)
{
    if ((twin_event_form(event) & TWIN_EVENT_EX) == 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "a capture takes events of aclrtCreateEventExWithFlag");
    twin_lock_take(&event->lock);
    const bool recorded = event->recorded_on != 0;
    twin_lock_drop(&event->lock);
    if (!recorded)
        return 0; /* nothing is waited for, as without a capture */
    return twin_fail(TWIN_ERR_CAPTURE_DEPENDENCY,
                     "stream %u is in capture, and the event was recorded outside of it; record it "
                     "on a stream of the capture, let the stream that executes the model instance "
                     "wait for it, or wait for it with ACL_EVENT_WAIT_EXTERNAL",
                     lane->stream->id);
}

static int32_t check_recorded(const twin_stream *stream, const twin_event *event)
{
    const uint32_t form = twin_event_form(event);
    if ((form & TWIN_EVENT_EX) == 0 || (form & TWIN_EVENT_IPC) != 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u is in capture, which takes events of "
                         "aclrtCreateEventExWithFlag without ACL_EVENT_IPC",
                         stream->id);
    if (event->device != stream->device)
        return twin_fail(TWIN_ERR_STREAM_CONTEXT,
                         "the event was made on another device than stream %u, which is in capture",
                         stream->id);
    return 0;
}

/* Tasks ---------------------------------------------------------------------------------------- */

static int32_t check_kind(const twin_stream *stream, const twin_task *task)
{
    if (task->kind == TWIN_TASK_RUN)
        return twin_stream_check_not_captured(stream);
    if (task->kind == TWIN_TASK_ALLOC || task->kind == TWIN_TASK_FREE)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u is in capture; memory of pools is not part of a capture",
                         stream->id);
    if (task->kind == TWIN_TASK_CALL && task->once)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u is in capture; prefetches of managed memory are not part of "
                         "a capture",
                         stream->id);
    if (task->kind == TWIN_TASK_RESET)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u is in capture, where events are not reset", stream->id);
    return 0;
}

static bool is_event(const twin_task *task)
{
    return task->event && (twin_event_form(task->event) &
                           (TWIN_EVENT_PLAIN | TWIN_EVENT_FLAG | TWIN_EVENT_EX)) != 0;
}

/* Of events that stay what they are in a capture: each run waits for them, records or resets
 * them. */
static bool is_shared(const twin_task *task)
{
    return task->event && (twin_event_form(task->event) & TWIN_EVENT_EXTERNAL) != 0;
}

/* A task of a stream in capture. */
static int32_t submit_locked(twin_capture_lane *lane, const twin_task *task)
{
    int32_t code = is_shared(task) ? 0 : check_kind(lane->stream, task);
    if (code != 0)
        return code;
    if (lane->capture->open_groups > 0)
        return submit_to_group(lane, task);
    if (task->kind == TWIN_TASK_WAIT && is_event(task) && !is_shared(task))
        return wait_outside(lane, task->event);
    if (task->kind == TWIN_TASK_RECORD && is_event(task) && !is_shared(task)) {
        code = check_recorded(lane->stream, task->event);
        if (code != 0)
            return code;
        if ((twin_event_form(task->event) & TWIN_EVENT_SYNC) == 0) {
            twin_log(TWIN_LOG_WARNING,
                     "stream %u is in capture: the record of an event that was made without "
                     "ACL_EVENT_SYNC is left out, as no stream can wait for it",
                     lane->stream->id);
            return 0;
        }
        code = record(lane, task);
    } else {
        code = twin_capture_add(lane, task, NULL);
    }
    return code != 0 ? twin_capture_break(lane->capture, lane->stream, code) : 0;
}

/* *out_left: the stream is in no capture, and the task is not for one. */
static int32_t submit(uint64_t handle, const twin_task *task, bool *out_left)
{
    TWIN_PINNED(event, event);
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code == 0 && is_event(task))
        code = twin_event_pin(&twin_events, task->event_handle, &event);
    if (code != 0)
        return code;
    TWIN_LOCKED(&twin_capture_lock);
    if (task->kind == TWIN_TASK_WAIT && event && event->edge)
        return wait_captured(&stream, event->edge, task);
    if (task->kind == TWIN_TASK_RECORD && event && event->edge && stream->is_default)
        return fail_implicit(event->edge->capture, stream);
    if (task->kind == TWIN_TASK_RECORD && event && event->edge && !stream->lane)
        twin_capture_forget_edge(event, task->event_handle); /* the newest record counts */
    *out_left = !stream->lane;
    return stream->lane ? submit_locked(stream->lane, task) : 0;
}

/* In a capture the context's own thread runs what no thread is subscribed to. */
static int32_t find_call_queue(uint64_t handle, twin_call_queue **out_call_queue)
{
    TWIN_PINNED(context, context);
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_lock_take(&stream->lock);
    const bool subscribed = stream->subscriber != NULL;
    twin_lock_drop(&stream->lock);
    return subscribed ? 0 : twin_service_need(context, out_call_queue);
}

int32_t twin_capture_submit(uint64_t handle, const twin_task *task)
{
    twin_task own = *task;
    bool left = false;
    int32_t code = 0;
    if (task->kind == TWIN_TASK_CALL && !task->call_queue)
        code = find_call_queue(handle, &own.call_queue);
    if (code == 0)
        code = submit(handle, &own, &left);
    return left ? twin_stream_submit(handle, task) : code;
}
