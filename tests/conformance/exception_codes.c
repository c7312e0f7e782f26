/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a kernel's failure: by the failed part, by the cores that the kernel runs on, by the
 * number that the scheduler reports. */
#include <stdio.h>
#include <string.h>

#include "exception_tests.h"

enum { ARGS_BYTES = 16 };

static unsigned exceptions;
static uint32_t seen_code;

static void on_exception(aclrtExceptionInfo *info)
{
    exceptions++;
    seen_code = aclrtGetErrorCodeFromExceptionInfo(info);
}

typedef struct scene {
    aclrtBinHandle binary;
    aclrtFuncHandle cube, vector, mixed;
    aclrtStream stream;
} scene;

static void begin(scene *s)
{
    exceptions = 0;
    CHECK_OK(aclrtSetDevice(0));
    s->binary = image_load();
    s->cube = image_find(s->binary, "cube_12");
    s->vector = image_find(s->binary, "vec");
    s->mixed = image_find(s->binary, "mix");
    s->stream = twin_stream();
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_exception));
}

static void end(const scene *s)
{
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_exception));
    CHECK_OK(aclrtDestroyStream(s->stream));
    CHECK_OK(aclrtBinaryUnLoad(s->binary));
    CHECK_OK(aclrtResetDevice(0));
}

static void launch(const scene *s, aclrtFuncHandle function)
{
    static unsigned char values[ARGS_BYTES];
    CHECK_OK(
        aclrtLaunchKernelWithHostArgs(function, 2, s->stream, NULL, values, ARGS_BYTES, NULL, 0));
}

/* The next kernel is hit so and fails with that code, and the one after it is well. */
static void expect_failure(const scene *s, aclrtFuncHandle function, const twinrt_fault *fault,
                           aclError code)
{
    exceptions = 0;
    (void)twin_inject_fault(fault);
    launch(s, function);
    launch(s, function);
    if (!CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s->stream, SOON_MS), code))
        fprintf(stderr, "  fault %u with status %#x\n", fault->kind, fault->status);
    CHECK_EQUAL(exceptions, 1);
    CHECK_EQUAL(seen_code, (uint32_t)code);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s->stream, SOON_MS));
    CHECK_OK(twinrt_fault_remove(0));
}

static twinrt_fault kernel_fault(twinrt_fault_kind kind)
{
    twinrt_fault fault = twin_fault_for(kind);
    fault.task = TWINRT_FAULT_TASK_KERNEL;
    return fault;
}

void test_error_numbers(void)
{
    static const struct {
        uint32_t number;
        aclError code;
    } cases[] = {
        {0x25, ACL_ERROR_RT_AICORE_TIMEOUT},
        {0x26, ACL_ERROR_RT_AICORE_EXCEPTION},
        {0x27, ACL_ERROR_RT_AICORE_TRAP_EXCEPTION},
        {0x28, ACL_ERROR_RT_AICPU_TIMEOUT},
        {0x2a, ACL_ERROR_RT_AICPU_EXCEPTION},
        {0x2f, ACL_ERROR_RT_AICORE_OVER_FLOW},
        {0x30, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT},
        {0x31, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION},
        {0x32, ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION},
        {0x33, ACL_ERROR_RT_AIVEC_OVER_FLOW},
        {0x34, ACL_ERROR_RT_OVER_FLOW},
        {0x35, ACL_ERROR_RT_OVER_FLOW},
        {0x58, ACL_ERROR_RT_DEVICE_MEM_ERROR},
        {0x5a, ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR},
        {0x5d, ACL_ERROR_RT_LINK_ERROR},
        {0x10a, ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW},
        {0x10b, ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW},
        {0x10c, ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW},
        {0x10d, ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW},
        {0x10f, ACL_ERROR_RT_FFTS_PLUS_EXCEPTION},
        {0x110, ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION},
        {0x111, ACL_ERROR_RT_FFTS_PLUS_TIMEOUT},
        {0x217, ACL_ERROR_RT_SYS_DMA},
        {0x218, ACL_ERROR_RT_SYS_DMA},
        {0x220, ACL_ERROR_RT_DEVICE_MEM_ERROR},
        {0x221, ACL_ERROR_RT_DEVICE_MEM_ERROR},
        {0x222, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR},
        {0x225, ACL_ERROR_RT_DEVICE_MEM_ERROR},
        {0x226, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR},
        {0x1, ACL_ERROR_RT_TS_ERROR}, /* numbers without a separate code */
        {0x103, ACL_ERROR_RT_TS_ERROR},
        {0xffff, ACL_ERROR_RT_TS_ERROR},
    };
    scene s;
    begin(&s);
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++) {
        twinrt_fault fault = kernel_fault(TWINRT_FAULT_ENGINE_ERROR);
        fault.status = cases[i].number;
        expect_failure(&s, s.cube, &fault, cases[i].code);
    }
    end(&s);
}

void test_engine_kinds(void)
{
    static const struct {
        twinrt_fault_kind kind;
        uint32_t number;
        aclError code, on_vector_cores;
    } cases[] = {
        {TWINRT_FAULT_BAD_TASK, 0, ACL_ERROR_RT_TS_ERROR, ACL_ERROR_RT_TS_ERROR},
        {TWINRT_FAULT_ENGINE_ERROR, 0, ACL_ERROR_RT_AICORE_EXCEPTION,
         ACL_ERROR_RT_VECTOR_CORE_EXCEPTION},
        {TWINRT_FAULT_ENGINE_ERROR, 0x27, ACL_ERROR_RT_AICORE_TRAP_EXCEPTION,
         ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION},
        {TWINRT_FAULT_ENGINE_TIMEOUT, 0, ACL_ERROR_RT_AICORE_TIMEOUT,
         ACL_ERROR_RT_VECTOR_CORE_TIMEOUT},
        {TWINRT_FAULT_ENGINE_TIMEOUT, 0x103, ACL_ERROR_RT_TASK_TIMEOUT, ACL_ERROR_RT_TASK_TIMEOUT},
    };
    scene s;
    begin(&s);
    for (unsigned i = 0; i < TWIN_COUNT(cases); i++) {
        twinrt_fault fault = kernel_fault(cases[i].kind);
        fault.status = cases[i].number;
        expect_failure(&s, s.cube, &fault, cases[i].code);
        expect_failure(&s, s.mixed, &fault, cases[i].code);
        expect_failure(&s, s.vector, &fault, cases[i].on_vector_cores);
    }
    end(&s);
}

/* Device time from one record to another around a kernel, in ns. */
static double kernel_span(const scene *s)
{
    aclrtEvent before = NULL;
    aclrtEvent after = NULL;
    twin_hold hold;
    float ms = 0;
    CHECK_OK(aclrtCreateEventWithFlag(&before, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateEventWithFlag(&after, ACL_EVENT_TIME_LINE));
    twin_hold_begin(&hold, s->stream);
    CHECK_OK(aclrtRecordEvent(before, s->stream));
    launch(s, s->cube);
    CHECK_OK(aclrtRecordEvent(after, s->stream));
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(s->stream));
    CHECK_OK(aclrtEventElapsedTime(&ms, before, after));
    CHECK_OK(aclrtDestroyEvent(before));
    CHECK_OK(aclrtDestroyEvent(after));
    return (double)ms * 1e6;
}

/* From its first block to its last an empty kernel takes 1200 ns and more: dispatch, core and
 * software. */
void test_slow_cores(void)
{
    scene s;
    begin(&s);
    const double plain = kernel_span(&s);
    twinrt_fault fault = kernel_fault(TWINRT_FAULT_ENGINE_SLOW);
    fault.factor_permille = 11000;
    (void)twin_inject_fault(&fault);
    const double slow = kernel_span(&s);
    CHECK(slow - plain >= 10 * 1200);
    CHECK(kernel_span(&s) < slow); /* one was hit */
    CHECK_EQUAL(exceptions, 0);
    end(&s);
}

/* Arguments that the device reads from memory which has failed. */
void test_failed_memory(void)
{
    static const uint32_t statuses[] = {0, 0x222};
    scene s;
    twin_buffer args;
    aclrtErrorInfo report;
    begin(&s);
    twin_buffer_make(&args, ARGS_BYTES, 1);
    for (unsigned i = 0; i < TWIN_COUNT(statuses); i++) {
        const aclError code =
            i == 0 ? ACL_ERROR_RT_DEVICE_MEM_ERROR : ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
        twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_MEMORY);
        fault.address = (uint64_t)(uintptr_t)args.device + 8;
        fault.bytes = 4;
        fault.times = 0;
        fault.status = statuses[i];
        (void)twin_inject_fault(&fault);
        exceptions = 0;
        CHECK_OK(aclrtLaunchKernel(s.vector, 1, args.device, 8, s.stream)); /* what is before it */
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.stream, SOON_MS));
        CHECK_OK(aclrtLaunchKernel(s.vector, 1, args.device, ARGS_BYTES, s.stream));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.stream, SOON_MS), code);
        CHECK_EQUAL(exceptions, 1);
        CHECK_EQUAL(seen_code, (uint32_t)code);
        CHECK_OK(aclrtGetErrorVerbose(0, &report));
        CHECK_EQUAL(report.errorType, i == 0 ? ACL_RT_ERROR_MEMORY : ACL_RT_ERROR_OTHERS);
        if (i == 0) {
            CHECK_EQUAL(report.detail.uceInfo.arraySize, 1);
            CHECK(report.detail.uceInfo.memUceInfoArray[0].addr == args.device + 8);
        } else {
            report = (aclrtErrorInfo){.tryRepair = 1, .errorType = ACL_RT_NO_ERROR};
        }
        CHECK_OK(aclrtRepairError(0, &report));
        CHECK_OK(aclrtLaunchKernel(s.vector, 1, args.device, ARGS_BYTES, s.stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.stream, SOON_MS));
    }
    twin_buffer_free(&args);
    end(&s);
}

void test_last_error_and_message(void)
{
    scene s;
    char place[64];
    int32_t id = -1;
    uint32_t task = 0;
    begin(&s);
    CHECK_OK(aclrtStreamGetId(s.stream, &id));
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    (void)aclGetRecentErrMsg();
    const twinrt_fault fault = kernel_fault(TWINRT_FAULT_ENGINE_ERROR);
    (void)twin_inject_fault(&fault);
    launch(&s, s.mixed);
    CHECK_OK(aclrtGetThreadLastTaskId(&task));
    CHECK_OK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)); /* queued, no more */
    CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK_CODE(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK_CODE(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK_OK(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL);
    snprintf(place, sizeof(place), "stream %d, task %u: kernel \"mix\"", id, task);
    CHECK(text && strstr(text, place) != NULL);
    CHECK(text && strstr(text, "aclrtSynchronizeStream") != NULL);
    CHECK(aclGetRecentErrMsg() == NULL);
    end(&s);
}
