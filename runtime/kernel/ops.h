/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations that kernels call. */
#ifndef TWINRT_KERNEL_OPS_TABLE_H
#define TWINRT_KERNEL_OPS_TABLE_H

#include "twinrt/kernel_image.h"

/* NULL: no room for the stacks of kernels. */
const twk_ops *twin_native_ops(void);

#endif
