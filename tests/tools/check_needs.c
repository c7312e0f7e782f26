/* SPDX-License-Identifier: Apache-2.0 */
#include "check_needs.h"

#include <stdbool.h>

#include "check/tally.h"
#include "seam/types.h"

#define TRIED_MOST 6u /* changes whose every order is tried */

struct round {
    const twin_op *ops;
    const twin_op *wait;
    size_t changes[NEEDS_MOST];
    size_t count;
};

static bool is_of(const twin_op *op, const twin_op *wait)
{
    return (op->kind == TWIN_OP_COUNT || op->kind == TWIN_OP_WAIT_COUNT) && op->status == TWIN_OK &&
           op->end_seq != 0 && op->object == wait->object;
}

/* The changes since the count was 0 last, in the order in which they were asked for. False: they
 * are too many. */
static bool find_round(struct round *round, const twin_op *ops, size_t wait)
{
    size_t from = wait;
    round->ops = ops;
    round->wait = &ops[wait];
    round->count = 0;
    while (from > 0) {
        const twin_op *op = &ops[from - 1];
        bool clears = op->kind == TWIN_OP_COUNT
                          ? op->count.mode == TWIN_COUNT_SET && op->count.value == 0
                          : op->kind == TWIN_OP_WAIT_COUNT && op->count.clear;
        if (is_of(op, &ops[wait]) && clears)
            break;
        from--;
    }
    for (size_t i = from; i < wait; i++) {
        if (!is_of(&ops[i], &ops[wait]) || ops[i].kind != TWIN_OP_COUNT)
            continue;
        if (round->count == NEEDS_MOST)
            return false;
        round->changes[round->count++] = i;
    }
    return true;
}

/* Whether some order of some of the changes lets the wait pass, without those of `left`: bits,
 * which grow as they are used. */
static bool passes(const struct round *round, uint32_t value, unsigned left)
{
    bool own = false; /* the work before the wait in its own stream must have come */
    uint32_t tried[TRIED_MOST];
    size_t streams = 0;
    for (size_t i = 0; i < round->count; i++)
        own |= (left >> i & 1) == 0 && round->ops[round->changes[i]].queue == round->wait->queue;
    if (!own && tally_holds(round->wait, value))
        return true;
    for (size_t i = 0; i < round->count; i++) {
        const twin_op *change = &round->ops[round->changes[i]];
        size_t known = 0;
        while (known < streams && tried[known] != change->queue)
            known++;
        if ((left >> i & 1) != 0 || known < streams)
            continue;
        tried[streams++] = change->queue; /* the first of its stream */
        if (passes(round, tally_change(change, value), left | 1u << i))
            return true;
    }
    return false;
}

static bool is_needed(const struct round *round, size_t which, bool adds, uint64_t total)
{
    const twin_op *change = &round->ops[round->changes[which]];
    unsigned left = 0;
    if (change->queue == round->wait->queue)
        return false;
    if (adds) {
        for (size_t i = which; i < round->count; i++)
            if (round->ops[round->changes[i]].queue == change->queue)
                total -= round->ops[round->changes[i]].count.value;
        return total < UINT32_MAX && !tally_holds(round->wait, (uint32_t)total);
    }
    for (size_t i = which; i < round->count; i++)
        if (round->ops[round->changes[i]].queue == change->queue)
            left |= 1u << i;
    return !passes(round, 0, left);
}

size_t check_needs(const twin_op *ops, size_t wait, size_t out[NEEDS_MOST])
{
    struct round round;
    uint64_t total = 0;
    size_t needs = 0;
    if (!find_round(&round, ops, wait))
        return 0;
    uint32_t relation = ops[wait].count.relation;
    bool adds = relation == TWIN_COUNT_GREATER || relation == TWIN_COUNT_GREATER_OR_EQUAL;
    for (size_t i = 0; i < round.count; i++) {
        adds = adds && ops[round.changes[i]].count.mode == TWIN_COUNT_ADD;
        total += ops[round.changes[i]].count.value;
    }
    if (!adds && round.count > TRIED_MOST)
        return 0;
    for (size_t i = 0; i < round.count; i++)
        if (is_needed(&round, i, adds, total))
            out[needs++] = round.changes[i];
    return needs;
}
