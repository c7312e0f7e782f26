/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the device's types, reckoned the slow way: an independent reference for results of
 * kernels. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_NUMBER_H
#define TWINRT_TESTS_UNIT_KERNEL_NUMBER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "twinrt/kernel.h"

/* A short floating number by its definition: sign, exponent of `exponent_bits`, fraction. */
static inline double slow_short(uint16_t bits, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

/* The nearest one, by looking at the positive ones in order: their bits rise with them. */
static inline uint16_t slow_to_short(double value, int exponent_bits)
{
    if (isnan(value))
        return (uint16_t)0x7fff;
    const double size = fabs(value);
    const uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << (15 - exponent_bits));
    uint16_t low = 0, high = infinity;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        if (slow_short(middle, exponent_bits) <= size)
            low = middle;
        else
            high = middle;
    }
    const double below = slow_short(low, exponent_bits);
    /* Past the largest comes, for rounding, what would come if exponents had no end. */
    const double above = high == infinity
                             ? below + (below - slow_short((uint16_t)(low - 1), exponent_bits))
                             : slow_short(high, exponent_bits);
    uint16_t nearest = low;
    if (size == (double)INFINITY || size - below > above - size ||
        (size - below == above - size && (low & 1)))
        nearest = high;
    return (uint16_t)(nearest | (signbit(value) ? 0x8000 : 0));
}

static inline double slow_get(twk_type type, const void *array, uint32_t i)
{
    switch (type) {
    case TWK_INT8:
        return ((const int8_t *)array)[i];
    case TWK_INT16:
        return ((const int16_t *)array)[i];
    case TWK_INT32:
        return ((const int32_t *)array)[i];
    case TWK_UINT8:
        return ((const uint8_t *)array)[i];
    case TWK_UINT16:
        return ((const uint16_t *)array)[i];
    case TWK_UINT32:
        return ((const uint32_t *)array)[i];
    case TWK_FP16:
        return slow_short(((const uint16_t *)array)[i], 5);
    case TWK_BF16:
        return slow_short(((const uint16_t *)array)[i], 8);
    default:
        return (double)((const float *)array)[i];
    }
}

/* A floating value as its type holds it. */
static inline double slow_round(twk_type type, double value)
{
    return type == TWK_FP16   ? slow_short(slow_to_short(value, 5), 5)
           : type == TWK_BF16 ? slow_short(slow_to_short(value, 8), 8)
                              : (double)(float)value;
}

/* The same number, with its sign; any NaN is any other. */
static inline int slow_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

#endif
