/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels: what the backend asks of a launch is answered by running it here, block by block
 * (kernel/run.h). */
#ifndef TWINRT_CORE_WORK_LAUNCH_NATIVE_H
#define TWINRT_CORE_WORK_LAUNCH_NATIVE_H

#include "core/work/launch_pool.h"

/* Whether the kernel of a function can be run with so many bytes of arguments. 107000. */
int32_t twin_launch_native_check(const twin_function *function, size_t args_bytes);
/* Whether a device's kernels are run here at all; makes what they need there. The caller keeps the
 * device up. 207000,
 * 207001. Blocks. */
int32_t twin_launch_native_offered(twin_device *device);
/* Makes a launch of a native kernel one that is run; its cores are chosen. */
void twin_launch_native_prepare(twin_kernel_launch *launch, twin_device *device,
                                twin_overflows overflows);
/* The kernel begins, with its arguments on the device at `args`: runs it. As
 * twin_launch.describe. */
twin_status twin_launch_native_run(twin_kernel_launch *launch, const twin_reach *reach,
                                   const void *args, twin_launch_work *out_work);
/* No more questions follow. Short. Thread: any, with any lock. */
void twin_launch_native_end(twin_kernel_launch *launch);

#endif
