/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the vector unit on floating numbers, against arithmetic in double that is rounded
 * the slow way. */
#include <fenv.h>

#include "kernel_number.h"
#include "kernel_operations.h"

#define COUNT 3000u

/* Any bits; or, `tame`, numbers between 1/16 and 16. */
static void fill(uint64_t at, twk_type type, uint32_t count, bool tame)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = random32();
        const float number = (bits & 1 ? -1.0f : 1.0f) *
                             ldexpf(1 + (float)(bits >> 9) * 0x1p-23f, (int)(bits >> 1 & 7) - 4);
        if (type == TWK_FP32 && tame)
            ((float *)rig_host(at))[i] = number;
        else if (type == TWK_FP32)
            ((uint32_t *)rig_host(at))[i] = bits;
        else
            ((uint16_t *)rig_host(at))[i] =
                tame ? slow_to_short((double)number, type == TWK_FP16 ? 5 : 8) : (uint16_t)bits;
    }
}

static double larger(double a, double b)
{
    return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
}

static double expected(uint32_t what, twk_type type, double a, double b, double r, double s)
{
    switch (what) {
    case DO_ADD:
        return a + b;
    case DO_SUB:
        return a - b;
    case DO_MUL:
        return a * b;
    case DO_DIV:
        return a / b;
    case DO_MAX:
        return larger(a, b);
    case DO_MIN:
        return -larger(-a, -b);
    case DO_MULADD: /* each step in FP32 */
        return (double)(float)(r + (double)(float)(a * b));
    case DO_ABS:
        return fabs(a);
    case DO_SQRT:
        return sqrt(a);
    case DO_RSQRT:
        return 1 / sqrt(a);
    case DO_RECIPROCAL:
        return 1 / a;
    case DO_RELU:
        return isnan(a) ? a : a > 0 ? a : 0;
    case DO_EXP:
        return exp(a);
    case DO_LN:
        return log(a);
    case DO_ADDS:
        return a + slow_round(type, s);
    case DO_MULS:
        return a * slow_round(type, s);
    case DO_MAXS:
        return larger(a, slow_round(type, s));
    case DO_MINS:
        return -larger(-a, -slow_round(type, s));
    default: /* AXPY */
        return (double)(float)(r + (double)(float)(a * slow_round(type, s)));
    }
}

static void check_all(uint32_t what, twk_type type, bool tame)
{
    static unsigned char before[0x4000];
    const op_args args = {.what = what, .type = type, .count = COUNT, .scalar = 1.2345678};
    fill(A, type, COUNT, tame);
    fill(B, type, COUNT, tame);
    fill(R, type, COUNT, tame);
    memcpy(before, rig_host(R), sizeof(before));
    rig_do("op", 1, &args, sizeof(args));
    const int rounding = fegetround();
    fesetround(FE_TONEAREST);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const double a = slow_get(type, rig_host(A), i), b = slow_get(type, rig_host(B), i);
        const double found = slow_get(type, rig_host(R), i);
        const double wanted =
            slow_round(type, expected(what, type, a, b, slow_get(type, before, i), args.scalar));
        if (slow_same(found, wanted) || (found == wanted && (what == DO_MAX || what == DO_MIN)))
            continue;
        if (wrong++ == 0)
            printf("\n    operation %u, type %d: %a, %a, %a gives %a, not %a\n", what, (int)type, a,
                   b, slow_get(type, before, i), found, wanted);
    }
    fesetround(rounding);
    CU_ASSERT_EQUAL(wrong, 0);
}

static void check_types(uint32_t what)
{
    static const twk_type types[] = {TWK_FP16, TWK_BF16, TWK_FP32};
    for (size_t i = 0; i < TWIN_COUNT(types); i++) {
        check_all(what, types[i], true);
        check_all(what, types[i], false);
    }
}

static void test_operations(void)
{
    for (uint32_t what = DO_ADD; what < DO_REDUCE_SUM; what++)
        check_types(what);
}

/* Neighbours, then neighbours of the results: in FP32, rounded once. */
static double tree(uint32_t what, const float *values, uint32_t count)
{
    static float level[COUNT];
    memcpy(level, values, count * sizeof(*level));
    while (count > 1) {
        for (uint32_t i = 0; i < count / 2; i++) {
            const float a = level[2 * i], b = level[2 * i + 1];
            level[i] = what == DO_REDUCE_SUM   ? a + b
                       : what == DO_REDUCE_MAX ? (a > b ? a : b)
                                               : (a < b ? a : b);
        }
        if (count % 2)
            level[count / 2] = level[count - 1];
        count = count / 2 + count % 2;
    }
    return (double)level[0];
}

static void test_reductions(void)
{
    static const uint32_t counts[] = {1, 2, 3, 511, 512, 513, 1025, 2047, COUNT};
    static const twk_type types[] = {TWK_FP16, TWK_BF16, TWK_FP32};
    static float values[COUNT];
    for (uint32_t what = DO_REDUCE_SUM; what <= DO_REDUCE_MIN; what++)
        for (size_t t = 0; t < TWIN_COUNT(types); t++)
            for (size_t c = 0; c < TWIN_COUNT(counts); c++) {
                const op_args args = {.what = what, .type = types[t], .count = counts[c]};
                fill(A, types[t], COUNT, true);
                for (uint32_t i = 0; i < counts[c]; i++)
                    values[i] = (float)slow_get(types[t], rig_host(A), i);
                rig_do("op", 1, &args, sizeof(args));
                const double wanted = slow_round(types[t], tree(what, values, counts[c]));
                CU_ASSERT(slow_same(slow_get(types[t], rig_host(R), 0), wanted));
            }
}

static bool overflows(uint32_t what, twk_type type, double a, double b, double *out_result)
{
    const op_args args = {.what = what, .type = type, .count = 1};
    if (type == TWK_FP32) {
        *(float *)rig_host(A) = (float)a;
        *(float *)rig_host(B) = (float)b;
    } else {
        *(uint16_t *)rig_host(A) = slow_to_short(a, type == TWK_FP16 ? 5 : 8);
        *(uint16_t *)rig_host(B) = slow_to_short(b, type == TWK_FP16 ? 5 : 8);
    }
    rig_begin("op", 1, &args, sizeof(args));
    const bool overflowed = twin_native_overflowed(rig_run);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
    *out_result = slow_get(type, rig_host(R), 0);
    return overflowed;
}

static void test_overflow(void)
{
    double found = 0;
    CU_ASSERT_FALSE(overflows(DO_MUL, TWK_FP16, 255, 256, &found));
    CU_ASSERT_EQUAL(found, 65280);
    CU_ASSERT_TRUE(overflows(DO_MUL, TWK_FP16, 256, -256, &found));
    CU_ASSERT_EQUAL(found, -(double)INFINITY);
    CU_ASSERT_FALSE(overflows(DO_ADD, TWK_FP16, (double)INFINITY, 1, &found)); /* it was infinite */
    CU_ASSERT_TRUE(overflows(DO_ADD, TWK_FP32, 3e38, 3e38, &found));
    CU_ASSERT_TRUE(overflows(DO_DIV, TWK_FP32, 1, 0, &found));
    rig_saturate = true;
    CU_ASSERT_TRUE(overflows(DO_MUL, TWK_FP16, 256, -256, &found));
    CU_ASSERT_EQUAL(found, -65504);
    CU_ASSERT_FALSE(overflows(DO_ADD, TWK_FP16, (double)INFINITY, 1, &found));
    CU_ASSERT_EQUAL(found, 65504);
    CU_ASSERT_TRUE(overflows(DO_SQRT, TWK_BF16, -1, 0, &found));
    CU_ASSERT_EQUAL(found, 0);
    CU_ASSERT_TRUE(overflows(DO_SQRT, TWK_FP32, -1, 0, &found)); /* FP32 stays as it is */
    CU_ASSERT(isnan(found));
    rig_saturate = false;
}

static uint64_t vector_cycles(const op_args *args)
{
    uint64_t cycles = 0;
    fill(A, args->type, COUNT, true);
    fill(B, args->type, COUNT, true);
    rig_begin("op", 1, args, sizeof(*args));
    for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
        const twin_step *step = &rig_work.lists[0].steps[i];
        if (step->pipe == TWIN_PIPE_VECTOR && step->kind == TWIN_STEP_WORK)
            cycles += step->amount;
    }
    twin_native_end(rig_run);
    return cycles;
}

static void test_time(void)
{
    /* 3000 elements of 2 bytes at 128 a cycle, after a start of 10 and what the operation adds. */
    const uint64_t steps = (COUNT * 2 + 127) / 128;
    const struct {
        uint32_t what;
        uint64_t cycles;
    } kinds[] = {
        {DO_ADD, 10 + steps},
        {DO_EXP, 10 + 7 + 4 * steps},
        {DO_DIV, 10 + 6 + 4 * steps},
        {DO_REDUCE_SUM, 10 + 22 + 7 * steps /* as many sums, which fit in a step */ + 10 + 22 + 7},
    };
    for (size_t k = 0; k < TWIN_COUNT(kinds); k++) {
        const op_args one = {.what = kinds[k].what, .type = TWK_FP16, .count = COUNT};
        CU_ASSERT_EQUAL(vector_cycles(&one), kinds[k].cycles);
    }
    const op_args add = {.what = DO_ADD, .type = TWK_FP16, .count = COUNT};
    rig_core.vector_unaligned = 5;
    CU_ASSERT_EQUAL(vector_cycles(&add), 10 + 5 + steps);
    /* A unit with registers: three accesses of two in a cycle, after a load and the latency. */
    rig_core.vector_unaligned = 0;
    rig_core.vector_load = 9;
    CU_ASSERT_EQUAL(vector_cycles(&add), 10 + 9 + 7 + (3 * steps + 1) / 2);
    rig_core.vector_load = 0;
}

static void test_rounding_of_host(void)
{
    fesetround(FE_UPWARD);
    check_all(DO_ADD, TWK_FP32, true);
    CU_ASSERT_EQUAL(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    check_all(DO_ADD, TWK_FP32, true);
}

typedef struct environment_args {
    int *rounding, *exceptions; /* as the kernel finds them */
    bool change;
} environment_args;

TWK_VECTOR_KERNEL(environment, environment_args, args)
{
    *args->rounding = fegetround();
    *args->exceptions = fetestexcept(FE_ALL_EXCEPT);
    if (args->change) {
        fesetround(FE_DOWNWARD);
        feraiseexcept(FE_DIVBYZERO | FE_OVERFLOW);
    }
}

/* The thread's rounding and exceptions: not seen by kernels, and not changed by them. */
static void test_environment(void)
{
    static const int rounding[] = {FE_TONEAREST, FE_UPWARD};
    static const int exceptions[] = {0, FE_INVALID, FE_UNDERFLOW | FE_INEXACT};
    fenv_t own;
    fegetenv(&own);
    for (uint32_t i = 0; i < 12; i++) {
        int found[2] = {-1, -1};
        const environment_args args = {
            .rounding = &found[0], .exceptions = &found[1], .change = i % 2 == 0};
        feclearexcept(FE_ALL_EXCEPT);
        fesetround(rounding[i / 2 % 2]);
        feraiseexcept(exceptions[i / 4]);
        rig_do("environment", 1, &args, sizeof(args));
        const int after_rounding = fegetround(), after = fetestexcept(FE_ALL_EXCEPT);
        fesetround(FE_TONEAREST);
        CU_ASSERT_EQUAL(found[0], FE_TONEAREST);
        CU_ASSERT_EQUAL(found[1], 0);
        CU_ASSERT_EQUAL(after_rounding, rounding[i / 2 % 2]);
        CU_ASSERT_EQUAL(after, exceptions[i / 4]);
    }
    fesetenv(&own);
}

static void test_refused(void)
{
    const op_args integers = {.what = DO_DIV, .type = TWK_INT32, .count = 8};
    const op_args brains = {.what = DO_ADD, .type = TWK_BF16, .count = 8};
    rig_fail("op", 1, &integers, sizeof(integers), TWIN_NATIVE_OPERATION,
             "twk_div: it does not take INT32");
    rig_no_bf16 = true;
    rig_fail("op", 1, &brains, sizeof(brains), TWIN_NATIVE_OPERATION, "no BF16");
    rig_no_bf16 = false;
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"each operation gives the exact result, rounded once", test_operations},
        {"reductions join neighbours, round after round", test_reductions},
        {"a result that is too large is infinite and noted, or the largest number", test_overflow},
        {"an operation takes its start and its operands' bytes", test_time},
        {"results do not depend on how the program's thread rounds", test_rounding_of_host},
        {"a kernel has its own floating point environment", test_environment},
        {"types that the unit or the part does not have are refused", test_refused},
    };
    return twin_run_suite("kernel_vector", tests, TWIN_COUNT(tests), argc, argv);
}
