/* SPDX-License-Identifier: Apache-2.0 */
/* Times of the work on a counting notify: some order of it must fit them. Each piece acts at one
 * instant between its begin and its end, a wait at one at which its relation holds. What the count
 * may be is followed from piece to piece: pieces that overlap may have acted in any order, so there
 * may be several answers; when a wait ends and none has it passed, it passed on what was not
 * there. */
#include <stdlib.h>

#include "check/state.h"
#include "check/tally.h"

#define OPEN_MOST   64u   /* pieces that overlap */
#define STATES_MOST 2048u /* answers; with more than that a signal is left unjudged from there on */
#define SLOTS       (4u * STATES_MOST)

struct moment {
    uint64_t ns;
    const twin_op *op;
    bool end;
};

/* One answer: the count, and which of the pieces that are open have acted. */
struct answer {
    uint64_t acted;
    uint32_t count;
};

struct answers {
    struct answer items[STATES_MOST];
    uint32_t count;
    uint32_t slots[SLOTS];      /* number of the answer, from 1 */
    uint32_t slot[STATES_MOST]; /* of each answer */
    bool full;
};

struct sweep {
    const twin_op *open[OPEN_MOST];
    uint64_t is_open;
    struct answers *now, *next;
};

static void forget(struct answers *answers)
{
    while (answers->count > 0)
        answers->slots[answers->slot[--answers->count]] = 0;
}

static void add(struct answers *answers, struct answer answer)
{
    uint64_t key = (answer.acted ^ answer.count) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(key >> 40) % SLOTS;
    for (; answers->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        const struct answer *there = &answers->items[answers->slots[slot] - 1];
        if (there->acted == answer.acted && there->count == answer.count)
            return;
    }
    if (answers->count == STATES_MOST) {
        answers->full = true;
        return;
    }
    answers->slot[answers->count] = slot;
    answers->items[answers->count++] = answer;
    answers->slots[slot] = answers->count;
}

static bool only_looks(const twin_op *op)
{
    return op->kind == TWIN_OP_WAIT_COUNT && !op->count.clear;
}

/* Who waits and changes nothing passes as soon as it can: that is as good as later. */
static struct answer let_pass(const struct sweep *sweep, struct answer answer)
{
    for (uint64_t left = sweep->is_open & ~answer.acted; left != 0; left &= left - 1) {
        const twin_op *op = sweep->open[__builtin_ctzll(left)];
        if (only_looks(op) && tally_holds(op, answer.count))
            answer.acted |= left & (~left + 1);
    }
    return answer;
}

/* A piece begins. False: too many are open. */
static bool begin(struct sweep *sweep, const twin_op *op)
{
    if (sweep->is_open == UINT64_MAX)
        return false;
    unsigned place = (unsigned)__builtin_ctzll(~sweep->is_open);
    sweep->open[place] = op;
    sweep->is_open |= UINT64_C(1) << place;
    for (uint32_t i = 0; only_looks(op) && i < sweep->now->count; i++)
        if (tally_holds(op, sweep->now->items[i].count))
            sweep->now->items[i].acted |= UINT64_C(1) << place;
    return true;
}

/* What one more piece that acts makes of an answer, each in turn. */
static void extend(const struct sweep *sweep, struct answer answer, struct answers *out)
{
    for (uint64_t left = sweep->is_open & ~answer.acted; left != 0; left &= left - 1) {
        const twin_op *op = sweep->open[__builtin_ctzll(left)];
        if (only_looks(op) || (op->kind == TWIN_OP_WAIT_COUNT && !tally_holds(op, answer.count)))
            continue;
        struct answer after = {.acted = answer.acted | (left & (~left + 1)),
                               .count = tally_change(op, answer.count)};
        add(out, let_pass(sweep, after));
    }
}

/* A piece ends, so it has acted: leaves the answers in which it has. False: there are none, or too
 * many. */
static bool end(struct sweep *sweep, const twin_op *op)
{
    unsigned place = 0;
    while (!(sweep->is_open >> place & 1) || sweep->open[place] != op)
        place++;
    uint64_t bit = UINT64_C(1) << place;
    /* grows after the place that is looked at */
    for (uint32_t i = 0; i < sweep->now->count && !sweep->now->full; i++)
        if ((sweep->now->items[i].acted & bit) == 0)
            extend(sweep, sweep->now->items[i], sweep->now);
    forget(sweep->next);
    sweep->is_open &= ~bit;
    for (uint32_t i = 0; i < sweep->now->count; i++) {
        struct answer answer = sweep->now->items[i];
        if ((answer.acted & bit) == 0)
            continue;
        answer.acted &= ~bit;
        add(sweep->next, answer);
    }
    struct answers *swap = sweep->now;
    sweep->now = sweep->next;
    sweep->next = swap;
    return sweep->now->count > 0 && !swap->full;
}

static int by_time(const void *left, const void *right)
{
    const struct moment *a = left;
    const struct moment *b = right;
    return ORDER_3(a->ns, b->ns, a->end, b->end, a->op, b->op);
}

/* The first change that begins after that moment. */
static uint32_t change_after(const struct checker *checker, const struct moment *moments,
                             size_t count, size_t at)
{
    for (; at < count; at++)
        if (!moments[at].end && moments[at].op->kind == TWIN_OP_COUNT)
            return (uint32_t)(moments[at].op - checker->ops.items);
    return CHECK_NONE;
}

static void judge(struct checker *checker, const struct moment *moments, size_t count,
                  struct sweep *sweep)
{
    for (size_t i = 0; i < count; i++) {
        const twin_op *op = moments[i].op;
        if (!moments[i].end) {
            if (!begin(sweep, op))
                return;
            continue;
        }
        bool wait = op->kind == TWIN_OP_WAIT_COUNT;
        bool good = end(sweep, op);
        checker->judged[CHECK_ORD_05] += wait;
        if (good)
            continue;
        if (wait && sweep->now->count == 0 && !sweep->next->full)
            check_find(checker, CHECK_ORD_05, change_after(checker, moments, count, i + 1),
                       (uint32_t)(op - checker->ops.items),
                       "no order of the changes that had begun by then gives a count that lets the "
                       "wait pass");
        return;
    }
}

/* Their begins and ends. 0: there is nothing to judge, or not all of it has times. */
static size_t find_moments(const struct checker *checker, const struct check_signal *signal,
                           struct moment *moments)
{
    size_t count = 0;
    bool waits = false;
    for (size_t i = 0; i < signal->ops.count; i++) {
        const twin_op *op = &checker->ops.items[signal->ops.items[i]];
        bool known = op->timed && op->task_begin_ns != 0 && op->task_begin_ns <= op->task_end_ns;
        if (!known && only_looks(op))
            continue;
        if (!known)
            return 0;
        moments[count++] = (struct moment){.ns = op->task_begin_ns, .op = op};
        moments[count++] = (struct moment){.ns = op->task_end_ns, .op = op, .end = true};
        waits |= op->kind == TWIN_OP_WAIT_COUNT;
    }
    return waits ? count : 0;
}

void check_times_count(struct checker *checker, const struct check_signal *signal)
{
    struct moment *moments = malloc((2 * signal->ops.count + 1) * sizeof(*moments));
    struct answers *answers = calloc(2, sizeof(*answers));
    size_t count = 0;
    checker->short_of_memory |= !moments || !answers;
    if (moments && answers)
        count = find_moments(checker, signal, moments);
    if (count > 0) {
        struct sweep sweep = {.now = &answers[0], .next = &answers[1]};
        qsort(moments, count, sizeof(*moments), by_time);
        add(sweep.now, (struct answer){0});
        judge(checker, moments, count, &sweep);
    }
    free(moments);
    free(answers);
}
