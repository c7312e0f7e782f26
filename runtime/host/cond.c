/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables of this process. Their waiters are in queues of this library, by the object's
 * address (a parking lot), and each sleeps on its own semaphore. So a signal has one receiver that
 * is known, the one that waits longest: it follows the signaller, and threads that stay in the
 * queue are blocked. The real functions wake spuriously, which would leave that open. A wait on a
 * process-shared condition variable, or of the runtime, is the real one; a signal that finds no
 * waiter here goes there. */
#include "cond.h"

#include <string.h>

#include "lock.h"
#include "marks.h"
#include "threads.h"
#include "turn_sync.h"

#define BUCKETS_LOG2 8

/* Bits of __wrefs that initialization sets. */
#define COND_SHARED    1u
#define COND_MONOTONIC 2u

/* One waiting thread; on its stack. */
struct waiter {
    const pthread_cond_t *cond;
    struct waiter *next;
    struct waiter *previous;
    bool queued; /* guarded by the bucket's lock */
    atomic_bool woken;
    sem_t sem;
    twin_host_moment moment; /* of who woke it; system_id 0: not known */
    pthread_mutex_t *mutex;  /* to lock again when the thread is cancelled; NULL: not any more */
};

struct bucket {
    host_lock lock;
    atomic_uint waiters;
    struct waiter *oldest; /* guarded by lock */
    struct waiter *newest;
};

static struct bucket buckets[1u << BUCKETS_LOG2];

static struct bucket *bucket_of(const pthread_cond_t *cond)
{
    uint64_t hash = (uint64_t)(uintptr_t)cond * 0x9e3779b97f4a7c15ull;
    return &buckets[hash >> (64 - BUCKETS_LOG2)];
}

static void put_locked(struct bucket *bucket, struct waiter *waiter)
{
    waiter->queued = true;
    waiter->next = NULL;
    waiter->previous = bucket->newest;
    if (bucket->newest)
        bucket->newest->next = waiter;
    else
        bucket->oldest = waiter;
    bucket->newest = waiter;
    atomic_fetch_add(&bucket->waiters, 1);
}

static void take_locked(struct bucket *bucket, struct waiter *waiter)
{
    waiter->queued = false;
    if (waiter->previous)
        waiter->previous->next = waiter->next;
    else
        bucket->oldest = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    else
        bucket->newest = waiter->previous;
    atomic_fetch_sub(&bucket->waiters, 1);
}

static void wake_locked(struct bucket *bucket, struct waiter *waiter,
                        const twin_host_moment *moment)
{
    take_locked(bucket, waiter);
    if (moment)
        waiter->moment = *moment;
    atomic_store(&waiter->woken, true);
    host_stamp();
    const sem_t *sem = &waiter->sem;
    (void)host_real.sem_post(&waiter->sem); /* the waiter may go as soon as it is posted */
    turn_released(sem, 1);
}

/* Wakes the oldest waiter, or all. False: there was none. */
static bool wake(const pthread_cond_t *cond, bool all, const twin_host_moment *moment)
{
    struct bucket *bucket = bucket_of(cond);
    /* A waiter that a signal must reach is in the queue before it unlocks the mutex. */
    if (atomic_load(&bucket->waiters) == 0)
        return false;
    bool found = false;
    host_lock_take(&bucket->lock);
    struct waiter *next;
    for (struct waiter *waiter = bucket->oldest; waiter && (all || !found); waiter = next) {
        next = waiter->next;
        if (waiter->cond != cond)
            continue;
        found = true;
        wake_locked(bucket, waiter, moment);
    }
    host_lock_drop(&bucket->lock);
    return found;
}

/* Takes the waiter from the queue, unless a signal has: true. */
static bool withdraw(struct waiter *waiter)
{
    struct bucket *bucket = bucket_of(waiter->cond);
    host_lock_take(&bucket->lock);
    bool queued = waiter->queued;
    if (queued)
        take_locked(bucket, waiter);
    host_lock_drop(&bucket->lock);
    return queued;
}

/* The thread is cancelled in its wait: a signal that it got goes to another, and the mutex is its
 * own again. */
static void cancel(struct waiter *waiter)
{
    if (!waiter->mutex)
        return;
    if (!withdraw(waiter) && !wake(waiter->cond, false, &waiter->moment))
        (void)host_real.pthread_cond_signal((pthread_cond_t *)(uintptr_t)waiter->cond);
    (void)host_real.sem_destroy(&waiter->sem);
    (void)host_mutex_lock(waiter->mutex, "pthread_cond_wait", NULL);
}

/* Waits for the waiter's semaphore: 0 woken, ETIMEDOUT, EINVAL. */
static int sleep_on(struct waiter *waiter, clockid_t clock, const struct timespec *until,
                    uint64_t timeout_ns)
{
    int result = TURN_OR(turn_cond_wait(turn, &waiter->sem, waiter->mutex, timeout_ns), TURN_REAL);
    if (result != TURN_REAL)
        return result;
    do
        result = until ? host_real.sem_clockwait(&waiter->sem, clock, until)
                       : host_real.sem_wait(&waiter->sem);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

/* What is the same in the three waits. */
struct call {
    const char *name;
    const void *site;
};

static int wait_here(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                     const struct timespec *until, const struct call *call)
{
    int saved_errno = errno;
    struct host_deadline deadline = {0};
    if (until)
        deadline = host_deadline_of(clock, until);
    struct waiter waiter __attribute__((cleanup(cancel)));
    memset(&waiter, 0, sizeof(waiter));
    waiter.cond = cond;
    (void)host_real.sem_init(&waiter.sem, 0, 0);
    struct bucket *bucket = bucket_of(cond);
    host_lock_take(&bucket->lock);
    put_locked(bucket, &waiter);
    host_lock_drop(&bucket->lock);
    if (!host_has(HOST_SYNC) && !turn_on()) { /* host_conds_end may have been here before */
        (void)withdraw(&waiter);
        (void)host_real.sem_destroy(&waiter.sem);
        return 0;
    }
    (void)host_moment_make(); /* the wait is not inside an allocator */
    int error = host_mutex_unlock(mutex);
    if (error != 0) {
        (void)withdraw(&waiter);
        (void)host_real.sem_destroy(&waiter.sem);
        return error;
    }
    waiter.mutex = mutex;

    HOST_SCOPE(scope);
    const struct host_wait wait = {.kind = until ? HOST_WAIT_OTHER : HOST_WAIT_COND,
                                   .name = call->name,
                                   .object = cond,
                                   .call_site = call->site,
                                   .proof = &waiter.woken};
    host_enter(&scope, &wait);
    int result = sleep_on(&waiter, clock, until, until ? deadline.ns : TWIN_FOREVER);
    host_leave(&scope);

    if (result != 0 && !withdraw(&waiter))
        result = 0; /* woken after all */
    waiter.mutex = NULL;
    (void)host_moment_make(); /* the backend may have started meanwhile */
    (void)host_real.sem_destroy(&waiter.sem);
    error = host_mutex_lock(mutex, call->name, call->site);
    if (result == ETIMEDOUT)
        host_deadline_passed(&deadline);
    else if (result == 0)
        host_follow(&waiter.moment);
    errno = saved_errno;
    return error != 0 ? error : result;
}

static bool is_time(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < (long)HOST_NS_PER_S;
}

static bool is_shared(const pthread_cond_t *cond)
{
    return (cond->__data.__wrefs & COND_SHARED) != 0;
}

/* The real wait, which another process may end. */
static int wait_shared(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct call *call)
{
    HOST_SCOPE(scope);
    host_enter_other(&scope, call->name, cond, call->site);
    host_mark_released(mutex);
    int error = host_real.pthread_cond_wait(cond, mutex);
    host_mark_acquired(mutex);
    return error;
}

/* Until a time. A time that cannot be is the real function's to refuse. */
static bool is_here(const pthread_cond_t *cond, const struct timespec *until)
{
    return (host_on(HOST_SYNC) || turn_on()) && !is_shared(cond) && is_time(until);
}

HOST_EXPORT int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    if (!host_on(HOST_SYNC) && !turn_on()) /* the runtime's own waits are in the order of threads */
        return host_real.pthread_cond_wait(cond, mutex);
    const struct call call = {"pthread_cond_wait", HOST_CALL_SITE()};
    if (is_shared(cond))
        return wait_shared(cond, mutex, &call);
    return wait_here(cond, mutex, CLOCK_REALTIME, NULL, &call);
}

HOST_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond,
                                       pthread_mutex_t *restrict mutex,
                                       const struct timespec *restrict until)
{
    clockid_t clock =
        (cond->__data.__wrefs & COND_MONOTONIC) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    if (!is_here(cond, until))
        return HOST_UNTIL(clock, until, host_real.pthread_cond_timedwait(cond, mutex, until));
    const struct call call = {"pthread_cond_timedwait", HOST_CALL_SITE()};
    return wait_here(cond, mutex, clock, until, &call);
}

HOST_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond,
                                       pthread_mutex_t *restrict mutex, clockid_t clock,
                                       const struct timespec *restrict until)
{
    if (!is_here(cond, until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return HOST_UNTIL(clock, until,
                          host_real.pthread_cond_clockwait(cond, mutex, clock, until));
    const struct call call = {"pthread_cond_clockwait", HOST_CALL_SITE()};
    return wait_here(cond, mutex, clock, until, &call);
}

/* Waiters here first; those of the real function, if any, are the runtime's or another
 * process's. */
HOST_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
    if (host_has(HOST_SYNC) && wake(cond, false, host_inside() ? NULL : host_moment_make()))
        return 0;
    return host_real.pthread_cond_signal(cond);
}

HOST_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (host_has(HOST_SYNC))
        (void)wake(cond, true, host_inside() ? NULL : host_moment_make());
    return host_real.pthread_cond_broadcast(cond);
}

void host_conds_end(void)
{
    for (struct bucket *bucket = buckets; bucket < buckets + (1u << BUCKETS_LOG2); bucket++) {
        host_lock_take(&bucket->lock);
        while (bucket->oldest)
            wake_locked(bucket, bucket->oldest, NULL);
        host_lock_drop(&bucket->lock);
    }
}

void host_conds_forked(void)
{
    memset(buckets, 0, sizeof(buckets));
}
