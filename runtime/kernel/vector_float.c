/* SPDX-License-Identifier: Apache-2.0 */
/* FP16, BF16 and FP32 on the vector unit. Each operation is done in FP32, where it rounds once, and
 * then rounded to its type: for + - * / and roots of the two short types that is as good as
 * rounding the exact result. */
#include <math.h>
#include <string.h>

#include "kernel/loops.h"
#include "kernel/number.h"
#include "kernel/vector.h"
#include "twinrt/kernel.h"

#define CHUNK 512u

/* ---- elements as floats ---------------------------------------------------------------------- */

static void open_halves(const unsigned char *from, uint32_t count, float *to)
{
    twin_native_loops(0)->open_halves((const uint16_t *)(const void *)from, count, to);
}

static void open_brains(const unsigned char *from, uint32_t count, float *to)
{
    const uint16_t *brains = (const uint16_t *)(const void *)from;
    for (uint32_t i = 0; i < count; i++)
        to[i] = twin_bfloat16_float(brains[i]);
}

/* FP32 is there unchanged. */
static const float *open_elements(uint32_t type, const unsigned char *from, uint32_t count,
                                  float *room)
{
    if (type == TWK_FP32)
        return (const float *)(const void *)from;
    if (type == TWK_FP16)
        open_halves(from, count, room);
    else
        open_brains(from, count, room);
    return room;
}

static uint32_t close_halves(const float *from, uint32_t count, unsigned char *to)
{
    return twin_native_loops(0)->close_halves(from, count, (uint16_t *)(void *)to);
}

static uint32_t close_brains(const float *from, uint32_t count, unsigned char *to)
{
    uint16_t *brains = (uint16_t *)(void *)to;
    uint32_t special = 0;
    for (uint32_t i = 0; i < count; i++) {
        brains[i] = twin_float_bfloat16(from[i]);
        special |= (brains[i] & 0x7f80u) == 0x7f80u;
    }
    return special;
}

static uint32_t close_floats(const float *from, uint32_t count, unsigned char *to)
{
    uint32_t special = 0;
    for (uint32_t i = 0; i < count; i++)
        special |= (twin_float_bits(from[i]) & 0x7f800000u) == 0x7f800000u;
    memcpy(to, from, count * sizeof(*from));
    return special;
}

/* Rounds to the type. Whether any is infinite or NaN. */
static uint32_t close_elements(uint32_t type, const float *from, uint32_t count, unsigned char *to)
{
    return type == TWK_FP32   ? close_floats(from, count, to)
           : type == TWK_FP16 ? close_halves(from, count, to)
                              : close_brains(from, count, to);
}

/* ---- results that are not numbers ------------------------------------------------------------ */

/* An infinity or a NaN that comes from numbers is an overflow. With saturation the results are the
 * largest number, and 0 for NaN, wherever they come from. */
static void NATIVE_COLD repair_specials(native_core *core, uint32_t type, uint32_t count,
                                        unsigned char *to, const float *const *operands)
{
    const uint32_t size = native_size_of(type);
    bool overflow = false;
    for (uint32_t i = 0; i < count; i++) {
        const double value = twin_native_number(type, to + (size_t)i * size);
        if (isfinite(value))
            continue;
        bool numbers = true;
        for (uint32_t j = 0; j < 3; j++)
            numbers = numbers && (!operands[j] || isfinite(operands[j][i]));
        overflow = overflow || numbers;
        if (native_vector_saturates(core, type))
            twin_native_store(type, to + (size_t)i * size, twin_native_saturated(type, value),
                              TWK_ROUND_EVEN, &overflow);
    }
    core->run->overflowed = core->run->overflowed || overflow;
}

/* ---- element by element ---------------------------------------------------------------------- */

/* The larger one; NaN if one of them is. */
static inline float larger(float a, float b)
{
    const float number = a > b ? a : b;
    return a != a ? a : b != b ? b : number;
}
static inline float smaller(float a, float b)
{
    const float number = a < b ? a : b;
    return a != a ? a : b != b ? b : number;
}

#define EACH(expression)                                                                           \
    for (uint32_t i = 0; i < count; i++)                                                           \
        r[i] = (expression);                                                                       \
    break

static void binary(uint32_t op, uint32_t count, const float *a, const float *b, float *restrict r)
{
    switch (op) {
    case TWK_OP_ADD:
        EACH(a[i] + b[i]);
    case TWK_OP_SUB:
        EACH(a[i] - b[i]);
    case TWK_OP_MUL:
        EACH(a[i] * b[i]);
    case TWK_OP_DIV:
        EACH(a[i] / b[i]);
    case TWK_OP_MAX:
        EACH(larger(a[i], b[i]));
    default:
        EACH(smaller(a[i], b[i]));
    }
}

static void unary(uint32_t op, uint32_t count, const float *a, float *restrict r)
{
    switch (op) {
    case TWK_OP_ABS:
        EACH(twin_bits_float(twin_float_bits(a[i]) & 0x7fffffffu));
    case TWK_OP_EXP:
        EACH((float)twin_native_exp((double)a[i]));
    case TWK_OP_LN:
        EACH((float)twin_native_ln((double)a[i]));
    case TWK_OP_SQRT:
        EACH(sqrtf(a[i]));
    case TWK_OP_RSQRT:
        EACH((float)(1.0 / sqrt((double)a[i])));
    case TWK_OP_RECIPROCAL:
        EACH(1.0f / a[i]);
    default: /* RELU */
        EACH(a[i] > 0 ? a[i] : a[i] != a[i] ? a[i] : 0.0f);
    }
}

static void with_scalar(uint32_t op, uint32_t count, const float *a, float s, float *restrict r)
{
    switch (op) {
    case TWK_OP_ADDS:
        EACH(a[i] + s);
    case TWK_OP_MULS:
        EACH(a[i] * s);
    case TWK_OP_MAXS:
        EACH(larger(a[i], s));
    case TWK_OP_MINS:
        EACH(smaller(a[i], s));
    default: /* LEAKY_RELU */
        EACH(a[i] > 0 ? a[i] : a[i] * s);
    }
}

static void add_product(uint32_t count, const float *a, const float *b, float s, const float *c,
                        float *restrict r)
{
    for (uint32_t i = 0; i < count; i++) {
        const float product = a[i] * (b ? b[i] : s);
        r[i] = c[i] + product;
    }
}

void twin_native_floats(const native_operands *on)
{
    float a_room[CHUNK], b_room[CHUNK], c_room[CHUNK];
    float result[CHUNK];
    const twk_vector *call = on->call;
    const uint32_t type = call->type, op = call->op;
    unsigned char element[4];
    const float s = (float)twin_native_nearest(type, call->scalar, element);
    for (uint32_t at = 0; at < call->count; at += CHUNK) {
        const uint32_t count = call->count - at < CHUNK ? call->count - at : CHUNK;
        const size_t offset = (size_t)at * on->size;
        const float *a = open_elements(type, on->a + offset, count, a_room);
        const float *b = on->b ? open_elements(type, on->b + offset, count, b_room) : NULL;
        const float *c = NULL;
        if (op == TWK_OP_AXPY || op == TWK_OP_MULADD) {
            c = open_elements(type, on->dst + offset, count, c_room);
            add_product(count, a, b, s, c, result);
        } else if (b) {
            binary(op, count, a, b, result);
        } else if ((op >= TWK_OP_ADDS && op <= TWK_OP_MINS) || op == NATIVE_VECTOR_LEAKY_RELU) {
            with_scalar(op, count, a, s, result);
        } else {
            unary(op, count, a, result);
        }
        unsigned char rounded[CHUNK * sizeof(float)] __attribute__((aligned(32)));
        if (__builtin_expect(close_elements(type, result, count, rounded) != 0, 0))
            repair_specials(on->core, type, count, rounded, (const float *const[]){a, b, c});
        memcpy(on->dst + offset, rounded, (size_t)count * on->size);
    }
}

/* ---- rows by an element each ----------------------------------------------------------------- */

static void row_chunk(const native_operands *on, const unsigned char *from, float s, uint32_t count,
                      unsigned char *to)
{
    float a_room[CHUNK], b[CHUNK], result[CHUNK];
    const twk_vector *call = on->call;
    const float *a = open_elements(call->type, from, count, a_room);
    for (uint32_t i = 0; i < count; i++)
        b[i] = s;
    binary((uint32_t)(call->op - TWK_OP_ROW_ADD + TWK_OP_ADD), count, a, b, result);
    unsigned char rounded[CHUNK * sizeof(float)] __attribute__((aligned(32)));
    if (__builtin_expect(close_elements(call->type, result, count, rounded) != 0, 0))
        repair_specials(on->core, call->type, count, rounded, (const float *const[]){a, b, NULL});
    memcpy(to, rounded, (size_t)count * on->size);
}

void twin_native_float_rows(const native_operands *on)
{
    const twk_vector *call = on->call;
    for (uint32_t row = 0; row < call->rows; row++) {
        const float s = (float)twin_native_number(call->type, on->b + (size_t)row * on->size);
        for (uint32_t at = 0; at < call->count; at += CHUNK) {
            const uint32_t count = call->count - at < CHUNK ? call->count - at : CHUNK;
            const size_t offset = (size_t)row * on->pitch + (size_t)at * on->size;
            row_chunk(on, on->a + offset, s, count, on->dst + offset);
        }
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

static float join(uint32_t op, float a, float b)
{
    return op == TWK_OP_REDUCE_SUM ? a + b : op == TWK_OP_REDUCE_MAX ? larger(a, b) : smaller(a, b);
}

/* At most CHUNK elements. Not inline: `tree` calls itself, and would have this room each time. */
static __attribute__((noinline)) float leaf(uint32_t op, uint32_t type, const unsigned char *from,
                                            uint32_t count)
{
    float room[CHUNK], values[CHUNK];
    const float *a = open_elements(type, from, count, room);
    values[0] = 0;
    memcpy(values, a, count * sizeof(*a));
    for (uint32_t left = count; left > 1; left = left / 2 + left % 2) {
        const float last = values[left - 1];
        for (uint32_t i = 0; i < left / 2; i++)
            values[i] = join(op, values[2 * i], values[2 * i + 1]);
        if (left % 2 != 0)
            values[left / 2] = last;
    }
    return values[0];
}

/* Neighbours are joined, then neighbours of the results, until one is left; an odd last one waits
 * for the next round. That is the same as joining the halves of [first, first + span), where span
 * is a power of two. */
static float tree(uint32_t op, uint32_t type, const unsigned char *from, uint32_t first,
                  uint32_t span, uint32_t count)
{
    if (span <= CHUNK)
        return leaf(op, type, from + (size_t)first * native_size_of(type),
                    count - first < span ? count - first : span);
    const uint32_t half = span / 2;
    const float low = tree(op, type, from, first, half, count);
    return first + half < count ? join(op, low, tree(op, type, from, first + half, half, count))
                                : low;
}

void twin_native_float_reduce(const native_operands *on, const unsigned char *from, uint32_t count,
                              unsigned char *to)
{
    const twk_vector *call = on->call;
    uint32_t span = 1;
    while (span < count)
        span *= 2;
    const float result = tree(call->op, call->type, from, 0, span, count);
    if (__builtin_expect(close_elements(call->type, &result, 1, to) != 0, 0)) {
        float sum_of_specials = 0;
        for (uint32_t i = 0; i < count; i++)
            sum_of_specials +=
                (float)twin_native_number(call->type, from + (size_t)i * on->size) * 0;
        repair_specials(on->core, call->type, 1, to,
                        (const float *const[]){&sum_of_specials, NULL, NULL});
    }
}
