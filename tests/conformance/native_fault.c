/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels that make forbidden accesses or calls: the code at the next synchronisation, and
 * none of their writes in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native_tests.h"

enum { MEMORY_BYTES = NATIVE_TILE * 4, MARKS = 4096 };

typedef struct scene {
    native n;
    void *memory;
} scene;

static void begin(scene *s)
{
    native_begin(&s->n);
    s->memory = native_memory(MEMORY_BYTES);
}

static void end(scene *s)
{
    native_free(s->memory);
    native_end(&s->n);
}

static aclError go_wrong(const scene *s, const char *kernel, uint32_t what, uint32_t blocks,
                         uint32_t block, aclrtLaunchKernelCfg *cfg)
{
    struct native_wrong args = {native_address(s->memory), what, block};
    CHECK_OK(aclrtLaunchKernelWithHostArgs(native_find(s->n.binary, kernel), blocks, s->n.stream,
                                           cfg, &args, sizeof(args), NULL, 0));
    return aclrtSynchronizeStream(s->n.stream);
}

/* Words that blocks have left. */
static unsigned marks(const scene *s)
{
    static uint32_t words[NATIVE_TILE];
    unsigned count = 0;
    native_read(words, s->memory, MEMORY_BYTES);
    for (unsigned i = MARKS / 4; i < NATIVE_TILE; i++)
        count += words[i] != 0;
    return count;
}

void test_faults(void)
{
    static const struct {
        uint32_t what;
        aclError code;
    } cases[] = {{NATIVE_TRAP, ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION},
                 {NATIVE_FAR, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION},
                 {NATIVE_PAST, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION},
                 {NATIVE_BUFFER, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION},
                 {NATIVE_CRASH, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION},
                 {NATIVE_DEEP, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION}};
    scene s;
    begin(&s);
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++)
        for (uint32_t block = 0; block < 5; block += 4) {
            if (!CHECK_CODE(go_wrong(&s, "wrong", cases[i].what, 5, block, NULL), cases[i].code))
                fprintf(stderr, "  case %u, block %u\n", i, block);
            CHECK_EQUAL(marks(&s), 0); /* a kernel that failed has written nothing */
        }
    end(&s);
}

/* What a kernel in C++ does not catch is a trap; what it catches is nothing. */
void test_thrown(void)
{
    scene s;
    begin(&s);
    for (uint32_t block = 0; block < 5; block += 4) {
        CHECK_CODE(go_wrong(&s, "thrown", 3, 5, block, NULL),
                   ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
        CHECK_EQUAL(marks(&s), 0);
    }
    CHECK_OK(go_wrong(&s, "thrown", 2, 5, 0, NULL));
    CHECK_EQUAL(marks(&s), 5);
    end(&s);
}

void test_fault_of_cube(void)
{
    scene s;
    begin(&s);
    CHECK_CODE(go_wrong(&s, "wrong_cube", NATIVE_TRAP, 3, 1, NULL),
               ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
    end(&s);
}

/* A stream goes on, and the kernel that is well writes. */
void test_after_a_fault(void)
{
    scene s;
    begin(&s);
    CHECK_CODE(go_wrong(&s, "wrong", NATIVE_TRAP, 4, 3, NULL),
               ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
    CHECK_OK(go_wrong(&s, "wrong", NATIVE_TRAP, 4, 4, NULL)); /* a block that is not there */
    CHECK_EQUAL(marks(&s), 4);
    end(&s);
}

/* Work after the kernel that fails does not run, on any stream of the context. */
void test_stop_on_failure(void)
{
    twin_hold hold;
    uint32_t seen = 0;
    scene s;
    begin(&s);
    aclrtContext context = NULL;
    aclrtContext before = NULL;
    CHECK_OK(aclrtGetCurrentContext(&before));
    CHECK_OK(aclrtCreateContext(&context, 0));
    aclrtStream stream = twin_stream();
    const struct native_wrong wrong = {native_address(s.memory), NATIVE_TRAP, 0};
    const struct native_count count = {native_address(s.memory)};
    CHECK_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    twin_hold_begin(&hold, stream);
    CHECK_OK(native_launch_on(&s.n, "wrong", 1, &wrong, sizeof(wrong), stream));
    CHECK_OK(native_launch_on(&s.n, "count", 1, &count, sizeof(count), stream));
    twin_hold_release(&hold, NULL);
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
    CHECK_CODE(native_launch_on(&s.n, "count", 1, &count, sizeof(count), stream),
               ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
    CHECK_OK(aclrtSetCurrentContext(before));
    native_read(&seen, s.memory, sizeof(seen));
    CHECK_EQUAL(seen, 0);
    NATIVE_LAUNCH(&s.n, "count", 1, count); /* another context goes on */
    CHECK_OK(aclrtSynchronizeStream(s.n.stream));
    native_read(&seen, s.memory, sizeof(seen));
    CHECK_EQUAL(seen, 1);
    CHECK_OK(aclrtSetCurrentContext(context));
    (void)aclrtDestroyNotify(hold.notify);
    (void)aclrtDestroyStreamForce(stream);
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtSetCurrentContext(before));
    end(&s);
}

/* Ended by the count of its code, or by the device. */
void test_endless(void)
{
    scene s;
    begin(&s);
    CHECK_CODE(go_wrong(&s, "wrong", NATIVE_LOOP, 2, 1, NULL), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    CHECK_EQUAL(marks(&s), 0);
    CHECK_OK(go_wrong(&s, "wrong", NATIVE_TRAP, 1, 9, NULL));
    end(&s);
}

static aclError stuck_for(const scene *s, uint32_t what, uint32_t limit_us)
{
    aclrtLaunchKernelAttr attr = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US};
    aclrtLaunchKernelCfg cfg = {.attrs = &attr, .numAttrs = 1};
    attr.value.timeoutUs.timeoutLow = limit_us;
    return go_wrong(s, "wrong", what, 1, 0, &cfg);
}

/* A wait that never ends is ended by the limit: of the launch, else of the process. */
void test_time_limits(void)
{
    uint64_t actual = 0;
    aclrtEvent before = NULL;
    aclrtEvent after = NULL;
    float ms = 0;
    scene s;
    begin(&s);
    CHECK_OK(aclrtCreateEventWithFlag(&before, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateEventWithFlag(&after, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtSetOpExecuteTimeOutV2(100000000, &actual)); /* 100 s */
    CHECK(actual >= 100000000);
    for (int own = 0; own < 2; own++) {
        const double limit_ms =
            own ? (double)twin_profile_value("sqe.credit_unit_ns") / 1e6 : (double)actual / 1e3;
        CHECK_OK(aclrtRecordEvent(before, s.n.stream));
        CHECK_CODE(own ? stuck_for(&s, NATIVE_STUCK, 1)
                       : go_wrong(&s, "wrong", NATIVE_STUCK, 1, 0, NULL),
                   ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
        CHECK_OK(aclrtRecordEvent(after, s.n.stream));
        CHECK_OK(aclrtSynchronizeStream(s.n.stream));
        CHECK_OK(aclrtEventElapsedTime(&ms, before, after));
        CHECK(ms >= limit_ms * 0.999 && ms < limit_ms * 1.001 + 1);
    }
    CHECK_CODE(stuck_for(&s, NATIVE_POLL, 1), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    /* Without a limit it fails where it got to. */
    CHECK_CODE(stuck_for(&s, NATIVE_STUCK, 0), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    CHECK_CODE(stuck_for(&s, NATIVE_STUCK_SCALAR, 0), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    CHECK_OK(aclrtSetOpExecuteTimeOut(0));
    CHECK_OK(aclrtDestroyEvent(before));
    CHECK_OK(aclrtDestroyEvent(after));
    end(&s);
}

/* ---- what a kernel forgets ------------------------------------------------------------------- */

/* Ends with a failed check unless the kernel's code is that of WANTED. */
void native_hazard_child(void)
{
    scene s;
    CHECK_OK(aclInit(NULL));
    begin(&s);
    const char *check = getenv("TWINRT_KERNEL_CHECK");
    const bool fails = check && strcmp(check, "error") == 0;
    for (int i = 0; i < 3; i++)
        CHECK_CODE(go_wrong(&s, "wrong", NATIVE_FORGET, 1, 0, NULL),
                   fails ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : ACL_SUCCESS);
    end(&s);
    CHECK_OK(aclFinalize());
}

void test_hazards(void)
{
    static const char *const values[] = {"TWINRT_KERNEL_CHECK=off", "TWINRT_KERNEL_CHECK=warn",
                                         "TWINRT_KERNEL_CHECK=error"};
    for (unsigned i = 0; i < TWIN_COUNT(values); i++) {
        const char *settings[] = {values[i], NULL};
        twin_run_child("hazard", settings);
    }
}
