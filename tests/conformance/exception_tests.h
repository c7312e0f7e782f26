/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the suite of failing kernels share. */
#ifndef TWINRT_CONFORMANCE_EXCEPTION_TESTS_H
#define TWINRT_CONFORMANCE_EXCEPTION_TESTS_H

#include "fault_tests.h"
#include "image_tests.h"

/* exception_args.c */
void test_list_reaches_the_kernel(void);
void test_list_launched_again(void);
void test_list_room(void);
void test_placeholders_reach_the_kernel(void);
void test_array_reaches_the_kernel(void);
void test_arguments_in_stream_order(void);
void test_hidden_argument(void);

/* exception_codes.c */
void test_error_numbers(void);
void test_engine_kinds(void);
void test_slow_cores(void);
void test_failed_memory(void);
void test_last_error_and_message(void);

/* exception_limits.c */
void test_limit_of_operators(void);
void test_limit_of_launches(void);
void test_limit_that_is_none(void);

/* exception_modes.c */
void test_continue_after_kernels(void);
void test_stop_at_a_kernel(void);
void test_stream_abort_of_a_kernel(void);
void test_device_abort_of_kernels(void);
void test_stop_of_the_running_kernel(void);

/* exception_storm.c */
void test_many_failures_at_once(void);

#endif
