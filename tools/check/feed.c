/* SPDX-License-Identifier: Apache-2.0 */
#include "check/feed.h"

#include <stdlib.h>

struct turn {
    uint64_t key;
    size_t op;
};

static int by_key(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

/* Releases and what follows them come behind the ops, by their numbers. */
static void feed_edge(const struct twin_ops *ops, size_t number, struct checker *checker)
{
    const struct twin_op_edge *edge = &ops->edges[number / 2];
    if (number % 2 == 0)
        checker_release(checker, edge->releaser, edge->of_seq);
    else
        checker_follow(checker, edge->thread, edge->of_seq);
}

bool check_ops_feed(const struct twin_ops *ops, struct checker *checker)
{
    size_t edges = ops->threads_apart ? ops->edge_count : 0;
    size_t count = ops->count + 2 * edges;
    struct turn *turns = malloc((count + 1) * sizeof(*turns));
    if (!turns)
        return false;
    bool sorted = edges == 0;
    for (size_t i = 0; i < ops->count; i++) {
        turns[i] = (struct turn){.key = check_order_key(&ops->list[i]), .op = i};
        sorted = sorted && (i == 0 || turns[i - 1].key <= turns[i].key);
    }
    for (size_t i = ops->count; i < count; i++) {
        size_t number = i - ops->count;
        const struct twin_op_edge *edge = &ops->edges[number / 2];
        turns[i] = (struct turn){.key = number % 2 == 0 ? edge->of_seq : edge->seq, .op = i};
    }
    if (!sorted)
        qsort(turns, count, sizeof(*turns), by_key);
    if (ops->whole)
        checker_expect_times(checker);
    if (ops->partial)
        checker_expect_gaps(checker);
    if (!ops->whole)
        checker_break_off(checker);
    if (ops->threads_apart)
        checker_threads_apart(checker);
    checker_count_calls(checker, ops->calls);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        if (turns[i].op < ops->count)
            good = checker_feed(checker, &ops->list[turns[i].op]);
        else
            feed_edge(ops, turns[i].op - ops->count, checker);
    }
    free(turns);
    return good && checker_finish(checker);
}
