/* SPDX-License-Identifier: Apache-2.0 */
/* The way of one task from a public call to its queue. */
#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/callback/callback_delivery.h"
#include "core/callback/exception_callback.h"
#include "core/capture/capture.h"
#include "core/model_instance/model_instance.h"
#include "core/model_instance/stored_task.h"
#include "core/model_instance/task_group.h"
#include "core/object/event.h"
#include "core/object/stream.h"
#include "core/work/launch.h"
#include "core/work/pool.h"

/* In place of a code: the stream is in capture, or updates a task group, and is locked. */
#define IN_CAPTURE INT32_MIN
#define IN_UPDATE  (INT32_MIN + 1)

/* What a submission can find wrong with what it names, or with who is to run its call. */
typedef enum task_trouble {
    TASK_FINE,
    EVENT_GONE,
    EVENT_ELSEWHERE,
    EVENT_UNFIT, /* cannot stay in a persistent stream */
    EVENT_UNRECORDED,
    INSTANCE_UNREADY,
    CALL_UNFIT,     /* cannot stay in a persistent stream */
    CALL_NO_THREAD, /* no thread is subscribed */
    CALL_CONTEXTS,  /* the context's own thread runs the stream's functions */
    CALL_THREADS    /* a thread of the program is subscribed */
} task_trouble;

/* Why a stream that was found takes no task of this thread; drops its lock. */
__attribute__((noinline, cold)) static int32_t refuse_locked(twin_stream *stream, uint64_t handle)
{
    int32_t code = 0;
    uint8_t halt = atomic_load_explicit(&stream->halt, memory_order_relaxed);
    /* A dead one may be in the making as another: nothing else of it is read. */
    bool gone = !twin_handle_is(stream, handle) || stream->destroying;
    uint32_t id = gone ? 0 : stream->id, device_id = gone ? 0 : stream->device->id;
    const bool foreign = !gone && twin_stream_context_handle(stream) != twin_self.context;
    const bool captured = !gone && !foreign && halt == TWIN_HALT_CAPTURE;
    if (captured)
        return IN_CAPTURE;
    if (!gone && !foreign && halt == TWIN_HALT_UPDATE)
        return IN_UPDATE;
    if (foreign && (halt & (TWIN_HALT_STREAM | TWIN_HALT_DEVICE)) == 0)
        code = twin_stream_fail_foreign(stream);
    twin_lock_drop(&stream->lock);
    if (gone)
        return twin_stream_fail_handle(handle);
    return code == 0 ? twin_stream_fail_halted(halt, id, device_id) : twin_refused(code);
}

/* Each submission comes through here: failures are reported out of line. `stream`: what the handle
 * was found to mean, or NULL. */
__attribute__((always_inline)) static inline int32_t
lock_stream(uint64_t handle, twin_stream *stream, twin_stream **out_stream)
{
    if (handle != 0 && !stream) {
        stream = twin_handle_find(&twin_streams, handle);
        if (__builtin_expect(!stream, 0))
            return twin_refused(twin_stream_fail_handle(handle));
    }
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (__builtin_expect(code != 0, 0))
        return code;
    if (handle == 0) {
        handle = atomic_load_explicit(&context->default_stream, memory_order_relaxed);
        stream = twin_handle_find(&twin_streams, handle);
        if (!stream)
            return twin_refused(twin_stream_fail_handle(handle));
    }
    twin_lock_take(&stream->lock);
    if (__builtin_expect(!twin_handle_is(stream, handle) || stream->destroying ||
                             atomic_load_explicit(&stream->halt, memory_order_relaxed) != 0 ||
                             twin_stream_context_handle(stream) != twin_self.context,
                         0)) {
        *out_stream = stream;
        return twin_refused(refuse_locked(stream, handle));
    }
    *out_stream = stream;
    return 0;
}

int32_t twin_stream_lock_own(uint64_t handle, twin_stream **out_stream)
{
    twin_stream *stream = NULL;
    const int32_t code = lock_stream(handle, NULL, &stream);
    *out_stream = stream;
    if ((code != IN_CAPTURE && code != IN_UPDATE) || !stream)
        return code;
    const uint32_t id = stream->id, device_id = stream->device->id;
    twin_lock_drop(&stream->lock);
    return twin_stream_fail_halted(code == IN_CAPTURE ? TWIN_HALT_CAPTURE : TWIN_HALT_UPDATE, id,
                                   device_id);
}

static inline twin_status record_locked(const struct twin_backend *ops, twin_stream *stream,
                                        twin_event *event, bool kept)
{
    twin_status status = ops->work.record(stream->queue, event->signal);
    if (__builtin_expect(status == TWIN_OK, 1))
        event->recorded_on = stream->object.handle;
    if (__builtin_expect(atomic_load_explicit(&event->in_instance, memory_order_relaxed) != kept,
                         0) &&
        status == TWIN_OK)
        atomic_store_explicit(&event->in_instance, kept, memory_order_relaxed);
    return status;
}

static twin_status issue_value(const struct twin_backend *ops, twin_stream *stream,
                               const twin_task *task)
{
    return task->kind == TWIN_TASK_WAIT_VALUE
               ? ops->work.wait_value(stream->queue, task->value)
               : ops->work.write_value(stream->queue, task->value->address, task->value->value,
                                       task->value->side);
}

/* `queue`: the stream's, or of the lane that takes its work in a capture. */
static twin_status issue_call_locked(const struct twin_backend *ops, twin_stream *stream,
                                     twin_queue *queue, const twin_task *task,
                                     task_trouble *out_trouble)
{
    twin_call_queue *call_queue = task->call_queue;
    if ((stream->flags & TWIN_STREAM_PERSISTENT) != 0)
        *out_trouble = CALL_UNFIT;
    else if (call_queue && stream->subscriber)
        *out_trouble = CALL_THREADS;
    else if (!call_queue && stream->host_functions)
        *out_trouble = CALL_CONTEXTS;
    else if (!call_queue && !stream->subscriber)
        *out_trouble = CALL_NO_THREAD;
    if (*out_trouble != TASK_FINE)
        return TWIN_OK;
    if (!call_queue)
        call_queue = twin_callback_call_queue(stream->subscriber);
    else
        stream->host_functions = true;
    return ops->work.call(queue, call_queue, task->call);
}

/* Work of the rarer kinds. What is wrong, if anything, goes to `out_trouble`. */
__attribute__((noinline)) static twin_status issue_other(const struct twin_backend *ops,
                                                         twin_stream *stream, const twin_task *task,
                                                         task_trouble *out_trouble)
{
    if (task->kind == TWIN_TASK_CALL)
        return issue_call_locked(ops, stream, stream->queue, task, out_trouble);
    if (task->kind == TWIN_TASK_REDUCE)
        return ops->work.reduce(stream->queue, task->reduce);
    if (task->kind == TWIN_TASK_COPY_ROWS)
        return ops->work.copy_rows(stream->queue, task->rows);
    if (task->kind == TWIN_TASK_DESCRIBED)
        return ops->work.described(stream->queue, task->maintenance->address,
                                   task->maintenance->op);
    if (task->kind == TWIN_TASK_MAINTAIN)
        return ops->work.maintain(stream->queue, task->maintenance);
    if (task->kind == TWIN_TASK_COPY_BASED)
        return ops->work.copy_based(stream->queue, task->based);
    if (task->kind == TWIN_TASK_RANDOM)
        return ops->work.random(stream->queue, task->random);
    if (task->kind == TWIN_TASK_LAUNCH)
        return ops->work.launch(stream->queue, task->launch);
    if (task->kind == TWIN_TASK_ALLOC)
        return twin_pool_alloc_locked(stream->queue, task->pool->pool, task->pool->bytes,
                                      task->pool->out_address);
    if (task->kind == TWIN_TASK_FREE)
        return ops->work.free(stream->queue, task->pool->address);
    if (task->kind != TWIN_TASK_RUN)
        return issue_value(ops, stream, task);
    bool ready = true;
    twin_status status = twin_instance_run_locked(stream, task->instance, &ready);
    *out_trouble = ready ? TASK_FINE : INSTANCE_UNREADY;
    return status;
}

/* A wait for an event that this runtime recorded on the same stream, or never. */
static twin_status wait_oddly_locked(const struct twin_backend *ops, twin_stream *stream,
                                     const twin_task *task, task_trouble *out_trouble)
{
    const uint32_t form = twin_event_form(task->event);
    const bool recorded = task->event->recorded_on != 0;
    if (!recorded && (form & TWIN_EVENT_PLAIN) != 0) {
        *out_trouble = EVENT_UNRECORDED;
        return TWIN_OK;
    }
    /* What a stream has recorded itself is done before its next task (EVT-76). A shared one may
     * have a newer record. */
    if (recorded && (form & (TWIN_EVENT_EX | TWIN_EVENT_IPC)) == TWIN_EVENT_EX)
        return TWIN_OK;
    return ops->work.wait(stream->queue, task->event->signal, task->timeout_ns);
}

/* The op itself. What is wrong with the event, if anything, goes to `out_trouble`: the event is
 * read under its lock only, and reported when no lock is held. */
__attribute__((always_inline)) static inline twin_status
issue_locked(const struct twin_backend *ops, twin_stream *stream, const twin_task *task,
             task_trouble *out_trouble)
{
    if (task->kind == TWIN_TASK_COPY)
        return ops->work.copy(stream->queue, task->copy);
    if (task->kind == TWIN_TASK_FILL)
        return ops->work.fill(stream->queue, task->fill);
    if (__builtin_expect(task->kind > TWIN_TASK_WAIT_COUNT, 0))
        return issue_other(ops, stream, task, out_trouble);

    bool kept = (stream->flags & TWIN_STREAM_PERSISTENT) != 0;
    twin_event *event = task->event;
    twin_status status = TWIN_OK;
    twin_lock_take(&event->lock);
    if (!twin_handle_is(event, task->event_handle))
        *out_trouble = EVENT_GONE;
    else if (__builtin_expect(kept, 0) &&
             (twin_event_form(event) & (TWIN_EVENT_PLAIN | TWIN_EVENT_EX)) != 0)
        *out_trouble = EVENT_UNFIT;
    else if (task->kind == TWIN_TASK_WAIT &&
             (event->recorded_on == 0 || event->recorded_on == stream->object.handle))
        status = wait_oddly_locked(ops, stream, task, out_trouble);
    else if (task->kind == TWIN_TASK_WAIT)
        status = ops->work.wait(stream->queue, event->signal, task->timeout_ns);
    else if (task->kind == TWIN_TASK_RESET)
        status = ops->work.reset(stream->queue, event->signal);
    else if (event->device != stream->device)
        *out_trouble = EVENT_ELSEWHERE;
    else if (__builtin_expect(task->kind != TWIN_TASK_RECORD, 0))
        status = task->kind == TWIN_TASK_COUNT
                     ? ops->work.count(stream->queue, event->signal, task->change)
                     : ops->work.wait_count(stream->queue, event->signal, task->count_wait);
    else
        status = record_locked(ops, stream, event, kept);
    twin_lock_drop(&event->lock);
    return status;
}

static int32_t fail_task(task_trouble trouble, uint32_t stream_id, uint32_t stream_device)
{
    if (trouble == EVENT_GONE)
        return twin_fail(TWIN_ERR_HANDLE, "the event was destroyed by another thread");
    if (trouble == EVENT_UNFIT)
        return twin_fail(
            TWIN_ERR_UNSUPPORTED,
            "a record of this event, or a wait for it, belongs to one moment and cannot "
            "run again and again in a persistent stream; use an event of "
            "aclrtCreateEventWithFlag with ACL_EVENT_SYNC, or a notify");
    if (trouble == EVENT_UNRECORDED)
        return twin_fail(TWIN_ERR_PARAM,
                         "the event was never recorded; call aclrtRecordEvent before "
                         "a stream waits for an event of aclrtCreateEvent");
    if (trouble == INSTANCE_UNREADY)
        return twin_fail(TWIN_ERR_MODEL_EXECUTE,
                         "the model instance is not complete, or is being destroyed; call "
                         "aclmdlRIEndTask and aclmdlRIBuildEnd first");
    if (trouble == CALL_UNFIT)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "stream %u is persistent; functions of the host cannot be part of a model "
                         "instance that is built task by task",
                         stream_id);
    if (trouble == CALL_NO_THREAD)
        return twin_fail(TWIN_ERR_NO_SUBSCRIBER,
                         "no thread runs the callbacks of stream %u; call aclrtSubscribeReport "
                         "first",
                         stream_id);
    if (trouble == CALL_CONTEXTS)
        return twin_fail_context_runs(stream_id);
    if (trouble == CALL_THREADS)
        return twin_fail(TWIN_ERR_SUBSCRIBED,
                         "a thread is subscribed to stream %u; use aclrtLaunchCallback, or call "
                         "aclrtUnSubscribeReport first",
                         stream_id);
    return twin_fail(TWIN_ERR_STREAM_CONTEXT,
                     "the event was made on another device than the stream's, which is device %u",
                     stream_device);
}

static int32_t fail_issue(twin_status status, uint32_t id, uint32_t device_id)
{
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u", id,
                            device_id);
}

/* Queues a task that stays in `lane`, a persistent stream, and stores it there. `stream`: that the
 * program named. */
static twin_status issue_stored(twin_stream *stream, twin_stream *lane, const twin_task *task,
                                task_trouble *out_trouble)
{
    const struct twin_backend *ops = twin_ops();
    twin_stored_task *stored = twin_stored_prepare(lane, task);
    if (!stored)
        return TWIN_E_NOMEM;
    const twin_status status = task->kind == TWIN_TASK_CALL
                                   ? issue_call_locked(ops, stream, lane->queue, task, out_trouble)
                                   : issue_locked(ops, lane, task, out_trouble);
    if (status == TWIN_OK && *out_trouble == TASK_FINE)
        twin_stored_commit(lane, stored);
    else
        twin_stored_cancel(stored);
    return status;
}

/* Work of a stream whose tasks do not run on submission. The stream is locked, and not on
 * return. */
static __attribute__((noinline, cold)) int32_t submit_passive(twin_stream *stream,
                                                              const twin_task *task)
{
    uint32_t id = stream->id, flags = stream->flags, device_id = stream->device->id;
    if ((flags & TWIN_STREAM_PASSIVE) != TWIN_STREAM_PERSISTENT || task->kind == TWIN_TASK_RUN) {
        twin_lock_drop(&stream->lock);
        return twin_fail(TWIN_ERR_UNSUPPORTED, "stream %u was made with flags %#x: %s", id, flags,
                         task->kind == TWIN_TASK_RUN
                             ? "a model instance runs from an ordinary stream"
                             : "its tasks come from the device alone");
    }
    bool sealed = twin_instance_is_sealed(stream);
    task_trouble trouble = TASK_FINE;
    twin_status status = TWIN_OK;
    if (!sealed)
        status = twin_device_note(stream->device, issue_stored(stream, stream, task, &trouble));
    twin_lock_drop(&stream->lock);
    if (sealed)
        return twin_instance_fail_sealed(id);
    if (trouble != TASK_FINE)
        return fail_task(trouble, id, device_id);
    return twin_instance_fail_work(status, id, device_id);
}

int32_t twin_stream_submit_captured(twin_stream *stream, twin_stream *lane, const twin_task *task,
                                    bool *out_full)
{
    task_trouble trouble = TASK_FINE;
    const twin_status status = issue_stored(stream, lane, task, &trouble);
    *out_full = status == TWIN_E_BUSY;
    if (trouble != TASK_FINE)
        return fail_task(trouble, stream->id, stream->device->id);
    return *out_full
               ? 0
               : fail_issue(twin_device_note(lane->device, status), lane->id, lane->device->id);
}

int32_t twin_stream_submit_again(twin_stream *lane, const twin_task *task)
{
    const struct twin_backend *ops = twin_ops();
    task_trouble trouble = TASK_FINE;
    const twin_status status = task->kind == TWIN_TASK_CALL
                                   ? ops->work.call(lane->queue, task->call_queue, task->call)
                                   : issue_locked(ops, lane, task, &trouble);
    return trouble != TASK_FINE ? fail_task(trouble, lane->id, lane->device->id)
                                : twin_instance_fail_work(twin_device_note(lane->device, status),
                                                          lane->id, lane->device->id);
}

/* What the next kernel of a locked stream replaces. 507000: the group has no more. 507009: the task
 * is of another kind. */
static int32_t find_replaced(const twin_stream *stream, const twin_task *task,
                             twin_group_task *out_task)
{
    const twin_task_group *group = stream->updates;
    if (task->kind != TWIN_TASK_LAUNCH)
        return twin_fail(TWIN_ERR_TASK_TYPE,
                         "stream %u updates a task group, whose tasks are kernels; call "
                         "aclmdlRICaptureTaskUpdateEnd first",
                         stream->id);
    if (group->next >= group->count)
        return twin_fail(TWIN_ERR_INTERNAL,
                         "the task group of model instance %u has %u kernels, and all of them were "
                         "replaced; call aclmdlRICaptureTaskUpdateEnd",
                         group->instance_id, group->count);
    *out_task = group->tasks[group->next];
    if (out_task->cores != task->launch->cores)
        return twin_fail(TWIN_ERR_INTERNAL,
                         "kernel %u of the task group of model instance %u runs on other cores "
                         "than the one that is to replace it",
                         group->next, group->instance_id);
    return 0;
}

/* Queues the task; `replaced`: what it takes the place of, in a stream of that handle. *out_late:
 * the backend does not change tasks, and the end of the update will. The caller unpins what this
 * pins, once the stream is not locked: it may be the last to hold it. */
static twin_status issue_replacing(twin_stream *stream, const twin_task *task,
                                   const twin_group_task *replaced, twin_stream **out_target,
                                   twin_instance **out_instance, bool *out_late)
{
    twin_launch *launch = task->launch;
    *out_instance = twin_handle_pin(&twin_model_instances, stream->updates->instance);
    *out_target = twin_handle_pin(&twin_streams, replaced->stream);
    if (!*out_target || !*out_instance)
        return TWIN_E_INVALID;
    if (twin_launch_own_code(launch) != 0)
        return TWIN_E_NOMEM;
    const twin_replaced place = {.queue = (*out_target)->queue, .place = replaced->place};
    launch->replaces = &place;
    launch->keep(launch); /* for the stored task */
    const twin_status status = twin_ops()->work.launch(stream->queue, launch);
    launch->replaces = NULL;
    *out_late = status == TWIN_E_UNSUPPORTED && !(*out_target)->stored.fixed;
    stream->updates->late |= *out_late;
    stream->updates->next += status == TWIN_OK || *out_late;
    if (status != TWIN_OK)
        launch->release(launch); /* if it is late, the stored task has the caller's part */
    return *out_late ? TWIN_OK : status;
}

/* The stored task becomes the kernel, too. */
static void store_replacing(const twin_group_task *replaced, twin_stream *target,
                            twin_instance *instance, twin_launch *launch, bool late)
{
    twin_instance *root = instance->root ? instance->root : instance; /* which runs the tasks */
    twin_lock_take(&target->lock);
    twin_lock_take(&root->lock);
    twin_stored_set_launch(replaced->stored, launch);
    target->stored.changed |= late;
    root->late |= late && !root->changed;
    root->changed |= late;
    twin_lock_drop(&root->lock);
    twin_lock_drop(&target->lock);
}

/* A task of a stream that updates a task group; the stream is locked, and not on return. */
static __attribute__((noinline)) int32_t submit_update(twin_stream *stream, const twin_task *task)
{
    const uint32_t id = stream->id, device_id = stream->device->id;
    const uint64_t own = stream->object.handle;
    task_trouble trouble = TASK_FINE;
    twin_group_task replaced = {0};
    twin_status status = TWIN_OK;
    int32_t code = 0;
    bool late = false;
    TWIN_PINNED(stream, target);
    TWIN_PINNED(instance, instance);
    if (task->kind == TWIN_TASK_RECORD)
        status = issue_locked(twin_ops(), stream, task, &trouble);
    else if ((code = find_replaced(stream, task, &replaced)) == 0)
        status = issue_replacing(stream, task, &replaced, &target, &instance, &late);
    twin_device_note(stream->device, status);
    TWIN_PINNED(stream, full);
    if (status == TWIN_E_BUSY && twin_handle_pin_object(stream, own))
        full = stream;
    twin_lock_drop(&stream->lock);
    if (target && code == 0 && status == TWIN_OK)
        store_replacing(&replaced, target, instance, task->launch, late);
    if (trouble != TASK_FINE)
        return fail_task(trouble, id, device_id);
    if (!full)
        return code != 0 ? code : fail_issue(status, id, device_id);
    twin_assert_unlocked("queue.room with a lock held");
    status = twin_ops()->queue.room(full->queue);
    return status == TWIN_OK ? twin_stream_submit(own, task) : fail_issue(status, id, device_id);
}

/* Whether a capture takes tasks of that kind as they are. */
static inline bool is_plain(twin_task_kind kind)
{
    const uint32_t others = UINT32_C(1) << TWIN_TASK_RECORD | UINT32_C(1) << TWIN_TASK_WAIT |
                            UINT32_C(1) << TWIN_TASK_RESET | UINT32_C(1) << TWIN_TASK_RUN |
                            UINT32_C(1) << TWIN_TASK_CALL | UINT32_C(1) << TWIN_TASK_ALLOC |
                            UINT32_C(1) << TWIN_TASK_FREE;
    return (others >> kind & 1) == 0;
}

/* A task of a stream in capture, which is locked, and not on return. */
static __attribute__((noinline)) int32_t submit_in_capture(twin_stream *stream, uint64_t handle,
                                                           const twin_task *task)
{
    twin_capture_tail *tail = twin_capture_tail_of(stream);
    task_trouble trouble = TASK_FINE;
    twin_status status = TWIN_E_BUSY;
    if (is_plain(task->kind) && tail->tasks < tail->tasks_most)
        status = issue_stored(stream, tail->newest, task, &trouble);
    const bool good = status == TWIN_OK && trouble == TASK_FINE;
    if (good) {
        tail->tasks++;
        tail->last_edge = NULL;
        tail->last = twin_capture_this_call();
    }
    twin_lock_drop(&stream->lock);
    return good ? 0 : twin_capture_submit(handle, task);
}

/* A task that does not go to the stream's own queue. */
static __attribute__((noinline)) int32_t submit_refused(int32_t code, twin_stream *stream,
                                                        uint64_t handle, const twin_task *task)
{
    if (code == IN_CAPTURE && stream)
        return submit_in_capture(stream, handle, task);
    if (code == IN_UPDATE && stream)
        return submit_update(stream, task);
    return code;
}

int32_t twin_stream_submit(uint64_t handle, const twin_task *task)
{
    const struct twin_backend *ops = twin_ops();
    for (;;) {
        twin_stream *stream = NULL;
        int32_t code = lock_stream(handle, task->stream, &stream);
        if (__builtin_expect(code != 0, 0))
            return submit_refused(code, stream, handle, task);
        if (!stream)
            __builtin_unreachable(); /* found, or refused */

        if (__builtin_expect((stream->flags & TWIN_STREAM_PASSIVE) != 0, 0))
            return submit_passive(stream, task);
        task_trouble trouble = TASK_FINE;
        twin_status status = issue_locked(ops, stream, task, &trouble);
        if (__builtin_expect(status == TWIN_OK && trouble == TASK_FINE, 1)) {
            twin_lock_drop(&stream->lock);
            return 0;
        }
        uint32_t id = stream->id, device_id = stream->device->id;
        if (trouble != TASK_FINE) {
            twin_lock_drop(&stream->lock);
            return fail_task(trouble, id, device_id);
        }
        if (status != TWIN_E_BUSY) {
            twin_device_note(stream->device, status);
            twin_lock_drop(&stream->lock);
            return fail_issue(status, id, device_id);
        }

        /* Full: wait for room without the lock. Alive under the lock, so the pin succeeds. */
        uint64_t own = stream->object.handle;
        bool pinned = twin_handle_pin_object(stream, own);
        twin_lock_drop(&stream->lock);
        if (!pinned)
            return twin_stream_fail_handle(own);
        twin_assert_unlocked("queue.room with a lock held");
        status = twin_device_note(stream->device, ops->queue.room(stream->queue));
        if (status != TWIN_OK) {
            twin_stream_unpin(stream);
            return fail_issue(status, id, device_id);
        }
        twin_stream_unpin(stream);
    }
}
