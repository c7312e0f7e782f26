/* SPDX-License-Identifier: Apache-2.0 */
/* The cube: operands in every position, products, results in every form. */
#include "kernel_number.h"
#include "kernel_rig.h"

#define A RIG_BASE
#define B (RIG_BASE + 0x40000)
#define C (RIG_BASE + 0x80000)

typedef struct mm_args {
    uint32_t type, to, m, n, k;
    uint32_t a_turned, b_turned; /* stored the other way round */
    uint32_t parts;              /* of k, in turn */
    twk_finish finish;
} mm_args;

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

TWK_CUBE_KERNEL(mm, mm_args, g)
{
    const twk_type type = (twk_type)g->type;
    const uint32_t size = twk_bytes_of(type), m = g->m, n = g->n, k = g->k;
    const twk_matrix a = twk_matrix_at(0, g->a_turned ? k : m, g->a_turned ? m : k);
    const twk_matrix b = twk_matrix_at(0x40000, g->b_turned ? n : k, g->b_turned ? k : n);
    const uint32_t part = twk_round_up_((k + g->parts - 1) / g->parts, 32);
    twk_load_matrix(type, a, A, a.columns * size);
    twk_load_matrix(type, b, B, b.columns * size);
    twk_set_flag(TWK_MTE2, TWK_MTE1, 0);
    twk_wait_flag(TWK_MTE2, TWK_MTE1, 0);
    for (uint32_t at = 0; at < k; at += part) {
        const uint32_t now = smaller(part, k - at);
        if (at > 0)
            twk_wait_flag(TWK_M, TWK_MTE1, 0);
        twk_load_a(type, twk_l0a_at(512), a, g->a_turned ? at : 0, g->a_turned ? 0 : at, m, now,
                   g->a_turned != 0);
        twk_load_b(type, twk_l0b_at(1024), b, g->b_turned ? 0 : at, g->b_turned ? at : 0, now, n,
                   g->b_turned != 0);
        twk_set_flag(TWK_MTE1, TWK_M, 1);
        twk_wait_flag(TWK_MTE1, TWK_M, 1);
        twk_mmad(type, twk_l0c_at(1024), twk_l0a_at(512), twk_l0b_at(1024), m, n, now, at > 0);
        if (at + part < k)
            twk_set_flag(TWK_M, TWK_MTE1, 0);
    }
    twk_set_flag(TWK_M, TWK_FIX, 0);
    twk_wait_flag(TWK_M, TWK_FIX, 0);
    twk_store_result((twk_type)g->to, C, (n + 3) * twk_bytes_of((twk_type)g->to),
                     type == TWK_INT8 ? TWK_INT32 : TWK_FP32, twk_l0c_at(1024), m, n, &g->finish);
}

static uint64_t state = 3;
static uint32_t random32(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

static void fill(uint64_t at, twk_type type, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const float number = (float)(int32_t)random32() * 0x1p-28f;
        if (type == TWK_INT8)
            ((int8_t *)rig_host(at))[i] = (int8_t)random32();
        else if (type == TWK_FP32)
            ((float *)rig_host(at))[i] = number;
        else
            ((uint16_t *)rig_host(at))[i] = slow_to_short((double)number, type == TWK_FP16 ? 5 : 8);
    }
}

/* Products one by one, k rising, each sum rounded to FP32. */
static double by_rule(const mm_args *g, uint32_t row, uint32_t column)
{
    float sum = 0;
    int32_t whole = 0;
    for (uint32_t i = 0; i < g->k; i++) {
        const double a =
            slow_get((twk_type)g->type, rig_host(A), g->a_turned ? i * g->m + row : row * g->k + i);
        const double b = slow_get((twk_type)g->type, rig_host(B),
                                  g->b_turned ? column * g->k + i : i * g->n + column);
        sum = (float)((double)sum + (double)(float)(a * b));
        whole += (int32_t)(a * b);
    }
    return g->type == TWK_INT8 ? whole : (double)sum;
}

static double finished(const mm_args *g, double value)
{
    if (g->finish.relu && value < 0)
        value = 0;
    if (g->finish.scale != 0 && g->type == TWK_INT8 && g->to != TWK_INT32)
        value *= (double)g->finish.scale;
    if (g->to == TWK_INT8) {
        value = rint(value);
        return value < -128 ? -128 : value > 127 ? 127 : value;
    }
    return g->to == TWK_INT32 ? value : slow_round((twk_type)g->to, value);
}

static void check(const mm_args *g)
{
    fill(A, (twk_type)g->type, g->m * g->k);
    fill(B, (twk_type)g->type, g->k * g->n);
    memset(rig_host(C), 0x55, 0x40000);
    rig_do("mm", 1, g, sizeof(*g));
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < g->m; row++)
        for (uint32_t column = 0; column < g->n; column++) {
            const double found = slow_get((twk_type)g->to, rig_host(C), row * (g->n + 3) + column);
            wrong += found != finished(g, by_rule(g, row, column));
        }
    if (wrong)
        printf("\n    %u wrong: type %u to %u, %u x %u x %u, turned %u %u, %u parts\n", wrong,
               g->type, g->to, g->m, g->n, g->k, g->a_turned, g->b_turned, g->parts);
    CU_ASSERT_EQUAL(wrong, 0);
    const unsigned char *result = rig_host(C);
    CU_ASSERT_EQUAL(result[g->n * twk_bytes_of((twk_type)g->to)], 0x55);
}

static void test_products(void)
{
    static const uint32_t sizes[][3] = {{16, 16, 16}, {1, 1, 1}, {33, 50, 70}, {64, 48, 96}};
    static const uint32_t types[][2] = {{TWK_FP16, TWK_FP32},
                                        {TWK_FP16, TWK_FP16},
                                        {TWK_BF16, TWK_BF16},
                                        {TWK_FP32, TWK_FP32},
                                        {TWK_INT8, TWK_INT32}};
    for (size_t s = 0; s < TWIN_COUNT(sizes); s++)
        for (size_t t = 0; t < TWIN_COUNT(types); t++)
            for (uint32_t turned = 0; turned < 4; turned++)
                for (uint32_t parts = 1; parts < 3; parts++)
                    check(&(mm_args){.type = types[t][0],
                                     .to = types[t][1],
                                     .m = sizes[s][0],
                                     .n = sizes[s][1],
                                     .k = sizes[s][2],
                                     .a_turned = turned & 1,
                                     .b_turned = turned >> 1,
                                     .parts = parts});
}

static void test_finish(void)
{
    const mm_args base = {.type = TWK_INT8, .m = 20, .n = 24, .k = 64, .parts = 1};
    mm_args g = base;
    g.to = TWK_INT8;
    g.finish.scale = 0.0007f;
    check(&g);
    g.to = TWK_FP16;
    g.finish.relu = true;
    check(&g);
    g.type = TWK_FP16;
    g.to = TWK_BF16;
    check(&g);
}

TWK_CUBE_KERNEL(chain, twk_none, args)
{
    /* (a b) a, where a and b are 32 by 32: the first product stays in the core as FP16. */
    const twk_matrix a = twk_matrix_at(0, 32, 32), b = twk_matrix_at(0x1000, 32, 32);
    const twk_matrix middle = twk_matrix_at(0x2000, 32, 32);
    twk_load_matrix(TWK_FP16, a, A, 64);
    twk_load_matrix(TWK_FP16, b, B, 64);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), a, 0, 0, 32, 32, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), b, 0, 0, 32, 32, false);
    twk_barrier(TWK_ALL);
    twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 32, 32, 32, false);
    twk_barrier(TWK_ALL);
    twk_keep_result(TWK_FP16, middle.at, TWK_FP32, twk_l0c_at(0), 32, 32, NULL);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), middle, 16, 16, 16, 16, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), a, 16, 0, 16, 32, false);
    twk_barrier(TWK_ALL);
    twk_mmad(TWK_FP16, twk_l0c_at(0x4000), twk_l0a_at(0), twk_l0b_at(0), 16, 32, 16, false);
    twk_barrier(TWK_ALL);
    twk_store_result(TWK_FP32, C, 128, TWK_FP32, twk_l0c_at(0x4000), 16, 32, NULL);
}

static void test_chain(void)
{
    static double middle[32][32];
    uint16_t *a = rig_host(A), *b = rig_host(B);
    for (uint32_t i = 0; i < 1024; i++) { /* small whole numbers: all is exact */
        a[i] = slow_to_short((double)(i * 7 % 5) - 2, 5);
        b[i] = slow_to_short((double)(i * 11 % 7) - 3, 5);
    }
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t j = 0; j < 32; j++) {
            middle[i][j] = 0;
            for (uint32_t k = 0; k < 32; k++)
                middle[i][j] += slow_short(a[i * 32 + k], 5) * slow_short(b[k * 32 + j], 5);
        }
    rig_do("chain", 1, NULL, 0);
    const float *c = rig_host(C);
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 32; j++) {
            double wanted = 0;
            for (uint32_t k = 0; k < 16; k++)
                wanted += middle[16 + i][16 + k] * slow_short(a[(16 + k) * 32 + j], 5);
            CU_ASSERT_EQUAL((double)c[i * 32 + j], wanted);
        }
}

typedef struct fill_args {
    uint32_t m, n, k;
} fill_args;

TWK_CUBE_KERNEL(filled, fill_args, g)
{
    /* m by k times k by n as 16 by 16 by 16: the padding of parts is 0 at every place. */
    const twk_matrix a = twk_matrix_at(0, g->m, g->k), b = twk_matrix_at(0x1000, g->k, g->n);
    const twk_matrix rest = twk_matrix_at(0x2000, 16, 16);
    twk_load_matrix(TWK_FP16, rest, B + 0x1000, 32);
    twk_load_matrix(TWK_FP16, a, A, g->k * 2);
    twk_load_matrix(TWK_FP16, b, B, g->n * 2);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), rest, 0, 0, 16, 16, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), rest, 0, 0, 16, 16, false);
    twk_load_a(TWK_FP16, twk_l0a_at(0), a, 0, 0, g->m, g->k, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), b, 0, 0, g->k, g->n, false);
    twk_barrier(TWK_ALL);
    twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 16, 16, 16, false);
    twk_barrier(TWK_ALL);
    twk_store_result(TWK_FP32, C, 64, TWK_FP32, twk_l0c_at(0), 16, 16, NULL);
}

static void check_filled(uint32_t m, uint32_t n, uint32_t k_most)
{
    const fill_args args = {.m = m, .n = n, .k = k_most};
    uint16_t *a = rig_host(A), *b = rig_host(B), *rest = rig_host(B + 0x1000);
    for (uint32_t i = 0; i < 256; i++) {
        a[i] = slow_to_short((double)(i % 5) + 1, 5);
        b[i] = slow_to_short((double)(i % 3) + 1, 5);
        rest[i] = slow_to_short(7, 5);
    }
    rig_do("filled", 1, &args, sizeof(args));
    const float *c = rig_host(C);
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++) {
            double wanted = 0;
            for (uint32_t k = 0; i < m && j < n && k < k_most; k++)
                wanted += slow_short(a[i * k_most + k], 5) * slow_short(b[k * n + j], 5);
            CU_ASSERT_EQUAL((double)c[i * 16 + j], wanted);
        }
}

static void test_filled(void)
{
    check_filled(5, 6, 9);
    check_filled(16, 16, 9);
    check_filled(3, 16, 16);
    check_filled(16, 3, 16);
}

static uint64_t work_of(twin_pipe pipe)
{
    uint64_t cycles = 0;
    for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
        const twin_step *step = &rig_work.lists[0].steps[i];
        if (step->pipe == pipe && step->kind == TWIN_STEP_WORK)
            cycles += step->amount;
    }
    return cycles;
}

static void test_time(void)
{
    static const struct {
        uint32_t type, k_of_step, unit;
    } kinds[] = {{TWK_FP16, 16, 16}, {TWK_INT8, 32, 32}, {TWK_FP32, 4, 8}};
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        const mm_args g = {.type = kinds[i].type,
                           .to = kinds[i].type == TWK_INT8 ? TWK_INT32 : TWK_FP32,
                           .m = 33,
                           .n = 50,
                           .k = 70,
                           .parts = 1};
        rig_begin("mm", 1, &g, sizeof(g));
        const uint64_t units = (70 + kinds[i].unit - 1) / kinds[i].unit;
        CU_ASSERT_EQUAL(work_of(TWIN_PIPE_CUBE),
                        20 + 3 * 4 * ((70 + kinds[i].k_of_step - 1) / kinds[i].k_of_step));
        /* 48 rows of A at 512 bytes a cycle, 64 columns of B at 256. */
        CU_ASSERT_EQUAL(work_of(TWIN_PIPE_MTE1),
                        30 + (48 * units * 32 + 511) / 512 + 30 + (64 * units * 32 + 255) / 256);
        CU_ASSERT_EQUAL(work_of(TWIN_PIPE_FIX), 30);
        twin_native_end(rig_run);
    }
}

TWK_CUBE_KERNEL(wrong_part, twk_none, args)
{
    twk_load_a(TWK_FP16, twk_l0a_at(0), twk_matrix_at(0, 32, 32), 8, 0, 16, 16, false);
}

TWK_CUBE_KERNEL(joint, twk_none, args)
{
    const twk_matrix a = twk_matrix_at(0, 16, 16);
    twk_load_matrix(TWK_FP16, a, A, 32);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), a, 0, 0, 16, 16, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), a, 0, 0, 16, 16, true);
    twk_barrier(TWK_ALL);
    twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 16, 16, 16, false);
    twk_barrier(TWK_ALL);
    twk_move_result(TWK_FP16, twk_ub_at(64), 64, TWK_FP32, twk_l0c_at(0), 16, 16, NULL);
    twk_barrier(TWK_ALL);
    const twk_rows rows = {.rows = 16, .bytes = 32, .gm_pitch = 32, .pitch = 64};
    twk_store_rows(C, twk_ub_at(64), &rows);
}

static void test_refused(void)
{
    const mm_args g = {.type = TWK_FP32, .to = TWK_FP32, .m = 16, .n = 16, .k = 16, .parts = 1};
    const mm_args wide = {.type = TWK_FP16, .to = TWK_INT8, .m = 16, .n = 16, .k = 16, .parts = 1};
    rig_fail("wrong_part", 1, NULL, 0, TWIN_NATIVE_OPERATION, "at row 8");
    rig_fail("mm", 1, &wide, sizeof(wide), TWIN_NATIVE_OPERATION, "makes no INT8 from FP32");
    rig_fail("joint", 1, NULL, 0, TWIN_NATIVE_BUFFER, "a cube core has no UB");
    rig_core.cube_k_fp32 = 0;
    rig_fail("mm", 1, &g, sizeof(g), TWIN_NATIVE_OPERATION, "has no FP32");
    rig_core.cube_k_fp32 = 4;
}

static void test_joint(void)
{
    uint16_t *a = rig_host(A);
    for (uint32_t i = 0; i < 256; i++)
        a[i] = slow_to_short((double)(i % 3), 5);
    rig_core.split = false;
    rig_do("joint", 1, NULL, 0);
    rig_core.split = true;
    const uint16_t *c = rig_host(C);
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++) {
            double wanted = 0;
            for (uint32_t k = 0; k < 16; k++)
                wanted += (double)((i * 16 + k) % 3) * (double)((j * 16 + k) % 3);
            CU_ASSERT_EQUAL(slow_short(c[i * 16 + j], 5), wanted);
        }
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"products of every type, size and position add k by k", test_products},
        {"results are scaled, cut off and rounded on their way out", test_finish},
        {"the padding of parts of matrices is 0", test_filled},
        {"a result stays in the core for the next product", test_chain},
        {"the cube and its ports take the cycles of the profile", test_time},
        {"what the cube does not have is refused", test_refused},
        {"one core has cube and vector unit where a part joins them", test_joint},
    };
    return twin_run_suite("kernel_matrix", tests, TWIN_COUNT(tests), argc, argv);
}
