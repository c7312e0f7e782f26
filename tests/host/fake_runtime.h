/* SPDX-License-Identifier: Apache-2.0 */
/* A small replacement of the runtime for libtwinrt-host.so: clocks of threads that only the
 * library's calls move, and queries of the library for tests that wait. Nothing here carries a
 * clock or blocks in an interposed function. */
#ifndef TWINRT_TESTS_HOST_FAKE_RUNTIME_H
#define TWINRT_TESTS_HOST_FAKE_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/host_time.h"

/* Binds, once. */
void fake_start(void);
/* This thread's clock. */
uint64_t fake_clock(void);
void fake_clock_set(uint64_t at_ns);
/* Whether this thread runs code of the runtime. */
void fake_inside(bool inside);
/* Calls of host.changed so far. */
unsigned fake_changes(void);

/* Threads that the library reports as blocked, and its stamp. */
unsigned fake_blocked(void);
uint64_t fake_stamp(void);
/* The library's state of a thread; false: it does not list it as blocked. Strings are static. */
bool fake_find(uint32_t system_id, twin_host_thread *out_thread);
unsigned fake_listed(void);

/* Each waits up to 20 s of real time. */
bool fake_blocked_becomes(unsigned count);
bool fake_changes_become(unsigned count);
bool fake_lists(uint32_t system_id, const char *blocked_in);
bool fake_stage_becomes(atomic_int *stage, int at_least);

/* A second thread of a test. */
typedef struct fake_thread {
    void (*run)(void *argument);
    void *argument;
    uint64_t clock; /* its clock at the begin, set after the creator's */
    pthread_t thread;
    _Atomic uint32_t system_id; /* once it runs */
    atomic_int stage;           /* for the test */
    atomic_bool held;           /* in a signal handler */
    atomic_bool go_on;
} fake_thread;

void fake_thread_start(fake_thread *thread);
/* Joins without following. */
void fake_thread_end(fake_thread *thread);
/* The thread, which is blocked, runs a signal handler from now until fake_release. */
bool fake_hold(fake_thread *thread);
void fake_release(fake_thread *thread);

#endif
