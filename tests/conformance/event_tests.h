/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the event suite; event_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_EVENT_TESTS_H
#define TWINRT_CONFORMANCE_EVENT_TESTS_H

/* event_create.c */
void test_flag_values(void);
void test_plain_event_does_all(void);
void test_creation_errors(void);
void test_creation_takes_no_id(void);
void test_flag_event_limit(void);
void test_flag_event_bad_flags(void);
void test_flag_event_exclusive_flags(void);
void test_flag_event_good_flags(void);
void test_ex_event_good_flags(void);
void test_ex_event_bad_flags(void);
void test_available_number(void);
void test_event_ownership(void);
void test_event_id(void);
void test_event_id_errors(void);
void test_destroy_does_not_wait(void);
void test_destroyed_handle(void);
void test_destroy_after_streams(void);

/* event_across.c */
void test_wait_across_devices_takes_its_way(void);
void test_wait_across_devices_and_an_abort_there(void);
void test_wait_across_devices_and_an_abort_here(void);
void test_wait_across_devices_and_a_reset_here(void);
void test_wait_across_devices_and_a_reset_there(void);
void test_wait_across_devices_times_out(void);
void test_deadlock_across_devices(void);

/* event_device.c */
void test_record_captures_earlier_work(void);
void test_record_arguments(void);
void test_record_across_devices(void);
void test_record_device_only_event(void);
void test_record_again(void);
void test_wait_binds_to_newest_record(void);
void test_wait_after_second_record(void);
void test_status_follows_newest_record(void);
void test_flag_event_reuse(void);
void test_wait_arguments(void);
void test_wait_for_unrecorded_ex_event(void);
void test_wait_for_unrecorded_flag_event(void);
void test_record_then_wait(void);
void test_wait_without_sync_flag(void);
void test_wait_for_complete_event(void);
void test_wait_for_device_only_event(void);
void test_wait_across_devices(void);
void test_waits_across_devices_order(void);
void test_wait_across_devices_for_a_dropped_record(void);
void test_wait_timeout_values(void);
void test_wait_timeout_null_event(void);
void test_wait_expires(void);
void test_default_wait_timeout(void);
void test_reset(void);
void test_wait_after_reset(void);
void test_reset_plain(void);
void test_reset_unsupported(void);
void test_reset_arguments(void);

/* event_external.c */
void test_record_with_flag_0(void);
void test_external_needs_a_plain_ex_event(void);
void test_external_needs_capture(void);
void test_wait_with_flag_values(void);
void test_first_wait_fixes_the_flag(void);

/* event_host.c */
void test_status_numbering(void);
void test_status_before_and_after(void);
void test_status_errors(void);
void test_deprecated_query(void);
void test_deprecated_query_unsupported(void);
void test_wait_status(void);
void test_host_wait(void);
void test_host_wait_unrecorded(void);
void test_host_wait_any_flags(void);
void test_host_wait_errors(void);
void test_host_wait_timeout(void);
void test_elapsed_time(void);
void test_time_not_available(void);
void test_time_errors(void);
void test_timestamps_rise(void);
void test_time_without_flag(void);
void test_time_after_second_record(void);

#endif
