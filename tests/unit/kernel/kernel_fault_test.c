/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that go wrong: the run says where and why, its steps end with the failure, and the
 * process goes on. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_rig.h"
#include "kernel_wrong.h"

#define FAIL(what, fault, part)                                                                    \
    rig_fail("wrong", 2, &(wrong_args){.how = (what)}, sizeof(wrong_args), fault, part)

static void test_operations(void)
{
    FAIL(WRONG_ADDRESS, TWIN_NATIVE_ADDRESS,
         "kernel \"wrong\", block 1: twk_load reads 64 bytes of global memory at 0x10");
    FAIL(WRONG_STORE, TWIN_NATIVE_ADDRESS,
         "twk_store writes 64 bytes of global memory at 0x1fffe0, which are not inside an "
         "allocation: it ends after 32 of them");
    FAIL(WRONG_ROW, TWIN_NATIVE_ADDRESS,
         "twk_load reads 64 bytes of global memory at 0x200000, which are not inside an "
         "allocation: one ends 0 bytes before them");
    FAIL(WRONG_BUFFER, TWIN_NATIVE_BUFFER,
         "twk_load: bytes 196576 to 196639 are not in UB, which has 196608");
    FAIL(WRONG_CORE, TWIN_NATIVE_BUFFER, "twk_load_l1: a vector core has no L1");
    FAIL(WRONG_PIPE, TWIN_NATIVE_OPERATION, "twk_mmad: a vector core has no pipe M");
    FAIL(WRONG_OFFSET, TWIN_NATIVE_ALIGNMENT, "twk_adds: offset 4 in UB is not a multiple of 32");
    FAIL(WRONG_ALIGNMENT, TWIN_NATIVE_ALIGNMENT,
         "twk_gm_get: global address 0x100002 is not a multiple of 4");
    FAIL(WRONG_OVERLAP, TWIN_NATIVE_OPERATION,
         "twk_add: its result at 32, 64 bytes, overlaps an operand at 0");
    FAIL(WRONG_FLAG, TWIN_NATIVE_OPERATION, "twk_set_flag: flag 8 from pipe MTE2 to V");
    FAIL(WRONG_CROSS_CORE, TWIN_NATIVE_OPERATION,
         "twk_cross_core_set_flag: the kernel is not mixed");
    FAIL(WRONG_PITCH, TWIN_NATIVE_OPERATION, "twk_load: 2 rows of 64 bytes");
    FAIL(WRONG_TYPE, TWIN_NATIVE_OPERATION, "twk_duplicate: type 99 is invalid");
}

/* Counts whose bytes are too many for 32 bits. */
static void test_counts(void)
{
    FAIL(WRONG_COUNT, TWIN_NATIVE_BUFFER,
         "twk_store_atomic: bytes 0 to 4294967294 are not in UB, which has 196608");
    CU_ASSERT_EQUAL(TWK_CUT_(UINT64_C(0xfffffffc)), 0xfffffffc);
    CU_ASSERT_EQUAL(TWK_CUT_(UINT64_C(0x100000000)), UINT32_MAX);
    CU_ASSERT_EQUAL(TWK_CUT_(UINT64_C(0x8fffffff00000004)), UINT32_MAX);
}

static void test_place(void)
{
    const wrong_args args = {.how = WRONG_ADDRESS};
    rig_begin("wrong", 3, &args, sizeof(args));
    const twin_native_failure *failure = twin_native_failed(rig_run);
    CU_ASSERT(failure->block == 1 && failure->core == 0);
    CU_ASSERT(failure->has_address && failure->address == 0x10);
    /* The block before it has its steps, its own end with the failure, the next one has none. */
    CU_ASSERT_EQUAL_FATAL(rig_work.count, 3);
    const twin_steps *steps = rig_work.lists;
    CU_ASSERT(steps[0].count > 0 && steps[1].count > 0 && steps[2].count == 0);
    const twin_step *last = &steps[1].steps[steps[1].count - 1];
    CU_ASSERT(last->pipe == TWIN_PIPE_SCALAR && last->kind == TWIN_STEP_FAULT && last->amount == 1);
    twin_native_end(rig_run);
}

static uint64_t fault_of(uint32_t how)
{
    const wrong_args args = {.how = how};
    rig_begin("wrong", 2, &args, sizeof(args));
    const twin_steps *steps = &rig_work.lists[1];
    const twin_step *last = &steps->steps[steps->count - 1];
    const uint64_t amount = last->kind == TWIN_STEP_FAULT ? last->amount : 0;
    twin_native_end(rig_run);
    return amount;
}

static void test_traps(void)
{
    FAIL(WRONG_TRAP, TWIN_NATIVE_TRAP, "block 1: trap");
    FAIL(WRONG_ASSERT, TWIN_NATIVE_TRAP, "kernel_wrong.c:");
    FAIL(WRONG_ASSERT, TWIN_NATIVE_TRAP, ": args->how == 0");
    CU_ASSERT_EQUAL(fault_of(WRONG_TRAP), 2);
}

static void test_stuck(void)
{
    FAIL(WRONG_WAIT, TWIN_NATIVE_STUCK, "twk_wait_flag(TWK_V, TWK_S, 1) waits for ever");
    FAIL(WRONG_WAIT_PIPE, TWIN_NATIVE_STUCK, "twk_wait_flag(TWK_V, TWK_MTE3, 1) waits for ever");
    CU_ASSERT_EQUAL(fault_of(WRONG_WAIT), 3);
    rig_fail("deaf", 1, NULL, 0, TWIN_NATIVE_STUCK,
             "block 0, cube core: twk_cross_core_wait_flag of flag 2 waits for ever: not each "
             "vector core has a "
             "twk_cross_core_set_flag");
}

/* Steps of the last core that has some. */
static uint32_t steps_of_kind(const char *name, const wrong_args *args, twin_step_kind kind)
{
    uint32_t count = 0;
    rig_begin(name, args ? 2 : 1, args, args ? sizeof(*args) : 0);
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_STUCK);
    for (uint64_t i = 0; i < rig_work.count; i++)
        for (uint64_t j = 0; j < rig_work.lists[i].count; j++)
            count += rig_work.lists[i].steps[j].kind == kind;
    twin_native_end(rig_run);
    return count;
}

/* The device comes to the failure only if no step before it waits for ever. */
static void test_stuck_steps(void)
{
    const wrong_args args = {.how = WRONG_WAIT};
    CU_ASSERT_EQUAL(steps_of_kind("wrong", &args, TWIN_STEP_WAIT), 0);
    CU_ASSERT_EQUAL(steps_of_kind("wrong", &args, TWIN_STEP_FAULT), 1);
    CU_ASSERT_EQUAL(steps_of_kind("deaf", NULL, TWIN_STEP_CROSS_CORE_WAIT), 0);
    CU_ASSERT_EQUAL(steps_of_kind("deaf", NULL, TWIN_STEP_FAULT), 1);
}

/* Operations of the runtime end a kernel whose stack has no room for them; none of their own code
 * meets its end. */
static void test_full_stack(void)
{
    FAIL(WRONG_DEEP_GET, TWIN_NATIVE_CRASH, "block 1: twk_gm_get: its stack of 256 KiB is full");
    FAIL(WRONG_DEEP_VECTOR, TWIN_NATIVE_CRASH, "twk_adds: its stack of 256 KiB is full");
    FAIL(WRONG_DEEP_PRINT, TWIN_NATIVE_CRASH, "twk_printf: its stack of 256 KiB is full");
    FAIL(WRONG_DEEP_TRAP, TWIN_NATIVE_CRASH, "twk_stop: its stack of 256 KiB is full");
    CU_ASSERT_EQUAL(fault_of(WRONG_DEEP_GET), 1);
    const wrong_args args = {.how = GOOD_LOOP, .turns = 3};
    rig_do("wrong", 2, &args, sizeof(args));
}

static void test_endless(void)
{
    rig_cycles_most = 5000;
    FAIL(WRONG_LOOP, TWIN_NATIVE_TIME, "it has run for 5000 cycles");
    CU_ASSERT_EQUAL(fault_of(WRONG_LOOP), 3);
    rig_cycles_most = 1000000;
}

/* One whose turns have operations is ended by their number, before its steps fill the host's
 * memory. */
static void test_endless_operations(void)
{
    const wrong_args args = {.how = WRONG_POLL};
    rig_cycles_most = 0;
    memset(rig_host(RIG_BASE), 0, 4);
    for (uint32_t limited = 0; limited < 2; limited++) {
        rig_limited = limited != 0;
        rig_begin("wrong", 2, &args, sizeof(args));
        const twin_native_failure *failure = twin_native_failed(rig_run);
        CU_ASSERT(failure->fault == TWIN_NATIVE_TIME && failure->block == 1);
        CU_ASSERT_STRING_EQUAL(failure->text ? failure->text : "",
                               "kernel \"wrong\", block 1: twk_gm_get: the core has done 16777216 "
                               "steps and is not done; it polls global memory at 0x100000, where "
                               "nothing more changes");
        CU_ASSERT_EQUAL_FATAL(rig_work.count, 2);
        const twin_steps *steps = &rig_work.lists[1];
        const twin_step *last = &steps->steps[steps->count - 1];
        CU_ASSERT_EQUAL(steps->count, ((uint64_t)1 << 24) + 1 + limited);
        CU_ASSERT(last->kind == TWIN_STEP_FAULT && last->amount == 3);
        CU_ASSERT_EQUAL(last[-1].amount >= TWIN_STEP_MOST >> 6, rig_limited);
        twin_native_end(rig_run);
    }
    rig_limited = false;
    rig_cycles_most = 1000000;
    twin_native_trim();
}

static uint64_t cycles_of(uint32_t how, uint32_t turns)
{
    const wrong_args args = {.how = how, .turns = turns};
    rig_begin("wrong", 1, &args, sizeof(args));
    const twin_steps *steps = &rig_work.lists[0];
    CU_ASSERT_FATAL(steps->count == 1 && steps->steps[0].kind == TWIN_STEP_WORK);
    const uint64_t cycles = steps->steps[0].amount;
    twin_native_end(rig_run);
    return cycles;
}

/* Each turn of a loop is a basic block or more, and all turns cost alike, whatever the compiler
 * makes of the loop. */
static void test_counting(void)
{
    for (uint32_t how = GOOD_LOOP; how <= GOOD_SUM; how++) {
        const uint64_t none = cycles_of(how, 0);
        const uint64_t once = cycles_of(how, 1000);
        const uint64_t twice = cycles_of(how, 2000);
        const uint64_t turn = (twice - once) / 1000;
        CU_ASSERT(turn >= 1 && turn <= 4);
        CU_ASSERT_EQUAL(twice - once, 1000 * turn);
        CU_ASSERT_EQUAL(turn, (once - none + 500) / 1000);
        CU_ASSERT(once - none >= 1000);
    }
    const uint64_t cheap = cycles_of(GOOD_LOOP, 1000);
    rig_core.scalar_block = 7;
    CU_ASSERT_EQUAL(cycles_of(GOOD_LOOP, 1000), 7 * cheap);
    rig_core.scalar_block = 1;
}

#ifndef TWIN_SANITIZED /* sanitizers have their own handlers, which see the error first */
static void test_crashes(void)
{
    for (uint32_t again = 0; again < 3; again++) {
        FAIL(WRONG_POINTER, TWIN_NATIVE_CRASH, "its own code, not an operation, accessed 0x100040");
#ifdef __x86_64__
        FAIL(WRONG_DIVISION, TWIN_NATIVE_CRASH, "arithmetic fault");
#endif
        FAIL(WRONG_RECURSION, TWIN_NATIVE_CRASH, "its stack of 256 KiB is full");
        FAIL(WRONG_FRAME, TWIN_NATIVE_CRASH, "its stack of 256 KiB is full");
        CU_ASSERT_EQUAL(fault_of(WRONG_POINTER), 1);
        const wrong_args args = {.how = GOOD_LOOP, .turns = 3};
        rig_do("wrong", 2, &args, sizeof(args));
    }
}

static void *crash_on_thread(void *unused)
{
    test_crashes();
    return unused;
}

/* CUnit's records are not guarded, and no other thread uses them. */
static void test_crashes_of_threads(void)
{
    pthread_t thread;
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, crash_on_thread, NULL), 0);
    pthread_join(thread, NULL);
}

/* How a process ends that sends itself a signal, with the handlers in place. */
static int end_by(int number)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        raise(number);
        _exit(7);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
    return status;
}

static void test_sent(void)
{
    FAIL(WRONG_POINTER, TWIN_NATIVE_CRASH, "its own code, not an operation, accessed");
    const int killed = end_by(SIGSEGV), ignored = end_by(SIGILL);
    CU_ASSERT(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGSEGV);
    CU_ASSERT(WIFEXITED(ignored) && WEXITSTATUS(ignored) == 7);
}
#endif

static void test_launch(void)
{
    const wrong_args args = {.how = GOOD_LOOP};
    rig_fail("wrong", 2, &args, 3, TWIN_NATIVE_OPERATION,
             "it reads 8 bytes of arguments, the launch gives 3");
    CU_ASSERT_EQUAL(sizeof(args), 8);
    const wrong_args far = {.how = WRONG_ADDRESS};
    rig_begin("wrong", 1, &far, sizeof(far)); /* it is block 1 that fails */
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    twin_native_end(rig_run);
    rig_fail("thirds", 1, NULL, 0, TWIN_NATIVE_OPERATION,
             "its blocks have 1 vector cores to a cube core, this part has 2");
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"an invalid operation fails the kernel, with its name", test_operations},
        {"a failure has its block, address and step", test_place},
        {"traps and assertions", test_traps},
        {"counts do not wrap", test_counts},
        {"waits that never end are found", test_stuck},
        {"and have no step that the device would wait for", test_stuck_steps},
        {"operations need room on the stack", test_full_stack},
        {"a kernel that does not end is ended", test_endless},
        {"so is one that does operations without end", test_endless_operations},
        {"basic blocks cost scalar cycles", test_counting},
#ifndef TWIN_SANITIZED
        {"faults in a kernel's own code fail the kernel alone", test_crashes},
        {"so they do on other threads", test_crashes_of_threads},
        {"signals that are sent have their former effect", test_sent},
#endif
        {"a launch that does not fit its kernel fails", test_launch},
    };
    signal(SIGILL, SIG_IGN); /* before the handlers come: test_sent */
    return twin_run_suite("kernel_fault", tests, TWIN_COUNT(tests), argc, argv);
}
