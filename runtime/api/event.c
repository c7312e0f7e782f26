/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/event.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/capture/capture.h"
#include "core/init.h"
#include "core/object/stream.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS 1e6

/* Creation flags that can be combined. */
#define FREE_FLAGS                                                                                 \
    (TWIN_EVENT_SYNC | TWIN_EVENT_PROGRESS | TWIN_EVENT_UNNAMED | TWIN_EVENT_TIMELINE)

/* Create and destroy --------------------------------------------------------------------------- */

static int32_t create(uint32_t form, aclrtEvent *event)
{
    uint64_t handle = 0;
    return twin_api_give(twin_event_create(form, &handle), &handle, event);
}

static int32_t refuse_flag(uint32_t flag, const char *allowed)
{
    return twin_fail(TWIN_ERR_PARAM, "flag is %#x; allowed are %s", flag, allowed);
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(event);
    return TWIN_LEAVE(create(TWIN_EVENT_PLAIN, event));
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(event);
    if ((flag & TWIN_EVENT_UNNAMED) != 0)
        flag |= TWIN_EVENT_SYNC;
    bool alone = flag == TWIN_EVENT_DEVICE_ONLY || flag == TWIN_EVENT_EXTERNAL;
    if (!alone && (flag == 0 || (flag & ~FREE_FLAGS) != 0))
        return TWIN_LEAVE(refuse_flag(flag, "SYNC, CAPTURE_STREAM_PROGRESS and TIME_LINE in any "
                                            "mix, or DEVICE_USE_ONLY or EXTERNAL alone"));
    return TWIN_LEAVE(create(TWIN_EVENT_FLAG | flag, event));
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(event);
    if ((flag & TWIN_EVENT_UNNAMED) != 0)
        flag |= TWIN_EVENT_SYNC;
    if (flag != TWIN_EVENT_IPC && (flag == 0 || (flag & ~FREE_FLAGS) != 0))
        return TWIN_LEAVE(refuse_flag(flag, "SYNC, CAPTURE_STREAM_PROGRESS and TIME_LINE in any "
                                            "mix, or IPC alone"));
    return TWIN_LEAVE(create(TWIN_EVENT_EX | flag, event));
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(event);
    return TWIN_LEAVE(twin_event_destroy(&twin_events, twin_api_handle(event)));
}

/* Record, wait, reset -------------------------------------------------------------------------- */

static int32_t refuse_form(const char *what)
{
    return twin_fail(TWIN_ERR_UNSUPPORTED, "%s", what);
}

/* The form of the event that a refusal is about. Another thread may have destroyed the one that was
 * found, whose place may be another event's: only that of a pinned one counts. 107017. */
__attribute__((cold, noinline)) static int32_t pinned_form(uint64_t handle, uint32_t *out_form)
{
    TWIN_PINNED(event, event);
    int32_t code = twin_event_pin(&twin_events, handle, &event);
    if (code == 0)
        *out_form = twin_event_form(event);
    return code;
}

static int32_t refuse_pinned_form(uint64_t handle, const char *what)
{
    uint32_t form = 0;
    int32_t code = pinned_form(handle, &form);
    return code != 0 ? code : refuse_form(what);
}

/* What the device alone may use is refused as a bad value. */
static inline int32_t check_host_use(const twin_event *event, uint64_t handle)
{
    uint32_t form = twin_event_form(event);
    if (__builtin_expect((form & TWIN_EVENT_DEVICE_ONLY) == 0, 1))
        return 0;
    const int32_t code = pinned_form(handle, &form);
    return code != 0 ? code
                     : twin_fail(TWIN_ERR_PARAM, "an event made with ACL_EVENT_DEVICE_USE_ONLY is "
                                                 "not for host calls");
}

/* The first flag of an event's records, or of its waits, decides for all, also when that call
 * fails: `mark` for this flag, `other` for the other one. */
static inline int32_t fix_flag(twin_event *event, uint64_t handle, uint32_t mark, uint32_t other)
{
    uint32_t form = twin_event_form(event);
    if (__builtin_expect((form & (mark | other)) == mark, 1))
        return 0;
    if ((form & other) != 0) {
        int32_t code = pinned_form(handle, &form);
        if (code != 0)
            return code;
        return twin_fail(TWIN_ERR_PARAM,
                         "the event was %s with another flag before; its first one decides for all",
                         (mark & (TWIN_EVENT_WAITED | TWIN_EVENT_WAITED_EXTERNAL)) != 0
                             ? "waited for"
                             : "recorded");
    }
    twin_event_mark(event, handle, mark);
    return 0;
}

/* Queues a record of an event that was found, or a wait for it. What a capture holds concerns
 * that. */
static inline int32_t submit(aclrtStream stream, const twin_task *task)
{
    const bool captured = (twin_event_form(task->event) & TWIN_EVENT_CAPTURED) != 0;
    return __builtin_expect(captured, 0) ? twin_capture_submit(twin_api_handle(stream), task)
                                         : twin_stream_submit(twin_api_handle(stream), task);
}

static inline int32_t record_event(aclrtEvent event, aclrtStream stream)
{
    twin_task task = {.kind = TWIN_TASK_RECORD, .event_handle = twin_api_handle(event)};
    int32_t code = twin_event_find(&twin_events, task.event_handle, &task.event);
    if (code == 0)
        code = twin_stream_find(twin_api_handle(stream), &task.stream);
    if (code == 0)
        code = check_host_use(task.event, task.event_handle);
    if (code == 0)
        code = fix_flag(task.event, task.event_handle, TWIN_EVENT_RECORDED,
                        TWIN_EVENT_RECORDED_EXTERNAL);
    if (code == 0)
        code = submit(stream, &task);
    return code;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(event);
    return TWIN_LEAVE(record_event(event, stream));
}

/* A record or wait of a graph that is shared with the outside. */
static int32_t submit_external(aclrtEvent event, aclrtStream stream, bool waits)
{
    twin_event *found = NULL;
    twin_stream *on = NULL;
    int32_t code = twin_event_find(&twin_events, twin_api_handle(event), &found);
    if (code == 0)
        code = twin_stream_find(twin_api_handle(stream), &on);
    if (code != 0)
        return code;
    uint32_t form = twin_event_form(found);
    if ((form & TWIN_EVENT_FORM) != (TWIN_EVENT_EX | TWIN_EVENT_SYNC))
        return refuse_pinned_form(twin_api_handle(event),
                                  "only an event of aclrtCreateEventExWithFlag with exactly "
                                  "ACL_EVENT_SYNC is recorded or waited for from a graph");
    code = fix_flag(found, twin_api_handle(event),
                    waits ? TWIN_EVENT_WAITED_EXTERNAL : TWIN_EVENT_RECORDED_EXTERNAL,
                    waits ? TWIN_EVENT_WAITED : TWIN_EVENT_RECORDED);
    if (code != 0)
        return code;
    twin_context *context = NULL;
    code = twin_stream_check_found(on, twin_api_handle(stream), &context);
    if (code != 0)
        return code;
    if (!on || atomic_load_explicit(&on->halt, memory_order_relaxed) != TWIN_HALT_CAPTURE)
        return twin_fail(TWIN_ERR_NOT_CAPTURED,
                         "the stream is not in capture; outside of captures flag "
                         "must be 0");
    return twin_capture_external(twin_api_handle(stream), twin_api_handle(event), waits);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtRecordEventWithFlag);
    TWIN_NOT_NULL(event);
    if (flag > ACL_EVENT_RECORD_EXTERNAL)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "flag is %#x; it must be ACL_EVENT_RECORD_DEFAULT (0) or "
                                    "ACL_EVENT_RECORD_EXTERNAL (1)",
                                    flag));
    return TWIN_LEAVE(flag == ACL_EVENT_RECORD_EXTERNAL ? submit_external(event, stream, false)
                                                        : record_event(event, stream));
}

static int32_t wait_event(aclrtStream stream, aclrtEvent event, uint64_t timeout_ns)
{
    twin_task task = {
        .kind = TWIN_TASK_WAIT, .event_handle = twin_api_handle(event), .timeout_ns = timeout_ns};
    int32_t code = twin_stream_find(twin_api_handle(stream), &task.stream);
    if (code == 0)
        code = twin_event_find(&twin_events, task.event_handle, &task.event);
    if (code != 0)
        return code;
    code = check_host_use(task.event, task.event_handle);
    if (code != 0)
        return code;
    if ((twin_event_form(task.event) &
         (TWIN_EVENT_PLAIN | TWIN_EVENT_SYNC | TWIN_EVENT_EXTERNAL | TWIN_EVENT_IPC)) == 0)
        return refuse_pinned_form(
            task.event_handle,
            "the event was made without ACL_EVENT_SYNC, so no stream can wait for it");
    code = fix_flag(task.event, task.event_handle, TWIN_EVENT_WAITED, TWIN_EVENT_WAITED_EXTERNAL);
    return code != 0 ? code : submit(stream, &task);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(event);
    /* The limit of aclrtSetOpWaitTimeout holds between aclInit and aclFinalize only. */
    uint64_t limit = twin_initialized() ? twin_event_wait_limit() : TWIN_FOREVER;
    return TWIN_LEAVE(wait_event(stream, event, limit));
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    TWIN_ENTER(SUBMIT);
    if (timeout < 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_TIMEOUT_VALUE,
                                    "timeout is %d; it must be 0 (no limit) or a number of seconds",
                                    timeout));
    TWIN_NOT_NULL_BELOW(event);
    return TWIN_LEAVE(
        wait_event(stream, event, timeout == 0 ? TWIN_FOREVER : (uint64_t)timeout * NS_PER_S));
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
                                      uint32_t flag)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtStreamWaitEventWithFlag);
    TWIN_NOT_NULL(event);
    if (flag > ACL_EVENT_WAIT_EXTERNAL)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "flag is %#x; it must be ACL_EVENT_WAIT_DEFAULT (0) or "
                                    "ACL_EVENT_WAIT_EXTERNAL (1)",
                                    flag));
    if (flag == ACL_EVENT_WAIT_EXTERNAL && timeout != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "timeout is %u; with ACL_EVENT_WAIT_EXTERNAL it must be 0 "
                                    "(no limit)",
                                    timeout));
    if (flag == ACL_EVENT_WAIT_EXTERNAL)
        return TWIN_LEAVE(submit_external(event, stream, true));
    return TWIN_LEAVE(
        wait_event(stream, event, timeout == 0 ? TWIN_FOREVER : (uint64_t)timeout * NS_PER_S));
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtSetOpWaitTimeout);
    twin_event_set_wait_limit(timeout);
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* Of an event of aclrtCreateEvent, whose waits bind to its newest record: nothing is left to clear
 * (EVT-78). */
static int32_t reset_plain(twin_event *event, uint64_t event_handle, uint64_t stream_handle)
{
    if (!twin_handle_pin_object(event, event_handle)) /* another thread has destroyed it */
        return twin_event_find(&twin_events, event_handle, &event);
    const twin_device *device = event->device;
    const uint32_t name = event->name;
    twin_handle_unpin(&twin_events, event);
    TWIN_PINNED(stream, captured);
    captured = twin_handle_pin(&twin_streams, stream_handle);
    if (captured &&
        atomic_load_explicit(&captured->halt, memory_order_relaxed) == TWIN_HALT_CAPTURE)
        return refuse_form("events are not reset in a capture");
    twin_stream *stream = NULL;
    int32_t code = twin_stream_lock_own(stream_handle, &stream);
    if (code != 0)
        return code;
    if (stream->device != device)
        code = twin_fail(TWIN_ERR_STREAM_CONTEXT,
                         "event %u is of device %u; the stream is of device %u", name, device->id,
                         stream->device->id);
    else if (twin_stream_is_bound(stream))
        code =
            refuse_form("in a stream of a model instance only events of aclrtCreateEventWithFlag "
                        "with ACL_EVENT_SYNC can be reset");
    twin_lock_drop(&stream->lock);
    return code;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(event);
    twin_task task = {.kind = TWIN_TASK_RESET, .event_handle = twin_api_handle(event)};
    int32_t code = twin_event_find(&twin_events, task.event_handle, &task.event);
    if (code == 0)
        code = twin_stream_find(twin_api_handle(stream), &task.stream);
    if (code == 0) {
        uint32_t form = twin_event_form(task.event);
        if ((form & TWIN_EVENT_PLAIN) != 0)
            return TWIN_LEAVE(reset_plain(task.event, task.event_handle, twin_api_handle(stream)));
        if ((form & TWIN_EVENT_FLAG) == 0 || (form & (TWIN_EVENT_SYNC | TWIN_EVENT_EXTERNAL)) == 0)
            code = refuse_pinned_form(task.event_handle,
                                      "events made by aclrtCreateEventExWithFlag, or without "
                                      "ACL_EVENT_SYNC and ACL_EVENT_EXTERNAL, cannot be reset");
    }
    if (code == 0)
        code = twin_stream_submit(twin_api_handle(stream), &task);
    return TWIN_LEAVE(code);
}

/* Query and host wait -------------------------------------------------------------------------- */

/* The refusal of what the host asks about a pinned event that a capture holds. */
static int32_t check_not_captured(const twin_event *event)
{
    if (__builtin_expect((twin_event_form(event) & TWIN_EVENT_CAPTURED) == 0, 1))
        return 0;
    return twin_fail(TWIN_ERR_EVENT_CAPTURED,
                     "event %u of device %u was recorded in a capture that goes on: there is "
                     "nothing to wait for; call aclmdlRICaptureEnd first",
                     event->name, event->device->id);
}

/* The event pinned, with its signal's state. */
static int32_t query(aclrtEvent event, uint32_t refused_forms, const char *refusal,
                     uint32_t *out_form, twin_signal_state *out_state)
{
    TWIN_PINNED(event, pinned);
    int32_t code = twin_event_pin(&twin_events, twin_api_handle(event), &pinned);
    if (code != 0)
        return code;
    *out_form = twin_event_form(pinned);
    if ((*out_form & refused_forms) != 0)
        return refuse_form(refusal);
    if (out_state->ask != TWIN_ASK_HARDWARE_ID)
        code = check_not_captured(pinned);
    return code != 0 ? code : twin_event_query(pinned, out_state);
}

#define NO_OLD_QUERY                                                                               \
    "this query knows events of aclrtCreateEvent and aclrtCreateEventWithFlag; use "               \
    "aclrtQueryEventStatus"

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(event, status);
    uint32_t form = 0;
    twin_signal_state state = {0};
    int32_t code = query(event, TWIN_EVENT_EX | TWIN_EVENT_EXTERNAL, NO_OLD_QUERY, &form, &state);
    if (code == 0)
        *status = state.complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return TWIN_LEAVE(code);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(event, status);
    uint32_t form = 0;
    twin_signal_state state = {0};
    int32_t code = query(event, TWIN_EVENT_EXTERNAL,
                         "events made with ACL_EVENT_EXTERNAL have no status", &form, &state);
    if (code != 0)
        return TWIN_LEAVE(code);
    /* Without a record an Ex event counts as complete, the older kinds do not. */
    bool complete = state.recorded ? state.complete : (form & TWIN_EVENT_EX) != 0;
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(event, status);
    uint32_t form = 0;
    twin_signal_state state = {.ask = TWIN_ASK_WAITS};
    int32_t code = query(event, TWIN_EVENT_EX | TWIN_EVENT_EXTERNAL, NO_OLD_QUERY, &form, &state);
    if (code == 0)
        *status = state.waits_open == 0 ? ACL_EVENT_WAIT_STATUS_COMPLETE
                                        : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return TWIN_LEAVE(code);
}

static int32_t synchronize(aclrtEvent event, uint64_t timeout_ns)
{
    TWIN_PINNED(event, pinned);
    int32_t code = twin_event_pin(&twin_events, twin_api_handle(event), &pinned);
    if (code != 0)
        return code;
    if ((twin_event_form(pinned) & TWIN_EVENT_EXTERNAL) != 0)
        return refuse_form("the host cannot wait for events made with ACL_EVENT_EXTERNAL");
    code = check_not_captured(pinned);
    return code != 0 ? code : twin_event_wait(pinned, timeout_ns);
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL(event);
    return TWIN_LEAVE(synchronize(event, TWIN_FOREVER));
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    TWIN_ENTER(WAIT);
    uint64_t timeout_ns = 0;
    int32_t code = twin_api_timeout(timeout, &timeout_ns);
    if (code == 0 && !event)
        code = twin_api_null("event");
    return TWIN_LEAVE(code != 0 ? code : synchronize(event, timeout_ns));
}

/* Times and ids -------------------------------------------------------------------------------- */

/* Device time of the newest record of a pinned event. */
static int32_t time_of(const twin_event *event, uint64_t *out_ns)
{
    if ((twin_event_form(event) & (TWIN_EVENT_EXTERNAL | TWIN_EVENT_IPC)) != 0)
        return refuse_form("events made with ACL_EVENT_EXTERNAL or ACL_EVENT_IPC have no time");
    const int32_t code = check_not_captured(event);
    return code != 0 ? code : twin_event_time(event, out_ns);
}

static int32_t elapsed(uint64_t start_event, uint64_t end_event, float *out_ms)
{
    TWIN_PINNED(event, begin);
    TWIN_PINNED(event, end);
    uint64_t begin_ns = 0, end_ns = 0;
    /* A dead handle is reported before a missing time, and that of endEvent first. */
    int32_t code = twin_event_pin(&twin_events, end_event, &end);
    if (code == 0)
        code = twin_event_pin(&twin_events, start_event, &begin);
    if (code == 0)
        code = time_of(begin, &begin_ns);
    if (code == 0)
        code = time_of(end, &end_ns);
    if (code == 0)
        *out_ms =
            (float)(twin_event_elapsed(begin, end, (double)end_ns - (double)begin_ns) / NS_PER_MS);
    return code;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(ms, startEvent, endEvent);
    return TWIN_LEAVE(elapsed(twin_api_handle(startEvent), twin_api_handle(endEvent), ms));
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(event, timestamp);
    uint64_t time_ns = 0;
    twin_event *pinned = NULL;
    int32_t code = twin_event_pin(&twin_events, twin_api_handle(event), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    code = time_of(pinned, &time_ns);
    if (code == 0)
        *timestamp = time_ns / NS_PER_US;
    twin_event_unpin(pinned);
    return TWIN_LEAVE(code);
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(event, eventId);
    uint32_t form = 0;
    twin_signal_state state = {.ask = TWIN_ASK_HARDWARE_ID};
    int32_t code =
        query(event, TWIN_EVENT_IPC, "events made with ACL_EVENT_IPC have no id", &form, &state);
    if (code == 0 && !state.has_hardware_id)
        code = twin_fail(TWIN_ERR_INTERNAL,
                         "the event holds no hardware id now: it has no record outstanding, or no "
                         "stream can wait for it");
    if (code == 0)
        *eventId = state.hardware_id;
    return TWIN_LEAVE(code);
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(eventCount);
    return TWIN_LEAVE(twin_event_available(eventCount));
}
