/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the vector unit: which types each takes, and what it touches. */
#include "kernel/vector.h"

#include <string.h>

#include "kernel/access.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define UNIT      32u /* of offsets */
#define ROWS_MOST 65535u

enum {
    FLOATS = 1,
    INT16_32 = 2,
    INT32_ONLY = 4,
    ANY_INTEGER = 8,
    WIDE_INTEGER = 16,
    SHORT_UP = 32,
    ANY = 64
};
enum {
    A = 1,
    B = 2,
    MASK = 4,
    INTO = 8 /* reads its destination too */,
    TO_MASK = 16,
    TO_ONE = 32,
    ROWS = 64
};

/* What an operation is called, takes and touches. */
typedef struct kind {
    const char *name;
    uint8_t types, touches;
} kind;

static const kind kinds[TWK_OP_COUNT] = {
    [TWK_OP_ADD] = {"twk_add", FLOATS | INT16_32, A | B},
    [TWK_OP_SUB] = {"twk_sub", FLOATS | INT16_32, A | B},
    [TWK_OP_MUL] = {"twk_mul", FLOATS | INT16_32, A | B},
    [TWK_OP_DIV] = {"twk_div", FLOATS, A | B},
    [TWK_OP_MAX] = {"twk_max", FLOATS | INT16_32, A | B},
    [TWK_OP_MIN] = {"twk_min", FLOATS | INT16_32, A | B},
    [TWK_OP_AND] = {"twk_and", ANY_INTEGER, A | B},
    [TWK_OP_OR] = {"twk_or", ANY_INTEGER, A | B},
    [TWK_OP_XOR] = {"twk_xor", ANY_INTEGER, A | B},
    [TWK_OP_ABS] = {"twk_abs", FLOATS, A},
    [TWK_OP_EXP] = {"twk_exp", FLOATS, A},
    [TWK_OP_LN] = {"twk_ln", FLOATS, A},
    [TWK_OP_SQRT] = {"twk_sqrt", FLOATS, A},
    [TWK_OP_RSQRT] = {"twk_rsqrt", FLOATS, A},
    [TWK_OP_RECIPROCAL] = {"twk_reciprocal", FLOATS, A},
    [TWK_OP_RELU] = {"twk_relu", FLOATS | INT32_ONLY, A},
    [TWK_OP_NOT] = {"twk_not", ANY_INTEGER, A},
    [TWK_OP_ADDS] = {"twk_adds", FLOATS | INT16_32, A},
    [TWK_OP_MULS] = {"twk_muls", FLOATS | INT16_32, A},
    [TWK_OP_MAXS] = {"twk_maxs", FLOATS | INT16_32, A},
    [TWK_OP_MINS] = {"twk_mins", FLOATS | INT16_32, A},
    [TWK_OP_SHL] = {"twk_shift_left", WIDE_INTEGER, A},
    [TWK_OP_SHR] = {"twk_shift_right", WIDE_INTEGER, A},
    [TWK_OP_AXPY] = {"twk_axpy", FLOATS, A | INTO},
    [TWK_OP_MULADD] = {"twk_muladd", FLOATS, A | B | INTO},
    [TWK_OP_COMPARE] = {"twk_compare", FLOATS | INT16_32, A | B | TO_MASK},
    [TWK_OP_COMPARES] = {"twk_compares", FLOATS | INT16_32, A | TO_MASK},
    [TWK_OP_SELECT] = {"twk_select", SHORT_UP, A | B | MASK},
    [TWK_OP_SELECTS] = {"twk_selects", SHORT_UP, A | MASK},
    [TWK_OP_CAST] = {"twk_cast", ANY, A},
    [TWK_OP_DUPLICATE] = {"twk_duplicate", ANY, 0},
    [TWK_OP_INDEX] = {"twk_index", FLOATS | INT16_32, 0},
    [TWK_OP_GATHER] = {"twk_gather", SHORT_UP, B},
    [TWK_OP_REDUCE_SUM] = {"twk_reduce_sum", FLOATS | INT32_ONLY, A | TO_ONE},
    [TWK_OP_REDUCE_MAX] = {"twk_reduce_max", FLOATS | INT32_ONLY, A | TO_ONE},
    [TWK_OP_REDUCE_MIN] = {"twk_reduce_min", FLOATS | INT32_ONLY, A | TO_ONE},
    [TWK_OP_ROW_ADD] = {"twk_rows_add", FLOATS, A | B | ROWS},
    [TWK_OP_ROW_SUB] = {"twk_rows_sub", FLOATS, A | B | ROWS},
    [TWK_OP_ROW_MUL] = {"twk_rows_mul", FLOATS, A | B | ROWS},
    [TWK_OP_ROW_DIV] = {"twk_rows_div", FLOATS, A | B | ROWS},
};

const char *twin_native_vector_name(native_op op)
{
    return kinds[op].name;
}

static bool takes(const kind *one, uint32_t type)
{
    const uint32_t size = native_size_of(type);
    if (native_is_float(type))
        return (one->types & (FLOATS | SHORT_UP | ANY)) != 0;
    return (one->types & (ANY_INTEGER | ANY)) != 0 ||
           ((one->types & (WIDE_INTEGER | SHORT_UP)) != 0 && size > 1) ||
           ((one->types & INT16_32) != 0 && (type == TWK_INT16 || type == TWK_INT32)) ||
           ((one->types & INT32_ONLY) != 0 && type == TWK_INT32);
}

/* ---- operands -------------------------------------------------------------------------------- */

static const unsigned char *source(native_core *core, native_op op, uint32_t at, uint64_t bytes)
{
    return twin_native_source(core, TWK_UB, TWIN_PIPE_VECTOR, op, at, bytes, UNIT);
}

static unsigned char *target(native_core *core, native_op op, uint32_t at, uint64_t bytes)
{
    return twin_native_target(core, TWK_UB, TWIN_PIPE_VECTOR, op, at, bytes, UNIT);
}

/* A destination may be an operand, but not overlap it in part. */
static void check_overlap(native_core *core, uint32_t dst, uint64_t dst_bytes, uint32_t from,
                          uint64_t bytes, bool may_equal)
{
    if (dst >= from + bytes || from >= dst + dst_bytes || (may_equal && dst == from))
        return;
    twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                       "its result at %u, %llu bytes, overlaps an operand at %u, %llu bytes", dst,
                       (unsigned long long)dst_bytes, from, (unsigned long long)bytes);
}

static void find_flat(native_operands *on, const kind *one)
{
    const twk_vector *call = on->call;
    native_core *core = on->core;
    const native_op op = call->op;
    const uint64_t bytes = (uint64_t)call->count * on->size;
    const uint64_t mask_bytes = native_divide_up(call->count, 8);
    uint64_t out_bytes = bytes;
    if (op == TWK_OP_CAST)
        out_bytes = (uint64_t)call->count * twin_native_check_type(core, call->to);
    if (one->touches & TO_ONE)
        out_bytes = on->size;
    if (one->touches & A)
        on->a = source(core, op, call->a, bytes);
    if (one->touches & B)
        on->b = source(core, op, call->b, op == TWK_OP_GATHER ? (uint64_t)call->count * 4 : bytes);
    if (one->touches & MASK) {
        on->mask = source(core, op, call->mask, mask_bytes);
        check_overlap(core, call->dst, out_bytes, call->mask, mask_bytes, false);
    }
    if (one->touches & TO_MASK) {
        on->mask_out = target(core, op, call->mask, mask_bytes);
        check_overlap(core, call->mask, mask_bytes, call->a, bytes, false);
        if (one->touches & B)
            check_overlap(core, call->mask, mask_bytes, call->b, bytes, false);
        return;
    }
    if (one->touches & A)
        check_overlap(core, call->dst, out_bytes, call->a, bytes, out_bytes <= bytes);
    if (one->touches & B)
        check_overlap(core, call->dst, out_bytes, call->b, bytes, op != TWK_OP_GATHER);
    if (one->touches & INTO)
        (void)source(core, op, call->dst, bytes);
    on->dst = target(core, op, call->dst, out_bytes);
}

static void find_rows(native_operands *on, const kind *one)
{
    const twk_vector *call = on->call;
    native_core *core = on->core;
    const native_op op = call->op;
    const uint64_t wide = (uint64_t)call->count * on->size;
    const uint64_t pitch = (uint64_t)call->pitch * on->size;
    const uint64_t row_values = (uint64_t)call->rows * on->size;
    if (call->rows > ROWS_MOST || call->pitch < call->count || pitch % UNIT != 0 ||
        pitch > UINT32_MAX)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "%u rows of %u elements, %u from one to the next; that must be as much "
                           "or more and a multiple of %u bytes, and the maximum is %u rows",
                           call->rows, call->count, call->pitch, UNIT, ROWS_MOST);
    const uint64_t span = (call->rows - 1) * pitch + wide;
    on->pitch = (uint32_t)pitch;
    on->a = twin_native_local(core, TWK_UB, call->a, span, UNIT);
    if (one->touches & ROWS)
        on->b = source(core, op, call->b, row_values);
    for (uint32_t row = 0; row < call->rows; row++)
        (void)source(core, op, (uint32_t)(call->a + row * pitch), wide);
    if (one->touches & TO_ONE) {
        check_overlap(core, call->dst, row_values, call->a, span, false);
        on->dst = target(core, op, call->dst, row_values);
        return;
    }
    check_overlap(core, call->dst, span, call->a, span, true);
    check_overlap(core, call->dst, span, call->b, row_values, false);
    on->dst = twin_native_local(core, TWK_UB, call->dst, span, UNIT);
    for (uint32_t row = 0; row < call->rows; row++)
        (void)target(core, op, (uint32_t)(call->dst + row * pitch), wide);
}

/* Values of the author that an operation does not take. */
static void check_values(native_core *core, const twk_vector *call, uint32_t size)
{
    const bool compares = call->op == TWK_OP_COMPARE || call->op == TWK_OP_COMPARES;
    const bool shifts = call->op == TWK_OP_SHL || call->op == TWK_OP_SHR;
    if (call->op == TWK_OP_CAST && call->mode > TWK_ROUND_ODD)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "rounding %u is invalid", call->mode);
    if (compares && call->mode > TWK_GT)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "relation %u is invalid", call->mode);
    if (shifts && !(call->scalar >= 0 && call->scalar < size * 8))
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL, "%s by %g bits of %s",
                         twin_native_op_name(call->op), call->scalar,
                         twin_native_type_name(call->type));
}

/* ---- what has no arithmetic ------------------------------------------------------------------ */

static void duplicate(const native_operands *on)
{
    uint32_t element = 0;
    twin_native_given(on->core, on->call->type, &element, on->call->scalar);
    if (on->dst)
        twin_native_repeat(on->dst, on->call->count, on->size, &element);
}

static void index_up(const native_operands *on)
{
    for (uint32_t i = 0; i < on->call->count; i++)
        twin_native_given(on->core, on->call->type, on->dst + (size_t)i * on->size,
                          on->call->scalar + i);
}

static void gather(const native_operands *on)
{
    const native_op op = on->call->op;
    for (uint32_t i = 0; on->b && i < on->call->count; i++) {
        uint32_t offset;
        memcpy(&offset, on->b + (size_t)i * 4, sizeof(offset));
        const uint64_t at = (uint64_t)on->call->a + offset;
        const unsigned char *from =
            twin_native_source(on->core, TWK_UB, TWIN_PIPE_VECTOR, op, at, on->size, on->size);
        if (at < (uint64_t)on->call->dst + (uint64_t)on->call->count * on->size &&
            at + on->size > on->call->dst)
            twin_native_refuse(on->core, TWIN_NATIVE_OPERATION,
                               "element %u, at %llu, is in its result", i, (unsigned long long)at);
        memcpy(on->dst + (size_t)i * on->size, from, on->size);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void reduce(const native_operands *on)
{
    const twk_vector *call = on->call;
    const uint32_t rows = call->rows ? call->rows : 1;
    for (uint32_t row = 0; row < rows; row++) {
        const unsigned char *from = on->a + (size_t)row * on->pitch;
        unsigned char *to = on->dst + (size_t)row * on->size;
        if (native_is_float(call->type))
            twin_native_float_reduce(on, from, call->count, to);
        else
            twin_native_integer_reduce(on, from, call->count, to);
    }
}

static void compute(const native_operands *on)
{
    switch (on->call->op) {
    case TWK_OP_CAST:
        twin_native_cast(on);
        break;
    case TWK_OP_COMPARE:
    case TWK_OP_COMPARES:
        twin_native_compare(on);
        break;
    case TWK_OP_SELECT:
    case TWK_OP_SELECTS:
        twin_native_select(on);
        break;
    case TWK_OP_DUPLICATE:
        duplicate(on);
        break;
    case TWK_OP_INDEX:
        index_up(on);
        break;
    case TWK_OP_GATHER:
        gather(on);
        break;
    case TWK_OP_REDUCE_SUM:
    case TWK_OP_REDUCE_MAX:
    case TWK_OP_REDUCE_MIN:
        reduce(on);
        break;
    case TWK_OP_ROW_ADD:
    case TWK_OP_ROW_SUB:
    case TWK_OP_ROW_MUL:
    case TWK_OP_ROW_DIV:
        twin_native_float_rows(on);
        break;
    default:
        if (native_is_float(on->call->type))
            twin_native_floats(on);
        else
            twin_native_integers(on);
    }
}

/* What meets in the banks of UB. Masks are too short to matter, rows have pitches of their own. */
static void note_operands(native_operands *on, const kind *one)
{
    const twk_vector *call = on->call;
    if (one->touches & A)
        on->reads[on->read_count++] = call->a;
    if ((one->touches & B) != 0 && (one->touches & ROWS) == 0)
        on->reads[on->read_count++] = call->b;
    if (one->touches & INTO)
        on->reads[on->read_count++] = call->dst;
    on->to = one->touches & (TO_MASK | TO_ONE) ? NATIVE_NOWHERE : call->dst;
}

void twin_native_vector(const twk_vector *vector)
{
    native_core *core = twin_native_operation(TWIN_PIPE_VECTOR, vector->op);
    if (vector->op >= TWK_OP_COUNT)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL,
                         "the vector unit has no operation %u: the kernel was built for a newer "
                         "twinrt",
                         vector->op);
    const kind *one = &kinds[vector->op];
    native_operands on = {.call = vector, .core = core};
    on.size = twin_native_check_type(core, vector->type);
    if (!takes(one, vector->type))
        twin_native_bad_type(core, vector->type);
    if (vector->count == 0 || ((one->touches & ROWS) != 0 && vector->rows == 0))
        return;
    if (vector->rows > 0 && (one->touches & (ROWS | TO_ONE)) == 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "it has no rows");
    if (vector->rows > 0)
        find_rows(&on, one);
    else
        find_flat(&on, one);
    on.computed = vector->count * (vector->rows > 0 ? vector->rows : 1);
    note_operands(&on, one);
    check_values(core, vector, on.size);
    if (native_computes(core))
        compute(&on);
    twin_native_step(core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0, twin_native_vector_cycles(&on));
}
