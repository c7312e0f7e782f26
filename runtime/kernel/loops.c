/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/loops.h"

#include "seam/half.h"

#define EXPONENT 0x7f800000
#define UNROLLED _Pragma("GCC unroll 8")

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_bits __attribute__((vector_size(16)));

/* A multiplier for vectors of the type `wide`, with tiles of `most` rows, as many as registers hold
 * the sums of. Each number of rows has a loop of its own, which keeps them there. */
#define MULTIPLIER(name, target, wide, wide_bits, most)                                            \
    target static inline __attribute__((always_inline)) bool name##_rows(                          \
        const native_tile *tile, float *sums, const uint32_t rows)                                 \
    {                                                                                              \
        enum { LANES = sizeof(wide) / sizeof(float), ACROSS = NATIVE_TILE_COLUMNS / LANES };       \
        typedef wide loose __attribute__((aligned(4), may_alias));                                 \
        const float *a = tile->a, *b = tile->b, *from = tile->from;                                \
        wide sum[most][ACROSS];                                                                    \
        wide_bits special = {0};                                                                   \
        UNROLLED for (uint32_t row = 0; row < rows; row++)                                         \
            UNROLLED for (uint32_t i = 0; i < ACROSS; i++) sum[row][i] =                           \
                ((const loose *)(from + row * NATIVE_TILE_COLUMNS))[i];                            \
        for (uint32_t at = 0; at < tile->k; at++, b += NATIVE_TILE_COLUMNS)                        \
            UNROLLED for (uint32_t row = 0; row < rows; row++)                                     \
                UNROLLED for (uint32_t i = 0; i < ACROSS; i++) sum[row][i] +=                      \
                a[row * tile->pitch + at] * ((const loose *)b)[i];                                 \
        UNROLLED for (uint32_t row = 0; row < rows; row++)                                         \
            UNROLLED for (uint32_t i = 0; i < ACROSS; i++)                                         \
        {                                                                                          \
            special |= ((wide_bits)sum[row][i] & EXPONENT) == EXPONENT;                            \
            ((loose *)(sums + row * NATIVE_TILE_COLUMNS))[i] = sum[row][i];                        \
        }                                                                                          \
        int32_t any = 0;                                                                           \
        for (uint32_t i = 0; i < LANES; i++)                                                       \
            any |= special[i];                                                                     \
        return any != 0;                                                                           \
    }                                                                                              \
    target static bool name(const native_tile *tile, float *sums)                                  \
    {                                                                                              \
        switch (tile->rows) {                                                                      \
        case 1:                                                                                    \
            return name##_rows(tile, sums, 1);                                                     \
        case 2:                                                                                    \
            return name##_rows(tile, sums, 2);                                                     \
        case 3:                                                                                    \
            return name##_rows(tile, sums, most < 3 ? most : 3);                                   \
        case 4:                                                                                    \
            return name##_rows(tile, sums, most < 4 ? most : 4);                                   \
        case 5:                                                                                    \
            return name##_rows(tile, sums, most < 5 ? most : 5);                                   \
        default:                                                                                   \
            return name##_rows(tile, sums, most);                                                  \
        }                                                                                          \
    }

/* x86-64 has 16 registers of 4 numbers, AArch64 has 32. */
#if defined(__x86_64__)
#define PLAIN_ROWS 2
#else
#define PLAIN_ROWS 4
#endif

#define CONVERSIONS(name, target)                                                                  \
    target static void name##_open(const uint16_t *from, uint32_t count, float *to)                \
    {                                                                                              \
        for (uint32_t i = 0; i < count; i++)                                                       \
            to[i] = twin_half_float(from[i]);                                                      \
    }                                                                                              \
    target static bool name##_close(const float *from, uint32_t count, uint16_t *to)               \
    {                                                                                              \
        uint32_t special = 0;                                                                      \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            to[i] = twin_float_half(from[i]);                                                      \
            special |= (to[i] & 0x7c00u) == 0x7c00u;                                               \
        }                                                                                          \
        return special != 0;                                                                       \
    }

MULTIPLIER(plain, , four, four_bits, PLAIN_ROWS)
CONVERSIONS(plain, )

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
typedef float eight __attribute__((vector_size(32)));
typedef int32_t eight_bits __attribute__((vector_size(32)));
MULTIPLIER(avx2, AVX2, eight, eight_bits, 6)
CONVERSIONS(avx2, AVX2)
#endif

const native_loops *twin_native_loops(uint32_t number)
{
    static const native_loops plain_loops = {"plain", PLAIN_ROWS, plain, plain_open, plain_close};
#if defined(__x86_64__)
    static const native_loops avx2_loops = {"avx2", 6, avx2, avx2_open, avx2_close};
    if (__builtin_cpu_supports("avx2") && number-- == 0)
        return &avx2_loops;
#endif
    return number == 0 ? &plain_loops : NULL;
}
