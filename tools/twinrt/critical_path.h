/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path of a wait: what it waited for at each instant, back through wakers, channels, slots and links to the
 * submission that its chain began with. */
#ifndef TWINRT_TOOLS_CRITICAL_PATH_H
#define TWINRT_TOOLS_CRITICAL_PATH_H

#include "trace_file.h"

enum critical_cause {
    CRITICAL_CALL,    /* the call itself works */
    CRITICAL_WAKE,    /* the thread goes on */
    CRITICAL_UNSENT,  /* what it waited for was not submitted yet */
    CRITICAL_BELL,    /* a doorbell is on its way */
    CRITICAL_SWAP,    /* arbiter, swap-in, swap-out */
    CRITICAL_LOOP,    /* the firmware's loop is at something else */
    CRITICAL_FETCH,   /* fetch and decode */
    CRITICAL_TABLE,   /* access to an event or notify, a store */
    CRITICAL_SETUP,   /* an engine is set up */
    CRITICAL_MOVE,    /* bytes move as fast as the link alone allows */
    CRITICAL_SHARED,  /* what they take longer because others move too */
    CRITICAL_RETIRE,  /* retirement, CQE */
    CRITICAL_REPORT,  /* the firmware tells the host: batch, interrupt, the reports before */
    CRITICAL_PROGRAM, /* a condition program */
    CRITICAL_KERNEL,  /* AI cores */
    CRITICAL_HOST,    /* a host function */
    CRITICAL_HELD,    /* the queue stood still: full CQ, pause */
    CRITICAL_OUTSIDE, /* memory that it polls, another process, a time limit */
    CRITICAL_UNKNOWN, /* the timeline does not tell */
    CRITICAL_CAUSES
};
const char *critical_cause_name(enum critical_cause cause);

struct critical_part {
    uint64_t begin_ns;
    uint64_t end_ns;
    enum critical_cause cause;
    const struct trace_slice *slice; /* with the parameter; NULL: none */
};

/* Parts in the order of time, without gaps or overlaps: those of `parts` fill the call, those of `before` the time from
 * the submission to the begin of the call's last wait. */
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

/* Calls that waited, the longest first, at most `room` of them into `calls`. Returns how many there are. aclrtProcessReport is left out:
 * a thread that serves callbacks is idle in it. */
size_t critical_waits(const struct trace_file *file, const struct trace_slice **calls, size_t room);
/* Takes the call apart. 0, or -1 when out of memory. */
int critical_follow(const struct trace_file *file, const struct trace_slice *call,
                    struct critical_path *out);
void critical_free(struct critical_path *path);

#endif
