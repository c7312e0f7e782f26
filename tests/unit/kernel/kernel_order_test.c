/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that wait for each other: the order of what they write, and what is left of one launch on
 * the blocks of the next. */
#include "kernel_rig.h"

#define GM RIG_BASE

typedef struct order_args {
    uint32_t what;
} order_args;

/* Runs a kernel that does not fail, and begins with memory of zeros. */
static void run(const char *name, uint32_t blocks, uint32_t what)
{
    const order_args args = {.what = what};
    memset(rig_memory, 0, sizeof(rig_memory));
    rig_begin(name, blocks, &args, sizeof(args));
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
}

static void put(twk_gm to, double value)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), value, 8);
    twk_barrier(TWK_ALL);
    twk_store(to, twk_ub_at(0), 32);
    twk_barrier(TWK_ALL);
}

static void add(twk_gm to, double value)
{
    twk_duplicate(TWK_FP32, twk_ub_at(0), value, 8);
    twk_barrier(TWK_ALL);
    twk_store_atomic(TWK_ATOMIC_ADD, TWK_FP32, to, twk_ub_at(0), 8);
    twk_barrier(TWK_ALL);
}

static double get(twk_gm from)
{
    twk_load(twk_ub_at(64), from, 32);
    twk_barrier(TWK_ALL);
    return twk_get(TWK_FP32, twk_ub_at(64));
}

/* ---- order ----------------------------------------------------------------------------------- */

static const double summands[] = {16777216, 1, 1, -16777216};

/* After the last barrier, before it, and in the one block that ends late. */
TWK_VECTOR_KERNEL(sums, order_args, args)
{
    add(GM, summands[twk_block()]);
    twk_sync_all(true);
    if (twk_block() == 1)
        put(GM + 64, get(GM));
    add(GM + 128, summands[twk_block()]);
}

/* 2^24 + 1 + 1 - 2^24 is 0 in FP32 in this order, and 1 or 2 in most others. */
static void test_sums(void)
{
    run("sums", 4, 0);
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    float seen[3];
    for (uint32_t i = 0; i < 3; i++)
        memcpy(&seen[i], rig_host(GM + i * 64), sizeof(seen[i]));
    CU_ASSERT_EQUAL(seen[0], 0.0F);
    CU_ASSERT_EQUAL(seen[1], 0.0F);
    CU_ASSERT_EQUAL(seen[2], 0.0F);
}

/* All write to one place after the barrier: the highest number wins, of those that do. */
TWK_VECTOR_KERNEL(winner, order_args, args)
{
    twk_sync_all(true);
    if (twk_block() < args->what)
        put(GM, twk_block() + 1);
}

static void test_winner(void)
{
    for (uint32_t writers = 1; writers <= 5; writers++) {
        run("winner", 5, writers);
        float value;
        memcpy(&value, rig_host(GM), sizeof(value));
        CU_ASSERT_EQUAL(value, (float)writers);
    }
}

/* Block 0 adds very often after its set and before its wait, block 1 before its set. */
TWK_VECTOR_KERNEL(early, order_args, args)
{
    if (twk_block() == 1)
        add(GM, 1000);
    twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
    for (uint32_t i = 0; i < args->what && twk_block() == 0; i++)
        add(GM, 1);
    twk_cross_core_wait_flag(TWK_S, 0);
    if (twk_block() == 0)
        put(GM + 64, get(GM));
}

static void test_early(void)
{
    for (uint32_t count = 10; count <= 110; count += 50) {
        run("early", 2, count);
        float sums[2];
        memcpy(&sums[0], rig_host(GM), sizeof(float));
        memcpy(&sums[1], rig_host(GM + 64), sizeof(float));
        CU_ASSERT_EQUAL(sums[0], 1000.0F + (float)count);
        CU_ASSERT_EQUAL(sums[1], 1000.0F + (float)count);
    }
}

/* ---- what is left ---------------------------------------------------------------------------- */

enum { LEAVE_WAIT, LEAVE_WRITE, MISS_WAIT, MISS_SET, CLEAN_LATE };

TWK_VECTOR_KERNEL(leave, order_args, args)
{
    const uint32_t other = 1 - twk_block();
    switch (args->what) {
    case LEAVE_WAIT:
        twk_sync_all(true);
        break;
    case LEAVE_WRITE: /* one that no set waits for */
        twk_store(GM + twk_block() * 64, twk_ub_at(0), 32);
        twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
        twk_cross_core_wait_flag(TWK_S, 0);
        break;
    case MISS_WAIT: /* the scalar unit reads, MTE2 waits */
        put(GM + twk_block() * 64, 1);
        twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
        twk_cross_core_wait_flag(TWK_MTE2, 0);
        for (uint32_t i = 0; i < 9; i++) {
            twk_set_flag(TWK_S, TWK_V, 0);
            twk_wait_flag(TWK_S, TWK_V, 0);
        }
        (void)twk_gm_get(TWK_FP32, GM + other * 64);
        break;
    case CLEAN_LATE: /* what block 1 wrote leaves its cache after the first barrier */
        for (uint32_t i = 0; i < 20 && twk_block() == 1; i++)
            twk_gm_put(TWK_INT32, GM + i * 64, i + 1);
        twk_sync_all(true);
        if (twk_block() == 1)
            twk_dcci(GM, true);
        twk_sync_all(true);
        for (uint32_t i = 0; i < 20 && twk_block() == 0; i++)
            twk_gm_put(TWK_INT32, GM + 0x4000 + i * 4, twk_gm_get(TWK_INT32, GM + i * 64));
        break;
    default: /* no set of block 1 waits for what it wrote, those of block 0 do not matter */
        if (twk_block() == 1)
            twk_store(GM + 64, twk_ub_at(0), 32);
        for (uint32_t i = 0; i < 2; i++) {
            for (uint32_t j = 0; j < 9 && i == 1 && twk_block() == 0; j++)
                put(GM + 128, 1);
            twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
            twk_cross_core_wait_flag(TWK_S, 0);
        }
        if (twk_block() == 0)
            (void)get(GM + 64);
        break;
    }
}

static bool reported(const char *text)
{
    for (uint32_t i = 0; i < rig_hazard_count; i++)
        if (strstr(rig_hazards[i], text))
            return true;
    return false;
}

/* Blocks use the objects of those before them. */
static void test_left(void)
{
    for (uint32_t what = LEAVE_WAIT; what <= LEAVE_WRITE; what++) {
        run("leave", 1, what);
        run("leave", 2, MISS_WAIT);
        CU_ASSERT(reported("twk_gm_get (S) reads global memory at 0x1000"));
        run("leave", 1, what);
        run("leave", 2, MISS_SET);
        CU_ASSERT(reported("twk_load (MTE2) reads global memory at 0x100040"));
    }
}

/* Lines that leave the data cache after a barrier are released by the next. */
static void test_clean_late(void)
{
    run("leave", 2, CLEAN_LATE);
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    for (uint32_t i = 0; i < 20; i++) {
        int32_t value;
        memcpy(&value, rig_host(GM + 0x4000 + i * 4), sizeof(value));
        CU_ASSERT_EQUAL(value, (int32_t)i + 1);
    }
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"sums of blocks are added up in the order of blocks", test_sums},
        {"of writes after a barrier that of the highest block stays", test_winner},
        {"a block's own sums are over what others wrote before a barrier", test_early},
        {"nothing of a block is left for the next launch", test_left},
        {"lines that leave the data cache late are released by the next barrier", test_clean_late},
    };
    return twin_run_suite("kernel_order", tests, TWIN_COUNT(tests), argc, argv);
}
