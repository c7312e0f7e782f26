/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the facts suite; facts_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_FACTS_TESTS_H
#define TWINRT_CONFORMANCE_FACTS_TESTS_H

/* facts_device.c */
void test_utilization(void);
void test_uuids(void);
void test_uuids_stay(void);
void child_print_uuids(void);
void test_bus_ids(void);
void test_visible_bus_ids(void);
void child_visible_bus_ids(void);
void test_bus_id_refusals(void);
void test_device_capability(void);
void test_features(void);
void test_cann_attributes(void);
void test_arch(void);
void test_topology(void);
void test_bare_process(void);
void test_atomics(void);
void test_numbers_of_devices(void);
void child_numbers_of_devices(void);
void test_cache_and_sync_address(void);

/* facts_limits.c */
void test_configured_sizes(void);
void child_configured(void);
void test_last_size_wins(void);
void child_last_size_wins(void);
void test_limit_refusals(void);
void test_limits_are_set(void);
void child_limits_are_set(void);
void test_timeout_default(void);
void child_timeout_default(void);
void test_timeout_coarse(void);
void child_timeout_coarse(void);
void test_timeout_fine(void);
void child_timeout_fine(void);
void test_timeout_refusals(void);
void test_saturation(void);
void child_saturation(void);

/* facts_peer.c */
void test_peer_refusals(void);
void test_peer_needs_a_device(void);
void test_peer_direction(void);
void test_peer_status(void);
void test_peer_ends_with_the_reset(void);
void test_peer_copy(void);
void test_peer_copy_in_order(void);

/* facts_overflow.c */
void test_overflow_in_order(void);
void test_overflow_of_a_device(void);
void test_overflow_is_made_once(void);
void test_overflow_refusals(void);
void test_overflow_needs_a_device(void);

/* facts_other.c */
void test_groups(void);
void test_group_objects(void);
void test_group_details(void);
void test_stream_configuration(void);

/* facts_names.c */
void test_interface_version(void);
void test_package_version(void);
void child_version(void);
void test_cann_version(void);
void child_cann_version(void);
void test_no_version(void);
void child_no_version(void);
void test_log_levels(void);
void child_log_levels(void);
void test_log_refusals(void);
void test_log_is_cut(void);

#endif
