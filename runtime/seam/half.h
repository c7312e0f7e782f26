/* SPDX-License-Identifier: Apache-2.0 */
/* FP16 and BF16 as numbers of the host, exact to the bit on every host. */
#ifndef TWINRT_SEAM_HALF_H
#define TWINRT_SEAM_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t twin_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
static inline float twin_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline float twin_half_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t rest = (uint32_t)(half & 0x7fffu) << 13;
    /* A number below the normal ones is a whole multiple of 2^-24. */
    const uint32_t small = twin_float_bits((float)(int32_t)(half & 0x3ffu) * 0x1p-24f);
    const uint32_t normal = rest + ((uint32_t)(127 - 15) << 23);
    const uint32_t special = rest + ((uint32_t)(255 - 31) << 23);
    const uint32_t bits = (half & 0x7c00u) == 0        ? small
                          : (half & 0x7c00u) == 0x7c00 ? special
                                                       : normal;
    return twin_bits_float(sign | bits);
}
/* To the nearest, ties to even; NaN becomes the default NaN of its sign. The thread's rounding mode
 * is to nearest, or the result is a normal half. */
static inline uint16_t twin_float_half(float value)
{
    const uint32_t bits = twin_float_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t rest = bits & 0x7fffffffu;
    /* Adding a power of two whose last bit is 2^-24 rounds a small number to that. */
    const uint32_t small = twin_float_bits(twin_bits_float(rest) + 0.5f) - twin_float_bits(0.5f);
    const uint32_t normal =
        (rest + ((uint32_t)(15 - 127) << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13;
    const uint32_t half = rest > 0x7f800000u              ? 0x7e00u
                          : rest >= (uint32_t)(143 << 23) ? 0x7c00u
                          : rest < (uint32_t)(113 << 23)  ? small
                                                          : normal;
    return (uint16_t)(sign | half);
}

static inline float twin_bfloat16_float(uint16_t value)
{
    return twin_bits_float((uint32_t)value << 16);
}
/* To the nearest, ties to even; NaN stays one. */
static inline uint16_t twin_float_bfloat16(float value)
{
    const uint32_t bits = twin_float_bits(value);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded);
}

#endif
