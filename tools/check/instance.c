/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: which streams are bound to one, and an order in which a run can execute their
 * tasks.
 *
 * A stream that is bound to an instance is a lane. In an instance without branches each lane runs
 * all its tasks once: the heads from the begin of the run, each other one from the task that starts
 * it. What other tasks of the run a task comes after follows then from the flags that only this
 * instance sets and waits for. All other instances are opaque: the order of their runs is not
 * known. */
#include <stdlib.h>

#include "check/state.h"

static struct check_object *instance_of(struct checker *checker, uint32_t number)
{
    struct check_object *instance = NULL;
    HASH_FIND(hh, checker->instances, &number, sizeof(number), instance);
    return instance;
}

struct check_object *check_instance_find(struct checker *checker, uint32_t number)
{
    struct check_object *instance = instance_of(checker, number);
    return instance && !instance->gone ? instance : NULL;
}

void check_instance_bind(struct checker *checker, uint32_t op)
{
    const twin_op *bind = &checker->ops.items[op];
    struct check_object *instance = instance_of(checker, bind->object);
    if (instance && twin_op_succeeded(bind))
        CHECK_ADD(checker, &instance->lanes,
                  (struct check_lane){.queue = bind->queue, .head = bind->head});
}

/* The end of an instance does not stay with the stream. */
static void forget_end(struct checker *checker, struct check_queue *lane)
{
    size_t kept = 0;
    for (size_t i = 0; i < lane->tasks.count; i++)
        if (checker->ops.items[lane->tasks.items[i]].kind != TWIN_OP_END)
            lane->tasks.items[kept++] = lane->tasks.items[i];
    lane->tasks.count = kept;
}

void check_instance_unbind(struct checker *checker, uint32_t op)
{
    const uint32_t queue = checker->ops.items[op].queue;
    struct check_object *instance = instance_of(checker, checker->ops.items[op].object);
    if (!instance || !twin_op_succeeded(&checker->ops.items[op]))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < instance->lanes.count; i++)
        if (instance->lanes.items[i].queue != queue)
            instance->lanes.items[kept++] = instance->lanes.items[i];
    instance->lanes.count = kept;
    struct check_queue *lane = check_queue_find(checker, queue);
    if (lane)
        forget_end(checker, lane);
    check_runs_ended(checker, instance, op);
}

void check_instance_clean(struct checker *checker, uint32_t op)
{
    struct check_queue *lane = check_queue_find(checker, checker->ops.items[op].queue);
    if (lane && twin_op_succeeded(&checker->ops.items[op]))
        lane->tasks.count = 0;
}

void check_instance_drain(struct checker *checker, uint32_t op)
{
    check_object_use(checker, op);
    struct check_object *instance = instance_of(checker, checker->ops.items[op].object);
    if (instance && twin_op_succeeded(&checker->ops.items[op]))
        check_runs_ended(checker, instance, op);
}

void check_instance_abort(struct checker *checker, uint32_t op)
{
    const struct check_object *instance = instance_of(checker, checker->ops.items[op].object);
    if (!instance)
        return;
    checker->troubled = true;
    for (size_t i = 0; i < instance->lanes.count; i++)
        check_lane_drop(checker, instance->lanes.items[i].queue, op);
    check_carry_on(checker);
}

/* ---- an order of the tasks ---- */

static bool is_head(const struct check_object *instance, uint32_t queue)
{
    for (size_t i = 0; i < instance->lanes.count; i++)
        if (instance->lanes.items[i].queue == queue)
            return instance->lanes.items[i].head;
    return true; /* not of this instance: nothing in it can start it */
}

/* The signal of a task, if what it orders is known; NULL: it names none, or it is not. */
static struct check_signal *known_signal(struct checker *checker, const twin_op *task)
{
    const bool names =
        task->kind == TWIN_OP_RECORD || task->kind == TWIN_OP_WAIT || task->kind == TWIN_OP_RESET;
    struct check_signal *signal = names ? check_signal_find(checker, task->object) : NULL;
    return signal && !signal->unjudged ? signal : NULL;
}

/* A flag that has several records, or that is used elsewhere too, is not judged. False: the tasks
 * have no one order. */
static bool look_at_task(struct checker *checker, const struct check_object *instance,
                         const twin_op *task)
{
    if (task->kind == TWIN_OP_CONTROL || task->kind == TWIN_OP_RUN ||
        task->kind == TWIN_OP_POOL_ALLOC || task->kind == TWIN_OP_POOL_FREE)
        return false;
    struct check_signal *signal = known_signal(checker, task);
    if (!signal)
        return true;
    if (signal->order != checker->orders)
        signal->set_by = 0;
    signal->order = checker->orders;
    signal->set_by += task->kind == TWIN_OP_RECORD;
    signal->is_set = false;
    if (signal->set_by > 1 || (signal->instance != 0 && signal->instance != instance->number))
        check_signal_leave(checker, signal);
    signal->instance = instance->number;
    return true;
}

/* Whether a task can come next; notes what it sets. */
static bool try_task(struct checker *checker, const twin_op *task)
{
    struct check_signal *signal = known_signal(checker, task);
    if (!signal)
        return true;
    if (task->kind == TWIN_OP_WAIT && signal->set_by == 0) { /* set elsewhere */
        check_signal_leave(checker, signal);
        return true;
    }
    if (task->kind == TWIN_OP_WAIT && !signal->is_set)
        return false;
    if (task->kind != TWIN_OP_WAIT || signal->kind == TWIN_SIGNAL_NOTIFY)
        signal->is_set = task->kind == TWIN_OP_RECORD;
    return true;
}

/* A lane begins. False: it had begun. */
static bool begin(struct checker *checker, struct check_queue *lane)
{
    if (lane->begun)
        return false;
    lane->begun = true;
    lane->next_task = 0;
    CHECK_ADD(checker, &checker->order,
              (struct check_turn){.lane = lane->number, .op = CHECK_NONE});
    return true;
}

/* False: the tasks have no one order. */
static bool advance(struct checker *checker, const struct check_object *instance,
                    struct check_queue *lane)
{
    while (lane->begun && lane->next_task < lane->tasks.count) {
        const uint32_t op = lane->tasks.items[lane->next_task];
        const twin_op *task = &checker->ops.items[op];
        if (!try_task(checker, task))
            return true;
        CHECK_ADD(checker, &checker->order, (struct check_turn){.lane = lane->number, .op = op});
        lane->next_task++;
        if (task->kind != TWIN_OP_ACTIVATE)
            continue;
        struct check_queue *other = check_queue_find(checker, task->other);
        if (!other || is_head(instance, task->other) || !begin(checker, other))
            return false;
    }
    return true;
}

/* Readies the lanes. False: the tasks have no one order. */
static bool look_at_lanes(struct checker *checker, const struct check_object *instance)
{
    uint32_t ends = 0;
    for (size_t i = 0; i < instance->lanes.count; i++) {
        struct check_queue *lane = check_queue_find(checker, instance->lanes.items[i].queue);
        if (!lane || lane->gone)
            return false;
        lane->begun = false;
        lane->next_task = 0;
        for (size_t n = 0; n < lane->tasks.count; n++) {
            const twin_op *task = &checker->ops.items[lane->tasks.items[n]];
            if (!look_at_task(checker, instance, task))
                return false;
            ends += task->kind == TWIN_OP_END;
        }
    }
    for (size_t i = 0; i < instance->lanes.count; i++)
        if (instance->lanes.items[i].head)
            (void)begin(checker, check_queue_find(checker, instance->lanes.items[i].queue));
    return ends == 1;
}

bool check_instance_order(struct checker *checker, const struct check_object *instance)
{
    checker->order.count = 0;
    checker->orders++;
    if (!look_at_lanes(checker, instance))
        return false;
    size_t before;
    do {
        before = checker->order.count;
        for (size_t i = 0; i < instance->lanes.count; i++)
            if (!advance(checker, instance,
                         check_queue_find(checker, instance->lanes.items[i].queue)))
                return false;
    } while (checker->order.count > before);
    for (size_t i = 0; i < instance->lanes.count; i++) {
        const struct check_queue *lane = check_queue_find(checker, instance->lanes.items[i].queue);
        if (lane->begun && lane->next_task < lane->tasks.count)
            return false;
    }
    return !checker->short_of_memory;
}
