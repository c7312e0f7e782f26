/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a recording, for the checker. */
#include <stdlib.h>

#include "check/checker.h"
#include "recording/containers.h"

struct turn {
    uint64_t key;
    size_t op;
};

static int by_key(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    return ORDER_2(a->key, b->key, a->op, b->op);
}

/* Releases and what follows them come after the ops, by their numbers. */
static void feed_edge(const struct twin_ops *ops, size_t number, struct checker *checker)
{
    const struct twin_op_edge *edge = &ops->edges.items[number / 2];
    if (number % 2 == 0)
        checker_release(checker, edge->releaser, edge->of_seq);
    else
        checker_follow(checker, edge->thread, edge->of_seq);
}

struct checker *check_ops(const struct twin_ops *ops)
{
    const struct checker_facts facts = {.whole = ops->whole,
                                        .partial = ops->partial,
                                        .broken_off = !ops->whole,
                                        .threads_apart = ops->threads_apart,
                                        .calls = ops->calls};
    struct checker *checker = checker_new(&facts);
    size_t edges = ops->threads_apart ? ops->edges.count : 0;
    size_t count = ops->count + 2 * edges;
    struct turn *turns = malloc((count + 1) * sizeof(*turns));
    bool good = checker && turns;
    bool sorted = edges == 0;
    for (size_t i = 0; good && i < ops->count; i++) {
        turns[i] = (struct turn){.key = check_order_key(&ops->list[i]), .op = i};
        sorted = sorted && (i == 0 || turns[i - 1].key <= turns[i].key);
    }
    for (size_t i = ops->count; good && i < count; i++) {
        size_t number = i - ops->count;
        const struct twin_op_edge *edge = &ops->edges.items[number / 2];
        turns[i] = (struct turn){.key = number % 2 == 0 ? edge->of_seq : edge->seq, .op = i};
    }
    if (good && !sorted)
        qsort(turns, count, sizeof(*turns), by_key);
    for (size_t i = 0; good && i < count; i++) {
        if (turns[i].op < ops->count)
            good = checker_feed(checker, &ops->list[turns[i].op]);
        else
            feed_edge(ops, turns[i].op - ops->count, checker);
    }
    free(turns);
    if (good && checker_finish(checker))
        return checker;
    checker_free(checker);
    return NULL;
}
