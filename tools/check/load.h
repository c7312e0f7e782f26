/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of a record, as the rules and comparisons look at them. */
#ifndef TWINRT_CHECK_LOAD_H
#define TWINRT_CHECK_LOAD_H

#include "check/checker.h"
#include "recording/reader.h"

/* A thread follows another one from a number of the sequence on. */
struct check_edge {
    uint64_t seq; /* its own place */
    uint32_t thread;
    uint32_t releaser;
    uint64_t of_seq;
};

struct check_ops {
    check_op *ops;   /* in the order of begin_seq; `name` is a string of the record */
    size_t *entries; /* of each: its entry */
    size_t count;
    struct check_edge *edges;
    size_t edge_count;
    bool
        threads_apart; /* all that orders host threads is in `edges`, but for what nobody could see */
    uint64_t calls;    /* public calls that came back */
    uint64_t unanswered; /* ops that had not come back */
    uint64_t refused;    /* public copies and fills that the runtime refused for an argument */
    bool whole;          /* the recording ended in order */
    bool partial;        /* something of it is damaged or missing */
    bool one_clock;      /* the callers' clock is the device's */
};

/* False: out of memory. */
bool check_ops_load(const twin_recording *recording, struct check_ops *out);
/* How far the device had come at each op, from the entries that tell it, in the order in which ops came back. False: no host
 * memory. */
bool check_add_device_times(const twin_recording *recording, struct check_ops *out);
/* Which signals are shared and opened in this record alone. False: no host memory. */
bool check_add_shares(const twin_recording *recording, struct check_ops *out);
/* What orders host threads, if the record has all of it that could be seen. False: no host memory. */
bool check_add_edges(const twin_recording *recording, struct check_ops *out);
void check_ops_free(struct check_ops *ops);
/* Name of the public call that an op was part of, "" for none; of a damaged record, what can be printed of it. */
#define CHECK_CALL_NAME 96u
const char *check_call_name(const twin_recording *recording, const check_op *op,
                            char text[CHECK_CALL_NAME]);
/* Feeds all to a checker, in its order, and finishes. False: out of memory. */
bool check_ops_feed(const struct check_ops *ops, struct checker *checker);

#endif
