/* SPDX-License-Identifier: Apache-2.0 */
/* Images, functions, lists of arguments, launches. */
#include "contract_tests.h"
#include "image_tests.h"

#include <stdlib.h>

enum { ARGS_BYTES = 16 };

typedef struct setup {
    aclrtBinHandle binary;
    aclrtFuncHandle vec;
    aclrtStream stream;
    void *args;
} setup;

static void begin(setup *s)
{
    CHECK_OK(aclrtSetDevice(0));
    s->binary = image_load();
    s->vec = image_find(s->binary, "vec");
    s->stream = twin_stream();
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

static aclrtArgsHandle finalized_list(aclrtFuncHandle function)
{
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param = NULL;
    uint64_t value = 1;
    CHECK_OK(aclrtKernelArgsInit(function, &list));
    CHECK_OK(aclrtKernelArgsAppend(list, &value, sizeof(value), &param));
    CHECK_OK(aclrtKernelArgsFinalize(list));
    return list;
}

void test_zero_blocks(void)
{
    setup s;
    char host[ARGS_BYTES] = {0};
    uint64_t first = 0;
    uint32_t second = 0;
    void *values[] = {&first, &second};
    begin(&s);
    CHECK_CODE(aclrtLaunchKernel(s.vec, 0, s.args, ARGS_BYTES, s.stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelV2(s.vec, 0, s.args, ARGS_BYTES, NULL, s.stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(s.vec, 0, s.stream, NULL, host, ARGS_BYTES, NULL, 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelWithConfig(s.vec, 0, s.stream, NULL, finalized_list(s.vec), NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchKernelWithArgsArray(s.vec, 0, s.stream, NULL, values),
               ACL_ERROR_INVALID_PARAM);
    end(&s);
}

void test_append_after_buffer(void)
{
    setup s;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle place = NULL, param = NULL;
    void *buffer = NULL;
    uint64_t value = 1;
    begin(&s);
    CHECK_OK(aclrtKernelArgsInit(s.vec, &list));
    CHECK_OK(aclrtKernelArgsAppendPlaceHolder(list, &place));
    CHECK_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, place, 8, &buffer));
    CHECK_CODE(aclrtKernelArgsAppend(list, &value, sizeof(value), &param),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(list, &param), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    end(&s);
}

static void find_without_context(void *argument)
{
    int mark = 0;
    aclrtFuncHandle function = &mark;
    CHECK_CODE(aclrtBinaryGetFunction(argument, "vec", &function), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(function == NULL);
}

void test_look_up_without_context(void)
{
    setup s;
    begin(&s);
    twin_on_thread(find_without_context, s.binary);
    end(&s);
}

void test_load_without_context(void)
{
    aclrtContext context = NULL;
    CHECK_CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    aclrtBinHandle binary = image_load();
    CHECK(binary != NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK(image_find(binary, "vec") != NULL);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

void test_ratio_in_low_bytes(void)
{
    union {
        int64_t value;
        uint16_t parts[4];
    } ratio;
    setup s;
    begin(&s);
    /* A mix with the cube as main half, 1:2. */
    ratio.value = -1;
    CHECK_OK(aclrtGetFunctionAttribute(image_find(s.binary, "mix"), ACL_FUNC_ATTR_KERNEL_RATIO,
                                       &ratio.value));
    CHECK_EQUAL(ratio.parts[0], 2);
    CHECK_EQUAL(ratio.parts[1], 1);
    CHECK_EQUAL(ratio.parts[2], UINT16_MAX);
    CHECK_EQUAL(ratio.parts[3], UINT16_MAX);
    /* A plain vector kernel. */
    ratio.value = -1;
    CHECK_OK(aclrtGetFunctionAttribute(s.vec, ACL_FUNC_ATTR_KERNEL_RATIO, &ratio.value));
    CHECK_EQUAL(ratio.parts[0], 0);
    CHECK_EQUAL(ratio.parts[1], 0);
    end(&s);
}

void test_handle_before_arguments(void)
{
    setup s;
    begin(&s);
    /* A live object of another kind where a function, a list or a stream is asked for; and arguments that are wrong. */
    void *bad = s.stream;
    void *gone = s.binary;
    size_t bytes = 0;
    CHECK_CODE(aclrtGetFunctionSize(bad, NULL, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtFunctionGetBinary(bad, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtBinaryGetDevAddress(bad, NULL, &bytes), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetFunctionName(s.vec, 8, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchKernelV2(bad, 1, NULL, 0, NULL, s.stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtLaunchKernelWithHostArgs(bad, 1, s.stream, NULL, NULL, 0, NULL, 0),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetOverflowStatus(NULL, 0, gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtGetFloatOverflowStatus(NULL, 0, gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtLaunchHostFunc(gone, NULL, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, gone),
               ACL_ERROR_RT_INVALID_HANDLE);
    end(&s);
}
