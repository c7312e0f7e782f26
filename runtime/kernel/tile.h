/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products in FP32: those of one result are added one by one, k rising, product and sum
 * rounded. The same bits on every host; only the speed depends on the processor. */
#ifndef TWINRT_KERNEL_TILE_H
#define TWINRT_KERNEL_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_TILE_COLUMNS 16u
#define NATIVE_TILE_ROWS    6u /* at most, of any multiplier */

/* Some rows of 16 results. */
typedef struct native_tile {
    const float *a;    /* row after row */
    size_t pitch;      /* floats from row to row */
    const float *b;    /* k rows of 16 */
    const float *from; /* rows of 16, to which products are added */
    uint32_t rows, k;
} native_tile;

typedef struct native_multiplier {
    const char *name;
    uint32_t rows; /* of a tile at most, and best as many */
    /* Rows of 16 sums go to `sums`. Whether any is infinite or NaN. */
    bool (*run)(const native_tile *tile, float *sums);
} native_multiplier;

/* Those that this processor has, the fastest first; NULL: no more. Thread: any. */
const native_multiplier *twin_native_multiplier(uint32_t number);

#endif
