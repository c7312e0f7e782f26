/* SPDX-License-Identifier: Apache-2.0 */
/* Time limits of kernels that never end: the limit that counts, its end. A wait of the host says
 * when. */
#include <string.h>

#include "exception_tests.h"

enum { ARGS_BYTES = 16, SECOND_US = 1000000 };

typedef struct scene {
    aclrtBinHandle binary;
    aclrtFuncHandle cube, vector;
    aclrtStream stream;
    uint64_t unit_us;
} scene;

static void begin(scene *s)
{
    CHECK_OK(aclrtSetDevice(0));
    s->binary = image_load();
    s->cube = image_find(s->binary, "cube_12");
    s->vector = image_find(s->binary, "vec");
    s->stream = twin_stream();
    CHECK_OK(aclrtGetOpTimeOutInterval(&s->unit_us));
    twinrt_fault fault = twin_fault_for(TWINRT_FAULT_ENGINE_HANG); /* as every kernel here does */
    fault.task = TWINRT_FAULT_TASK_KERNEL;
    fault.times = 0;
    (void)twin_inject_fault(&fault);
}

static void end(const scene *s)
{
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtSetOpExecuteTimeOut(0));
    CHECK_OK(aclrtDestroyStream(s->stream));
    CHECK_OK(aclrtBinaryUnLoad(s->binary));
    CHECK_OK(aclrtResetDevice(0));
}

static void launch(const scene *s, aclrtFuncHandle function, const aclrtLaunchKernelAttr *attr)
{
    static unsigned char values[ARGS_BYTES];
    aclrtLaunchKernelAttr given;
    aclrtLaunchKernelCfg cfg = {.attrs = &given, .numAttrs = 1};
    if (attr)
        given = *attr;
    CHECK_OK(aclrtLaunchKernelWithHostArgs(function, 1, s->stream, attr ? &cfg : NULL, values,
                                           ARGS_BYTES, NULL, 0));
}

/* The whole seconds that come to so many units of time limits, which are rounded up. */
static uint32_t seconds(const scene *s, uint32_t units)
{
    return (uint32_t)(units * s->unit_us / SECOND_US);
}

/* The kernel runs on for so many units, and no longer. */
static void expect_end(const scene *s, uint32_t units, aclError code)
{
    const int32_t limit_ms = (int32_t)(units * s->unit_us / 1000);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s->stream, limit_ms - 1),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s->stream, 3), code);
}

void test_limit_of_operators(void)
{
    scene s;
    uint64_t actual_us = 0;
    begin(&s);
    CHECK_OK(aclrtSetOpExecuteTimeOut(seconds(&s, 2)));
    launch(&s, s.cube, NULL);
    expect_end(&s, 2, ACL_ERROR_RT_AICORE_TIMEOUT);
    launch(&s, s.vector, NULL);
    expect_end(&s, 2, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    CHECK_OK(aclrtSetOpExecuteTimeOutWithMs((uint32_t)(s.unit_us * 3 / 1000)));
    launch(&s, s.cube, NULL);
    expect_end(&s, 3, ACL_ERROR_RT_AICORE_TIMEOUT);
    CHECK_OK(aclrtSetOpExecuteTimeOutV2(s.unit_us + 1, &actual_us));
    CHECK_EQUAL(actual_us, 2 * s.unit_us);
    launch(&s, s.cube, NULL);
    expect_end(&s, 2, ACL_ERROR_RT_AICORE_TIMEOUT);
    end(&s);
}

void test_limit_of_launches(void)
{
    scene s;
    begin(&s);
    const aclrtLaunchKernelAttr whole = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT,
                                         .value.timeout = (uint16_t)seconds(&s, 3)};
    const aclrtLaunchKernelAttr micros = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
                                          .value.timeoutUs = {(uint32_t)s.unit_us, 0}};
    CHECK_OK(aclrtSetOpExecuteTimeOut(seconds(&s, 1))); /* shorter than the launch's own */
    launch(&s, s.cube, &whole);
    expect_end(&s, 3, ACL_ERROR_RT_AICORE_TIMEOUT);
    CHECK_OK(aclrtSetOpExecuteTimeOut(seconds(&s, 5))); /* longer */
    launch(&s, s.vector, &micros);
    expect_end(&s, 1, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    launch(&s, s.vector, NULL);
    expect_end(&s, 5, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
    end(&s);
}

void test_limit_that_is_none(void)
{
    const aclrtLaunchKernelAttr never = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT,
                                         .value.timeout = 0};
    scene s;
    begin(&s);
    CHECK_OK(aclrtSetOpExecuteTimeOut(1));
    launch(&s, s.cube, &never);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.stream, HOUR_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamStop(s.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.stream, SOON_MS));
    end(&s);
}
