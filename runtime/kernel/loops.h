/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that take the time of exact kernels, compiled for several kinds of processors: the same
 * bits on each, only the speed differs. */
#ifndef TWINRT_KERNEL_LOOPS_H
#define TWINRT_KERNEL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_TILE_COLUMNS 16u
#define NATIVE_TILE_ROWS    6u /* at most */

/* Some rows of 16 sums of products in FP32. The products of one sum are added one by one, k rising;
 * product and sum are rounded. */
typedef struct native_tile {
    const float *a;    /* row after row */
    size_t pitch;      /* floats from row to row */
    const float *b;    /* k rows of 16 */
    const float *from; /* rows of 16, to which products are added */
    uint32_t rows, k;
} native_tile;

typedef struct native_loops {
    const char *name;
    uint32_t tile_rows; /* of a tile at most, and best as many */
    /* Rows of 16 sums go to `sums`. Whether any is infinite or NaN. */
    bool (*multiply)(const native_tile *tile, float *sums);
    /* FP16 to FP32, and back to the nearest: whether any is infinite or NaN. */
    void (*open_halves)(const uint16_t *from, uint32_t count, float *to);
    bool (*close_halves)(const float *from, uint32_t count, uint16_t *to);
} native_loops;

/* Those that this processor has, the fastest first; NULL: no more. Thread: any. */
const native_loops *twin_native_loops(uint32_t number);

#endif
