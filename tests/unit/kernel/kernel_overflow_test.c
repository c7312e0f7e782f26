/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are too large for their type, outside of the vector unit's arithmetic: numbers that
 * the author gives, atomic stores, products. Finite operands give an overflow; with saturation the
 * result is the largest number. */
#include "kernel_number.h"
#include "kernel_rig.h"

#define GM       RIG_BASE
#define OUT      (RIG_BASE + 0x1000)
#define INFINITE ((double)INFINITY)

typedef struct given_args {
    uint32_t how, type;
    double value;
} given_args;

enum { BY_DUPLICATE, BY_INDEX, BY_PUT, BY_GM_PUT, BY_PADDING, GIVEN };

TWK_VECTOR_KERNEL(given, given_args, args)
{
    const twk_type type = (twk_type)args->type;
    const twk_rows row = {.rows = 1, .bytes = 32, .gm_pitch = 32, .pitch = 64};
    if (args->how == BY_DUPLICATE)
        twk_duplicate(type, twk_ub_at(0), args->value, 1);
    else if (args->how == BY_INDEX)
        twk_index(type, twk_ub_at(0), args->value, 1);
    else if (args->how == BY_PUT)
        twk_put(type, twk_ub_at(0), args->value);
    else if (args->how == BY_PADDING)
        twk_load_padded(type, twk_ub_at(0), GM, &row, 1, 0, args->value);
    twk_barrier(TWK_ALL);
    if (args->how == BY_GM_PUT)
        twk_gm_put(type, OUT, args->value);
    else
        twk_store(OUT, twk_ub_at(0), twk_bytes_of(type));
}

static bool run(const char *name, uint32_t blocks, const void *args, size_t bytes)
{
    rig_begin(name, blocks, args, bytes);
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    const bool overflowed = twin_native_overflowed(rig_run);
    twin_native_end(rig_run);
    return overflowed;
}

static void test_given(void)
{
    const struct {
        double value;
        bool saturate, overflow;
        double wanted;
    } cases[] = {{65504, false, false, 65504},
                 {1e6, false, true, INFINITE},
                 {-1e6, true, true, -65504},
                 {1e6, true, true, 65504},
                 {INFINITE, false, false, INFINITE},
                 {-INFINITE, true, false, -INFINITE},
                 {(double)NAN, true, false, (double)NAN}};
    for (uint32_t how = 0; how < GIVEN; how++)
        for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
            const given_args args = {.how = how, .type = TWK_FP16, .value = cases[i].value};
            rig_saturate = cases[i].saturate;
            CU_ASSERT_EQUAL(run("given", 1, &args, sizeof(args)), cases[i].overflow);
            CU_ASSERT(slow_same(slow_get(TWK_FP16, rig_host(OUT), 0), cases[i].wanted));
        }
    const given_args whole = {.how = BY_PUT, .type = TWK_INT8, .value = 1e6};
    CU_ASSERT_FALSE(run("given", 1, &whole, sizeof(whole)));
    CU_ASSERT_EQUAL(slow_get(TWK_INT8, rig_host(OUT), 0), 127);
    rig_saturate = false;
}

typedef struct total_args {
    uint32_t type, how;
    double value;
} total_args;

/* Each block combines GM with the value, and stores the result that it sees. */
TWK_VECTOR_KERNEL(total, total_args, args)
{
    const twk_type type = (twk_type)args->type;
    twk_duplicate(type, twk_ub_at(0), args->value, 8);
    twk_barrier(TWK_ALL);
    twk_store_atomic((twk_atomic)args->how, type, GM, twk_ub_at(0), 8);
    twk_barrier(TWK_ALL);
    twk_gm_put(type, OUT, twk_gm_get(type, GM));
}

static void put_all(twk_type type, uint64_t at, double value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (type == TWK_FP32)
            ((float *)rig_host(at))[i] = (float)value;
        else
            ((uint16_t *)rig_host(at))[i] = slow_to_short(value, type == TWK_FP16 ? 5 : 8);
}

static void test_atomic(void)
{
    static const struct {
        twk_type type;
        double half, largest; /* two halves are too large */
    } types[] = {{TWK_FP16, 60000, 65504},
                 {TWK_BF16, 0x1.8p127, 0x1.fep127},
                 {TWK_FP32, 0x1.8p127, 0x1.fffffep127}};
    for (size_t i = 0; i < TWIN_COUNT(types); i++)
        for (uint32_t saturate = 0; saturate < 2; saturate++) {
            const twk_type type = types[i].type;
            const double wanted = saturate ? types[i].largest : INFINITE;
            total_args args = {.type = type, .how = TWK_ATOMIC_ADD, .value = types[i].half};
            rig_saturate = saturate != 0;
            put_all(type, GM, 0, 8);
            CU_ASSERT_FALSE(run("total", 1, &args, sizeof(args)));
            CU_ASSERT_TRUE(run("total", 1, &args, sizeof(args))); /* with what the first left */
            for (uint32_t j = 0; j < 8; j++)
                CU_ASSERT_EQUAL(slow_get(type, rig_host(GM), j), wanted);
            CU_ASSERT_EQUAL(slow_get(type, rig_host(OUT), 0), wanted);
            /* What was infinite before is not an overflow. */
            put_all(type, GM, -INFINITE, 8);
            CU_ASSERT_FALSE(run("total", 1, &args, sizeof(args)));
            CU_ASSERT_EQUAL(slow_get(type, rig_host(GM), 0),
                            saturate ? -types[i].largest : -INFINITE);
            args.how = TWK_ATOMIC_MAX;
            put_all(type, GM, 0, 8);
            CU_ASSERT_FALSE(run("total", 2, &args, sizeof(args)));
        }
    rig_saturate = false;
}

typedef struct product_args {
    uint32_t type, twice;
} product_args;

#define SIDE 16u

TWK_CUBE_KERNEL(product, product_args, args)
{
    const twk_type type = (twk_type)args->type;
    const twk_matrix a = twk_matrix_at(0, SIDE, SIDE), b = twk_matrix_at(4096, SIDE, SIDE);
    twk_load_matrix(type, a, GM, SIDE * twk_bytes_of(type));
    twk_load_matrix(type, b, GM + 2048, SIDE * twk_bytes_of(type));
    twk_barrier(TWK_ALL);
    twk_load_a(type, twk_l0a_at(0), a, 0, 0, SIDE, SIDE, false);
    twk_load_b(type, twk_l0b_at(0), b, 0, 0, SIDE, SIDE, false);
    twk_barrier(TWK_ALL);
    twk_mmad(type, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), SIDE, SIDE, SIDE, false);
    if (args->twice)
        twk_mmad(type, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), SIDE, SIDE, SIDE, true);
    twk_barrier(TWK_ALL);
    twk_store_result(TWK_FP32, OUT, SIDE * 4, TWK_FP32, twk_l0c_at(0), SIDE, SIDE, NULL);
}

/* A is `a` in row 3 and 1 elsewhere, B is `b` in column 5 and 1 elsewhere. */
static bool multiply(twk_type type, double a, double b, bool twice)
{
    const product_args args = {.type = type, .twice = twice};
    put_all(type, GM, 1, SIDE * SIDE);
    put_all(type, GM + 2048, 1, SIDE * SIDE);
    put_all(type, GM + (uint64_t)3 * SIDE * twk_bytes_of(type), a, SIDE);
    for (uint32_t row = 0; row < SIDE; row++)
        put_all(type, GM + 2048 + ((uint64_t)row * SIDE + 5) * twk_bytes_of(type), b, 1);
    return run("product", 1, &args, sizeof(args));
}

static double found(uint32_t row, uint32_t column)
{
    return slow_get(TWK_FP32, rig_host(OUT), row * SIDE + column);
}

static void test_product(void)
{
    CU_ASSERT_FALSE(multiply(TWK_FP16, 0x1p15, 0x1p15, false)); /* in FP32 it is not much */
    CU_ASSERT_EQUAL(found(3, 5), 0x1p30 * SIDE);
    CU_ASSERT_TRUE(multiply(TWK_BF16, 0x1p100, 0x1p100, false));
    CU_ASSERT(found(3, 5) == INFINITE && found(3, 4) == 0x1p104 && found(2, 4) == SIDE);
    CU_ASSERT_TRUE(multiply(TWK_FP32, 0x1p123, 1, true)); /* with what was there before */
    CU_ASSERT_EQUAL(found(3, 0), INFINITE);
    CU_ASSERT_FALSE(
        multiply(TWK_FP16, INFINITE, 1, true)); /* what was infinite is not an overflow */
    CU_ASSERT(found(3, 5) == INFINITE && found(2, 5) == 2 * SIDE);
    rig_saturate = true;
    CU_ASSERT_TRUE(multiply(TWK_BF16, 0x1p100, -0x1p100, false));
    CU_ASSERT_EQUAL(found(3, 5), -0x1.fffffep127);
    CU_ASSERT_FALSE(multiply(TWK_FP16, INFINITE, 1, false));
    CU_ASSERT(found(3, 5) == 0x1.fffffep127 && found(2, 5) == SIDE);
    CU_ASSERT_FALSE(multiply(TWK_FP16, (double)NAN, 1, false));
    CU_ASSERT_EQUAL(found(3, 5), 0);
    rig_saturate = false;
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"numbers that the author gives", test_given},
        {"atomic stores", test_atomic},
        {"products, also on top of earlier ones", test_product},
    };
    return twin_run_suite("kernel_overflow", tests, TWIN_COUNT(tests), argc, argv);
}
