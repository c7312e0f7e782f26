/* SPDX-License-Identifier: Apache-2.0 */
/* Products of any numbers, with infinities, NaN, subnormal numbers and zeros of both signs, to the
 * bit: as one loop of multiplications and additions in FP32 has them. */
#include <math.h>

#include "kernel_number.h"
#include "kernel_rig.h"

#include "kernel/loops.h"

#define A    RIG_BASE
#define B    (RIG_BASE + 0x40000)
#define C    (RIG_BASE + 0x80000)
#define MOST 65536u /* elements of an operand */

static uint64_t state = 1;
static uint32_t random32(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Rounded twice whatever the compiler would rather do. */
static float add_product(float sum, float a, float b)
{
    volatile float product = a * b;
    volatile float result = sum + product;
    return result;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static float any_float(bool special)
{
    static const uint32_t specials[] = {0,          0x80000000, 1,          0x80000001,
                                        0x007fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0x7f800001, 0x3f800000};
    const uint32_t kind = random32() % 8;
    if (!special)
        return (float)(int32_t)random32() * 0x1p-30f;
    return kind < 2   ? float_of(specials[random32() % TWIN_COUNT(specials)])
           : kind < 5 ? float_of(random32())
                      : (float)(int32_t)random32() * 0x1p-30f;
}

/* Whichever NaN it is. */
static bool same(float a, float b)
{
    return isnan(a) ? isnan(b) : bits_of(a) == bits_of(b);
}

static void check_tile(const native_loops *one, uint32_t rows, uint32_t k, bool special)
{
    static float a[NATIVE_TILE_ROWS * 64], b[64 * NATIVE_TILE_COLUMNS];
    float from[NATIVE_TILE_ROWS * NATIVE_TILE_COLUMNS], sums[TWIN_COUNT(from) + 1];
    for (uint32_t i = 0; i < TWIN_COUNT(a); i++)
        a[i] = any_float(special);
    for (uint32_t i = 0; i < TWIN_COUNT(b); i++)
        b[i] = any_float(special);
    for (uint32_t i = 0; i < TWIN_COUNT(from); i++)
        from[i] = any_float(special);
    const uint32_t count = rows * NATIVE_TILE_COLUMNS;
    sums[count] = 77;
    const native_tile tile = {.a = a, .pitch = 64, .b = b, .from = from, .rows = rows, .k = k};
    const bool found = one->multiply(&tile, sums);
    bool wanted = false;
    for (uint32_t i = 0; i < count; i++) {
        float sum = from[i];
        for (uint32_t at = 0; at < k; at++)
            sum = add_product(sum, a[i / NATIVE_TILE_COLUMNS * 64 + at],
                              b[at * NATIVE_TILE_COLUMNS + i % NATIVE_TILE_COLUMNS]);
        wanted = wanted || !isfinite(sum);
        CU_ASSERT(same(sums[i], sum));
    }
    CU_ASSERT_EQUAL(found, wanted);
    CU_ASSERT_EQUAL(sums[count], 77);
}

static void test_tiles(void)
{
    uint32_t number = 0;
    for (const native_loops *one; (one = twin_native_loops(number)); number++)
        for (uint32_t round = 0; round < 200; round++)
            for (uint32_t rows = 1; rows <= one->tile_rows; rows++)
                check_tile(one, rows, 1 + random32() % 64, round % 2 != 0);
    CU_ASSERT(number >= 1);
}

/* Each number of FP16, and numbers of FP32 around each, as their definition has them. */
static void test_halves(void)
{
    static uint16_t halves[65536], back[TWIN_COUNT(halves)];
    static float floats[TWIN_COUNT(halves)];
    for (uint32_t i = 0; i < TWIN_COUNT(halves); i++)
        halves[i] = (uint16_t)i;
    for (uint32_t number = 0; twin_native_loops(number); number++) {
        const native_loops *one = twin_native_loops(number);
        one->open_halves(halves, TWIN_COUNT(halves), floats);
        for (uint32_t i = 0; i < TWIN_COUNT(halves); i++)
            CU_ASSERT(slow_same((double)floats[i], slow_short(halves[i], 5)));
        for (uint32_t i = 0; i < TWIN_COUNT(halves); i++) /* half of the next one, and nearly so */
            floats[i] = float_of(bits_of(floats[i]) + (0x1000u - 1 + i % 3));
        bool wanted = false;
        const bool found = one->close_halves(floats, TWIN_COUNT(halves), back);
        for (uint32_t i = 0; i < TWIN_COUNT(halves); i++) {
            const double near = slow_short(slow_to_short((double)floats[i], 5), 5);
            wanted = wanted || !isfinite(near);
            CU_ASSERT(slow_same(slow_short(back[i], 5), near));
        }
        CU_ASSERT_EQUAL(found, wanted);
        floats[0] = 65504;
        CU_ASSERT(!one->close_halves(floats, 1, back));
        CU_ASSERT_EQUAL(back[0], 0x7bff);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct product_args {
    uint32_t type, m, n, k, times;
} product_args;

/* c = times * a * b. */
TWK_CUBE_KERNEL(products, product_args, args)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t size = twk_bytes_of(type), m = args->m, n = args->n, k = args->k;
    const twk_matrix a = twk_matrix_at(0, m, k), b = twk_matrix_at(0x40000, k, n);
    twk_load_matrix(type, a, A, k * size);
    twk_load_matrix(type, b, B, n * size);
    twk_barrier(TWK_ALL);
    twk_load_a(type, twk_l0a_at(0), a, 0, 0, m, k, false);
    twk_load_b(type, twk_l0b_at(0), b, 0, 0, k, n, false);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->times; i++)
        twk_mmad(type, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), m, n, k, i > 0);
    twk_barrier(TWK_ALL);
    twk_store_result(type == TWK_INT8 ? TWK_INT32 : TWK_FP32, C, n * 4,
                     type == TWK_INT8 ? TWK_INT32 : TWK_FP32, twk_l0c_at(0), m, n, NULL);
}

static float left[MOST], right[MOST];

static void fill(uint64_t at, twk_type type, uint32_t count, bool special, float *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const float number = any_float(special);
        if (type == TWK_FP32) {
            ((float *)rig_host(at))[i] = number;
            out[i] = number;
        } else if (type == TWK_INT8) {
            const int8_t byte = special ? INT8_MIN : (int8_t)random32();
            ((int8_t *)rig_host(at))[i] = byte;
            out[i] = byte;
        } else {
            const uint16_t half = special ? (uint16_t)random32()
                                          : slow_to_short((double)number, type == TWK_FP16 ? 5 : 8);
            ((uint16_t *)rig_host(at))[i] = half;
            out[i] = (float)slow_short(half, type == TWK_FP16 ? 5 : 8);
        }
    }
}

/* What runtime/docs/kernels.md says of results that are not numbers. */
static float judged(float sum, bool saturate, bool numbers, bool *overflow)
{
    if (isfinite(sum))
        return sum;
    *overflow = *overflow || numbers;
    if (saturate)
        return isnan(sum) ? 0 : copysignf(0x1.fffffep127f, sum);
    return isnan(sum) ? float_of(0x7fc00000) : sum;
}

static uint32_t result_of(const product_args *args, uint32_t row, uint32_t column, bool *overflow)
{
    float sum = 0;
    uint32_t whole = 0;
    for (uint32_t i = 0; i < args->times; i++) {
        bool numbers = isfinite(sum);
        for (uint32_t at = 0; at < args->k; at++) {
            const float a = left[row * args->k + at], b = right[at * args->n + column];
            numbers = numbers && isfinite(a) && isfinite(b);
            if (args->type == TWK_INT8)
                whole += (uint32_t)((int32_t)a * (int32_t)b);
            else
                sum = add_product(sum, a, b);
        }
        if (args->type != TWK_INT8)
            sum = judged(sum, rig_saturate, numbers, overflow);
    }
    return args->type == TWK_INT8 ? whole : bits_of(sum);
}

static void check_product(const product_args *args, bool special)
{
    bool overflow = false;
    fill(A, (twk_type)args->type, args->m * args->k, special, left);
    fill(B, (twk_type)args->type, args->k * args->n, special, right);
    rig_begin("products", 1, args, sizeof(*args));
    CU_ASSERT_EQUAL_FATAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    const uint32_t *c = rig_host(C);
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < args->m; row++)
        for (uint32_t column = 0; column < args->n; column++)
            wrong += c[row * args->n + column] != result_of(args, row, column, &overflow);
    if (wrong > 0)
        printf("\n    type %u, %u by %u by %u: %u of %u results differ\n", args->type, args->m,
               args->n, args->k, wrong, args->m * args->n);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(twin_native_overflowed(rig_run), overflow);
    twin_native_end(rig_run);
}

static void test_products(void)
{
    static const twk_type types[] = {TWK_FP16, TWK_BF16, TWK_FP32, TWK_INT8};
    for (uint32_t round = 0; round < 160; round++) {
        const product_args args = {.type = types[round % 4],
                                   .m = 1 + random32() % 50,
                                   .n = 1 + random32() % 50,
                                   .k = 1 + random32() % 100,
                                   .times = 1 + random32() % 3};
        rig_saturate = round % 8 >= 4;
        check_product(&args, round % 16 >= 8);
    }
    rig_saturate = false;
}

/* More bytes than there are whole numbers in FP32 for their sum, up to one that wraps. */
static void test_many_bytes(void)
{
    const product_args some = {.type = TWK_INT8, .m = 16, .n = 16, .k = 2600, .times = 1};
    const product_args many = {.type = TWK_INT8, .m = 16, .n = 16, .k = 4096, .times = 33};
    check_product(&some, false);
    check_product(&some, true);
    check_product(&many, true); /* 33 * 2^12 * 2^14 > 2^31 */
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"tiles of each size are one loop of products and sums", test_tiles},
        {"FP16 becomes FP32, and FP32 the nearest FP16", test_halves},
        {"products of any numbers, with and without saturation", test_products},
        {"sums of many products of bytes are exact, and wrap", test_many_bytes},
    };
    return twin_run_suite("kernel_product", tests, TWIN_COUNT(tests), argc, argv);
}
