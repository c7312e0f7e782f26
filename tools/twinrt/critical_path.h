/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path of a wait: what it waited for at each instant, back through wakers, channels,
 * slots and links to the submission that its chain began with. */
#ifndef TWINRT_TOOLS_CRITICAL_PATH_H
#define TWINRT_TOOLS_CRITICAL_PATH_H

#include "trace_file.h"

/* X(enumerator without CRITICAL_, name in reports) */
#define CRITICAL_CAUSE_LIST(X)                                                                     \
    X(CALL, "the call itself")                                                                     \
    X(WAKE, "waking the thread")                                                                   \
    X(UNSENT, "not submitted yet") /* by another thread */                                         \
    X(DOORBELL, "doorbell")                                                                        \
    X(SWAP, "arbiter and swapping")                                                                \
    X(LOOP, "firmware loop") /* is busy with something else */                                     \
    X(FETCH, "fetch and decode")                                                                   \
    X(TABLE, "tables and stores") /* access to an event or notify, a store */                      \
    X(SETUP, "engine set-up")                                                                      \
    X(MOVE, "transfer")      /* bytes move as fast as the link alone allows */                     \
    X(SHARED, "shared link") /* the time added by other transfers */                               \
    X(RETIRE, "retirement")                                                                        \
    X(REPORT, "report to the host") /* batch, interrupt, the reports before */                     \
    X(PROGRAM, "condition program")                                                                \
    X(KERNEL, "AI cores")                                                                          \
    X(HOST, "host function")                                                                       \
    X(HELD, "queue held") /* full CQ, pause */                                                     \
    X(OUTSIDE, "outside") /* memory that it polls, another process, a time limit */                \
    X(UNKNOWN, "unaccounted")

enum critical_cause {
#define CRITICAL_CAUSE(cause, name) CRITICAL_##cause,
    CRITICAL_CAUSE_LIST(CRITICAL_CAUSE)
#undef CRITICAL_CAUSE
        CRITICAL_CAUSES
};
const char *critical_cause_name(enum critical_cause cause);

struct critical_part {
    uint64_t begin_ns;
    uint64_t end_ns;
    enum critical_cause cause;
    const struct trace_slice *slice; /* with the parameter; NULL: none */
};

/* Parts in the order of time, without gaps or overlaps: those of `parts` fill the call, those of
 * `before` the time from the submission to the begin of the call's last wait. */
struct critical_path {
    const struct trace_slice *call;
    struct critical_part *parts;
    size_t part_count;
    struct critical_part *before;
    size_t before_count;
    bool submitted; /* the chain was followed to a submission, at */
    uint64_t submit_ns;
    uint32_t submit_thread;
};

/* Calls that waited, the longest first, at most `room` of them into `calls`. Returns how many there
 * are. aclrtProcessReport is left out: a thread that serves callbacks is idle in it. */
size_t critical_waits(const struct trace_file *file, const struct trace_slice **calls, size_t room);
/* Takes the call apart. 0, or -1 when out of memory. */
int critical_follow(const struct trace_file *file, const struct trace_slice *call,
                    struct critical_path *out);
void critical_free(struct critical_path *path);

#endif
