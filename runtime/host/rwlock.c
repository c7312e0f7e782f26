/* SPDX-License-Identifier: Apache-2.0 */
/* Readers follow the last writer; a writer follows it and the readers since. */
#include "objects.h"
#include "proof.h"
#include "threads.h"
#include "turn_sync.h"

/* A release writes its moment before it unlocks, so what this thread reads of writers, and having
 * the lock alone of readers too, is complete and stays: no lock of the object is needed. */
static void acquired(const pthread_rwlock_t *rwlock, bool writes)
{
    if (!host_moment())
        return;
    const struct host_object *object = host_object_find(rwlock, HOST_OBJECT_RWLOCK);
    if (!object)
        return;
    if (HOST_UNLIKELY(object->writer.system_id != 0))
        host_follow(&object->writer);
    for (uint32_t i = 0; writes && i < object->readers_used; i++)
        host_follow(&object->readers[i]);
}

static void released(const pthread_rwlock_t *rwlock)
{
    const twin_host_moment *moment = host_moment();
    if (!moment)
        return;
    struct host_object *object = host_object_find(rwlock, HOST_OBJECT_RWLOCK);
    if (!object && !(object = host_object_add(rwlock, HOST_OBJECT_RWLOCK)))
        return;
    if (!host_object_take(object))
        return;
    if (host_rwlock_owner(rwlock) == moment->system_id) {
        object->writer = *moment;
        object->readers_used = 0;
    } else {
        host_moments_put(object->readers, &object->readers_used, HOST_MOMENTS, moment);
    }
    host_object_drop(object);
}

__attribute__((noinline)) static int lock_slowly(pthread_rwlock_t *rwlock, bool writes,
                                                 const void *call_site)
{
    HOST_SCOPE(scope);
    const struct host_wait wait = {.kind = writes ? HOST_WAIT_WRITE : HOST_WAIT_READ,
                                   .name =
                                       writes ? "pthread_rwlock_wrlock" : "pthread_rwlock_rdlock",
                                   .object = rwlock,
                                   .call_site = call_site};
    host_enter(&scope, &wait);
    int error = TURN_OR(turn_rwlock_wait(turn, rwlock, writes, TWIN_FOREVER),
                        writes ? host_real.pthread_rwlock_wrlock(rwlock)
                               : host_real.pthread_rwlock_rdlock(rwlock));
    host_leave(&scope);
    return error;
}

static inline int lock_endless(pthread_rwlock_t *rwlock, bool writes, const void *call_site)
{
    turn_stop();
    int error = writes ? host_real.pthread_rwlock_trywrlock(rwlock)
                       : host_real.pthread_rwlock_tryrdlock(rwlock);
    if (HOST_UNLIKELY(error != 0))
        error = lock_slowly(rwlock, writes, call_site);
    if (error == 0)
        acquired(rwlock, writes);
    return error;
}

HOST_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
    if (!host_on(HOST_SYNC))
        return host_real.pthread_rwlock_rdlock(rwlock);
    return lock_endless(rwlock, false, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock)
{
    if (!host_on(HOST_SYNC))
        return host_real.pthread_rwlock_wrlock(rwlock);
    return lock_endless(rwlock, true, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *rwlock)
{
    bool on = host_on(HOST_SYNC);
    turn_stop();
    int error = host_real.pthread_rwlock_tryrdlock(rwlock);
    if (on && error == 0)
        acquired(rwlock, false);
    return error;
}

HOST_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *rwlock)
{
    bool on = host_on(HOST_SYNC);
    turn_stop();
    int error = host_real.pthread_rwlock_trywrlock(rwlock);
    if (on && error == 0)
        acquired(rwlock, true);
    return error;
}

/* A real function that locks until a time, and what it is. */
struct timed {
    const char *name;
    bool writes;
    bool by_clock;
};

static int call_timed(const struct timed *timed, pthread_rwlock_t *rwlock, clockid_t clock,
                      const struct timespec *until)
{
    if (timed->by_clock)
        return timed->writes ? host_real.pthread_rwlock_clockwrlock(rwlock, clock, until)
                             : host_real.pthread_rwlock_clockrdlock(rwlock, clock, until);
    return timed->writes ? host_real.pthread_rwlock_timedwrlock(rwlock, until)
                         : host_real.pthread_rwlock_timedrdlock(rwlock, until);
}

static int lock_until(const struct timed *timed, pthread_rwlock_t *rwlock, clockid_t clock,
                      const struct timespec *until, const void *call_site)
{
    if (!host_on(HOST_SYNC))
        return HOST_UNTIL(clock, until, call_timed(timed, rwlock, clock, until));
    turn_stop();
    int error = timed->writes ? host_real.pthread_rwlock_trywrlock(rwlock)
                              : host_real.pthread_rwlock_tryrdlock(rwlock);
    if (error != 0) {
        struct host_deadline deadline = host_deadline_of(clock, until);
        HOST_SCOPE(scope);
        host_enter_other(&scope, timed->name, rwlock, call_site);
        error = TURN_OR(turn_rwlock_wait(turn, rwlock, timed->writes, deadline.ns),
                        call_timed(timed, rwlock, clock, until));
        host_leave(&scope);
        if (error == ETIMEDOUT)
            host_deadline_passed(&deadline);
    }
    if (error == 0)
        acquired(rwlock, timed->writes);
    return error;
}

HOST_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict rwlock,
                                           const struct timespec *restrict until)
{
    static const struct timed timed = {"pthread_rwlock_timedrdlock", false, false};
    return lock_until(&timed, rwlock, CLOCK_REALTIME, until, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict rwlock,
                                           const struct timespec *restrict until)
{
    static const struct timed timed = {"pthread_rwlock_timedwrlock", true, false};
    return lock_until(&timed, rwlock, CLOCK_REALTIME, until, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict rwlock, clockid_t clock,
                                           const struct timespec *restrict until)
{
    static const struct timed timed = {"pthread_rwlock_clockrdlock", false, true};
    return lock_until(&timed, rwlock, clock, until, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict rwlock, clockid_t clock,
                                           const struct timespec *restrict until)
{
    static const struct timed timed = {"pthread_rwlock_clockwrlock", true, true};
    return lock_until(&timed, rwlock, clock, until, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *rwlock)
{
    if (host_on(HOST_SYNC))
        released(rwlock);
    int error = host_real.pthread_rwlock_unlock(rwlock);
    turn_released(rwlock, UINT_MAX); /* readers come together */
    return error;
}

HOST_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *rwlock)
{
    if (host_has(HOST_SYNC))
        host_object_remove(rwlock);
    return host_real.pthread_rwlock_destroy(rwlock);
}
