/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/context.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/state_callback.h"
#include "core/object/stream.h"
#include "core/object/users.h"

static void construct(void *object)
{
    twin_context *context = object;
    twin_lock_init(&context->lock, TWIN_RANK_CONTEXT);
    twin_cond_init(&context->changed);
}

static void release(void *object)
{
    twin_context *context = object;
    twin_device *device = context->device;
    twin_handle_free(&twin_contexts, context);
    twin_device_drop_object(device);
}

twin_handle_table twin_contexts =
    TWIN_HANDLE_TABLE_INITIALIZER("context", TWIN_HANDLE_CONTEXT, twin_context, construct, release);

/* Relaxed: a plain number; no other data is published with it. */
static _Atomic int32_t default_device = -1;

void twin_context_set_default_device(int32_t device_id)
{
    atomic_store_explicit(&default_device, device_id, memory_order_relaxed);
}

int32_t twin_context_default_device(void)
{
    return atomic_load_explicit(&default_device, memory_order_relaxed);
}

static void list_context(twin_context *context, bool listed)
{
    twin_device *device = context->device;
    TWIN_LOCKED(&device->lock);
    if (listed) {
        DL_PREPEND2(device->contexts, context, previous, next);
        device->explicit_contexts += !context->primary;
    } else {
        DL_DELETE2(device->contexts, context, previous, next);
        device->explicit_contexts -= !context->primary;
    }
    twin_cond_broadcast(&device->changed);
}

int32_t twin_context_create(twin_device *device, bool primary, uint64_t *out_handle)
{
    if (!twin_device_add_object(device, primary))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    twin_context *context = twin_handle_alloc(&twin_contexts);
    if (!context) {
        twin_device_drop_object(device);
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a context");
    }
    context->device = device;
    context->primary = primary;
    atomic_store_explicit(&context->stops, false, memory_order_relaxed);
    context->closing = false;
    context->streams = NULL;
    context->stream_count = 0;
    context->instances = NULL;
    context->service = NULL;
    context->service_starts = false;
    twin_options_reset(&context->options);
    twin_lock_take(&device->lock);
    context->name = device->context_names++;
    twin_lock_drop(&device->lock);

    uint64_t stream = 0;
    int32_t code = twin_stream_create(context, 0, 0, true, &stream);
    if (code != 0) {
        release(context);
        return code;
    }
    atomic_store_explicit(&context->default_stream, stream, memory_order_relaxed);
    /* Live before it is listed: a reset that finds it in the list pins it. */
    *out_handle = twin_handle_publish_pinned(context);
    list_context(context, true);
    /* The stream of a default context is reported when its device is set. */
    if (!primary)
        twin_announce_stream(stream, TWIN_NEWS_CREATE_POST);
    twin_context_unpin(context);
    return 0;
}

/* The context's first stream, pinned; NULL when none is left. */
static twin_stream *pin_first_stream(twin_context *context)
{
    TWIN_LOCKED(&context->lock);
    twin_stream *stream = context->streams;
    /* Listed streams are alive: retiring takes them off under this lock. */
    return stream && twin_handle_pin_object(stream, stream->object.handle) ? stream : NULL;
}

bool twin_context_close(twin_context *context, int32_t *out_code)
{
    twin_lock_take(&context->lock);
    bool first = !context->closing;
    context->closing = true;
    twin_lock_drop(&context->lock);
    if (!first)
        return false;

    const struct twin_backend *ops = twin_ops();
    /* First what streams are bound to. */
    int32_t first_code = twin_users.context_closing(context);
    twin_stream *stream;
    while ((stream = pin_first_stream(context)) != NULL) {
        twin_lock_take(&stream->lock);
        stream->destroying = true;
        twin_lock_drop(&stream->lock);
        twin_assert_unlocked("queue.drain with a lock held");
        twin_status status = twin_device_note(
            context->device,
            ops->queue.drain(stream->queue, twin_device_patience(context->device)));
        if (twin_wait_given_up(status)) {
            int32_t code = twin_fail_status(
                status, TWIN_CODE_STREAM_TIMEOUT,
                "stream %u of device %u has work that can never end; it is dropped", stream->id,
                context->device->id);
            if (first_code == 0)
                first_code = code;
        }
        if (status != TWIN_OK) {
            twin_users.stream_failed(stream);
            ops->queue.abort(stream->queue);
        }
        twin_announce_stream(stream->object.handle, TWIN_NEWS_DESTROY_PRE);
        twin_stream_retire(stream);
        twin_stream_unpin(stream);
    }
    twin_users.context_emptied(context);
    if (twin_handle_retire(context))
        list_context(context, false);
    *out_code = first_code;
    return true;
}

int32_t twin_context_create_explicit(int32_t device_id, uint64_t *out_handle)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(device_id, &device);
    if (code != 0)
        return code;
    code = twin_device_retain(device);
    if (code != 0)
        return code;
    code = twin_context_create(device, false, out_handle);
    if (code == 0)
        twin_self.context = *out_handle;
    int32_t settle_code = twin_device_release(device);
    return code != 0 ? code : settle_code;
}

static int32_t fail_handle(twin_error error, uint64_t handle)
{
    return twin_fail(error,
                     "%#llx is not a valid context handle: the context was destroyed, its device "
                     "was reset, or it never was one",
                     (unsigned long long)handle);
}

static int32_t refuse_destroy(const twin_context *context)
{
    if (context->primary)
        return twin_fail(TWIN_ERR_CONTEXT_NULL,
                         "the default context of device %u ends with aclrtResetDevice only",
                         context->device->id);
    if (twin_self.serves_context == context->object.handle)
        return twin_fail(TWIN_ERR_SETUP,
                         "a host function must not destroy the context that runs it");
    return 0;
}

int32_t twin_context_destroy(uint64_t handle)
{
    twin_context *context = twin_handle_pin(&twin_contexts, handle);
    if (!context)
        return fail_handle(TWIN_ERR_CONTEXT_NULL, handle);
    twin_device *device = context->device;
    int32_t code = 0;
    const int32_t refusal = refuse_destroy(context);
    const bool closed = refusal == 0 && twin_context_close(context, &code);
    twin_context_unpin(context);
    if (!closed)
        return refusal != 0
                   ? refusal
                   : twin_fail(TWIN_ERR_CONTEXT_NULL, "another thread is destroying the context");
    if (twin_self.context == handle)
        twin_self.context = 0;
    int32_t settle_code = twin_device_settle(device);
    return code != 0 ? code : settle_code;
}

int32_t twin_context_set_current(uint64_t handle)
{
    if (!twin_handle_find(&twin_contexts, handle))
        return fail_handle(TWIN_ERR_PARAM, handle);
    twin_self.context = handle;
    return 0;
}

int32_t twin_context_current_slow(twin_context **out_context)
{
    int32_t device = twin_context_default_device();
    if (twin_self.context == 0 && device >= 0) {
        int32_t code = twin_device_set(device);
        if (code != 0)
            return code;
        *out_context = twin_handle_find(&twin_contexts, twin_self.context);
        if (*out_context)
            return 0;
    }
    if (twin_self.context != 0)
        return twin_fail(TWIN_ERR_CONTEXT_NULL,
                         "this thread's context is gone: it was destroyed or its device was reset; "
                         "call aclrtSetDevice or aclrtSetCurrentContext");
    return twin_fail(TWIN_ERR_CONTEXT_NULL,
                     "this thread has no context; call aclrtSetDevice or aclrtSetCurrentContext");
}

bool twin_context_pin_present(twin_context **out_context)
{
    const bool present = twin_self.context == 0
                             ? twin_context_default_device() >= 0
                             : twin_handle_find(&twin_contexts, twin_self.context) != NULL;
    return present && twin_context_pin_current(out_context) == 0;
}

int32_t twin_context_pin_current(twin_context **out_context)
{
    for (;;) {
        twin_context *context = NULL;
        int32_t code = twin_context_current(&context);
        if (code != 0)
            return code;
        if (twin_handle_pin_object(context, twin_self.context)) {
            *out_context = context;
            return 0;
        }
    }
}

int32_t twin_context_set_option(uint32_t option, int64_t value)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        twin_options_set(&context->options, option, value);
    return code;
}

int32_t twin_context_option(uint32_t option, int64_t *out_value)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code == 0 && !twin_options_get(&context->options, option, out_value))
        code = twin_fail(TWIN_ERR_OPTION,
                         "option %u was never set in the current context; call "
                         "aclrtCtxSetSysParamOpt first",
                         option);
    return code;
}
