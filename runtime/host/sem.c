/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores of this process (sem_init with pshared 0). The n-th wait that returns follows the n-th
 * post: tokens are first in, first out. Posts and waits are counted wherever they come from, the
 * runtime included; only the program's carry clocks. */
#include "objects.h"
#include "proof.h"
#include "threads.h"
#include "turn_sync.h"

HOST_EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    bool known = host_has(HOST_SYNC);
    int result = host_real.sem_init(semaphore, shared, value);
    if (!known || result != 0)
        return result;
    if (shared) {
        host_object_remove(semaphore);
        return result;
    }
    struct host_object *object = host_object_add(semaphore, HOST_OBJECT_SEM);
    if (object) {
        atomic_store(&object->count, value);
        object->tokens[0].count = value;
        object->used = value > 0;
    }
    return result;
}

HOST_EXPORT int sem_destroy(sem_t *semaphore)
{
    if (host_has(HOST_SYNC))
        host_object_remove(semaphore);
    return host_real.sem_destroy(semaphore);
}

/* Adds to the count; the object is taken. Readers of the count take nothing. */
static void count_locked(struct host_object *object, int64_t change)
{
    atomic_store_explicit(&object->count,
                          atomic_load_explicit(&object->count, memory_order_relaxed) + change,
                          memory_order_release);
}

/* One token more, with the calling thread's moment. */
static void put_token(struct host_object *object)
{
    static const twin_host_moment none;
    const twin_host_moment *moment = host_inside() ? NULL : host_moment();
    if (!moment)
        moment = &none;
    if (!host_object_take(object)) {
        atomic_store(&object->mixed, true);
        return;
    }
    struct host_tokens *last = NULL;
    if (object->used > 0)
        last = &object->tokens[(object->first + object->used - 1) % HOST_MOMENTS];
    if (last && (object->used == HOST_MOMENTS || host_same_moment(&last->moment, moment))) {
        if (moment->system_id != 0 && object->used == HOST_MOMENTS)
            last->moment = *moment;
        last->count++;
    } else {
        object->tokens[(object->first + object->used++) % HOST_MOMENTS] =
            (struct host_tokens){.moment = *moment, .count = 1};
    }
    count_locked(object, 1);
    host_object_drop(object);
}

/* The calling thread has taken a token. */
static void take_token(sem_t *semaphore)
{
    struct host_object *object = host_object_find(semaphore, HOST_OBJECT_SEM);
    if (!object)
        return;
    if (!host_object_take(object)) {
        atomic_store(&object->mixed, true);
        return;
    }
    const twin_host_moment *own = host_moment();
    twin_host_moment moment;
    bool others = false;
    if (object->used > 0) {
        struct host_tokens *first = &object->tokens[object->first];
        others =
            first->moment.system_id != 0 && (!own || first->moment.system_id != own->system_id);
        if (others)
            moment = first->moment;
        if (--first->count == 0) {
            object->first = (object->first + 1) % HOST_MOMENTS;
            object->used--;
        }
    }
    count_locked(object, -1);
    host_object_drop(object);
    if (others && !host_inside() && host_moment_make())
        host_follow(&moment);
}

HOST_EXPORT int sem_post(sem_t *semaphore)
{
    struct host_object *object = NULL;
    if (host_has(HOST_SYNC) && (object = host_object_find(semaphore, HOST_OBJECT_SEM)))
        put_token(object);
    int result =
        host_real.sem_post(semaphore); /* fails on an overflow alone: no thread waits then */
    turn_released(semaphore, 1);
    return result;
}

HOST_EXPORT int sem_trywait(sem_t *semaphore)
{
    bool known = host_has(HOST_SYNC);
    turn_stop();
    int result = host_real.sem_trywait(semaphore);
    if (known && result == 0)
        take_token(semaphore);
    return result;
}

/* The result of a wait in the order of threads: an errno or TURN_REAL. */
static int as_result(int error)
{
    if (error > 0)
        errno = error;
    return error > 0 ? -1 : error;
}

/* Takes a token that is there. */
static bool take_at_once(sem_t *semaphore)
{
    int error = errno;
    pthread_testcancel(); /* as a wait does first */
    turn_stop();
    if (host_real.sem_trywait(semaphore) == 0) {
        take_token(semaphore);
        return true;
    }
    errno = error;
    return false;
}

__attribute__((noinline)) static int wait_slowly(sem_t *semaphore, const void *call_site)
{
    struct host_object *object = host_object_find(semaphore, HOST_OBJECT_SEM);
    HOST_SCOPE(scope);
    const struct host_wait wait = {.kind = object ? HOST_WAIT_SEM : HOST_WAIT_OTHER,
                                   .name = "sem_wait",
                                   .object = semaphore,
                                   .call_site = call_site,
                                   .proof = object};
    if (!host_inside())
        host_enter(&scope, &wait);
    int result = TURN_OR(as_result(turn_sem_wait(turn, semaphore, TWIN_FOREVER)),
                         host_real.sem_wait(semaphore));
    host_leave(&scope);
    if (result == 0)
        take_token(semaphore);
    return result;
}

HOST_EXPORT int sem_wait(sem_t *semaphore)
{
    if (!host_has(HOST_SYNC))
        return host_real.sem_wait(semaphore);
    return take_at_once(semaphore) ? 0 : wait_slowly(semaphore, HOST_CALL_SITE());
}

static int wait_until(sem_t *semaphore, clockid_t clock, const struct timespec *until,
                      bool by_clock, const void *call_site)
{
    if (take_at_once(semaphore))
        return 0;
    bool on = !host_inside();
    const struct host_deadline deadline = host_deadline_of(clock, until);
    HOST_SCOPE(scope);
    if (on)
        host_enter_other(&scope, by_clock ? "sem_clockwait" : "sem_timedwait", semaphore,
                         call_site);
    int result = TURN_OR(as_result(turn_sem_wait(turn, semaphore, deadline.ns)),
                         by_clock ? host_real.sem_clockwait(semaphore, clock, until)
                                  : host_real.sem_timedwait(semaphore, until));
    host_leave(&scope);
    if (result == 0)
        take_token(semaphore);
    else if (on && errno == ETIMEDOUT)
        host_deadline_passed(&deadline);
    return result;
}

HOST_EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    if (!host_has(HOST_SYNC))
        return HOST_UNTIL(CLOCK_REALTIME, until, host_real.sem_timedwait(semaphore, until));
    return wait_until(semaphore, CLOCK_REALTIME, until, false, HOST_CALL_SITE());
}

HOST_EXPORT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                              const struct timespec *restrict until)
{
    if (!host_has(HOST_SYNC))
        return HOST_UNTIL(clock, until, host_real.sem_clockwait(semaphore, clock, until));
    return wait_until(semaphore, clock, until, true, HOST_CALL_SITE());
}

bool host_sem_empty(const void *proof, const void *semaphore)
{
    const struct host_object *object = proof;
    if (atomic_load(&object->key) != (uintptr_t)semaphore || atomic_load(&object->mixed) ||
        atomic_load(&object->count) != 0)
        return false;
    int value = 1;
    sem_t *real = (sem_t *)(uintptr_t)semaphore;
    return host_real.sem_getvalue(real, &value) == 0 && value == 0;
}
