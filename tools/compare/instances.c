/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: which one a stream is bound to, and how long runs take. */
#include <stdlib.h>

#include "compare/compare.h"

struct compare_lane {
    UT_hash_handle hh;
    uint32_t queue;
    uint32_t instance; /* that it is bound to last */
};

uint32_t compare_instance_of(const struct compare_side *side, uint32_t queue)
{
    struct compare_lane *lane = NULL;
    HASH_FIND(hh, side->lanes, &queue, sizeof(queue), lane);
    return lane ? lane->instance : 0;
}

static bool find_lanes(struct compare_side *side)
{
    for (size_t i = 0; i < side->ops.count; i++) {
        const twin_op *op = &side->ops.list[i];
        struct compare_lane *lane = NULL;
        if (op->kind != TWIN_OP_MODEL_INSTANCE_BIND || op->status != TWIN_OK)
            continue;
        HASH_ENSURE(side->lanes, queue, op->queue, lane);
        if (!lane)
            return false;
        lane->instance = op->object;
    }
    return true;
}

void compare_free_lanes(struct compare_side *side)
{
    HASH_FREE_ALL(side->lanes);
}

/* A run that has times on both sides. */
struct run {
    uint32_t instance; /* in A */
    double ns[2], ratio;
};

#define BY_FIELD(name, field)                                                                      \
    static int name(const void *left, const void *right)                                           \
    {                                                                                              \
        const struct run *a = left;                                                                \
        const struct run *b = right;                                                               \
        return ORDER(a->field, b->field);                                                          \
    }
BY_FIELD(by_instance, instance)
BY_FIELD(by_a, ns[0])
BY_FIELD(by_b, ns[1])
BY_FIELD(by_ratio, ratio)
#undef BY_FIELD

static const struct run *median(struct run *runs, size_t count,
                                int (*compare)(const void *left, const void *right))
{
    qsort(runs, count, sizeof(*runs), compare);
    return &runs[(count - 1) / 2];
}

/* The runs of one instance. */
static bool add_instance(struct compare_result *result, struct run *runs, size_t count)
{
    struct compare_instance instance = {.number = runs[0].instance, .runs = count};
    instance.median_ns[0] = median(runs, count, by_a)->ns[0];
    instance.median_ns[1] = median(runs, count, by_b)->ns[1];
    instance.ratio = median(runs, count, by_ratio)->ratio;
    for (size_t i = 0; i < result->side[0].ops.count && !instance.made; i++) {
        const twin_op *op = &result->side[0].ops.list[i];
        if (op->kind == TWIN_OP_MODEL_INSTANCE_CREATE && op->object == instance.number)
            instance.made = op;
    }
    return LIST_ADD(&result->instances, instance);
}

bool compare_instances(struct compare_result *result)
{
    struct run *runs = calloc(result->timed.count + 1, sizeof(*runs));
    size_t count = 0;
    bool good = runs && find_lanes(&result->side[0]) && find_lanes(&result->side[1]);
    for (size_t i = 0; good && i < result->timed.count; i++) {
        const twin_op *a = compare_op(result, 0, result->timed.items[i]);
        const twin_op *b = compare_op(result, 1, result->timed.items[i]);
        if (a->kind != TWIN_OP_RUN || compare_length(a) == 0)
            continue;
        struct run run = {.instance = a->object,
                          .ns = {(double)compare_length(a), (double)compare_length(b)}};
        run.ratio = run.ns[1] / run.ns[0];
        runs[count++] = run;
    }
    if (good)
        qsort(runs, count, sizeof(*runs), by_instance);
    for (size_t first = 0, next; good && first < count; first = next) {
        next = first;
        while (next < count && runs[next].instance == runs[first].instance)
            next++;
        good = add_instance(result, &runs[first], next - first);
    }
    free(runs);
    return good;
}
