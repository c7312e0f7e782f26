/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the device's types, exact to the bit on every host. */
#ifndef TWINRT_KERNEL_NUMBER_H
#define TWINRT_KERNEL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t native_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
static inline float native_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline float native_from_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t rest = (uint32_t)(half & 0x7fffu) << 13;
    /* A number below the normal ones is a whole multiple of 2^-24. */
    const uint32_t small = native_bits((float)(int32_t)(half & 0x3ffu) * 0x1p-24f);
    const uint32_t normal = rest + ((uint32_t)(127 - 15) << 23);
    const uint32_t special = rest + ((uint32_t)(255 - 31) << 23);
    const uint32_t bits = (half & 0x7c00u) == 0        ? small
                          : (half & 0x7c00u) == 0x7c00 ? special
                                                       : normal;
    return native_float(sign | bits);
}
/* To the nearest, ties to even; NaN stays one. */
static inline uint16_t native_to_half(float value)
{
    const uint32_t bits = native_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t rest = bits & 0x7fffffffu;
    /* Adding a power of two whose last bit is 2^-24 rounds a small number to that. */
    const uint32_t small = native_bits(native_float(rest) + 0.5f) - native_bits(0.5f);
    const uint32_t normal =
        (rest + ((uint32_t)(15 - 127) << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13;
    const uint32_t half = rest > 0x7f800000u              ? 0x7e00u
                          : rest >= (uint32_t)(143 << 23) ? 0x7c00u
                          : rest < (uint32_t)(113 << 23)  ? small
                                                          : normal;
    return (uint16_t)(sign | half);
}

static inline float native_from_brain(uint16_t brain)
{
    return native_float((uint32_t)brain << 16);
}
static inline uint16_t native_to_brain(float value)
{
    const uint32_t bits = native_bits(value);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded);
}

/* An element as a number; every type fits. */
double twin_native_number(uint32_t type, const void *at);
/* What is left of a result that is no number, with saturation: the largest one, or 0 for NaN. */
double twin_native_saturated(uint32_t type, double value);
/* The nearest element: `mode` is a twk_round. Too large: the end of an integer type; of the others infinity, or the
 * largest as the mode has it, and *out_overflow. NaN: 0 in integer types. */
void twin_native_store(uint32_t type, void *at, double value, uint32_t mode, bool *out_overflow);

/* The first `size` bytes of the element, `count` times. */
void twin_native_repeat(unsigned char *at, uint32_t count, uint32_t size, const uint32_t *element);

/* Whole numbers near a double, by a twk_round. */
double twin_native_whole(double value, uint32_t mode);

/* Whether results are saturated; and whether one was too large for its type, or no number, which is set and not
 * cleared. */
typedef struct native_overflow {
    bool saturate, happened;
} native_overflow;

/* Each element at `at` becomes its sum with the one of `data`, or the larger or smaller: `how` is a twk_atomic. */
void twin_native_combine(uint32_t how, uint32_t type, unsigned char *at, const unsigned char *data,
                         size_t bytes, native_overflow *overflow);

/* The two functions that no standard rounds, in double and the same on every host. Rounded once more to FP32 they are
 * the nearest but for about one in a hundred million, where they are the second nearest. */
double twin_native_exp(double x);
double twin_native_ln(double x);

#endif
