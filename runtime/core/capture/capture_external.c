/* SPDX-License-Identifier: Apache-2.0 */
/* Events that a graph shares with what is outside of it: docs/decisions/0041-captures.md. */
#include "core/backend/error.h"
#include "core/capture/capture_parts.h"
#include "core/model_instance/instance_parts.h"

static int32_t check_event(const twin_instance *instance, uint64_t event, bool waits)
{
    for (uint32_t i = 0; i < instance->external_count; i++) {
        const twin_external *one = &instance->externals[i];
        if (one->event == event)
            return twin_fail(
                TWIN_ERR_PARAM_RELATION,
                "the event is %s outside in this graph already, and is %s now; a graph "
                "uses an event once in such a way",
                one->waits ? "waited for from" : "recorded to", waits ? "waited for" : "recorded");
    }
    return 0;
}

static int32_t add(twin_capture_lane *lane, uint64_t event, bool waits)
{
    twin_instance *instance = lane->capture->instance;
    if (instance->root)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "model instance %u is a graph of a conditional task, which shares no "
                         "events with the outside",
                         instance->id);
    if (lane->capture->open_groups > 0)
        return twin_capture_break_group(
            lane, twin_fail(lane->group ? TWIN_ERR_TASK_TYPE : TWIN_ERR_GROUP_INTERRUPTED,
                            "a task group of the capture is open, which takes kernels only; call "
                            "aclmdlRICaptureTaskGrpEnd first"));
    int32_t code = check_event(instance, event, waits);
    if (code == 0 &&
        !twin_instance_make_room((void **)&instance->externals, instance->external_count,
                                 &instance->external_room, sizeof(*instance->externals)))
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory to capture an event");
    if (code != 0)
        return code;
    instance->externals[instance->external_count++] =
        (twin_external){.event = event, .waits = waits};
    TWIN_LOCKED(&lane->stream->lock);
    lane->tail.last_edge = NULL;
    lane->tail.last = twin_capture_this_call();
    return 0;
}

static int32_t check_device(const twin_stream *stream, const twin_event *event)
{
    return event->device == stream->device
               ? 0
               : twin_fail(TWIN_ERR_STREAM_CONTEXT,
                           "the event was made on another device than stream %u, which is in "
                           "capture",
                           stream->id);
}

int32_t twin_capture_external(uint64_t stream_handle, uint64_t event, bool waits)
{
    TWIN_PINNED(stream, stream);
    TWIN_PINNED(event, pinned);
    int32_t code = twin_stream_pin_own(stream_handle, &stream);
    if (code == 0)
        code = twin_event_pin(&twin_events, event, &pinned);
    if (code == 0 && !waits)
        code = check_device(stream, pinned);
    if (code != 0)
        return code;
    TWIN_LOCKED(&twin_capture_lock);
    twin_capture_lane *lane = NULL;
    code = twin_capture_lane_of(stream, &lane);
    if (code == 0)
        code = twin_device_check_software_queues(stream->device, "external events");
    return code != 0 ? code : add(lane, event, waits);
}
