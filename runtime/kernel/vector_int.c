/* SPDX-License-Identifier: Apache-2.0 */
/* Integers on the vector unit. What is too large wraps. */
#include <string.h>

#include "kernel/number.h"
#include "kernel/vector.h"
#include "twinrt/kernel.h"

#define EACH(expression)                                                                           \
    for (size_t i = 0; i < count; i++)                                                             \
        r[i] = (expression);                                                                       \
    break

/* One loop for each type: `host` is the type, `wide` the unsigned one in which it wraps. */
#define ARITHMETIC(name, host, wide)                                                               \
    static void name(const native_operands *on, double scalar)                                     \
    {                                                                                              \
        const size_t count = on->call->count;                                                      \
        const host *a = (const host *)(const void *)on->a;                                         \
        const host *b = (const host *)(const void *)on->b;                                         \
        host *r = (host *)(void *)on->dst;                                                         \
        const host s = (host)scalar;                                                               \
        switch (on->call->op) {                                                                    \
        case TWK_OP_ADD:                                                                           \
            EACH((host)((wide)a[i] + (wide)b[i]));                                                 \
        case TWK_OP_SUB:                                                                           \
            EACH((host)((wide)a[i] - (wide)b[i]));                                                 \
        case TWK_OP_MUL:                                                                           \
            EACH((host)((wide)a[i] * (wide)b[i]));                                                 \
        case TWK_OP_MAX:                                                                           \
            EACH(a[i] > b[i] ? a[i] : b[i]);                                                       \
        case TWK_OP_MIN:                                                                           \
            EACH(a[i] < b[i] ? a[i] : b[i]);                                                       \
        case TWK_OP_ADDS:                                                                          \
            EACH((host)((wide)a[i] + (wide)s));                                                    \
        case TWK_OP_MULS:                                                                          \
            EACH((host)((wide)a[i] * (wide)s));                                                    \
        case TWK_OP_MAXS:                                                                          \
            EACH(a[i] > s ? a[i] : s);                                                             \
        case TWK_OP_MINS:                                                                          \
            EACH(a[i] < s ? a[i] : s);                                                             \
        default: /* RELU */                                                                        \
            EACH(a[i] > 0 ? a[i] : 0);                                                             \
        }                                                                                          \
    }
ARITHMETIC(arithmetic_16, int16_t, uint32_t)
ARITHMETIC(arithmetic_32, int32_t, uint32_t)

/* Bits are bits: bytes of any type. */
static void bits(const native_operands *on)
{
    const size_t count = (size_t)on->call->count * on->size;
    const unsigned char *a = on->a, *b = on->b;
    unsigned char *r = on->dst;
    switch (on->call->op) {
    case TWK_OP_AND:
        EACH(a[i] & b[i]);
    case TWK_OP_OR:
        EACH(a[i] | b[i]);
    case TWK_OP_XOR:
        EACH(a[i] ^ b[i]);
    default:
        EACH((unsigned char)~a[i]);
    }
}

#define SHIFT(name, host, wide)                                                                    \
    static void name(const native_operands *on, uint32_t by)                                       \
    {                                                                                              \
        const host *a = (const host *)(const void *)on->a;                                         \
        host *r = (host *)(void *)on->dst;                                                         \
        const bool left = on->call->op == TWK_OP_SHL;                                              \
        for (uint32_t i = 0; i < on->call->count; i++)                                             \
            r[i] = left ? (host)((wide)a[i] << by) : (host)(a[i] >> by);                           \
    }
SHIFT(shift_i16, int16_t, uint32_t)
SHIFT(shift_i32, int32_t, uint32_t)
SHIFT(shift_u16, uint16_t, uint32_t)
SHIFT(shift_u32, uint32_t, uint32_t)

static void shift(const native_operands *on)
{
    const uint32_t by = (uint32_t)on->call->scalar;
    switch (on->call->type) {
    case TWK_INT16:
        shift_i16(on, by);
        break;
    case TWK_INT32:
        shift_i32(on, by);
        break;
    case TWK_UINT16:
        shift_u16(on, by);
        break;
    default:
        shift_u32(on, by);
    }
}

void twin_native_integers(const native_operands *on)
{
    const uint32_t op = on->call->op;
    if (op == TWK_OP_SHL || op == TWK_OP_SHR) {
        shift(on);
        return;
    }
    if (op == TWK_OP_AND || op == TWK_OP_OR || op == TWK_OP_XOR || op == TWK_OP_NOT) {
        bits(on);
        return;
    }
    unsigned char element[4];
    const double scalar = twin_native_nearest(on->call->type, on->call->scalar, element);
    if (on->call->type == TWK_INT16)
        arithmetic_16(on, scalar);
    else
        arithmetic_32(on, scalar);
}

/* Order does not matter to integers. */
void twin_native_integer_reduce(const native_operands *on, const unsigned char *from,
                                uint32_t count, unsigned char *to)
{
    const int32_t *a = (const int32_t *)(const void *)from;
    uint32_t sum = 0;
    int32_t most = a[0], least = a[0];
    for (uint32_t i = 0; i < count; i++) {
        sum += (uint32_t)a[i];
        most = a[i] > most ? a[i] : most;
        least = a[i] < least ? a[i] : least;
    }
    const uint32_t op = on->call->op;
    const int32_t result = op == TWK_OP_REDUCE_SUM   ? (int32_t)sum
                           : op == TWK_OP_REDUCE_MAX ? most
                                                     : least;
    memcpy(to, &result, sizeof(result));
}
