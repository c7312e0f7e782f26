/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/stream_control.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"

static int32_t result_of(const twin_stream *stream, twin_status status)
{
    twin_device_note(stream->device, status);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u", stream->id,
                            stream->device->id);
}

/* Whether the holder of a stream's lock may be waiting inside the backend for what the caller is
 * about to do. */
static bool locks_wait(void)
{
    return (twin_ops()->flags & TWIN_BACKEND_WAITS) != 0;
}

/* Sets TWIN_HALT_STREAM on a pinned stream; refused while an abort runs. */
static int32_t begin_halt(twin_stream *stream)
{
    bool locked = !locks_wait();
    if (locked)
        twin_lock_take(&stream->lock);
    uint8_t halt = 0;
    (void)atomic_compare_exchange_strong_explicit(&stream->halt, &halt, TWIN_HALT_STREAM,
                                                  memory_order_relaxed, memory_order_relaxed);
    if (locked)
        twin_lock_drop(&stream->lock);
    return halt == 0 ? 0 : twin_stream_fail_halted(halt, stream->id, stream->device->id);
}

static void end_halt(twin_stream *stream)
{
    TWIN_LOCKED(&stream->lock);
    atomic_fetch_and_explicit(&stream->halt, (uint8_t)~TWIN_HALT_STREAM, memory_order_relaxed);
}

/* Its work is the instance's, which is aborted by itself. */
static int32_t refuse_bound(const twin_stream *stream, twin_error error)
{
    if (!twin_stream_is_bound(stream))
        return 0;
    return twin_fail(error, "stream %u is bound to a model instance", stream->id);
}

static int32_t refuse_device_only(const twin_stream *stream)
{
    if ((stream->flags & TWIN_STREAM_DEVICE_ONLY) == 0)
        return 0;
    return twin_fail(TWIN_ERR_UNSUPPORTED, "stream %u was made for use by the device only",
                     stream->id);
}

int32_t twin_stream_abort(uint64_t handle)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_check_named(handle);
    if (code == 0)
        code = twin_stream_pin_own(handle, &stream);
    if (code == 0)
        code = refuse_device_only(stream);
    if (code == 0)
        code = refuse_bound(stream, TWIN_ERR_INTERNAL);
    if (code == 0)
        code = begin_halt(stream);
    if (code != 0)
        return code;
    code = result_of(stream, twin_ops()->queue.abort(stream->queue));
    end_halt(stream);
    return code;
}

int32_t twin_stream_stop(uint64_t handle)
{
    if (handle == 0)
        return twin_fail(TWIN_ERR_PARAM_NULL,
                         "stream is NULL; the default stream cannot be stopped");
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code == 0)
        code = refuse_bound(stream, TWIN_ERR_INTERNAL);
    if (code != 0)
        return code;
    uint8_t halt = atomic_load_explicit(&stream->halt, memory_order_relaxed);
    return halt != 0 ? twin_stream_fail_halted(halt, stream->id, stream->device->id)
                     : result_of(stream, twin_ops()->queue.stop(stream->queue));
}

/* The order of these checks is the catalogue's (STR-59, STR-61): the mode in force needs no
 * context. */
static int32_t set_mode(twin_stream *stream, bool stop)
{
    int32_t code = refuse_device_only(stream);
    if (code == 0)
        code = refuse_bound(stream, TWIN_ERR_UNSUPPORTED);
    const bool stops = atomic_load_explicit(&stream->stops, memory_order_relaxed);
    if (code != 0 || (!stops && !stop))
        return code;
    if (!stop)
        return twin_fail(TWIN_ERR_UNSUPPORTED, "stream %u stops on failure, which cannot be undone",
                         stream->id);
    if (!stops && twin_stream_context_handle(stream) != twin_self.context)
        return twin_stream_fail_foreign(stream);
    /* Also when it stops already: after a failure it has stopped, which refuses the mode. */
    code = result_of(stream, twin_ops()->queue.stop_on_failure(stream->queue));
    if (code != 0)
        return code;
    atomic_store_explicit(&stream->stops, true, memory_order_relaxed);
    TWIN_PINNED(context, context);
    context = twin_stream_pin_context(stream);
    if (context) /* else another thread has ended it, and its place may be another's */
        atomic_store_explicit(&context->stops, true, memory_order_relaxed);
    return 0;
}

int32_t twin_stream_set_failure_mode(uint64_t handle, uint64_t mode)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_check_named(handle);
    if (code == 0)
        code = twin_stream_pin_current(handle, &stream);
    return code != 0 ? code : set_mode(stream, (mode & TWIN_STOP_ON_FAILURE) != 0);
}

static int32_t set_priority(twin_stream *stream, uint32_t priority)
{
    if ((stream->flags & (TWIN_STREAM_CPU_SCHEDULE | TWIN_STREAM_DEVICE_ONLY)) != 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u was made with flags %#x: the device schedules its tasks",
                         stream->id, stream->flags);
    priority = twin_stream_clamp_priority(stream->device, priority);
    int32_t code = result_of(stream, twin_ops()->queue.set_priority(stream->queue, priority));
    if (code == 0)
        atomic_store_explicit(&stream->priority, priority, memory_order_relaxed);
    return code;
}

int32_t twin_stream_set_priority(uint64_t handle, uint32_t priority)
{
    if (handle == 0)
        return twin_fail(TWIN_ERR_PARAM_NULL,
                         "stream is NULL; the default stream keeps its priority");
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    return code != 0 ? code : set_priority(stream, priority);
}

static void halt_context(twin_context *context, bool halted)
{
    TWIN_LOCKED(&context->lock);
    for (twin_stream *stream = context->streams; stream; stream = stream->next) {
        bool locked = !halted || !locks_wait();
        if (locked)
            twin_lock_take(&stream->lock);
        if (halted)
            atomic_fetch_or_explicit(&stream->halt, TWIN_HALT_DEVICE, memory_order_relaxed);
        else
            atomic_fetch_and_explicit(&stream->halt, (uint8_t)~TWIN_HALT_DEVICE,
                                      memory_order_relaxed);
        if (locked)
            twin_lock_drop(&stream->lock);
    }
}

void twin_stream_halt_all(twin_device *device, bool halted)
{
    TWIN_LOCKED(&device->lock);
    for (twin_context *context = device->contexts; context; context = context->next)
        halt_context(context, halted);
}
