/* SPDX-License-Identifier: Apache-2.0 */
/* Images, functions, lists of arguments, launches. */
#include "contract_tests.h"
#include "image_tests.h"

#include <elf.h>
#include <stdlib.h>

#include "support/kernel_object.h"

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
    files f;
    size_t bytes = 0;
    unsigned char *image = image_make(&bytes);
    aclrtBinHandle from_file = NULL;
    files_begin(&f);
    files_write(&f, "vec.o", image, bytes);
    free(image);
    CHECK_OK(image_load_file(&f, "vec.o", &from_file));
    files_remove(&f, "vec.o");
    files_end(&f);
    CHECK_OK(aclrtSetDevice(0));
    CHECK(image_find(binary, "vec") != NULL);
    CHECK(image_find(from_file, "vec") != NULL);
    CHECK_OK(aclrtBinaryUnLoad(from_file));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
}

/* Records of the metadata and their values, as docs/kernel-images.md lists them. */
enum { KERNEL_TYPE = 1, CROSS_CORE = 2, VECTOR = 3, MIX_CUBE_MAIN = 4, MIX_VECTOR_MAIN = 5 };

static void add_half(kernel_object *object, const char *name, uint64_t place, uint32_t type,
                     const uint16_t ratio[2])
{
    static object_meta meta;
    meta_begin(&meta, false);
    meta_word(&meta, KERNEL_TYPE, type);
    if (ratio)
        meta_ratio(&meta, ratio[0], ratio[1]);
    else
        meta_word(&meta, CROSS_CORE, 1);
    object_add_meta(object, name, &meta);
    object_add_kernel(object, name, place, 16);
}

static aclrtBinHandle load_ratios(void)
{
    static kernel_object object;
    static const unsigned char code[IMAGE_BYTES];
    static const uint16_t one_two[2] = {1, 2};
    aclrtBinHandle binary = NULL;
    size_t bytes = 0;
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code,
                       sizeof(code));
    add_half(&object, "cube_main_mix_aic", 0, MIX_CUBE_MAIN, one_two);
    add_half(&object, "cube_main_mix_aiv", 16, MIX_CUBE_MAIN, one_two);
    add_half(&object, "vector_main_mix_aic", 32, MIX_VECTOR_MAIN, one_two);
    add_half(&object, "vector_main_mix_aiv", 48, MIX_VECTOR_MAIN, one_two);
    add_half(&object, "cross_core", 64, VECTOR, NULL);
    unsigned char *file = object_write(&object, &bytes);
    object_end(&object);
    CHECK_OK(aclrtBinaryLoadFromData(file, bytes, NULL, &binary));
    free(file);
    return binary;
}

static void check_ratio(aclrtFuncHandle function, uint16_t vector, uint16_t cube)
{
    union {
        int64_t value;
        uint16_t parts[4];
    } ratio = {.value = -1};
    CHECK_OK(aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_RATIO, &ratio.value));
    CHECK_EQUAL(ratio.parts[0], vector);
    CHECK_EQUAL(ratio.parts[1], cube);
    CHECK_EQUAL(ratio.parts[2], UINT16_MAX);
    CHECK_EQUAL(ratio.parts[3], UINT16_MAX);
}

void test_ratio_in_low_bytes(void)
{
    setup s;
    begin(&s);
    aclrtBinHandle ratios = load_ratios();
    check_ratio(image_find(ratios, "cube_main"), 2, 1);
    check_ratio(image_find(ratios, "vector_main"), 1, 2);
    check_ratio(image_find(ratios, "cross_core"), 1, 0);
    check_ratio(s.vec, 0, 0);
    CHECK_OK(aclrtBinaryUnLoad(ratios));
    end(&s);
}

void test_handle_before_arguments(void)
{
    setup s;
    begin(&s);
    /* A live object of another kind where a function, a list or a stream is asked for; and
     * arguments that are wrong. */
    void *bad = s.stream;
    void *gone = s.binary;
    size_t bytes = 0;
    CHECK_CODE(aclrtGetFunctionSize(bad, NULL, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtFunctionGetBinary(bad, NULL), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtBinaryGetDevAddress(bad, NULL, &bytes), ACL_ERROR_RT_INVALID_HANDLE);
    char name[8];
    CHECK_CODE(aclrtGetFunctionName(s.vec, 8, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetFunctionName(NULL, 8, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetFunctionName(NULL, 8, name), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtGetFunctionName(bad, 8, name), ACL_ERROR_RT_INVALID_HANDLE);
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

void test_argument_list_handles(void)
{
    setup s;
    aclrtArgsHandle list = NULL;
    aclrtParamHandle param = NULL;
    uint64_t value[4] = {0};
    void *bad = value, *buffer = NULL;
    begin(&s);
    CHECK_CODE(aclrtKernelArgsAppend(bad, value, 8, &param), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(bad, &param), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(bad, bad, 8, &buffer),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsParaUpdate(bad, bad, value, 8), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsFinalize(bad), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtLaunchKernelWithConfig(s.vec, 1, s.stream, NULL, bad, NULL),
               ACL_ERROR_RT_INVALID_HANDLE);
    /* A list that is one, with a bad handle of a parameter; in a list that is finalized too. */
    CHECK_OK(aclrtKernelArgsInit(s.vec, &list));
    CHECK_OK(aclrtKernelArgsAppend(list, value, 8, &param));
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, bad, value, 8), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtKernelArgsParaUpdate(list, param, value, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtKernelArgsFinalize(list));
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(list, bad, 8, &buffer),
               ACL_ERROR_RT_INVALID_HANDLE);
    end(&s);
}

void test_switch_checks_stream_first(void)
{
    uint64_t index = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent not_a_list = twin_event(EVENT_PLAIN);
    /* A stream of no model instance, and no list. */
    CHECK_CODE(aclrtSwitchLabelByIndex(&index, 1, not_a_list, stream), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_CODE(aclrtSwitchLabelByIndex(&index, 1, not_a_list, not_a_list),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyEvent(not_a_list));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_execute_checks_instance_first(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclmdlRIExecute(stream, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRIExecute(stream, -2), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}
