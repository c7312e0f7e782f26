/* SPDX-License-Identifier: Apache-2.0 */
/* A wait for threads that the runtime can see, for programs that test proven deadlocks: it reports
 * the waiting thread as blocked, as libtwinrt-host.so does for interposed waits. The program
 * exports its symbols (ENABLE_EXPORTS). */
#ifndef TWINRT_TESTS_HOST_LATCH_H
#define TWINRT_TESTS_HOST_LATCH_H

#include <pthread.h>

typedef struct host_latch {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    unsigned left; /* guarded by lock */
    unsigned waiting;
} host_latch;

/* It opens when it has been counted down so many times. */
void host_latch_init(host_latch *latch, unsigned count);
void host_latch_count_down(host_latch *latch);
/* Until it is open; the thread counts as blocked. */
void host_latch_wait(host_latch *latch);

#endif
