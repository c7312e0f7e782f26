/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/stream.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/log.h"
#include "core/object/state_callback.h"
#include "core/object/users.h"

#define DRAIN_ALL_INLINE 32

static void construct(void *object)
{
    twin_stream *stream = object;
    twin_lock_init(&stream->lock, TWIN_RANK_STREAM);
}

static void release(void *object)
{
    twin_stream *stream = object;
    twin_device *device = stream->device;
    uint32_t id = stream->id;
    /* A thread that found the stream alive and holds its lock finishes first; later ones see it
     * dead. */
    twin_lock_take(&stream->lock);
    twin_lock_drop(&stream->lock);
    twin_ops()->queue.destroy(stream->queue);
    if ((stream->flags & TWIN_STREAM_LANE) != 0)
        atomic_fetch_sub_explicit(&device->captured_streams, 1, memory_order_relaxed);
    twin_users.stream_released(stream);
    twin_handle_free(&twin_streams, stream);
    twin_device_drop_stream_id(device, id);
}

twin_handle_table twin_streams =
    TWIN_HANDLE_TABLE_INITIALIZER("stream", TWIN_HANDLE_STREAM, twin_stream, construct, release);

/* Create and destroy --------------------------------------------------------------------------- */

/* Lists the stream in its context. False: the context is being destroyed. */
static bool list_stream(twin_stream *stream)
{
    twin_context *context = stream->context;
    TWIN_LOCKED(&context->lock);
    if (context->closing)
        return false;
    DL_PREPEND2(context->streams, stream, previous, next);
    context->stream_count++;
    return true;
}

void twin_stream_retire(twin_stream *stream)
{
    twin_context *context = stream->context;
    twin_lock_take(&context->lock);
    /* Under the lock, so that the list has live streams only. */
    if (twin_handle_retire(stream)) {
        DL_DELETE2(context->streams, stream, previous, next);
        context->stream_count--;
    }
    twin_lock_drop(&context->lock);
    twin_users.stream_retired(stream);
}

uint32_t twin_stream_clamp_priority(const twin_device *device, uint32_t priority)
{
    const uint32_t lowest = device->properties->priority_count - 1;
    if (priority > INT32_MAX)
        return 0;
    return priority < lowest ? priority : lowest;
}

int32_t twin_stream_create(twin_context *context, uint32_t priority, uint32_t flags,
                           bool is_default, uint64_t *out_handle)
{
    twin_device *device = context->device;
    uint32_t id = 0;
    int32_t code = twin_device_take_stream_id(device, is_default && context->primary, &id);
    if (code != 0)
        return code;
    twin_stream *stream = twin_handle_alloc(&twin_streams);
    if (!stream) {
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a stream");
        goto drop_id;
    }
    stream->device = device;
    stream->context = context;
    atomic_store_explicit(&stream->context_handle, context->object.handle, memory_order_relaxed);
    stream->id = id;
    stream->priority = twin_stream_clamp_priority(device, priority);
    stream->flags = flags;
    twin_core_share_reset(&stream->share);
    stream->saturation = twin_saturation_now(device->properties);
    stream->is_default = is_default;
    stream->destroying = false;
    atomic_store_explicit(&stream->instance, NULL, memory_order_relaxed);
    atomic_store_explicit(&stream->halt, 0, memory_order_relaxed);
    stream->overflow_switch = stream->cache_info = 0;
    stream->custom_tag = TWIN_STREAM_NO_TAG;
    atomic_store_explicit(&stream->stops, false, memory_order_relaxed);
    stream->overflows_hidden = false;
    stream->host_functions = false;
    stream->allocator = NULL;
    stream->subscriber = NULL;
    stream->label_lists = NULL;
    stream->lane = NULL;
    stream->updates = NULL;
    stream->stored = (twin_stored_tasks){.first = NULL};

    const twin_queue_config config = {.id = id,
                                      .priority = stream->priority,
                                      .fast_launch = (flags & TWIN_STREAM_FAST_LAUNCH) != 0,
                                      .fast_sync = (flags & TWIN_STREAM_FAST_SYNC) != 0,
                                      .deferred = (flags & TWIN_STREAM_PERSISTENT) != 0,
                                      .is_default = is_default,
                                      .group = context->name};
    twin_status status =
        twin_device_note(device, twin_ops()->queue.create(device->hw, &config, &stream->queue));
    if (status != TWIN_OK) {
        char owners[256], instances[TWIN_INSTANCES_TEXT];
        twin_device_list_owners(device, owners, sizeof(owners));
        twin_device_list_instances(device, instances);
        code =
            twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                             "device %u cannot create a queue for stream %u (streams in use: %s)%s",
                             device->id, id, owners, instances);
        goto free_stream;
    }
    uint64_t handle = stream->object.handle;
    if ((flags & TWIN_STREAM_LANE) != 0)
        atomic_fetch_add_explicit(&device->captured_streams, 1, memory_order_relaxed);
    twin_handle_publish_pinned(stream);
    if (!list_stream(stream)) {
        twin_handle_retire(stream);
        twin_stream_unpin(stream);
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "the current context is being destroyed");
    }
    twin_stream_unpin(stream);
    if (!is_default && (flags & TWIN_STREAM_LANE) == 0)
        twin_announce_stream(handle, TWIN_NEWS_CREATE_POST);
    *out_handle = handle;
    return 0;

free_stream:
    twin_handle_free(&twin_streams, stream);
drop_id:
    twin_device_drop_stream_id(device, id);
    return code;
}

int32_t twin_stream_fail_handle(uint64_t handle)
{
    return twin_fail_handle("stream", handle);
}

int32_t twin_stream_fail_foreign(const twin_stream *stream)
{
    return twin_fail(TWIN_ERR_STREAM_CONTEXT,
                     "stream %u of device %u belongs to another context than this thread's; "
                     "call aclrtSetCurrentContext or aclrtSetDevice first",
                     stream->id, stream->device->id);
}

/* Refuses new work on a pinned stream from now on. */
static int32_t begin_destroy(twin_stream *stream, uint64_t handle)
{
    twin_lock_take(&stream->lock);
    bool first = !stream->destroying;
    bool bound = twin_stream_is_bound(stream);
    const uint8_t halt = atomic_load_explicit(&stream->halt, memory_order_relaxed);
    const bool captured = (halt & TWIN_HALT_CAPTURE) != 0;
    if (!bound && !captured)
        stream->destroying = true;
    twin_lock_drop(&stream->lock);
    if (!first)
        return twin_stream_fail_handle(handle);
    if (captured)
        return twin_stream_fail_halted(TWIN_HALT_CAPTURE, stream->id, stream->device->id);
    if (bound)
        return twin_fail(TWIN_ERR_STREAM_MODEL,
                         "stream %u of device %u is bound to a model instance; call "
                         "aclmdlRIUnbindStream or aclmdlRIDestroy first",
                         stream->id, stream->device->id);
    return 0;
}

static void cancel_destroy(twin_stream *stream)
{
    TWIN_LOCKED(&stream->lock);
    stream->destroying = false;
}

int32_t twin_stream_destroy(uint64_t handle, bool force)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code != 0)
        return code;
    if (stream->is_default)
        return twin_fail(TWIN_ERR_PARAM,
                         "stream %u is the default stream of a context and ends with it",
                         stream->id);
    code = begin_destroy(stream, stream->object.handle);
    if (code != 0)
        return code;
    const struct twin_backend *ops = twin_ops();
    twin_assert_unlocked("queue.drain with a lock held");
    twin_status status = force ? TWIN_OK : ops->queue.drain(stream->queue, TWIN_FOREVER);
    twin_device_note(stream->device, status);
    if (status != TWIN_OK)
        twin_users.stream_failed(stream);
    if (twin_wait_given_up(status)) {
        cancel_destroy(stream);
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "stream %u of device %u cannot finish its work and stays; record "
                                "what it waits for, or call aclrtDestroyStreamForce",
                                stream->id, stream->device->id);
    }
    if (status != TWIN_OK)
        twin_log(TWIN_LOG_WARNING, "stream %u of device %u is destroyed with a failed task: %s",
                 stream->id, stream->device->id, twin_status_text(status));
    if (force || status != TWIN_OK)
        ops->queue.abort(stream->queue);
    twin_announce_stream(stream->object.handle, TWIN_NEWS_DESTROY_PRE);
    twin_stream_retire(stream);
    return 0;
}

/* Find ----------------------------------------------------------------------------------------- */

int32_t twin_stream_check_found(twin_stream *found, uint64_t handle, twin_context **out_context)
{
    int32_t code = twin_context_current(out_context);
    if (code != 0 || !found || twin_stream_context_handle(found) == twin_self.context)
        return code;
    if (!twin_handle_pin_object(found, handle))
        return twin_stream_fail_handle(handle);
    code = twin_stream_fail_foreign(found);
    twin_stream_unpin(found);
    return code;
}

int32_t twin_stream_check_own(uint64_t handle, twin_context **out_context)
{
    twin_stream *found = NULL;
    int32_t code = twin_stream_find(handle, &found);
    return code != 0 ? code : twin_stream_check_found(found, handle, out_context);
}

int32_t twin_stream_pin(uint64_t handle, twin_stream **out_stream)
{
    if (handle == 0) {
        twin_context *context = NULL;
        int32_t code = twin_context_current(&context);
        if (code != 0)
            return code;
        handle = atomic_load_explicit(&context->default_stream, memory_order_relaxed);
    }
    twin_stream *stream = twin_handle_pin(&twin_streams, handle);
    if (__builtin_expect(!stream, 0))
        return twin_stream_fail_handle(handle);
    *out_stream = stream;
    return 0;
}

/* Pins what twin_stream_find() found; NULL: the default stream of the context. */
static int32_t pin_found(twin_stream *stream, uint64_t handle, twin_context *context,
                         twin_stream **out_stream)
{
    if (!stream) {
        handle = atomic_load_explicit(&context->default_stream, memory_order_relaxed);
        stream = twin_handle_find(&twin_streams, handle);
    }
    if (__builtin_expect(!stream || !twin_handle_pin_object(stream, handle), 0))
        return twin_stream_fail_handle(handle);
    *out_stream = stream;
    return 0;
}

int32_t twin_stream_pin_current(uint64_t handle, twin_stream **out_stream)
{
    twin_stream *stream = NULL;
    twin_context *context = NULL;
    int32_t code = twin_stream_find(handle, &stream);
    if (code == 0)
        code = twin_context_current(&context);
    return code != 0 ? code : pin_found(stream, handle, context, out_stream);
}

int32_t twin_stream_check_named(uint64_t handle)
{
    twin_context *context = NULL;
    if (handle != 0 || twin_context_current(&context) == 0)
        return 0;
    return twin_fail(TWIN_ERR_PARAM,
                     "stream is NULL, and this thread has no context that has a default stream; "
                     "call aclrtSetDevice or aclrtSetCurrentContext");
}

int32_t twin_stream_pin_own(uint64_t handle, twin_stream **out_stream)
{
    int32_t code = twin_stream_pin_current(handle, out_stream);
    if (code != 0 || twin_stream_context_handle(*out_stream) == twin_self.context)
        return code;
    code = twin_stream_fail_foreign(*out_stream);
    twin_stream_unpin(*out_stream);
    *out_stream = NULL;
    return code;
}

/* Wait ----------------------------------------------------------------------------------------- */

int32_t twin_stream_fail_halted(uint8_t halt, uint32_t id, uint32_t device_id)
{
    if (halt == TWIN_HALT_CAPTURE)
        return twin_fail(TWIN_ERR_STREAM_CAPTURED,
                         "stream %u of device %u is in capture: its work is not executed, and "
                         "nothing waits for it; call aclmdlRICaptureEnd first",
                         id, device_id);
    if (halt == TWIN_HALT_UPDATE)
        return twin_fail(TWIN_ERR_GROUP_STATUS,
                         "stream %u of device %u updates a task group; call "
                         "aclmdlRICaptureTaskUpdateEnd first",
                         id, device_id);
    twin_status status = (halt & TWIN_HALT_DEVICE) != 0 ? TWIN_E_DEVICE_ABORTED : TWIN_E_ABORTED;
    return twin_refused(twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u",
                                         id, device_id));
}

int32_t twin_stream_check_not_captured(const twin_stream *stream)
{
    return __builtin_expect(
               atomic_load_explicit(&stream->halt, memory_order_relaxed) != TWIN_HALT_CAPTURE, 1)
               ? 0
               : twin_stream_fail_halted(TWIN_HALT_CAPTURE, stream->id, stream->device->id);
}

int32_t twin_stream_drain(twin_stream *stream, uint64_t timeout_ns)
{
    twin_assert_unlocked("queue.drain with a lock held");
    uint8_t halt = atomic_load_explicit(&stream->halt, memory_order_relaxed);
    if (__builtin_expect((halt & ~TWIN_HALT_UPDATE) != 0, 0))
        return twin_stream_fail_halted(halt, stream->id, stream->device->id);
    twin_status status = twin_ops()->queue.drain(stream->queue, timeout_ns);
    if (__builtin_expect(status == TWIN_OK, 1)) {
        twin_users.work_completed();
        return 0;
    }
    twin_device_note(stream->device, status);
    twin_users.stream_failed(stream);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u", stream->id,
                            stream->device->id);
}

int32_t twin_stream_query(const twin_stream *stream, bool *out_idle)
{
    *out_idle = true;
    if ((stream->flags & TWIN_STREAM_PASSIVE) != 0)
        return 0;
    if (__builtin_expect(
            atomic_load_explicit(&stream->halt, memory_order_relaxed) == TWIN_HALT_CAPTURE, 0))
        return twin_stream_fail_halted(TWIN_HALT_CAPTURE, stream->id, stream->device->id);
    twin_status status =
        twin_device_note(stream->device, twin_ops()->queue.query(stream->queue, out_idle));
    return __builtin_expect(status == TWIN_OK, 1)
               ? 0
               : twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u",
                                  stream->id, stream->device->id);
}

/* Pins up to `room` streams of a context that have their own work to wait for. Returns how many
 * there are. */
static uint32_t pin_streams(twin_context *context, twin_stream **streams, uint32_t room)
{
    uint32_t count = 0;
    TWIN_LOCKED(&context->lock);
    for (twin_stream *stream = context->streams; stream; stream = stream->next) {
        if ((stream->flags & TWIN_STREAM_PASSIVE) != 0)
            continue;
        if (count < room && !twin_handle_pin_object(stream, stream->object.handle))
            continue;
        if (count < room)
            streams[count] = stream;
        count++;
    }
    return count;
}

/* Drains pinned streams and unpins them. The first failure counts; a timeout ends the waiting. */
static int32_t drain_pinned(twin_stream **streams, uint32_t count, uint64_t timeout_ns)
{
    const struct twin_backend *ops = twin_ops();
    uint64_t begin = ops->host.now();
    int32_t first_code = 0;
    bool waiting = true;
    /* The list is newest first; oldest first reads better in a trace. */
    for (uint32_t i = count; i > 0; i--) {
        twin_stream *stream = streams[i - 1];
        uint64_t left = timeout_ns;
        if (timeout_ns != TWIN_FOREVER) {
            uint64_t spent = ops->host.now() - begin;
            left = spent < timeout_ns ? timeout_ns - spent : 0;
        }
        if (waiting) {
            int32_t code = twin_stream_drain(stream, left);
            if (first_code == 0)
                first_code = code;
            waiting = code != TWIN_CODE_STREAM_TIMEOUT;
        }
        twin_stream_unpin(stream);
    }
    return first_code;
}

int32_t twin_stream_drain_context(twin_context *context, uint64_t timeout_ns)
{
    int32_t code = 0;
    twin_stream *few[DRAIN_ALL_INLINE];
    twin_stream **streams = few;
    uint32_t room = DRAIN_ALL_INLINE;
    uint32_t count = pin_streams(context, streams, room);
    while (count > room) {
        for (uint32_t i = 0; i < room; i++)
            twin_stream_unpin(streams[i]);
        twin_stream **more = twin_regrow(streams == few ? NULL : streams, count, sizeof(*streams));
        if (!more) {
            code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a list of %u streams", count);
            goto done;
        }
        streams = more;
        room = count;
        count = pin_streams(context, streams, room);
    }
    code = drain_pinned(streams, count, timeout_ns);
done:
    if (streams != few)
        twin_free(streams);
    return code;
}

int32_t twin_stream_drain_all(uint64_t timeout_ns)
{
    TWIN_PINNED(context, context);
    const int32_t code = twin_context_pin_current(&context);
    return code != 0 ? code : twin_stream_drain_context(context, timeout_ns);
}
