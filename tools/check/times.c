/* SPDX-License-Identifier: Apache-2.0 */
/* Times of tasks on the device, against the order that the rules ask for. */
#include <stdlib.h>

#include "check/state.h"

/* A call that only queues work costs less than this. */
#define PROMPT_NS UINT64_C(20000)

static void raise_earliest_begin(struct check_earliest_begin *earliest_begin, uint64_t ns,
                                 uint32_t op, uint32_t hops)
{
    if (earliest_begin->op == CHECK_NONE || earliest_begin->ns < ns)
        *earliest_begin = (struct check_earliest_begin){.ns = ns, .op = op, .hops = hops};
}

static check_rule rule_of(const struct checker *checker, const struct check_queue *queue,
                          const struct check_earliest_begin *earliest_begin, uint32_t op)
{
    if (earliest_begin->hops >= 2)
        return CHECK_ORD_09;
    if (earliest_begin->hops == 1)
        return CHECK_ORD_05;
    return queue->is_default &&
                   checker->ops.items[earliest_begin->op].thread != checker->ops.items[op].thread
               ? CHECK_ORD_12
               : CHECK_ORD_01;
}

/* Whether a time fits after the earliest begin; reports each once. */
static void judge_earliest_begin(struct checker *checker, struct check_queue *queue,
                                 const struct check_earliest_begin *earliest_begin, uint64_t ns,
                                 uint32_t op, const char *what)
{
    if (earliest_begin->op == CHECK_NONE)
        return;
    check_rule rule = rule_of(checker, queue, earliest_begin, op);
    checker->judged[rule]++;
    if (ns >= earliest_begin->ns || queue->blamed == earliest_begin->op)
        return;
    queue->blamed = earliest_begin->op;
    check_find(checker, rule, earliest_begin->op, op,
               "the second %s %.3f us before the end of the first", what,
               (double)(earliest_begin->ns - ns) / 1000);
}

static void judge_begin(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    if (work->task_begin_ns == 0) {
        judge_earliest_begin(checker, queue, &queue->earliest_begin, work->task_end_ns, op,
                             "ended");
        return;
    }
    if (work->task_end_ns < work->task_begin_ns)
        check_find(checker, CHECK_CLK_01, op, CHECK_NONE, "it ends before it begins");
    judge_earliest_begin(checker, queue, &queue->earliest_begin, work->task_begin_ns, op, "began");
    if (work->end_ns == 0)
        return;
    checker->judged[CHECK_CLK_01]++;
    if (work->task_begin_ns < work->begin_ns)
        check_find(checker, CHECK_CLK_01, op, CHECK_NONE,
                   "the task began %.3f us before the call that submitted it",
                   (double)(work->begin_ns - work->task_begin_ns) / 1000);
}

/* The call that queued the wait is not to last until the record. Where its clock was moved for
 * other threads, it is not known how long it lasted. */
static void judge_prompt(struct checker *checker, uint32_t op, const twin_op *record)
{
    const twin_op *wait = &checker->ops.items[op];
    if (wait->end_ns == 0 || wait->moved || !record->timed || record->stamped ||
        record->task_end_ns <= wait->begin_ns)
        return;
    checker->judged[CHECK_ORD_07]++;
    if (wait->begin_ns + PROMPT_NS < record->task_end_ns && wait->end_ns >= record->task_end_ns)
        check_find(checker, CHECK_ORD_07, (uint32_t)(record - checker->ops.items), op,
                   "the call that queued the wait lasted %.3f us, until the record had happened",
                   (double)(wait->end_ns - wait->begin_ns) / 1000);
}

static void judge_wait(struct checker *checker, struct check_queue *queue, uint32_t op,
                       const struct check_mark *mark)
{
    const twin_op *wait = &checker->ops.items[op];
    const struct check_signal *signal = check_signal_find(checker, wait->object);
    const twin_op *record = &checker->ops.items[mark->op];
    judge_prompt(checker, op, record);
    if (!wait->timed ||
        (signal && signal->kind != TWIN_SIGNAL_EVENT_REBIND && signal->kind != TWIN_SIGNAL_COUNT))
        return;
    if (record->timed && record->task_begin_ns != 0) {
        checker->judged[CHECK_ORD_05]++;
        checker->judged[CHECK_ORD_08] += mark->waits >= 2;
        /* a chain whose links are all judged */
        checker->judged[CHECK_ORD_09] += mark->clock != NULL;
        if (wait->task_end_ns < record->task_begin_ns) {
            queue->blamed = mark->earliest_begin.op;
            check_find(checker, CHECK_ORD_05, mark->op, op,
                       "the wait passed %.3f us before the record began",
                       (double)(record->task_begin_ns - wait->task_end_ns) / 1000);
            return;
        }
    }
    if (mark->earliest_begin.op == CHECK_NONE)
        return;
    struct check_earliest_begin over = mark->earliest_begin;
    over.hops++;
    judge_earliest_begin(checker, queue, &over, wait->task_end_ns, op, "passed");
}

/* Which record an event's wait is bound to, and what a wait for a count needs, is certain whatever
 * else is not known. */
static bool is_bound(struct checker *checker, const twin_op *wait, const struct check_mark *mark)
{
    const struct check_signal *signal = check_signal_find(checker, wait->object);
    return !mark->order_unknown || (signal && (signal->kind == TWIN_SIGNAL_EVENT_REBIND ||
                                               signal->kind == TWIN_SIGNAL_COUNT));
}

void check_times_after(struct checker *checker, struct check_queue *queue, uint32_t op,
                       const struct check_mark *mark)
{
    const twin_op *work = &checker->ops.items[op];
    bool failed = work->timed && work->task_status != TWIN_OK;
    if (mark->op == CHECK_NONE || !is_bound(checker, work, mark))
        return;
    if (!failed && !queue->troubled)
        judge_wait(checker, queue, op, mark);
    if (mark->earliest_begin.op != CHECK_NONE && !failed)
        raise_earliest_begin(&queue->earliest_begin, mark->earliest_begin.ns,
                             mark->earliest_begin.op, mark->earliest_begin.hops + 1);
}

void check_times_task(struct checker *checker, struct check_queue *queue, uint32_t op,
                      const struct check_mark *mark)
{
    const twin_op *work = &checker->ops.items[op];
    bool failed = work->timed && work->task_status != TWIN_OK;
    if (failed) {
        queue->troubled = checker->troubled = true;
        if (queue->failure == CHECK_NONE)
            queue->failure = op;
    }
    if (!failed && !queue->troubled && work->timed)
        judge_begin(checker, queue, op);
    if (mark)
        check_times_after(checker, queue, op, mark);
    if (work->timed && !failed)
        raise_earliest_begin(&queue->earliest_begin, work->task_end_ns, op, 0);
}

void check_times_host(struct checker *checker, const struct check_earliest_begin *earliest_begin,
                      uint32_t op)
{
    const twin_op *look = &checker->ops.items[op];
    if (earliest_begin->op == CHECK_NONE || look->end_ns == 0 || checker->troubled)
        return;
    /* Among several threads one may see at once what another has driven the model to; its own clock
     * follows with its next call. Then only the device's time counts. */
    bool seen_at_once = checker->several_threads && look->end_ns == look->begin_ns;
    if (seen_at_once && look->device_ns == 0)
        return;
    uint64_t when = seen_at_once && look->device_ns > look->end_ns ? look->device_ns : look->end_ns;
    checker->judged[CHECK_ORD_10]++;
    if (when < earliest_begin->ns)
        check_find(checker, CHECK_ORD_10, earliest_begin->op, op,
                   "the second call returned that the first op is complete %.3f us before it ended",
                   (double)(earliest_begin->ns - when) / 1000);
}

/* ---- flags ---- */

static int by_begin(const void *left, const void *right)
{
    const twin_op *const *a = left;
    const twin_op *const *b = right;
    return ORDER_2((*a)->task_begin_ns, (*b)->task_begin_ns, *a, *b);
}

static int by_end(const void *left, const void *right)
{
    const twin_op *const *a = left;
    const twin_op *const *b = right;
    return ORDER_2((*a)->task_end_ns, (*b)->task_end_ns, *a, *b);
}

static void report_flag(struct checker *checker, const twin_op *record, const twin_op *wait,
                        const char *why)
{
    check_find(checker, CHECK_ORD_05, record ? (uint32_t)(record - checker->ops.items) : CHECK_NONE,
               (uint32_t)(wait - checker->ops.items), "%s", why);
}

struct flag {
    const twin_op **records, **waits, **resets;
    size_t record_count, wait_count, reset_count;
};

/* A notify: the n-th wait that passes needs n records to have begun. */
static void judge_notify(struct checker *checker, const struct flag *flag)
{
    for (size_t i = 0; i < flag->wait_count; i++) {
        const twin_op *record = i < flag->record_count ? flag->records[i] : NULL;
        checker->judged[CHECK_ORD_05]++;
        if (record && record->task_begin_ns <= flag->waits[i]->task_end_ns)
            continue;
        report_flag(checker, record, flag->waits[i],
                    "more waits had passed than records had begun");
        return;
    }
}

/* Of those sorted by their begin, how many begin by then. */
static size_t begun_by(const twin_op **ops, size_t count, uint64_t ns)
{
    return PARTITION_POINT(count, i, ops[i]->task_begin_ns <= ns);
}

/* An event's flag: some record began before the wait passed, and no reset comes between the two. */
static void judge_level(struct checker *checker, const struct flag *flag)
{
    for (size_t i = 0; i < flag->wait_count; i++) {
        const twin_op *wait = flag->waits[i];
        size_t begun = begun_by(flag->records, flag->record_count, wait->task_end_ns);
        const twin_op *record = begun > 0 ? flag->records[begun - 1] : NULL;
        checker->judged[CHECK_ORD_05]++;
        size_t reset =
            record ? begun_by(flag->resets, flag->reset_count, record->task_end_ns - 1) : 0;
        if (record &&
            (reset >= flag->reset_count || flag->resets[reset]->task_end_ns > wait->task_begin_ns))
            continue;
        report_flag(checker, begun < flag->record_count ? flag->records[begun] : NULL, wait,
                    record ? "the wait passed after a reset and before the next record began"
                           : "the wait passed before the first record began");
        return;
    }
}

void check_times_signal(struct checker *checker, struct check_signal *signal)
{
    size_t count = signal->ops.count;
    if (count == 0 || signal->unjudged || checker->troubled)
        return;
    if (signal->kind == TWIN_SIGNAL_COUNT) {
        check_times_count(checker, signal);
        signal->ops.count = 0;
        return;
    }
    struct flag flag = {.records = malloc(count * sizeof(void *)),
                        .waits = malloc(count * sizeof(void *)),
                        .resets = malloc(count * sizeof(void *))};
    bool all = flag.records && flag.waits && flag.resets;
    checker->short_of_memory |= !all;
    for (size_t i = 0; all && i < count; i++) {
        const twin_op *op = &checker->ops.items[signal->ops.items[i]];
        /* one record without a time may be any wait's */
        bool known = op->timed && op->task_begin_ns != 0;
        all = known || op->kind == TWIN_OP_SIGNAL_CLEAR || op->kind == TWIN_OP_WAIT;
        if (op->kind == TWIN_OP_RECORD)
            flag.records[flag.record_count++] = op;
        else if (op->kind == TWIN_OP_RESET)
            flag.resets[flag.reset_count++] = op;
        else if (op->kind == TWIN_OP_WAIT && known)
            flag.waits[flag.wait_count++] = op;
    }
    if (all && flag.wait_count > 0) {
        qsort(flag.records, flag.record_count, sizeof(void *), by_begin);
        qsort(flag.resets, flag.reset_count, sizeof(void *), by_begin);
        qsort(flag.waits, flag.wait_count, sizeof(void *), by_end);
        if (signal->kind == TWIN_SIGNAL_NOTIFY)
            judge_notify(checker, &flag);
        else
            judge_level(checker, &flag);
    }
    free(flag.records);
    free(flag.waits);
    free(flag.resets);
    signal->ops.count = 0;
}

/* ---- each once ---- */

void check_times_finish(struct checker *checker)
{
    if (!checker->facts.whole || checker->troubled)
        return;
    for (size_t i = 0; i < checker->all_queues.count; i++) {
        const struct check_queue *queue = checker->all_queues.items[i];
        uint32_t known = check_known_at(checker, queue->clock_index, UINT64_MAX);
        if (queue->deferred || queue->troubled || !queue->reports_tasks)
            continue;
        for (uint32_t n = queue->first + 1; n <= known && n <= queue->submitted; n++) {
            uint32_t op = queue->work.items[n - queue->first - 1];
            const twin_op *work = &checker->ops.items[op];
            if (work->task == CHECK_NONE || work->tasks == 0)
                continue;
            checker->judged[CHECK_ORD_12]++;
            if (work->reported < work->tasks)
                check_find(checker, CHECK_ORD_12, op, CHECK_NONE,
                           "the stream was reported complete, and the device did not report that "
                           "it ran this task");
            else if (work->reported > work->tasks)
                check_find(checker, CHECK_ORD_12, op, CHECK_NONE,
                           "the device ran this task %u times", (unsigned)work->reported);
        }
    }
}
