/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernels of kernel_rates.c. */
#ifndef TESTS_TOOLS_KERNEL_RATE_ARGS_H
#define TESTS_TOOLS_KERNEL_RATE_ARGS_H

#include <stdint.h>

struct rate_args {
    uint64_t x;       /* device memory */
    uint32_t count;   /* vector: FP32 elements of an operation; cube: m and k of a product */
    uint32_t rounds;  /* operations */
    uint32_t columns; /* cube: n of a product */
};

#endif
