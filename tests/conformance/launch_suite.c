/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels of device code, which take their time and do nothing: arguments, attributes,
 * order, time. */
#include "image_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setup {
    aclrtBinHandle binary;
    aclrtFuncHandle vec, cube, mix;
    aclrtStream stream;
    void *args; /* device */
    aclrtLaunchKernelCfg *config;
} setup;

enum { ARGS_BYTES = 16 };

static void begin(setup *s)
{
    CHECK_OK(aclrtSetDevice(0));
    s->binary = image_load();
    s->vec = image_find(s->binary, "vec");
    s->cube = image_find(s->binary, "cube_12");
    s->mix = image_find(s->binary, "mix");
    s->stream = twin_stream();
    s->config = NULL;
    CHECK_OK(aclrtMalloc(&s->args, ARGS_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void end(setup *s)
{
    CHECK_OK(aclrtSynchronizeStream(s->stream));
    CHECK_OK(aclrtFree(s->args));
    CHECK_OK(aclrtDestroyStream(s->stream));
    CHECK_OK(aclrtBinaryUnLoad(s->binary));
    CHECK_OK(aclrtResetDevice(0));
}

static aclError launch(const setup *s, aclrtFuncHandle function, uint32_t blocks)
{
    return aclrtLaunchKernelV2(function, blocks, s->args, ARGS_BYTES, s->config, s->stream);
}

/* ---- codes ----------------------------------------------------------------------------------- */

static void test_list_arguments(void)
{
    setup s;
    begin(&s);
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param = NULL;
    void *buffer = NULL;
    size_t bytes = 0;
    char value[8] = {0};
    CHECK_CODE(aclrtKernelArgsInit(NULL, &list), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsInit(s.vec, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsInit(s.binary, &list), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsGetHandleMemSize(NULL, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsGetHandleMemSize(s.vec, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsGetMemSize(NULL, 8, &bytes), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsGetMemSize(s.vec, 8, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsInitByUserMem(s.vec, NULL, value, 8), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsInitByUserMem(s.vec, value, NULL, 8), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsInitByUserMem(s.vec, value, value, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtKernelArgsInit(s.vec, &list));
    CHECK_CODE(aclrtKernelArgsAppend(NULL, value, 8, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsAppend(list, NULL, 8, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsAppend(list, value, 0, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsAppend(list, value, 8, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsAppend(value, value, 8, &param), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(NULL, &param), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(list, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(list, &param));
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 0, &buffer),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(list, NULL, 8, &buffer),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 8, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, NULL, value, 8), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, param, NULL, 8), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, param, value, 8), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtKernelArgsFinalize(NULL), ACL_ERROR_INVALID_PARAM);
    end(&s);
}

static void test_lists(void)
{
    setup s;
    begin(&s);
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param = NULL;
    void *buffer = NULL;
    uint64_t value = 1;
    CHECK_OK(aclrtKernelArgsInit(s.vec, &list));
    CHECK_OK(aclrtKernelArgsAppend(list, &value, 8, &param));
    CHECK_CODE(aclrtLaunchKernelWithConfig(s.vec, 1, s.stream, NULL, list, NULL),
               ACL_ERROR_RT_PARAM_INVALID); /* not finalized */
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 8, &buffer),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(list, &param));
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 100, &buffer));
    memset(buffer, 5, 100);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    CHECK_CODE(aclrtKernelArgsAppend(list, &value, 8, &param), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 8, &buffer),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtLaunchKernelWithConfig(NULL, 1, s.stream, NULL, list, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelWithConfig(s.vec, 1, s.stream, NULL, NULL, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelWithConfig(s.vec, 1, s.stream, NULL, list, &value),
               ACL_ERROR_INVALID_PARAM);
    for (int i = 0; i < 10; i++) /* one list, many launches, two streams */
        CHECK_OK(aclrtLaunchKernelWithConfig(s.vec, 1, i % 2 ? s.stream : NULL, NULL, list, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    end(&s);
}

static void test_own_lists(void)
{
    setup s;
    begin(&s);
    size_t handle_bytes = 0;
    size_t bytes = 0;
    CHECK_OK(aclrtKernelArgsGetHandleMemSize(s.vec, &handle_bytes));
    CHECK_OK(aclrtKernelArgsGetMemSize(s.vec, 16, &bytes));
    CHECK(bytes >= 16);
    aclrtArgsHandle lists[2];
    void *values[2];
    uint64_t value = 3;
    for (int i = 0; i < 2; i++) {
        aclrtParamHandle param = NULL;
        lists[i] = malloc(handle_bytes);
        values[i] = malloc(bytes);
        CHECK_OK(aclrtKernelArgsInitByUserMem(s.vec, lists[i], values[i], bytes));
        CHECK_OK(aclrtKernelArgsAppend(lists[i], &value, 8, &param));
        CHECK_OK(aclrtKernelArgsAppend(lists[i], &value, 8, &param));
        CHECK_OK(aclrtKernelArgsFinalize(lists[i]));
    }
    for (int i = 0; i < 6; i++)
        CHECK_OK(aclrtLaunchKernelWithConfig(s.vec, 2, s.stream, NULL, lists[i % 2], NULL));
    for (int i = 0; i < 2; i++) {
        free(lists[i]);
        free(values[i]);
    }
    end(&s);
}

static void on_no_context(void *argument)
{
    const setup *s = argument;
    CHECK_CODE(aclrtLaunchKernel(s->vec, 1, s->args, ARGS_BYTES, NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_launch_codes(void)
{
    setup s;
    begin(&s);
    char host[16] = {0};
    void *values[] = {host, host};
    aclrtPlaceHolderInfo place = {.addrOffset = 16, .dataOffset = 0};
    CHECK_CODE(aclrtLaunchKernel(NULL, 1, s.args, 16, s.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernel(s.vec, 1, NULL, 16, s.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernel(s.vec, 1, s.args, 0, s.stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelV2(NULL, 1, s.args, 16, NULL, s.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelV2(s.vec, 1, NULL, 16, NULL, s.stream), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(launch(&s, s.vec, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(launch(&s, s.binary, 1), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(NULL, 1, s.stream, NULL, host, 16, NULL, 0),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.vec, 1, s.stream, NULL, NULL, 16, NULL, 0),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.vec, 1, s.stream, NULL, host, 16, NULL, 1),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.vec, 1, s.stream, NULL, host, 16, &place, 1),
               ACL_ERROR_RT_PARAM_INVALID);
    place = (aclrtPlaceHolderInfo){.addrOffset = 0, .dataOffset = 16};
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.vec, 1, s.stream, NULL, host, 16, &place, 1),
               ACL_ERROR_RT_PARAM_INVALID);
    place.dataOffset = 8;
    CHECK_OK(aclrtLaunchKernelWithHostArgs(s.vec, 1, s.stream, NULL, host, 16, &place, 1));
    CHECK_CODE(aclrtLaunchKernelWithArgsArray(NULL, 1, s.stream, NULL, values),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelWithArgsArray(s.cube, 1, s.stream, NULL, values),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelWithArgsArray(s.vec, 1, s.stream, NULL, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtLaunchKernelWithArgsArray(s.vec, 1, s.stream, NULL, values));
    CHECK_CODE(aclrtLaunchSIMTKernelWithArgsArray(s.vec, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0,
                                                  s.stream, NULL, values),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    values[1] = NULL;
    CHECK_CODE(aclrtLaunchKernelWithArgsArray(s.vec, 1, s.stream, NULL, values),
               ACL_ERROR_RT_PARAM_INVALID);
    twin_on_thread(on_no_context, &s);
    aclrtContext other = NULL;
    aclrtContext own = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(launch(&s, s.vec, 1), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    aclrtBinHandle second = image_load();
    aclrtFuncHandle gone = image_find(second, "vec");
    CHECK_OK(aclrtBinaryUnLoad(second));
    CHECK_CODE(launch(&s, gone, 1), ACL_ERROR_RT_INVALID_HANDLE);
    end(&s);
}

static void test_launch_attributes(void)
{
    static const struct {
        uint32_t id;
        aclrtLaunchKernelAttrValue value;
        aclError code;
    } cases[] = {
        {ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, {.schemMode = 0}, ACL_SUCCESS},
        {ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, {.schemMode = 1}, ACL_SUCCESS},
        {ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, {.schemMode = 2}, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, {.isBlockTaskPrefetch = 1}, ACL_SUCCESS},
        {ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH,
         {.isBlockTaskPrefetch = 2},
         ACL_ERROR_RT_PARAM_INVALID},
        {ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, {.isDataDump = 2}, ACL_ERROR_RT_PARAM_INVALID},
        {ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING,
         {.enableProfiling = 2},
         ACL_ERROR_RT_PARAM_INVALID},
        {ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, {.timeout = 3}, ACL_SUCCESS},
        {ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, {.timeout = 0}, ACL_SUCCESS},
        {ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, {.timeoutUs = {1000, 0}}, ACL_SUCCESS},
        {77, {.schemMode = 9}, ACL_SUCCESS}, /* not known */
    };
    setup s;
    begin(&s);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        aclrtLaunchKernelAttr attr = {.id = (aclrtLaunchKernelAttrId)cases[i].id,
                                      .value = cases[i].value};
        aclrtLaunchKernelCfg cfg = {.attrs = &attr, .numAttrs = 1};
        if (!CHECK_CODE(aclrtLaunchKernelV2(s.vec, 1, s.args, ARGS_BYTES, &cfg, s.stream),
                        cases[i].code))
            fprintf(stderr, "  case %u\n", i);
    }
    aclrtLaunchKernelAttr both[2] = {{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT},
                                     {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US}};
    aclrtLaunchKernelCfg cfg = {.attrs = both, .numAttrs = 2};
    CHECK_CODE(aclrtLaunchKernelV2(s.vec, 1, s.args, ARGS_BYTES, &cfg, s.stream),
               ACL_ERROR_RT_PARAM_INVALID);
    cfg = (aclrtLaunchKernelCfg){.attrs = NULL, .numAttrs = 0};
    CHECK_CODE(aclrtLaunchKernelV2(s.vec, 1, s.args, ARGS_BYTES, &cfg, s.stream),
               ACL_ERROR_RT_PARAM_INVALID);
    end(&s);
}

/* ---- effects --------------------------------------------------------------------------------- */

/* Device time between two records around what is queued, in ns. */
static double span(const setup *s, aclrtFuncHandle function, uint32_t blocks, unsigned launches)
{
    aclrtEvent before = NULL;
    aclrtEvent after = NULL;
    float ms = 0;
    twin_hold hold;
    CHECK_OK(aclrtCreateEventWithFlag(&before, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateEventWithFlag(&after, ACL_EVENT_TIME_LINE));
    twin_hold_begin(&hold, s->stream); /* all of it is there when it begins */
    CHECK_OK(aclrtRecordEvent(before, s->stream));
    for (unsigned i = 0; i < launches; i++)
        CHECK_OK(launch(s, function, blocks));
    CHECK_OK(aclrtRecordEvent(after, s->stream));
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(s->stream));
    CHECK_OK(aclrtEventElapsedTime(&ms, before, after));
    CHECK_OK(aclrtDestroyEvent(before));
    CHECK_OK(aclrtDestroyEvent(after));
    return (double)ms * 1e6;
}

/* An empty kernel takes 1.7 us: dispatch 150 ns, core 50 ns, software 1000 ns, report 500 ns. */
static void test_time(void)
{
    setup s;
    begin(&s);
    const double none = span(&s, s.vec, 1, 0);
    const double one = span(&s, s.vec, 1, 1);
    const double four = span(&s, s.vec, 1, 4);
    CHECK(one - none >= 1700);
    CHECK(one - none < 3000);
    CHECK(four - none >= 4 * 1700); /* one after the other */
    end(&s);
}

/* The device executes as many empty tasks before it as it reads ahead. */
static void test_not_read_ahead(void)
{
    setup s;
    aclrtLaunchKernelAttr attr = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH};
    aclrtLaunchKernelCfg config = {.attrs = &attr, .numAttrs = 1};
    begin(&s);
    s.config = &config;
    const double plain = span(&s, s.vec, 1, 1);
    attr.value.isBlockTaskPrefetch = 1;
    const double alone = span(&s, s.vec, 1, 1);
    const double two = span(&s, s.vec, 1, 2);
    const double empty = alone - plain;
    CHECK(empty > 0);
    CHECK(two - alone < plain + empty / 2); /* the second needs no more of them */
    end(&s);
}

static void test_waves(void)
{
    setup s;
    int64_t cores = 0;
    begin(&s);
    CHECK_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores));
    CHECK(cores > 0);
    const double one = span(&s, s.cube, (uint32_t)cores, 1);
    const double two = span(&s, s.cube, (uint32_t)cores * 2, 1);
    const double four = span(&s, s.cube, (uint32_t)cores * 4, 1);
    CHECK(two - one >= 1000); /* a second wave of blocks, with the work of each to begin */
    CHECK(four - two >= 2 * 1000);
    end(&s);
}

static void test_too_many_for_a_batch(void)
{
    setup s;
    int64_t cores = 0;
    begin(&s);
    CHECK_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
    CHECK_OK(launch(&s, s.vec, (uint32_t)cores)); /* its metadata asks for a batch */
    CHECK_CODE(launch(&s, s.vec, (uint32_t)cores + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(launch(&s, s.mix, 3));
    end(&s);
}

static void test_arguments_that_are_gone(void)
{
    setup s;
    twin_hold hold;
    void *args = NULL;
    begin(&s);
    CHECK_OK(launch(&s, s.cube, 1)); /* asynchronous: queued alone */
    CHECK_OK(aclrtSynchronizeStream(s.stream));
    CHECK_OK(aclrtMalloc(&args, ARGS_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtFree(args));
    twin_hold_begin(&hold, s.stream);
    CHECK_OK(aclrtLaunchKernel(s.cube, 1, args, ARGS_BYTES, s.stream));
    twin_hold_release(&hold, NULL);
    CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(launch(&s, s.cube, 1)); /* the stream goes on */
    end(&s);
}

/* Launches that a reset ends return their memory to the old device, not to the new one. */
static void test_reset_with_launches(void)
{
    enum { BUFFERS = 64, HOST_BYTES = 6000 };
    static const size_t sizes[] = {ARGS_BYTES, HOST_BYTES};
    static unsigned char values[HOST_BYTES];
    for (unsigned i = 0; i < TWIN_COUNT(sizes); i++) {
        setup s;
        aclrtNotify never = NULL;
        void *mine[BUFFERS] = {NULL};
        begin(&s);
        CHECK_OK(aclrtCreateNotify(&never, 0));
        CHECK_OK(aclrtWaitAndResetNotify(never, s.stream, 0));
        for (unsigned k = 0; k < 8; k++)
            CHECK_OK(aclrtLaunchKernelWithHostArgs(s.cube, 1, s.stream, NULL, values, sizes[i],
                                                   NULL, 0));
        /* what waits for ever is dropped */
        CHECK_CODE(aclrtResetDeviceForce(0), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_OK(aclrtSetDevice(0));
        s.stream = twin_stream();
        CHECK_OK(aclrtMalloc(&s.args, ARGS_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        for (unsigned k = 0; k < BUFFERS; k++) {
            CHECK_OK(aclrtMalloc(&mine[k], sizes[i], ACL_MEM_MALLOC_HUGE_FIRST));
            CHECK_OK(aclrtMemset(mine[k], sizes[i], 0x5a, sizes[i]));
        }
        for (unsigned k = 0; k < 3 * BUFFERS; k++)
            CHECK_OK(aclrtLaunchKernelWithHostArgs(s.cube, 1, s.stream, NULL, values, sizes[i],
                                                   NULL, 0));
        CHECK_OK(aclrtSynchronizeStream(s.stream));
        for (unsigned k = 0; k < BUFFERS; k++) {
            unsigned char found = 0;
            CHECK_OK(aclrtMemcpy(&found, 1, mine[k], 1, ACL_MEMCPY_DEVICE_TO_HOST));
            CHECK(found == 0x5a);
            CHECK_OK(aclrtFree(mine[k]));
        }
        end(&s);
    }
}

/* No size makes a call reach for memory that is not there. */
static void test_sizes_without_end(void)
{
    setup s;
    unsigned char value = 0;
    size_t room = 0;
    begin(&s);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.cube, 1, s.stream, NULL, &value, SIZE_MAX, NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.cube, 1, s.stream, NULL, &value,
                                             (size_t)UINT32_MAX + 1, NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtKernelArgsGetMemSize(s.cube, SIZE_MAX - 8, &room), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(launch(&s, s.cube, 1));
    end(&s);
}

static void test_order(void)
{
    setup s;
    begin(&s);
    aclrtStream other = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    for (int i = 0; i < 50; i++) {
        CHECK_OK(launch(&s, s.mix, 1));
        CHECK_OK(aclrtRecordEvent(event, s.stream));
        CHECK_OK(aclrtStreamWaitEvent(other, event));
        CHECK_OK(aclrtLaunchKernel(s.vec, 4, s.args, ARGS_BYTES, other));
    }
    CHECK_OK(aclrtSynchronizeStream(other));
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(other));
    end(&s);
}

static void child_refused(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    aclrtBinHandle binary = image_load();
    char host[16] = {0};
    CHECK_CODE(
        aclrtLaunchKernelWithHostArgs(image_find(binary, "vec"), 1, NULL, NULL, host, 16, NULL, 0),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

static void test_refused(void)
{
    static const char *const settings[] = {"TWINRT_OPAQUE_KERNELS=refuse", NULL};
    twin_run_child("refused", settings);
}

static void test_cpu_kernels(void)
{
    aclrtBinaryLoadOption option = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE,
                                    .value.cpuKernelMode = 2};
    aclrtBinaryLoadOptions options = image_options(&option);
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    char host[16] = {0};
    void *values[] = {host};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromData("library", 7, &options, &binary));
    CHECK_OK(aclrtRegisterCpuFunc(binary, "RunAdd", "Add", &function));
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(function, 1, NULL, NULL, host, 16, NULL, 0),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtLaunchKernelWithArgsArray(function, 1, NULL, NULL, values),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_child children[] = {{"refused", child_refused}};

static const twin_test tests[] = {
    {"KRN-50: lists of arguments refuse NULL and nothing", test_list_arguments},
    {"KRN-54, KRN-55, KRN-58, KRN-61, KRN-79: one list for many launches", test_lists},
    {"KRN-59, KRN-60: lists in memory of the program", test_own_lists},
    {"KRN-71, KRN-72, KRN-73, KRN-74, KRN-76, KRN-77, KRN-80, KRN-82: launches check what they are "
     "given",
     test_launch_codes},
    {"KRN-83, KRN-84, KRN-85, KRN-86: attributes of a launch", test_launch_attributes},
    {"KRN-70, KRN-91: a kernel takes its time, and the next one comes after it", test_time},
    {"a kernel that is not read ahead follows empty tasks", test_not_read_ahead},
    {"more blocks than cores take turns", test_waves},
    {"a batch needs cores for all its blocks", test_too_many_for_a_batch},
    {"KRN-70, KRN-75: arguments that are gone when the kernel runs fail it",
     test_arguments_that_are_gone},
    {"launches that a reset ends touch no later memory", test_reset_with_launches},
    {"no size of arguments is too large to be refused", test_sizes_without_end},
    {"KRN-91: kernels and events keep their order", test_order},
    {"kernels of device code are refused unless time alone is wanted", test_refused},
    {"KRN-80: kernels of the AI CPU are not run", test_cpu_kernels},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "launch",
                                     .tests = tests,
                                     .test_count = sizeof(tests) / sizeof(tests[0]),
                                     .children = children,
                                     .child_count = 1,
                                     .initialise = true};
    setenv("TWINRT_OPAQUE_KERNELS", "timing", 0);
    return twin_suite_main(&suite, argc, argv);
}
