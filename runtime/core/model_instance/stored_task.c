/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/stored_task.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/work/launch.h"

static void release(void *object)
{
    twin_handle_free(&twin_instance_tasks, object);
}

twin_handle_table twin_instance_tasks =
    TWIN_HANDLE_TABLE_INITIALIZER("task", TWIN_HANDLE_TASK, twin_instance_task, NULL, release);

void twin_instance_task_unpin(twin_instance_task *task)
{
    twin_handle_unpin(&twin_instance_tasks, task);
}

#define BLOCK_TASKS 56u /* about a page */

struct twin_stored_block {
    struct twin_stored_block *next;
    twin_stored_task tasks[BLOCK_TASKS];
};

/* ---- places ---------------------------------------------------------------------------------- */

/* The next place of the list; NULL: host memory is out. */
static twin_stored_task *next_place(twin_stream *stream)
{
    twin_stored_tasks *list = &stream->stored;
    const uint32_t count = atomic_load_explicit(&list->count, memory_order_relaxed);
    if (count < list->room)
        return &list->last->tasks[count % BLOCK_TASKS];
    struct twin_stored_block *block = twin_zalloc(sizeof(*block));
    if (!block)
        return NULL;
    if (list->last)
        list->last->next = block;
    else
        list->first = block;
    list->last = block;
    list->room += BLOCK_TASKS;
    return &block->tasks[0];
}

twin_stored_task *twin_stored_next(const twin_stream *stream, uint32_t *place)
{
    const uint32_t count = twin_stored_count(stream);
    if (*place >= count)
        return NULL;
    struct twin_stored_block *block = stream->stored.first;
    for (uint32_t i = 0; i < *place / BLOCK_TASKS; i++)
        block = block->next;
    for (;;) {
        twin_stored_task *stored = &block->tasks[*place % BLOCK_TASKS];
        ++*place;
        if (stored->state != TWIN_STORED_GONE)
            return stored;
        if (*place >= count)
            return NULL;
        if (*place % BLOCK_TASKS == 0) /* the link may be made now, unless the task is there */
            block = block->next;
    }
}

/* ---- what tasks name ------------------------------------------------------------------------- */

/* Of kinds that name more than a task holds; 0: others. */
static size_t far_bytes(uint8_t kind)
{
    return kind == TWIN_TASK_REDUCE      ? sizeof(twin_reduce)
           : kind == TWIN_TASK_COPY_ROWS ? sizeof(twin_rows)
           : kind == TWIN_TASK_RANDOM    ? sizeof(twin_random)
                                         : 0;
}

/* false: host memory is out. */
static bool take_parts(twin_stored_task *stored, const twin_task *task)
{
    const size_t far = far_bytes(stored->kind);
    switch (task->kind) {
    case TWIN_TASK_COPY:
        stored->copy = *task->copy;
        return true;
    case TWIN_TASK_FILL:
        stored->fill = *task->fill;
        return true;
    case TWIN_TASK_WRITE_VALUE:
    case TWIN_TASK_WAIT_VALUE:
        stored->value = *task->value;
        return true;
    case TWIN_TASK_COPY_BASED:
        stored->based = *task->based;
        return true;
    case TWIN_TASK_DESCRIBED:
    case TWIN_TASK_MAINTAIN:
        stored->maintenance = *task->maintenance;
        return true;
    case TWIN_TASK_LAUNCH:
        stored->launch = task->launch;
        if (twin_launch_own_code(task->launch) != 0)
            return false;
        task->launch->keep(task->launch); /* a backend may be done with it at once */
        return true;
    case TWIN_TASK_CALL:
        stored->host.call = *task->call;
        stored->host.queue = task->call_queue;
        return true;
    case TWIN_TASK_COUNT:
    case TWIN_TASK_WAIT_COUNT:
        stored->on_count.event = task->event;
        stored->on_count.handle = task->event_handle;
        if (task->kind == TWIN_TASK_COUNT)
            stored->on_count.change = *task->change;
        else
            stored->on_count.wait = *task->count_wait;
        return true;
    default:
        break;
    }
    if (far == 0) {
        stored->on_event.event = task->event;
        stored->on_event.handle = task->event_handle;
        stored->on_event.shown = task->shown_event != 0 ? task->shown_event : task->event_handle;
        stored->on_event.timeout_ns = task->timeout_ns;
        return true;
    }
    stored->far = twin_zalloc(far);
    if (stored->far)
        memcpy(stored->far, task->reduce, far); /* each of these is a pointer to what it names */
    return stored->far != NULL;
}

twin_task twin_stored_as_task(const twin_stored_task *stored)
{
    twin_task task = {.kind = (twin_task_kind)stored->kind};
    switch (task.kind) {
    case TWIN_TASK_LAUNCH:
        task.launch = stored->launch;
        break;
    case TWIN_TASK_CALL:
        task.call = &stored->host.call;
        task.call_queue = stored->host.queue;
        break;
    case TWIN_TASK_COUNT:
    case TWIN_TASK_WAIT_COUNT:
        task.event = stored->on_count.event;
        task.event_handle = stored->on_count.handle;
        if (task.kind == TWIN_TASK_COUNT)
            task.change = &stored->on_count.change;
        else
            task.count_wait = &stored->on_count.wait;
        break;
    case TWIN_TASK_RECORD:
    case TWIN_TASK_WAIT:
    case TWIN_TASK_RESET:
        task.event = stored->on_event.event;
        task.event_handle = stored->on_event.handle;
        task.timeout_ns = stored->on_event.timeout_ns;
        break;
    case TWIN_TASK_REDUCE:
    case TWIN_TASK_COPY_ROWS:
    case TWIN_TASK_RANDOM:
        task.reduce = stored->far;
        break;
    default: /* all of these are in the same place */
        task.copy = &stored->copy;
        break;
    }
    return task;
}

static void drop_parts(const twin_stored_task *stored)
{
    if (stored->kind == TWIN_TASK_LAUNCH)
        stored->launch->release(stored->launch);
    else if (far_bytes(stored->kind) > 0)
        twin_free(stored->far);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

twin_stored_task *twin_stored_prepare(twin_stream *stream, const twin_task *task)
{
    twin_stored_task *stored = next_place(stream);
    if (!stored)
        return NULL;
    stored->kind = (uint8_t)task->kind;
    stored->group = NULL;
    return take_parts(stored, task) ? stored : NULL;
}

twin_stored_task *twin_stored_prepare_other(twin_stream *stream, const twin_stream *to)
{
    twin_stored_task *stored = next_place(stream);
    if (!stored)
        return NULL;
    stored->kind = to ? TWIN_STORED_ACTIVATE : TWIN_STORED_OTHER;
    stored->group = NULL;
    stored->to = to;
    return stored;
}

void twin_stored_commit(twin_stream *stream, twin_stored_task *stored)
{
    twin_stored_tasks *list = &stream->stored;
    stored->state = TWIN_STORED_KEPT;
    stored->known = NULL;
    /* Relaxed: only the number is asked for. */
    stored->number = list->numbers
                         ? atomic_fetch_add_explicit(list->numbers, 1, memory_order_relaxed)
                         : atomic_load_explicit(&list->count, memory_order_relaxed);
    if (stored->kind == TWIN_STORED_OTHER ||
        (stored->kind == TWIN_TASK_CALL && !stored->host.queue))
        list->fixed = true;
    atomic_fetch_add_explicit(&list->count, 1, memory_order_release);
}

twin_status twin_stored_end(twin_stream *stream, twin_stored_task *stored, twin_status answer)
{
    if (!stored)
        return TWIN_E_NOMEM;
    if (answer == TWIN_OK)
        twin_stored_commit(stream, stored);
    return answer;
}

void twin_stored_cancel(twin_stored_task *stored)
{
    drop_parts(stored);
}

void twin_stored_leave_out(twin_stored_task *stored)
{
    drop_parts(stored);
    stored->state = TWIN_STORED_GONE;
}

twin_stored_task *twin_stored_last(const twin_stream *stream)
{
    return &stream->stored.last->tasks[(twin_stored_count(stream) - 1) % BLOCK_TASKS];
}

void twin_stored_set_launch(twin_stored_task *stored, twin_launch *launch)
{
    drop_parts(stored);
    stored->kind = TWIN_TASK_LAUNCH;
    stored->state = TWIN_STORED_KEPT;
    stored->launch = launch;
}

void twin_stored_set_value(twin_stored_task *stored, twin_task_kind kind,
                           const twin_value_wait *value)
{
    drop_parts(stored);
    stored->kind = (uint8_t)kind;
    stored->state = TWIN_STORED_KEPT;
    stored->value = *value;
}

twin_stored_tasks twin_stored_take(twin_stream *stream)
{
    twin_stored_tasks taken = {.first = stream->stored.first, .count = twin_stored_count(stream)};
    const struct twin_stored_block *block = taken.first;
    for (uint32_t i = 0; i < taken.count; i++) {
        const twin_stored_task *stored = &block->tasks[i % BLOCK_TASKS];
        if (stored->known)
            (void)twin_handle_retire(stored->known);
        if ((i + 1) % BLOCK_TASKS == 0)
            block = block->next;
    }
    stream->stored.first = stream->stored.last = NULL;
    stream->stored.room = 0;
    atomic_store_explicit(&stream->stored.count, 0, memory_order_relaxed);
    return taken;
}

void twin_stored_release(twin_stored_tasks *taken)
{
    struct twin_stored_block *block = taken->first;
    for (uint32_t i = 0; i < taken->count; i++) {
        const twin_stored_task *stored = &block->tasks[i % BLOCK_TASKS];
        if (stored->state != TWIN_STORED_GONE)
            drop_parts(stored);
        if (stored->known)
            twin_instance_task_unpin(stored->known);
        if ((i + 1) % BLOCK_TASKS == 0)
            block = block->next;
    }
    while ((block = taken->first) != NULL) {
        taken->first = block->next;
        twin_free(block);
    }
}
