/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

#define WORST 10u

static bool has_length(const twin_op *op)
{
    return op->timed && op->task_begin_ns != 0 && op->task_end_ns >= op->task_begin_ns;
}

static void measure_spans(struct compare_result *result)
{
    for (int which = 0; which < 2; which++) {
        const struct twin_ops *ops = &result->side[which].ops;
        uint64_t begin = UINT64_MAX;
        uint64_t end = 0;
        for (size_t i = 0; i < ops->count; i++) {
            if (!has_length(&ops->list[i]))
                continue;
            if (begin > ops->list[i].task_begin_ns)
                begin = ops->list[i].task_begin_ns;
            if (end < ops->list[i].task_end_ns)
                end = ops->list[i].task_end_ns;
        }
        result->span_ns[which] = end > begin ? end - begin : 0;
    }
}

static bool look_at_pairs(struct compare_result *result)
{
    for (size_t i = 0; i < result->pairs.count; i++) {
        const twin_op *a = compare_op(result, 0, i);
        const twin_op *b = compare_op(result, 1, i);
        if (a->status != b->status && !compare_is_poll(a) && !LIST_ADD(&result->answers, i))
            return false;
        if (!twin_op_is_work(a->kind))
            continue;
        if (!has_length(a) || !has_length(b))
            result->untimed++;
        else if (!LIST_ADD(&result->timed, i))
            return false;
    }
    return true;
}

static int by_value(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;
    return ORDER(*a, *b);
}

/* Nearest rank. */
static double quantile(const double *sorted, size_t count, unsigned percent)
{
    size_t rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

static bool measure_kinds(struct compare_result *result)
{
    double *ratios = malloc((result->timed.count + 1) * sizeof(*ratios));
    result->kinds = calloc(TWIN_OP_KINDS, sizeof(*result->kinds));
    if (!ratios || !result->kinds) {
        free(ratios);
        return false;
    }
    for (uint32_t kind = 0; twin_op_is_work(kind); kind++) {
        size_t count = 0;
        for (size_t i = 0; i < result->timed.count; i++) {
            const twin_op *a = compare_op(result, 0, result->timed.items[i]);
            const twin_op *b = compare_op(result, 1, result->timed.items[i]);
            if (a->kind == kind && compare_length(a) > 0)
                ratios[count++] = (double)compare_length(b) / (double)compare_length(a);
        }
        if (count == 0)
            continue;
        qsort(ratios, count, sizeof(*ratios), by_value);
        result->kinds[result->kind_count++] = (struct compare_kind){
            .kind = kind,
            .count = count,
            .median = quantile(ratios, count, 50),
            .p5 = quantile(ratios, count, 5),
            .p95 = quantile(ratios, count, 95),
            .min = ratios[0],
            .max = ratios[count - 1],
        };
    }
    free(ratios);
    return true;
}

static uint64_t difference(const struct compare_result *result, size_t pair)
{
    uint64_t a = compare_length(compare_op(result, 0, pair));
    uint64_t b = compare_length(compare_op(result, 1, pair));
    return a > b ? a - b : b - a;
}

/* A wait's length is what it waited for: not its own doing. */
static bool is_wait(uint32_t kind)
{
    return kind == TWIN_OP_WAIT || kind == TWIN_OP_WAIT_COUNT || kind == TWIN_OP_WAIT_VALUE;
}

static bool find_worst(struct compare_result *result)
{
    for (size_t i = 0; i < result->timed.count; i++) {
        size_t pair = result->timed.items[i];
        uint64_t far = difference(result, pair);
        if (far == 0 || is_wait(compare_op(result, 0, pair)->kind))
            continue;
        struct compare_list *worst = &result->worst;
        if (worst->count == WORST && difference(result, worst->items[WORST - 1]) >= far)
            continue;
        if (worst->count < WORST && !LIST_ADD(worst, pair))
            return false;
        size_t at = worst->count - 1;
        while (at > 0 && difference(result, worst->items[at - 1]) < far) {
            worst->items[at] = worst->items[at - 1];
            at--;
        }
        worst->items[at] = pair;
    }
    return true;
}

bool compare_recordings(struct compare_result *result)
{
    if (!twin_ops_load(result->side[0].recording, &result->side[0].ops) ||
        !twin_ops_load(result->side[1].recording, &result->side[1].ops))
        return false;
    measure_spans(result);
    return compare_pair_ops(result) && look_at_pairs(result) && measure_kinds(result) &&
           find_worst(result) && compare_instances(result) && compare_order(result);
}

void compare_free(struct compare_result *result)
{
    for (int which = 0; which < 2; which++) {
        twin_ops_free(&result->side[which].ops);
        free(result->only[which].items);
        compare_free_lanes(&result->side[which]);
    }
    free(result->pairs.items);
    free(result->answers.items);
    free(result->timed.items);
    free(result->kinds);
    free(result->instances.items);
    free(result->worst.items);
}

bool compare_is_same(const struct compare_result *result)
{
    return result->only[0].count == 0 && result->only[1].count == 0 && result->answers.count == 0 &&
           result->swapped == 0;
}

bool compare_is_whole(const struct compare_result *result)
{
    return !result->side[0].ops.partial && !result->side[1].ops.partial;
}
