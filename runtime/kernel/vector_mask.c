/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, selection and casts. */
#include <math.h>
#include <string.h>

#include "kernel/number.h"
#include "kernel/vector.h"
#include "twinrt/kernel.h"

/* ---- masks ----------------------------------------------------------------------------------- */

static bool holds(uint32_t relation, double a, double b)
{
    switch (relation) {
    case TWK_LT:
        return a < b;
    case TWK_LE:
        return a <= b;
    case TWK_EQ:
        return a == b;
    case TWK_NE:
        return a != b;
    case TWK_GE:
        return a >= b;
    default:
        return a > b;
    }
}

void twin_native_compare(const native_operands *on)
{
    const twk_vector *call = on->call;
    unsigned char element[4];
    const double s = twin_native_nearest(call->type, call->scalar, element);
    for (uint32_t first = 0; first < call->count; first += 8) {
        uint32_t bits = 0;
        for (uint32_t i = first; i < call->count && i < first + 8; i++) {
            const double a = twin_native_number(call->type, on->a + (size_t)i * on->size);
            const double b =
                on->b ? twin_native_number(call->type, on->b + (size_t)i * on->size) : s;
            bits |= (uint32_t)holds(call->mode, a, b) << (i - first);
        }
        on->mask_out[first / 8] = (unsigned char)bits;
    }
}

void twin_native_select(const native_operands *on)
{
    const twk_vector *call = on->call;
    unsigned char element[4];
    (void)twin_native_nearest(call->type, call->scalar, element);
    for (uint32_t i = 0; i < call->count; i++) {
        const size_t at = (size_t)i * on->size;
        const unsigned char *other = on->b ? on->b + at : element;
        const unsigned char *from = on->mask[i / 8] >> (i % 8) & 1 ? on->a + at : other;
        memmove(on->dst + at, from, on->size);
    }
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
            for (uint32_t i = 0; i < count; i++)
                to[i] = twin_half_float(from[i]);
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
        for (uint32_t i = 0; i < count; i++)
            to[i] = twin_float_half(from[i]);
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
    const bool saturate = on->core->run->call.saturate && native_is_float(call->to);
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
