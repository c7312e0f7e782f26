/* SPDX-License-Identifier: Apache-2.0 */
/* Deterministic mode: threads run one at a time, in the order of their virtual clocks, ties by
 * creation (as Kendo does).
 *
 * One thread holds the turn. At a scheduling point (a public call, an interposed function, a wait
 * in the backend) it compares its clock with those of the threads that could run and gives the turn
 * to the first of them. Everything between two scheduling points runs alone, so that races of the
 * program have one outcome.
 *
 * The order ends for good when a thread enters it that was not created through pthread_create, and
 * when the holder of the turn blocks in a call that takes no turns: this is reported once, and all
 * threads go on freely. */
#ifndef TWINRT_HOST_TURN_H
#define TWINRT_HOST_TURN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "seam/host_time.h"

/* What one interposed operation adds to the clock of its thread, so that a loop of such operations
 * lets others go on. */
#define TURN_COST_NS 100u
/* How far a thread that makes public calls may be ahead of others that could run: each change of
 * the turn costs the host some microseconds. Locks, conditions and the like keep to the order of
 * clocks. */
#define TURN_SLACK_NS 20000u
/* How far a thread that runs may be ahead of the device while others wait for the device. */
#define TURN_LEAD_NS 100000u

enum turn_state {
    TURN_RUNS,    /* holds the turn */
    TURN_READY,   /* waits for the turn */
    TURN_BLOCKED, /* until another thread wakes it */
    TURN_TIMED,   /* the same, or until its clock is `until_ns` */
    TURN_WAITS,   /* in a wait of the backend */
    TURN_OVER     /* has ended */
};

enum turn_wake {
    TURN_WOKEN,
    TURN_TIMED_OUT,
    TURN_CANCELLED, /* pthread_cancel was called for it: it acts on that with pthread_testcancel */
    TURN_INTERRUPTED, /* a handler of a signal ran */
    TURN_ORDER_OVER   /* the order has ended: go on with the real function */
};

/* All fields are guarded by the lock of the order, except where noted. */
struct turn_thread {
    struct turn_thread *next, **link;
    uint64_t number;   /* order of creation */
    uint64_t tie;      /* decides between equal clocks */
    uint64_t clock_ns; /* of this thread: only the thread itself writes it while it runs */
    const struct twin_host_moment *moment; /* the thread's own; NULL: no backend */
    unsigned bound;                        /* generation of `moment`; own */
    uint32_t system_id;                    /* 0: it has not begun */
    pthread_t id;
    enum turn_state state;
    enum turn_wake woke;
    const void *object;            /* what it is blocked on */
    const pthread_mutex_t *relock; /* that it takes when it wakes; NULL: none */
    const char *blocked_in;        /* name of the function */
    uint64_t until_ns;             /* TIMED: clock */
    uint64_t real_until_ns;        /* TIMED: CLOCK_MONOTONIC */
    bool wakes_by_signal;          /* BLOCKED, TIMED: a handler of a signal ends it */
    bool cancels;                  /* the same: in a cancellation point */
    bool serves;                   /* WAITS: drives the device only when no other thread does */
    bool drives;                   /* RUNS: drives the device, may park */
    bool ready_follows; /* the same: another thread runs at until_ns, and does not only time out */
    bool ended_early;   /* its wait in the backend was ended before it was in WAITS */
    bool parked;        /* its wait in the backend has slept in real time; own */
    bool detached, joined;
    uint64_t operations; /* for the jitter of seeds; own */
    uint64_t point;      /* scheduling points passed; read by the watch */
    atomic_uint word;    /* futex: another value to look at the state again */
    unsigned inside;     /* holds the lock of the order; own, for handlers of signals */
};

/* 0: off; 1: on; 2: was on, the order has ended. */
extern atomic_int turn_phase;
/* Threads that are blocked on an object, or have just been woken. */
extern atomic_uint turn_blocked;

static inline bool turn_on(void)
{
    return __builtin_expect(atomic_load_explicit(&turn_phase, memory_order_relaxed) == 1, 0);
}

/* Begins the order with the calling thread as its first. Before any other thread exists. */
void turn_begin(uint64_t seed);
/* The host ops of the backend that has started; NULL: it has ended, and with it the order. */
void turn_bind(const struct twin_host_ops *host);
/* Ends the order. `reason`, a sentence's end: written to stderr; NULL: nothing is written. */
void turn_end(const char *reason);
/* Around a fork, in the parent; and in the child, whose only thread is the caller. */
void turn_fork_begin(void);
void turn_fork_end(void);
void turn_forked(void);
extern const struct twin_turn_ops turn_ops;

/* The calling thread has no place in the order, and does not end it by that. */
extern _Thread_local bool turn_outside __attribute__((tls_model("initial-exec")));
/* The calling thread if it holds the turn. NULL: the order is off or over, the thread is outside,
 * or this is the handler of a signal in a thread that does not run; the caller goes on without
 * turns. */
struct turn_thread *turn_mine(void);
/* A scheduling point of `self`, at the cost of one operation. */
void turn_point(struct turn_thread *self);
/* The cost of an operation that keeps the turn. */
void turn_charge(struct turn_thread *self);

/* The lock of the order. A leaf: nothing is called with it held that may block. */
void turn_lock(struct turn_thread *self);
void turn_unlock(struct turn_thread *self);
/* How long a thread blocks at most: a time-out comes in the order of clocks, and not before its
 * real time has passed. */
struct turn_limit {
    uint64_t clock_ns; /* TWIN_FOREVER: no limit */
    uint64_t real_ns;
};
struct turn_limit turn_limit_after(struct turn_thread *self, uint64_t ns);
/* Blocks on `object` until turn_wake_locked. Called and returns with the lock held and the turn. */
enum turn_wake turn_block_locked(struct turn_thread *self, const void *object, const char *function,
                                 const struct turn_limit *limit);
/* Wakes up to `most` threads that are blocked on `object`, lowest clocks first; each goes on no
 * sooner than `self`. */
unsigned turn_wake_locked(struct turn_thread *self, const void *object, unsigned most);
/* The same from a thread that does not hold the turn: a handler of a signal, or a thread after the
 * end of the order. */
void turn_poke(const void *object);
/* Sleeps. Returns 0, or with what is left of the real time EINTR, or EAGAIN: the order has
 * ended. */
int turn_sleep(struct turn_thread *self, uint64_t ns, uint64_t *out_left_ns);
/* pthread_cancel has been called for that thread. */
void turn_cancel(struct turn_thread *self, pthread_t id);

/* Threads. `adopt` before the system creates the thread: its place in the order; then `created`,
 * with the error of that. NULL: out of memory, and the order has ended. */
struct turn_thread *turn_thread_adopt(struct turn_thread *creator);
void turn_thread_created(struct turn_thread *creator, struct turn_thread *thread, pthread_t id,
                         bool detached, int error);
void turn_thread_detached(struct turn_thread *self, pthread_t id);
/* On the new thread, first: waits for its first turn. */
void turn_thread_begin(struct turn_thread *thread);
/* The thread `id` if it is in the order and not joined; else NULL. The lock is held. */
struct turn_thread *turn_thread_find_locked(pthread_t id);
/* The record of a thread that has been joined, or has ended detached. The lock is held. */
void turn_thread_drop_locked(struct turn_thread *thread);

#endif
