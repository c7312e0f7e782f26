/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the virtual suite; virtual_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_VIRTUAL_TESTS_H
#define TWINRT_CONFORMANCE_VIRTUAL_TESTS_H

#include "suite.h"

#define GRANULE ((size_t)2 << 20)

/* What the tests ask for: huge pages of device 0. */
aclrtPhysicalMemProp virtual_prop(void);
/* Physical memory of `granules` of device 0. */
aclrtDrvMemHandle virtual_memory(size_t granules);
/* Addresses for `granules`. */
char *virtual_addresses(size_t granules);
/* Bytes of device memory that are free. */
size_t virtual_free_bytes(void);
/* Fills device memory, and checks it. */
void virtual_fill(void *at, int value, size_t bytes);
void virtual_check(const void *at, int value, size_t bytes);

/* virtual_suite.c: addresses and physical memory */
void test_reserve_arguments(void);
void test_reserve_costs_nothing(void);
void test_reserve_expected(void);
void test_reserve_first(void);
void test_release(void);
void test_physical_arguments(void);
void test_physical_attributes(void);
void test_physical_device(void);
void test_physical_sizes(void);
void test_granularity(void);
void test_free_physical(void);
void test_properties(void);
void test_host_memory(void);
void test_unsupported(void);

/* virtual_link.c */
void test_set_link_arguments(void);
void test_key_link_arguments(void);
void test_links(void);
void virtual_child_hccs(void);
void virtual_child_sio(void);

/* virtual_mapping.c */
void test_map_arguments(void);
void test_map_refusals(void);
void test_map_tiles(void);
void test_map_two_devices(void);
void test_no_access(void);
void test_unmap(void);
void test_free_while_mapped(void);
void test_set_access_arguments(void);
void test_get_access(void);
void test_retain(void);
void test_unmapped_fails_the_task(void);
void test_unmap_after_the_work(void);
void test_reset_ends_mappings(void);
void test_map_threads(void);
void test_map_random(void);

/* virtual_share.c */
void test_key_arguments(void);
void test_key_unsupported(void);
void test_key_partner(void);
void test_key_mapped(void);
void test_key_pids(void);
void test_key_own(void);
void test_key_other_device(void);
void test_importer_killed(void);
void test_exporter_killed(void);
void test_handle_arguments(void);
void test_handle_partner(void);
void test_handle_fabric(void);
void test_handle_pids(void);
extern const twin_child virtual_children[];
extern const size_t virtual_child_count;

#endif
