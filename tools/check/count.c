/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies: which changes a wait cannot do without.
 *
 * No recording shows which change let a wait pass, so no pairing is guessed. A change comes before
 * a wait if the wait could not pass without it, whatever else happened and in whichever order: then
 * every run has it there. So a wait stays where it is until the host has seen it passed, for up to
 * then others may be asked for that would do as well. What is known to come before a set, a reset
 * or a wait that clears no longer counts for a stream that comes after.
 *
 * Where the changes that are found necessary are enough, they are all the order there is. Where
 * they are not, one of several must have come, and the stream is left unjudged for races until the
 * host waits for it. */
#include <stdlib.h>

#include "check/state.h"
#include "check/tally.h"
#include "seam/types.h"

#define KILLERS_MOST 8u   /* sets of other streams that one wait looks beyond */
#define QUEUES_MOST  256u /* with more it is not looked who is stuck */

struct change {
    uint32_t number; /* in its queue */
    uint32_t op, mark;
    uint32_t sets; /* place of the newest change up to here that sets, from 1; 0: none */
};

/* The changes of one clock index, in the order of its queues. */
struct lane {
    uint32_t clock_index;
    LIST_OF(struct change) changes;
    struct tally_row row;
    /* for the wait that is looked at: what counts begins there; surely comes before; may come
     * before */
    size_t from, known, end;
};

struct check_count {
    LIST_OF(struct lane) lanes;
    LIST_OF(struct tally) others; /* of what may come, of all lanes after each */
    struct tally_bases bases;
    struct tally sure;
};

void check_count_free(struct check_count *count)
{
    for (size_t i = 0; count && i < count->lanes.count; i++) {
        free(count->lanes.items[i].changes.items);
        tally_row_free(&count->lanes.items[i].row);
    }
    if (count) {
        free(count->lanes.items);
        free(count->others.items);
    }
    free(count);
}

static struct lane *lane_of(struct check_count *count, uint32_t clock_index)
{
    for (size_t i = 0; i < count->lanes.count; i++)
        if (count->lanes.items[i].clock_index == clock_index)
            return &count->lanes.items[i];
    if (!LIST_ADD(&count->others, (struct tally){0}) ||
        !LIST_ADD(&count->lanes, (struct lane){.clock_index = clock_index}))
        return NULL;
    return &count->lanes.items[count->lanes.count - 1];
}

static bool is_known_kind(const twin_op *op)
{
    return op->kind == TWIN_OP_COUNT ? op->count.mode <= TWIN_COUNT_AND
                                     : op->count.relation <= TWIN_COUNT_MASK;
}

void check_count_bind(struct checker *checker, struct check_signal *signal,
                      struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    if (signal->kind != TWIN_SIGNAL_COUNT || !is_known_kind(work))
        check_signal_leave(checker, signal);
    checker->links.items[op] = signal->unjudged ? 0 : CHECK_NONE;
    checker->judged[CHECK_LIFE_07] += !signal->unjudged && work->kind == TWIN_OP_WAIT_COUNT;
    if (signal->unjudged || (work->kind == TWIN_OP_WAIT_COUNT && !work->count.clear))
        return;
    if (!signal->count)
        signal->count = calloc(1, sizeof(*signal->count));
    struct lane *lane = signal->count ? lane_of(signal->count, queue->clock_index) : NULL;
    uint32_t number = lane ? check_mark_new(checker) : 0;
    struct tally tally = tally_of(work);
    if (number == 0 || !tally_row_add(&lane->row, tally)) {
        checker->short_of_memory = true;
        return;
    }
    struct check_mark *mark = &checker->marks.items[number];
    check_mark_set(mark, queue, op);
    mark->holders = 2; /* the change, and this list */
    checker->links.items[op] = number;
    uint32_t at = (uint32_t)lane->changes.count;
    uint32_t before = at > 0 ? lane->changes.items[at - 1].sets : 0;
    CHECK_ADD(checker, &lane->changes,
              (struct change){.number = queue->submitted,
                              .op = op,
                              .mark = number,
                              .sets = tally.has_set ? at + 1 : before});
}

/* ---- what one wait has before it ---- */

/* Changes of a lane up to a count. */
static size_t upto(const struct lane *lane, uint32_t number)
{
    return PARTITION_POINT(lane->changes.count, i, lane->changes.items[i].number <= number);
}

/* Place of the newest change that sets, of those that surely come before; 0: none does. */
static uint32_t newest_set(const struct lane *lane)
{
    return lane->known > 0 ? lane->changes.items[lane->known - 1].sets : 0;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Changes that have yet to come of a lane, when those of streams that are stuck cannot. */
static size_t last_free(const struct checker *checker, const struct lane *lane, bool but_stuck)
{
    const struct check_queue *queue = checker->clock_slots.items[lane->clock_index].queue;
    return but_stuck && queue->stuck ? upto(lane, queue->carried) : lane->changes.count;
}

/* What surely comes before the wait at which a queue is, and what may. */
static void find_known(const struct checker *checker, struct check_count *count,
                       const struct check_queue *queue, const twin_op *wait, bool but_stuck)
{
    uint64_t seq = wait->begin_seq > queue->host_seen_at ? wait->begin_seq : queue->host_seen_at;
    for (size_t i = 0; i < count->lanes.count; i++) {
        struct lane *lane = &count->lanes.items[i];
        bool own = lane->clock_index == queue->clock_index;
        uint32_t known = own ? queue->carried
                             : higher(clock_at(queue->clock, lane->clock_index),
                                      check_known_at(checker, lane->clock_index, seq));
        lane->known = upto(lane, known);
        size_t last = own ? lane->known : last_free(checker, lane, but_stuck);
        lane->end = last > lane->known ? last : lane->known;
        lane->from = newest_set(lane);
        lane->from -= lane->from > 0; /* the one that sets counts */
    }
}

/* Leaves out what comes before a change that sets and surely comes before the wait. */
static void leave_out(const struct checker *checker, struct check_count *count)
{
    unsigned killers = 0;
    for (size_t i = 0; i < count->lanes.count && killers < KILLERS_MOST; i++) {
        const struct lane *by = &count->lanes.items[i];
        uint32_t sets = newest_set(by);
        if (sets == 0)
            continue;
        const struct check_mark *mark = &checker->marks.items[by->changes.items[sets - 1].mark];
        killers++;
        for (size_t k = 0; k < count->lanes.count; k++) {
            struct lane *lane = &count->lanes.items[k];
            if (k == i || !mark->done)
                continue;
            size_t known =
                upto(lane, higher(clock_at(mark->clock, lane->clock_index),
                                  check_known_at(checker, lane->clock_index, mark->host_seen_at)));
            if (lane->from < known)
                lane->from = known < lane->known ? known : lane->known;
        }
    }
}

static bool begins_with_set(const struct lane *lane)
{
    return lane->from < lane->known && lane->changes.items[lane->from].sets == lane->from + 1;
}

/* From what the count may have started. */
static void find_bases(const struct checker *checker, struct check_count *count)
{
    bool set = false;
    count->bases = (struct tally_bases){0};
    count->sure = (struct tally){0};
    for (size_t i = 0; i < count->lanes.count; i++) {
        const struct lane *lane = &count->lanes.items[i];
        struct tally sure = tally_row_range(&lane->row, lane->from, lane->known);
        count->sure = tally_both(count->sure, sure);
        set |= newest_set(lane) > 0;
        if (begins_with_set(lane))
            tally_bases_add(
                &count->bases,
                tally_change(&checker->ops.items[lane->changes.items[lane->from].op], 0), &sure);
    }
    if (!set)
        tally_bases_add(&count->bases, 0, &count->sure);
}

static bool may_pass(const struct check_count *count, const twin_op *wait, struct tally free)
{
    return tally_may_pass(wait, &count->bases, &count->sure, &free);
}

/* The fewest changes of a lane with which the wait might pass, when those of all others are
 * there. */
static size_t fewest(const struct check_count *count, const struct lane *lane, const twin_op *wait,
                     const struct tally *others)
{
    return lane->known +
           PARTITION_POINT(lane->end - lane->known, more,
                           !may_pass(count, wait,
                                     tally_both(*others, tally_row_range(&lane->row, lane->known,
                                                                         lane->known + more))));
}

/* Whether what surely comes before is enough, if nothing else comes: then nothing else need come.
 * Only where the order in which it came cannot matter. */
static bool is_enough(const struct checker *checker, const struct check_count *count,
                      const twin_op *wait)
{
    const struct lane *only = NULL;
    unsigned lanes = 0;
    unsigned bases = 0;
    uint32_t value = 0;
    for (size_t i = 0; i < count->lanes.count; i++) {
        const struct lane *lane = &count->lanes.items[i];
        if (lane->from == lane->known)
            continue;
        lanes++;
        only = lane;
        if (!begins_with_set(lane))
            continue;
        bases++;
        value = tally_change(&checker->ops.items[lane->changes.items[lane->from].op], 0);
    }
    const struct tally *sure = &count->sure;
    unsigned modes = (sure->added > 0) + (sure->ored > 0) + sure->has_and;
    if (lanes == 1 && modes > 1 && only->known - only->from <= 64) {
        for (size_t i = only->from; i < only->known; i++)
            value = tally_change(&checker->ops.items[only->changes.items[i].op], value);
        return tally_holds(wait, value);
    }
    if (bases > 1 || modes > 1)
        return false;
    value = (uint32_t)(value + sure->added);
    value = (value | sure->ors) & ~sure->ands;
    return tally_holds(wait, value);
}

static void look_before(const struct checker *checker, struct check_count *count,
                        const struct check_queue *queue, const twin_op *wait, bool but_stuck)
{
    find_known(checker, count, queue, wait, but_stuck);
    leave_out(checker, count);
    find_bases(checker, count);
}

/* The tally of all that may come, except one lane, for each lane in turn: those before it in
 * `before`, those after it in `others`. */
static struct tally sum_others(struct check_count *count)
{
    struct tally after = {0};
    for (size_t i = count->lanes.count; i-- > 0;) {
        const struct lane *lane = &count->lanes.items[i];
        count->others.items[i] = after;
        after = tally_both(after, tally_row_range(&lane->row, lane->known, lane->end));
    }
    return after;
}

/* ---- who is stuck until the wait passes ---- */

static bool is_stuck(const struct checker *checker, const struct check_queue *queue)
{
    if (queue->parking == CHECK_ON_MARK) {
        const struct check_mark *mark = &checker->marks.items[queue->parked_on];
        return mark->op != CHECK_NONE && mark->queue->stuck;
    }
    if (queue->parking != CHECK_ON_COUNT)
        return false;
    const twin_op *wait = &checker->ops.items[queue->parked_on];
    const struct check_signal *signal =
        check_signal_find((struct checker *)(uintptr_t)checker, wait->object);
    if (!signal->count)
        return !tally_holds(wait, 0);
    look_before(checker, signal->count, queue, wait, true);
    return !may_pass(signal->count, wait, sum_others(signal->count));
}

/* Marks the queue, and those that wait for what comes after its wait. False: there are too many to
 * look. */
static bool find_stuck(const struct checker *checker, struct check_queue *first)
{
    size_t count = checker->all_queues.count;
    if (count > QUEUES_MOST)
        return false;
    for (size_t i = 0; i < count; i++)
        checker->all_queues.items[i]->stuck = checker->all_queues.items[i] == first;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            struct check_queue *queue = checker->all_queues.items[i];
            if (queue->stuck || !is_stuck(checker, queue))
                continue;
            queue->stuck = more = true;
        }
    }
    return true;
}

/* ---- what it needs ---- */

static void find_needs(struct checker *checker, struct check_count *count, const twin_op *wait)
{
    struct tally before = {0};
    checker->needs.count = 0;
    for (size_t i = 0; i < count->lanes.count; i++) {
        const struct lane *lane = &count->lanes.items[i];
        struct tally others = tally_both(before, count->others.items[i]);
        size_t needed = fewest(count, lane, wait, &others);
        before = tally_both(before, tally_row_range(&lane->row, lane->known, lane->end));
        if (needed == lane->known)
            continue;
        CHECK_ADD(checker, &checker->needs, lane->changes.items[needed - 1].mark);
    }
}

enum check_passing check_count_needs(struct checker *checker, const struct check_signal *signal,
                                     struct check_queue *queue, uint32_t op)
{
    const twin_op *wait = &checker->ops.items[op];
    struct check_count *count = signal->count;
    checker->needs.count = 0;
    if (!count) /* it was never changed */
        return tally_holds(wait, 0) ? CHECK_PASSES : CHECK_CANNOT_PASS;
    look_before(checker, count, queue, wait, false);
    if (!may_pass(count, wait, sum_others(count)))
        return CHECK_CANNOT_PASS;
    find_needs(checker, count, wait);
    if (checker->needs.count > 0)
        return CHECK_MAY_PASS;
    if (is_enough(checker, count, wait))
        return CHECK_PASSES;
    /* fewer may come into question than it seems */
    if (!find_stuck(checker, queue))
        return CHECK_MAY_PASS;
    look_before(checker, count, queue, wait, true);
    if (may_pass(count, wait, sum_others(count)))
        find_needs(checker, count, wait);
    return CHECK_MAY_PASS;
}

bool check_count_blocks(struct checker *checker, struct check_queue *queue)
{
    uint32_t op = queue->parked_on;
    const struct check_signal *signal = check_signal_find(checker, checker->ops.items[op].object);
    return check_count_needs(checker, signal, queue, op) == CHECK_CANNOT_PASS;
}

void check_count_hangs(struct checker *checker, struct check_queue *queue)
{
    uint32_t op = queue->parked_on;
    const twin_op *wait = &checker->ops.items[op];
    const struct check_signal *signal = check_signal_find(checker, wait->object);
    if (queue->troubled || checker->troubled || checker->facts.partial ||
        !check_count_blocks(checker, queue))
        return;
    check_find(
        checker, checker->facts.broken_off ? CHECK_LIFE_12 : CHECK_LIFE_07, op, CHECK_NONE,
        "no order of the changes of counting notify %u gives a count that lets this wait pass",
        (unsigned)signal->name);
}
