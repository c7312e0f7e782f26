/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that come one after the other in A, and the other way round in B. Counted with a tree of
 * sums over the begins in B, so in n log n. A wait for a count is the moment at which it passes:
 * which changes come before that is what may be another order; when it began to wait says
 * nothing. */
#include <stdlib.h>

#include "compare/compare.h"

struct task {
    size_t pair;
    uint64_t begin[2], end[2];
    size_t rank; /* of its begin in B, from 1 */
};

static int by_begin_a(const void *left, const void *right)
{
    const struct task *x = left;
    const struct task *y = right;
    return ORDER_2(x->begin[0], y->begin[0], x->pair, y->pair);
}

static int by_end_a(const void *left, const void *right)
{
    const struct task *const *x = left;
    const struct task *const *y = right;
    /* what takes no time last */
    return ORDER_3((*x)->end[0], (*y)->end[0], (*x)->begin[0], (*y)->begin[0], *x, *y);
}

static int by_begin_b(const void *left, const void *right)
{
    const struct task *const *x = left;
    const struct task *const *y = right;
    return ORDER_2((*x)->begin[1], (*y)->begin[1], *x, *y);
}

static void add(uint64_t *sums, size_t count, size_t rank)
{
    for (; rank <= count; rank += rank & (~rank + 1))
        sums[rank]++;
}

static uint64_t sum(const uint64_t *sums, size_t rank)
{
    uint64_t total = 0;
    for (; rank > 0; rank -= rank & (~rank + 1))
        total += sums[rank];
    return total;
}

/* Tasks, of those sorted by their begin in B, that begin before `ns`. */
static size_t begun_before(struct task *const *tasks, size_t count, uint64_t ns)
{
    return PARTITION_POINT(count, i, tasks[i]->begin[1] < ns);
}

static void sweep(struct compare_result *result, struct task *tasks, size_t count,
                  struct task **ended, struct task **in_b, uint64_t *sums)
{
    size_t next = 0;
    const struct task *latest = NULL; /* in B, of those that had ended in A */
    for (size_t i = 0; i < count; i++) {
        struct task *now = &tasks[i];
        while (next < count && ended[next]->end[0] <= now->begin[0] &&
               ended[next]->begin[0] < now->begin[0]) {
            add(sums, count, ended[next]->rank);
            if (!latest || latest->begin[1] < ended[next]->begin[1])
                latest = ended[next];
            next++;
        }
        /* two that take no time at one instant are in no order */
        uint64_t from = now->end[1] > now->begin[1] ? now->end[1] : now->begin[1] + 1;
        uint64_t before = sum(sums, begun_before(in_b, count, from));
        uint64_t after = sum(sums, count) - before;
        result->swapped += after;
        if (after > 0 && latest &&
            result->swap_count < sizeof(result->swaps) / sizeof(result->swaps[0]))
            result->swaps[result->swap_count++] =
                (struct compare_pair){.a = latest->pair, .b = now->pair};
    }
}

bool compare_order(struct compare_result *result)
{
    size_t count = result->timed.count;
    struct task *tasks = calloc(count + 1, sizeof(*tasks));
    struct task **ended = calloc(count + 1, sizeof(*ended));
    struct task **in_b = calloc(count + 1, sizeof(*in_b));
    uint64_t *sums = calloc(count + 2, sizeof(*sums));
    bool good = tasks && ended && in_b && sums;
    for (size_t i = 0; good && i < count; i++) {
        const twin_op *a = compare_op(result, 0, result->timed.items[i]);
        const twin_op *b = compare_op(result, 1, result->timed.items[i]);
        bool passes = a->kind == TWIN_OP_WAIT_COUNT;
        tasks[i] = (struct task){.pair = result->timed.items[i],
                                 .begin = {passes ? a->task_end_ns : a->task_begin_ns,
                                           passes ? b->task_end_ns : b->task_begin_ns},
                                 .end = {a->task_end_ns, b->task_end_ns}};
    }
    if (good && count > 0) {
        qsort(tasks, count, sizeof(*tasks), by_begin_a);
        for (size_t i = 0; i < count; i++)
            ended[i] = in_b[i] = &tasks[i];
        qsort(ended, count, sizeof(*ended), by_end_a);
        qsort(in_b, count, sizeof(*in_b), by_begin_b);
        for (size_t i = 0; i < count; i++)
            in_b[i]->rank = i + 1;
        sweep(result, tasks, count, ended, in_b, sums);
    }
    free(tasks);
    free(ended);
    free(in_b);
    free(sums);
    return good;
}
