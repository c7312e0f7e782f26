/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel. */
#ifndef EXAMPLES_MATMUL_OVERLAP_ARGS_H
#define EXAMPLES_MATMUL_OVERLAP_ARGS_H

#include <stdint.h>

enum { TILE_M = 128, TILE_N = 256, PANEL = 256, SLICE = 64, K_MOST = 768 };

/* c = a * b in fp16, added up in fp32. m, n and k are multiples of TILE_M, TILE_N and PANEL; k is
 * K_MOST at most. */
struct matmul_args {
    uint64_t a, b, c; /* m by k, k by n, m by n, row by row */
    uint32_t m, n, k;
    uint32_t sets; /* of buffers: 1, or 2 so that copies and products overlap */
};

#endif
