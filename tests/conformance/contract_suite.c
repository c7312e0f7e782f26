/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that were read again in the source of the vendor's open runtime and executed on it. A row
 * number that another page of the catalogue has given before has a "b" here. */
#include "contract_tests.h"

static const twin_test tests[] = {
    {"CTX-22: a reset ends the default context alone", test_reset_keeps_contexts},
    {"CTX-22: a device that contexts keep up can be set and reset again",
     test_reset_then_set_again},
    {"DEV-61: a timeout of 0 is refused", test_zero_timeouts},
    {"DEV-62: device callbacks report what the call does", test_device_callbacks_by_use},
    {"DEV-63: numbers of devices out of range are parameter errors", test_ids_out_of_range},
    {"DEV-64: rates of a device that does not exist are -1", test_utilization_of_bad_device},
    {"INIT-30: aclFinalizeReference writes 0 when it fails", test_reference_writes_zero},
    {"INIT-31: start and end callbacks take any type", test_callback_types},
    {"CFG-14b: options of a context check their values", test_option_values},
    {"OVF-09: the mode of overflows by default", test_sat_mode_default},
    {"COD-13: the size of an unknown data type", test_unknown_data_type},

    {"STR-58b, STR-60: priorities above INT32_MAX are the highest", test_priority_above_int},
    {"STR-59, STR-61, STR-62: failure modes are kept per stream", test_failure_mode_of_streams},
    {"CTX-23: calls that need a current context", test_needs_context},
    {"CTX-24: calls that need no current context", test_needs_no_context},
    {"STR-63: the default stream without a context", test_null_stream_without_context},
    {"STR-64: the custom tag by default", test_custom_tag_default},
    {"STR-66: stream callbacks inside aclrtSetDevice have no context",
     test_current_context_in_callbacks},
    {"STR-67: the flags of the default stream", test_flags_of_default_stream},
    {"LBL-10: lists of labels do not check the context", test_label_lists_without_context_check},
    {"GRF-88b: the streams of a model instance", test_streams_of_instance},

    {"EVT-74: a failed record fixes the record flag", test_record_flag_of_failed_record},
    {"EVT-79: a failed wait fixes the wait flag", test_wait_flag_of_failed_wait},
    {"EVT-75: a wait before any record", test_wait_before_record},
    {"EVT-76: a wait on the stream of the record makes no task", test_wait_on_own_stream},
    {"EVT-77: the timeout is checked before the event", test_event_timeout_before_handle},
    {"EVT-78: events of aclrtCreateEvent can be reset", test_reset_of_plain_event},
    {"EVT-80: the undocumented flag of events", test_undocumented_event_bit},
    {"NTF-18: a batch reset takes its notifies in order", test_batch_reset_in_order},

    {"MEM-131b: filling host memory waits for no stream", test_fill_of_host_memory},
    {"MEM-132b: an empty item ends a batch", test_batch_with_empty_item},
    {"MEM-133b: a batch with too little room queues nothing", test_batch_with_short_room},
    {"MEM-134b: a batch with too large a count", test_batch_count_limit},

    {"KRN-93b: launches of no block", test_zero_blocks},
    {"KRN-94: nothing is appended after a buffer was given", test_append_after_buffer},
    {"KRN-95: looking a function up without a context", test_look_up_without_context},
    {"KRN-96: loading without a context", test_load_without_context},
    {"KRN-97: the ratio is in the low 4 bytes", test_ratio_in_low_bytes},
    {"KRN-98: the handle is checked before other arguments", test_handle_before_arguments},
    {"KRN-98: lists of arguments are checked as handles", test_argument_list_handles},
    {"KRN-98: a switch by index checks the stream before the list",
     test_switch_checks_stream_first},
    {"KRN-98: an execution checks the model instance before the timeout",
     test_execute_checks_instance_first},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "contract", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = false};
    return twin_suite_main(&suite, argc, argv);
}
