/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the across suite; across_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_ACROSS_TESTS_H
#define TWINRT_CONFORMANCE_ACROSS_TESTS_H

/* across_memory.c */
void test_rows_between_devices(void);
void test_reductions_between_devices(void);
void test_mapped_for_a_peer(void);

/* across_signal.c */
void test_shared_notify_takes_its_way(void);
void test_shared_event_takes_its_way(void);
void test_shared_notify_outlives_its_creator(void);
void test_shared_notify_and_a_reset_there(void);
void test_shared_event_of_three(void);
void test_shared_event_dropped(void);
void test_shared_deadlock(void);

#endif
