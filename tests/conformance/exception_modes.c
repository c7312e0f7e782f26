/* SPDX-License-Identifier: Apache-2.0 */
/* Work after a kernel that failed, and the end of running kernels: modes of failure, aborts,
 * stops. */
#include <string.h>

#include "exception_tests.h"

enum { ARGS_BYTES = 16, CELL = 64, CELLS = 8 };

typedef struct scene {
    aclrtBinHandle binary;
    aclrtFuncHandle cube, vector;
    aclrtStream first, second;
    twin_buffer cells; /* 0 */
} scene;

static unsigned exceptions;

static void on_exception(aclrtExceptionInfo *info)
{
    (void)info;
    exceptions++;
}

static void find(scene *s)
{
    s->binary = image_load();
    s->cube = image_find(s->binary, "cube_12");
    s->vector = image_find(s->binary, "vec");
    s->first = twin_stream();
    s->second = twin_stream();
    twin_buffer_make(&s->cells, (size_t)CELL * CELLS, 0);
}

static void begin(scene *s)
{
    exceptions = 0;
    CHECK_OK(aclrtSetDevice(0));
    find(s);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_exception));
}

static void end(const scene *s)
{
    twin_buffer cells = s->cells;
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_exception));
    twin_buffer_free(&cells);
    CHECK_OK(aclrtDestroyStream(s->second));
    CHECK_OK(aclrtDestroyStream(s->first));
    CHECK_OK(aclrtBinaryUnLoad(s->binary));
    CHECK_OK(aclrtResetDevice(0));
}

static void launch(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream)
{
    static unsigned char values[ARGS_BYTES];
    CHECK_OK(
        aclrtLaunchKernelWithHostArgs(function, blocks, stream, NULL, values, ARGS_BYTES, NULL, 0));
}

static void mark(const scene *s, unsigned cell, aclrtStream stream)
{
    CHECK_OK(aclrtMemsetAsync(s->cells.device + cell * CELL, CELL, 1, CELL, stream));
}

static bool marked(scene *s, unsigned cell)
{
    twin_buffer_read(&s->cells);
    return s->cells.host[cell * CELL] == 1;
}

/* Strikes kernels, from the first on. */
static void hit(twinrt_fault_kind kind, uint64_t times, uint32_t status)
{
    twinrt_fault fault = twin_fault_for(kind);
    fault.task = TWINRT_FAULT_TASK_KERNEL;
    fault.times = times;
    fault.status = status;
    (void)twin_inject_fault(&fault);
}

void test_continue_after_kernels(void)
{
    scene s;
    begin(&s);
    hit(TWINRT_FAULT_ENGINE_ERROR, 1, 0x27);
    hit(TWINRT_FAULT_ENGINE_ERROR, 2, 0);
    mark(&s, 0, s.first);
    launch(s.cube, 1, s.first); /* trapped */
    mark(&s, 1, s.first);
    launch(s.cube, 1, s.first); /* an exception */
    mark(&s, 2, s.first);
    launch(s.cube, 1, s.first); /* well */
    mark(&s, 3, s.first);
    CHECK_EITHER(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS),
                 ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK_EQUAL(exceptions, 2);
    for (unsigned i = 0; i < 4; i++)
        CHECK(marked(&s, i));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    end(&s);
}

void test_stop_at_a_kernel(void)
{
    scene s;
    aclrtContext own = NULL;
    aclrtContext other = NULL;
    begin(&s);
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    aclrtStream spared = twin_stream();
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    hit(TWINRT_FAULT_ENGINE_ERROR, 1, 0);
    aclrtEvent event = twin_event(EVENT_EX);
    launch(s.vector, 1, s.first);
    mark(&s, 0, s.first);
    CHECK_OK(aclrtRecordEvent(event, s.first));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS),
               ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    /* The first failure's code, on every stream of the context and for every call. */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS),
               ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SOON_MS),
               ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    static unsigned char values[ARGS_BYTES];
    CHECK_CODE(
        aclrtLaunchKernelWithHostArgs(s.vector, 1, s.second, NULL, values, ARGS_BYTES, NULL, 0),
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_CODE(aclrtMemsetAsync(s.cells.device, CELL, 1, CELL, s.second),
               ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQUAL(exceptions, 1);
    CHECK(!marked(&s, 0));
    CHECK_OK(aclrtSetCurrentContext(other));
    launch(s.vector, 1, spared);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(spared, SOON_MS));
    CHECK_OK(aclrtDestroyStream(spared));
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    launch(s.vector, 1, s.first);
    mark(&s, 1, s.first);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK(marked(&s, 1));
    CHECK_OK(aclrtDestroyEvent(event));
    end(&s);
}

/* Kernels that hang on all cores, one per stream, and work that is queued after them. */
static void occupy(const scene *s)
{
    int64_t cores = 0;
    CHECK_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores));
    hit(TWINRT_FAULT_ENGINE_HANG, 1, 0);
    static unsigned char values[ARGS_BYTES];
    aclrtLaunchKernelAttr never = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 0};
    aclrtLaunchKernelCfg cfg = {.attrs = &never, .numAttrs = 1};
    CHECK_OK(aclrtLaunchKernelWithHostArgs(s->cube, (uint32_t)cores + 3, s->first, &cfg, values,
                                           ARGS_BYTES, NULL, 0));
    mark(s, 0, s->first);
    launch(s->cube, 2, s->second); /* there is no core left for it */
    mark(s, 1, s->second);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s->second, SOON_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

/* All cores are there again. */
static void expect_well(scene *s)
{
    int64_t cores = 0;
    CHECK_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores));
    launch(s->cube, (uint32_t)cores * 2, s->first);
    mark(s, 2, s->first);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s->first, SOON_MS));
    CHECK(marked(s, 2));
}

static void until_others_wait(aclrtStream parked)
{
    /* Time only passes at once when every thread waits. */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(parked, 5 * SOON_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

typedef struct waiting {
    aclrtContext context;
    aclrtStream stream;
    aclError code;
} waiting;

static void wait_for(void *argument, unsigned index)
{
    waiting *w = (waiting *)argument + index;
    CHECK_OK(aclrtSetCurrentContext(w->context));
    w->code = aclrtSynchronizeStream(w->stream);
}

void test_stream_abort_of_a_kernel(void)
{
    scene s;
    waiting w[1] = {{.code = ACL_SUCCESS}};
    begin(&s);
    occupy(&s);
    CHECK_OK(aclrtGetCurrentContext(&w[0].context));
    w[0].stream = s.first;
    twin_threads *threads = twin_threads_start(1, wait_for, w);
    until_others_wait(s.second);
    CHECK_OK(aclrtStreamAbort(s.first));
    twin_threads_join(threads);
    CHECK_CODE(w[0].code, ACL_ERROR_RT_STREAM_ABORT);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
    CHECK(marked(&s, 1));
    CHECK(!marked(&s, 0));
    CHECK_EQUAL(exceptions, 0); /* it was ended, and has not failed */
    expect_well(&s);
    end(&s);
}

void test_device_abort_of_kernels(void)
{
    scene s;
    waiting w[2] = {{.code = ACL_SUCCESS}, {.code = ACL_SUCCESS}};
    begin(&s);
    occupy(&s);
    CHECK_OK(aclrtGetCurrentContext(&w[0].context));
    w[1].context = w[0].context;
    w[0].stream = s.first;
    w[1].stream = s.second;
    twin_threads *threads = twin_threads_start(2, wait_for, w);
    until_others_wait(s.second);
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    twin_threads_join(threads);
    for (unsigned i = 0; i < 2; i++)
        CHECK_CODE(w[i].code, ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK(!marked(&s, 0));
    CHECK(!marked(&s, 1));
    CHECK_EQUAL(exceptions, 0);
    expect_well(&s);
    end(&s);
}

void test_stop_of_the_running_kernel(void)
{
    scene s;
    begin(&s);
    occupy(&s);
    CHECK_OK(aclrtStreamStop(s.first)); /* ends the one task; the work after it runs */
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
    CHECK(marked(&s, 0));
    CHECK(marked(&s, 1));
    CHECK_EQUAL(exceptions, 0);
    expect_well(&s);
    end(&s);
}
