/* SPDX-License-Identifier: Apache-2.0 */
/* What clang calls for numbers of BF16, and libgcc has from version 13 on. */
#include <stdint.h>
#include <string.h>

#if defined(__FLT16_MANT_DIG__) || defined(__x86_64__)
/* BF16 is returned where FP16 is, which older compilers have too; on x86-64 that is the lower half
 * of where FP32 is, for those that do not. */
#ifdef __FLT16_MANT_DIG__
typedef _Float16 returned;
#else
typedef float returned;
#endif
returned __truncsfbf2(float value);
returned __truncdfbf2(double value);

static returned from_bits(uint32_t bits)
{
    const uint32_t half = bits & 0xffff; /* its lower bytes come first */
    returned result;
    memcpy(&result, &half, sizeof(result));
    return result;
}

/* To the nearest, of two to the even one. */
__attribute__((visibility("hidden"))) returned __truncsfbf2(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    if (value != value)
        return from_bits(bits >> 16 | 0x40);
    return from_bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rounded to odd first: then the second rounding is that of the value itself. */
__attribute__((visibility("hidden"))) returned __truncdfbf2(double value)
{
    float near = (float)value;
    uint32_t bits = 0;
    memcpy(&bits, &near, sizeof(bits));
    const double back = (double)near;
    if (back != value && value == value && (bits & 1) == 0) {
        const int outwards = (back < value) == (value > 0); /* the value is further from 0 */
        bits += outwards ? 1u : UINT32_MAX;
        memcpy(&near, &bits, sizeof(near));
    }
    return __truncsfbf2(near);
}
#endif
