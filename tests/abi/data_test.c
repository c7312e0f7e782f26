/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on values: half precision against arithmetic in double, data type sizes, data
 * buffers. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "support/cunit_main.h"

#define SIGN     0x8000U
#define INFINITE 0x7C00U

/* What a half that is neither infinite nor NaN means, from the definition of the format. */
static double half_value(unsigned half)
{
    int exponent = (int)(half >> 10 & 0x1F);
    int fraction = (int)(half & 0x3FF);
    double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & SIGN ? -magnitude : magnitude;
}

static void test_to_float(void)
{
    unsigned wrong = 0;
    for (unsigned half = 0; half < INFINITE; half++) {
        float value = aclFloat16ToFloat((aclFloat16)half);
        float negative = aclFloat16ToFloat((aclFloat16)(half | SIGN));
        wrong += (double)value != half_value(half) || signbit(value) != 0;
        wrong += (double)negative != half_value(half | SIGN) || signbit(negative) == 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_to_float_special(void)
{
    CU_ASSERT_EQUAL(aclFloat16ToFloat(INFINITE), INFINITY);
    CU_ASSERT_EQUAL(aclFloat16ToFloat(INFINITE | SIGN), -INFINITY);
    unsigned wrong = 0;
    for (unsigned half = INFINITE + 1; half < SIGN; half++)
        wrong += !isnan(aclFloat16ToFloat((aclFloat16)half));
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_round_trip(void)
{
    unsigned wrong = 0;
    for (unsigned half = 0; half <= 0xFFFF; half++) {
        if ((half & ~SIGN) <= INFINITE)
            wrong += aclFloatToFloat16(aclFloat16ToFloat((aclFloat16)half)) != half;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Between two neighbours: the middle goes to the even one, the float beside it to the nearer
 * one; whatever the rounding mode of the thread. */
static void test_rounding(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    unsigned wrong = 0;
    for (unsigned i = 0; i < 4 * (INFINITE - 1); i++) {
        const unsigned low = i / 4;
        const unsigned even = low & 1U ? low + 1 : low;
        const float middle = (float)((half_value(low) + half_value(low + 1)) / 2);
        const float below = nextafterf(middle, 0.0F);
        const float above = nextafterf(middle, INFINITY);
        fesetround(modes[i % 4]);
        wrong += aclFloatToFloat16(middle) != even;
        wrong += aclFloatToFloat16(-middle) != (even | SIGN);
        wrong += aclFloatToFloat16(below) != low;
        wrong += aclFloatToFloat16(above) != low + 1;
        fesetround(FE_TONEAREST);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_overflow(void)
{
    CU_ASSERT_EQUAL(aclFloatToFloat16(65504.0F), 0x7BFF);
    CU_ASSERT_EQUAL(aclFloatToFloat16(nextafterf(65520.0F, 0.0F)), 0x7BFF);
    CU_ASSERT_EQUAL(aclFloatToFloat16(65520.0F), INFINITE);
    CU_ASSERT_EQUAL(aclFloatToFloat16(FLT_MAX), INFINITE);
    CU_ASSERT_EQUAL(aclFloatToFloat16(-FLT_MAX), INFINITE | SIGN);
    CU_ASSERT_EQUAL(aclFloatToFloat16(-INFINITY), INFINITE | SIGN);
}

static void test_underflow(void)
{
    CU_ASSERT_EQUAL(aclFloatToFloat16(FLT_MIN), 0);
    CU_ASSERT_EQUAL(aclFloatToFloat16(-FLT_TRUE_MIN), SIGN);
    CU_ASSERT_EQUAL(aclFloatToFloat16(-0.0F), SIGN);
}

static void test_nan(void)
{
    /* Quiet and signalling, and one with a payload in bits that a half does not have. */
    static const unsigned patterns[] = {0x7FC00000U, 0x7FA00000U, 0x7F800001U, 0xFF800001U,
                                        0xFFC06000U};
    for (size_t i = 0; i < TWIN_COUNT(patterns); i++) {
        float value;
        memcpy(&value, &patterns[i], sizeof(value));
        unsigned half = aclFloatToFloat16(value);
        CU_ASSERT((half & 0x7FFFU) > INFINITE);
        CU_ASSERT_EQUAL(half & SIGN, patterns[i] >> 16 & SIGN);
        CU_ASSERT_EQUAL(half & 0x1FFU, patterns[i] >> 13 & 0x1FFU); /* of the payload */
    }
}

static void test_sizes(void)
{
    static const struct {
        aclDataType type;
        size_t size;
    } rows[] = {
        {ACL_DT_UNDEFINED, 0}, {ACL_STRING, 0},    {ACL_BOOL, 1},        {ACL_INT8, 1},
        {ACL_UINT8, 1},        {ACL_INT4, 1},      {ACL_FLOAT16, 2},     {ACL_BF16, 2},
        {ACL_INT16, 2},        {ACL_UINT16, 2},    {ACL_FLOAT, 4},       {ACL_INT32, 4},
        {ACL_UINT32, 4},       {ACL_INT64, 8},     {ACL_UINT64, 8},      {ACL_DOUBLE, 8},
        {ACL_COMPLEX32, 4},    {ACL_COMPLEX64, 8}, {ACL_COMPLEX128, 16},
    };
    for (size_t i = 0; i < TWIN_COUNT(rows); i++)
        CU_ASSERT_EQUAL(aclDataTypeSize(rows[i].type), rows[i].size);
}

static void test_buffer(void)
{
    char first[8];
    char second[16];
    aclDataBuffer *buffer = aclCreateDataBuffer(first, sizeof(first));
    CU_ASSERT_PTR_NOT_NULL_FATAL(buffer);
    CU_ASSERT_PTR_EQUAL(aclGetDataBufferAddr(buffer), first);
    CU_ASSERT_EQUAL(aclGetDataBufferSizeV2(buffer), sizeof(first));
    CU_ASSERT_EQUAL(aclUpdateDataBuffer(buffer, second, sizeof(second)), ACL_SUCCESS);
    CU_ASSERT_PTR_EQUAL(aclGetDataBufferAddr(buffer), second);
    CU_ASSERT_EQUAL(aclGetDataBufferSizeV2(buffer), sizeof(second));
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
}

static void test_empty_buffer(void)
{
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(buffer);
    CU_ASSERT_PTR_NULL(aclGetDataBufferAddr(buffer));
    CU_ASSERT_EQUAL(aclGetDataBufferSizeV2(buffer), 0);
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void test_old_size(void)
{
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0x100000002U);
    CU_ASSERT_PTR_NOT_NULL_FATAL(buffer);
    CU_ASSERT_EQUAL(aclGetDataBufferSize(buffer), 2);
    CU_ASSERT_EQUAL(aclGetDataBufferSizeV2(buffer), 0x100000002U);
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
}

/* Neither a destroyed buffer nor an address is ever followed. */
static void refused(aclDataBuffer *buffer)
{
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(buffer), ACL_ERROR_RT_INVALID_HANDLE);
    CU_ASSERT_EQUAL(aclUpdateDataBuffer(buffer, NULL, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CU_ASSERT_PTR_NULL(aclGetDataBufferAddr(buffer));
    CU_ASSERT_EQUAL(aclGetDataBufferSizeV2(buffer), 0);
}

static void test_stale_buffer(void)
{
    char memory[8];
    aclDataBuffer *buffer = aclCreateDataBuffer(memory, sizeof(memory));
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
    refused(buffer);
    aclDataBuffer *next = aclCreateDataBuffer(memory, sizeof(memory));
    refused(buffer);
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(next), ACL_SUCCESS);
}

static void test_made_up_buffer(void)
{
    char memory[64] = {0};
    refused((aclDataBuffer *)memory);
    refused((aclDataBuffer *)(uintptr_t)0x4500000000000001U);
    refused((aclDataBuffer *)(uintptr_t)UINTPTR_MAX);
}

static void test_null_buffer(void)
{
    CU_ASSERT_EQUAL(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM);
    CU_ASSERT_EQUAL(aclUpdateDataBuffer(NULL, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CU_ASSERT_PTR_NULL(aclGetDataBufferAddr(NULL));
    CU_ASSERT_EQUAL(aclGetDataBufferSize(NULL), 0);
    CU_ASSERT_EQUAL(aclGetDataBufferSizeV2(NULL), 0);
}

static const twin_test tests[] = {
    {"every finite half becomes the float of the same value and sign", test_to_float},
    {"infinities and NaN keep their value as floats", test_to_float_special},
    {"a half survives the way to float and back", test_round_trip},
    {"a float goes to the nearest half, ties to the even one, in each rounding mode",
     test_rounding},
    {"values that are too large become infinite, from half a step above the largest on",
     test_overflow},
    {"values that are too small become zero of the same sign", test_underflow},
    {"NaN stays NaN, with its sign and what fits of its payload", test_nan},
    {"a data type has its size in bytes, 0 where it has none", test_sizes},
    {"a data buffer describes the memory that was set last", test_buffer},
    {"a data buffer may be empty", test_empty_buffer},
    {"the old size query has 32 bits, the new one all", test_old_size},
    {"a destroyed data buffer is refused, also when its place is taken again", test_stale_buffer},
    {"something that is not a data buffer is refused and not followed", test_made_up_buffer},
    {"a missing data buffer is refused, or has no memory", test_null_buffer},
};

int main(int argc, char **argv)
{
    return twin_run_suite("data", tests, TWIN_COUNT(tests), argc, argv);
}
