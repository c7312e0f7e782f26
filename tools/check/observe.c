/* SPDX-License-Identifier: Apache-2.0 */
/* What calls returned to the host, against what it knew and what the rules allow. */
#include "check/state.h"

/* A wait of the host that gave up this long after the work had ended should have seen it. */
#define SLACK_NS UINT64_C(100000)

/* The record that an op on a signal is about: the newest of which it is sure. */
static uint32_t mark_for(const struct checker *checker, const struct check_signal *signal,
                         const twin_op *op, bool *out_sure)
{
    uint32_t newest = signal->newest;
    *out_sure = true;
    if (newest == CHECK_NONE)
        return CHECK_NONE;
    const twin_op *record = &checker->ops.items[checker->marks.items[newest].op];
    if (record->end_seq < op->begin_seq)
        return newest;
    *out_sure = false;
    if (record->begin_seq < op->begin_seq || signal->before == CHECK_NONE)
        return CHECK_NONE;
    record = &checker->ops.items[checker->marks.items[signal->before].op];
    return record->end_seq < op->begin_seq ? signal->before : CHECK_NONE;
}

/* ---- a call returned that something is not done, which was known done ---- */

static const struct check_known *who_knew(const struct checker *checker, uint32_t clock_index,
                                          uint32_t number)
{
    const struct check_clock_slot *at = &checker->clock_slots.items[clock_index];
    size_t low = PARTITION_POINT(at->known.count, i, at->known.items[i].count < number);
    return low < at->known.count ? &at->known.items[low] : NULL;
}

/* What an op of the host saw done: a clock index and a count. */
static bool seen_by(const struct checker *checker, const twin_op *op, uint32_t *out_clock_index,
                    uint32_t *out_number)
{
    if (op->queue != 0) {
        const struct check_queue *queue =
            check_queue_find((struct checker *)(uintptr_t)checker, op->queue);
        if (!queue)
            return false;
        *out_clock_index = queue->clock_index;
        *out_number = check_submitted_by(checker, queue, op->begin_seq);
        return true;
    }
    uint32_t mark = checker->links.items[op - checker->ops.items];
    if (mark == CHECK_NONE || mark == 0)
        return false;
    *out_clock_index = checker->marks.items[mark].clock_index;
    *out_number = checker->marks.items[mark].number;
    return true;
}

static bool excused(const struct checker *checker, const struct check_queue *queue, uint32_t number)
{
    return checker->troubled || queue->troubled ||
           (number > queue->aborted_from && number <= queue->aborted_to);
}

/* `op` returned that work `number` of a queue is not done. */
static void judge_denial(struct checker *checker, const struct check_queue *queue, uint32_t number,
                         uint32_t op)
{
    const twin_op *query = &checker->ops.items[op];
    if (number == 0 || number <= queue->first)
        return;
    checker->judged[CHECK_ORD_10]++;
    if (check_known_at(checker, queue->clock_index, query->begin_seq) < number ||
        excused(checker, queue, number))
        return;
    const struct check_known *known = who_knew(checker, queue->clock_index, number);
    uint32_t clock_index = 0;
    uint32_t seen = 0;
    check_rule rule = CHECK_ORD_10;
    if (known && seen_by(checker, &checker->ops.items[known->op], &clock_index, &seen)) {
        uint32_t hops = check_hops(checker, queue->clock_index, number, clock_index, seen);
        if (hops != CHECK_NONE && hops >= 2)
            rule = CHECK_ORD_09;
        else if (hops == 1)
            rule = CHECK_ORD_05;
        else if (checker->ops.items[known->op].queue == 0 && seen > number)
            rule = CHECK_ORD_01;
    }
    check_find(checker, rule, known ? known->op : CHECK_NONE, op,
               "the second call returned that task %u of stream %u is not complete; the first had "
               "returned that it is",
               (unsigned)(number - queue->first), (unsigned)queue->id);
}

/* ---- a wait returned that nothing can end it, or that time is up ---- */

static bool ended_before(const struct check_earliest_begin *earliest_begin, const twin_op *op)
{
    return earliest_begin->op != CHECK_NONE && op->end_ns != 0 &&
           earliest_begin->ns + SLACK_NS < op->end_ns;
}

/* Not all queues that are at a count are blocked: they stay there until they are seen passed. */
static bool is_blocked(const struct check_queue *queue)
{
    return queue->parking != CHECK_RUNS && queue->parking != CHECK_ON_COUNT;
}

/* One that is blocked, if need be at a count. NULL: none is. */
static const struct check_queue *any_blocked(struct checker *checker)
{
    const struct check_queue *blocked = NULL;
    const struct check_queue *counts = NULL;
    for (size_t i = 0; i < checker->all_queues.count; i++) {
        struct check_queue *queue = checker->all_queues.items[i];
        if (is_blocked(queue))
            blocked = queue;
        else if (queue->parking == CHECK_ON_COUNT && check_count_blocks(checker, queue))
            counts = queue;
    }
    return blocked ? blocked : counts;
}

/* The stream that is blocked and seems to have held what an innocent wait was for. */
static check_rule blocked_by(struct checker *checker, const struct check_queue *queue,
                             uint32_t known, uint32_t number, bool of_event, uint32_t *out_first)
{
    *out_first = CHECK_NONE;
    if (queue->parking != CHECK_RUNS) {
        *out_first = queue->work.items[queue->carried - queue->first];
        return of_event ? CHECK_ORD_11 : CHECK_ORD_06;
    }
    for (size_t i = queue->joins.count; i-- > 0;) {
        const struct check_join *join = &queue->joins.items[i];
        if (join->number <= known)
            break;
        if (join->number > number)
            continue;
        uint32_t op = check_work_at(checker, queue->clock_index, join->number);
        const struct check_queue *from = checker->clock_slots.items[join->from_clock_index].queue;
        uint32_t mark = checker->links.items[join->record];
        if (mark != CHECK_NONE && checker->marks.items[mark].waits >= 2) {
            *out_first = op;
            return CHECK_ORD_08;
        }
        if (is_blocked(from) && from->first < join->from_number) {
            *out_first = from->work.items[from->carried - from->first];
            return CHECK_ORD_06;
        }
    }
    const struct check_queue *blocked = any_blocked(checker);
    if (blocked)
        *out_first = blocked->work.items[blocked->carried - blocked->first];
    return blocked && (blocked->is_default || queue->is_default) ? CHECK_ORD_03 : CHECK_ORD_02;
}

/* Nothing can end a wait for the first `number` pieces of a queue: notes which promise of a record
 * they stop at, over records of other streams where need be. Who records after all keeps it. */
static void note_hopeless(struct checker *checker, const struct check_queue *queue, uint32_t number)
{
    for (size_t i = 0; i < checker->all_queues.count; i++) {
        if (queue->parking != CHECK_ON_MARK || queue->carried >= number)
            return;
        struct check_mark *mark = &checker->marks.items[queue->parked_on];
        if (mark->op == CHECK_NONE) {
            mark->hopeless = true;
            return;
        }
        number = mark->number;
        queue = mark->queue;
    }
}

/* `op` waited for the first `number` pieces of a queue and gave up. */
static void judge_giving_up(struct checker *checker, struct check_queue *queue, uint32_t number,
                            const struct check_earliest_begin *earliest_begin, bool of_event,
                            uint32_t op)
{
    const twin_op *wait = &checker->ops.items[op];
    judge_denial(checker, queue, number, op);
    if (wait->status == TWIN_E_DEADLOCK)
        note_hopeless(checker, queue, number);
    uint32_t known = check_known_at(checker, queue->clock_index, wait->begin_seq);
    if (number <= queue->first || queue->carried < number || queue->unsure ||
        excused(checker, queue, number) || known >= number)
        return;
    bool timely = ended_before(earliest_begin, wait);
    if (wait->status != TWIN_E_DEADLOCK && !timely)
        return;
    uint32_t first = CHECK_NONE;
    check_rule rule = blocked_by(checker, queue, known, number, of_event, &first);
    checker->judged[rule]++;
    check_find(checker, rule, first, op,
               timely ? "the wait timed out, but all that it waits for had ended %.3f us before"
                      : "the wait returned that nothing can end it, but all that it waits for can "
                        "complete",
               timely ? (double)(wait->end_ns - earliest_begin->ns) / 1000 : 0.0);
}

/* ---- good news ---- */

/* While others were blocked, the host got what it waited for: so they did not hold it. */
static void count_independence(struct checker *checker, const struct check_queue *queue,
                               uint32_t number, bool of_event)
{
    if (checker->parked == 0)
        return;
    uint32_t known = check_known_at(checker, queue->clock_index, UINT64_MAX);
    for (size_t i = queue->joins.count; i-- > 0 && queue->joins.items[i].number > known;)
        if (is_blocked(checker->clock_slots.items[queue->joins.items[i].from_clock_index].queue)) {
            checker->judged[CHECK_ORD_06]++;
            break;
        }
    if (is_blocked(queue) && queue->carried >= number) {
        checker->judged[of_event ? CHECK_ORD_11 : CHECK_ORD_06]++;
        if (checker->parked == 1)
            return;
    }
    checker->judged[CHECK_ORD_02]++;
    bool other = false;
    for (size_t i = 0; !other && i < checker->all_queues.count; i++) {
        const struct check_queue *by = checker->all_queues.items[i];
        other = is_blocked(by) && (queue->is_default ? by != queue : by->is_default);
    }
    checker->judged[CHECK_ORD_03] += other;
}

static void judge_silence(struct checker *checker, struct check_queue *queue, uint32_t number,
                          uint32_t op)
{
    if (queue->failure == CHECK_NONE || queue->stopped)
        return;
    uint32_t failed = queue->failure;
    for (uint32_t n = number; n > queue->first; n--)
        if (queue->work.items[n - queue->first - 1] == failed) {
            check_find(
                checker, CHECK_ORD_04, failed, op,
                "the task failed on the device, and the wait for its stream returned success");
            queue->failure = CHECK_NONE;
            return;
        }
}

/* When the last task with a known time among the first `number` ended. */
static struct check_earliest_begin end_of(const struct checker *checker,
                                          const struct check_queue *queue, uint32_t number)
{
    if (number == queue->carried)
        return queue->earliest_begin;
    for (uint32_t n = number; n > queue->first && number - n < 64; n--) {
        uint32_t op = queue->work.items[n - queue->first - 1];
        if (checker->ops.items[op].timed)
            return (struct check_earliest_begin){.ns = checker->ops.items[op].task_end_ns,
                                                 .op = op};
    }
    return (struct check_earliest_begin){.op = CHECK_NONE};
}

static void observe_queue(struct checker *checker, uint32_t op)
{
    const twin_op *look = &checker->ops.items[op];
    struct check_queue *queue = check_queue_find(checker, look->queue);
    if (!queue || queue->deferred)
        return;
    if (queue->gone) {
        check_find(checker, CHECK_LIFE_06, queue->op, op, "the stream had been destroyed");
        return;
    }
    if (look->end_seq == 0)
        return; /* the process was ended within it: it returned nothing */
    uint32_t number = check_submitted_by(checker, queue, look->begin_seq);
    bool query = look->kind == TWIN_OP_QUEUE_QUERY;
    if (look->status == TWIN_OK && (!query || look->positive)) {
        count_independence(checker, queue, number, false);
        if (!query)
            judge_silence(checker, queue, number, op);
        check_queue_seen(checker, queue, number, op);
        checker->judged[CHECK_ORD_10]++;
        struct check_earliest_begin earliest_begin = end_of(checker, queue, number);
        check_times_host(checker, &earliest_begin, op);
        return;
    }
    if (look->status == TWIN_E_TIMEOUT || look->status == TWIN_E_DEADLOCK) {
        struct check_earliest_begin earliest_begin = end_of(checker, queue, number);
        judge_giving_up(checker, queue, number, &earliest_begin, false, op);
    } else if (query && look->status == TWIN_OK) {
        /* work that came while the question was asked may be what is not done */
        if (queue->submitted == number)
            judge_denial(checker, queue, number, op);
    } else if (look->status != TWIN_E_INTERRUPTED) {
        queue->failure = CHECK_NONE;
        queue->troubled = checker->troubled = true;
        check_queue_seen(checker, queue, number, op);
    }
}

static void observe_signal(struct checker *checker, uint32_t op)
{
    const twin_op *look = &checker->ops.items[op];
    struct check_signal *signal = check_signal_find(checker, look->object);
    if (!signal)
        return;
    const struct check_signal *end = check_signal_end(checker, look->object);
    if (end->gone) {
        check_find(checker, CHECK_LIFE_06, end->op, op, "the event had been destroyed");
        return;
    }
    bool sure = false;
    uint32_t mark = mark_for(checker, signal, look, &sure);
    checker->links.items[op] = mark;
    bool done = look->status == TWIN_OK && (look->kind != TWIN_OP_SIGNAL_QUERY || look->positive);
    if (signal->inside) { /* the run before may have set it too */
        check_signal_leave(checker, signal);
        if (done)
            check_fog(checker, op);
    }
    if (mark == CHECK_NONE || signal->unjudged)
        return;
    struct check_queue *queue = checker->marks.items[mark].queue;
    uint32_t number = checker->marks.items[mark].number;
    if (done) {
        count_independence(checker, queue, number, true);
        check_mark_seen(checker, mark, op);
        checker->judged[CHECK_ORD_10]++;
        check_times_host(checker, &checker->marks.items[mark].earliest_begin, op);
        return;
    }
    if (!sure)
        return;
    if (look->status == TWIN_E_TIMEOUT || look->status == TWIN_E_DEADLOCK) {
        struct check_earliest_begin earliest_begin = checker->marks.items[mark].earliest_begin;
        uint32_t record = checker->marks.items[mark].op;
        if (earliest_begin.op != CHECK_NONE && checker->ops.items[record].timed &&
            checker->ops.items[record].task_end_ns > earliest_begin.ns)
            earliest_begin = (struct check_earliest_begin){
                .ns = checker->ops.items[record].task_end_ns, .op = record};
        judge_giving_up(checker, queue, number, &earliest_begin, true, op);
    } else if (look->status == TWIN_E_NOT_READY || look->status == TWIN_OK) {
        judge_denial(checker, queue, number, op);
    }
}

static void abort_queue(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    if (queue->gone || queue->deferred)
        return;
    check_abort_drops(checker, queue, op);
    check_queue_drop(checker, queue, op);
    check_queue_seen(checker, queue, queue->submitted, op);
    queue->failure = CHECK_NONE;
}

void check_observe(struct checker *checker, uint32_t op)
{
    const twin_op *look = &checker->ops.items[op];
    struct check_queue *queue = look->queue != 0 ? check_queue_find(checker, look->queue) : NULL;
    switch (look->kind) {
    case TWIN_OP_DRAIN:
    case TWIN_OP_QUEUE_QUERY:
        observe_queue(checker, op);
        return;
    case TWIN_OP_SIGNAL_WAIT:
    case TWIN_OP_SIGNAL_QUERY:
    case TWIN_OP_TIMESTAMP:
        observe_signal(checker, op);
        return;
    case TWIN_OP_QUEUE_ABORT:
        if (queue)
            abort_queue(checker, queue, op);
        return;
    case TWIN_OP_QUEUE_STOP:
        if (queue)
            queue->troubled = queue->stopped = true;
        return;
    case TWIN_OP_STOP_ON_FAILURE:
        if (queue && look->status == TWIN_OK)
            check_queue_stops(checker, queue);
        return;
    case TWIN_OP_TAKE_FAILURE:
        if (queue && look->status == TWIN_OK) {
            queue->failure = CHECK_NONE;
            queue->troubled = true;
        }
        return;
    case TWIN_OP_DEVICE_ABORT:
        for (size_t i = 0; i < checker->all_queues.count; i++)
            if (checker->all_queues.items[i]->device == look->device)
                abort_queue(checker, checker->all_queues.items[i], op);
        checker->troubled = true;
        return;
    case TWIN_OP_FAULT_INJECT:
        checker->troubled = true;
        return;
    default:
        return;
    }
}
