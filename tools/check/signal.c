/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies: which record a wait binds to.
 *
 * An event that is bound anew is its newest record. A flag is set, cleared and waited for in the
 * order in which the host asks for it; programs that use flags safely give the device no other
 * choice. What a record before would also let pass is taken as let pass by the first since the
 * reset. */
#include <stdlib.h>

#include "check/state.h"

struct check_signal *check_signal_end(struct checker *checker, uint32_t number)
{
    struct check_signal *signal = NULL;
    HASH_FIND(hh, checker->signals, &number, sizeof(number), signal);
    return signal;
}

struct check_signal *check_signal_find(struct checker *checker, uint32_t number)
{
    struct check_signal *signal = check_signal_end(checker, number);
    return signal && signal->of ? signal->of : signal;
}

void check_mark_drop(struct checker *checker, uint32_t number)
{
    struct check_mark *mark = &checker->marks.items[number];
    if (number == 0 || --mark->holders > 0)
        return;
    clock_drop(mark->clock);
    clock_drop(mark->earlier);
    mark->clock = mark->earlier = NULL;
}

uint32_t check_mark_new(struct checker *checker)
{
    const struct check_mark mark = {.op = CHECK_NONE,
                                    .first_wait = CHECK_NONE,
                                    .last_round = CHECK_NONE,
                                    .last_reset = CHECK_NONE,
                                    .earliest_begin = {.op = CHECK_NONE}};
    CHECK_ADD(checker, &checker->marks, mark);
    return checker->short_of_memory ? 0 : (uint32_t)checker->marks.count - 1;
}

void check_mark_set(struct check_mark *mark, struct check_queue *queue, uint32_t op)
{
    mark->op = op;
    mark->queue = queue;
    mark->clock_index = queue->clock_index;
    mark->number = queue->submitted;
}

void check_mark_leave(struct checker *checker, struct check_mark *mark)
{
    mark->done = mark->order_unknown = mark->unsure = true;
    check_wake(checker, &mark->parked);
}

void check_signal_share(struct checker *checker, uint32_t op)
{
    const twin_op *share = &checker->ops.items[op];
    struct check_signal *signal = check_signal_find(checker, share->object);
    if (!signal || !twin_op_succeeded(share))
        return;
    if (share->config.inside)
        signal->share = share->config.share;
    else
        check_signal_leave(checker, signal);
}

/* The signal of this process of which another end is opened. NULL: it belongs to another process,
 * or its owner is unknown. */
static struct check_signal *shared_here(struct checker *checker, const twin_op *made)
{
    if (made->kind != TWIN_OP_SIGNAL_OPEN || !made->config.inside)
        return NULL;
    for (struct check_signal *signal = checker->signals; signal; signal = signal->hh.next)
        if (!signal->of && signal->ends > 0 && signal->share == made->config.share &&
            signal->kind == made->config.signal_kind)
            return signal;
    return NULL;
}

void check_signal_create(struct checker *checker, uint32_t op)
{
    const twin_op *made = &checker->ops.items[op];
    struct check_signal *signal = check_signal_end(checker, made->object);
    if (signal) {
        signal->holders++;
        return;
    }
    struct check_signal *of = shared_here(checker, made);
    HASH_ENSURE(checker->signals, number, made->object, signal);
    if (!signal) {
        checker->short_of_memory = true;
        return;
    }
    signal->op = op;
    signal->kind = made->config.signal_kind;
    signal->name = made->config.name;
    signal->device = made->device;
    signal->newest = signal->before = signal->reset = CHECK_NONE;
    signal->holders = signal->ends = 1;
    signal->of = of;
    if (of)
        of->ends++;
    signal->unjudged = made->kind == TWIN_OP_SIGNAL_OPEN || signal->kind > TWIN_SIGNAL_COUNT;
}

static void bind_record(struct checker *checker, struct check_signal *signal,
                        struct check_queue *queue, uint32_t op)
{
    bool promised = signal->kept < signal->promised.count;
    signal->records++;
    uint32_t number = promised ? signal->promised.items[signal->kept++] : check_mark_new(checker);
    if (number == 0)
        return;
    struct check_mark *mark = &checker->marks.items[number];
    check_mark_set(mark, queue, op);
    mark->holders += promised ? 1 : 2; /* the record, and `newest`; a promise held it already */
    if (signal->kind == TWIN_SIGNAL_NOTIFY)
        mark->last_round = signal->newest;
    mark->last_reset = signal->reset;
    mark->reset_clock_index = signal->reset_clock_index;
    mark->reset_number = signal->reset_number;
    checker->links.items[op] = number;
    if (signal->before != CHECK_NONE)
        check_mark_drop(checker, signal->before);
    signal->before = signal->newest;
    signal->newest = number;
    if (signal->kind == TWIN_SIGNAL_EVENT_REBIND ||
        (signal->kind == TWIN_SIGNAL_NOTIFY && promised) ||
        (signal->kind == TWIN_SIGNAL_EVENT_LEVEL && signal->marks.count > 0))
        return;
    mark->holders++;
    CHECK_ADD(checker, &signal->marks, number);
}

void check_signal_set(struct checker *checker, uint32_t op)
{
    struct check_signal *signal = check_signal_find(checker, checker->ops.items[op].object);
    if (!signal || signal->kind != TWIN_SIGNAL_EVENT_LEVEL || signal->marks.count == 0)
        return;
    const struct check_mark *set = &checker->marks.items[checker->links.items[op]];
    struct check_mark *first = &checker->marks.items[signal->marks.items[0]];
    if (first->done)
        return;
    check_mark_set(first, set->queue, set->op);
    first->number = set->number;
    first->clock = clock_retain(set->clock);
    first->earlier = clock_retain(set->earlier);
    first->earliest_begin = set->earliest_begin;
    first->host_seen_at = set->host_seen_at;
    first->order_unknown = set->order_unknown;
    first->unsure = set->unsure;
    first->done = true;
    check_wake(checker, &first->parked);
}

static uint32_t promise(struct checker *checker, struct check_signal *signal)
{
    if (signal->kind == TWIN_SIGNAL_EVENT_LEVEL && signal->kept < signal->promised.count)
        return signal->promised.items[signal->kept];
    uint32_t number = check_mark_new(checker);
    if (number == 0)
        return number;
    checker->marks.items[number].holders = 1;
    CHECK_ADD(checker, &signal->promised, number);
    return number;
}

static void bind_wait(struct checker *checker, struct check_signal *signal,
                      const struct check_queue *queue, uint32_t op)
{
    uint32_t number = CHECK_NONE;
    if (signal->unjudged) {
        number = 0;
    } else if (signal->kind == TWIN_SIGNAL_EVENT_REBIND) {
        checker->judged[CHECK_LIFE_08]++;
        number = signal->newest;
        if (number == CHECK_NONE)
            check_find(checker, CHECK_LIFE_08, signal->op, op,
                       "event %u was not recorded before, so the stream does not wait",
                       (unsigned)signal->name);
    } else {
        checker->judged[CHECK_LIFE_07]++;
        if (signal->kind == TWIN_SIGNAL_EVENT_LEVEL && signal->marks.count > 0) {
            number = signal->marks.items[0];
        } else if (signal->kind == TWIN_SIGNAL_NOTIFY && signal->taken < signal->marks.count) {
            number = signal->marks.items[signal->taken++];
            checker->marks.items[number].holders--; /* the list's goes to the wait */
        } else {
            number = promise(checker, signal);
        }
    }
    if (number != CHECK_NONE) {
        struct check_mark *mark = &checker->marks.items[number];
        mark->holders++;
        mark->waits++;
        if (mark->first_wait == CHECK_NONE) {
            mark->first_wait = op;
            mark->wait_clock_index = queue->clock_index;
            mark->wait_number = queue->submitted;
        }
    }
    checker->links.items[op] = number;
}

static void forget_set(struct checker *checker, struct check_signal *signal)
{
    for (size_t i = signal->taken; i < signal->marks.count; i++)
        check_mark_drop(checker, signal->marks.items[i]);
    signal->marks.count = signal->taken = 0;
}

void check_signal_bind(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    struct check_signal *signal = check_signal_find(checker, work->object);
    if (signal->kind != TWIN_SIGNAL_EVENT_REBIND)
        CHECK_ADD(checker, &signal->ops, op);
    if (work->kind == TWIN_OP_COUNT || work->kind == TWIN_OP_WAIT_COUNT)
        check_count_bind(checker, signal, queue, op);
    else if (signal->kind == TWIN_SIGNAL_COUNT)
        check_signal_leave(checker, signal); /* no such work exists */
    else if (work->kind == TWIN_OP_RECORD)
        bind_record(checker, signal, queue, op);
    else if (work->kind == TWIN_OP_WAIT)
        bind_wait(checker, signal, queue, op);
    else if (work->kind == TWIN_OP_RESET && signal->kind == TWIN_SIGNAL_EVENT_LEVEL)
        forget_set(checker, signal);
    if (work->kind != TWIN_OP_RESET)
        return;
    signal->reset = op;
    signal->reset_clock_index = queue->clock_index;
    signal->reset_number = queue->submitted;
}

/* Whether a piece of work comes before a record that was carried out. */
static bool precedes(const struct checker *checker, uint32_t clock_index, uint32_t number,
                     const struct check_mark *record)
{
    if (clock_index == record->clock_index)
        return number < record->number;
    return number <= clock_at(record->clock, clock_index) ||
           number <= check_known_at(checker, clock_index, record->host_seen_at);
}

void check_signal_round(struct checker *checker, const struct check_mark *mark)
{
    if (mark->op == CHECK_NONE || mark->order_unknown || checker->troubled)
        return;
    if (mark->last_reset != CHECK_NONE &&
        !check_runs_exclude(checker, mark->last_reset, mark->op)) {
        checker->judged[CHECK_LIFE_10]++;
        if (!precedes(checker, mark->reset_clock_index, mark->reset_number, mark))
            check_find(checker, CHECK_LIFE_10, mark->last_reset, mark->op,
                       "nothing orders the reset before the next record, which it may undo");
    }
    if (mark->last_round == CHECK_NONE)
        return;
    const struct check_mark *last = &checker->marks.items[mark->last_round];
    if (last->first_wait == CHECK_NONE || check_runs_exclude(checker, last->first_wait, mark->op))
        return;
    checker->judged[CHECK_LIFE_10]++;
    if (!precedes(checker, last->wait_clock_index, last->wait_number, mark))
        check_find(
            checker, CHECK_LIFE_10, last->first_wait, mark->op,
            "nothing orders this record after the wait of the previous round: two records may "
            "release one wait only");
}

void check_signal_clear(struct checker *checker, uint32_t op)
{
    const twin_op *clear = &checker->ops.items[op];
    struct check_signal *signal = check_signal_find(checker, clear->object);
    if (!signal || clear->status != TWIN_OK || signal->kind != TWIN_SIGNAL_NOTIFY)
        return;
    if (signal->inside)
        check_signal_leave(checker, signal);
    CHECK_ADD(checker, &signal->ops, op);
    /* the flag held what was seen done; a record still on its way sets it later */
    while (signal->taken < signal->marks.count) {
        const struct check_mark *mark = &checker->marks.items[signal->marks.items[signal->taken]];
        if (check_known_at(checker, mark->clock_index, clear->begin_seq) < mark->number)
            break;
        check_mark_drop(checker, signal->marks.items[signal->taken++]);
    }
}

void check_signal_leave(struct checker *checker, struct check_signal *signal)
{
    if (signal->unjudged)
        return;
    signal->unjudged = true;
    for (; signal->kept < signal->promised.count; signal->kept++) {
        uint32_t number = signal->promised.items[signal->kept];
        check_mark_leave(checker, &checker->marks.items[number]);
        check_mark_drop(checker, number);
    }
    if (signal->kind == TWIN_SIGNAL_COUNT)
        check_count_leave(checker, signal);
    check_carry_on(checker);
}

/* Those who wait for a record that will not come. */
static void judge_promises(struct checker *checker, const struct check_signal *signal, uint32_t op)
{
    if (signal->unjudged || checker->troubled || (op == CHECK_NONE && checker->facts.partial))
        return;
    for (size_t i = signal->kept; i < signal->promised.count; i++) {
        const struct check_mark *mark = &checker->marks.items[signal->promised.items[i]];
        if (mark->holders > 1)
            check_find(
                checker,
                op == CHECK_NONE && checker->facts.broken_off ? CHECK_LIFE_12 : CHECK_LIFE_07,
                mark->first_wait, op,
                op == CHECK_NONE ? "no record of %s %u was queued for this wait"
                                 : "%s %u was destroyed with no record for this wait",
                signal->kind == TWIN_SIGNAL_NOTIFY ? "notify" : "event", (unsigned)signal->name);
    }
}

void check_signal_given_up(struct checker *checker, uint32_t number, uint32_t wait, uint32_t by)
{
    const struct check_mark *mark = &checker->marks.items[number];
    const struct check_signal *signal = check_signal_find(checker, checker->ops.items[wait].object);
    if (!mark->hopeless || mark->op != CHECK_NONE || !signal || signal->ends == 0 ||
        signal->unjudged || checker->troubled || checker->facts.partial)
        return;
    check_find(
        checker, CHECK_LIFE_07, wait, by,
        "no record of %s %u had been queued when the stream was aborted, after a wait of the "
        "host had returned that nothing can end it",
        signal->kind == TWIN_SIGNAL_NOTIFY ? "notify" : "event", (unsigned)signal->name);
}

void check_signal_destroy(struct checker *checker, uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    struct check_signal *signal = check_signal_end(checker, end->object);
    if (!signal)
        return;
    if (signal->gone) {
        check_find(checker, CHECK_LIFE_06, signal->op, op, "the event was destroyed twice");
        return;
    }
    if (--signal->holders > 0)
        return;
    checker->judged[CHECK_LIFE_06]++;
    signal->gone = true;
    signal = signal->of ? signal->of : signal;
    if (--signal->ends > 0)
        return;
    judge_promises(checker, signal, op);
    check_times_signal(checker, signal);
    if (signal->newest != CHECK_NONE)
        check_mark_drop(checker, signal->newest);
    if (signal->before != CHECK_NONE)
        check_mark_drop(checker, signal->before);
    signal->newest = signal->before = CHECK_NONE;
    forget_set(checker, signal);
}

void check_signals_finish(struct checker *checker)
{
    for (struct check_signal *signal = checker->signals; signal; signal = signal->hh.next) {
        if (signal->of || signal->ends == 0)
            continue;
        judge_promises(checker, signal, CHECK_NONE);
        check_times_signal(checker, signal);
    }
}

void check_signals_free(struct checker *checker)
{
    for (struct check_signal *signal = checker->signals; signal; signal = signal->hh.next) {
        free(signal->marks.items);
        free(signal->promised.items);
        free(signal->ops.items);
        check_count_free(signal->count);
    }
    HASH_FREE_ALL(checker->signals);
    for (size_t i = 0; i < checker->marks.count; i++) {
        clock_drop(checker->marks.items[i].clock);
        clock_drop(checker->marks.items[i].earlier);
    }
    free(checker->marks.items);
}
