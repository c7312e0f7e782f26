/* SPDX-License-Identifier: Apache-2.0 */
/* Progress without a caller: the host can see some work without a call, and may wait for it without
 * one.
 *
 * Visible work is a copy into page-locked memory, a host function that a thread of the runtime
 * runs, a record that another process may wait for, and with TWINRT_DEVMEM=open all work. When no
 * thread has called for TWINRT_PROGRESS of real time and visible work is in flight, one thread of
 * the backend runs the model until the host can see something new. Time does not jump for it: like
 * a driver beside threads that run, it stops before time limits.
 *
 * When it is proven that no thread can act before the host sees something (libtwinrt-host.so), it
 * does so at once, and times do not depend on real time.
 *
 * The thread exists from the first submission of visible work, or from the start under `twinrt run
 * --timeout`, for which it reports what threads wait for (run_watch.h); with TWINRT_PROGRESS=off it
 * does nothing else. It blocks every signal but faults, sleeps on a futex, and without a time limit
 * when no visible work is in flight or the model cannot move. It is not attached, and never counts
 * as a thread that may act. */
#ifndef TWINRT_SIM_WAIT_PROGRESS_H
#define TWINRT_SIM_WAIT_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct twin_queue;

/* ---- for threads that call ---- */

/* What the thread sleeps for; also the futex it sleeps on. */
enum {
    SIM_PROGRESS_AWAKE,  /* it does not, or it is to wake up */
    SIM_PROGRESS_LOOKS,  /* its next look, or that no thread can act */
    SIM_PROGRESS_IDLE,   /* visible work */
    SIM_PROGRESS_STALLED /* anything that lets the model move again */
};
extern _Atomic uint32_t sim_progress_sleeps;
/* The thread is to be made with the next visible work. */
extern atomic_bool sim_progress_missing;

void sim_progress_wake(void);
/* Something has changed that may let a stalled model continue. A fence separates the change from
 * this call. */
static inline void sim_progress_changed(void)
{
    if (__builtin_expect(atomic_load_explicit(&sim_progress_sleeps, memory_order_relaxed) ==
                             SIM_PROGRESS_STALLED,
                         0))
        sim_progress_wake();
}

void sim_progress_make(void);
/* Visible work has been submitted, noted in queue->visible before its doorbell, with a fence after
 * that. No lock of the backend is held. */
static inline void sim_progress_submitted(void)
{
    if (__builtin_expect(atomic_load_explicit(&sim_progress_missing, memory_order_relaxed), 0))
        sim_progress_make();
    else if (__builtin_expect(atomic_load_explicit(&sim_progress_sleeps, memory_order_relaxed) >=
                                  SIM_PROGRESS_IDLE,
                              0))
        sim_progress_wake();
}

/* Whether a device and the program share memory that both may store to: then the host can see all
 * work, and what the host stores can let a task continue. No lock of the backend is held. */
void sim_progress_share(bool shared);
bool sim_progress_shares(void);

/* Device memory is shared with other processes, which can see all work from now on, until the
 * backend ends. No lock of the backend is held. */
void sim_progress_share_outside(void);

/* A thread has blocked, perhaps the last that could act: then visible work need not wait for real
 * time to pass. */
void sim_progress_thread_blocked(void);

/* ---- for the model; thread: model ---- */

/* The host can see something new. */
extern bool sim_progress_seen;
/* The thread runs the model: in short chunks, as it stops once something is seen. */
extern bool sim_progress_acts;

/* Says, once in a process, that times depend on real time from now on, and why. Thread: any. */
void sim_progress_warn(const char *why);

/* ---- for the process; thread: init ---- */

/* Its number, as gettid() gives it; 0: there is none. Thread: any. */
uint32_t sim_progress_system_id(void);
void sim_progress_begin(uint64_t patience_ns);
/* The thread does not move the model any more. No lock is held. */
void sim_progress_end(void);

#endif
