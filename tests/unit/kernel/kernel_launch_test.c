/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a launch that wait for each other: barriers, what is seen after them, and what goes
 * wrong. */
#include "kernel_rig.h"

#define GM     RIG_BASE
#define ROUNDS 3u

static int32_t word(uint64_t place)
{
    int32_t value;
    memcpy(&value, rig_host(GM + place), sizeof(value));
    return value;
}

static void clear(void)
{
    memset(rig_memory, 0, sizeof(rig_memory));
}

/* Runs a kernel that does not fail to its end. */
static void run(const char *name, uint32_t blocks, const void *args, size_t bytes)
{
    rig_begin(name, blocks, args, bytes);
    const twin_native_failure *failure = twin_native_failed(rig_run);
    if (failure->fault != TWIN_NATIVE_GOOD)
        printf("\n    %s\n", failure->text);
    CU_ASSERT_EQUAL(failure->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
}

/* It is reported, once, and nothing else. */
static void expect_hazard(const char *name, uint32_t blocks, const void *args, size_t bytes,
                          const char *text)
{
    clear();
    run(name, blocks, args, bytes);
    CU_ASSERT_EQUAL(rig_hazard_count, text != NULL);
    if (rig_hazard_count == 0 || !text || !strstr(rig_hazards[0], text)) {
        for (uint32_t i = 0; i < rig_hazard_count; i++)
            printf("\n    %s\n", rig_hazards[i]);
        CU_ASSERT_EQUAL(rig_hazard_count, 0);
        CU_ASSERT(!text || rig_hazard_count > 0);
    }
}

/* ---- what blocks see ------------------------------------------------------------------------- */

static void store_value(twk_gm to, double value)
{
    twk_duplicate(TWK_INT32, twk_ub_at(0), value, 8);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(to, twk_ub_at(0), 32);
    twk_barrier(TWK_ALL);
}

static double load_value(twk_gm from)
{
    twk_load(twk_ub_at(64), from, 32);
    twk_barrier(TWK_ALL);
    return twk_get(TWK_INT32, twk_ub_at(64));
}

/* Value r + 1 of a block is value r of its neighbour, and 1 more. Values of even and odd rounds are
 * in two places. */
TWK_VECTOR_KERNEL(ring, twk_none, args)
{
    const uint32_t next = (twk_block() + 1) % twk_blocks();
    store_value(GM + twk_block() * 64, twk_block() * 100);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const twk_gm from = GM + round % 2 * 0x4000, to = GM + 0x4000 - round % 2 * 0x4000;
        twk_sync_all(true);
        store_value(to + twk_block() * 64, load_value(from + next * 64) + 1);
    }
}

static void test_ring(void)
{
    for (uint32_t blocks = 1; blocks <= 40; blocks += 13) {
        clear();
        rig_do("ring", blocks, NULL, 0);
        for (uint32_t block = 0; block < blocks; block++)
            CU_ASSERT_EQUAL(word(0x4000 + block * 64),
                            (int32_t)((block + ROUNDS) % blocks * 100 + ROUNDS));
    }
}

typedef struct sight_args {
    uint32_t wait;
} sight_args;

/* Block 1 reads what block 0 wrote, after a wait or without one. */
TWK_VECTOR_KERNEL(sight, sight_args, args)
{
    if (twk_block() == 0)
        store_value(GM, 7);
    twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
    if (args->wait)
        twk_cross_core_wait_flag(TWK_S, 0);
    store_value(GM + 64 + twk_block() * 64, load_value(GM));
    if (!args->wait)
        twk_cross_core_wait_flag(TWK_S, 0);
}

static void test_sight(void)
{
    sight_args args = {.wait = 1};
    clear();
    rig_do("sight", 2, &args, sizeof(args));
    CU_ASSERT(word(64) == 7 && word(128) == 7);
    args.wait = 0;
    clear();
    run("sight", 3, &args, sizeof(args));
    CU_ASSERT(word(64) == 7 && word(128) == 0);
}

/* What is written later stays, whatever the numbers of the blocks. */
TWK_VECTOR_KERNEL(later, twk_none, args)
{
    if (twk_block() == 1)
        store_value(GM, 1);
    twk_sync_all(true);
    if (twk_block() == 0)
        store_value(GM, load_value(GM) + 10);
    twk_sync_all(true);
    if (twk_block() == 1)
        store_value(GM + 64, load_value(GM) + 100);
}

static void test_later(void)
{
    clear();
    rig_do("later", 3, NULL, 0);
    CU_ASSERT(word(0) == 11 && word(64) == 111);
}

typedef struct many_args {
    uint32_t count; /* of words that a block writes */
} many_args;

/* Pages with very many writes of all blocks; and sums that all blocks add to. */
TWK_VECTOR_KERNEL(many, many_args, args)
{
    for (uint32_t i = 0; i < args->count; i++)
        twk_gm_put(TWK_INT32, GM + 4 * (i * twk_blocks() + twk_block()), i);
    twk_dcci(0, true);
    twk_duplicate(TWK_INT32, twk_ub_at(0), twk_block() + 1, 8);
    twk_barrier(TWK_ALL);
    twk_store_atomic(TWK_ATOMIC_ADD, TWK_INT32, GM + 0x8000, twk_ub_at(0), 8);
    twk_sync_all(true);
    double sum = 0;
    for (uint32_t i = 0; i < args->count * twk_blocks(); i++)
        sum += twk_gm_get(TWK_INT32, GM + 4 * i);
    store_value(GM + 0x9000 + twk_block() * 32, sum);
    store_value(GM + 0xa000 + twk_block() * 32, load_value(GM + 0x8000));
}

static void test_many(void)
{
    for (uint32_t count = 10; count <= 330; count += 80) {
        const many_args args = {.count = count};
        clear();
        rig_do("many", 4, &args, sizeof(args));
        for (uint32_t block = 0; block < 4; block++) {
            CU_ASSERT_EQUAL(word(0x9000 + block * 32), (int32_t)(4 * (count * (count - 1) / 2)));
            CU_ASSERT_EQUAL(word(0xa000 + block * 32), 1 + 2 + 3 + 4);
        }
        CU_ASSERT_EQUAL(word(0x8000), 1 + 2 + 3 + 4);
    }
}

/* Very many sums of one block over what another wrote before a barrier. */
TWK_VECTOR_KERNEL(over, many_args, args)
{
    if (twk_block() == 0)
        store_value(GM, 100);
    twk_sync_all(true);
    twk_duplicate(TWK_INT32, twk_ub_at(0), 1, 8);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->count && twk_block() == 1; i++)
        twk_store_atomic(TWK_ATOMIC_ADD, TWK_INT32, GM, twk_ub_at(0), 8);
    twk_barrier(TWK_ALL);
    if (twk_block() == 1)
        store_value(GM + 64, load_value(GM));
}

static void test_over(void)
{
    for (uint32_t count = 1; count < 200; count += 66) {
        const many_args args = {.count = count};
        clear();
        rig_do("over", 2, &args, sizeof(args));
        CU_ASSERT(word(0) == 100 + (int32_t)count && word(64) == 100 + (int32_t)count);
    }
}

/* ---- mixed kernels --------------------------------------------------------------------------- */

/* Cube cores write, vector cores of all blocks add to it, cube cores sum up. */
TWK_CUBE_HALF(all, twk_none, args)
{
    twk_gm_put(TWK_INT32, GM + twk_block() * 64, twk_block() + 1);
    twk_dcci(GM + twk_block() * 64, false);
    twk_sync_all(false);
    twk_sync_all(false);
    double sum = 0;
    for (uint32_t i = 0; i < twk_blocks() * twk_vectors(); i++)
        sum += twk_gm_get(TWK_INT32, GM + 0x1000 + i * 64);
    twk_gm_put(TWK_INT32, GM + 0x2000 + twk_block() * 64, sum);
}
TWK_VECTOR_HALF(all, twk_none, args)
{
    const uint32_t mine = twk_block() * twk_vectors() + twk_vector_index();
    const uint32_t other = twk_blocks() - 1 - twk_block();
    twk_sync_all(false);
    twk_gm_put(TWK_INT32, GM + 0x1000 + mine * 64, twk_gm_get(TWK_INT32, GM + other * 64) * 10);
    twk_dcci(GM + 0x1000 + mine * 64, false);
    twk_sync_all(false);
}
TWK_MIX_KERNEL(all, twk_none, 2);

static void test_mixed(void)
{
    for (uint32_t blocks = 1; blocks <= 20; blocks += 19) {
        clear();
        rig_do("all", blocks, NULL, 0);
        for (uint32_t block = 0; block < blocks; block++)
            CU_ASSERT_EQUAL(word(0x2000 + block * 64), (int32_t)(blocks * (blocks + 1) * 10));
    }
}

/* The vector cores of a block meet, and those of the launch; the cube cores alone. */
TWK_CUBE_HALF(modes, twk_none, args)
{
    twk_cross_core_wait_flag(TWK_S, 5);
    twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 5);
    twk_cross_core_wait_flag(TWK_S, 5);
    twk_gm_put(TWK_INT32, GM + 0x3000 + twk_block() * 64,
               twk_gm_get(TWK_INT32, GM + (twk_blocks() - 1) * 128 + 64));
}
TWK_VECTOR_HALF(modes, twk_none, args)
{
    const twk_gm block = GM + twk_block() * 128;
    twk_gm_put(TWK_INT32, block + twk_vector_index() * 64, 3 + twk_vector_index());
    twk_dcci(0, true);
    twk_cross_core_set_flag_mode(TWK_MODE_VECTORS, TWK_S, 4);
    twk_cross_core_wait_flag(TWK_S, 4);
    twk_gm_put(TWK_INT32, block + 0x1000 + twk_vector_index() * 64,
               twk_gm_get(TWK_INT32, block + (1 - twk_vector_index()) * 64));
    twk_cross_core_set_flag(TWK_S, 5);
    twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 4);
    twk_cross_core_wait_flag(TWK_S, 4);
    twk_gm_put(TWK_INT32, block + 0x2000 + twk_vector_index() * 64,
               twk_gm_get(TWK_INT32, GM + (twk_blocks() - 1 - twk_block()) * 128));
}
TWK_MIX_KERNEL(modes, twk_none, 2);

static void test_modes(void)
{
    clear();
    rig_do("modes", 3, NULL, 0);
    for (uint32_t block = 0; block < 3; block++) {
        CU_ASSERT(word(0x1000 + block * 128) == 4 && word(0x1040 + block * 128) == 3);
        CU_ASSERT(word(0x2000 + block * 128) == 3 && word(0x2040 + block * 128) == 3);
        CU_ASSERT_EQUAL(word(0x3000 + block * 64), 4);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

TWK_VECTOR_KERNEL(meet, twk_none, args)
{
    twk_sync_all(true);
}
TWK_CUBE_KERNEL(meet_cubes, twk_none, args)
{
    twk_sync_all(false);
}

static void expect_steps(const char *name, uint16_t flag)
{
    const twin_step expected[] = {
        {.pipe = TWIN_PIPE_SCALAR, .kind = TWIN_STEP_BARRIER, .hit_permille = TWIN_HIT_DEFAULT},
        {.pipe = TWIN_PIPE_SCALAR,
         .kind = TWIN_STEP_CROSS_CORE_SET,
         .flag = flag,
         .hit_permille = TWIN_HIT_DEFAULT,
         .amount = TWIN_STEP_TO_LAUNCH},
        {.pipe = TWIN_PIPE_SCALAR,
         .kind = TWIN_STEP_CROSS_CORE_WAIT,
         .flag = flag,
         .hit_permille = TWIN_HIT_DEFAULT}};
    rig_begin(name, 5, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(rig_work.count, 1); /* blocks that are alike */
    const twin_steps *list = &rig_work.lists[0];
    uint32_t found = 0; /* beside the time of the kernel's own code */
    for (uint64_t i = 0; i < list->count; i++) {
        if (list->steps[i].kind == TWIN_STEP_WORK)
            continue;
        CU_ASSERT_FATAL(found < TWIN_COUNT(expected));
        CU_ASSERT_EQUAL(memcmp(&list->steps[i], &expected[found++], sizeof(twin_step)), 0);
    }
    CU_ASSERT_EQUAL(found, TWIN_COUNT(expected));
    twin_native_end(rig_run);
}

static void test_steps(void)
{
    expect_steps("meet", 14);
    expect_steps("meet_cubes", 11);
}

/* Steps do not depend on data, and are the same each time. */
static void test_timing_only(void)
{
    static twin_step steps[2][4][512];
    static uint64_t counts[2][4];
    for (uint32_t i = 0; i < 2; i++) {
        rig_timing_only = i == 1;
        rig_begin("all", 4, NULL, 0);
        CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        for (uint32_t list = 0; list < 4 && list < rig_work.count; list++) {
            counts[i][list] = rig_work.lists[list].count;
            CU_ASSERT_FATAL(counts[i][list] <= 512);
            memcpy(steps[i][list], rig_work.lists[list].steps, counts[i][list] * sizeof(twin_step));
        }
        twin_native_end(rig_run);
    }
    rig_timing_only = false;
    CU_ASSERT_EQUAL(memcmp(counts[0], counts[1], sizeof(counts[0])), 0);
    CU_ASSERT_EQUAL(memcmp(steps[0], steps[1], sizeof(steps[0])), 0);
}

/* ---- failures -------------------------------------------------------------------------------- */

typedef struct wrong_args {
    uint32_t block; /* that does something else */
    uint32_t what;
} wrong_args;

enum { STAYS_AWAY = 1, TRAPS };

TWK_VECTOR_KERNEL(wrong, wrong_args, args)
{
    store_value(GM + twk_block() * 64, 5);
    if (twk_block() == args->block && args->what == STAYS_AWAY)
        return;
    twk_sync_all(true);
    if (twk_block() == args->block && args->what == TRAPS)
        twk_trap();
    twk_sync_all(true);
}

static void test_failures(void)
{
    wrong_args args = {.block = 3, .what = STAYS_AWAY};
    clear();
    rig_fail("wrong", 8, &args, sizeof(args), TWIN_NATIVE_STUCK,
             "kernel \"wrong\", block 0: twk_sync_all of flag 14 waits for ever: 1 of 8 vector "
             "cores have not set it, the first is vector 0 of block 3");
    args.what = TRAPS;
    rig_begin("wrong", 8, &args, sizeof(args));
    CU_ASSERT_EQUAL_FATAL(rig_work.count, 8);
    for (uint32_t block = 0; block < 8; block++) { /* each as far as it got */
        const twin_steps *list = &rig_work.lists[block];
        CU_ASSERT_FATAL(list->count > 0);
        CU_ASSERT_EQUAL(list->steps[list->count - 1].kind == TWIN_STEP_FAULT, block == args.block);
    }
    twin_native_end(rig_run);
    rig_fail("wrong", 8, &args, sizeof(args), TWIN_NATIVE_TRAP, "block 3: trap");
    for (uint32_t block = 0; block < 8; block++)
        CU_ASSERT_EQUAL(word(block * 64), 0);
    args.what = 0;
    run("wrong", 8, &args, sizeof(args)); /* a run after one that failed is like any other */
    CU_ASSERT_EQUAL(word(0), 5);
}

TWK_VECTOR_KERNEL(alone, twk_none, args)
{
    twk_cross_core_wait_flag(TWK_MTE2, 9);
}
TWK_VECTOR_KERNEL(bad_mode, wrong_args, args)
{
    twk_cross_core_set_flag_mode((twk_mode)args->what, TWK_S, args->block);
}
TWK_CUBE_KERNEL(cubes, twk_none, args)
{
    twk_sync_all(true);
}

static void test_refused(void)
{
    wrong_args args = {.block = 0, .what = TWK_MODE_BLOCK};
    rig_fail("alone", 2, NULL, 0, TWIN_NATIVE_STUCK,
             "block 0: twk_cross_core_wait_flag of flag 9 waits for ever: no core has a "
             "twk_cross_core_set_flag_mode of it");
    rig_fail("bad_mode", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION, "the kernel is not mixed");
    args.what = TWK_MODE_VECTORS;
    rig_fail("bad_mode", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION, "the kernel is not mixed");
    args.what = 3;
    rig_fail("bad_mode", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION, "mode 3");
    args = (wrong_args){.block = 16, .what = TWK_MODE_ALL};
    rig_fail("bad_mode", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION, "flag 16");
    rig_fail("cubes", 1, NULL, 0, TWIN_NATIVE_OPERATION, "this is a cube core");
    rig_core.split = false;
    rig_fail("meet", 2, NULL, 0, TWIN_NATIVE_OPERATION, "twk_sync_all: this part has no flags");
    rig_core.split = true;
}

/* Blocks that wait keep their cores, as on the device; others do not. */
static void test_cores(void)
{
    rig_at_once = 6;
    rig_do("ring", 6, NULL, 0);
    rig_fail("ring", 7, NULL, 0, TWIN_NATIVE_STUCK,
             "1 of 7 vector cores have not set it, and block 6 does not begin, as the device has "
             "cores for 6 blocks, all of which wait");
    rig_at_once = 40;
    rig_fail("ring", 100, NULL, 0, TWIN_NATIVE_STUCK, "60 of 100 vector cores");
}

/* Only block 0 waits: the others end and make room. */
TWK_VECTOR_KERNEL(first_waits, twk_none, args)
{
    store_value(GM + twk_block() * 64, twk_block());
    twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 3);
    if (twk_block() != 0)
        return;
    twk_cross_core_wait_flag(TWK_S, 3);
    store_value(GM + 0x8000, load_value(GM + (twk_blocks() - 1) * 64));
}

static void test_room(void)
{
    clear();
    rig_at_once = 2;
    run("first_waits", 300, NULL, 0);
    rig_at_once = 40;
    CU_ASSERT_EQUAL(word(0x8000), 299);
    CU_ASSERT_EQUAL_FATAL(rig_hazard_count, 2); /* of the last block too, which ends later */
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_hazards[0],
                                  "flag 3, which all 300 vector cores of the launch "
                                  "set, is raised on 298 that have ended"));
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_hazards[1], "block 299: twk_cross_core_set_flag of flag 3 "
                                                  "that no core waits for"));
}

/* ---- hazards --------------------------------------------------------------------------------- */

typedef struct hazard_args {
    uint32_t what;
} hazard_args;

enum {
    NOTHING,
    NOT_STORED,  /* the set does not wait for the store */
    STORED_LATE, /* a second set does */
    READ_EARLY,  /* the read does not wait for the flag */
    CACHED       /* it is in the data cache */
};

TWK_VECTOR_KERNEL(share, hazard_args, args)
{
    const bool mine = twk_block() == 0;
    if (mine && args->what == CACHED)
        twk_gm_put(TWK_INT32, GM, 9);
    if (mine && args->what != CACHED) {
        twk_duplicate(TWK_INT32, twk_ub_at(0), 9, 8);
        twk_set_flag(TWK_V, TWK_MTE3, 0);
        twk_wait_flag(TWK_V, TWK_MTE3, 0);
        twk_store(GM, twk_ub_at(0), 32);
    }
    const bool loose = args->what == NOT_STORED || args->what == STORED_LATE;
    twk_cross_core_set_flag_mode(TWK_MODE_ALL, loose ? TWK_S : TWK_MTE3, 1);
    if (args->what == STORED_LATE) {
        twk_cross_core_wait_flag(TWK_MTE2, 1);
        twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_MTE3, 1);
    }
    twk_cross_core_wait_flag(args->what == READ_EARLY ? TWK_V : TWK_MTE2, 1);
    if (!mine)
        twk_load(twk_ub_at(64), GM, 32);
    twk_barrier(TWK_ALL);
    if (!mine)
        store_value(GM + twk_block() * 64, twk_get(TWK_INT32, twk_ub_at(64)));
}

static void test_hazards(void)
{
    hazard_args args = {.what = NOTHING};
    expect_hazard("share", 2, &args, sizeof(args), NULL);
    CU_ASSERT_EQUAL(word(64), 9);
    args.what = STORED_LATE;
    expect_hazard("share", 2, &args, sizeof(args), NULL);
    args.what = NOT_STORED;
    expect_hazard(
        "share", 2, &args, sizeof(args),
        "kernel \"share\", block 1: twk_load (MTE2) reads global memory at 0x100000 while "
        "twk_store (MTE3) of block 0 may still write it: the set of that block does not "
        "wait for it: missing are twk_set_flag(TWK_MTE3, ...)");
    args.what = READ_EARLY;
    expect_hazard("share", 2, &args, sizeof(args),
                  "missing is a twk_cross_core_wait_flag that TWK_MTE2 comes after");
    args.what = CACHED;
    expect_hazard(
        "share", 2, &args, sizeof(args),
        "block 1: twk_load (MTE2) reads global memory at 0x100000 while twk_gm_put (S) of "
        "block 0 may still write it: missing is twk_dcci");
}

enum { LINE_END = 1, NEXT_LINE };

/* twk_dcci goes to the end of the line. */
TWK_VECTOR_KERNEL(lines, hazard_args, args)
{
    if (twk_block() == 0) {
        twk_gm_put(TWK_INT32, GM + 60, 1);
        twk_gm_put(TWK_INT32, GM + 64, 2);
        twk_dcci(GM + (args->what == LINE_END ? 44 : 64), false);
    }
    twk_sync_all(true);
    if (twk_block() == 1)
        (void)twk_gm_get(TWK_INT32, GM + (args->what == LINE_END ? 60 : 64));
    if (twk_block() == 2)
        (void)twk_gm_get(TWK_INT32, GM + (args->what == LINE_END ? 64 : 60));
}

static void test_lines(void)
{
    hazard_args args = {.what = LINE_END};
    expect_hazard("lines", 3, &args, sizeof(args),
                  "block 2: twk_gm_get (S) reads global memory at 0x100040");
    args.what = NEXT_LINE;
    expect_hazard("lines", 3, &args, sizeof(args),
                  "block 2: twk_gm_get (S) reads global memory at 0x10003c");
}

enum { ORDERED, UNORDERED };

/* Two blocks write to one place, with a barrier in between or without. */
TWK_VECTOR_KERNEL(both, hazard_args, args)
{
    if (twk_block() == 1)
        store_value(GM, 1);
    if (args->what == ORDERED)
        twk_sync_all(true);
    if (twk_block() == 0)
        store_value(GM, 2);
    if (args->what == UNORDERED)
        twk_sync_all(true);
}

static void test_conflicts(void)
{
    hazard_args args = {.what = ORDERED};
    expect_hazard("both", 2, &args, sizeof(args), NULL);
    CU_ASSERT_EQUAL(word(0), 2);
    args.what = UNORDERED;
    expect_hazard("both", 2, &args, sizeof(args),
                  "block 1: twk_store writes global memory 0x100000 to 0x10001f, and so does "
                  "twk_store of block 0");
}

TWK_VECTOR_KERNEL(left, hazard_args, args)
{
    for (uint32_t i = 0; i < args->what && (args->what > 1 || twk_block() == 1); i++)
        twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 2);
    for (uint32_t i = 0; i < args->what && args->what > 1; i++)
        twk_cross_core_wait_flag(TWK_S, 2);
}

static void test_left(void)
{
    hazard_args args = {.what = 1};
    expect_hazard(
        "left", 3, &args, sizeof(args),
        "block 1: twk_cross_core_set_flag of flag 2 for all 3 vector cores of the launch, "
        "which 2 have not set");
    args.what = 15;
    expect_hazard("left", 3, &args, sizeof(args), NULL);
    args.what = 16;
    expect_hazard("left", 3, &args, sizeof(args),
                  "flag 2 between cores is set 16 times and not waited for: a board counts to 15");
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"blocks read what their neighbours wrote before a barrier", test_ring},
        {"a block sees what others wrote after the barrier, not before it", test_sight},
        {"writes after a barrier come after those before it", test_later},
        {"very many writes and sums are seen after a barrier", test_many},
        {"very many sums over what others wrote", test_over},
        {"all cores of a mixed kernel meet", test_mixed},
        {"vector cores of a block meet, those of a launch, and cube cores", test_modes},
        {"a barrier is a set and a wait of each core", test_steps},
        {"kernels that are only timed take the same steps", test_timing_only},
        {"a block that fails or stays away fails the kernel, which writes nothing", test_failures},
        {"flags that no core can set, and modes that do not exist", test_refused},
        {"blocks that do not fit never begin", test_cores},
        {"blocks that end make room for others", test_room},
        {"missing synchronization between blocks is reported", test_hazards},
        {"the data cache is cleaned to the end of a line", test_lines},
        {"blocks that write to one place are ordered by barriers", test_conflicts},
        {"flags that are left, and those set too often", test_left},
    };
    return twin_run_suite("kernel_launch", tests, TWIN_COUNT(tests), argc, argv);
}
