/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are timed and not computed: the same steps, marked memory, and what was not computed
 * is not seen. */
#include "kernel_operations.h"

#include "../../../examples/matmul_overlap/args.h"
#include "../../../examples/reduction/args.h"
#include "../../../examples/vector_add/args.h"

#define MARK 0xffd7ffc9u /* runtime/docs/kernels.md */

/* ---- the same steps -------------------------------------------------------------------------- */

static const twk_rows rows = {5, 60, 64, 96, 0};

TWK_VECTOR_KERNEL(vectors, twk_none, args)
{
    const twk_grid grid = {4, 30, 32};
    const twk_ub x = twk_ub_at(0), y = twk_ub_at(4096), z = twk_ub_at(8192),
                 mask = twk_ub_at(12288);
    twk_load(x, A, 4096);
    twk_load_rows(y, A + 1, &rows);
    twk_load_padded(TWK_FP16, y, A + 2, &rows, 3, 5, 1.5);
    twk_load(z, B, 4096);
    twk_load(y, B, 4096);
    twk_load(mask, B, 64);
    twk_barrier(TWK_ALL);
    twk_move(twk_ub_at(16384), x, 96);
    twk_duplicate(TWK_INT16, z, 7, 100);
    twk_index(TWK_INT32, z, 3, 50);
    twk_put(TWK_UINT32, mask, 16);
    twk_barrier(TWK_ALL);
    twk_gather(TWK_FP32, twk_ub_at(20480), x, mask, 1);
    twk_compare(TWK_FP32, mask, x, TWK_LT, y, 77);
    twk_compares(TWK_INT16, mask, x, TWK_GE, 4, 77);
    twk_select(TWK_FP16, z, mask, x, y, 77);
    twk_selects(TWK_FP32, z, mask, x, 2, 77);
    twk_cast(TWK_FP16, z, TWK_FP32, x, TWK_ROUND_ODD, 300);
    twk_reduce_rows_sum(TWK_FP32, z, x, &grid);
    twk_rows_div(TWK_FP32, x, x, y, &grid);
    twk_barrier(TWK_ALL);
    twk_store_rows(R + 3, x, &rows);
    twk_store_atomic(TWK_ATOMIC_MAX, TWK_FP32, R + 4096, x, 9);
    twk_barrier(TWK_ALL);
    twk_load(x, R + 4000, 300);         /* that were just written */
    if (twk_gm_get(TWK_UINT32, B) == 5) /* from before */
        twk_load(y, R, 2048);
}

TWK_CUBE_KERNEL(cubes, twk_none, args)
{
    const twk_matrix a = twk_matrix_at(0, 40, 72), b = twk_matrix_at(65536, 72, 50);
    const twk_matrix kept = twk_matrix_at(131072, 40, 50);
    twk_load_l1(twk_l1_at(262144), A, 333);
    twk_load_l1_rows(twk_l1_at(262144), A, &rows);
    twk_load_matrix(TWK_FP16, a, A, 200);
    twk_load_matrix(TWK_FP16, b, B, 128);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), a, 0, 16, 40, 50, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), b, 16, 0, 50, 50, false);
    twk_barrier(TWK_ALL);
    twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 40, 50, 50, false);
    twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), 40, 50, 50, true);
    twk_barrier(TWK_ALL);
    twk_keep_result(TWK_FP16, kept.at, TWK_FP32, twk_l0c_at(0), 40, 50, NULL);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), kept, 0, 0, 50, 40, true);
    twk_store_result(TWK_FP32, R, 400, TWK_FP32, twk_l0c_at(0), 40, 50, NULL);
}

/* The steps of each core of each block of the last run, one list after the other. */
typedef struct steps {
    twin_step *list;
    uint64_t *counts;
    uint64_t count, lists;
} steps;

static steps run_for_steps(const char *name, uint32_t blocks, const void *args, size_t bytes,
                           bool timing_only)
{
    rig_timing_only = timing_only;
    rig_begin(name, blocks, args, bytes);
    rig_timing_only = false;
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    steps kept = {.lists = rig_work.count};
    kept.counts = calloc(kept.lists, sizeof(*kept.counts));
    for (uint64_t i = 0; i < kept.lists; i++)
        kept.count += rig_work.lists[i].count;
    kept.list = calloc(kept.count, sizeof(*kept.list));
    CU_ASSERT_FATAL(kept.counts && kept.list);
    uint64_t at = 0;
    for (uint64_t i = 0; i < kept.lists; i++) {
        kept.counts[i] = rig_work.lists[i].count;
        memcpy(&kept.list[at], rig_work.lists[i].steps, kept.counts[i] * sizeof(*kept.list));
        at += kept.counts[i];
    }
    twin_native_end(rig_run);
    return kept;
}

static void check_steps(const char *name, uint32_t blocks, const void *args, size_t bytes)
{
    steps exact = run_for_steps(name, blocks, args, bytes, false);
    const uint32_t hazards = rig_hazard_count;
    steps timed = run_for_steps(name, blocks, args, bytes, true);
    const bool same =
        exact.lists == timed.lists && exact.count == timed.count &&
        memcmp(exact.counts, timed.counts, exact.lists * sizeof(*exact.counts)) == 0 &&
        memcmp(exact.list, timed.list, exact.count * sizeof(*exact.list)) == 0;
    if (!same)
        printf("\n    the steps of %s differ\n", name);
    CU_ASSERT(same);
    CU_ASSERT(exact.count > 0);
    CU_ASSERT_EQUAL(hazards, rig_hazard_count);
    free(exact.list);
    free(exact.counts);
    free(timed.list);
    free(timed.counts);
}

static void test_steps_of_operations(void)
{
    for (size_t i = 0; i < RIG_BYTES / 4; i++)
        ((uint32_t *)(void *)rig_memory)[i] = random32();
    *(uint32_t *)rig_host(B) = 5;
    check_steps("vectors", 1, NULL, 0);
    check_steps("cubes", 1, NULL, 0);
    for (uint32_t what = DO_ADD; what <= DO_RIGHT; what++) {
        const op_args args = {
            .what = what, .type = what < DO_AND ? TWK_FP16 : TWK_UINT16, .count = 700, .scalar = 3};
        check_steps("op", 1, &args, sizeof(args));
    }
}

static void test_steps_of_examples(void)
{
    struct matmul_args matmul = {A, A + 0x20000, A + 0x60000, TILE_M, 2 * TILE_N, PANEL, 1};
    const struct sum_args sum = {A, R, 30000};
    const struct add_args add = {A, B, R, 12000};
    memset(rig_memory, 0, sizeof(rig_memory));
    check_steps("matmul", 2, &matmul, sizeof(matmul));
    matmul.sets = 2;
    check_steps("matmul", 2, &matmul, sizeof(matmul));
    check_steps("partial_sums", 2, &sum, sizeof(sum));
    check_steps("atomic_sum", 3, &sum, sizeof(sum));
    check_steps("vector_add", 2, &add, sizeof(add));
}

/* ---- marked memory --------------------------------------------------------------------------- */

TWK_VECTOR_KERNEL(writes, twk_none, args)
{
    twk_load(twk_ub_at(0), A, 4096);
    twk_barrier(TWK_ALL);
    twk_store_rows(R + 1, twk_ub_at(0), &rows);
    twk_barrier(TWK_ALL);
    twk_gm_put(TWK_INT32, R + 8, 42); /* the scalar unit's own */
}

static void do_timed(const char *name, const void *args, size_t bytes)
{
    rig_timing_only = true;
    rig_do(name, 1, args, bytes);
    rig_timing_only = false;
}

static void test_marked(void)
{
    memset(rig_memory, 0x11, sizeof(rig_memory));
    do_timed("writes", NULL, 0);
    const unsigned char *r = rig_host(R);
    for (uint32_t i = 0; i < 6 * 64; i++) {
        const uint32_t at = i - 1, row = at / rows.gm_pitch, column = at % rows.gm_pitch;
        const bool written = i > 0 && row < rows.rows && column < rows.bytes;
        const unsigned char mark = (unsigned char)(MARK >> i % 4 * 8); /* R is a multiple of 4 */
        const unsigned char wanted = i >= 8 && i < 12 ? (i == 8 ? 42 : 0) : written ? mark : 0x11;
        CU_ASSERT_EQUAL(r[i], wanted);
    }
}

/* ---- what the kernel sees -------------------------------------------------------------------- */

enum {
    SEE_PUT,
    SEE_LOADED,
    SEE_ADDED,
    SEE_PARTLY,
    SEE_GLOBAL,
    SEE_OWN_PUT,
    SEE_OWN_STORE,
    SEE_OWN_MANY,
    SEE_OWN_ATOMIC,
    SEE_WORD,
    SEE_HALF,
    SEE_BYTE,
    SEE_LATER,
    SEE_LATER_HALF,
    SEE_LATER_BYTE
};
typedef struct see_args {
    uint32_t what;
} see_args;

TWK_VECTOR_KERNEL(see, see_args, args)
{
    const twk_ub x = twk_ub_at(0);
    double seen = 0;
    twk_load(x, A, 256);
    twk_barrier(TWK_ALL);
    switch (args->what) {
    case SEE_PUT:
        twk_put(TWK_FP16, twk_ub_at(64), 3);
        seen = twk_get(TWK_FP16, twk_ub_at(64));
        break;
    case SEE_LOADED:
        seen = twk_get(TWK_INT32, twk_ub_at(128)) * 0 + 3;
        break;
    case SEE_ADDED:
        twk_put(TWK_FP32, x, 3);
        twk_barrier(TWK_ALL);
        twk_add(TWK_FP32, x, x, x, 8);
        twk_barrier(TWK_ALL);
        seen = twk_get(TWK_FP32, x) * 0 + 3;
        break;
    case SEE_PARTLY: /* its own two bytes, and two that were loaded */
        twk_put(TWK_INT16, x, 3);
        seen = twk_get(TWK_INT32, x) * 0 + 3;
        break;
    case SEE_GLOBAL:
        seen = twk_gm_get(TWK_INT32, B);
        break;
    case SEE_OWN_PUT:
        twk_gm_put(TWK_INT32, R, 3);
        seen = twk_gm_get(TWK_INT32, R);
        break;
    case SEE_OWN_STORE:
        twk_store(R, x, 64);
        twk_barrier(TWK_ALL);
        seen = twk_gm_get(TWK_INT32, R + 60) * 0 + 3;
        break;
    case SEE_OWN_MANY: /* more than a page keeps apart */
        for (uint32_t i = 0; i < 100; i++)
            twk_store(R + i, x, 64);
        twk_barrier(TWK_ALL);
        seen = twk_gm_get(TWK_INT32, R + 156) * 0 + 3;
        break;
    case SEE_OWN_ATOMIC:
        twk_store_atomic(TWK_ATOMIC_ADD, TWK_FP32, R, x, 1);
        twk_barrier(TWK_ALL);
        seen = twk_gm_get(TWK_FP32, R) * 0 + 3;
        break;
    case SEE_WORD:
        twk_store(R + 4, x, 4);
        twk_barrier(TWK_ALL);
        seen = (double)twk_gm_word(R) * 0 + 3;
        break;
    case SEE_HALF:
        twk_store(R + 2, x, 2);
        twk_barrier(TWK_ALL);
        seen = twk_gm_get(TWK_FP16, R + 2) * 0 + 3;
        break;
    case SEE_BYTE:
        twk_store(R, x, 32);
        twk_barrier(TWK_ALL);
        seen = twk_gm_get(TWK_INT8, R + 2) * 0 + 3;
        break;
    case SEE_LATER:
        seen = twk_gm_get(TWK_UINT32, R + 4) * 0 + 3;
        break;
    case SEE_LATER_HALF:
        seen = twk_gm_get(TWK_BF16, R + 6) * 0 + 3;
        break;
    default:
        seen = twk_gm_get(TWK_UINT8, R + 7) * 0 + 3;
    }
    twk_assert(seen == 3);
}

static void see(uint32_t what)
{
    const see_args args = {what};
    do_timed("see", &args, sizeof(args));
}

static void see_not(uint32_t what, const char *part)
{
    const see_args args = {what};
    rig_timing_only = true;
    rig_fail("see", 1, &args, sizeof(args), TWIN_NATIVE_UNCOMPUTED, part);
    rig_timing_only = false;
}

static void test_seen(void)
{
    memset(rig_memory, 0, sizeof(rig_memory));
    *(int32_t *)rig_host(B) = 3;
    see(SEE_PUT);
    see(SEE_GLOBAL);
    see(SEE_OWN_PUT);
    see_not(SEE_LOADED, "kernel \"see\", block 0: twk_get: it reads UB bytes 128 to 131, which "
                        "twk_load (MTE2) writes and which were not computed");
    see_not(SEE_ADDED, "twk_get: it reads UB bytes 0 to 3, which twk_add (V) writes");
    see_not(SEE_PARTLY, "twk_load (MTE2)");
    see_not(SEE_OWN_STORE,
            "twk_gm_get reads global memory at 0x12003c, which was not computed: the "
            "kernel depends on data that was only timed");
    see_not(SEE_OWN_MANY, "0x12009c");
    see_not(SEE_OWN_ATOMIC, "twk_gm_get reads global memory at 0x120000");
    see_not(SEE_WORD, "twk_gm_word reads global memory at 0x120000");
    see_not(SEE_HALF, "0x120002");
    see_not(SEE_BYTE, "0x120002");
}

/* A later kernel, computed or not. */
static void test_seen_later(void)
{
    const see_args args[] = {{SEE_LATER}, {SEE_LATER_HALF}, {SEE_LATER_BYTE}};
    memset(rig_memory, 0, sizeof(rig_memory));
    for (uint32_t i = 0; i < 3; i++)
        rig_do("see", 1, &args[i], sizeof(args[0]));
    do_timed("writes", NULL, 0);
    for (uint32_t i = 0; i < 3; i++) {
        see_not(args[i].what, "which was not computed");
        rig_fail("see", 1, &args[i], sizeof(args[0]), TWIN_NATIVE_UNCOMPUTED,
                 "which was not computed: the kernel depends on data that was only timed; compute "
                 "it: TWINRT_KERNEL_DATA=on, or twinrt_set_kernel_data");
    }
    memset(rig_host(R), 0, 64); /* the host writes there, and a byte that a mark has too */
    ((unsigned char *)rig_host(R))[7] = 0xff;
    see(SEE_LATER);
    see(SEE_LATER_HALF);
    see(SEE_LATER_BYTE);
}

/* ---- errors of the kernel -------------------------------------------------------------------- */

typedef struct bad_args {
    uint32_t what;
} bad_args;

TWK_VECTOR_KERNEL(bad, bad_args, args)
{
    const twk_ub x = twk_ub_at(0), y = twk_ub_at(4096);
    twk_load(x, args->what == 0 ? A - 64 : A, 256);
    if (args->what == 1)
        twk_add(TWK_FP32, y, x, x, 8); /* before the load is done */
    twk_barrier(TWK_ALL);
    if (args->what == 2)
        twk_cast(TWK_FP16, y, TWK_FP32, x, (twk_round)9, 8);
    if (args->what == 3)
        twk_compare(TWK_FP32, y, x, (twk_relation)9, x, 8);
    if (args->what == 4)
        twk_shift_left(TWK_INT32, y, x, 32, 8);
}

static void bad(uint32_t what, twin_native_fault fault, const char *part)
{
    const bad_args args = {what};
    for (int timing_only = 0; timing_only < 2; timing_only++) {
        rig_timing_only = timing_only != 0;
        rig_fail("bad", 1, &args, sizeof(args), fault, part);
    }
    rig_timing_only = false;
}

static void test_errors(void)
{
    const bad_args hazard = {1};
    bad(0, TWIN_NATIVE_ADDRESS, "twk_load reads 256 bytes of global memory at 0xfffc0");
    bad(2, TWIN_NATIVE_OPERATION, "twk_cast: rounding 9 is invalid");
    bad(3, TWIN_NATIVE_OPERATION, "twk_compare: relation 9 is invalid");
    bad(4, TWIN_NATIVE_OPERATION, "twk_shift_left by 32 bits of INT32");
    check_steps("bad", 1, &hazard, sizeof(hazard));
    CU_ASSERT_EQUAL(rig_hazard_count, 1);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"every operation takes the same steps when it is only timed", test_steps_of_operations},
        {"so do the kernels of the examples", test_steps_of_examples},
        {"memory that was not computed is marked", test_marked},
        {"a kernel that sees what was not computed fails", test_seen},
        {"so does a later one", test_seen_later},
        {"other errors are found as before", test_errors},
    };
    return twin_run_suite("kernel_timing", tests, TWIN_COUNT(tests), argc, argv);
}
