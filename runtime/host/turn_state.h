/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the order share. Everything here is guarded by the lock of the order. */
#ifndef TWINRT_HOST_TURN_STATE_H
#define TWINRT_HOST_TURN_STATE_H

#include "turn.h"

struct turn_order {
    struct turn_thread
        *first; /* all threads that have not ended, and those that have and are not joined */
    struct turn_thread *holder;
    struct turn_thread
        *due; /* no thread holds the turn: the one that takes it at its real_until_ns */
    struct turn_thread *watcher; /* sleeps with a limit, to look at the holder */
    uint64_t created;
    uint64_t seed;
    uint64_t reached_ns; /* the device has come to this time, as far as known */
    bool device_stuck;   /* the device does not move before some thread has run */
    uint32_t live;       /* threads that have not ended */
};
extern struct turn_order turn_order;
extern _Thread_local struct turn_thread *turn_own __attribute__((tls_model("initial-exec")));

/* CLOCK_MONOTONIC, without the interposed function. */
uint64_t turn_real_now(void);
uint64_t turn_sum(uint64_t a, uint64_t b);
/* Waits until `word` is no longer `value`, or until that CLOCK_MONOTONIC time; UINT64_MAX: no
 * limit. 0 or an errno. */
int turn_futex_wait(atomic_uint *word, unsigned value, uint64_t until_ns);
void turn_futex_wake(atomic_uint *word);
void turn_rouse(struct turn_thread *thread);

/* Gives the turn to the first thread; none holds it, or `self` does and goes on if it is first. */
void turn_dispatch_locked(struct turn_thread *self);
/* Until the thread has the turn, or the order is over. */
void turn_await_locked(struct turn_thread *self);
/* `thread` can run, no sooner than that. */
void turn_ready_locked(struct turn_thread *thread, uint64_t at_ns, enum turn_wake how);
/* `self` has left TURN_RUNS: others go on, until it is its turn again. */
void turn_give_locked(struct turn_thread *self);
/* Others go on first if the clock of `self` is more than ahead_ns beyond theirs. */
void turn_check(struct turn_thread *self, uint64_t ahead_ns);
/* The clock of `self` advances to what its own calls made of it. */
void turn_refresh_clock(struct turn_thread *self);
/* The holder looks at its next scheduling point who is first. */
void turn_look_again_locked(void);
/* `self` is the only thread. */
void turn_alone_locked(struct turn_thread *self);
void turn_end_locked(const char *reason);

/* In a forked child: the backend is its parent's, and no other thread runs. The lock is held. */
void turn_unbind(void);
/* Decides between threads of equal clocks before their numbers do. */
uint64_t turn_tie(uint64_t number);

/* Looks at the holder while others wait for their turn. */
void turn_watch_locked(void);
/* Another thread than `gone` does that from now on. */
void turn_watch_pass_locked(const struct turn_thread *gone);

#endif
