/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the catalogue that were read again in the source of the vendor's open runtime and
 * executed on it. */
#ifndef TWINRT_CONFORMANCE_CONTRACT_TESTS_H
#define TWINRT_CONFORMANCE_CONTRACT_TESTS_H

#include "suite.h"

/* contract_device.c */
void test_reset_keeps_contexts(void);
void test_reset_then_set_again(void);
void test_device_callbacks_by_use(void);
void test_ids_out_of_range(void);
void test_utilization_of_bad_device(void);
void test_zero_timeouts(void);
void test_reference_writes_zero(void);
void test_callback_types(void);
void test_option_values(void);
void test_sat_mode_default(void);
void test_unknown_data_type(void);

/* contract_stream.c */
void test_priority_above_int(void);
void test_failure_mode_of_streams(void);
void test_needs_context(void);
void test_needs_no_context(void);
void test_null_stream_without_context(void);
void test_custom_tag_default(void);
void test_flags_of_default_stream(void);
void test_current_context_in_callbacks(void);
void test_label_lists_without_context_check(void);
void test_streams_of_instance(void);

/* contract_event.c */
void test_record_flag_of_failed_record(void);
void test_wait_flag_of_failed_wait(void);
void test_wait_before_record(void);
void test_wait_on_own_stream(void);
void test_event_timeout_before_handle(void);
void test_reset_of_plain_event(void);
void test_undocumented_event_bit(void);
void test_batch_reset_in_order(void);

/* contract_memory.c */
void test_fill_of_host_memory(void);
void test_batch_with_empty_item(void);
void test_batch_with_short_room(void);
void test_batch_count_limit(void);

/* contract_kernel.c */
void test_zero_blocks(void);
void test_append_after_buffer(void);
void test_look_up_without_context(void);
void test_load_without_context(void);
void test_ratio_in_low_bytes(void);
void test_handle_before_arguments(void);
void test_argument_list_handles(void);
void test_switch_checks_stream_first(void);
void test_execute_checks_instance_first(void);

#endif
