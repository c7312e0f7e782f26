/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that read what others write, with a barrier of the launch in between and without one. */
#include "kernel_operations.h"

#define GM RIG_BASE

enum {
    NO_BARRIER,
    READ_LATER, /* by the block with the lower number: no barrier either */
    WRITE_AFTER,
    WRITE_AFTER_EARLY_SET, /* the set does not wait for the read */
    READ_AFTER,
    SAME_BYTES,
    OWN_BYTES,
    BESIDE,
    ONE_BYTE,
    SCALAR,
    SUM
};

typedef struct pair_args {
    uint32_t what;
} pair_args;

static void write_value(twk_gm to, double value)
{
    twk_duplicate(TWK_INT32, twk_ub_at(0), value, 64);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(to, twk_ub_at(0), 256);
    twk_barrier(TWK_ALL);
}

static void reader(uint32_t what)
{
    const twk_rows rows = {.rows = 4, .bytes = 32, .gm_pitch = 64, .pitch = 32};
    if (what == READ_AFTER)
        twk_sync_all(true);
    if (what == OWN_BYTES)
        write_value(GM, 5);
    if (what == SCALAR)
        (void)twk_gm_get(TWK_INT32, GM + 40);
    else if (what == BESIDE || what == ONE_BYTE)
        twk_load_rows(twk_ub_at(1024), what == BESIDE ? GM : GM + 1, &rows);
    else
        twk_load(twk_ub_at(1024), GM + 64, 64);
    if (what == WRITE_AFTER_EARLY_SET) {
        twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
        twk_cross_core_wait_flag(TWK_S, 0);
    }
    if (what == WRITE_AFTER)
        twk_sync_all(true);
}

static void writer(uint32_t what)
{
    const twk_rows rows = {.rows = 4, .bytes = 32, .gm_pitch = 64, .pitch = 32};
    if (what == WRITE_AFTER)
        twk_sync_all(true);
    if (what == WRITE_AFTER_EARLY_SET) {
        twk_cross_core_set_flag_mode(TWK_MODE_ALL, TWK_S, 0);
        twk_cross_core_wait_flag(TWK_S, 0);
    }
    if (what == BESIDE || what == ONE_BYTE || what == SUM) {
        twk_duplicate(TWK_INT32, twk_ub_at(0), 5, 64);
        twk_barrier(TWK_ALL);
        if (what == SUM)
            twk_store_atomic(TWK_ATOMIC_ADD, TWK_INT32, GM, twk_ub_at(0), 64);
        else
            twk_store_rows(GM + 32, twk_ub_at(0), &rows);
    } else {
        write_value(GM, what == SAME_BYTES ? 0 : 5);
    }
    if (what == READ_AFTER)
        twk_sync_all(true);
}

TWK_VECTOR_KERNEL(pair, pair_args, args)
{
    if ((twk_block() == 0) == (args->what == READ_LATER))
        reader(args->what);
    else
        writer(args->what);
}

/* The one report has the text; NULL: there is none. */
static void expect(uint32_t what, const char *text)
{
    const pair_args args = {.what = what};
    memset(rig_memory, 0, sizeof(rig_memory));
    rig_begin("pair", 2, &args, sizeof(args));
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    twin_native_end(rig_run);
    for (uint32_t i = 0; i < rig_hazard_count && (!text || !strstr(rig_hazards[i], text)); i++)
        printf("\n    %u: %s\n", what, rig_hazards[i]);
    CU_ASSERT_EQUAL(rig_hazard_count, text != NULL);
    CU_ASSERT(!text || strstr(rig_hazards[0], text) != NULL);
}

static void test_reported(void)
{
    expect(NO_BARRIER, "kernel \"pair\", block 1: twk_load (MTE2) reads global memory 0x100040 to "
                       "0x10007f, which twk_store of block 0 writes, and no barrier of the launch");
    expect(READ_LATER, "block 0: twk_load (MTE2) reads global memory 0x100040 to 0x10007f, which "
                       "twk_store of block 1 writes");
    expect(WRITE_AFTER_EARLY_SET, "block 1: twk_load (MTE2) reads global memory 0x100040");
    expect(ONE_BYTE, "reads global memory 0x100020 to 0x100020, which twk_store of block 0");
    expect(SCALAR, "twk_gm_get (S) reads global memory 0x100028 to 0x10002b");
    expect(SUM, "which twk_store_atomic of block 0 writes");
}

static void test_not_reported(void)
{
    static const uint32_t whats[] = {WRITE_AFTER, READ_AFTER, SAME_BYTES, OWN_BYTES, BESIDE};
    for (size_t i = 0; i < TWIN_COUNT(whats); i++)
        expect(whats[i], NULL);
    rig_timing_only = true;
    expect(NO_BARRIER, NULL);
    rig_timing_only = false;
}

/* ---- at random ------------------------------------------------------------------------------- */

#define UNITS       96u /* of 32 bytes */
#define PHASES      3u
#define ACCESSES    3u
#define MANY_BLOCKS 5u

/* Rows of units; a block writes units of its own alone. */
typedef struct access {
    uint8_t write, first, rows, pitch, units;
} access;

typedef struct plan_args {
    access list[MANY_BLOCKS][PHASES][ACCESSES];
    uint8_t owner[UNITS];
    uint32_t barriers; /* 0: there are none */
} plan_args;

static void do_access(const plan_args *plan, const access *one)
{
    const twk_rows rows = {.rows = one->rows,
                           .bytes = one->units * 32u,
                           .gm_pitch = one->pitch * 32u,
                           .pitch = one->units * 32u};
    if (!one->write) {
        twk_load_rows(twk_ub_at(0x4000), GM + one->first * 32u, &rows);
        return;
    }
    for (uint32_t i = 0; i < one->rows; i++)
        if (plan->owner[one->first + i * one->pitch] == twk_block())
            twk_store(GM + (one->first + i * one->pitch) * 32u, twk_ub_at(0), 32);
}

TWK_VECTOR_KERNEL(plan, plan_args, args)
{
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        twk_duplicate(TWK_INT32, twk_ub_at(0), 1 + phase, 8); /* not what was there */
        twk_barrier(TWK_ALL);
        for (uint32_t i = 0; i < ACCESSES; i++) {
            do_access(args, &args->list[twk_block()][phase][i]);
            twk_barrier(TWK_ALL);
        }
        if (args->barriers)
            twk_sync_all(true);
    }
}

static bool touches(const plan_args *plan, uint32_t block, uint32_t phase, uint32_t unit,
                    bool write)
{
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const access *one = &plan->list[block][phase][i];
        for (uint32_t row = 0; row < one->rows && one->write == write; row++) {
            const uint32_t first = one->first + row * one->pitch;
            const uint32_t units = write ? 1 : one->units;
            if (unit >= first && unit < first + units && (!write || plan->owner[unit] == block))
                return true;
        }
    }
    return false;
}

/* By the definition: unit by unit, each block with each other. */
static bool is_wrong(const plan_args *plan, uint32_t unit, uint32_t reads, uint32_t writes)
{
    for (uint32_t a = 0; a < PHASES; a++)
        for (uint32_t b = 0; b < PHASES; b++)
            if ((a == b || !plan->barriers) && touches(plan, reads, a, unit, false) &&
                touches(plan, writes, b, unit, true))
                return true;
    return false;
}

static bool any_wrong(const plan_args *plan)
{
    for (uint32_t unit = 0; unit < UNITS; unit++)
        for (uint32_t a = 0; a < MANY_BLOCKS; a++)
            for (uint32_t b = 0; b < MANY_BLOCKS; b++)
                if (a != b && is_wrong(plan, unit, a, b))
                    return true;
    return false;
}

static access random_access(void)
{
    access one = {.write = random32() % 8 == 0, .units = (uint8_t)(1 + random32() % 2)};
    one.pitch = (uint8_t)(one.units + random32() % 6);
    one.rows = (uint8_t)(1 + random32() % 3);
    const uint32_t span = (one.rows - 1u) * one.pitch + one.units;
    one.first = (uint8_t)(random32() % (UNITS - span + 1));
    return one;
}

static void make_plan(plan_args *plan)
{
    plan->barriers = random32() % 4 != 0;
    for (uint32_t unit = 0; unit < UNITS; unit++)
        plan->owner[unit] = (uint8_t)(random32() % MANY_BLOCKS);
    for (uint32_t block = 0; block < MANY_BLOCKS; block++)
        for (uint32_t phase = 0; phase < PHASES; phase++)
            for (uint32_t i = 0; i < ACCESSES; i++)
                plan->list[block][phase][i] = random_access();
}

/* The report names bytes of a unit, and two blocks, for which it is true. */
static bool names_wrong(const plan_args *plan, const char *text)
{
    unsigned reads = 0, writes = 0;
    unsigned long long address = 0;
    const char *of = strstr(text, " of block ");
    const char *at = strstr(text, "global memory 0x");
    if (!of || !at || sscanf(text, "kernel \"plan\", block %u:", &reads) != 1 ||
        sscanf(of, " of block %u", &writes) != 1 || sscanf(at, "global memory %llx", &address) != 1)
        return false;
    return is_wrong(plan, (uint32_t)((address - GM) / 32), reads, writes);
}

static void test_random(void)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        plan_args plan;
        memset(rig_memory, 0, UNITS * 32);
        make_plan(&plan);
        rig_begin("plan", MANY_BLOCKS, &plan, sizeof(plan));
        CU_ASSERT_EQUAL_FATAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        twin_native_end(rig_run);
        const bool expected = any_wrong(&plan);
        CU_ASSERT_EQUAL_FATAL(rig_hazard_count, expected);
        CU_ASSERT_FATAL(!expected || names_wrong(&plan, rig_hazards[0]));
        wrong += expected;
    }
    CU_ASSERT(wrong > 200 && wrong < 1800);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"reads of what another block writes are reported", test_reported},
        {"a barrier orders them, and equal bytes do no harm", test_not_reported},
        {"random kernels: reported exactly where no barrier orders two blocks", test_random},
    };
    return twin_run_suite("kernel_reads", tests, TWIN_COUNT(tests), argc, argv);
}
