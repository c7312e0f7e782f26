/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/instance_task.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/model_instance/instance_parts.h"
#include "core/model_instance/task_group.h"
#include "core/object/event.h"
#include "core/work/stream_value.h"

static int32_t fail_graph(const twin_instance *instance)
{
    return twin_fail(TWIN_ERR_UNSUPPORTED,
                     "model instance %u is a graph of a conditional task, whose tasks are not "
                     "offered",
                     instance->id);
}

/* List ----------------------------------------------------------------------------------------- */

/* The handle of a task of a locked stream; 0: host memory is out. */
static uint64_t handle_of(const twin_stream *stream, twin_stored_task *stored)
{
    if (!stored->known) {
        twin_instance_task *task = twin_handle_alloc(&twin_instance_tasks);
        if (!task)
            return 0;
        task->stream = stream->object.handle;
        task->stored = stored;
        twin_handle_publish_pinned(task);
        stored->known = task;
    }
    return stored->known->object.handle;
}

static int32_t list_locked(const twin_stream *stream, void **tasks, uint32_t *count)
{
    const uint32_t room = tasks ? *count : 0;
    uint32_t found = 0, place = 0;
    twin_stored_task *stored;
    while ((stored = twin_stored_next(stream, &place)) != NULL) {
        if (found < room) {
            const uint64_t handle = handle_of(stream, stored);
            if (handle == 0)
                return twin_fail(TWIN_ERR_NOMEM, "no host memory for the tasks of stream %u",
                                 stream->id);
            tasks[found] = (void *)(uintptr_t)handle;
        }
        found++;
    }
    for (uint32_t i = found; i < room; i++)
        tasks[i] = NULL;
    *count = tasks && found > room ? room : found;
    return !tasks || found <= room
               ? 0
               : twin_fail(TWIN_ERR_ARRAY_SHORT, "stream %u has %u tasks, the array takes %u",
                           stream->id, found, room);
}

int32_t twin_instance_task_list(uint64_t handle, void **tasks, uint32_t *count)
{
    TWIN_PINNED(stream, stream);
    const int32_t code = twin_stream_pin_current(handle, &stream);
    if (code != 0)
        return code;
    TWIN_LOCKED(&stream->lock);
    const twin_instance *instance = atomic_load_explicit(&stream->instance, memory_order_relaxed);
    if (!instance)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "stream %u is not bound to a model instance; aclmdlRIGetStreams gives the "
                         "streams of one",
                         stream->id);
    return instance->root ? fail_graph(instance) : list_locked(stream, tasks, count);
}

/* Look ----------------------------------------------------------------------------------------- */

static bool is_event(const twin_stored_task *stored)
{
    return (twin_event_form(stored->on_event.event) &
            (TWIN_EVENT_PLAIN | TWIN_EVENT_FLAG | TWIN_EVENT_EX)) != 0;
}

twin_instance_task_kind twin_instance_task_kind_of(const twin_stored_task *stored)
{
    switch (stored->kind) {
    case TWIN_TASK_LAUNCH:
        return TWIN_SHOWN_KERNEL;
    case TWIN_TASK_WRITE_VALUE:
        return TWIN_SHOWN_WRITE_VALUE;
    case TWIN_TASK_WAIT_VALUE:
        return TWIN_SHOWN_WAIT_VALUE;
    case TWIN_TASK_RECORD:
        return is_event(stored) ? TWIN_SHOWN_RECORD : TWIN_SHOWN_OTHER;
    case TWIN_TASK_WAIT:
        return is_event(stored) ? TWIN_SHOWN_WAIT : TWIN_SHOWN_OTHER;
    case TWIN_TASK_RESET:
        return is_event(stored) ? TWIN_SHOWN_RESET : TWIN_SHOWN_OTHER;
    default:
        return TWIN_SHOWN_OTHER;
    }
}

/* A task, its stream and model instance; all pinned. */
typedef struct found_task {
    twin_instance_task *task;
    twin_stream *stream;
    twin_instance *instance;
} found_task;

static void let_go(found_task *found)
{
    if (found->instance)
        twin_instance_unpin(found->instance);
    if (found->stream)
        twin_stream_unpin(found->stream);
    if (found->task)
        twin_instance_task_unpin(found->task);
}
#define FOUND_TASK(name) found_task name __attribute__((cleanup(let_go))) = {NULL, NULL, NULL}

static int32_t fail_dead(uint64_t handle)
{
    return twin_fail_handle(twin_instance_tasks.kind_name, handle);
}

/* On success the stream is locked, and found->task->stored alive as long as it is. */
static int32_t find_locked(uint64_t handle, found_task *found)
{
    found->task = twin_handle_pin(&twin_instance_tasks, handle);
    if (found->task)
        found->stream = twin_handle_pin(&twin_streams, found->task->stream);
    if (!found->stream)
        return fail_dead(handle);
    twin_lock_take(&found->stream->lock);
    twin_instance *instance = atomic_load_explicit(&found->stream->instance, memory_order_relaxed);
    if (instance && twin_handle_is(found->task, handle) &&
        found->task->stored->state != TWIN_STORED_GONE &&
        twin_handle_pin_object(instance, instance->object.handle))
        found->instance = instance;
    if (found->instance)
        return 0;
    twin_lock_drop(&found->stream->lock);
    return fail_dead(handle);
}

int32_t twin_instance_task_get_kind(uint64_t handle, twin_instance_task_kind *out_kind)
{
    FOUND_TASK(found);
    const int32_t code = find_locked(handle, &found);
    if (code != 0)
        return code;
    *out_kind = twin_instance_task_kind_of(found.task->stored);
    twin_lock_drop(&found.stream->lock);
    return 0;
}

static int32_t check_captured(const twin_instance *instance)
{
    if (instance->root)
        return fail_graph(instance);
    return instance->captured ? 0
                              : twin_fail(TWIN_ERR_UNSUPPORTED,
                                          "model instance %u was built with aclmdlRIBuildBegin; "
                                          "only tasks of captured ones are offered",
                                          instance->id);
}

int32_t twin_instance_task_get_number(uint64_t handle, uint32_t *out_number)
{
    FOUND_TASK(found);
    int32_t code = find_locked(handle, &found);
    if (code != 0)
        return code;
    const uint32_t number = found.task->stored->number;
    twin_lock_drop(&found.stream->lock);
    code = check_captured(found.instance);
    if (code == 0)
        *out_number = number;
    return code;
}

/* The event of a task, which may have died since. */
static uint32_t flags_of(uint64_t handle)
{
    const twin_event *event = twin_handle_find(&twin_events, handle);
    const uint32_t form = event ? twin_event_form(event) : 0;
    return form & (TWIN_EVENT_SYNC | TWIN_EVENT_PROGRESS | TWIN_EVENT_TIMELINE |
                   TWIN_EVENT_DEVICE_ONLY | TWIN_EVENT_EXTERNAL | TWIN_EVENT_IPC);
}

static void look_locked(const twin_stored_task *stored, twin_instance_task_view *view)
{
    *view = (twin_instance_task_view){.kind = twin_instance_task_kind_of(stored)};
    if (view->kind == TWIN_SHOWN_KERNEL) {
        view->group = stored->group ? stored->group->object.handle : 0;
        view->launch = twin_launch_look(stored->launch);
    } else if (view->kind == TWIN_SHOWN_WRITE_VALUE || view->kind == TWIN_SHOWN_WAIT_VALUE) {
        view->value = stored->value;
    } else if (view->kind != TWIN_SHOWN_OTHER) {
        view->event = stored->on_event.shown;
        view->event_flags = flags_of(view->event);
    }
}

static int32_t check_offered(const twin_instance *instance)
{
    return twin_device_check_software_queues(instance->device, "parameters and changes of tasks");
}

int32_t twin_instance_task_look(uint64_t handle, bool parameters, twin_instance_task_view *out_view)
{
    FOUND_TASK(found);
    int32_t code = find_locked(handle, &found);
    if (code != 0)
        return code;
    look_locked(found.task->stored, out_view);
    twin_lock_drop(&found.stream->lock);
    if (parameters)
        code = check_offered(found.instance);
    if (code != 0)
        return code;
    if (out_view->kind == TWIN_SHOWN_OTHER)
        return twin_fail(TWIN_ERR_PARAM,
                         "the task has no parameters: it is no kernel, and does not record, reset "
                         "or wait for an event, or write or wait for a value");
    return out_view->kind == TWIN_SHOWN_KERNEL ? check_captured(found.instance) : 0;
}

/* Change --------------------------------------------------------------------------------------- */

static int32_t fail_update(const twin_instance *instance, const char *why)
{
    return twin_fail(TWIN_ERR_MODEL_UPDATE, "model instance %u %s", instance->id, why);
}

/* Whether tasks of a pinned model instance can be changed at all. 107004, 207000. */
static int32_t check_kind(const twin_instance *instance)
{
    int32_t code = twin_instance_check_own(instance);
    if (code == 0)
        code = check_captured(instance);
    return code == 0 ? check_offered(instance) : code;
}

/* Whether they can be changed now. 107040 too. */
static int32_t check_changeable(twin_instance *instance)
{
    const int32_t code = check_kind(instance);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    const bool capturing = instance->capturing, faulty = instance->faulty;
    const bool open = twin_instance_is_open(instance);
    twin_lock_drop(&instance->lock);
    if (!open)
        return twin_instance_fail_ending(instance);
    if (capturing)
        return fail_update(instance, "is in capture; call aclmdlRICaptureEnd first");
    if (faulty)
        return fail_update(instance, "is faulty: a change of a task was refused or has failed; "
                                     "destroy it and capture anew");
    twin_assert_unlocked("model_instance.drain with a lock held");
    const twin_status status =
        twin_device_note(instance->device, twin_ops()->model_instance.drain(instance->hw, 0));
    return status != TWIN_E_TIMEOUT && !twin_wait_given_up(status)
               ? 0
               : fail_update(instance, "runs; wait for the stream that executes it first");
}

static int32_t fail_fixed(const twin_stream *stream)
{
    return twin_fail(TWIN_ERR_UNSUPPORTED,
                     "stream %u of the model instance has host functions for a thread that "
                     "aclrtSubscribeReport names; such tasks cannot be made anew",
                     stream->id);
}

/* Finds a task that can be changed. On success its stream and model instance are locked. */
static int32_t begin_change(uint64_t handle, found_task *found)
{
    int32_t code = find_locked(handle, found);
    if (code != 0)
        return code;
    const bool fixed = found->stream->stored.fixed;
    twin_lock_drop(&found->stream->lock);
    code = check_changeable(found->instance);
    if (code == 0 && fixed)
        code = fail_fixed(found->stream);
    if (code != 0)
        return code;
    twin_lock_take(&found->stream->lock);
    twin_lock_take(&found->instance->lock);
    if (twin_handle_is(found->task, handle) && found->task->stored->state != TWIN_STORED_GONE)
        return 0;
    twin_lock_drop(&found->instance->lock);
    twin_lock_drop(&found->stream->lock);
    return fail_dead(handle);
}

/* Ends a change, of which `code` is the result; unlocks. */
static int32_t end_change(const found_task *found, int32_t code)
{
    found->instance->changed = true;
    found->instance->late = false;
    found->instance->faulty |= code != 0;
    found->stream->stored.changed = true;
    twin_lock_drop(&found->instance->lock);
    twin_lock_drop(&found->stream->lock);
    return code;
}

int32_t twin_instance_task_refuse(uint64_t handle, int32_t code)
{
    FOUND_TASK(found);
    const int32_t own = begin_change(handle, &found);
    return own != 0 ? own : end_change(&found, code);
}

static int32_t check_ungrouped(const twin_stored_task *stored)
{
    return !stored->group ? 0
                          : twin_fail(TWIN_ERR_UNSUPPORTED,
                                      "the kernel belongs to a task group, whose tasks stay "
                                      "kernels; see aclmdlRICaptureTaskUpdateBegin");
}

static int32_t fail_kind(void)
{
    return twin_fail(TWIN_ERR_PARAM,
                     "a task of this type cannot become what is asked for; aclmdlRITaskGetType "
                     "tells it: only kernels become kernels, and tasks of type DEFAULT do not "
                     "change");
}

/* The kernel that the task with this handle becomes. */
typedef struct new_kernel {
    uint64_t task;
    bool offered; /* the task took it or did not, which its instance has noted */
} new_kernel;

static int32_t take_kernel(void *user, twin_launch *launch)
{
    new_kernel *wanted = user;
    int32_t code = twin_launch_own_code(launch);
    if (code != 0)
        return code;
    FOUND_TASK(found);
    wanted->offered = true;
    code = begin_change(wanted->task, &found);
    if (code != 0)
        return code;
    twin_stored_task *stored = found.task->stored;
    if (stored->kind == TWIN_TASK_LAUNCH && stored->group && stored->launch->cores != launch->cores)
        code = twin_fail(TWIN_ERR_PARAM, "the kernel belongs to a task group, and the new one runs "
                                         "on other cores");
    if (code == 0)
        twin_stored_set_launch(stored, launch);
    return end_change(&found, code);
}

int32_t twin_instance_task_set_kernel(uint64_t handle, uint64_t function, uint32_t blocks,
                                      const twin_launch_config *config,
                                      const twin_launch_args *args)
{
    new_kernel wanted = {.task = handle};
    twin_overflows overflows = {0};
    uint64_t stream = 0;
    {
        FOUND_TASK(found);
        int32_t code = begin_change(handle, &found);
        if (code != 0)
            return code;
        const twin_stored_task *stored = found.task->stored;
        if (stored->kind != TWIN_TASK_LAUNCH)
            return end_change(&found, fail_kind());
        overflows = twin_launch_look(stored->launch).overflows;
        stream = found.stream->object.handle;
        twin_lock_drop(&found.instance->lock);
        twin_lock_drop(&found.stream->lock);
    }
    const twin_launch_sink sink = {.take = take_kernel, .user = &wanted, .overflows = &overflows};
    const int32_t code = twin_launch_make(function, blocks, config, args, stream, &sink);
    if (code != 0 && !wanted.offered)
        (void)twin_instance_task_refuse(handle, code);
    return code;
}

/* 107000: not a word of the device; 207000: it has no such tasks. No lock is held. */
static int32_t check_value(const twin_device *device, twin_value_wait *value)
{
    if (!device->properties->values)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "device %u, %s, has no tasks that write or wait for values", device->id,
                         device->properties->soc_name);
    return twin_value_check_word("devAddr", value->address, 8, device, &value->side);
}

int32_t twin_instance_task_set_value(uint64_t handle, twin_task_kind kind, twin_value_wait value)
{
    FOUND_TASK(found);
    int32_t code = begin_change(handle, &found);
    if (code != 0)
        return code;
    twin_stored_task *stored = found.task->stored;
    if (twin_instance_task_kind_of(stored) == TWIN_SHOWN_OTHER)
        code = fail_kind();
    if (code == 0)
        code = check_ungrouped(stored);
    if (code == 0)
        code = check_value(found.stream->device, &value); /* takes no lock */
    if (code == 0)
        twin_stored_set_value(stored, kind, &value);
    return end_change(&found, code);
}

int32_t twin_instance_task_disable(uint64_t handle)
{
    FOUND_TASK(found);
    int32_t code = begin_change(handle, &found);
    if (code != 0)
        return code;
    twin_stored_task *stored = found.task->stored;
    if (twin_instance_task_kind_of(stored) == TWIN_SHOWN_OTHER)
        code = twin_fail(TWIN_ERR_PARAM, "the task is of type DEFAULT and cannot be disabled");
    if (code == 0)
        code = check_ungrouped(stored);
    if (code == 0)
        stored->state = TWIN_STORED_DISABLED;
    return end_change(&found, code);
}

/* Update --------------------------------------------------------------------------------------- */

/* One task again; the stream is locked. */
static int32_t submit_again(twin_stream *stream, twin_stored_task *stored)
{
    const struct twin_backend *ops = twin_ops();
    if (stored->kind == TWIN_STORED_ACTIVATE)
        return twin_instance_fail_work(ops->work.activate(stream->queue, stored->to->queue),
                                       stream->id, stream->device->id);
    const twin_task task = twin_stored_as_task(stored);
    if (task.kind == TWIN_TASK_LAUNCH)
        task.launch->keep(task.launch); /* for the queue */
    const int32_t code = twin_stream_submit_again(stream, &task);
    if (task.kind == TWIN_TASK_LAUNCH && code != 0)
        task.launch->release(task.launch);
    if (code == 0 && stored->group)
        stored->group->tasks[stored->member].place = ops->diag.newest_task(stream->queue);
    return code;
}

/* Makes the tasks of a changed stream anew; stream and instance are locked. *out_busy: a run. */
static int32_t renew_locked(twin_instance *instance, twin_stream *stream, bool *out_busy)
{
    const struct twin_backend *ops = twin_ops();
    twin_status status = twin_device_note(stream->device, ops->model_instance.clean(stream->queue));
    *out_busy = status == TWIN_E_BUSY;
    if (*out_busy)
        return 0;
    instance->sealed = false;
    int32_t code = twin_instance_fail_work(status, stream->id, stream->device->id);
    uint32_t place = 0;
    twin_stored_task *stored;
    while (code == 0 && (stored = twin_stored_next(stream, &place)) != NULL) {
        if (stored->state == TWIN_STORED_DISABLED)
            twin_stored_leave_out(stored);
        else
            code = submit_again(stream, stored);
    }
    if (code == 0 && instance->end_stream == stream)
        code =
            twin_instance_fail_work(ops->work.end(stream->queue), stream->id, stream->device->id);
    stream->stored.changed = code != 0;
    return code;
}

/* A stream of the instance whose tasks were changed, pinned; NULL: there is none. */
static twin_stream *next_changed(twin_instance *instance)
{
    twin_stream *found = NULL;
    TWIN_LOCKED(&instance->lock);
    for (uint32_t i = 0; i < instance->bound_count && !found; i++) {
        twin_stream *stream = instance->bound[i].stream;
        if (stream->stored.changed && twin_handle_pin_object(stream, stream->object.handle))
            found = stream;
    }
    return found;
}

int32_t twin_instance_renew(twin_instance *instance)
{
    twin_stream *stream;
    int32_t code = 0;
    bool busy = false;
    while (code == 0 && !busy && (stream = next_changed(instance)) != NULL) {
        twin_lock_take(&stream->lock);
        twin_lock_take(&instance->lock);
        if (!twin_instance_is_open(instance)) /* then its streams may be unbound */
            code = twin_instance_fail_ending(instance);
        else if (stream->stored.changed) /* else another thread was faster */
            code = renew_locked(instance, stream, &busy);
        twin_lock_drop(&instance->lock);
        twin_lock_drop(&stream->lock);
        twin_stream_unpin(stream);
    }
    if (busy)
        return fail_update(instance, "runs; wait for the stream that executes it first");
    twin_instance *root = instance->root ? instance->root : instance; /* which runs the tasks */
    TWIN_LOCKED(&root->lock);
    if (!twin_instance_is_open(root))
        return code != 0 ? code : twin_instance_fail_ending(root);
    if (code == 0)
        code = twin_instance_seal_locked(root);
    root->changed = code != 0;
    root->late = false;
    root->faulty |= code != 0;
    return code;
}

int32_t twin_instance_update(uint64_t handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = check_kind(instance);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    const bool changed = instance->changed || instance->faulty || instance->capturing;
    twin_lock_drop(&instance->lock);
    if (!changed)
        return 0;
    code = check_changeable(instance);
    if (code != 0)
        return code;
    if (!twin_groups_claim(instance))
        return fail_update(instance, "has a task group that is being updated; call "
                                     "aclmdlRICaptureTaskUpdateEnd first");
    code = twin_instance_renew(instance);
    twin_groups_give_up(instance);
    return code;
}
