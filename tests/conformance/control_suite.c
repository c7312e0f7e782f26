/* SPDX-License-Identifier: Apache-2.0 */
/* Control over streams and devices that have work: what a failure stops, what is taken back, who is
 * told. */
#include "control_tests.h"

static const twin_test tests[] = {
    {"STR-32, ABT-01: by default the tasks after a failure run", test_continue_is_the_default},
    {"STR-39, ABT-02: of several failures one is reported", test_several_failures},
    {"STR-33: in stop mode the tasks after a failure do not run", test_stop_ends_the_stream},
    {"STR-34, ABT-03: stop mode holds for the whole context", test_stop_ends_the_context},
    {"ABT-04, STR-34: other contexts go on", test_stop_spares_other_contexts},
    {"STR-35, ABT-03: a stopped context refuses work and keeps its code", test_stop_is_sticky},
    {"STR-35: streams made later are stopped as well", test_stop_reaches_new_streams},
    {"STR-36: stop mode cannot be taken back", test_stop_cannot_be_taken_back},
    {"STR-37: failure mode refuses foreign and special streams", test_mode_refusals},
    {"STR-38, ABT-05: the default stream has a failure mode", test_mode_of_the_default_stream},
    {"ABT-07: stop mode is refused once a failure has stopped the context",
     test_stop_again_after_a_failure},
    {"ABT-09: records behind a failure end the waits of the host", test_events_behind_a_failure},
    {"ABT-09: a failure releases all threads that wait", test_threads_are_released_by_a_failure},
    {"ABT-13: after a device abort a stopped context goes on",
     test_device_abort_lets_a_context_go_on},
    {"STR-37, STR-48, STR-50, ABT-06, ABT-08: streams of model instances are left alone",
     test_streams_of_a_model},
    {"STR-40: stream attributes refuse unknown ids and NULL", test_attribute_refusals},
    {"STR-41: stream attributes and their own getters agree", test_attributes_and_getters},
    {"STR-42: priority and cache attributes check their values", test_attribute_values},
    {"STR-42: a new priority counts for work that is queued", test_priority_counts},
    {"STR-43, OVF-03, OVF-04: the overflow switch is 0 or 1", test_overflow_switch},
    {"EXC-29: what is said about the last task is checked", test_info_of_last_task},
    {"STR-58, STR-65, EXC-27: the id of the thread's last task", test_last_task},
    {"STR-44, ABT-18: an aborted stream takes new tasks", test_abort_and_go_on},
    {"STR-46, DEV-58: an abort keeps work that was complete at the call",
     test_abort_keeps_finished_work},
    {"STR-45, ABT-18: submitting beside an abort succeeds or has its code",
     test_submitting_beside_an_abort},
    {"STR-46: an abort releases those who wait with its code", test_abort_releases_threads},
    {"STR-46: an abort releases who waits for room", test_abort_releases_a_sender},
    {"STR-47: an abort does not release waits for the stream's events",
     test_abort_leaves_others_waiting},
    {"STR-48: abort refuses foreign, dead and special streams", test_abort_refusals},
    {"STR-49: a stop ends one task and keeps the queued ones", test_stop_ends_one_task},
    {"STR-49: a fill that is stopped has no effect", test_stop_ends_a_fill},
    {"STR-50: stop refuses the default stream", test_stop_refusals},
    {"DEV-58, ABT-13: a device abort drops the work of all contexts", test_device_abort},
    {"DEV-58, ABT-10, ABT-11: a device abort checks device and time", test_device_abort_refusals},
    {"DEV-59: a device abort releases those who wait with its code",
     test_device_abort_releases_threads},
    {"ABT-12, DEV-59, MEM-80: calls during a device abort have its code",
     test_calls_during_a_device_abort},
    {"DEV-60, ABT-15, ABT-16: abort callbacks run before and after", test_device_abort_callbacks},
    {"ABT-14, DEV-58: the time given covers the callbacks", test_device_abort_budget},
    {"ABT-17: a callback's answer ends the abort", test_callback_ends_the_abort},
    {"aborts, stops, failures and destructions on several threads", test_control_and_destruction},
    {"ERR-40: registering an exception callback needs one", test_exception_registration},
    {"ERR-41: exception callbacks coexist, each once per fault", test_exception_callbacks_coexist},
    {"ERR-42: taking exception callbacks off", test_exception_unregister},
    {"ERR-42: a callback that comes off and on again is told once per fault",
     test_exception_renewal},
    {"ERR-43: the single exception callback", test_exception_set},
    {"ERR-44: exception callbacks run before the failing call returns",
     test_exception_comes_before_the_code},
    {"ERR-44: in stop mode whoever synchronises first is told, once", test_exception_in_stop_mode},
    {"ERR-45: exception information without exception", test_exception_without_info},
    {"ERR-46: the thread of the failing task", test_exception_thread},
    {"ERR-47: a task that is no kernel has no arguments", test_exception_of_no_kernel},
    {"ABT-20, ABT-21, ABT-22: a device without faults reports none", test_error_report},
    {"ABT-23, ABT-24: repairing checks what is to be repaired", test_error_repair},
    {"ABT-25, ABT-26: faults of memory are listed and repaired in checked arrays",
     test_memory_errors},
};

static const twin_suite suite = {
    .name = "control", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
