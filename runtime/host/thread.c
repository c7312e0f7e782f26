/* SPDX-License-Identifier: Apache-2.0 */
/* pthread_create, pthread_join and their relatives: what a thread does comes after what its creator
 * did before, and what the joining thread does after it comes after all of it. */
#include "threads.h"
#include "turn_sync.h"

static bool asks_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        (void)pthread_attr_getdetachstate(attributes, &state);
    return state == PTHREAD_CREATE_DETACHED;
}

HOST_EXPORT int pthread_create(pthread_t *out_thread, const pthread_attr_t *attributes,
                               void *(*function)(void *), void *argument)
{
    struct host_thread *thread = NULL;
    struct turn_thread *turn = turn_mine(); /* threads of the runtime are in the order too */
    if (turn || host_on(HOST_SYNC))
        thread = host_thread_make(asks_detached(attributes), function, argument);
    if (!thread)
        return host_real.pthread_create(out_thread, attributes, function, argument);
    if (turn)
        thread->turn = turn_thread_adopt(turn);
    struct turn_thread *made =
        thread->turn; /* the record may be another thread's when it has ended */
    int error = host_real.pthread_create(out_thread, attributes, host_thread_run, thread);
    if (made)
        turn_thread_created(turn, made, error == 0 ? *out_thread : 0, asks_detached(attributes),
                            error);
    host_thread_made(thread, error == 0 ? *out_thread : 0, error);
    return error;
}

/* A join in progress. */
struct join {
    struct host_thread *thread; /* NULL: not known */
    uint64_t number;
};

static struct join begin_join(pthread_t handle, struct host_scope *scope, const char *name,
                              bool endless, const void *call_site)
{
    struct join join = {.thread = host_thread_find(handle)};
    if (join.thread)
        join.number = atomic_load(&join.thread->number);
    struct host_wait wait = {.kind = HOST_WAIT_OTHER, .name = name, .call_site = call_site};
    if (join.thread && endless) {
        wait.kind = HOST_WAIT_JOIN;
        wait.proof = join.thread;
        wait.number = join.number;
    }
    host_enter(scope, &wait);
    return join;
}

static void end_join(const struct join *join, struct host_scope *scope, int error)
{
    host_leave(scope);
    if (error != 0 || !join->thread)
        return;
    twin_host_moment end;
    host_thread_joined(join->thread, join->number, &end);
    if (host_moment_make())
        host_follow(&end);
}

HOST_EXPORT int pthread_join(pthread_t handle, void **out_value)
{
    if (!host_on(HOST_SYNC) && !turn_on())
        return host_real.pthread_join(handle, out_value);
    HOST_SCOPE(scope);
    struct join join = begin_join(handle, &scope, "pthread_join", true, HOST_CALL_SITE());
    int error = TURN_OR(turn_join(turn, handle, out_value, TWIN_FOREVER),
                        host_real.pthread_join(handle, out_value));
    end_join(&join, &scope, error);
    return error;
}

HOST_EXPORT int pthread_tryjoin_np(pthread_t handle, void **out_value)
{
    if (!host_on(HOST_SYNC) && !turn_on())
        return host_real.pthread_tryjoin_np(handle, out_value);
    HOST_SCOPE(scope);
    struct join join = begin_join(handle, &scope, "pthread_tryjoin_np", false, HOST_CALL_SITE());
    int error = TURN_OR(turn_tryjoin(turn, handle, out_value),
                        host_real.pthread_tryjoin_np(handle, out_value));
    end_join(&join, &scope, error);
    return error;
}

static int timed_join(pthread_t handle, void **out_value, clockid_t clock,
                      const struct timespec *until, bool by_clock, const void *call_site)
{
    struct host_deadline deadline = {0};
    if (until)
        deadline = host_deadline_of(clock, until);
    const char *name = by_clock ? "pthread_clockjoin_np" : "pthread_timedjoin_np";
    HOST_SCOPE(scope);
    struct join join = begin_join(handle, &scope, name, !until, call_site);
    int error = TURN_OR(turn_join(turn, handle, out_value, until ? deadline.ns : TWIN_FOREVER),
                        by_clock ? host_real.pthread_clockjoin_np(handle, out_value, clock, until)
                                 : host_real.pthread_timedjoin_np(handle, out_value, until));
    end_join(&join, &scope, error);
    if (error == ETIMEDOUT)
        host_deadline_passed(&deadline);
    return error;
}

HOST_EXPORT int pthread_timedjoin_np(pthread_t handle, void **out_value,
                                     const struct timespec *until)
{
    if (!host_on(HOST_SYNC) && !turn_on())
        return HOST_UNTIL(CLOCK_REALTIME, until,
                          host_real.pthread_timedjoin_np(handle, out_value, until));
    return timed_join(handle, out_value, CLOCK_REALTIME, until, false, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_clockjoin_np(pthread_t handle, void **out_value, clockid_t clock,
                                     const struct timespec *until)
{
    if (!host_on(HOST_SYNC) && !turn_on())
        return HOST_UNTIL(clock, until,
                          host_real.pthread_clockjoin_np(handle, out_value, clock, until));
    return timed_join(handle, out_value, clock, until, true, HOST_CALL_SITE());
}

HOST_EXPORT int pthread_detach(pthread_t handle)
{
    int error = host_real.pthread_detach(handle);
    if (error == 0 && host_on(HOST_SYNC))
        host_thread_detached(handle);
    struct turn_thread *turn = turn_mine();
    if (error == 0 && turn)
        turn_thread_detached(turn, handle);
    return error;
}
