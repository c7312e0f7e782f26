/* SPDX-License-Identifier: Apache-2.0 */
/* Waits inside the core for another thread of the process. They are counted, so that a backend can
 * prove that no thread can act (services.blocked). The thread that ends such a wait takes it off
 * the count before the waiting thread runs. */
#ifndef TWINRT_CORE_BACKEND_BLOCKED_H
#define TWINRT_CORE_BACKEND_BLOCKED_H

#include <stdint.h>

#include "core/base/lock.h"

/* A condition variable; guarded by the lock that its waits name. */
typedef struct twin_cond {
    pthread_cond_t changed;
    unsigned waiting; /* threads counted as blocked */
    unsigned rounds;  /* broadcasts so far */
} twin_cond;

#define TWIN_COND_INITIALIZER                                                                      \
    {                                                                                              \
        PTHREAD_COND_INITIALIZER, 0, 0                                                             \
    }

void twin_cond_init(twin_cond *condition);
/* Returns after the next broadcast. The lock is held, and stays the thread's by rank; the thread is
 * detached from the backend meanwhile. */
void twin_cond_wait(twin_cond *condition, twin_lock *lock);
/* Ends all waits. The lock is held. */
void twin_cond_broadcast(twin_cond *condition);

/* A wait without a condition variable: the calling thread will block / another one has ended
 * that. */
void twin_blocked_begin(void);
void twin_blocked_end(void);

/* services.blocked */
uint32_t twin_blocked_count(uint64_t *out_stamp);
/* In a forked child: none of the waiting threads exists. */
void twin_blocked_forked(void);

#endif
