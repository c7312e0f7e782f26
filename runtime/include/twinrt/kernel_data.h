/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels that are timed and not computed, launch by launch: an addition to the public
 * interface, which lets a program compute the kernels that its control flow depends on, and only
 * time the others. runtime/docs/kernels.md says what such a kernel does. Link with -ltwinrt, or
 * look the function up with dlsym and do without. */
#ifndef TWINRT_KERNEL_DATA_H
#define TWINRT_KERNEL_DATA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum twinrt_kernel_data {
    TWINRT_KERNEL_DATA_SETTING, /* as TWINRT_KERNEL_DATA says */
    TWINRT_KERNEL_DATA_ON,      /* computed */
    TWINRT_KERNEL_DATA_OFF      /* timed only */
} twinrt_kernel_data;

/* For native kernels that this thread launches from now on, or puts into a captured graph. 0, or
 * 107000: no such value. */
int32_t twinrt_set_kernel_data(int32_t data);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
