/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: begin, end, information. */
#include "core/capture/capture.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/capture/capture_parts.h"
#include "core/model_instance/instance_parts.h"
#include "core/model_instance/task_group.h"

static twin_capture *captures; /* guarded by twin_capture_lock */

int32_t twin_capture_break(twin_capture *capture, const twin_stream *stream, int32_t code)
{
    if (capture->broken_code == 0) {
        capture->broken_code = code;
        capture->broken_stream = stream->id;
        capture->broken_by = twin_capture_this_call();
    }
    return code;
}

void twin_capture_forget_edge(twin_event *event, uint64_t handle)
{
    event->edge = NULL;
    twin_event_unmark(event, handle, TWIN_EVENT_CAPTURED);
}

/* Begin ---------------------------------------------------------------------------------------- */

int32_t twin_capture_enter(twin_capture *capture, twin_stream *stream, bool origin,
                           twin_capture_lane **out_lane)
{
    twin_capture_lane *lane = twin_zalloc(sizeof(*lane));
    if (!lane)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory to capture stream %u", stream->id);
    lane->capture = capture;
    lane->stream = stream;
    lane->origin = origin;
    lane->joined = lane->tail.last = twin_capture_this_call();
    lane->tail.tasks_most = TWIN_CAPTURE_TASKS;
    int32_t code = twin_instance_add_lane(capture->instance, origin, &lane->tail.newest);
    if (code != 0) {
        twin_free(lane);
        return code;
    }
    lane->first = lane->tail.newest;
    twin_lock_take(&stream->lock);
    const uint8_t halt = atomic_load_explicit(&stream->halt, memory_order_relaxed);
    const bool gone = stream->destroying;
    if (halt == 0 && !gone) {
        atomic_store_explicit(&stream->halt, TWIN_HALT_CAPTURE, memory_order_relaxed);
        stream->lane = lane;
    }
    twin_lock_drop(&stream->lock);
    if (halt != 0 || gone) {
        twin_free(lane); /* its stream ends with the instance */
        return gone ? twin_stream_fail_handle(stream->object.handle)
                    : twin_stream_fail_halted(halt, stream->id, stream->device->id);
    }
    LL_PREPEND(capture->lanes, lane);
    *out_lane = lane;
    return 0;
}

/* What a capture asks of a pinned stream. */
static int32_t check_stream(const twin_stream *stream)
{
    if ((stream->flags & TWIN_STREAM_PASSIVE) != 0 && !twin_stream_is_bound(stream))
        return twin_fail(TWIN_ERR_INTERNAL,
                         "stream %u was made with flags %#x; a capture takes streams whose tasks "
                         "run on submission",
                         stream->id, stream->flags & TWIN_STREAM_ALL);
    if (twin_stream_is_bound(stream))
        return twin_fail(TWIN_ERR_STREAM_MODEL, "stream %u is bound to a model instance",
                         stream->id);
    if (stream->is_default)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u is the default stream of its context, which cannot be "
                         "captured; use a stream of aclrtCreateStream",
                         stream->id);
    return 0;
}

static twin_instance *leave_one(twin_capture *capture)
{
    twin_instance *instance = capture->instance;
    twin_capture_mode_leave(&capture->place);
    DL_DELETE2(captures, capture, previous, next);
    twin_capture_lane *lane, *next_lane;
    LL_FOREACH_SAFE(capture->lanes, lane, next_lane) {
        twin_stream *stream = lane->stream;
        twin_lock_take(&stream->lock);
        atomic_fetch_and_explicit(&stream->halt, (uint8_t)~TWIN_HALT_CAPTURE, memory_order_relaxed);
        stream->lane = NULL;
        twin_lock_drop(&stream->lock);
        twin_stream_unpin(stream);
        twin_free(lane);
    }
    twin_capture_edge *edge, *next_edge;
    LL_FOREACH_SAFE(capture->edges, edge, next_edge) {
        if (edge->event->edge == edge)
            twin_capture_forget_edge(edge->event, edge->event_handle);
        twin_event_unpin(edge->event);
        twin_free(edge);
    }
    twin_free(capture);
    return instance;
}

twin_capture *twin_capture_of(const twin_instance *instance)
{
    twin_capture *capture = captures;
    while (capture && capture->instance != instance)
        capture = capture->next;
    return capture;
}

/* Ends the capture, and those of graphs that end with its instance: their streams execute again.
 * Returns the instance with the capture's pin. */
static twin_instance *leave(twin_capture *capture)
{
    twin_instance *instance = leave_one(capture);
    twin_capture *other, *next;
    DL_FOREACH_SAFE(captures, other, next) {
        if (other->instance->root != instance)
            continue;
        twin_instance *graph = leave_one(other);
        twin_instance_finish_graph(graph, NULL);
        twin_instance_unpin(graph);
    }
    return instance;
}

/* What is left of captures that have failed; no lock is held. A graph ends with its root. */
static void discard(twin_instance *instance)
{
    if (instance->root)
        twin_instance_finish_graph(instance, NULL);
    else
        twin_instance_discard(instance);
    twin_instance_unpin(instance);
}

/* The instance of a new capture, pinned. */
static int32_t take_instance(twin_context *context, twin_instance *graph,
                             twin_instance **out_instance)
{
    if (!graph)
        return twin_instance_create_captured(context, out_instance);
    if (!twin_handle_pin_object(graph, graph->object.handle))
        return twin_instance_fail_ending(graph);
    *out_instance = graph;
    return 0;
}

/* `graph`: NULL, or pinned. *out_failed: an instance that is to be discarded, or NULL. */
static int32_t begin_locked(twin_context *context, twin_instance *graph, twin_stream **stream,
                            twin_capture_mode mode, twin_instance **out_failed)
{
    if (graph && graph->begun)
        return twin_fail(TWIN_ERR_MODEL_CAPTURED,
                         "model instance %u, a graph of a conditional task, is in capture or was "
                         "captured; a graph is captured once",
                         graph->id);
    if ((*stream)->lane)
        return twin_fail(TWIN_ERR_STREAM_CAPTURED,
                         "stream %u is in capture already; call aclmdlRICaptureEnd first",
                         (*stream)->id);
    twin_capture *capture = twin_zalloc(sizeof(*capture));
    if (!capture)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a capture");
    int32_t code = take_instance(context, graph, &capture->instance);
    if (code != 0) {
        twin_free(capture);
        return code;
    }
    capture->place = (twin_capture_place){.context = context->object.handle,
                                          .stream = (*stream)->id,
                                          .mode = mode,
                                          .begun = twin_capture_this_call()};
    DL_PREPEND2(captures, capture, previous, next);
    twin_capture_mode_enter(&capture->place);
    twin_capture_lane *lane = NULL;
    code = twin_capture_enter(capture, *stream, true, &lane);
    if (code != 0)
        *out_failed = leave(capture);
    else
        *stream = NULL; /* the pin is the capture's now */
    if (graph && code == 0)
        twin_instance_begin_graph(graph);
    return code;
}

static int32_t begin(uint64_t handle, twin_instance *graph, twin_capture_mode mode)
{
    TWIN_PINNED(context, context);
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code == 0)
        code = check_stream(stream);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0 && graph)
        code = twin_instance_check_own(graph);
    if (code != 0)
        return code;
    twin_instance *failed = NULL;
    twin_lock_take(&twin_capture_lock);
    code = begin_locked(context, graph, &stream, mode, &failed);
    twin_lock_drop(&twin_capture_lock);
    if (failed)
        discard(failed);
    return code;
}

int32_t twin_capture_begin(uint64_t stream, twin_capture_mode mode)
{
    return begin(stream, NULL, mode);
}

int32_t twin_capture_begin_graph(uint64_t stream, uint64_t handle, twin_capture_mode mode)
{
    TWIN_PINNED(instance, graph);
    const int32_t code = twin_instance_pin_any(handle, &graph);
    if (code == 0 && !graph->root)
        return twin_fail(TWIN_ERR_PARAM,
                         "model instance %u is not a graph of a conditional task; see "
                         "aclmdlRIAddCondTask",
                         graph->id);
    return code != 0 ? code : begin(stream, graph, mode);
}

/* Info ----------------------------------------------------------------------------------------- */

int32_t twin_capture_look(uint64_t handle, twin_capture_status *out_status, uint64_t *out_instance)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin(handle, &stream);
    if (code != 0)
        return code;
    TWIN_LOCKED(&twin_capture_lock);
    const twin_capture *capture = stream->lane ? stream->lane->capture : NULL;
    *out_status = !capture                    ? TWIN_CAPTURE_NONE
                  : capture->broken_code == 0 ? TWIN_CAPTURE_ACTIVE
                                              : TWIN_CAPTURE_BROKEN;
    *out_instance = capture ? capture->instance->object.handle : 0;
    return 0;
}

/* End ------------------------------------------------------------------------------------------ */

static int32_t fail_unjoined(const twin_capture_lane *lane, const twin_stream *origin)
{
    char joined[TWIN_CAPTURE_CALL_TEXT], last[TWIN_CAPTURE_CALL_TEXT];
    return twin_fail(
        TWIN_ERR_UNJOINED,
        "stream %u joined the capture of stream %u (%s) and was not joined back: its last task "
        "(%s) is %s; record an event on stream %u after it and let stream %u wait for that. The "
        "capture is dropped",
        lane->stream->id, origin->id, twin_capture_call_text(&lane->joined, joined),
        twin_capture_call_text(&lane->tail.last, last),
        !lane->tail.last_edge ? "not a record for a stream of the capture"
                              : "the record of an event that no stream of the capture waits for",
        lane->stream->id, origin->id);
}

/* Each stream that joined ends with a record that another one waits for, and the one that began
 * waits for at least one of these. */
static int32_t check_joined(const twin_capture *capture, const twin_stream *origin)
{
    const twin_capture_lane *any = NULL;
    bool origin_waits = false;
    for (const twin_capture_lane *lane = capture->lanes; lane; lane = lane->next) {
        if (lane->origin)
            continue;
        any = lane;
        if (!lane->tail.last_edge || !lane->tail.last_edge->waited)
            return fail_unjoined(lane, origin);
        origin_waits |= lane->tail.last_edge->waited_by_origin;
    }
    if (!any || origin_waits)
        return 0;
    return twin_fail(TWIN_ERR_UNJOINED,
                     "stream %u, on which the capture began, waits for no last record of a stream "
                     "that joined it; let it wait for that of stream %u. The capture is dropped",
                     origin->id, any->stream->id);
}

/* The first tasks of an instance of several lanes, or with values for conditions: edges are reset,
 * as a run before this one may have ended half-way, and then the lanes begin. In one lane an edge
 * is set before the wait for it. *out_entry: the stream of these tasks. */
static int32_t begin_lanes(twin_capture *capture, const twin_stream **out_entry)
{
    twin_instance *instance = capture->instance;
    twin_capture_lane start = {.capture = capture, .stream = capture->lanes->stream};
    int32_t code = twin_instance_add_start(instance, &start.tail.newest);
    *out_entry = start.tail.newest;
    if (code == 0)
        code = twin_capture_assign(&start);
    for (uint32_t i = 0; i < instance->edge_count && code == 0; i++) {
        const twin_event *edge = instance->edges[i];
        code = twin_capture_add(&start,
                                &(twin_task){.kind = TWIN_TASK_RESET,
                                             .event = instance->edges[i],
                                             .event_handle = edge->object.handle},
                                NULL);
    }
    for (const twin_capture_lane *lane = capture->lanes; lane && code == 0; lane = lane->next) {
        if (lane->origin && !instance->root)
            code = twin_instance_unhead_lane(instance, lane->first);
        if (code == 0)
            code = twin_capture_begin_lane(&start, lane->first);
    }
    return code;
}

/* Adds the last task. */
static int32_t finish(const twin_capture_lane *origin, const twin_stream *entry)
{
    twin_instance *instance = origin->capture->instance;
    return instance->root ? twin_capture_leave_graph(origin, entry)
                          : twin_instance_finish(instance, origin->tail.newest);
}

static int32_t complete(twin_capture *capture, twin_capture_lane *origin)
{
    const twin_stream *entry = origin->first;
    int32_t code = twin_capture_fill_choosers(capture);
    if (code == 0 && (capture->lanes->next || twin_capture_assigns(capture)))
        code = begin_lanes(capture, &entry);
    if (code != 0)
        return code;
    code = finish(origin, entry);
    if (code != TWIN_CODE_STREAM_FULL)
        return code;
    origin->tail.tasks = TWIN_CAPTURE_TASKS;
    code = twin_capture_make_room(origin);
    return code != 0 ? code : finish(origin, entry);
}

static int32_t fail_broken(const twin_capture *capture)
{
    char call[TWIN_CAPTURE_CALL_TEXT];
    return twin_fail(TWIN_ERR_CAPTURE_BROKEN,
                     "%s on stream %u answered %d, which made the capture of stream %u invalid",
                     twin_capture_call_text(&capture->broken_by, call), capture->broken_stream,
                     capture->broken_code, capture->place.stream);
}

/* *out_ended: the instance, with the capture's pin; NULL: the capture goes on. */
static int32_t end_locked(twin_stream *stream, bool wanted, twin_instance **out_ended)
{
    twin_capture_lane *lane = stream->lane;
    if (!lane)
        return twin_fail(TWIN_ERR_NOT_CAPTURED,
                         "stream %u is not in capture; call aclmdlRICaptureBegin first",
                         stream->id);
    twin_capture *capture = lane->capture;
    if (!wanted && !capture->instance->root)
        return twin_fail(TWIN_ERR_PARAM_NULL, "modelRI is NULL; the capture goes on");
    if (!lane->origin)
        return twin_fail(TWIN_ERR_CAPTURE_UNMATCHED,
                         "stream %u joined a capture that was begun on stream %u; end it there",
                         stream->id, capture->place.stream);
    int32_t code = 0;
    if (capture->place.mode != TWIN_CAPTURE_RELAXED &&
        capture->place.begun.thread != twin_capture_thread())
        code = twin_fail(TWIN_ERR_CAPTURE_THREAD,
                         "thread %u began the capture of stream %u; only in mode RELAXED another "
                         "thread may end it. The capture is dropped",
                         capture->place.begun.thread, stream->id);
    else if (capture->broken_code != 0)
        code = fail_broken(capture);
    else
        code = twin_capture_check_graphs(capture);
    if (code == 0 && capture->open_groups > 0)
        code = twin_fail(TWIN_ERR_GROUP_STATUS,
                         "a task group of the capture is open; call aclmdlRICaptureTaskGrpEnd on "
                         "its stream before the end. The capture is dropped");
    twin_capture_watch(capture, true);
    if (code == 0)
        code = check_joined(capture, stream);
    if (code == 0)
        code = complete(capture, lane);
    *out_ended = leave(capture);
    return code;
}

int32_t twin_capture_end(uint64_t handle, bool wanted, uint64_t *out_instance, bool *out_graph)
{
    *out_instance = 0;
    *out_graph = false;
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code == 0)
        code = check_stream(stream);
    if (code != 0)
        return code;
    twin_instance *ended = NULL;
    twin_lock_take(&twin_capture_lock);
    *out_graph = stream->lane && stream->lane->capture->instance->root;
    code = end_locked(stream, wanted, &ended);
    twin_lock_drop(&twin_capture_lock);
    if (code != 0 && ended)
        discard(ended);
    if (code == 0) {
        *out_instance = ended->object.handle;
        twin_instance_unpin(ended);
    }
    return code;
}

/* Task groups ---------------------------------------------------------------------------------- */

int32_t twin_capture_lane_of(const twin_stream *stream, twin_capture_lane **out_lane)
{
    *out_lane = stream->lane;
    return *out_lane ? 0
                     : twin_fail(TWIN_ERR_NOT_CAPTURED,
                                 "stream %u is not in capture; call aclmdlRICaptureBegin first",
                                 stream->id);
}

static int32_t group_begin_locked(const twin_stream *stream)
{
    twin_capture_lane *lane = NULL;
    int32_t code = twin_capture_lane_of(stream, &lane);
    if (code == 0 && lane->group)
        code = twin_fail(TWIN_ERR_GROUP_STATUS, "a task group is open on stream %u already",
                         stream->id);
    if (code == 0)
        code = twin_group_create(lane->capture->instance, &lane->group);
    if (code == 0 && lane->capture->open_groups++ == 0)
        twin_capture_watch(lane->capture, true);
    return code;
}

static int32_t group_end_locked(const twin_stream *stream, uint64_t *out_group)
{
    twin_capture_lane *lane = NULL;
    int32_t code = twin_capture_lane_of(stream, &lane);
    if (code == 0 && !lane->group)
        code = twin_fail(TWIN_ERR_GROUP_STATUS,
                         "no task group is open on stream %u; call aclmdlRICaptureTaskGrpBegin "
                         "first",
                         stream->id);
    if (code != 0)
        return code;
    twin_capture *capture = lane->capture;
    const uint64_t group = lane->group->object.handle;
    lane->group = NULL;
    if (--capture->open_groups == 0)
        twin_capture_watch(capture, false);
    if (capture->broken_code != 0) {
        const int32_t broken = fail_broken(capture);
        return capture->group_code != 0 ? capture->group_code : broken;
    }
    *out_group = group;
    return 0;
}

int32_t twin_capture_group_begin(uint64_t handle)
{
    TWIN_PINNED(stream, stream);
    const int32_t code = twin_stream_pin_own(handle, &stream);
    if (code != 0)
        return code;
    TWIN_LOCKED(&twin_capture_lock);
    return group_begin_locked(stream);
}

int32_t twin_capture_group_end(uint64_t handle, uint64_t *out_group)
{
    *out_group = 0;
    TWIN_PINNED(stream, stream);
    const int32_t code = twin_stream_pin_own(handle, &stream);
    if (code != 0)
        return code;
    TWIN_LOCKED(&twin_capture_lock);
    return group_end_locked(stream, out_group);
}

/* Whether a capture was begun in the context, or a stream of it has joined. */
static bool concerns(const twin_capture *capture, const twin_context *context)
{
    bool concerned = capture->place.context == context->object.handle;
    for (const twin_capture_lane *lane = capture->lanes; lane && !concerned; lane = lane->next)
        concerned = lane->stream->context == context;
    return concerned;
}

void twin_captures_close(const twin_context *context)
{
    twin_instance *ended;
    do {
        ended = NULL;
        twin_lock_take(&twin_capture_lock);
        for (twin_capture *capture = captures; capture && !ended; capture = capture->next)
            if (concerns(capture, context)) {
                ended = leave(capture);
                break;
            }
        twin_lock_drop(&twin_capture_lock);
        if (ended)
            discard(ended);
    } while (ended);
}
