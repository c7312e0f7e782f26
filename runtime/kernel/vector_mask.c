/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, selection and casts. */
#include <math.h>
#include <string.h>

#include "kernel/loops.h"
#include "kernel/number.h"
#include "kernel/vector.h"
#include "twinrt/kernel.h"

/* ---- masks ----------------------------------------------------------------------------------- */

#define MOST 512u /* elements at a time */

/* 1 for each element that is in the relation, else 0. NaN is in none but "not equal". */
static void relate(uint32_t relation, const double *a, const double *b, uint32_t count,
                   unsigned char *out)
{
#define EACH(sign)                                                                                 \
    for (uint32_t i = 0; i < count; i++)                                                           \
        out[i] = a[i] sign b[i];                                                                   \
    break
    switch (relation) {
    case TWK_LT:
        EACH(<);
    case TWK_LE:
        EACH(<=);
    case TWK_EQ:
        EACH(==);
    case TWK_NE:
        EACH(!=);
    case TWK_GE:
        EACH(>=);
    default:
        EACH(>);
    }
#undef EACH
}

static void numbers(uint32_t type, const unsigned char *from, uint32_t count, double *to)
{
    const uint16_t *shorts = (const uint16_t *)(const void *)from;
    const float *floats = (const float *)(const void *)from;
    if (type == TWK_FP32)
        for (uint32_t i = 0; i < count; i++)
            to[i] = (double)floats[i];
    else if (type == TWK_FP16)
        for (uint32_t i = 0; i < count; i++)
            to[i] = (double)twin_half_float(shorts[i]);
    else
        for (uint32_t i = 0; i < count; i++)
            to[i] = twin_native_number(type, from + (size_t)i * native_size_of(type));
}

void twin_native_compare(const native_operands *on)
{
    double a[MOST], b[MOST];
    unsigned char holds[MOST], element[4];
    const twk_vector *call = on->call;
    const double s = twin_native_nearest(call->type, call->scalar, element);
    for (uint32_t i = 0; i < MOST; i++)
        b[i] = s;
    for (uint32_t first = 0; first < call->count; first += MOST) {
        const uint32_t left = call->count - first, count = left < MOST ? left : MOST;
        numbers(call->type, on->a + (size_t)first * on->size, count, a);
        if (on->b)
            numbers(call->type, on->b + (size_t)first * on->size, count, b);
        memset(holds, 0, sizeof(holds));
        relate(call->mode, a, b, count, holds);
        for (uint32_t i = 0; i < count; i += 8) {
            uint32_t bits = 0;
            for (uint32_t bit = 0; bit < 8; bit++)
                bits |= (uint32_t)holds[i + bit] << bit;
            on->mask_out[(first + i) / 8] = (unsigned char)bits;
        }
    }
}

/* Bits are chosen by masks: a branch for each would be guessed wrong half of the time. */
#define SELECT(name, host)                                                                         \
    static void name(const native_operands *on, const void *scalar)                                \
    {                                                                                              \
        const host *a = (const host *)(const void *)on->a;                                         \
        const host *b = (const host *)(const void *)on->b;                                         \
        host *r = (host *)(void *)on->dst, s;                                                      \
        memcpy(&s, scalar, sizeof(s));                                                             \
        for (uint32_t i = 0; i < on->call->count; i++) {                                           \
            const host all = (host)(0u - (on->mask[i / 8] >> i % 8 & 1u));                         \
            r[i] = (host)((a[i] & all) | ((b ? b[i] : s) & (host)~all));                           \
        }                                                                                          \
    }
SELECT(select_16, uint16_t)
SELECT(select_32, uint32_t)

void twin_native_select(const native_operands *on)
{
    unsigned char element[4];
    (void)twin_native_nearest(on->call->type, on->call->scalar, element);
    if (on->size == 2)
        select_16(on, element);
    else
        select_32(on, element);
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* Pairs that are common, to the nearest. Each source is as far back as its result, or farther:
 * forward is safe. */
static bool fast(const native_operands *on)
{
    const twk_vector *call = on->call;
    const uint32_t count = call->count;
    if (call->mode != TWK_ROUND_EVEN || on->dst == on->a)
        return false;
    if (call->to == TWK_FP32 && (call->type == TWK_FP16 || call->type == TWK_BF16)) {
        const uint16_t *from = (const uint16_t *)(const void *)on->a;
        float *to = (float *)(void *)on->dst;
        if (call->type == TWK_FP16)
            twin_native_loops(0)->open_halves(from, count, to);
        else
            for (uint32_t i = 0; i < count; i++)
                to[i] = twin_bfloat16_float(from[i]);
        return true;
    }
    if (call->to == TWK_FP32 && call->type == TWK_INT32) {
        const int32_t *from = (const int32_t *)(const void *)on->a;
        float *to = (float *)(void *)on->dst;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (float)from[i];
        return true;
    }
    if (call->type != TWK_FP32 || (call->to != TWK_FP16 && call->to != TWK_BF16))
        return false;
    const float *from = (const float *)(const void *)on->a;
    uint16_t *to = (uint16_t *)(void *)on->dst;
    uint32_t special = 0;
    for (uint32_t i = 0; i < count; i++)
        special |= (twin_float_bits(from[i]) & 0x7fffffffu) >=
                   (call->to == TWK_FP16 ? 0x477fe000u : 0x7f000000u);
    if (special)
        return false; /* it may overflow */
    if (call->to == TWK_FP16)
        (void)twin_native_loops(0)->close_halves(from, count, to);
    else
        for (uint32_t i = 0; i < count; i++)
            to[i] = twin_float_bfloat16(from[i]);
    return true;
}

void twin_native_cast(const native_operands *on)
{
    const twk_vector *call = on->call;
    if (fast(on))
        return;
    const uint32_t out_size = native_size_of(call->to);
    const bool to_whole = call->type == call->to && native_is_float(call->to);
    const bool saturate = native_vector_saturates(on->core, call->to);
    bool overflow = false;
    for (uint32_t i = 0; i < call->count; i++) {
        double value = twin_native_number(call->type, on->a + (size_t)i * on->size);
        unsigned char *to = on->dst + (size_t)i * out_size;
        if (to_whole)
            value = twin_native_whole(value, call->mode);
        bool too_large = false;
        twin_native_store(call->to, to, value, to_whole ? TWK_ROUND_EVEN : call->mode, &too_large);
        overflow = overflow || too_large;
        const double stored = saturate ? twin_native_number(call->to, to) : 0;
        if (!isfinite(stored))
            twin_native_store(call->to, to, twin_native_saturated(call->to, stored), TWK_ROUND_EVEN,
                              &too_large);
    }
    on->core->run->overflowed = on->core->run->overflowed || overflow;
}
