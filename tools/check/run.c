/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of model instances. A run repeats the tasks of the lanes as further ops and pieces of work:
 * the heads begin after the task that asks for the run, other lanes after the task that starts
 * them, and the task that asked ends after the end of the instance.
 *
 * Runs of one instance exclude each other, in an order that nothing but the order of their streams
 * decides: their tasks do not race with each other, and no run counts as before another one. */
#include <stdlib.h>

#include "check/state.h"

/* ---- which run an op is of ---- */

/* The newest run that was asked for by that op or before it. */
static struct check_run *run_upto(const struct checker *checker, uint32_t op)
{
    const size_t low = PARTITION_POINT(checker->runs.count, i, checker->runs.items[i].op <= op);
    return low > 0 ? &checker->runs.items[low - 1] : NULL;
}

/* The run that an op asks for. */
static struct check_run *run_by(const struct checker *checker, uint32_t op)
{
    struct check_run *run = run_upto(checker, op);
    return run && run->op == op ? run : NULL;
}

/* The run that an op is repeated in. */
static const struct check_run *run_with(const struct checker *checker, uint32_t op)
{
    const struct check_run *run = op != CHECK_NONE ? run_upto(checker, op) : NULL;
    return run && op > run->op && op <= run->op + run->pieces ? run : NULL;
}

uint32_t checker_run_of(const struct checker *checker, uint32_t op)
{
    const struct check_run *run = run_with(checker, op);
    return run ? run->op : CHECK_NONE;
}

bool check_runs_exclude(const struct checker *checker, uint32_t first, uint32_t second)
{
    if (checker->runs.count < 2)
        return false;
    const struct check_run *a = run_with(checker, first);
    const struct check_run *b = a ? run_with(checker, second) : NULL;
    return b && a != b && a->instance == b->instance;
}

/* ---- submission ---- */

static void repeat(struct checker *checker, const struct check_queue *queue, uint32_t run,
                   const struct check_turn *turn)
{
    const twin_op *asked = &checker->ops.items[run];
    const bool begins = turn->op == CHECK_NONE;
    twin_op op = checker->ops.items[begins ? run : turn->op];
    op.begin_seq = asked->begin_seq;
    op.end_seq = asked->end_seq;
    op.begin_ns = op.end_ns = op.device_ns = 0;
    op.thread = asked->thread;
    op.queue = turn->lane;
    op.timed = op.stamped = op.moved = false;
    op.reported = 0;
    if (begins)
        op.object = 0;
    CHECK_ADD(checker, &checker->links, CHECK_NONE);
    CHECK_ADD(checker, &checker->ops, op);
    if (checker->short_of_memory)
        return;
    const uint32_t index = (uint32_t)checker->ops.count - 1;
    check_host_begins(checker, index);
    check_memory_use(checker, queue, index);
}

/* The newest run that a queue asked of the instance takes the place of the one before. */
static void note_newest(struct checker *checker, struct check_object *instance,
                        const struct check_queue *queue, uint32_t op)
{
    for (size_t i = 0; i < instance->runs.count; i++)
        if (checker->ops.items[instance->runs.items[i]].queue == queue->number) {
            instance->runs.items[i] = op;
            return;
        }
    CHECK_ADD(checker, &instance->runs, op);
}

void check_run_submit(struct checker *checker, const struct check_queue *queue, uint32_t op)
{
    const twin_op *asked = &checker->ops.items[op];
    struct check_object *instance = check_instance_find(checker, asked->object);
    if (!instance)
        return;
    struct check_run run = {.op = op,
                            .instance = instance->number,
                            .queue = queue->number,
                            .number = queue->submitted + 1,
                            .start = CHECK_NONE,
                            .end = CHECK_NONE};
    const bool failed = asked->timed && asked->task_status != TWIN_OK;
    if (!failed && check_instance_order(checker, instance)) {
        for (size_t i = 0; i < checker->order.count && !checker->short_of_memory; i++)
            repeat(checker, queue, op, &checker->order.items[i]);
        run.pieces = (uint32_t)checker->order.count;
    }
    CHECK_ADD(checker, &checker->runs, run);
    note_newest(checker, instance, queue, op);
}

/* ---- carrying out ---- */

static void add_piece(struct checker *checker, struct check_run *run, uint32_t op)
{
    const twin_op *piece = &checker->ops.items[op];
    struct check_queue *lane = check_queue_find(checker, piece->queue);
    if (!LIST_ADD(&lane->work, op)) {
        checker->short_of_memory = true;
        return;
    }
    lane->submitted++;
    uint32_t mark = CHECK_NONE;
    switch (piece->kind) {
    case TWIN_OP_RUN:
        mark = lane->begins_after != 0 ? lane->begins_after : run->start;
        lane->begins_after = 0;
        break;
    case TWIN_OP_ACTIVATE:
        mark = check_mark_new(checker);
        check_mark_set(&checker->marks.items[mark], lane, op);
        check_queue_find(checker, piece->other)->begins_after = mark;
        break;
    case TWIN_OP_END:
        mark = run->end;
        check_mark_set(&checker->marks.items[mark], lane, op);
        break;
    case TWIN_OP_RECORD:
    case TWIN_OP_WAIT:
    case TWIN_OP_RESET:
    case TWIN_OP_COUNT:
    case TWIN_OP_WAIT_COUNT:
        if (check_signal_find(checker, piece->object))
            check_signal_bind(checker, lane, op);
        return;
    case TWIN_OP_CALL:
        check_call_queued(checker, op);
        return;
    default:
        return;
    }
    checker->links.items[op] = mark;
    checker->marks.items[mark].holders++;
}

static void begin_run(struct checker *checker, struct check_queue *queue, struct check_run *run)
{
    const struct check_earliest_begin before = queue->earliest_begin;
    check_times_task(checker, queue, run->op, NULL);
    run->start = check_mark_new(checker);
    run->end = check_mark_new(checker);
    if (checker->short_of_memory)
        return;
    struct check_mark *start = &checker->marks.items[run->start];
    check_mark_set(start, queue, run->op);
    start->number = queue->carried + 1;
    start->holders = 1;                         /* the run, as long as it is not given up */
    checker->marks.items[run->end].holders = 2; /* the queue, and the wait for the run */
    checker->links.items[run->op] = run->start;
    check_set_mark(checker, queue, run->op, &before);
    for (uint32_t i = 1; i <= run->pieces && !checker->short_of_memory; i++)
        add_piece(checker, run, run->op + i);
    /* the last one is carried out first */
    for (uint32_t i = run->pieces; i > 0 && !checker->short_of_memory; i--)
        check_resume(checker, check_queue_find(checker, checker->ops.items[run->op + i].queue));
}

static bool carry_asked(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    struct check_run *run = run_by(checker, op);
    const bool opaque = !run || run->pieces == 0;
    if (!opaque && run->start == CHECK_NONE)
        begin_run(checker, queue, run);
    if (checker->short_of_memory)
        return true;
    if (opaque || checker->links.items[op] == CHECK_NONE) {
        queue->order_unknown = queue->unsure = true;
        if (opaque)
            check_times_task(checker, queue, op, NULL);
        return true;
    }
    const uint32_t end = run->end;
    if (!checker->marks.items[end].done) {
        check_park_on_mark(checker, queue, end);
        return false;
    }
    check_take_over(checker, queue, &checker->marks.items[end]);
    check_mark_drop(checker, end);
    return true;
}

/* A lane begins: of what came before on it only the run counts. */
static bool carry_begin(struct checker *checker, struct check_queue *lane, uint32_t op)
{
    const uint32_t number = checker->links.items[op];
    if (number != CHECK_NONE && !checker->marks.items[number].done) {
        check_park_on_mark(checker, lane, number);
        return false;
    }
    clock_drop(lane->clock);
    clock_drop(lane->earlier);
    lane->clock = lane->earlier = NULL;
    lane->host_seen_at = 0;
    lane->earliest_begin.op = CHECK_NONE;
    lane->order_unknown = lane->unsure = number == CHECK_NONE;
    if (number == CHECK_NONE)
        return true;
    const struct check_mark *mark = &checker->marks.items[number];
    check_times_after(checker, lane, op, mark);
    check_host_carries(checker, &lane->earlier, op);
    check_take_over(checker, lane, mark);
    check_mark_drop(checker, number);
    return true;
}

bool check_run_carry(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    const bool runs = checker->ops.items[op].kind == TWIN_OP_RUN;
    if (runs && !queue->deferred)
        return carry_asked(checker, queue, op);
    if (runs)
        return carry_begin(checker, queue, op);
    const uint32_t number = checker->links.items[op];
    struct check_mark *mark = number != CHECK_NONE ? &checker->marks.items[number] : NULL;
    if (mark && !mark->done) {
        check_set_mark(checker, queue, op, &queue->earliest_begin);
        check_wake(checker, &mark->parked);
    }
    if (mark)
        check_mark_drop(checker, number);
    return true;
}

/* ---- ends ---- */

void check_lane_drop(struct checker *checker, uint32_t number, uint32_t by)
{
    struct check_queue *lane = check_queue_find(checker, number);
    if (!lane || lane->gone)
        return;
    lane->troubled = true;
    check_queue_drop(checker, lane, by);
    check_queue_seen(checker, lane, lane->submitted, by);
}

void check_run_drop(struct checker *checker, uint32_t op, uint32_t by)
{
    const struct check_run *run = run_by(checker, op);
    const struct check_object *instance =
        run && run->start != CHECK_NONE ? check_instance_find(checker, run->instance) : NULL;
    for (size_t i = 0; instance && i < instance->lanes.count; i++)
        check_lane_drop(checker, instance->lanes.items[i].queue, by);
}

static void see_run(struct checker *checker, struct check_queue *queue, const struct check_run *run,
                    uint32_t op)
{
    if (queue->carried < run->number)
        check_force(checker, queue, run->number, op);
    if (run->end != CHECK_NONE)
        check_mark_seen(checker, run->end, op);
}

void check_runs_ended(struct checker *checker, struct check_object *instance, uint32_t op)
{
    size_t kept = 0;
    for (size_t i = 0; i < instance->runs.count; i++) {
        const struct check_run *run = run_by(checker, instance->runs.items[i]);
        struct check_queue *queue = check_queue_find(checker, run->queue);
        if (checker->ops.items[run->op].end_seq >= checker->ops.items[op].begin_seq)
            instance->runs.items[kept++] = run->op;
        else if (queue->gone)
            continue;
        else if (run->pieces == 0)
            check_queue_seen(checker, queue, run->number, op);
        else
            see_run(checker, queue, run, op);
    }
    instance->runs.count = kept;
}
