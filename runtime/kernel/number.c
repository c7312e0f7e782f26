/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/number.h"

#include <math.h>

#include "twinrt/kernel.h"

/* ---- elements and numbers -------------------------------------------------------------------- */

#define CASE_INTEGER(kind, host)                                                                   \
    case kind: {                                                                                   \
        host value;                                                                                \
        memcpy(&value, at, sizeof(value));                                                         \
        return (double)value;                                                                      \
    }

double twin_native_number(uint32_t type, const void *at)
{
    switch (type) {
        CASE_INTEGER(TWK_INT8, int8_t)
        CASE_INTEGER(TWK_INT16, int16_t)
        CASE_INTEGER(TWK_INT32, int32_t)
        CASE_INTEGER(TWK_UINT8, uint8_t)
        CASE_INTEGER(TWK_UINT16, uint16_t)
        CASE_INTEGER(TWK_UINT32, uint32_t)
        CASE_INTEGER(TWK_FP32, float)
    default: {
        uint16_t bits;
        memcpy(&bits, at, sizeof(bits));
        return (double)(type == TWK_FP16 ? twin_half_float(bits) : twin_bfloat16_float(bits));
    }
    }
}

double twin_native_whole(double value, uint32_t mode)
{
    switch (mode) {
    case TWK_ROUND_FLOOR:
        return floor(value);
    case TWK_ROUND_CEIL:
        return ceil(value);
    case TWK_ROUND_TRUNC:
        return trunc(value);
    case TWK_ROUND_AWAY:
        return round(value);
    case TWK_ROUND_ODD: {
        const double down = trunc(value);
        if (down == value)
            return value;
        return fmod(down, 2) != 0 ? down : down + copysign(1, value);
    }
    default:
        return rint(value);
    }
}

/* What a floating type is made of. */
typedef struct format {
    int digits;   /* of the significand */
    int smallest; /* exponent of the last digit of the smallest numbers */
    double largest;
} format;

static const format *format_of(uint32_t type)
{
    static const format half = {11, -24, 65504.0};
    static const format brain = {8, -133, 0x1.fep127};
    static const format single = {24, -149, 0x1.fffffep127};
    return type == TWK_FP16 ? &half : type == TWK_BF16 ? &brain : &single;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* 2^exponent: a normal double. */
static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof(power));
    return power;
}

/* The nearest number of the format, as a double. */
static double nearest(const format *of, double value, uint32_t mode, bool *out_overflow)
{
    if (value == 0 || isnan(value) || isinf(value))
        return value;
    /* value = f * 2^exponent, f from 1/2 to 1; a subnormal double is below each format. */
    const int exponent = (int)(bits_of(value) >> 52 & 0x7ff) - 1022;
    const int last = exponent - of->digits > of->smallest ? exponent - of->digits : of->smallest;
    const double rounded =
        twin_native_whole(value * power_of_two(-last), mode) * power_of_two(last);
    if (fabs(rounded) <= of->largest)
        return rounded == 0 ? copysign(0, value) : rounded;
    *out_overflow = true;
    const bool to_largest = mode == TWK_ROUND_TRUNC || mode == TWK_ROUND_ODD ||
                            (mode == TWK_ROUND_FLOOR && value > 0) ||
                            (mode == TWK_ROUND_CEIL && value < 0);
    return copysign(to_largest ? of->largest : INFINITY, value);
}

double twin_native_saturated(uint32_t type, double value)
{
    return isnan(value) ? 0 : isinf(value) ? copysign(format_of(type)->largest, value) : value;
}

static double within(double value, double least, double most)
{
    return isnan(value) ? 0 : value < least ? least : value > most ? most : value;
}

#define STORE_INTEGER(kind, host, least, most)                                                     \
    case kind: {                                                                                   \
        const host element = (host)within(twin_native_whole(value, mode), least, most);            \
        memcpy(at, &element, sizeof(element));                                                     \
        return;                                                                                    \
    }

void twin_native_store(uint32_t type, void *at, double value, uint32_t mode, bool *out_overflow)
{
    switch (type) {
        STORE_INTEGER(TWK_INT8, int8_t, -128.0, 127.0)
        STORE_INTEGER(TWK_INT16, int16_t, -32768.0, 32767.0)
        STORE_INTEGER(TWK_INT32, int32_t, -2147483648.0, 2147483647.0)
        STORE_INTEGER(TWK_UINT8, uint8_t, 0.0, 255.0)
        STORE_INTEGER(TWK_UINT16, uint16_t, 0.0, 65535.0)
        STORE_INTEGER(TWK_UINT32, uint32_t, 0.0, 4294967295.0)
    default: {
        const float element = (float)nearest(format_of(type), value, mode, out_overflow);
        const uint16_t bits =
            type == TWK_FP16 ? twin_float_half(element) : twin_float_bfloat16(element);
        if (type == TWK_FP32)
            memcpy(at, &element, sizeof(element));
        else
            memcpy(at, &bits, sizeof(bits));
    }
    }
}

double twin_native_nearest(uint32_t type, double value, unsigned char element[4])
{
    bool overflow = false;
    twin_native_store(type, element, value, TWK_ROUND_EVEN, &overflow);
    return twin_native_number(type, element);
}

void twin_native_repeat(unsigned char *at, uint32_t count, uint32_t size, const uint32_t *element)
{
    const size_t bytes = (size_t)count * size;
    if (bytes == 0)
        return;
    memcpy(at, element, size);
    /* The part that is there is copied after itself, twice as much each time. */
    for (size_t done = size; done < bytes; done *= 2)
        memcpy(at + done, at, done < bytes - done ? done : bytes - done);
}

/* ---- atomic ---------------------------------------------------------------------------------- */

#define COMBINE(host)                                                                              \
    do {                                                                                           \
        for (size_t i = 0; i + sizeof(host) <= bytes; i += sizeof(host)) {                         \
            host old, fresh;                                                                       \
            memcpy(&old, at + i, sizeof(old));                                                     \
            memcpy(&fresh, data + i, sizeof(fresh));                                               \
            const host sum = (host)((uint32_t)old + (uint32_t)fresh);                              \
            const host result = how == TWK_ATOMIC_ADD   ? sum                                      \
                                : how == TWK_ATOMIC_MAX ? (fresh > old ? fresh : old)              \
                                                        : (fresh < old ? fresh : old);             \
            memcpy(at + i, &result, sizeof(result));                                               \
        }                                                                                          \
    } while (0)

static float combined(uint32_t how, float old, float fresh)
{
    if (how == TWK_ATOMIC_ADD)
        return old + fresh;
    if (isnan(old) || isnan(fresh))
        return isnan(old) ? old : fresh;
    return how == TWK_ATOMIC_MAX ? (fresh > old ? fresh : old) : (fresh < old ? fresh : old);
}

/* The value stored for a result that is not a number. */
static double special(uint32_t type, double old, double fresh, double result,
                      native_overflow *overflow)
{
    overflow->happened = overflow->happened || (isfinite(old) && isfinite(fresh));
    return overflow->saturate ? twin_native_saturated(type, result) : result;
}

static void combine_floats(uint32_t how, unsigned char *at, const unsigned char *data, size_t bytes,
                           native_overflow *overflow)
{
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        float old, fresh;
        memcpy(&old, at + i, sizeof(old));
        memcpy(&fresh, data + i, sizeof(fresh));
        float result = combined(how, old, fresh);
        if (__builtin_expect(!isfinite(result), 0))
            result = (float)special(TWK_FP32, (double)old, (double)fresh, (double)result, overflow);
        memcpy(at + i, &result, sizeof(result));
    }
}

static void combine_short(uint32_t how, bool half, unsigned char *at, const unsigned char *data,
                          size_t bytes, native_overflow *overflow)
{
    const uint16_t infinite = half ? 0x7c00u : 0x7f80u;
    for (size_t i = 0; i + 2 <= bytes; i += 2) {
        uint16_t bits[2];
        memcpy(&bits[0], at + i, sizeof(bits[0]));
        memcpy(&bits[1], data + i, sizeof(bits[1]));
        const float old = half ? twin_half_float(bits[0]) : twin_bfloat16_float(bits[0]);
        const float fresh = half ? twin_half_float(bits[1]) : twin_bfloat16_float(bits[1]);
        const float sum = combined(how, old, fresh);
        uint16_t result = half ? twin_float_half(sum) : twin_float_bfloat16(sum);
        if (__builtin_expect((result & infinite) == infinite, 0)) {
            const float found = half ? twin_half_float(result) : twin_bfloat16_float(result);
            const float left = (float)special(half ? TWK_FP16 : TWK_BF16, (double)old,
                                              (double)fresh, (double)found, overflow);
            result = half ? twin_float_half(left) : twin_float_bfloat16(left);
        }
        memcpy(at + i, &result, sizeof(result));
    }
}

void twin_native_combine(uint32_t how, uint32_t type, unsigned char *at, const unsigned char *data,
                         size_t bytes, native_overflow *overflow)
{
    switch (type) {
    case TWK_INT8:
        COMBINE(int8_t);
        break;
    case TWK_INT16:
        COMBINE(int16_t);
        break;
    case TWK_INT32:
        COMBINE(int32_t);
        break;
    case TWK_FP32:
        combine_floats(how, at, data, bytes, overflow);
        break;
    default:
        combine_short(how, type == TWK_FP16, at, data, bytes, overflow);
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

double twin_native_exp(double x)
{
    if (isnan(x))
        return x;
    if (x > 709.0)
        return INFINITY; /* beyond the range of each floating type */
    if (x < -740.0)
        return 0;
    /* x = n ln 2 + r; e^r as the sum of r^k / k!, far enough for a double. */
    const double n = rint(x * 0x1.71547652b82fep+0);
    const double r = (x - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
    double sum = 1.0 / 6227020800.0;
    static const double terms[] = {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0,
                                   720.0,       120.0,      24.0,      6.0,      2.0};
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
        sum = sum * r + 1.0 / terms[i];
    return ldexp((sum * r) * r + r + 1.0, (int)n);
}

double twin_native_ln(double x)
{
    if (isnan(x) || x == INFINITY)
        return x;
    if (x == 0)
        return -INFINITY;
    if (x < 0)
        return (double)NAN;
    /* x = 2^e m with m near 1; ln m = 2 (s + s^3/3 + s^5/5 ...), s = (m - 1) / (m + 1). */
    int e;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int k = 23; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * s2;
    return (double)e * 0x1.ef35793c76730p-45 +
           (2 * (s * sum) + (2 * s + (double)e * 0x1.62e42fefa3800p-1));
}
