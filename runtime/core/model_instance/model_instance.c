/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/model_instance.h"

#include <sched.h>
#include <string.h>
#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/model_instance/conditional.h"
#include "core/model_instance/label.h"
#include "core/model_instance/instance_parts.h"
#include "core/object/event.h"

static void construct(void *object)
{
    twin_instance *instance = object;
    twin_lock_init(&instance->lock, TWIN_RANK_INSTANCE);
}

static void release(void *object)
{
    twin_instance *instance = object;
    twin_device *device = instance->device;
    /* A thread that found it alive and holds its lock finishes first; later ones see it dead. */
    twin_lock_take(&instance->lock);
    twin_lock_drop(&instance->lock);
    if (instance->root) {
        twin_instance_unpin(instance->root);
    } else {
        twin_ops()->model_instance.destroy(instance->hw);
        atomic_fetch_sub_explicit(&device->instances, 1, memory_order_relaxed);
    }
    twin_free(instance->bound);
    twin_free(instance->externals);
    twin_free(instance->farewells);
    twin_handle_free(&twin_model_instances, instance);
    twin_device_drop_object(device);
}

twin_handle_table twin_model_instances = TWIN_HANDLE_TABLE_INITIALIZER(
    "model instance", TWIN_HANDLE_INSTANCE, twin_instance, construct, release);

void twin_instance_unpin(twin_instance *instance)
{
    twin_handle_unpin(&twin_model_instances, instance);
}

/* Find ----------------------------------------------------------------------------------------- */

int32_t twin_instance_pin_any(uint64_t handle, twin_instance **out_instance)
{
    *out_instance = twin_handle_pin(&twin_model_instances, handle);
    return *out_instance ? 0 : twin_fail_handle(twin_model_instances.kind_name, handle);
}

/* Whether a pinned model instance is of the current context. */
int32_t twin_instance_check_own(const twin_instance *instance)
{
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code != 0 || instance->context_handle == twin_self.context)
        return code;
    return twin_fail(
        TWIN_ERR_MODEL_CONTEXT,
        "model instance %u of device %u belongs to another context than this thread's; "
        "call aclrtSetCurrentContext or aclrtSetDevice first",
        instance->id, instance->device->id);
}

int32_t twin_instance_pin_own(uint64_t handle, twin_instance **out_instance)
{
    int32_t code = twin_instance_pin_any(handle, out_instance);
    if (code != 0)
        return code;
    code = twin_instance_check_own(*out_instance);
    if (code != 0) {
        twin_instance_unpin(*out_instance);
        *out_instance = NULL;
    }
    return code;
}

/* Of a locked model instance: whether calls may still change it. */
bool twin_instance_is_open(const twin_instance *instance)
{
    return !instance->destroying && twin_handle_is(instance, instance->object.handle);
}

int32_t twin_instance_fail_ending(const twin_instance *instance)
{
    return twin_fail(TWIN_ERR_HANDLE, "model instance %u is being destroyed", instance->id);
}

/* Grows an array of `bytes` per entry that is full; false: host memory is out. */
bool twin_instance_make_room(void **array, uint32_t count, uint32_t *room, size_t bytes)
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

/* Create --------------------------------------------------------------------------------------- */

static bool link_instance(twin_instance *instance)
{
    twin_context *context = instance->context;
    TWIN_LOCKED(&context->lock);
    if (context->closing)
        return false;
    DL_PREPEND2(context->instances, instance, previous, next);
    return true;
}

/* Makes the handle dead and takes the model instance off its context. */
static void retire(twin_instance *instance)
{
    twin_context *context = instance->context;
    TWIN_LOCKED(&context->lock);
    if (twin_handle_retire(instance) && !instance->root)
        DL_DELETE2(context->instances, instance, previous, next);
}

/* `root`: of a graph of a conditional task, or NULL. */
static int32_t create_in(twin_context *context, bool captured, twin_instance *root,
                         twin_instance **out_instance)
{
    /* Numbers are given once; relaxed: nothing else hangs on them. */
    static _Atomic uint32_t next_id;
    twin_device *device = context->device;
    if (!twin_device_add_object(device, false))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is being reset", device->id);
    int32_t code = 0;
    twin_instance *instance = twin_handle_alloc(&twin_model_instances);
    if (!instance) {
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for a model instance");
        goto drop_object;
    }
    instance->device = device;
    instance->context = context;
    instance->context_handle = context->object.handle;
    instance->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    instance->captured = captured;
    instance->capturing = captured && !root;
    instance->task = NULL;
    instance->entry = NULL;
    instance->conditionals = NULL;
    instance->begun = instance->destroying = instance->closing = instance->ended = instance->built =
        instance->sealed = instance->changed = instance->late = instance->faulty = false;
    atomic_store_explicit(&instance->next_task, 0, memory_order_relaxed);
    instance->end_stream = NULL;
    instance->edges = NULL;
    instance->edge_count = instance->edge_room = 0;
    instance->groups = NULL;
    instance->group_count = instance->group_room = 0;
    instance->bound = NULL;
    instance->bound_count = instance->bound_room = 0;
    instance->seen_count = UINT32_MAX;
    instance->externals = NULL;
    instance->external_count = instance->external_room = 0;
    instance->farewells = NULL;
    instance->farewell_count = instance->farewell_room = 0;
    instance->name[0] = '\0';
    twin_status status = TWIN_OK;
    if (root && !twin_handle_pin_object(root, root->object.handle)) {
        code = twin_instance_fail_ending(root);
        goto free_instance;
    }
    instance->root = root;
    if (root)
        instance->hw = root->hw;
    else
        status =
            twin_device_note(device, twin_ops()->model_instance.create(device->hw, &instance->hw));
    if (status != TWIN_OK) {
        char instances[TWIN_INSTANCES_TEXT];
        twin_device_list_instances(device, instances);
        code = twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u, a model instance%s",
                                device->id, instances);
        goto free_instance;
    }
    if (!root)
        atomic_fetch_add_explicit(&device->instances, 1, memory_order_relaxed);
    twin_handle_publish_pinned(instance);
    if (!root && !link_instance(instance)) {
        twin_handle_retire(instance);
        twin_instance_unpin(instance);
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "the current context is being destroyed");
    }
    *out_instance = instance;
    return 0;

free_instance:
    twin_handle_free(&twin_model_instances, instance);
drop_object:
    twin_device_drop_object(device);
    return code;
}

int32_t twin_instance_create(uint64_t *out_handle)
{
    TWIN_PINNED(context, context);
    TWIN_PINNED(instance, instance);
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        code = create_in(context, false, NULL, &instance);
    if (code == 0 && instance)
        *out_handle = instance->object.handle;
    return code;
}

int32_t twin_instance_create_captured(twin_context *context, twin_instance **out_instance)
{
    return create_in(context, true, NULL, out_instance);
}

int32_t twin_instance_create_graph(twin_instance *root, const twin_conditional *task,
                                   twin_instance **out_graph)
{
    const int32_t code = create_in(root->context, true, root, out_graph);
    if (code == 0)
        (*out_graph)->task = task;
    return code;
}

/* Waits for the runs of a pinned model instance, for as long as a caller's patience lasts. */
int32_t twin_instance_wait_for_runs(twin_instance *instance)
{
    twin_assert_unlocked("model_instance.drain with a lock held");
    twin_status status =
        twin_device_note(instance->device,
                         twin_ops()->model_instance.drain(instance->hw, TWIN_INSTANCE_PATIENCE_NS));
    if (status != TWIN_E_TIMEOUT && !twin_wait_given_up(status))
        return 0;
    return twin_fail(TWIN_ERR_MODEL_RUNNING,
                     "model instance %u still runs, after a wait of up to 10 s; let its runs end, "
                     "or call %s",
                     instance->id,
                     instance->captured ? "aclrtStreamAbort of the stream that executes it"
                                        : "aclmdlRIAbort");
}

/* Execution ------------------------------------------------------------------------------------ */

twin_status twin_instance_run_locked(twin_stream *stream, twin_instance *instance, bool *out_ready)
{
    TWIN_LOCKED(&instance->lock);
    *out_ready = twin_instance_is_open(instance) && instance->built && !instance->changed &&
                 !instance->faulty &&
                 (instance->sealed || twin_instance_seal_locked(instance) == 0);
    return *out_ready ? twin_ops()->work.run(stream->queue, instance->hw) : TWIN_OK;
}

static int32_t check_launcher(uint64_t handle)
{
    if (handle == 0)
        return 0;
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin(handle, &stream);
    if (code == 0)
        code = twin_stream_check_not_captured(stream);
    if (code == 0 && (stream->flags & TWIN_STREAM_PASSIVE) != 0)
        code = twin_fail(
            TWIN_ERR_PARAM,
            "stream %u was made with flags %#x; a model instance runs from a stream whose "
            "tasks run on submission",
            stream->id, stream->flags);
    return code;
}

/* Whether the capture of a pinned model instance has ended. 107026. */
static int32_t check_not_capturing(twin_instance *instance)
{
    twin_lock_take(&instance->lock);
    const bool capturing = instance->capturing;
    twin_lock_drop(&instance->lock);
    return !capturing ? 0
                      : twin_fail(TWIN_ERR_MODEL_CAPTURED,
                                  "model instance %u is in capture; call aclmdlRICaptureEnd first",
                                  instance->id);
}

/* Whether the tasks of a pinned model instance are as they are to run. 507011. */
static int32_t check_tasks(twin_instance *instance)
{
    twin_lock_take(&instance->lock);
    const bool changed = instance->changed, faulty = instance->faulty;
    twin_lock_drop(&instance->lock);
    if (faulty)
        return twin_fail(TWIN_ERR_MODEL_EXECUTE,
                         "a change of a task of model instance %u was refused or has failed; "
                         "destroy it and capture anew",
                         instance->id);
    return !changed ? 0
                    : twin_fail(TWIN_ERR_MODEL_EXECUTE,
                                "tasks of model instance %u were changed; call aclmdlRIUpdate "
                                "first",
                                instance->id);
}

static int32_t fail_external(const twin_instance *instance, const char *why)
{
    return twin_fail(TWIN_ERR_MODEL_EXECUTE,
                     "an event that model instance %u shares with the outside %s", instance->id,
                     why);
}

/* Whether all events that runs share with the outside can be used now. 507011. */
static int32_t check_externals(const twin_instance *instance)
{
    for (uint32_t i = 0; i < instance->external_count; i++) {
        const twin_event *event = twin_handle_find(&twin_events, instance->externals[i].event);
        if (!event)
            return fail_external(instance, "was destroyed; capture anew with another one");
        if ((twin_event_form(event) & TWIN_EVENT_CAPTURED) != 0)
            return fail_external(instance, "is in a capture; end that first");
    }
    return 0;
}

/* Queues what a run waits for, or what it records. */
static int32_t submit_externals(const twin_instance *instance, uint64_t stream, bool waits)
{
    int32_t code = 0;
    for (uint32_t i = 0; i < instance->external_count && code == 0; i++) {
        twin_task task = {.kind = waits ? TWIN_TASK_WAIT : TWIN_TASK_RECORD,
                          .event_handle = instance->externals[i].event,
                          .timeout_ns = TWIN_FOREVER};
        if (instance->externals[i].waits != waits)
            continue;
        code = twin_event_find(&twin_events, task.event_handle, &task.event);
        if (code == 0)
            code = twin_stream_submit(stream, &task);
    }
    return code;
}

int32_t twin_instance_execute_async(uint64_t handle, uint64_t stream)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_graph(instance);
    if (code == 0)
        code = check_launcher(stream);
    if (code == 0)
        code = twin_instance_check_own(instance);
    if (code == 0)
        code = check_not_capturing(instance);
    if (code == 0)
        code = check_tasks(instance);
    if (code == 0)
        code = check_externals(instance);
    if (code == 0)
        code = submit_externals(instance, stream, true);
    if (code == 0)
        code =
            twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_RUN, .instance = instance});
    return code != 0 ? code : submit_externals(instance, stream, false);
}

int32_t twin_instance_guard(uint64_t handle)
{
    TWIN_PINNED(instance, instance);
    return twin_instance_pin_any(handle, &instance);
}

int32_t twin_instance_refuse_captured(const twin_instance *instance, const char *what)
{
    return !instance->captured
               ? 0
               : twin_fail(TWIN_ERR_PARAM,
                           "model instance %u was captured; %s takes those of aclmdlRIBuildBegin",
                           instance->id, what);
}

int32_t twin_instance_refuse_graph(const twin_instance *instance)
{
    return !instance->root
               ? 0
               : twin_fail(TWIN_ERR_UNSUPPORTED,
                           "model instance %u is a graph of a conditional task of model instance "
                           "%u, which runs and ends it",
                           instance->id, instance->root->id);
}

int32_t twin_instance_execute(uint64_t handle, uint64_t timeout_ns)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_captured(instance, "aclmdlRIExecute");
    if (code == 0)
        code = twin_instance_execute_async(handle, 0);
    if (code != 0)
        return code;
    TWIN_PINNED(stream, stream);
    code = twin_stream_pin_own(0, &stream);
    return code != 0 ? code : twin_stream_drain(stream, timeout_ns);
}

int32_t twin_instance_abort(uint64_t handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    if (instance->captured)
        return twin_fail(
            TWIN_ERR_UNSUPPORTED,
            "model instance %u was captured; aclrtStreamAbort of the stream that executes "
            "it ends a run",
            instance->id);
    twin_assert_unlocked("model_instance.abort with a lock held");
    twin_status status =
        twin_device_note(instance->device, twin_ops()->model_instance.abort(instance->hw));
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "model instance %u", instance->id);
}

/* Destroy -------------------------------------------------------------------------------------- */

/* The first stream still bound, pinned once more; NULL: none. */
static twin_stream *first_bound(twin_instance *instance)
{
    twin_lock_take(&instance->lock);
    twin_stream *stream = instance->bound_count > 0 ? instance->bound[0].stream : NULL;
    twin_lock_drop(&instance->lock);
    return stream; /* the model instance's pin holds it: only who ends the model instance unbinds
                      now */
}

void twin_instance_take_apart(twin_instance *instance)
{
    twin_stream *stream;
    while ((stream = first_bound(instance)) != NULL) {
        twin_lock_take(&stream->lock);
        twin_lock_take(&instance->lock);
        twin_status status = twin_instance_unbind_locked(instance, stream);
        twin_lock_drop(&instance->lock);
        twin_lock_drop(&stream->lock);
        if (status == TWIN_E_BUSY)
            twin_ops()->model_instance.abort(instance->hw);
        else {
            twin_labels_forget(stream->object.handle);
            if (instance->captured)
                twin_stream_retire(stream);
            twin_stream_unpin(stream);
        }
    }
    twin_conditionals_end(instance);
    twin_instance_free_edges(instance);
    retire(instance);
    for (uint32_t i = 0; i < instance->farewell_count; i++) {
        const twin_call *call = twin_outcall_begin();
        instance->farewells[i].call(instance->farewells[i].user);
        twin_outcall_end(call);
    }
}

int32_t twin_instance_destroy(uint64_t handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_graph(instance);
    if (code == 0)
        code = twin_instance_check_own(instance);
    if (code == 0)
        code = check_not_capturing(instance);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    bool first = twin_instance_is_open(instance);
    instance->destroying = true;
    twin_lock_drop(&instance->lock);
    if (!first)
        return twin_fail_handle(twin_model_instances.kind_name, handle);
    code = twin_instance_wait_for_runs(instance);
    twin_lock_take(&instance->lock);
    bool mine = code == 0 && !instance->ended;
    instance->ended |= mine;
    if (code != 0)
        instance->destroying = instance->closing;
    twin_lock_drop(&instance->lock);
    if (mine)
        twin_instance_take_apart(instance);
    return code;
}

/* The context's first model, pinned; NULL when none is left. */
static twin_instance *pin_first(twin_context *context)
{
    twin_lock_take(&context->lock);
    twin_instance *instance = context->instances;
    bool pinned = instance && twin_handle_pin_object(instance, instance->object.handle);
    twin_lock_drop(&context->lock);
    return pinned ? instance : NULL;
}

/* Nothing can happen any more, so the remaining work of the context's streams is dropped. */
static void abort_streams(twin_context *context)
{
    twin_stream *last = NULL;
    for (;;) {
        /* Newest first; each is pinned until the next one is. One that another thread has destroyed
         * is in no list. */
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

int32_t twin_instances_close(twin_context *context)
{
    int32_t first_code = 0;
    twin_instance *instance;
    while ((instance = pin_first(context)) != NULL) {
        twin_lock_take(&instance->lock);
        instance->destroying = instance->closing = true;
        twin_lock_drop(&instance->lock);
        twin_assert_unlocked("model_instance.drain with a lock held");
        twin_status status = twin_device_note(
            instance->device,
            twin_ops()->model_instance.drain(instance->hw, twin_device_patience(instance->device)));
        if (twin_wait_given_up(status)) {
            abort_streams(context);
            int32_t code = twin_fail_status(
                status, TWIN_CODE_STREAM_TIMEOUT,
                "model instance %u of device %u has a run that can never end; it is dropped",
                instance->id, instance->device->id);
            if (first_code == 0)
                first_code = code;
        }
        twin_lock_take(&instance->lock);
        bool mine = !instance->ended;
        instance->ended = true;
        twin_lock_drop(&instance->lock);
        if (mine)
            twin_instance_take_apart(instance);
        else
            sched_yield(); /* another thread is about to take it off the list */
        twin_instance_unpin(instance);
    }
    return first_code;
}
