/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of this process: every thread of a round follows all others of it. */
#include "objects.h"
#include "proof.h"
#include "threads.h"
#include "turn_sync.h"

static bool is_shared(const pthread_barrierattr_t *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes)
        (void)pthread_barrierattr_getpshared(attributes, &shared);
    return shared != PTHREAD_PROCESS_PRIVATE;
}

HOST_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                                     const pthread_barrierattr_t *restrict attributes,
                                     unsigned count)
{
    bool known = host_has(HOST_SYNC);
    int error = host_real.pthread_barrier_init(barrier, attributes, count);
    if (!known || error != 0)
        return error;
    if (is_shared(attributes)) {
        host_object_remove(barrier);
        return error;
    }
    struct host_object *object = host_object_add(barrier, HOST_OBJECT_BARRIER);
    if (object)
        object->threads = count;
    return error;
}

HOST_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    if (host_has(HOST_SYNC))
        host_object_remove(barrier);
    return host_real.pthread_barrier_destroy(barrier);
}

/* Leaves the calling thread's moment for the others of `round`. */
static void arrive(struct host_object *object, uint64_t round)
{
    const twin_host_moment *moment = host_inside() ? NULL : host_moment_make();
    if (!moment || !host_object_take(object))
        return;
    unsigned bank = round & 1;
    if (object->bank_round[bank] != round) {
        object->bank_round[bank] = round;
        object->bank_used[bank] = 0;
    }
    host_moments_put(object->banks[bank], &object->bank_used[bank], HOST_BANK, moment);
    host_object_drop(object);
}

/* The bank stays as it is until this thread arrives again: the round after the next begins only
 * then. */
static void follow_round(struct host_object *object, uint64_t round)
{
    unsigned bank = round & 1;
    if (!host_inside() && host_moment_make() && object->bank_round[bank] == round)
        for (uint32_t i = 0; i < object->bank_used[bank]; i++)
            host_follow(&object->banks[bank][i]);
}

HOST_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct host_object *object = NULL;
    if (host_has(HOST_SYNC))
        object = host_object_find(barrier, HOST_OBJECT_BARRIER);
    HOST_SCOPE(scope);
    if (!object) {
        if (host_on(HOST_SYNC))
            host_enter_other(&scope, "pthread_barrier_wait", barrier, HOST_CALL_SITE());
        return host_real.pthread_barrier_wait(barrier);
    }

    uint64_t threads = object->threads;
    /* With more threads at once than a round has, who belongs to which round is the real barrier's
     * to say. */
    if (atomic_fetch_add(&object->inside, 1) >= threads)
        atomic_store(&object->mixed, true);
    uint64_t arrival = (uint64_t)atomic_fetch_add(&object->count, 1);
    uint64_t round = arrival / threads;
    arrive(object, round); /* before the real call, so that all of a round are there when it ends */
    const struct host_wait wait = {.kind = HOST_WAIT_BARRIER,
                                   .name = "pthread_barrier_wait",
                                   .object = barrier,
                                   .call_site = HOST_CALL_SITE(),
                                   .proof = object,
                                   .number = round};
    if (arrival + 1 != (round + 1) * threads && !host_inside())
        host_enter(&scope, &wait);
    int result = TURN_OR(turn_barrier_wait(turn, &object->count, (round + 1) * threads),
                         host_real.pthread_barrier_wait(barrier));
    host_leave(&scope);
    follow_round(object, round);
    atomic_fetch_sub(&object->inside, 1);
    return result;
}

bool host_barrier_open(const void *proof, const void *barrier, uint64_t round)
{
    const struct host_object *object = proof;
    return atomic_load(&object->key) == (uintptr_t)barrier && !atomic_load(&object->mixed) &&
           (uint64_t)atomic_load(&object->count) < (round + 1) * object->threads;
}
