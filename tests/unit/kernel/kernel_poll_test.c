/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that poll global memory until others write there. */
#include "kernel_operations.h"

#include "kernel/core.h"

#define GM RIG_BASE

/* ---- phases: a barrier of flags in global memory --------------------------------------------- */

#define BLOCKS_MOST 24u
#define PHASES      6u

typedef struct phases_args {
    uint32_t phases, scalar;
    uint8_t from[BLOCKS_MOST][PHASES]; /* whose number of the phase before a block takes */
    uint8_t late[BLOCKS_MOST];         /* it polls the flags from the last to the first */
    uint8_t writes[BLOCKS_MOST];       /* and writes its own again in each turn */
} phases_args;

static twk_gm flag_of(uint32_t block)
{
    return GM + block * 32ull;
}

static twk_gm value_of(uint32_t block, uint32_t phase)
{
    return GM + 0x1000 + (phase * BLOCKS_MOST + block) * 32ull;
}

static int32_t read_value(uint32_t scalar, twk_gm from)
{
    if (scalar) {
        twk_dcci(from, false);
        return (int32_t)twk_gm_get(TWK_INT32, from);
    }
    twk_set_flag(TWK_S, TWK_MTE2, 0);
    twk_wait_flag(TWK_S, TWK_MTE2, 0);
    twk_load(twk_ub_at(0), from, 32);
    twk_set_flag(TWK_MTE2, TWK_S, 0);
    twk_wait_flag(TWK_MTE2, TWK_S, 0);
    return (int32_t)twk_get(TWK_INT32, twk_ub_at(0));
}

static void write_value(uint32_t scalar, twk_gm to, int32_t value)
{
    if (scalar) {
        twk_gm_put(TWK_INT32, to, value);
        twk_dcci(to, false);
        return;
    }
    twk_put(TWK_INT32, twk_ub_at(64), value);
    twk_set_flag(TWK_S, TWK_MTE3, 0);
    twk_wait_flag(TWK_S, TWK_MTE3, 0);
    twk_store(to, twk_ub_at(64), 4);
    twk_set_flag(TWK_MTE3, TWK_S, 0);
    twk_wait_flag(TWK_MTE3, TWK_S, 0);
}

static void poll(uint32_t scalar, twk_gm flag, int32_t least)
{
    while (read_value(scalar, flag) < least)
        ;
}

/* It writes its own flag again in each turn. */
static void poll_and_write(uint32_t scalar, twk_gm flag, int32_t least)
{
    while (read_value(scalar, flag) < least)
        write_value(scalar, flag_of(twk_block()), least);
}

TWK_VECTOR_KERNEL(phases, phases_args, args)
{
    const uint32_t block = twk_block(), blocks = twk_blocks();
    int32_t value = (int32_t)block + 1;
    for (uint32_t phase = 0; phase < args->phases; phase++) {
        write_value(args->scalar, value_of(block, phase), value);
        write_value(args->scalar, flag_of(block), (int32_t)phase + 1);
        for (uint32_t i = 0; i < blocks; i++) {
            const twk_gm flag = flag_of(args->late[block] ? blocks - 1 - i : i);
            if (args->writes[block])
                poll_and_write(args->scalar, flag, (int32_t)phase + 1);
            else
                poll(args->scalar, flag, (int32_t)phase + 1);
        }
        value = 3 * value + read_value(args->scalar, value_of(args->from[block][phase], phase));
    }
    write_value(args->scalar, value_of(block, PHASES), value);
}

/* What each block has in the end, phase by phase. */
static void expect_phases(const phases_args *args, uint32_t blocks)
{
    int32_t values[BLOCKS_MOST], next[BLOCKS_MOST];
    for (uint32_t i = 0; i < blocks; i++)
        values[i] = (int32_t)i + 1;
    for (uint32_t phase = 0; phase < args->phases; phase++) {
        for (uint32_t i = 0; i < blocks; i++)
            next[i] = 3 * values[i] + values[args->from[i][phase]];
        memcpy(values, next, sizeof(values));
    }
    for (uint32_t i = 0; i < blocks; i++) {
        int32_t found;
        memcpy(&found, rig_host(value_of(i, PHASES)), sizeof(found));
        CU_ASSERT_EQUAL_FATAL(found, values[i]);
    }
}

/* Of all steps, in their order. */
static uint64_t hash_of_work(void)
{
    uint64_t hash = 0;
    for (uint64_t i = 0; i < rig_work.count; i++)
        for (uint64_t j = 0; j < rig_work.lists[i].count; j++) {
            const twin_step *step = &rig_work.lists[i].steps[j];
            hash = (hash ^ step->kind ^ (uint64_t)step->pipe << 8 ^ (uint64_t)step->flag << 16 ^
                    step->amount << 32) *
                   0x100000001b3ull;
        }
    return hash;
}

static uint64_t run_phases(const phases_args *args, uint32_t blocks, uint32_t threads)
{
    memset(rig_memory, 0, sizeof(rig_memory));
    rig_threads_most = threads;
    rig_begin("phases", blocks, args, sizeof(*args));
    const uint64_t hash = hash_of_work();
    const twin_native_failure *failure = twin_native_failed(rig_run);
    if (failure->fault != TWIN_NATIVE_GOOD || rig_hazard_count > 0)
        printf("\n    %s\n", failure->text ? failure->text : rig_hazards[0]);
    CU_ASSERT_EQUAL_FATAL(failure->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT_EQUAL_FATAL(rig_hazard_count, 0);
    CU_ASSERT_EQUAL(rig_run->poll_releases, 0); /* each wait ended with a write */
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
    rig_threads_most = 1;
    expect_phases(args, blocks);
    return hash;
}

static void test_random(void)
{
    for (uint32_t i = 0; i < 150; i++) {
        phases_args args = {.phases = 1 + random32() % PHASES, .scalar = random32() % 2};
        const uint32_t blocks = 2 + random32() % (BLOCKS_MOST - 1);
        for (uint32_t block = 0; block < BLOCKS_MOST; block++) {
            args.late[block] = random32() % 2;
            args.writes[block] = random32() % 4 == 0;
            for (uint32_t phase = 0; phase < PHASES; phase++)
                args.from[block][phase] = (uint8_t)(random32() % blocks);
        }
        const uint64_t first = run_phases(&args, blocks, 1);
        CU_ASSERT_EQUAL(run_phases(&args, blocks, i % 2 ? 4 : 1), first);
    }
}

/* ---- cores of one block ---------------------------------------------------------------------- */

TWK_CUBE_HALF(answer, phases_args, args)
{
    (void)args;
    poll(true, flag_of(0), 1);
    poll(true, flag_of(1), 1);
    write_value(true, flag_of(2), 1);
}
TWK_VECTOR_HALF(answer, phases_args, args)
{
    write_value(true, flag_of(twk_vector_index()), 1);
    poll(args->scalar, flag_of(2), 1);
    write_value(false, value_of(twk_vector_index(), 0), 7);
}
TWK_MIX_KERNEL(answer, phases_args, 2);

/* The vector cores of two blocks wait for each other, and write their flags in each turn. */
TWK_CUBE_HALF(mixed, phases_args, args)
{
    (void)args;
}
TWK_VECTOR_HALF(mixed, phases_args, args)
{
    const uint32_t mine = twk_block() * 2 + twk_vector_index(), all = 2 * twk_blocks();
    for (uint32_t i = 0; i < all; i++)
        do
            write_value(args->scalar, flag_of(mine), 1);
        while (read_value(args->scalar, flag_of(i)) < 1);
    write_value(false, value_of(mine, 0), 7);
}
TWK_MIX_KERNEL(mixed, phases_args, 2);

static void test_cores(void)
{
    for (uint32_t scalar = 0; scalar < 2; scalar++) {
        memset(rig_memory, 0, sizeof(rig_memory));
        rig_begin("answer", 1, &(phases_args){.scalar = scalar}, sizeof(phases_args));
        CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
        twin_native_end(rig_run);
        for (uint32_t i = 0; i < 2; i++)
            CU_ASSERT_EQUAL(*(int32_t *)rig_host(value_of(i, 0)), 7);
        memset(rig_memory, 0, sizeof(rig_memory));
        rig_begin("mixed", 4, &(phases_args){.scalar = scalar}, sizeof(phases_args));
        CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
        twin_native_end(rig_run);
        for (uint32_t i = 0; i < 8; i++)
            CU_ASSERT_EQUAL(*(int32_t *)rig_host(value_of(i, 0)), 7);
    }
}

/* ---- polls that nothing ends ----------------------------------------------------------------- */

typedef struct wait_args {
    uint32_t waits, scalar; /* block */
    uint32_t cleans;
} wait_args;

TWK_VECTOR_KERNEL(wait_for, wait_args, args)
{
    if (twk_block() == args->waits)
        poll(args->scalar, flag_of(7), 1);
    else if (args->waits == 0 && twk_block() == 1) {
        twk_gm_put(TWK_INT32, flag_of(7), 1);
        if (args->cleans)
            twk_dcci(flag_of(7), false);
    }
}

static void expect_wait(const wait_args *args, uint32_t at_once, const char *text)
{
    const uint32_t before = rig_at_once;
    memset(rig_memory, 0, sizeof(rig_memory));
    rig_at_once = at_once;
    rig_begin("wait_for", 3, args, sizeof(*args));
    const twin_native_failure *failure = twin_native_failed(rig_run);
    CU_ASSERT_EQUAL(failure->fault, text ? TWIN_NATIVE_TIME : TWIN_NATIVE_GOOD);
    if (text && (!failure->text || !strstr(failure->text, text)))
        printf("\n    %s\n", failure->text ? failure->text : "");
    CU_ASSERT(!text || (failure->text && strstr(failure->text, text)));
    twin_native_end(rig_run);
    rig_at_once = before;
}

static void test_endless(void)
{
    for (uint32_t scalar = 0; scalar < 2; scalar++) {
        expect_wait(&(wait_args){.waits = 1, .scalar = scalar}, 40,
                    "it polls global memory at 0x1000e0, where nothing more changes");
        expect_wait(&(wait_args){.waits = 0, .scalar = scalar, .cleans = 1}, 1,
                    "block 1 does not begin, as the device has cores for 1 blocks");
        expect_wait(&(wait_args){.waits = 0, .scalar = scalar, .cleans = 1}, 2, NULL);
        CU_ASSERT_EQUAL(rig_hazard_count, 0);
    }
    /* Others need not see what is in the data cache of a core. */
    expect_wait(&(wait_args){.waits = 0}, 40, NULL);
    CU_ASSERT_EQUAL(rig_hazard_count, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_hazards[0], "it is in the data cache of its core"));
}

/* ---- reads that only look like polls --------------------------------------------------------- */

TWK_VECTOR_KERNEL(again, wait_args, args)
{
    for (uint32_t i = 0; i < 1000; i++)
        (void)read_value(args->scalar, flag_of(7));
    write_value(false, value_of(twk_block(), 0), 7);
}

static void test_again(void)
{
    for (uint32_t scalar = 0; scalar < 2; scalar++) {
        memset(rig_memory, 0, sizeof(rig_memory));
        rig_begin("again", 3, &(wait_args){.scalar = scalar}, sizeof(wait_args));
        CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
        twin_native_end(rig_run);
        for (uint32_t i = 0; i < 3; i++)
            CU_ASSERT_EQUAL(*(int32_t *)rig_host(value_of(i, 0)), 7);
    }
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"random kernels with barriers of flags in memory: data, and the same steps", test_random},
        {"cores of a block poll what each other write", test_cores},
        {"a poll that nothing ends is a time limit that names the address", test_endless},
        {"equal reads that nothing follows do not fail", test_again},
    };
    return twin_run_suite("kernel_poll", tests, TWIN_COUNT(tests), argc, argv);
}
