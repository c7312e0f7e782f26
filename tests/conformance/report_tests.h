/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of host functions and of waits around callbacks, and what they share with the suite's main
 * file. */
#ifndef TWINRT_CONFORMANCE_REPORT_TESTS_H
#define TWINRT_CONFORMANCE_REPORT_TESTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "suite.h"

uint64_t report_self(void);
/* A callback that counts in an atomic_int. */
void report_count(void *argument);

/* A thread that calls aclrtProcessReport until it has to end. */
typedef struct report_loop {
    aclrtContext context;
    int limit_ms;
    atomic_bool end;
    _Atomic uint64_t thread;
    pthread_barrier_t known;
    twin_threads *threads;
} report_loop;
void report_loop_begin(report_loop *self, aclrtStream stream, int limit_ms);
void report_loop_end(report_loop *self, aclrtStream stream);

void test_host_function_in_order(void);
void test_host_function_effects(void);
void test_host_functions_alone(void);
void test_contexts_side_by_side(void);
void test_host_function_arguments(void);
void test_calls_inside(void);
void test_end_from_inside(void);
void test_waiting_beside_the_runtime(void);
void test_processing_for_ever(void);
void test_wait_beside_a_loop(void);
void test_dropped_callbacks(void);
void test_exit_with_services(void);
void test_same_timeline(void);

/* Children. */
void report_exit_with_services(void);
void report_timeline(void);

#endif
