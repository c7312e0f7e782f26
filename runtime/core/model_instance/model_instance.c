/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/model_instance.h"

#include <sched.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/model_instance/label.h"
#include "core/model_instance/model_parts.h"

static void construct(void *object)
{
    twin_model *model = object;
    twin_lock_init(&model->lock, TWIN_RANK_MODEL);
}

static void release(void *object)
{
    twin_model *model = object;
    twin_device *device = model->device;
    /* Whoever found it alive and holds its lock finishes first; later ones see it dead. */
    twin_lock_take(&model->lock);
    twin_lock_drop(&model->lock);
    twin_ops()->program.destroy(model->program);
    twin_free(model->bound);
    twin_free(model->farewells);
    twin_handle_free(&twin_models, model);
    twin_device_drop_object(device);
}

twin_handle_table twin_models = TWIN_HANDLE_TABLE_INITIALIZER("model instance", TWIN_HANDLE_MODEL,
                                                              twin_model, construct, release);

void twin_model_unpin(twin_model *model)
{
    twin_handle_unpin(&twin_models, model);
}

/* Find -------------------------------------------------------------------------------------------- */

static int32_t fail_handle(uint64_t handle)
{
    return twin_fail(
        TWIN_ERR_HANDLE,
        "%#llx is no live model instance: it was destroyed, or is another kind of object",
        (unsigned long long)handle);
}

int32_t twin_model_pin_any(uint64_t handle, twin_model **out_model)
{
    *out_model = twin_handle_pin(&twin_models, handle);
    return *out_model ? 0 : fail_handle(handle);
}

/* Whether a pinned model is of the current context. */
int32_t twin_model_check_own(const twin_model *model)
{
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code != 0 || model->context_handle == twin_self.context)
        return code;
    return twin_fail(
        TWIN_ERR_MODEL_CONTEXT,
        "model instance %u of device %u belongs to another context than this thread's; "
        "call aclrtSetCurrentContext or aclrtSetDevice first",
        model->id, model->device->id);
}

int32_t twin_model_pin_own(uint64_t handle, twin_model **out_model)
{
    int32_t code = twin_model_pin_any(handle, out_model);
    if (code != 0)
        return code;
    code = twin_model_check_own(*out_model);
    if (code != 0)
        twin_model_unpin(*out_model);
    return code;
}

/* Of a locked model: whether calls may still change it. */
bool twin_model_is_open(const twin_model *model)
{
    return !model->destroying && twin_handle_is(model, model->object.handle);
}

int32_t twin_model_fail_ending(const twin_model *model)
{
    return twin_fail(TWIN_ERR_HANDLE, "model instance %u is being destroyed", model->id);
}

/* Grows an array of `bytes` per entry that is full; false: host memory is out. */
bool twin_model_make_room(void **array, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room)
        return true;
    uint32_t larger = *room == 0 ? 4 : *room * 2;
    void *moved = twin_zalloc(larger * bytes);
    if (!moved)
        return false;
    if (count > 0)
        memcpy(moved, *array, count * bytes);
    twin_free(*array);
    *array = moved;
    *room = larger;
    return true;
}

/* Create ------------------------------------------------------------------------------------------ */

static bool link_model(twin_model *model)
{
    twin_context *context = model->context;
    twin_lock_take(&context->lock);
    bool open = !context->closing;
    if (open) {
        model->previous = NULL;
        model->next = context->models;
        if (context->models)
            context->models->previous = model;
        context->models = model;
    }
    twin_lock_drop(&context->lock);
    return open;
}

/* Makes the handle dead and takes the model off its context. */
static void retire(twin_model *model)
{
    twin_context *context = model->context;
    twin_lock_take(&context->lock);
    if (twin_handle_retire(model)) {
        if (model->previous)
            model->previous->next = model->next;
        else
            context->models = model->next;
        if (model->next)
            model->next->previous = model->previous;
    }
    twin_lock_drop(&context->lock);
}

static int32_t create_in(twin_context *context, uint64_t *out_handle)
{
    /* Numbers are given once; relaxed: nothing else hangs on them. */
    static _Atomic uint32_t next_id;
    twin_device *device = context->device;
    if (!twin_device_add_object(device, false))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    int32_t code = 0;
    twin_model *model = twin_handle_alloc(&twin_models);
    if (!model) {
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a model instance");
        goto drop_object;
    }
    model->device = device;
    model->context = context;
    model->context_handle = context->object.handle;
    model->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    model->destroying = model->closing = model->ended = model->built = model->sealed = false;
    model->end_stream = NULL;
    model->bound = NULL;
    model->bound_count = model->bound_room = 0;
    model->farewells = NULL;
    model->farewell_count = model->farewell_room = 0;
    model->name[0] = '\0';
    twin_status status =
        twin_device_note(device, twin_ops()->program.create(device->hw, &model->program));
    if (status != TWIN_OK) {
        code = twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u, a model instance",
                                device->id);
        goto free_model;
    }
    uint64_t handle = twin_handle_publish_pinned(model);
    if (!link_model(model)) {
        twin_handle_retire(model);
        twin_model_unpin(model);
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "the current context is being destroyed");
    }
    twin_model_unpin(model);
    *out_handle = handle;
    return 0;

free_model:
    twin_handle_free(&twin_models, model);
drop_object:
    twin_device_drop_object(device);
    return code;
}

int32_t twin_model_create(uint64_t *out_handle)
{
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    code = create_in(context, out_handle);
    twin_context_unpin(context);
    return code;
}

/* Waits for the runs of a pinned model, for as long as a caller's patience lasts. */
int32_t twin_model_wait_for_runs(twin_model *model)
{
    twin_assert_unlocked("program.drain with a lock held");
    twin_status status = twin_device_note(
        model->device, twin_ops()->program.drain(model->program, TWIN_MODEL_PATIENCE_NS));
    if (status != TWIN_E_TIMEOUT && !twin_wait_given_up(status))
        return 0;
    return twin_fail(TWIN_ERR_MODEL_RUNNING,
                     "model instance %u still runs after 10 s; let it end, or call aclmdlRIAbort",
                     model->id);
}

/* Execution --------------------------------------------------------------------------------------- */

twin_status twin_model_run_locked(twin_stream *stream, twin_model *model, bool *out_ready)
{
    twin_status status = TWIN_OK;
    twin_lock_take(&model->lock);
    *out_ready = twin_model_is_open(model) && model->built &&
                 (model->sealed || twin_model_seal_locked(model) == 0);
    if (*out_ready)
        status = twin_ops()->work.run(stream->queue, model->program);
    twin_lock_drop(&model->lock);
    return status;
}

static int32_t check_launcher(uint64_t handle)
{
    if (handle == 0)
        return 0;
    twin_stream *stream = NULL;
    int32_t code = twin_stream_pin(handle, &stream);
    if (code != 0)
        return code;
    if ((stream->flags & TWIN_STREAM_PASSIVE) != 0)
        code = twin_fail(
            TWIN_ERR_PARAM,
            "stream %u was made with flags %#x; a model instance runs from a stream whose "
            "tasks run on submission",
            stream->id, stream->flags);
    twin_stream_unpin(stream);
    return code;
}

static int32_t execute(twin_model *model, uint64_t stream)
{
    int32_t code = check_launcher(stream);
    if (code == 0)
        code = twin_model_check_own(model);
    if (code != 0)
        return code;
    return twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_RUN, .model = model});
}

int32_t twin_model_execute_async(uint64_t handle, uint64_t stream)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_any(handle, &model);
    if (code != 0)
        return code;
    code = execute(model, stream);
    twin_model_unpin(model);
    return code;
}

int32_t twin_model_guard(uint64_t handle)
{
    twin_model *model = NULL;
    const int32_t code = twin_model_pin_any(handle, &model);
    if (code == 0)
        twin_model_unpin(model);
    return code;
}

int32_t twin_model_execute(uint64_t handle, uint64_t timeout_ns)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_any(handle, &model);
    if (code != 0)
        return code;
    code = execute(model, 0);
    twin_model_unpin(model);
    if (code != 0)
        return code;
    twin_stream *stream = NULL;
    code = twin_stream_pin_own(0, &stream);
    if (code != 0)
        return code;
    code = twin_stream_drain(stream, timeout_ns);
    twin_stream_unpin(stream);
    return code;
}

int32_t twin_model_abort(uint64_t handle)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_own(handle, &model);
    if (code != 0)
        return code;
    twin_assert_unlocked("program.abort with a lock held");
    twin_status status = twin_device_note(model->device, twin_ops()->program.abort(model->program));
    code = twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "model instance %u", model->id);
    twin_model_unpin(model);
    return code;
}

/* Destroy ----------------------------------------------------------------------------------------- */

/* The first stream still bound, pinned once more; NULL: none. */
static twin_stream *first_bound(twin_model *model)
{
    twin_lock_take(&model->lock);
    twin_stream *stream = model->bound_count > 0 ? model->bound[0].stream : NULL;
    twin_lock_drop(&model->lock);
    return stream; /* the model's pin holds it: only who ends the model unbinds now */
}

/* Takes a pinned model apart that takes no calls and does not run; once. */
static void end_model(twin_model *model)
{
    twin_stream *stream;
    while ((stream = first_bound(model)) != NULL) {
        twin_lock_take(&stream->lock);
        twin_lock_take(&model->lock);
        twin_status status = twin_model_unbind_locked(model, stream);
        twin_lock_drop(&model->lock);
        twin_lock_drop(&stream->lock);
        if (status == TWIN_E_BUSY)
            twin_ops()->program.abort(model->program);
        else {
            twin_labels_forget(stream->object.handle);
            twin_stream_unpin(stream);
        }
    }
    retire(model);
    for (uint32_t i = 0; i < model->farewell_count; i++) {
        const twin_call *call = twin_outcall_begin();
        model->farewells[i].call(model->farewells[i].user);
        twin_outcall_end(call);
    }
}

int32_t twin_model_destroy(uint64_t handle)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_own(handle, &model);
    if (code != 0)
        return code;
    twin_lock_take(&model->lock);
    bool first = twin_model_is_open(model);
    model->destroying = true;
    twin_lock_drop(&model->lock);
    if (!first) {
        code = fail_handle(handle);
        goto unpin_model;
    }
    code = twin_model_wait_for_runs(model);
    twin_lock_take(&model->lock);
    bool mine = code == 0 && !model->ended;
    model->ended |= mine;
    if (code != 0)
        model->destroying = model->closing;
    twin_lock_drop(&model->lock);
    if (mine)
        end_model(model);
unpin_model:
    twin_model_unpin(model);
    return code;
}

/* The context's first model, pinned; NULL when none is left. */
static twin_model *pin_first(twin_context *context)
{
    twin_lock_take(&context->lock);
    twin_model *model = context->models;
    bool pinned = model && twin_handle_pin_object(model, model->object.handle);
    twin_lock_drop(&context->lock);
    return pinned ? model : NULL;
}

/* Nothing can happen any more: what the context's streams still hold never will. */
static void abort_streams(twin_context *context)
{
    twin_stream *last = NULL;
    for (;;) {
        /* Newest first; each is pinned until the next one is. One that another thread has destroyed leads nowhere. */
        twin_lock_take(&context->lock);
        bool listed = last && twin_handle_is(last, last->object.handle);
        twin_stream *stream = listed ? last->next : context->streams;
        while (stream && !twin_handle_pin_object(stream, stream->object.handle))
            stream = stream->next;
        twin_lock_drop(&context->lock);
        if (last)
            twin_stream_unpin(last);
        if (!stream)
            return;
        if ((stream->flags & TWIN_STREAM_PASSIVE) == 0)
            twin_ops()->queue.abort(stream->queue);
        last = stream;
    }
}

int32_t twin_models_close(twin_context *context)
{
    int32_t first_code = 0;
    twin_model *model;
    while ((model = pin_first(context)) != NULL) {
        twin_lock_take(&model->lock);
        model->destroying = model->closing = true;
        twin_lock_drop(&model->lock);
        twin_assert_unlocked("program.drain with a lock held");
        twin_status status = twin_device_note(
            model->device,
            twin_ops()->program.drain(model->program, twin_device_patience(model->device)));
        if (twin_wait_given_up(status)) {
            abort_streams(context);
            int32_t code = twin_fail_status(
                status, TWIN_CODE_STREAM_TIMEOUT,
                "model instance %u of device %u has a run that can never end; it is dropped",
                model->id, model->device->id);
            if (first_code == 0)
                first_code = code;
        }
        twin_lock_take(&model->lock);
        bool mine = !model->ended;
        model->ended = true;
        twin_lock_drop(&model->lock);
        if (mine)
            end_model(model);
        else
            sched_yield(); /* another thread is about to take it off the list */
        twin_model_unpin(model);
    }
    return first_code;
}
