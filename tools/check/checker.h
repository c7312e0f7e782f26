/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of order and lifetime, applied to what a run asked of its device. Ops are fed one by
 * one, in the order of check_order_key(); so this works on a file, and could work while a program
 * runs.
 *
 * How it works. Each stream's work is carried out in thought: tasks in order, a wait only after its
 * record. What comes before a task is kept as a count for each stream (a vector clock); what the
 * host has seen done is kept likewise, with the moment since when. Two tasks are ordered when one's
 * clock, or what the host knew when it submitted it, covers the other. Where the recording does not
 * show it (work of model instances, signals of other processes), work is left unjudged, never
 * called good. Cost per op is constant, except for waits across streams and of the host: the number
 * of streams. */
#ifndef TWINRT_CHECK_CHECKER_H
#define TWINRT_CHECK_CHECKER_H

#include <stddef.h>
#include <stdio.h>

#include "check/rules.h"
#include "recording/ops.h"

#define CHECK_NONE TWIN_OP_NONE

struct check_finding {
    check_rule rule;
    uint32_t first;   /* op, by order of feeding; CHECK_NONE: there is none */
    uint32_t second;  /* the same: the later one */
    char *why;        /* what was seen */
    uint64_t repeats; /* more of the same: rule, streams and calls */
};

struct checker;

/* What is known of the recording as a whole. */
struct checker_facts {
    bool whole;      /* nothing is missing: where a queue's tasks are reported, one that is not was
                  lost */
    bool partial;    /* parts are missing: what never came may have been there */
    bool broken_off; /* the program was ended early: what is missing at the end may have come
                       later */
    bool threads_apart; /* what orders host threads is known: each knows only what it has seen, and
                          what those had that it follows */
    uint64_t calls;     /* public calls that came back, those that are not fed among them */
};

/* NULL: out of memory. */
struct checker *checker_new(const struct checker_facts *facts);
void checker_free(struct checker *checker);
/* A new one that has been fed all operations of a recording, in its order. NULL: out of memory. */
struct checker *check_ops(const struct twin_ops *ops);

/* Where an op belongs in the order of feeding: what observes belongs where it came back, all else
 * where it began. */
uint64_t check_order_key(const twin_op *op);
/* A thread has come to a number of the sequence, from which another one will follow it. */
void checker_release(struct checker *checker, uint32_t thread, uint64_t seq);
/* What the thread does from here on comes after what was released there. */
void checker_follow(struct checker *checker, uint32_t thread, uint64_t seq);
/* False: out of memory, and nothing holds any more. */
bool checker_feed(struct checker *checker, const twin_op *op);
/* After the last op. */
bool checker_finish(struct checker *checker);

const twin_op *checker_op(const struct checker *checker, uint32_t index);
/* Stream id, as the program's reports use it, of a queue; `number` itself when it was never
 * created. */
uint32_t checker_stream_id(const struct checker *checker, uint32_t queue);
const struct check_finding *checker_findings(const struct checker *checker, size_t *out_count);
/* The op that asked for the run of a model instance in which the op is a task; CHECK_NONE: it is
 * not. Such an op is a repetition of the one that was queued, with the same `entry`. */
uint32_t checker_run_of(const struct checker *checker, uint32_t index);
/* What to do about a finding; "": see what the rule needs. */
const char *checker_fix(const struct checker *checker, const struct check_finding *finding);
/* How often a rule could be judged. */
uint64_t checker_judged(const struct checker *checker, check_rule rule);
/* Pieces of work whose bytes were left unjudged, as the recording does not have their order. */
uint64_t checker_unjudged_work(const struct checker *checker);
/* Whether something failed, was aborted or met an injected fault. */
bool checker_failed(const struct checker *checker);

#endif
