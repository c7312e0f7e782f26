/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: which streams they have, and what may be queued there. */
#include "core/model_instance/model_instance.h"

#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/model_instance/label.h"
#include "core/model_instance/instance_parts.h"
#include "core/model_instance/stored_task.h"
#include "core/object/context.h"
#include "core/work/stream_value.h"

static int32_t fail_not_bound(twin_error error, const twin_stream *stream,
                              const twin_instance *instance)
{
    return twin_fail(error, "stream %u is not bound to model instance %u; see aclmdlRIBindStream",
                     stream->id, instance->id);
}

/* Streams -------------------------------------------------------------------------------------- */

/* A dead context's place may be another's. */
static bool context_stops(const twin_stream *stream)
{
    const twin_context *context = stream->context;
    /* Acquire: read before the question whose it was. */
    const bool stops = atomic_load_explicit(&context->stops, memory_order_acquire);
    return stops && twin_handle_is(context, twin_stream_context_handle(stream));
}

static int32_t check_bindable(twin_stream *stream)
{
    if ((stream->flags & TWIN_STREAM_PERSISTENT) == 0 ||
        (stream->flags & (TWIN_STREAM_CPU_SCHEDULE | TWIN_STREAM_DEVICE_ONLY)) != 0)
        return twin_fail(TWIN_ERR_PARAM,
                         "stream %u was made with flags %#x; a model instance takes streams of "
                         "aclrtCreateStreamWithConfig with ACL_STREAM_PERSISTENT",
                         stream->id, stream->flags);
    if (twin_stream_is_bound(stream))
        return twin_fail(TWIN_ERR_STREAM_MODEL, "stream %u is bound to a model instance already",
                         stream->id);
    if (context_stops(stream))
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "the context of stream %u stops on failure; its streams cannot be bound",
                         stream->id);
    if ((stream->flags & TWIN_STREAM_FAST_LAUNCH) != 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u was made with ACL_STREAM_FAST_LAUNCH and cannot be bound",
                         stream->id);
    return 0;
}

int32_t twin_instance_bind_locked(twin_instance *instance, twin_stream *stream, bool head,
                                  bool *out_busy)
{
    if (!twin_instance_is_open(instance))
        return twin_instance_fail_ending(instance);
    if (stream->destroying || !twin_handle_is(stream, stream->object.handle))
        return twin_fail(TWIN_ERR_HANDLE, "stream %u is being destroyed", stream->id);
    int32_t code = check_bindable(stream);
    if (code != 0)
        return code;
    if (!twin_instance_make_room((void **)&instance->bound, instance->bound_count,
                                 &instance->bound_room, sizeof(*instance->bound)))
        return twin_fail(TWIN_ERR_NOMEM, "no host memory to bind a stream");
    twin_status status = twin_ops()->model_instance.bind(instance->hw, stream->queue, head);
    *out_busy = status == TWIN_E_BUSY;
    if (*out_busy)
        return 0;
    if (status != TWIN_OK)
        return twin_instance_fail_work(status, stream->id, stream->device->id);
    instance->bound[instance->bound_count++] = (twin_bound_stream){.stream = stream, .head = head};
    instance->sealed = false;
    stream->stored.numbers = &instance->next_task;
    atomic_store_explicit(&stream->instance, instance, memory_order_relaxed);
    return 0;
}

int32_t twin_instance_bind(uint64_t handle, uint64_t stream_handle, bool head)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_captured(instance, "aclmdlRIBindStream");
    if (code != 0)
        return code;
    TWIN_PINNED(stream, stream);
    code = twin_stream_pin(stream_handle, &stream);
    if (code == 0)
        code = check_bindable(stream);
    if (code == 0)
        code = twin_instance_check_own(instance);
    twin_context *context = NULL;
    if (code == 0)
        code = twin_stream_check_own(stream_handle, &context);
    bool busy = true;
    while (code == 0 && busy) {
        twin_lock_take(&stream->lock);
        twin_lock_take(&instance->lock);
        code = twin_instance_bind_locked(instance, stream, head, &busy);
        twin_lock_drop(&instance->lock);
        twin_lock_drop(&stream->lock);
        if (code == 0 && busy)
            code = twin_instance_wait_for_runs(instance);
    }
    if (code == 0)
        stream = NULL; /* the pin is the model instance's now */
    return code;
}

/* Takes a stream out; both locked, and bound to each other. The pin is the caller's then. */
twin_status twin_instance_unbind_locked(twin_instance *instance, twin_stream *stream)
{
    twin_status status = twin_ops()->model_instance.unbind(instance->hw, stream->queue);
    if (status == TWIN_E_BUSY)
        return status;
    for (uint32_t i = 0; i < instance->bound_count; i++) {
        if (instance->bound[i].stream != stream)
            continue;
        memmove(&instance->bound[i], &instance->bound[i + 1],
                (instance->bound_count - i - 1) * sizeof(*instance->bound));
        instance->bound_count--;
        break;
    }
    if (instance->end_stream == stream)
        instance->end_stream = NULL;
    instance->sealed = false;
    stream->stored.numbers = NULL;
    atomic_store_explicit(&stream->instance, NULL, memory_order_relaxed);
    return TWIN_OK;
}

int32_t twin_instance_unbind(uint64_t handle, uint64_t stream_handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_captured(instance, "aclmdlRIUnbindStream");
    if (code != 0)
        return code;
    TWIN_PINNED(stream, stream);
    code = twin_stream_pin(stream_handle, &stream);
    twin_status status = TWIN_E_BUSY;
    while (code == 0 && status == TWIN_E_BUSY) {
        twin_lock_take(&stream->lock);
        twin_lock_take(&instance->lock);
        if (!twin_instance_is_open(instance))
            code = twin_instance_fail_ending(instance);
        else if (stream->instance != instance)
            code = fail_not_bound(TWIN_ERR_STREAM_MODEL, stream, instance);
        else
            status = twin_instance_unbind_locked(instance, stream);
        twin_lock_drop(&instance->lock);
        twin_lock_drop(&stream->lock);
        if (status == TWIN_OK) {
            twin_labels_forget(stream->object.handle);
            twin_stream_unpin(stream); /* the model instance's pin */
        } else if (code == 0)
            code = twin_instance_wait_for_runs(instance);
    }
    return code;
}

/* Building ------------------------------------------------------------------------------------- */

int32_t twin_instance_fail_sealed(uint32_t stream_id)
{
    return twin_fail(
        TWIN_ERR_STREAM_MODEL,
        "the model instance of stream %u is complete (aclmdlRIBuildEnd) and takes no more "
        "tasks; aclrtPersistentTaskClean makes the stream empty for new ones",
        stream_id);
}

int32_t twin_instance_fail_work(twin_status status, uint32_t stream_id, uint32_t device_id)
{
    if (status == TWIN_E_BUSY)
        return twin_fail(
            TWIN_ERR_STREAM_FULL,
            "persistent stream %u of device %u is full: its tasks stay, so no entry becomes free",
            stream_id, device_id);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u", stream_id,
                            device_id);
}

bool twin_instance_is_sealed(twin_stream *stream)
{
    twin_instance *instance = stream->instance;
    if (!instance)
        return false;
    TWIN_LOCKED(&instance->lock);
    return instance->sealed;
}

int32_t twin_instance_lock_stream(uint64_t handle, twin_stream **out_stream,
                                  twin_instance **out_instance)
{
    twin_stream *stream = NULL;
    int32_t code = twin_stream_lock_own(handle, &stream);
    if (code != 0)
        return code;
    uint32_t id = stream->id;
    twin_instance *instance = stream->instance;
    bool sealed = false;
    if (instance) {
        twin_lock_take(&instance->lock);
        sealed = instance->sealed || instance->captured;
        if (!sealed) {
            *out_stream = stream;
            *out_instance = instance;
            return 0;
        }
        twin_lock_drop(&instance->lock);
    }
    twin_lock_drop(&stream->lock);
    if (sealed)
        return twin_instance_fail_sealed(id);
    return twin_fail(TWIN_ERR_STREAM_MODEL,
                     "stream %u is not bound to a model instance; see aclmdlRIBindStream", id);
}

void twin_instance_unlock_stream(twin_stream *stream, twin_instance *instance)
{
    twin_lock_drop(&instance->lock);
    twin_lock_drop(&stream->lock);
}

int32_t twin_instance_end(uint64_t handle, uint64_t stream_handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_captured(instance, "aclmdlRIEndTask");
    if (code != 0)
        return code;
    twin_stream *stream = NULL;
    code = twin_stream_lock_own(stream_handle, &stream);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    twin_status status = TWIN_OK;
    if (instance->context_handle != twin_self.context)
        code = twin_instance_check_own(instance);
    else if (!twin_instance_is_open(instance))
        code = twin_instance_fail_ending(instance);
    else if (instance->end_stream)
        code = twin_fail(TWIN_ERR_INTERNAL, "model instance %u already has its end, in stream %u",
                         instance->id, instance->end_stream->id);
    else if (stream->instance != instance)
        code = fail_not_bound(TWIN_ERR_INTERNAL, stream, instance);
    else if (instance->sealed)
        code = twin_instance_fail_sealed(stream->id);
    else
        status = twin_device_note(stream->device, twin_ops()->work.end(stream->queue));
    if (code == 0 && status == TWIN_OK)
        instance->end_stream = stream;
    uint32_t id = stream->id, device_id = stream->device->id;
    twin_instance_unlock_stream(stream, instance);
    return code != 0 ? code : twin_instance_fail_work(status, id, device_id);
}

int32_t twin_instance_seal_locked(twin_instance *instance)
{
    if (instance->bound_count == 0)
        return twin_fail(TWIN_ERR_STREAM_MODEL,
                         "model instance %u has no stream; call aclmdlRIBindStream first",
                         instance->id);
    if (!instance->end_stream)
        return twin_fail(TWIN_ERR_MODEL_EXECUTE,
                         "model instance %u has no end; call aclmdlRIEndTask first", instance->id);
    twin_status status = twin_ops()->model_instance.seal(instance->hw);
    if (status == TWIN_E_INVALID)
        return twin_fail(
            TWIN_ERR_STREAM_MODEL,
            "model instance %u could not run as it is: it has no head stream, or a task "
            "of it names a stream that is not bound to it",
            instance->id);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "model instance %u",
                                instance->id);
    instance->sealed = true;
    return 0;
}

int32_t twin_instance_build(uint64_t handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_captured(instance, "aclmdlRIBuildEnd");
    if (code != 0)
        return code;
    TWIN_LOCKED(&instance->lock);
    code = twin_instance_is_open(instance) ? twin_instance_seal_locked(instance)
                                           : twin_instance_fail_ending(instance);
    instance->built = instance->built || code == 0;
    return code;
}

int32_t twin_instance_clean(uint64_t handle)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(handle, &stream);
    if (code != 0)
        return code;
    twin_lock_take(&stream->lock);
    twin_instance *instance = stream->instance;
    const char *why = NULL;
    twin_label_ref *held = NULL;
    twin_stored_tasks tasks = {.first = NULL};
    if ((stream->flags & TWIN_STREAM_PERSISTENT) == 0) {
        why = "was not made with ACL_STREAM_PERSISTENT";
    } else if (!instance) {
        why = "is not bound to a model instance";
    } else if (instance->captured) {
        why = "belongs to a captured model instance";
    } else {
        twin_lock_take(&instance->lock);
        twin_status status = TWIN_OK;
        if (!instance->built)
            why = "belongs to a model instance that was never complete";
        else
            status = twin_ops()->model_instance.clean(stream->queue);
        if (status == TWIN_E_BUSY)
            why = "belongs to a model instance that runs";
        else if (status != TWIN_OK)
            code = twin_instance_fail_work(status, stream->id, stream->device->id);
        if (!why && code == 0) {
            instance->sealed = false;
            if (instance->end_stream == stream)
                instance->end_stream = NULL;
            held = twin_labels_take_held(stream);
            tasks = twin_stored_take(stream);
        }
        twin_lock_drop(&instance->lock);
    }
    twin_lock_drop(&stream->lock);
    if (!why && code == 0)
        twin_labels_forget(stream->object.handle);
    twin_labels_release(held);
    twin_stored_release(&tasks);
    if (why)
        code = twin_fail(TWIN_ERR_INTERNAL, "stream %u %s: its tasks cannot be dropped", stream->id,
                         why);
    return code;
}

/* Switches ------------------------------------------------------------------------------------- */

/* Pins a stream that is bound. */
static int32_t pin_bound(uint64_t handle, twin_stream **out_stream)
{
    int32_t code = twin_stream_pin(handle, out_stream);
    if (code == 0 && !twin_stream_is_bound(*out_stream))
        code = twin_fail(TWIN_ERR_STREAM_MODEL,
                         "stream %u is not bound to a model instance; see aclmdlRIBindStream",
                         (*out_stream)->id);
    return code;
}

/* Queues `branch` in `stream`, which is locked, as its model; without one activates `to`. */
static int32_t lead_locked(const twin_branch *branch, twin_stream *to, twin_stream *stream)
{
    if (to->instance != stream->instance) /* cannot change: the instance is locked */
        return twin_fail(TWIN_ERR_STREAM_MODEL,
                         "streams %u and %u are bound to different model instances", stream->id,
                         to->id);
    twin_status status = TWIN_OK;
    twin_stored_task *stored = twin_stored_prepare_other(stream, branch ? NULL : to);
    if (!stored) {
        status = TWIN_E_NOMEM;
    } else if (branch) {
        const uint32_t bytes = branch->wide ? 8 : 4;
        int32_t code =
            twin_value_check_word("leftValue", branch->left, bytes, stream->device, NULL);
        if (code == 0)
            code = twin_value_check_word("rightValue", branch->right, bytes, stream->device, NULL);
        if (code != 0)
            return code;
        twin_branch full = *branch;
        full.to = to->queue;
        status = twin_ops()->work.branch(stream->queue, &full);
    } else {
        status = twin_ops()->work.activate(stream->queue, to->queue);
    }
    status = twin_stored_end(stream, stored, status);
    return twin_instance_fail_work(twin_device_note(stream->device, status), stream->id,
                                   stream->device->id);
}

/* Queues a task that continues in another stream of the model instance. `branch` NULL:
 * activates. */
static int32_t lead(const twin_branch *branch, uint64_t to_handle, uint64_t stream_handle)
{
    TWIN_PINNED(stream, from);
    int32_t code = pin_bound(stream_handle, &from);
    if (code != 0)
        return code;
    TWIN_PINNED(stream, to);
    code = pin_bound(to_handle, &to);
    if (code != 0)
        return code;
    twin_stream *stream = NULL;
    twin_instance *instance = NULL;
    code = twin_instance_lock_stream(stream_handle, &stream, &instance);
    if (code != 0)
        return code;
    code = lead_locked(branch, to, stream);
    twin_instance_unlock_stream(stream, instance);
    return code;
}

int32_t twin_instance_activate(uint64_t other, uint64_t stream)
{
    return lead(NULL, other, stream);
}

int32_t twin_instance_branch(const twin_branch *branch, uint64_t to, uint64_t stream)
{
    return lead(branch, to, stream);
}
