/* SPDX-License-Identifier: Apache-2.0 */
/* Two recordings of one program, op by op: on two devices, profiles or models.
 *
 * Threads are paired by what they begin with, streams and events by who made them as which. Then
 * the ops of each pair of threads are laid side by side; where one has more than the other, the two
 * are put in step again after it. A loop that polls turns as often as it must, so a row of the same
 * question counts as one op. */
#ifndef TWINRT_COMPARE_COMPARE_H
#define TWINRT_COMPARE_COMPARE_H

#include <stdio.h>

#include "recording/containers.h"
#include "recording/ops.h"

struct compare_side {
    const char *path;
    const twin_recording *recording;
    struct twin_ops ops;
    struct compare_lane *lanes; /* streams of model instances */
};

struct compare_pair {
    size_t a, b; /* ops */
};

struct compare_kind {
    uint32_t kind;                    /* twin_op_kind */
    uint64_t count;                   /* pairs with times on both sides */
    double median, p5, p95, min, max; /* time in B by time in A */
};

/* Runs of a model instance, with times on both sides. */
struct compare_instance {
    uint32_t number;     /* in A */
    const twin_op *made; /* in A; NULL: not known */
    uint64_t runs;
    double median_ns[2];
    double ratio; /* the median of time in B by time in A */
};

struct compare_list {
    LIST_OF(size_t);
};

struct compare_result {
    struct compare_side side[2];
    LIST_OF(struct compare_pair) pairs; /* in the order of A */
    struct compare_list only[2];        /* ops that are no questions */
    struct compare_list answers;        /* pairs whose statuses differ */
    uint64_t polls[2];                  /* questions asked */
    uint64_t stray_polls[2];            /* those among them without a like */
    struct compare_list timed;          /* pairs with the length of a task on both sides */
    struct compare_kind *kinds;
    size_t kind_count;
    LIST_OF(struct compare_instance) instances;
    struct compare_list worst;     /* pairs, by how much their lengths differ */
    uint64_t swapped;              /* pairs of tasks: one after the other in A, before it in B */
    struct compare_pair swaps[10]; /* some: pairs by index, the earlier in A first */
    size_t swap_count;
    uint64_t span_ns[2]; /* from the first begin of a task to the last end */
    uint64_t untimed;    /* pairs of work without a length on some side */
};

/* Loads the ops of both sides, whose path and recording are set, and compares. False: out of
 * memory. */
bool compare_recordings(struct compare_result *result);
void compare_free(struct compare_result *result);
/* Whether the two did the same, in the same order, with the same answers. */
bool compare_is_same(const struct compare_result *result);
/* Whether nothing is damaged or missing in both recordings. */
bool compare_is_whole(const struct compare_result *result);

/* The op of a pair on side `which`. */
static inline const twin_op *compare_op(const struct compare_result *result, int which, size_t pair)
{
    const struct compare_pair *of = &result->pairs.items[pair];
    return &result->side[which].ops.list[which == 0 ? of->a : of->b];
}

/* How long its task ran. */
static inline uint64_t compare_length(const twin_op *op)
{
    return op->task_end_ns - op->task_begin_ns;
}

bool compare_is_poll(const twin_op *op);
/* pair.c */
bool compare_pair_ops(struct compare_result *result);
/* instances.c */
bool compare_instances(struct compare_result *result);
void compare_free_lanes(struct compare_side *side);
/* Number of the model instance that a queue is bound to; 0: to none. */
uint32_t compare_instance_of(const struct compare_side *side, uint32_t queue);
/* order.c */
bool compare_order(struct compare_result *result);

/* report.c, scatter.c */
void compare_report_text(const struct compare_result *result, FILE *out);
bool compare_report_json(const struct compare_result *result, FILE *out);
/* Times in A against times in B. */
void compare_draw(const struct compare_result *result, FILE *out);
/* "sim Ascend910B3", or what the recording says of it. */
void compare_device_name(const struct compare_side *side, char *text, size_t bytes);

#endif
