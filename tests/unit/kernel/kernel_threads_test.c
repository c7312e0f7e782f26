/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on several threads of the host: what a run leaves is what one thread leaves. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "kernel_rig.h"

#define GM      RIG_BASE
#define SHARE   256u    /* bytes of a block */
#define SUMS    0x10000 /* place of what all blocks add to */
#define MOVING  0x80000 /* memory from here on is for `move` alone */
#define BLOCKS  23u
#define SPECIAL 17u /* the block that does something else */
#define THREADS 4u

enum {
    PLAIN,
    PRINT,
    TRAP,
    HAZARD,
    STUCK,
    OVERFLOW,
    UNEQUAL,
    LONG,
    SAME_PLACE,
    MOVE,
    NO_FLAG_END,
    READ_OTHER
};

typedef struct bag_args {
    uint32_t what, rounds;
} bag_args;

static void special(const bag_args *args)
{
    switch (args->what) {
    case PRINT:
        twk_printf("block %u\n", twk_block());
        break;
    case TRAP:
        twk_trap();
        break;
    case HAZARD: /* no flag between the two */
        twk_muls(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1, 64);
        twk_store(GM + twk_block() * SHARE, twk_ub_at(0), SHARE);
        break;
    case STUCK:
        twk_cross_core_wait_flag(TWK_S, 3);
        break;
    case OVERFLOW:
        twk_muls(TWK_FP32, twk_ub_at(0x10000), twk_ub_at(0), 3e38, 64);
        twk_barrier(TWK_ALL);
        twk_muls(TWK_FP32, twk_ub_at(0x10000), twk_ub_at(0x10000), 3e38, 64);
        break;
    case SAME_PLACE:
        twk_store(GM + (twk_block() - 1) * SHARE, twk_ub_at(0), SHARE);
        break;
    case READ_OTHER:
        twk_load(twk_ub_at(0), GM + (twk_block() - 1) * SHARE, SHARE);
        break;
    case MOVE:
        twk_load(twk_ub_at(0), GM + MOVING, SHARE);
        break;
    case NO_FLAG_END:
        twk_set_flag(TWK_V, TWK_MTE3, 5);
        break;
    default:
        break;
    }
}

/* Each block computes on its share, adds to what all have in common, and one does more. The sum of
 * FP32 depends on the order of the blocks. */
TWK_VECTOR_KERNEL(bag, bag_args, args)
{
    const twk_gm mine = GM + twk_block() * SHARE;
    const bool unequal = args->what == UNEQUAL || args->what == LONG;
    const uint32_t rounds = args->rounds + (unequal ? twk_block() * 3 : 0);
    twk_duplicate(TWK_FP32, twk_ub_at(0), 3, 4096);
    twk_barrier(TWK_ALL);
    twk_load(twk_ub_at(0), mine, SHARE);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < rounds; i++) {
        twk_muls(TWK_FP32, twk_ub_at(0x8000), twk_ub_at(0), 1.0 + twk_block() / 7.0, 4096);
        if (args->what == LONG)
            twk_barrier(TWK_ALL);
    }
    twk_barrier(TWK_ALL);
    if (twk_block() == SPECIAL)
        special(args);
    twk_barrier(TWK_ALL);
    twk_store_atomic(TWK_ATOMIC_ADD, TWK_FP32, GM + SUMS, twk_ub_at(0x8000), SHARE / 4);
    twk_store(mine, twk_ub_at(0x8000), SHARE);
}

/* ---- what a run leaves ----------------------------------------------------------------------- */

#define STEPS_ROOM ((size_t)8 << 20)

typedef struct outcome {
    unsigned char memory[RIG_BYTES];
    twin_step *steps;
    uint64_t counts[BLOCKS * 3];
    uint64_t lists, step_count;
    uint32_t printed_count, hazard_count;
    char printed[sizeof(rig_printed[0])], hazards[sizeof(rig_hazards[0])]; /* the first */
    char failure[512];
    bool overflowed;
    twin_native_fault fault;
} outcome;

static atomic_uint begun, ended;
static pthread_t main_thread;
static uint32_t moves;

static void count_thread(bool begins)
{
    atomic_fetch_add(begins ? &begun : &ended, 1);
}

static void *at_or_moving(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    return address + bytes > GM + MOVING ? NULL : rig_at(reach, address, bytes, write);
}

static bool move(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes, bool write)
{
    void *there = rig_at(reach, address, bytes, write);
    CU_ASSERT(pthread_equal(pthread_self(), main_thread));
    moves++;
    if (there && local)
        memcpy(write ? there : local, write ? local : there, bytes);
    return there != NULL;
}

static void keep_steps(outcome *out)
{
    out->lists = rig_work.count;
    for (uint64_t i = 0; i < rig_work.count; i++) {
        const twin_steps *list = &rig_work.lists[i];
        CU_ASSERT_FATAL(i < BLOCKS * 3 && out->step_count + list->count <= STEPS_ROOM);
        out->counts[i] = list->count;
        if (list->count > 0)
            memcpy(out->steps + out->step_count, list->steps, list->count * sizeof(twin_step));
        out->step_count += list->count;
    }
}

static void run(const bag_args *args, uint32_t threads, outcome *out)
{
    for (size_t i = 0; i < RIG_BYTES / 4; i++)
        ((float *)(void *)rig_memory)[i] = (float)(i % 1000) * 0.37f + 1;
    rig_printed[0][0] = rig_hazards[0][0] = '\0';
    atomic_store(&begun, 0);
    atomic_store(&ended, 0);
    moves = 0;
    rig_threads_most = threads;
    rig_begin("bag", BLOCKS, args, sizeof(*args));
    const twin_native_failure *failure = twin_native_failed(rig_run);
    out->fault = failure->fault;
    snprintf(out->failure, sizeof(out->failure), "%s", failure->text ? failure->text : "");
    keep_steps(out);
    (void)twin_native_effect(rig_run, &rig_reach);
    out->overflowed = twin_native_overflowed(rig_run);
    twin_native_end(rig_run);
    memcpy(out->memory, rig_memory, RIG_BYTES);
    out->printed_count = rig_printed_count;
    memcpy(out->printed, rig_printed, sizeof(out->printed));
    out->hazard_count = rig_hazard_count;
    memcpy(out->hazards, rig_hazards, sizeof(out->hazards));
    CU_ASSERT_EQUAL(atomic_load(&begun), atomic_load(&ended));
}

static bool has_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1;
}

static outcome *make_outcome(void)
{
    outcome *out = calloc(1, sizeof(*out));
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    out->steps = calloc(STEPS_ROOM, sizeof(twin_step));
    CU_ASSERT_PTR_NOT_NULL_FATAL(out->steps);
    return out;
}

static void free_outcome(outcome *out)
{
    free(out->steps);
    free(out);
}

/* Runs the kernel on one thread and on several; `out` is what it leaves. */
static void compare(const bag_args *args, outcome *one)
{
    outcome *many = make_outcome();
    run(args, 1, one);
    CU_ASSERT_EQUAL(atomic_load(&begun), 0);
    run(args, THREADS, many);
    if (has_processors())
        CU_ASSERT(atomic_load(&begun) > 0);
    CU_ASSERT_EQUAL(one->fault, many->fault);
    CU_ASSERT_STRING_EQUAL(one->failure, many->failure);
    CU_ASSERT_EQUAL(one->printed_count, many->printed_count);
    CU_ASSERT_STRING_EQUAL(one->printed, many->printed);
    CU_ASSERT_EQUAL(one->hazard_count, many->hazard_count);
    CU_ASSERT_STRING_EQUAL(one->hazards, many->hazards);
    CU_ASSERT_EQUAL(one->overflowed, many->overflowed);
    CU_ASSERT_EQUAL(one->lists, many->lists);
    CU_ASSERT_EQUAL(memcmp(one->counts, many->counts, sizeof(one->counts)), 0);
    CU_ASSERT_EQUAL(one->step_count, many->step_count);
    CU_ASSERT_EQUAL(memcmp(one->steps, many->steps, one->step_count * sizeof(twin_step)), 0);
    CU_ASSERT_EQUAL(memcmp(one->memory, many->memory, RIG_BYTES), 0);
    free_outcome(many);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_same(void)
{
    static const uint32_t whats[] = {PLAIN, UNEQUAL, SAME_PLACE};
    for (size_t i = 0; i < TWIN_COUNT(whats); i++) {
        const bag_args args = {.what = whats[i], .rounds = 40};
        outcome *out = make_outcome();
        compare(&args, out);
        CU_ASSERT_EQUAL(out->fault, TWIN_NATIVE_GOOD);
        CU_ASSERT_EQUAL(out->lists, whats[i] == PLAIN ? 1 : BLOCKS);
        free_outcome(out);
    }
}

/* Lists that are handed on, and not copied. */
static void test_long(void)
{
    const bag_args args = {.what = LONG, .rounds = 70000};
    outcome *out = make_outcome();
    rig_timing_only = true; /* soon done */
    rig_cycles_most = 1u << 30;
    compare(&args, out);
    rig_timing_only = false;
    rig_cycles_most = 1000000;
    CU_ASSERT_EQUAL(out->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT(out->counts[0] > 65536);
    free_outcome(out);
}

/* Their text, and which block it names, are those of one thread. */
static void test_reports(void)
{
    static const struct {
        uint32_t what;
        twin_native_fault fault;
        const char *failure, *printed, *hazards;
    } cases[] = {
        {PRINT, TWIN_NATIVE_GOOD, "", "17.0 block 17", ""},
        {TRAP, TWIN_NATIVE_TRAP, "block 17", "", ""},
        {HAZARD, TWIN_NATIVE_GOOD, "", "", "block 17: twk_store"},
        {STUCK, TWIN_NATIVE_STUCK, "block 17", "", ""},
        {NO_FLAG_END, TWIN_NATIVE_GOOD, "", "", "block 17: flag 5"},
        {READ_OTHER, TWIN_NATIVE_GOOD, "", "", "which twk_store of block 16 writes"},
    };
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        const bag_args args = {.what = cases[i].what, .rounds = 40};
        outcome *out = make_outcome();
        compare(&args, out);
        CU_ASSERT_EQUAL(out->fault, cases[i].fault);
        CU_ASSERT(strstr(out->failure, cases[i].failure) != NULL);
        CU_ASSERT(strstr(out->printed, cases[i].printed) != NULL);
        CU_ASSERT(strstr(out->hazards, cases[i].hazards) != NULL);
        free_outcome(out);
    }
}

static void test_overflow(void)
{
    const bag_args args = {.what = OVERFLOW, .rounds = 40};
    outcome *out = make_outcome();
    compare(&args, out);
    CU_ASSERT(out->overflowed);
    free_outcome(out);
}

/* Memory that moves is asked for on the thread of the run alone. */
static void test_moving(void)
{
    const bag_args args = {.what = MOVE, .rounds = 40};
    outcome *out = make_outcome();
    main_thread = pthread_self();
    rig_reach.at = at_or_moving;
    rig_reach.move = move;
    compare(&args, out);
    CU_ASSERT_EQUAL(out->fault, TWIN_NATIVE_GOOD);
    CU_ASSERT(moves > 0);
    rig_reach.at = rig_at;
    rig_reach.move = NULL;
    free_outcome(out);
}

/* Short kernels, and memory that is watched byte by byte, stay on one thread. */
static void test_one(void)
{
    outcome *out = make_outcome();
    run(&(bag_args){.what = PLAIN, .rounds = 0}, THREADS, out);
    CU_ASSERT_EQUAL(atomic_load(&begun), 0);
    free_outcome(out);
    out = make_outcome();
    rig_exact = true;
    run(&(bag_args){.what = PLAIN, .rounds = 40}, THREADS, out);
    rig_exact = false;
    CU_ASSERT_EQUAL(atomic_load(&begun), 0);
    free_outcome(out);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"data and steps are the same on several threads", test_same},
        {"so are very long lists of steps", test_long},
        {"failures, prints and reports are those of one thread", test_reports},
        {"an overflow in one block is found", test_overflow},
        {"memory that moves is reached from one thread", test_moving},
        {"a short kernel stays on one thread", test_one},
    };
    rig_thread = count_thread;
    return twin_run_suite("kernel_threads", tests, TWIN_COUNT(tests), argc, argv);
}
