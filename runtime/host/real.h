/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that this library interposes on, as the next library in the search order defines
 * them. Code of this folder calls these, never the public names, which are its own. */
#ifndef TWINRT_HOST_REAL_H
#define TWINRT_HOST_REAL_H

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* What _FORTIFY_SOURCE makes of poll and ppoll; glibc declares them nowhere else. */
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t bytes);

/* Sorted. COND: names of which glibc has an older, different version that is left alone. */
#define HOST_REAL(NAME, COND)                                                                      \
    NAME(__poll_chk)                                                                               \
    NAME(__ppoll_chk)                                                                              \
    NAME(clock_gettime)                                                                            \
    NAME(clock_nanosleep)                                                                          \
    NAME(dlmopen)                                                                                  \
    NAME(dlopen)                                                                                   \
    NAME(epoll_pwait)                                                                              \
    NAME(epoll_wait)                                                                               \
    NAME(gettimeofday)                                                                             \
    NAME(nanosleep)                                                                                \
    NAME(poll)                                                                                     \
    NAME(ppoll)                                                                                    \
    NAME(pselect)                                                                                  \
    NAME(pthread_barrier_destroy)                                                                  \
    NAME(pthread_barrier_init)                                                                     \
    NAME(pthread_barrier_wait)                                                                     \
    NAME(pthread_cancel)                                                                           \
    NAME(pthread_clockjoin_np)                                                                     \
    COND(pthread_cond_broadcast)                                                                   \
    NAME(pthread_cond_clockwait)                                                                   \
    COND(pthread_cond_signal)                                                                      \
    COND(pthread_cond_timedwait)                                                                   \
    COND(pthread_cond_wait)                                                                        \
    NAME(pthread_create)                                                                           \
    NAME(pthread_detach)                                                                           \
    NAME(pthread_join)                                                                             \
    NAME(pthread_mutex_clocklock)                                                                  \
    NAME(pthread_mutex_destroy)                                                                    \
    NAME(pthread_mutex_lock)                                                                       \
    NAME(pthread_mutex_timedlock)                                                                  \
    NAME(pthread_mutex_trylock)                                                                    \
    NAME(pthread_mutex_unlock)                                                                     \
    NAME(pthread_once)                                                                             \
    NAME(pthread_rwlock_clockrdlock)                                                               \
    NAME(pthread_rwlock_clockwrlock)                                                               \
    NAME(pthread_rwlock_destroy)                                                                   \
    NAME(pthread_rwlock_rdlock)                                                                    \
    NAME(pthread_rwlock_timedrdlock)                                                               \
    NAME(pthread_rwlock_timedwrlock)                                                               \
    NAME(pthread_rwlock_tryrdlock)                                                                 \
    NAME(pthread_rwlock_trywrlock)                                                                 \
    NAME(pthread_rwlock_unlock)                                                                    \
    NAME(pthread_rwlock_wrlock)                                                                    \
    NAME(pthread_spin_destroy)                                                                     \
    NAME(pthread_spin_lock)                                                                        \
    NAME(pthread_spin_trylock)                                                                     \
    NAME(pthread_spin_unlock)                                                                      \
    NAME(pthread_timedjoin_np)                                                                     \
    NAME(pthread_tryjoin_np)                                                                       \
    NAME(sched_yield)                                                                              \
    NAME(select)                                                                                   \
    NAME(sem_clockwait)                                                                            \
    NAME(sem_destroy)                                                                              \
    NAME(sem_getvalue)                                                                             \
    NAME(sem_init)                                                                                 \
    NAME(sem_post)                                                                                 \
    NAME(sem_timedwait)                                                                            \
    NAME(sem_trywait)                                                                              \
    NAME(sem_wait)                                                                                 \
    NAME(sigtimedwait)                                                                             \
    NAME(sleep)                                                                                    \
    NAME(syscall)                                                                                  \
    NAME(thrd_sleep)                                                                               \
    NAME(time)                                                                                     \
    NAME(usleep)

#define HOST_REAL_FIELD(name) __typeof__(name) *name;
typedef struct host_real_table {
    HOST_REAL(HOST_REAL_FIELD, HOST_REAL_FIELD)
} host_real_table;
#undef HOST_REAL_FIELD

/* Complete once host_start() has returned; before, only the mutex functions are there, for
 * allocators that the dynamic linker calls meanwhile. A function that the C library does not have
 * is NULL, and cannot be called. */
extern host_real_table host_real;

/* Looks all of them up. Thread: the first, before any other exists. */
void host_real_find(void);

#endif
