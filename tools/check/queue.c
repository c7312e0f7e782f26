/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: their work, carried out in thought. */
#include <stdlib.h>

#include "check/state.h"

#define FORCE_DEPTH 1000u /* streams that wait for each other in a row */

struct check_queue *check_queue_find(struct checker *checker, uint32_t number)
{
    struct check_queue *queue = NULL;
    HASH_FIND(hh, checker->queues, &number, sizeof(number), queue);
    return queue;
}

static bool take_place(struct checker *checker, struct check_queue *queue)
{
    if (checker->free_clock_slots.count > 0) {
        queue->clock_index = checker->free_clock_slots.items[--checker->free_clock_slots.count];
        queue->first = checker->clock_slots.items[queue->clock_index].queue->submitted;
    } else {
        queue->clock_index = (uint32_t)checker->clock_slots.count;
        if (!LIST_ADD(&checker->clock_slots, (struct check_clock_slot){0}))
            return false;
    }
    queue->submitted = queue->carried = queue->first;
    checker->clock_slots.items[queue->clock_index].queue = queue;
    return true;
}

void check_queue_create(struct checker *checker, uint32_t op)
{
    const twin_op *made = &checker->ops.items[op];
    struct check_queue *queue = NULL;
    if (check_queue_find(checker, made->queue))
        return;
    HASH_ENSURE(checker->queues, number, made->queue, queue);
    if (!queue || !take_place(checker, queue) || !LIST_ADD(&checker->all_queues, queue)) {
        checker->short_of_memory = true;
        return;
    }
    queue->op = op;
    queue->id = made->config.name;
    queue->device = made->device;
    queue->group = made->config.group;
    queue->deferred = made->config.deferred;
    queue->is_default = made->config.is_default;
    queue->reports_tasks = made->config.reports_tasks;
    queue->earliest_begin.op = queue->blamed = queue->failure = CHECK_NONE;
}

uint32_t check_work_at(const struct checker *checker, uint32_t clock_index, uint32_t number)
{
    if (clock_index >= checker->clock_slots.count)
        return CHECK_NONE;
    const struct check_queue *queue = checker->clock_slots.items[clock_index].queue;
    if (number <= queue->first || number > queue->submitted)
        return CHECK_NONE;
    return queue->work.items[number - queue->first - 1];
}

/* ---- parking ---- */

static void unlink_parked(struct check_queue **list, struct check_queue *queue)
{
    while (*list && *list != queue)
        list = &(*list)->next_parked;
    if (*list)
        *list = queue->next_parked;
    queue->next_parked = NULL;
}

static struct check_word *word_of(struct checker *checker, const struct check_queue *queue)
{
    return interval_map_from(&checker->words, checker->ops.items[queue->parked_on].word.address);
}

static void unpark(struct checker *checker, struct check_queue *queue)
{
    if (queue->parking == CHECK_ON_MARK)
        unlink_parked(&checker->marks.items[queue->parked_on].parked, queue);
    if (queue->parking == CHECK_ON_WORD)
        unlink_parked(&word_of(checker, queue)->parked, queue);
    if (queue->parking != CHECK_RUNS && queue->parking != CHECK_ON_COUNT)
        checker->parked--;
    queue->parking = CHECK_RUNS;
}

static void push_woken(struct checker *checker, struct check_queue *queue)
{
    if (!queue->waking)
        CHECK_ADD(checker, &checker->woken, queue);
    queue->waking = true;
}

void check_wake_one(struct checker *checker, struct check_queue *queue)
{
    unpark(checker, queue);
    push_woken(checker, queue);
}

void check_wake(struct checker *checker, struct check_queue **list)
{
    while (*list)
        check_wake_one(checker, *list);
}

static void park(struct checker *checker, struct check_queue *queue, enum check_parking parking,
                 uint32_t on, struct check_queue **list)
{
    queue->parking = parking;
    queue->parked_on = on;
    checker->parked += parking != CHECK_ON_COUNT;
    if (list) {
        queue->next_parked = *list;
        *list = queue;
    }
}

void check_park_on_mark(struct checker *checker, struct check_queue *queue, uint32_t mark)
{
    park(checker, queue, CHECK_ON_MARK, mark, &checker->marks.items[mark].parked);
}

void check_resume(struct checker *checker, struct check_queue *queue)
{
    if (queue->parking == CHECK_RUNS)
        push_woken(checker, queue);
}

/* ---- carrying out ---- */

void check_take_over(struct checker *checker, struct check_queue *queue,
                     const struct check_mark *mark)
{
    uint32_t op = queue->work.items[queue->carried - queue->first];
    /* what the host had seen done is known, however it came about */
    if (mark->op == CHECK_NONE || check_known_at(checker, mark->clock_index,
                                                 checker->ops.items[op].begin_seq) < mark->number) {
        queue->order_unknown |= mark->order_unknown;
        queue->unsure |= mark->unsure;
    }
    if (mark->op == CHECK_NONE || mark->clock_index == queue->clock_index)
        return;
    if (queue->host_seen_at < mark->host_seen_at)
        queue->host_seen_at = mark->host_seen_at;
    /* an event that is bound anew is the record that came first */
    const twin_op *work = &checker->ops.items[op];
    const struct check_signal *signal =
        work->kind != TWIN_OP_RUN ? check_signal_find(checker, work->object) : NULL;
    if (!signal || signal->kind != TWIN_SIGNAL_EVENT_REBIND ||
        check_host_ordered(checker, mark->op, op))
        check_host_passes(checker, &queue->earlier, mark->earlier, mark->clock_index, mark->number);
    check_join_clock(checker, &queue->clock, mark->clock);
    check_raise_clock(checker, &queue->clock, mark->clock_index, mark->number);
    CHECK_ADD(checker, &queue->joins,
              (struct check_join){.number = queue->carried + 1,
                                  .from_clock_index = mark->clock_index,
                                  .from_number = mark->number,
                                  .record = mark->op});
}

static bool carry_wait(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    uint32_t number = checker->links.items[op];
    if (number == CHECK_NONE) {
        check_times_task(checker, queue, op, NULL);
        return true;
    }
    struct check_mark *mark = &checker->marks.items[number];
    if (!mark->done) {
        check_park_on_mark(checker, queue, number);
        return false;
    }
    check_times_task(checker, queue, op, mark);
    check_signal_round(checker, mark);
    struct check_signal *signal = check_signal_find(checker, checker->ops.items[op].object);
    if (signal)
        signal->passed++;
    check_take_over(checker, queue, mark);
    check_mark_drop(checker, number);
    return true;
}

void check_set_mark(struct checker *checker, const struct check_queue *queue, uint32_t op,
                    const struct check_earliest_begin *earliest_begin)
{
    struct check_mark *mark = &checker->marks.items[checker->links.items[op]];
    uint64_t begin_seq = checker->ops.items[op].begin_seq;
    mark->earliest_begin = *earliest_begin;
    mark->order_unknown = queue->order_unknown;
    mark->unsure = queue->unsure;
    mark->host_seen_at = begin_seq > queue->host_seen_at ? begin_seq : queue->host_seen_at;
    mark->done = true;
    mark->clock = clock_retain(queue->clock);
    mark->earlier = clock_retain(queue->earlier);
}

/* A record, or a change of a count. */
static void carry_record(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    uint32_t number = checker->links.items[op];
    const twin_op *record = &checker->ops.items[op];
    struct check_earliest_begin before = queue->earliest_begin;
    check_times_task(checker, queue, op, NULL);
    if (number == CHECK_NONE)
        return;
    struct check_mark *mark = &checker->marks.items[number];
    if (mark->done) { /* another record has set the flag */
        check_mark_drop(checker, number);
        return;
    }
    /* A stamp comes after the record; a waiter may pass before it. The stamps of what comes before
     * are ahead of it. */
    bool own = record->timed && record->task_begin_ns == 0 && !record->stamped;
    check_set_mark(checker, queue, op, own ? &queue->earliest_begin : &before);
    check_wake(checker, &mark->parked);
    check_signal_set(checker, op);
    check_mark_drop(checker, number);
}

/* Whether a piece of work has to wait for something else than a record, at which the queue is
 * parked then. */
static bool has_to_wait(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    const uint32_t link = checker->links.items[op];
    if (work->kind == TWIN_OP_WAIT_COUNT && link != 0) {
        park(checker, queue, CHECK_ON_COUNT, op, NULL);
        return true;
    }
    if (work->kind == TWIN_OP_WAIT_VALUE && link == CHECK_NONE &&
        !check_word_wait(checker, queue, op)) {
        struct check_word *word = interval_map_from(&checker->words, work->word.address);
        park(checker, queue, CHECK_ON_WORD, op, &word->parked);
        return true;
    }
    if (work->kind == TWIN_OP_CALL && work->blocks && link == CHECK_NONE) {
        park(checker, queue, CHECK_ON_ANSWER, op, NULL);
        return true;
    }
    return false;
}

/* The next piece of work. False: it has to wait. */
static bool carry(struct checker *checker, struct check_queue *queue)
{
    uint32_t op = queue->work.items[queue->carried - queue->first];
    const uint32_t kind = checker->ops.items[op].kind;
    check_host_carries(checker, &queue->earlier, op);
    if (kind == TWIN_OP_WAIT) {
        if (!carry_wait(checker, queue, op))
            return false;
    } else if (kind == TWIN_OP_RECORD || kind == TWIN_OP_COUNT) {
        carry_record(checker, queue, op);
    } else if (kind == TWIN_OP_RUN || kind == TWIN_OP_ACTIVATE || kind == TWIN_OP_END) {
        if (!check_run_carry(checker, queue, op))
            return false;
    } else {
        if (has_to_wait(checker, queue, op))
            return false;
        if (kind == TWIN_OP_WAIT_COUNT)
            queue->order_unknown = queue->unsure = true;
        if (kind == TWIN_OP_WRITE_VALUE)
            check_word_write(checker, queue, op);
        check_access_work(checker, queue, op);
        check_times_task(checker, queue, op, NULL);
    }
    queue->carried++;
    return true;
}

static void run(struct checker *checker, struct check_queue *queue)
{
    while (queue->parking == CHECK_RUNS && queue->carried < queue->submitted &&
           !checker->short_of_memory && carry(checker, queue))
        ;
}

void check_carry_on(struct checker *checker)
{
    while (checker->woken.count > 0) {
        struct check_queue *queue = checker->woken.items[--checker->woken.count];
        queue->waking = false;
        run(checker, queue);
    }
}

/* ---- submission ---- */

static bool names_signal(uint32_t kind)
{
    return kind == TWIN_OP_RECORD || kind == TWIN_OP_WAIT || kind == TWIN_OP_RESET ||
           kind == TWIN_OP_COUNT || kind == TWIN_OP_WAIT_COUNT;
}

/* Of a flag that both streams and tasks of model instances use, it is not known which record a wait
 * passes with. */
static void use_signal(struct checker *checker, struct check_signal *signal, bool inside)
{
    signal->inside = signal->inside || inside;
    signal->outside = signal->outside || !inside;
    const bool is_flag =
        signal->kind == TWIN_SIGNAL_NOTIFY || signal->kind == TWIN_SIGNAL_EVENT_LEVEL;
    if (signal->inside && (signal->outside || !is_flag))
        check_signal_leave(checker, signal);
}

void check_submit(struct checker *checker, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    struct check_queue *queue = check_queue_find(checker, work->queue);
    if (!queue)
        return;
    if (queue->gone) {
        check_find(checker, CHECK_LIFE_06, queue->op, op,
                   "work was queued on a stream that had been destroyed");
        return;
    }
    struct check_signal *signal =
        names_signal(work->kind) ? check_signal_find(checker, work->object) : NULL;
    const struct check_signal *end = signal ? check_signal_end(checker, work->object) : NULL;
    if (end && end->gone) {
        check_find(checker, CHECK_LIFE_06, end->op, op, "the event or notify had been destroyed");
        return;
    }
    if (work->end_seq == 0)
        return;
    if (work->status != TWIN_OK) {
        check_refused(checker, queue, op);
        return;
    }
    checker->judged[CHECK_ORD_04]++;
    if (work->kind == TWIN_OP_POOL_ALLOC)
        check_memory_take(checker, queue, op);
    else if (work->kind == TWIN_OP_POOL_FREE)
        check_memory_return(checker, queue, op);
    else
        check_memory_use(checker, queue, op);
    if (signal)
        use_signal(checker, signal, queue->deferred);
    if (queue->deferred) {
        CHECK_ADD(checker, &queue->tasks, op);
        check_carry_on(checker);
        return;
    }
    const uint32_t kind = work->kind;
    if (kind == TWIN_OP_RUN)
        check_run_submit(checker, queue, op);
    if (!LIST_ADD(&queue->work, op)) {
        checker->short_of_memory = true;
        return;
    }
    queue->submitted++;
    if (signal)
        check_signal_bind(checker, queue, op);
    if (kind == TWIN_OP_CALL)
        check_call_queued(checker, op);
    if (queue->parking == CHECK_RUNS) {
        run(checker, queue);
        check_carry_on(checker);
    }
}

/* ---- ends ---- */

/* What was dropped may have changed counts, or not. */
static void leave_counts(struct checker *checker, const struct check_queue *queue, uint32_t known)
{
    for (uint32_t n = known; n > queue->first && n < queue->submitted; n++) {
        const twin_op *work = &checker->ops.items[queue->work.items[n - queue->first]];
        struct check_signal *signal =
            work->kind == TWIN_OP_COUNT || work->kind == TWIN_OP_WAIT_COUNT
                ? check_signal_find(checker, work->object)
                : NULL;
        if (signal)
            check_signal_leave(checker, signal);
    }
}

static void drop_piece(struct checker *checker, uint32_t op, uint32_t by)
{
    const uint32_t number = checker->links.items[op];
    const uint32_t kind = checker->ops.items[op].kind;
    if (kind == TWIN_OP_RUN)
        check_run_drop(checker, op, by);
    if (number == CHECK_NONE)
        return;
    switch (kind) {
    case TWIN_OP_WAIT:
        check_signal_given_up(checker, number, op, by);
        break;
    case TWIN_OP_RECORD:
    case TWIN_OP_ACTIVATE:
    case TWIN_OP_END:
        check_mark_leave(checker, &checker->marks.items[number]);
        break;
    case TWIN_OP_RUN:
        break;
    default:
        return;
    }
    check_mark_drop(checker, number);
}

void check_queue_drop(struct checker *checker, struct check_queue *queue, uint32_t by)
{
    uint32_t known = check_known_at(checker, queue->clock_index, checker->ops.items[by].begin_seq);
    if (known < queue->submitted) {
        if (queue->aborted_to == 0)
            queue->aborted_from = known;
        queue->aborted_to = queue->submitted;
        queue->troubled = true;
    }
    unpark(checker, queue);
    for (; queue->carried < queue->submitted; queue->carried++)
        drop_piece(checker, queue->work.items[queue->carried - queue->first], by);
    leave_counts(checker, queue, known);
    check_carry_on(checker);
}

void check_queue_destroy(struct checker *checker, uint32_t op)
{
    const twin_op *end = &checker->ops.items[op];
    struct check_queue *queue = check_queue_find(checker, end->queue);
    if (!queue)
        return;
    if (queue->gone) {
        check_find(checker, CHECK_LIFE_06, queue->op, op, "the stream was destroyed twice");
        return;
    }
    uint32_t known = check_known_at(checker, queue->clock_index, end->begin_seq);
    if (!queue->deferred) {
        checker->judged[CHECK_LIFE_05]++;
        uint32_t left = check_work_at(checker, queue->clock_index, known + 1);
        if (known < queue->submitted && queue->aborted_to < queue->submitted &&
            !checker->troubled && left != CHECK_NONE)
            check_find(checker, CHECK_LIFE_05, left, op,
                       "the host did not know %u of the stream's tasks complete; the first op is "
                       "the first of them",
                       (unsigned)(queue->submitted - known));
    }
    checker->judged[CHECK_LIFE_06]++;
    check_queue_drop(checker, queue, op);
    check_queue_seen(checker, queue, queue->submitted, op);
    queue->gone = true;
    CHECK_ADD(checker, &checker->free_clock_slots, queue->clock_index);
}

/* ---- what the host saw done ---- */

static void blame_wait(struct checker *checker, const struct check_queue *queue, uint32_t op,
                       uint32_t observer)
{
    const twin_op *wait = &checker->ops.items[op];
    const struct check_signal *signal = check_signal_find(checker, wait->object);
    if (queue->troubled || checker->troubled || !signal || signal->unjudged ||
        (wait->timed && wait->task_status != TWIN_OK))
        return;
    /* another record than that of its turn may have let it pass */
    if (signal->kind == TWIN_SIGNAL_NOTIFY ? signal->records > signal->passed : signal->records > 0)
        return;
    check_find(checker, CHECK_ORD_05, op, observer,
               "the host saw the wait passed, and no record of what it waits for had been queued");
}

/* ---- counts ---- */

void check_count_leave(struct checker *checker, const struct check_signal *signal)
{
    for (size_t i = 0; i < checker->all_queues.count; i++) {
        struct check_queue *queue = checker->all_queues.items[i];
        if (queue->parking != CHECK_ON_COUNT ||
            check_signal_find(checker, checker->ops.items[queue->parked_on].object) != signal)
            continue;
        checker->links.items[queue->parked_on] = 0;
        check_wake_one(checker, queue);
    }
}

/* Of what a wait needs, the first that was not carried out yet. CHECK_NONE: all was. */
static uint32_t missing(const struct checker *checker)
{
    for (size_t i = 0; i < checker->needs.count; i++)
        if (!checker->marks.items[checker->needs.items[i]].done)
            return checker->needs.items[i];
    return CHECK_NONE;
}

static void force(struct checker *checker, struct check_queue *queue, uint32_t number,
                  uint32_t observer, unsigned depth);

/* What a wait that was seen passed cannot do without is carried out too. */
static enum check_passing force_needs(struct checker *checker, const struct check_signal *signal,
                                      struct check_queue *queue, uint32_t observer, unsigned depth)
{
    for (;;) {
        enum check_passing passing = check_count_needs(checker, signal, queue, queue->parked_on);
        uint32_t number = missing(checker);
        if (number == CHECK_NONE || observer == CHECK_NONE)
            return passing;
        struct check_queue *by = checker->marks.items[number].queue;
        if (!by->forcing && depth < FORCE_DEPTH)
            force(checker, by, checker->marks.items[number].number, observer, depth + 1);
        if (!checker->marks.items[number].done) {
            struct check_mark *mark = &checker->marks.items[number];
            mark->done = mark->order_unknown = mark->unsure = true;
        }
    }
}

static void blame_count(struct checker *checker, const struct check_queue *queue, uint32_t op,
                        uint32_t observer)
{
    const twin_op *wait = &checker->ops.items[op];
    if (queue->troubled || checker->troubled || (wait->timed && wait->task_status != TWIN_OK))
        return;
    check_find(
        checker, CHECK_ORD_05, op, observer,
        "the host saw the wait passed, and no order of the changes that had been queued gives a "
        "count that lets it pass");
}

/* The wait for a count at which a queue is passes, after all that it needs. Without an observer
 * that was not seen, and it may have to stay. */
static bool pass_count(struct checker *checker, struct check_queue *queue, uint32_t observer,
                       unsigned depth)
{
    uint32_t op = queue->parked_on;
    const struct check_signal *signal = check_signal_find(checker, checker->ops.items[op].object);
    enum check_passing passing = force_needs(checker, signal, queue, observer, depth);
    if (observer == CHECK_NONE && (passing == CHECK_CANNOT_PASS || missing(checker) != CHECK_NONE))
        return false;
    checker->judged[CHECK_ORD_05] += observer != CHECK_NONE;
    if (passing == CHECK_CANNOT_PASS)
        blame_count(checker, queue, op, observer);
    check_times_task(checker, queue, op, NULL);
    while (checker->needs.count > 0 && missing(checker) == CHECK_NONE &&
           !checker->short_of_memory) {
        for (size_t i = 0; i < checker->needs.count; i++) {
            struct check_mark *mark = &checker->marks.items[checker->needs.items[i]];
            mark->waits++;
            check_times_after(checker, queue, op, mark);
            check_take_over(checker, queue, mark);
        }
        /* who knows more may see that he needs more */
        passing = force_needs(checker, signal, queue, observer, depth);
    }
    queue->order_unknown = queue->order_unknown || passing != CHECK_PASSES;
    if (checker->links.items[op] != CHECK_NONE) /* it clears the count */
        check_set_mark(checker, queue, op, &queue->earliest_begin);
    unpark(checker, queue);
    queue->carried++;
    return true;
}

void check_counts_finish(struct checker *checker)
{
    for (bool moved = true; moved && !checker->short_of_memory;) {
        moved = false;
        for (size_t i = 0; i < checker->all_queues.count; i++) {
            struct check_queue *queue = checker->all_queues.items[i];
            while (queue->parking == CHECK_ON_COUNT && pass_count(checker, queue, CHECK_NONE, 0)) {
                moved = true;
                run(checker, queue);
                check_carry_on(checker);
            }
        }
    }
    for (size_t i = 0; i < checker->all_queues.count; i++) {
        struct check_queue *queue = checker->all_queues.items[i];
        if (queue->parking == CHECK_ON_COUNT)
            check_count_hangs(checker, queue);
    }
}

/* Whatever the queue is parked on, it passes. */
static void push_on(struct checker *checker, struct check_queue *queue, uint32_t observer,
                    unsigned depth)
{
    uint32_t op = queue->work.items[queue->carried - queue->first];
    if (queue->parking == CHECK_ON_COUNT) {
        (void)pass_count(checker, queue, observer, depth);
        return;
    }
    if (queue->parking == CHECK_ON_MARK) {
        uint32_t number = queue->parked_on;
        struct check_queue *recorder = checker->marks.items[number].queue;
        if (recorder && !recorder->forcing && depth < FORCE_DEPTH) {
            force(checker, recorder, checker->marks.items[number].number, observer, depth + 1);
            if (queue->parking == CHECK_RUNS)
                return;
        } else {
            blame_wait(checker, queue, op, observer);
        }
        unpark(checker, queue);
        checker->links.items[op] = CHECK_NONE;
        check_mark_drop(checker, number);
    } else {
        unpark(checker, queue);
        checker->links.items[op] = 0;
    }
    queue->order_unknown = queue->unsure = true;
}

static void force(struct checker *checker, struct check_queue *queue, uint32_t number,
                  uint32_t observer, unsigned depth)
{
    queue->forcing = true;
    while (queue->carried < number && !checker->short_of_memory) {
        if (queue->parking != CHECK_RUNS)
            push_on(checker, queue, observer, depth);
        run(checker, queue);
    }
    queue->forcing = false;
}

void check_force(struct checker *checker, struct check_queue *queue, uint32_t number, uint32_t op)
{
    force(checker, queue, number, op, 0);
    check_carry_on(checker);
}

void check_queues_free(struct checker *checker)
{
    for (struct check_queue *queue = checker->queues; queue; queue = queue->hh.next) {
        clock_drop(queue->clock);
        clock_drop(queue->earlier);
        free(queue->work.items);
        free(queue->joins.items);
        free(queue->tasks.items);
    }
    HASH_FREE_ALL(checker->queues);
    free(checker->all_queues.items);
    for (size_t i = 0; i < checker->clock_slots.count; i++)
        free(checker->clock_slots.items[i].known.items);
    free(checker->clock_slots.items);
    free(checker->free_clock_slots.items);
    free(checker->woken.items);
    free(checker->stopping.items);
    free(checker->runs.items);
    free(checker->order.items);
}
