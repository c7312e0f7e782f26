/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances that a capture makes: their streams and events are the runtime's own. */
#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/model_instance/instance_parts.h"
#include "core/model_instance/stored_task.h"
#include "core/model_instance/task_group.h"
#include "core/object/event.h"

int32_t twin_instance_add_lane(twin_instance *instance, bool head, twin_stream **out_stream)
{
    uint64_t handle = 0;
    int32_t code = twin_stream_create(instance->context, 0,
                                      TWIN_STREAM_PERSISTENT | TWIN_STREAM_LANE, false, &handle);
    if (code != 0)
        return code;
    TWIN_PINNED(stream, stream);
    code = twin_stream_pin(handle, &stream);
    if (code != 0)
        return code;
    bool busy = false;
    twin_lock_take(&stream->lock);
    twin_lock_take(&instance->lock);
    code = twin_instance_bind_locked(instance, stream, head && !instance->root, &busy);
    twin_lock_drop(&instance->lock);
    twin_lock_drop(&stream->lock);
    if (code != 0 || busy) { /* an instance in capture has no run */
        twin_stream_retire(stream);
        return code != 0 ? code
                         : twin_fail(TWIN_ERR_INTERNAL, "model instance %u runs", instance->id);
    }
    *out_stream = stream;
    stream = NULL; /* the pin is the model instance's now */
    return 0;
}

int32_t twin_instance_add_start(twin_instance *instance, twin_stream **out_stream)
{
    twin_lock_take(&instance->lock);
    instance->seen_count = instance->bound_count;
    twin_lock_drop(&instance->lock);
    return twin_instance_add_lane(instance, true, out_stream);
}

int32_t twin_instance_unhead_lane(const twin_instance *instance, const twin_stream *stream)
{
    twin_status status = twin_ops()->model_instance.unbind(instance->hw, stream->queue);
    if (status == TWIN_OK)
        status = twin_ops()->model_instance.bind(instance->hw, stream->queue, false);
    return twin_instance_fail_work(status, stream->id, stream->device->id);
}

int32_t twin_instance_continue_lane(twin_stream *from, const twin_stream *to)
{
    twin_stored_task *stored = twin_stored_prepare_other(from, to);
    twin_status status = stored ? twin_ops()->work.activate(from->queue, to->queue) : TWIN_E_NOMEM;
    status = twin_device_note(from->device, twin_stored_end(from, stored, status));
    return twin_instance_fail_work(status, from->id, from->device->id);
}

int32_t twin_instance_add_edge(twin_instance *instance, twin_event **out_event)
{
    if (!twin_instance_make_room((void **)&instance->edges, instance->edge_count,
                                 &instance->edge_room, sizeof(*instance->edges)))
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for an event of a model instance");
    uint64_t handle = 0;
    int32_t code = twin_event_create(TWIN_EVENT_FLAG | TWIN_EVENT_SYNC, &handle);
    if (code == 0)
        code = twin_event_pin(&twin_events, handle, out_event);
    if (code != 0)
        return code;
    instance->edges[instance->edge_count++] = *out_event;
    atomic_fetch_add_explicit(&instance->device->captured_events, 1, memory_order_relaxed);
    return 0;
}

void twin_instance_free_edges(twin_instance *instance)
{
    for (uint32_t i = 0; i < instance->edge_count; i++) {
        (void)twin_event_retire(instance->edges[i]);
        twin_event_unpin(instance->edges[i]);
    }
    atomic_fetch_sub_explicit(&instance->device->captured_events, instance->edge_count,
                              memory_order_relaxed);
    instance->edge_count = 0;
    twin_free(instance->edges);
    instance->edges = NULL;
    twin_groups_end(instance);
}

int32_t twin_instance_finish(twin_instance *instance, twin_stream *stream)
{
    TWIN_LOCKED(&instance->lock);
    const twin_status status =
        twin_device_note(stream->device, twin_ops()->work.end(stream->queue));
    int32_t code = twin_instance_fail_work(status, stream->id, stream->device->id);
    if (code != 0)
        return code;
    instance->end_stream = stream;
    code = twin_instance_seal_locked(instance);
    instance->built = code == 0;
    instance->capturing = code != 0;
    return code;
}

void twin_instance_begin_graph(twin_instance *graph)
{
    TWIN_LOCKED(&graph->lock);
    graph->begun = graph->capturing = true;
}

void twin_instance_finish_graph(twin_instance *graph, const twin_stream *entry)
{
    TWIN_LOCKED(&graph->lock);
    graph->entry = entry;
    graph->capturing = false;
}

void twin_instance_discard(twin_instance *instance)
{
    twin_lock_take(&instance->lock);
    const bool mine = !instance->ended;
    instance->destroying = instance->ended = true;
    twin_lock_drop(&instance->lock);
    if (mine)
        twin_instance_take_apart(instance);
}
