/* SPDX-License-Identifier: Apache-2.0 */
#include "cond.h"

#include "marks.h"
#include "threads.h"
#include "turn_sync.h"

static bool has_lock(int error)
{
    return error == 0 || error == EOWNERDEAD;
}

/* It is taken, or cannot be locked: the real function says which. */
__attribute__((noinline)) static int lock_slowly(pthread_mutex_t *mutex, const char *name,
                                                 const void *call_site)
{
    HOST_SCOPE(scope);
    const struct host_wait wait = {
        .kind = HOST_WAIT_MUTEX, .name = name, .object = mutex, .call_site = call_site};
    host_enter(&scope, &wait);
    int error =
        TURN_OR(turn_mutex_wait(turn, mutex, TWIN_FOREVER), host_real.pthread_mutex_lock(mutex));
    host_leave(&scope);
    if (has_lock(error))
        host_mark_acquired(mutex);
    return error;
}

int host_mutex_lock(pthread_mutex_t *mutex, const char *name, const void *call_site)
{
    turn_stop();
    int error = host_real.pthread_mutex_trylock(mutex);
    if (HOST_UNLIKELY(!has_lock(error)))
        return lock_slowly(mutex, name, call_site);
    host_mark_acquired(mutex);
    return error;
}

int host_mutex_unlock(pthread_mutex_t *mutex)
{
    host_mark_released(mutex);
    int error = host_real.pthread_mutex_unlock(mutex);
    turn_released(mutex, 1);
    return error;
}

/* By the runtime. */
static int lock_inside(pthread_mutex_t *mutex)
{
    if (HOST_LIKELY(!turn_on()) || host_real.pthread_mutex_trylock(mutex) != 0)
        return TURN_OR(turn_mutex_wait(turn, mutex, TWIN_FOREVER),
                       host_real.pthread_mutex_lock(mutex));
    return 0;
}

HOST_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!host_on(HOST_SYNC))
        return lock_inside(mutex);
    return host_mutex_lock(mutex, "pthread_mutex_lock", HOST_CALL_SITE());
}

HOST_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    bool on = host_on(HOST_SYNC);
    turn_stop();
    int error = host_real.pthread_mutex_trylock(mutex);
    if (on && has_lock(error))
        host_mark_acquired(mutex);
    return error;
}

static int lock_until(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
                      bool by_clock, const void *call_site)
{
    turn_stop();
    int error = host_real.pthread_mutex_trylock(mutex);
    if (!has_lock(error)) {
        struct host_deadline deadline = host_deadline_of(clock, until);
        HOST_SCOPE(scope);
        host_enter_other(&scope, by_clock ? "pthread_mutex_clocklock" : "pthread_mutex_timedlock",
                         mutex, call_site);
        error = TURN_OR(turn_mutex_wait(turn, mutex, deadline.ns),
                        by_clock ? host_real.pthread_mutex_clocklock(mutex, clock, until)
                                 : host_real.pthread_mutex_timedlock(mutex, until));
        host_leave(&scope);
        if (error == ETIMEDOUT)
            host_deadline_passed(&deadline);
    }
    if (has_lock(error))
        host_mark_acquired(mutex);
    return error;
}

HOST_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
                                        const struct timespec *restrict until)
{
    if (!host_on(HOST_SYNC))
        return HOST_UNTIL(CLOCK_REALTIME, until, host_real.pthread_mutex_timedlock(mutex, until));
    return lock_until(mutex, CLOCK_REALTIME, until, false, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                        const struct timespec *restrict until)
{
    if (!host_on(HOST_SYNC))
        return HOST_UNTIL(clock, until, host_real.pthread_mutex_clocklock(mutex, clock, until));
    return lock_until(mutex, clock, until, true, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (host_on(HOST_SYNC))
        return host_mutex_unlock(mutex);
    int error = host_real.pthread_mutex_unlock(mutex);
    turn_released(mutex, 1);
    return error;
}

HOST_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    if (host_has(HOST_SYNC))
        host_mark_remove(mutex);
    return host_real.pthread_mutex_destroy(mutex);
}

/* A spin lock is never slept for: who waits for one runs, and is not counted. */
HOST_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    bool on = host_on(HOST_SYNC);
    turn_stop();
    int error = TURN_OR(turn_spin_wait(turn, (pthread_spinlock_t *)(uintptr_t)lock),
                        host_real.pthread_spin_lock(lock));
    if (on && error == 0)
        host_mark_acquired(lock);
    return error;
}

HOST_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    bool on = host_on(HOST_SYNC);
    turn_stop();
    int error = host_real.pthread_spin_trylock(lock);
    if (on && error == 0)
        host_mark_acquired(lock);
    return error;
}

HOST_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    if (host_on(HOST_SYNC))
        host_mark_released(lock);
    int error = host_real.pthread_spin_unlock(lock);
    turn_released(lock, 1);
    return error;
}

HOST_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    if (host_has(HOST_SYNC))
        host_mark_remove(lock);
    return host_real.pthread_spin_destroy(lock);
}
