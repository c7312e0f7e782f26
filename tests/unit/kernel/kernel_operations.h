/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel that does any operation of the vector unit, for programs that compare it with their
 * own reckoning: R = A op B, or A op scalar, of `count` elements. Kernels are entered in the
 * program that includes this. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_OPERATIONS_H
#define TWINRT_TESTS_UNIT_KERNEL_OPERATIONS_H

#include "kernel_rig.h"

#define A RIG_BASE
#define B (RIG_BASE + 0x10000)
#define R (RIG_BASE + 0x20000)

enum {
    /* of elements */
    DO_ADD,
    DO_SUB,
    DO_MUL,
    DO_DIV,
    DO_MAX,
    DO_MIN,
    DO_MULADD,
    DO_ABS,
    DO_SQRT,
    DO_RSQRT,
    DO_RECIPROCAL,
    DO_RELU,
    DO_EXP,
    DO_LN,
    DO_ADDS,
    DO_MULS,
    DO_MAXS,
    DO_MINS,
    DO_AXPY,
    /* of all of A */
    DO_REDUCE_SUM,
    DO_REDUCE_MAX,
    DO_REDUCE_MIN,
    /* of bits */
    DO_AND,
    DO_OR,
    DO_XOR,
    DO_NOT,
    DO_LEFT,
    DO_RIGHT
};

typedef struct op_args {
    uint32_t what, type, count;
    double scalar;
} op_args;

TWK_VECTOR_KERNEL(op, op_args, args)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t n = args->count, bytes = n * twk_bytes_of(type);
    const twk_ub a = twk_ub_at(0), b = twk_ub_at(0x4000), r = twk_ub_at(0x8000);
    const double s = args->scalar;
    twk_load(a, A, bytes);
    twk_load(b, B, bytes);
    twk_load(r, R, bytes);
    twk_barrier(TWK_ALL);
    /* clang-format off */
    switch (args->what) {
    case DO_ADD: twk_add(type, r, a, b, n); break;
    case DO_SUB: twk_sub(type, r, a, b, n); break;
    case DO_MUL: twk_mul(type, r, a, b, n); break;
    case DO_DIV: twk_div(type, r, a, b, n); break;
    case DO_MAX: twk_max(type, r, a, b, n); break;
    case DO_MIN: twk_min(type, r, a, b, n); break;
    case DO_MULADD: twk_muladd(type, r, a, b, n); break;
    case DO_ABS: twk_abs(type, r, a, n); break;
    case DO_SQRT: twk_sqrt(type, r, a, n); break;
    case DO_RSQRT: twk_rsqrt(type, r, a, n); break;
    case DO_RECIPROCAL: twk_reciprocal(type, r, a, n); break;
    case DO_RELU: twk_relu(type, r, a, n); break;
    case DO_EXP: twk_exp(type, r, a, n); break;
    case DO_LN: twk_ln(type, r, a, n); break;
    case DO_ADDS: twk_adds(type, r, a, s, n); break;
    case DO_MULS: twk_muls(type, r, a, s, n); break;
    case DO_MAXS: twk_maxs(type, r, a, s, n); break;
    case DO_MINS: twk_mins(type, r, a, s, n); break;
    case DO_AXPY: twk_axpy(type, r, a, s, n); break;
    case DO_REDUCE_SUM: twk_reduce_sum(type, r, a, n); break;
    case DO_REDUCE_MAX: twk_reduce_max(type, r, a, n); break;
    case DO_REDUCE_MIN: twk_reduce_min(type, r, a, n); break;
    case DO_AND: twk_and(type, r, a, b, n); break;
    case DO_OR: twk_or(type, r, a, b, n); break;
    case DO_XOR: twk_xor(type, r, a, b, n); break;
    case DO_NOT: twk_not(type, r, a, n); break;
    case DO_LEFT: twk_shift_left(type, r, a, (uint32_t)s, n); break;
    case DO_RIGHT: twk_shift_right(type, r, a, (uint32_t)s, n); break;
    default: twk_trap();
    }
    /* clang-format on */
    twk_barrier(TWK_ALL);
    twk_store(R, r, bytes);
}

/* The same numbers in every run. */
static uint32_t random32(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

#endif
