/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of control_suite.c, by file. */
#ifndef TWINRT_CONFORMANCE_CONTROL_TESTS_H
#define TWINRT_CONFORMANCE_CONTROL_TESTS_H

#include "suite.h"

/* Device time after which a task of twin_fail_task fails, and a later bound. */
#define FAIL_S     1u
#define FAILED_MS  (5 * SOON_MS)
#define CELL_BYTES 256u

/* Queues a task that fails with ACL_ERROR_RT_TASK_TIMEOUT after FAIL_S: a wait that never ends. The
 * notify is the caller's. */
void twin_fail_task(aclrtNotify notify, aclrtStream stream);
aclrtNotify twin_notify(void);
/* Queues a fill of one cell. */
void twin_mark(twin_buffer *cells, unsigned index, int value, aclrtStream stream);
/* Whether all bytes of a cell have that value, as read by a synchronous copy. */
bool twin_marked(twin_buffer *cells, unsigned index, int value);
/* Returns when every other thread that takes part waits in the runtime: `parked` is a stream that
 * is held. */
void twin_until_others_wait(aclrtStream parked);

/* control_failure.c */
void test_continue_is_the_default(void);
void test_several_failures(void);
void test_stop_ends_the_stream(void);
void test_stop_ends_the_context(void);
void test_stop_spares_other_contexts(void);
void test_stop_is_sticky(void);
void test_stop_reaches_new_streams(void);
void test_stop_cannot_be_taken_back(void);
void test_mode_refusals(void);
void test_mode_of_the_default_stream(void);
void test_stop_again_after_a_failure(void);
void test_events_after_a_failure(void);
void test_threads_are_released_by_a_failure(void);
void test_device_abort_lets_a_context_go_on(void);
void test_streams_of_a_model(void);

/* control_attribute.c */
void test_attribute_refusals(void);
void test_attributes_and_getters(void);
void test_attribute_values(void);
void test_priority_counts(void);
void test_overflow_switch(void);
void test_last_task(void);
void test_info_of_last_task(void);

/* control_abort.c */
void test_abort_and_go_on(void);
void test_abort_keeps_finished_work(void);
void test_submitting_beside_an_abort(void);
void test_abort_releases_threads(void);
void test_abort_releases_a_sender(void);
void test_abort_leaves_others_waiting(void);
void test_abort_refusals(void);
void test_stop_ends_one_task(void);
void test_stop_ends_a_fill(void);
void test_stop_refusals(void);
void test_device_abort(void);
void test_device_abort_refusals(void);
void test_device_abort_releases_threads(void);
void test_calls_during_a_device_abort(void);
void test_device_abort_callbacks(void);
void test_device_abort_budget(void);
void test_callback_ends_the_abort(void);

/* control_storm.c */
void test_control_and_destruction(void);

/* control_exception.c */
void test_exception_registration(void);
void test_exception_callbacks_coexist(void);
void test_exception_unregister(void);
void test_exception_renewal(void);
void test_exception_set(void);
void test_exception_comes_before_the_code(void);
void test_exception_in_stop_mode(void);
void test_exception_without_info(void);
void test_exception_thread(void);
void test_exception_of_no_kernel(void);
void test_error_report(void);
void test_error_repair(void);
void test_memory_errors(void);

#endif
