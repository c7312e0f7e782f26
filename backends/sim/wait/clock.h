/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual clock of each host thread, and the list of attached threads. */
#ifndef TWINRT_SIM_WAIT_CLOCK_H
#define TWINRT_SIM_WAIT_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/types.h"

/* Calls within functions within calls that a timeline can tell apart. */
#define SIM_CALLS_NESTED 8u

struct sim_clock {
    union {
        twin_host_moment moment;
        struct { /* the same fields */
            uint64_t now_ns;
            uint64_t calls;
            uint64_t entry;
            uint32_t system_id; /* as gettid() gives it; 0 before the first attaching */
            uint32_t recorded;
        };
    };
    uint64_t call_began_ns;
    bool in_call;   /* only with a timeline: a call has begun and not ended */
    unsigned depth; /* calls outside the present one: they run functions of the program */
    uint64_t outer_began_ns[SIM_CALLS_NESTED];
    unsigned number; /* order of first attaching: names the thread in timelines */
    bool numbered;
    bool attached;
    uint32_t last_sq;              /* where it submitted last */
    uint64_t work;                 /* submissions and waits so far */
    const twin_call_place *place;  /* services.place; NULL: not known */
    struct sim_asked *asked;       /* repeated_polls.c; NULL: it never polled */
    uint32_t last_task;            /* the newest it queued, default streams aside */
    struct sim_clock *next, *prev; /* among the attached; guarded by a lock of clock.c */
};
/* Only its own thread touches it. */
extern _Thread_local struct sim_clock sim_clock __attribute__((tls_model("initial-exec")));

/* Model time as last published; a thread with an earlier clock is moved up (HOST-4). */
extern _Atomic uint64_t sim_model_now;
extern atomic_uint sim_attached_count;

/* The thread learns what the model has done by now: its clock is moved up. */
void sim_clock_catch_up(void);
/* Attachings so far: unchanged means that no thread has attached. */
unsigned sim_clock_attachings(void);
/* Whether the thread of that number of the system is attached. Thread: any. */
bool sim_clock_knows(uint32_t system_id);
/* Public calls begun so far by threads that were attached then. */
uint64_t sim_clock_calls(void);
/* In a forked child that starts anew: no thread has called. */
void sim_clock_forked(void);
/* In a forked child: the threads of its parent are not there. */
void sim_clock_forget_others(void);

static inline void sim_clock_raise(uint64_t at_least_ns)
{
    if (sim_clock.now_ns < at_least_ns)
        sim_clock.now_ns = at_least_ns;
}

#endif
