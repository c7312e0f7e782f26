/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization of host threads in the order of their clocks. Objects keep their state in
 * themselves and are only ever tried: a thread that does not get one blocks in the order, and its
 * release wakes the thread with the lowest clock. So who looks at the object sees what it expects,
 * and nothing changes hands when the order ends. */
#ifndef TWINRT_HOST_TURN_SYNC_H
#define TWINRT_HOST_TURN_SYNC_H

#include <limits.h>

#include "host.h"
#include "turn.h"

/* Nothing was done: the real function is to be called. */
#define TURN_REAL INT_MIN

/* The calling thread if it is in the order, holds the turn, and runs code of the program; else
 * NULL. */
static inline struct turn_thread *turn_here(void)
{
    return turn_on() && !host_inside() ? turn_mine() : NULL;
}

/* A scheduling point, before anything is tried. */
static inline void turn_stop(void)
{
    struct turn_thread *self = turn_here();
    if (HOST_UNLIKELY(self != NULL))
        turn_point(self);
}

/* The value of `turned`, in which `turn` is the calling thread, where there is an order; else, and
 * if that is TURN_REAL, of `real`. The runtime's own waits for other threads are in the order too;
 * only its attempts are no scheduling points. */
#define TURN_OR(turned, real)                                                                      \
    __extension__({                                                                                \
        struct turn_thread *turn = turn_on() ? turn_mine() : NULL;                                 \
        int taken = turn ? (turned) : TURN_REAL;                                                   \
        taken != TURN_REAL ? taken : (real);                                                       \
    })

/* An object of any kind has been released, by the real function: of those that are blocked on it up
 * to `most` try again. */
void turn_release(const volatile void *object, unsigned most);
static inline void turn_released(const volatile void *object, unsigned most)
{
    if (turn_on() && atomic_load_explicit(&turn_blocked, memory_order_relaxed) != 0)
        turn_release(object, most);
}

/* Waits for what could not be had at once, for at most timeout_ns (TWIN_FOREVER: no limit). An
 * errno as the real function returns it; sem_wait: as it sets it. */
int turn_mutex_wait(struct turn_thread *self, pthread_mutex_t *mutex, uint64_t timeout_ns);
int turn_rwlock_wait(struct turn_thread *self, pthread_rwlock_t *lock, bool writes,
                     uint64_t timeout_ns);
int turn_spin_wait(struct turn_thread *self, pthread_spinlock_t *lock);
int turn_sem_wait(struct turn_thread *self, sem_t *semaphore, uint64_t timeout_ns);
/* The semaphore of a waiter of a condition variable, whose thread locks `mutex` next. */
int turn_cond_wait(struct turn_thread *self, sem_t *semaphore, const pthread_mutex_t *mutex,
                   uint64_t timeout_ns);
/* `arrived` threads have come so far; the round is complete when they are `full`. */
int turn_barrier_wait(struct turn_thread *self, const _Atomic int64_t *arrived, uint64_t full);
int turn_join(struct turn_thread *self, pthread_t id, void **out_result, uint64_t timeout_ns);
int turn_tryjoin(struct turn_thread *self, pthread_t id, void **out_result);
/* The system call of that name, to wait or to wake: what it returns, or a negative errno. */
int turn_futex(struct turn_thread *self, const atomic_uint *word, int operation, unsigned value,
               const struct timespec *limit);
int turn_once(struct turn_thread *self, pthread_once_t *control, void (*routine)(void));

#endif
