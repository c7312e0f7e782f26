/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the kernels of kernel_hints_kernels.c. */
#ifndef TWINRT_TESTS_TOOLS_KERNEL_HINT_ARGS_H
#define TWINRT_TESTS_TOOLS_KERNEL_HINT_ARGS_H

#include <stdint.h>

struct hint_args {
    uint64_t x;      /* in global memory */
    uint32_t tiles;  /* of a block */
    uint32_t bytes;  /* of a tile */
    uint32_t rounds; /* operations on a tile */
    uint32_t more;   /* see the kernel */
};

#endif
