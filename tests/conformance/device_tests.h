/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the device suite; device_suite.c gives each its sentence and holds those of set and
 * reset. */
#ifndef TWINRT_CONFORMANCE_DEVICE_TESTS_H
#define TWINRT_CONFORMANCE_DEVICE_TESTS_H

#include <stdbool.h>
#include <stdint.h>

/* device_queries.c */
/* Whether the device's primary context is active: its reference count is above zero. */
bool twin_device_active(int32_t device);
void test_device_of_the_context(void);
void test_device_without_context(void);
void test_run_mode(void);
void test_null_outputs(void);
void child_two_visible(void);
void child_one_visible(void);
void test_visible_devices(void);
void child_none_visible(void);
void test_invalid_visible_devices(void);
void test_task_schedulers(void);
void test_device_status(void);
void test_soc_name(void);
void child_soc_name_first(void);
void test_soc_name_needs_nothing(void);
void test_priority_range(void);
void test_primary_context_state(void);
void test_primary_context_arguments(void);
void test_synchronize_device_covers_all_streams(void);
void test_synchronize_device_leaves_other_devices(void);
void test_synchronize_device_errors(void);
void test_synchronize_device_with_timeout(void);

/* device_sequences.c */
void test_reset_sequences(void);
void test_reset_timelines(void);

#endif
