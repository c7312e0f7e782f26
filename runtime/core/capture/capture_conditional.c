/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional tasks in captures.
 *
 * A conditional task ends the lane's stream: its last task activates the chooser, a stream whose
 * tasks compare the word with numbers and lead to a graph or to the stream in which the lane goes
 * on. The last task of a graph leads there too, or, of a loop, back to the chooser. The chooser
 * gets its tasks when the capture ends, as only then all graphs have a begin. */
#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/capture/capture_parts.h"
#include "core/model_instance/conditional.h"
#include "core/model_instance/instance_parts.h"

#define NUMBER_BYTES 8u

/* Condition handles ---------------------------------------------------------------------------- */

/* Whether the capture of a pinned instance goes on and can succeed. 107000. */
static int32_t check_capturing(const twin_instance *instance)
{
    const twin_capture *capture = twin_capture_of(instance);
    return capture && capture->broken_code == 0
               ? 0
               : twin_fail(TWIN_ERR_PARAM,
                           "model instance %u is not in capture; create condition handles between "
                           "begin and end of its capture",
                           instance->id);
}

static int32_t check_condition(const twin_instance *instance)
{
    if (!instance->captured)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "model instance %u is of aclmdlRIBuildBegin; only captured ones have "
                         "conditional tasks",
                         instance->id);
    TWIN_LOCKED(&twin_capture_lock);
    return check_capturing(instance);
}

int32_t twin_capture_condition(uint64_t handle, uint64_t initial, bool assigns,
                               uint64_t *out_handle)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = check_condition(instance);
    if (code == 0)
        code = twin_instance_check_own(instance);
    if (code == 0)
        code = twin_device_check_software_queues(instance->device, "conditional tasks");
    uint64_t word = 0;
    if (code == 0)
        code = twin_conditional_numbers(instance->device, 1, &word); /* 0 */
    if (code != 0)
        return code;
    twin_lock_take(&twin_capture_lock);
    code = check_capturing(instance); /* another thread may have ended it */
    if (code == 0)
        code = twin_conditional_create(instance, word, initial, assigns, out_handle);
    twin_lock_drop(&twin_capture_lock);
    if (code != 0)
        twin_ops()->memory.free(word);
    return code;
}

/* Conditional tasks ---------------------------------------------------------------------------- */

static int32_t check_count(const twin_capture_choice *choice)
{
    const bool good = choice->type == TWIN_CONDITIONAL_SWITCH ? choice->count > 0
                      : choice->type == TWIN_CONDITIONAL_WHILE
                          ? choice->count == 1
                          : choice->count == 1 || choice->count == 2;
    return good ? 0
                : twin_fail(TWIN_ERR_PARAM,
                            "size is %u; IF takes 1 or 2 graphs, WHILE 1, SWITCH at least 1",
                            choice->count);
}

/* A conditional task of a pinned stream, with a pinned handle. */
static int32_t check_choice(const twin_conditional *conditional, const twin_stream *stream,
                            const twin_capture_choice *choice, twin_capture_lane **out_lane)
{
    if (!twin_handle_is(conditional, choice->condition))
        return twin_fail_handle(twin_conditionals.kind_name, choice->condition);
    if (conditional->graphs)
        return twin_fail(TWIN_ERR_PARAM,
                         "the condition handle has a conditional task already; create another one");
    const int32_t code = twin_capture_lane_of(stream, out_lane);
    if (code != 0)
        return code;
    const twin_instance *instance = (*out_lane)->capture->instance;
    if (conditional->instance != instance->object.handle)
        return twin_fail(TWIN_ERR_PARAM,
                         "the condition handle is of model instance %u; stream %u is in the "
                         "capture of %u",
                         conditional->instance_id, stream->id, instance->id);
    return check_count(choice);
}

/* The lane's tasks so far end in the chooser, and go on in a stream after it. */
static int32_t split_once(twin_capture_lane *lane, const twin_conditional *conditional)
{
    int32_t code = twin_capture_make_room(lane);
    if (code != 0)
        return code;
    twin_capture_tail *tail = &lane->tail;
    TWIN_LOCKED(&lane->stream->lock);
    code = twin_instance_continue_lane(tail->newest, conditional->chooser);
    if (code == TWIN_CODE_STREAM_FULL)
        tail->tasks = TWIN_CAPTURE_TASKS;
    if (code != 0)
        return code;
    tail->newest = conditional->after;
    tail->tasks = 0;
    tail->last_edge = NULL;
    tail->last = twin_capture_this_call();
    return 0;
}

static int32_t split(twin_capture_lane *lane, twin_conditional *conditional)
{
    twin_instance *instance = lane->capture->instance;
    int32_t code = twin_instance_add_lane(instance, false, &conditional->chooser);
    if (code == 0)
        code = twin_instance_add_lane(instance, false, &conditional->after);
    if (code == 0)
        code = split_once(lane, conditional);
    return code == TWIN_CODE_STREAM_FULL ? split_once(lane, conditional) : code;
}

static int32_t refuse_in_group(twin_capture_lane *lane)
{
    return twin_capture_break_group(
        lane, lane->group ? twin_fail(TWIN_ERR_TASK_TYPE,
                                      "a task group is open on stream %u, which takes kernels "
                                      "only; call aclmdlRICaptureTaskGrpEnd first",
                                      lane->stream->id)
                          : twin_fail(TWIN_ERR_GROUP_INTERRUPTED,
                                      "a task group of the capture is open on another stream than "
                                      "%u; call aclmdlRICaptureTaskGrpEnd there first",
                                      lane->stream->id));
}

static int32_t choose_locked(twin_capture_lane *lane, twin_conditional *conditional,
                             const twin_capture_choice *choice, uint64_t numbers)
{
    if (lane->capture->open_groups > 0)
        return refuse_in_group(lane);
    int32_t code =
        twin_conditional_make_graphs(conditional, twin_conditional_root(lane->capture->instance),
                                     (twin_conditional_type)choice->type, choice->count);
    if (code == 0)
        code = split(lane, conditional);
    if (code == 0) {
        conditional->numbers = numbers;
        return 0;
    }
    twin_conditional_drop_graphs(conditional);
    return twin_capture_break(lane->capture, lane->stream, code);
}

int32_t twin_capture_choose(uint64_t stream_handle, const twin_capture_choice *choice,
                            void **out_graphs)
{
    TWIN_PINNED(conditional, conditional);
    conditional = twin_handle_pin(&twin_conditionals, choice->condition);
    if (!conditional)
        return twin_fail_handle(twin_conditionals.kind_name, choice->condition);
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(stream_handle, &stream);
    if (code != 0)
        return code;
    twin_capture_lane *lane = NULL;
    twin_lock_take(&twin_capture_lock);
    code = check_choice(conditional, stream, choice, &lane);
    twin_lock_drop(&twin_capture_lock);
    uint64_t numbers = 0;
    if (code == 0)
        code = twin_conditional_numbers(conditional->device,
                                        choice->type == TWIN_CONDITIONAL_SWITCH ? choice->count : 1,
                                        &numbers);
    if (code != 0)
        return code;
    twin_lock_take(&twin_capture_lock);
    code = check_choice(conditional, stream, choice, &lane); /* other threads were free to act */
    if (code == 0)
        code = choose_locked(lane, conditional, choice, numbers);
    for (uint32_t i = 0; code == 0 && i < choice->count; i++)
        out_graphs[i] = (void *)(uintptr_t)conditional->graphs[i]->object.handle;
    twin_lock_drop(&twin_capture_lock);
    if (code != 0)
        twin_ops()->memory.free(numbers);
    return code;
}

/* The end of a capture ------------------------------------------------------------------------- */

/* The next task of the capture's own, from `conditional` on; NULL: none. */
static twin_conditional *own_task(const twin_capture *capture, twin_conditional *conditional)
{
    while (conditional &&
           (!conditional->graphs || conditional->instance != capture->instance->object.handle))
        conditional = conditional->next;
    return conditional;
}

static twin_conditional *first_task(const twin_capture *capture)
{
    return own_task(capture, twin_conditional_root(capture->instance)->conditionals);
}

int32_t twin_capture_check_graphs(const twin_capture *capture)
{
    for (const twin_conditional *task = first_task(capture); task;
         task = own_task(capture, task->next))
        for (uint32_t i = 0; i < task->count; i++)
            if (!task->graphs[i]->entry)
                return twin_fail(TWIN_ERR_GRAPH_CAPTURED,
                                 "graph %u of a conditional task, model instance %u, %s; the "
                                 "capture of stream %u is dropped",
                                 i, task->graphs[i]->id,
                                 task->graphs[i]->capturing ? "is in capture"
                                 : task->graphs[i]->begun   ? "could not be captured"
                                                            : "was never captured",
                                 capture->place.stream);
    return 0;
}

/* Leads to `to` if the word is, or is not, `number`. */
static int32_t add_branch(twin_capture_lane *chooser, const twin_conditional *task,
                          twin_condition condition, uint32_t number, const twin_stream *to)
{
    int32_t code = twin_capture_make_room(chooser);
    if (code != 0)
        return code;
    const twin_stream *newest = chooser->tail.newest;
    const twin_branch branch = {.condition = condition,
                                .left = task->word,
                                .right = task->numbers + (uint64_t)number * NUMBER_BYTES,
                                .wide = true,
                                .to = to->queue};
    const twin_status status =
        twin_device_note(newest->device, twin_ops()->work.branch(newest->queue, &branch));
    chooser->tail.tasks++;
    return twin_instance_fail_work(status, newest->id, newest->device->id);
}

static int32_t fill_chooser(twin_capture *capture, const twin_conditional *task)
{
    twin_capture_lane chooser = {
        .capture = capture, .stream = capture->lanes->stream, .tail = {.newest = task->chooser}};
    const twin_stream *first = task->graphs[0]->entry, *otherwise = task->after;
    int32_t code = 0;
    switch (task->type) {
    case TWIN_CONDITIONAL_IF:
        code = add_branch(&chooser, task, TWIN_IF_NOT_EQUAL, 0, first);
        if (task->count == 2)
            otherwise = task->graphs[1]->entry;
        break;
    case TWIN_CONDITIONAL_WHILE:
        code = add_branch(&chooser, task, TWIN_IF_EQUAL, 0, task->after);
        otherwise = first;
        break;
    case TWIN_CONDITIONAL_SWITCH:
        for (uint32_t i = 0; i < task->count && code == 0; i++)
            code = add_branch(&chooser, task, TWIN_IF_EQUAL, i, task->graphs[i]->entry);
        break;
    }
    return code != 0 ? code : twin_capture_begin_lane(&chooser, otherwise);
}

int32_t twin_capture_fill_choosers(twin_capture *capture)
{
    int32_t code = 0;
    for (const twin_conditional *task = first_task(capture); task && code == 0;
         task = own_task(capture, task->next))
        code = fill_chooser(capture, task);
    return code;
}

bool twin_capture_assigns(const twin_capture *capture)
{
    const twin_conditional *conditional = capture->instance->conditionals;
    while (conditional && !conditional->assigns)
        conditional = conditional->next;
    return conditional != NULL;
}

int32_t twin_capture_assign(twin_capture_lane *start)
{
    int32_t code = 0;
    const twin_instance *instance = start->capture->instance;
    for (const twin_conditional *conditional = instance->conditionals; conditional && code == 0;
         conditional = conditional->next) {
        if (!conditional->assigns)
            continue;
        const twin_value_wait value = {
            .address = conditional->word,
            .value = conditional->initial,
            .side = {.kind = TWIN_MEMORY_DEVICE, .device = instance->device->hw_index}};
        code = twin_capture_add(start, &(twin_task){.kind = TWIN_TASK_WRITE_VALUE, .value = &value},
                                NULL);
    }
    return code;
}

int32_t twin_capture_leave_graph(const twin_capture_lane *origin, const twin_stream *entry)
{
    twin_instance *graph = origin->capture->instance;
    const twin_conditional *task = graph->task;
    const int32_t code = twin_instance_continue_lane(
        origin->tail.newest, task->type == TWIN_CONDITIONAL_WHILE ? task->chooser : task->after);
    if (code == 0)
        twin_instance_finish_graph(graph, entry);
    return code;
}
