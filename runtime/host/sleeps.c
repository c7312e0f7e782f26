/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps and waits for files: those that time out advance the thread's clock by their duration,
 * once they have taken it. */
#include "threads.h"
#include "turn_sync.h"

#define NS_PER_MS     1000000ull
#define NS_PER_US     1000ull
#define NS_PER_S_HALF 500000000

/* Runs `expression`, which blocks, with the wait marked for reports. */
#define WITH_WAIT(name, object, type, expression)                                                  \
    __extension__({                                                                                \
        HOST_SCOPE(scope);                                                                         \
        if (host_has(HOST_SYNC))                                                                   \
            host_enter_other(&scope, name, object, HOST_CALL_SITE());                              \
        type waited = (expression);                                                                \
        host_leave(&scope);                                                                        \
        waited;                                                                                    \
    })

static struct timespec ns_as_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / HOST_NS_PER_S),
                             .tv_nsec = (long)(ns % HOST_NS_PER_S)};
}

/* Sleeps in the order of threads. 0, or an errno with what is left; TURN_REAL: there is none. */
static int nap(uint64_t ns, struct timespec *left)
{
    struct turn_thread *turn = turn_mine();
    if (!turn)
        return TURN_REAL;
    int result = turn_sleep(turn, ns, &ns);
    const struct timespec rest = ns_as_timespec(ns);
    if (result == EAGAIN)
        return host_real.clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, left);
    if (result != 0 && left)
        *left = rest;
    return result;
}

/* As functions that set errno return it. */
static int as_result(int error)
{
    if (error != 0)
        errno = error;
    return error != 0 ? -1 : 0;
}

HOST_EXPORT int nanosleep(const struct timespec *duration, struct timespec *left)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.nanosleep(duration, left);
    struct timespec asked = *duration; /* `left` may be the same object */
    int napped = nap(host_timespec_ns(&asked), left);
    int result = napped != TURN_REAL
                     ? as_result(napped)
                     : WITH_WAIT("nanosleep", NULL, int, host_real.nanosleep(duration, left));
    if (result == 0)
        host_advance(host_timespec_ns(&asked));
    return result;
}

HOST_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                struct timespec *left)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.clock_nanosleep(clock, flags, time, left);
    struct host_deadline deadline = {.ns = host_timespec_ns(time)};
    if ((flags & TIMER_ABSTIME) != 0)
        deadline = host_deadline_of(clock, time);
    int result = WITH_WAIT("clock_nanosleep", NULL, int,
                           host_real.clock_nanosleep(clock, flags, time, left));
    if (result == 0)
        host_deadline_passed(&deadline);
    return result;
}

HOST_EXPORT int usleep(useconds_t us)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.usleep(us);
    int napped = nap(us * NS_PER_US, NULL);
    int result = napped != TURN_REAL ? as_result(napped)
                                     : WITH_WAIT("usleep", NULL, int, host_real.usleep(us));
    if (result == 0)
        host_advance(us * NS_PER_US);
    return result;
}

HOST_EXPORT unsigned sleep(unsigned seconds)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.sleep(seconds);
    struct timespec rest = {0};
    unsigned left = 0;
    int napped = nap(seconds * HOST_NS_PER_S, &rest);
    if (napped == TURN_REAL)
        left = WITH_WAIT("sleep", NULL, unsigned, host_real.sleep(seconds));
    else if (napped != 0)
        left = (unsigned)rest.tv_sec + (rest.tv_nsec >= NS_PER_S_HALF);
    if (left == 0)
        host_advance(seconds * HOST_NS_PER_S);
    return left;
}

HOST_EXPORT int thrd_sleep(const struct timespec *duration, struct timespec *left)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.thrd_sleep(duration, left);
    struct timespec asked = *duration;
    int napped = nap(host_timespec_ns(&asked), left);
    int result = napped != TURN_REAL
                     ? as_result(napped)
                     : WITH_WAIT("thrd_sleep", NULL, int, host_real.thrd_sleep(duration, left));
    if (result == 0)
        host_advance(host_timespec_ns(&asked));
    return result;
}

/* A wait for files that returned 0 has timed out. */
static int ended(int result, uint64_t limit_ns)
{
    if (result == 0)
        host_advance(limit_ns);
    return result;
}

static uint64_t ms_as_ns(int ms)
{
    return ms > 0 ? (uint64_t)ms * NS_PER_MS : 0;
}

static uint64_t limit_as_ns(const struct timespec *limit)
{
    return limit ? host_timespec_ns(limit) : 0;
}

HOST_EXPORT int poll(struct pollfd *fds, nfds_t count, int limit_ms)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.poll(fds, count, limit_ms);
    return ended(WITH_WAIT("poll", fds, int, host_real.poll(fds, count, limit_ms)),
                 ms_as_ns(limit_ms));
}

HOST_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int limit_ms, size_t bytes)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.__poll_chk(fds, count, limit_ms, bytes);
    return ended(WITH_WAIT("poll", fds, int, host_real.__poll_chk(fds, count, limit_ms, bytes)),
                 ms_as_ns(limit_ms));
}

HOST_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
                      const sigset_t *mask)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.ppoll(fds, count, limit, mask);
    return ended(WITH_WAIT("ppoll", fds, int, host_real.ppoll(fds, count, limit, mask)),
                 limit_as_ns(limit));
}

HOST_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit,
                            const sigset_t *mask, size_t bytes)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.__ppoll_chk(fds, count, limit, mask, bytes);
    return ended(
        WITH_WAIT("ppoll", fds, int, host_real.__ppoll_chk(fds, count, limit, mask, bytes)),
        limit_as_ns(limit));
}

HOST_EXPORT int select(int count, fd_set *reads, fd_set *writes, fd_set *others,
                       struct timeval *limit)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.select(count, reads, writes, others, limit);
    uint64_t limit_ns = 0;
    if (limit && limit->tv_sec >= 0 && limit->tv_usec >= 0) /* the call writes what is left */
        limit_ns = (uint64_t)limit->tv_sec * HOST_NS_PER_S + (uint64_t)limit->tv_usec * NS_PER_US;
    return ended(
        WITH_WAIT("select", NULL, int, host_real.select(count, reads, writes, others, limit)),
        limit_ns);
}

HOST_EXPORT int pselect(int count, fd_set *reads, fd_set *writes, fd_set *others,
                        const struct timespec *limit, const sigset_t *mask)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.pselect(count, reads, writes, others, limit, mask);
    return ended(WITH_WAIT("pselect", NULL, int,
                           host_real.pselect(count, reads, writes, others, limit, mask)),
                 limit_as_ns(limit));
}

HOST_EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int limit_ms)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.epoll_wait(fd, events, count, limit_ms);
    return ended(
        WITH_WAIT("epoll_wait", NULL, int, host_real.epoll_wait(fd, events, count, limit_ms)),
        ms_as_ns(limit_ms));
}

HOST_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int limit_ms,
                            const sigset_t *mask)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.epoll_pwait(fd, events, count, limit_ms, mask);
    return ended(WITH_WAIT("epoll_pwait", NULL, int,
                           host_real.epoll_pwait(fd, events, count, limit_ms, mask)),
                 ms_as_ns(limit_ms));
}

HOST_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    if (!host_on(HOST_SLEEPS))
        return host_real.sigtimedwait(set, info, limit);
    int result = WITH_WAIT("sigtimedwait", NULL, int, host_real.sigtimedwait(set, info, limit));
    if (result == -1 && errno == EAGAIN)
        host_advance(limit_as_ns(limit));
    return result;
}
