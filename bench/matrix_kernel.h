/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel of bench/matrix.c. */
#ifndef TWIN_BENCH_MATRIX_KERNEL_H
#define TWIN_BENCH_MATRIX_KERNEL_H

#include <stdint.h>

enum { TILE_M = 128, TILE_N = 256, PANEL = 256, SLICE = 64 };

/* c = a * b in fp16, added up in fp32; `size` is a multiple of PANEL. */
struct square_args {
    uint64_t a, b, c; /* size by size, row by row */
    uint32_t size;
};

#endif
