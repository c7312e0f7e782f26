/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of native kernels share: an image of native_kernels.c, a stream, and device
 * memory. */
#ifndef TWINRT_CONFORMANCE_NATIVE_TESTS_H
#define TWINRT_CONFORMANCE_NATIVE_TESTS_H

#include "native_args.h"
#include "profile.h"
#include "suite.h"

typedef struct native {
    aclrtBinHandle binary;
    aclrtStream stream;
} native;

/* Device 0 is set and the kernels are loaded. */
void native_begin(native *n);
void native_end(native *n);
/* The file with the kernels. */
const char *native_path(void);
aclrtFuncHandle native_find(aclrtBinHandle binary, const char *name);
/* The arguments are on the host. */
aclError native_launch_on(const native *n, const char *kernel, uint32_t blocks, const void *args,
                          size_t bytes, aclrtStream stream);
#define NATIVE_LAUNCH(n, kernel, blocks, args)                                                     \
    CHECK_OK(native_launch_on((n), (kernel), (blocks), &(args), sizeof(args), (n)->stream))
/* Device memory of `bytes` bytes, each 0. */
void *native_memory(size_t bytes);
void native_free(void *memory);
void native_read(void *host, const void *device, size_t bytes);
void native_write(void *device, const void *host, size_t bytes);
static inline uint64_t native_address(const void *memory)
{
    return (uint64_t)(uintptr_t)memory;
}

/* Something that is queued on a stream, and the device time that it takes there, in ns. */
typedef void (*native_work)(const native *n, aclrtStream stream, void *argument);
double native_span(const native *n, native_work work, void *argument);

/* native_exception.c */
void test_failed_kernel_is_reported(void);
void test_kernel_meets_failed_memory(void);
void test_engine_fails_under_a_kernel(void);

/* native_fault.c */
void test_faults(void);
void test_fault_of_cube(void);
void test_thrown(void);
void test_endless(void);
void test_time_limits(void);
void test_hazards(void);
void test_after_a_fault(void);
void test_stop_on_failure(void);
void native_hazard_child(void);

/* native_group.c */
void test_captured_kernel(void);
void test_group_update(void);
void test_group_update_order(void);
void test_group_update_beside_run(void);
void test_group_in_graph(void);
void test_group_update_late(void);
void test_group_update_unbegun(void);
void test_group_updates_cross(void);
void test_group_status(void);
void test_group_broken(void);

/* native_task.c */
void test_task_kernel(void);
void test_task_set_kernel(void);
void test_task_set_kernel_refused(void);
void test_task_set_other_cores(void);
void test_task_set_and_group(void);
void test_task_noted_before_group(void);
void test_group_moves(void);
void test_task_placeholders(void);
void test_print_kernels(void);
void test_task_faulty_and_group(void);

/* native_meet.c */
void test_meet(void);
void test_meet_in_vain(void);

/* native_mapping.c */
void test_kernel_across_mappings(void);
void test_kernel_at_a_hole(void);

/* native_object.c */
void test_damaged_object(void);
void test_instances(void);
void test_kept_instances(void);
void test_unloaded_while_launched(void);
void test_reset_while_running(void);
void test_two_devices(void);
void native_devices_child(void);
void test_threads(void);

/* native_managed.c */
void test_kernel_on_managed_memory(void);
void test_managed_pages_cost(void);

/* native_registered.c */
void test_kernel_in_place(void);
void test_kernel_arguments_in_place(void);
void test_kernel_without_pages(void);
void test_kernel_outside_of_a_mapping(void);
void test_kernel_polled_without_a_call(void);

#endif
