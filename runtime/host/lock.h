/* SPDX-License-Identifier: Apache-2.0 */
/* A lock of this library. Not a mutex: other interposers, such as a sanitizer's, must not meet it,
 * at the end of a thread above all. */
#ifndef TWINRT_HOST_LOCK_H
#define TWINRT_HOST_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"

typedef struct host_lock {
    atomic_int state; /* 0 free, 1 held, 2 held and waited for */
} host_lock;

static inline void host_lock_take(host_lock *lock)
{
    int state = 0;
    if (HOST_LIKELY(atomic_compare_exchange_strong_explicit(
            &lock->state, &state, 1, memory_order_acquire, memory_order_relaxed)))
        return;
    int error = errno;
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        (void)syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    errno = error;
}

static inline void host_lock_drop(host_lock *lock)
{
    if (HOST_LIKELY(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 1))
        return;
    int error = errno;
    (void)syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error;
}

#endif
