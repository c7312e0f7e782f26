/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the time suite; time_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_TIME_TESTS_H
#define TWINRT_CONFORMANCE_TIME_TESTS_H

/* time_clock.c */
void test_copy_time_is_the_profiles(void);
void test_times_are_on_the_grid(void);
void test_host_calls_take_time(void);
void test_submitting_moves_nothing(void);
void test_time_never_runs_backwards(void);
void test_timeouts_cost_no_wall_time(void);
void test_unsynchronised_reads_are_old(void);
void test_polling_ends(void);
void test_runs_repeat(void);
void test_timelines_repeat(void);
void child_timestamps(void);

/* time_deadlock.c */
void test_deadlock_on_a_stream(void);
void test_deadlock_on_an_event(void);
void test_deadlock_of_the_device(void);
void test_deadlock_of_a_circle(void);
void test_deadlock_of_several_threads(void);
void test_destroying_a_parked_stream(void);
void test_no_deadlock_while_a_thread_runs(void);
void test_deadlock_once_the_last_thread_ends(void);
void test_forced_reset_beside_an_idle_thread(void);

/* time_ring.c */
void test_full_ring_holds_the_sender(void);
void test_full_ring_that_nothing_can_empty(void);
void test_ring_wraps(void);

#endif
