/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that fail: what exception callbacks get of them, and the function and arguments that they
 * can query. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exception_tests.h"

enum { ARGS_BYTES = 32, LARGE_BYTES = 6000, CALLS = 8 };

/* One call of a callback; they all run on the thread that waits. */
typedef struct noted {
    char who;
    uint32_t task, stream, thread, device, code;
    aclError args_code, function_code;
    void *args;
    uint32_t args_bytes;
    aclrtFuncHandle function;
    unsigned char seen[LARGE_BYTES]; /* the arguments, read while the callback runs */
    aclError seen_code;
} noted;

static noted calls[CALLS];
static unsigned call_count;

static noted *note(char who, aclrtExceptionInfo *info)
{
    noted *t = &calls[call_count < CALLS ? call_count++ : CALLS - 1];
    memset(t, 0, sizeof(*t));
    t->who = who;
    t->task = aclrtGetTaskIdFromExceptionInfo(info);
    t->stream = aclrtGetStreamIdFromExceptionInfo(info);
    t->thread = aclrtGetThreadIdFromExceptionInfo(info);
    t->device = aclrtGetDeviceIdFromExceptionInfo(info);
    t->code = aclrtGetErrorCodeFromExceptionInfo(info);
    t->args_code = aclrtGetArgsFromExceptionInfo(info, &t->args, &t->args_bytes);
    t->function = info; /* no function */
    t->function_code = aclrtGetFuncHandleFromExceptionInfo(info, &t->function);
    if (t->args && t->args_bytes <= LARGE_BYTES)
        t->seen_code =
            aclrtMemcpy(t->seen, t->args_bytes, t->args, t->args_bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    return t;
}

static void on_any(aclrtExceptionInfo *info)
{
    (void)note('p', info);
}

static void *given; /* userData of the newest call of on_binary or on_other */

static void on_binary(aclrtExceptionInfo *info, void *user)
{
    given = user;
    (void)note('b', info);
}

static void on_other(aclrtExceptionInfo *info, void *user)
{
    given = user;
    (void)note('o', info);
}

typedef struct scene {
    aclrtBinHandle binary;
    aclrtStream stream;
    int32_t stream_id;
} scene;

static void begin(scene *s)
{
    call_count = 0;
    given = NULL;
    CHECK_OK(aclrtSetDevice(0));
    s->binary = image_load();
    s->stream = twin_stream();
    CHECK_OK(aclrtStreamGetId(s->stream, &s->stream_id));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_any));
}

static void end(scene *s)
{
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_any));
    CHECK_OK(aclrtDestroyStream(s->stream));
    if (s->binary)
        CHECK_OK(aclrtBinaryUnLoad(s->binary));
    CHECK_OK(aclrtResetDevice(0));
}

/* The next kernel of the program is refused by the scheduler. */
static void spoil_next(void)
{
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_BAD_TASK);
    fault.task = TWINRT_FAULT_TASK_KERNEL;
    (void)twin_inject_fault(&fault);
}

static void launch(aclrtFuncHandle function, void *args, size_t bytes, aclrtStream stream)
{
    CHECK_OK(aclrtLaunchKernelWithHostArgs(function, 1, stream, NULL, args, bytes, NULL, 0));
}

/* Arguments that the device was given, small ones and ones with separate memory. */
static void test_function_and_arguments(void)
{
    static const char *const names[] = {"vec", "cube_12", "mix"};
    static const size_t sizes[] = {ARGS_BYTES, LARGE_BYTES};
    static unsigned char values[LARGE_BYTES], good[LARGE_BYTES];
    scene s;
    begin(&s);
    for (unsigned i = 0; i < 2 * TWIN_COUNT(names); i++) {
        const size_t bytes = sizes[i % 2];
        aclrtFuncHandle function = image_find(s.binary, names[i / 2]);
        for (unsigned k = 0; k < LARGE_BYTES; k++)
            values[k] = (unsigned char)(k * 7 + i);
        launch(function, good, bytes, s.stream); /* another launch, which is well */
        CHECK_OK(aclrtSynchronizeStream(s.stream));
        spoil_next();
        uint32_t task = 0;
        call_count = 0;
        aclrtPlaceHolderInfo place = {.addrOffset = 8, .dataOffset = 24};
        CHECK_OK(
            aclrtLaunchKernelWithHostArgs(function, 1, s.stream, NULL, values, bytes, &place, 1));
        CHECK_OK(aclrtGetThreadLastTaskId(&task));
        for (unsigned k = 0; k < 8; k++)
            launch(function, good, bytes, s.stream); /* later ones take no memory from it */
        CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_TS_ERROR);
        CHECK_EQUAL(call_count, 1);
        const noted *t = &calls[0];
        CHECK_EQUAL(t->task, task);
        CHECK_EQUAL(t->stream, s.stream_id);
        CHECK_EQUAL(t->device, 0);
        CHECK_EQUAL(t->thread, gettid());
        CHECK_EQUAL(t->code, ACL_ERROR_RT_TS_ERROR);
        CHECK_OK(t->function_code);
        CHECK(t->function == function);
        CHECK_OK(t->args_code);
        CHECK_EQUAL(t->args_bytes, bytes);
        CHECK_OK(t->seen_code);
        const uint64_t address = (uint64_t)(uintptr_t)t->args + 24;
        memcpy(values + 8, &address, sizeof(address)); /* as the device has it */
        CHECK(memcmp(t->seen, values, bytes) == 0);
        CHECK_OK(twinrt_fault_remove(0));
    }
    end(&s);
}

/* Arguments that the program has on the device are named where they are. */
static void test_arguments_in_place(void)
{
    scene s;
    twin_buffer args;
    begin(&s);
    twin_buffer_make(&args, ARGS_BYTES, 0x3c);
    aclrtFuncHandle function = image_find(s.binary, "vec");
    spoil_next();
    CHECK_OK(aclrtLaunchKernel(function, 1, args.device, ARGS_BYTES, s.stream));
    CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_TS_ERROR);
    CHECK_EQUAL(call_count, 1);
    CHECK(calls[0].args == args.device);
    CHECK_EQUAL(calls[0].args_bytes, ARGS_BYTES);
    CHECK(memcmp(calls[0].seen, args.host, ARGS_BYTES) == 0);
    CHECK_OK(twinrt_fault_remove(0));
    twin_buffer_free(&args);
    end(&s);
}

static void test_binary_callback(void)
{
    static unsigned char values[ARGS_BYTES];
    scene s;
    int first = 0;
    int second = 0;
    begin(&s);
    CHECK_CODE(aclrtBinarySetExceptionCallback(NULL, on_binary, &first), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinarySetExceptionCallback(s.binary, NULL, &first), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtBinarySetExceptionCallback(image_find(s.binary, "vec"), on_binary, &first),
               ACL_ERROR_RT_INVALID_HANDLE);
    aclrtBinHandle other = image_load();
    CHECK_OK(aclrtBinarySetExceptionCallback(other, on_other, &first));
    CHECK_OK(aclrtBinarySetExceptionCallback(s.binary, on_other, &first));
    CHECK_OK(aclrtBinarySetExceptionCallback(s.binary, on_binary, &second)); /* the last counts */
    aclrtFuncHandle functions[] = {image_find(s.binary, "vec"), image_find(other, "vec")};
    for (unsigned i = 0; i < 2; i++) {
        call_count = 0;
        spoil_next();
        launch(functions[i], values, ARGS_BYTES, s.stream);
        CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_TS_ERROR);
        CHECK_EQUAL(call_count, 2);
        CHECK_EQUAL(calls[0].who, 'p'); /* the process's come first */
        CHECK_EQUAL(calls[1].who, i == 0 ? 'b' : 'o');
        CHECK(given == (i == 0 ? &second : &first));
        CHECK(calls[1].function == functions[i]);
        CHECK_EQUAL(calls[1].args_bytes, ARGS_BYTES);
        CHECK_EQUAL(calls[1].task, calls[0].task);
        CHECK_OK(twinrt_fault_remove(0));
    }
    /* A failure of another task calls no callback of a binary. */
    call_count = 0;
    aclrtNotify never = NULL;
    CHECK_OK(aclrtCreateNotify(&never, 0));
    CHECK_OK(aclrtWaitAndResetNotify(never, s.stream, 1));
    CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_EQUAL(call_count, 1);
    CHECK_CODE(calls[0].args_code, (aclError)UINT32_MAX);
    CHECK_CODE(calls[0].function_code, ACL_ERROR_RT_PARAM_INVALID);
    CHECK(calls[0].function == NULL);
    CHECK_OK(aclrtDestroyNotify(never));
    CHECK_OK(aclrtBinaryUnLoad(other));
    end(&s);
}

/* The launch keeps what it needs; the callback of an unloaded binary is not called any more. */
static void test_unloaded_meanwhile(void)
{
    static unsigned char values[ARGS_BYTES] = {9, 8, 7};
    scene s;
    twin_hold hold;
    begin(&s);
    CHECK_OK(aclrtBinarySetExceptionCallback(s.binary, on_binary, NULL));
    aclrtFuncHandle function = image_find(s.binary, "vec");
    spoil_next();
    twin_hold_begin(&hold, s.stream);
    launch(function, values, ARGS_BYTES, s.stream);
    CHECK_OK(aclrtBinaryUnLoad(s.binary));
    s.binary = NULL;
    twin_hold_release(&hold, NULL);
    CHECK_CODE(aclrtSynchronizeStream(s.stream), ACL_ERROR_RT_TS_ERROR);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_EQUAL(call_count, 1);
    CHECK_EQUAL(calls[0].who, 'p');
    CHECK_CODE(calls[0].function_code, ACL_ERROR_RT_INVALID_HANDLE);
    CHECK(calls[0].function == NULL);
    CHECK(memcmp(calls[0].seen, values, ARGS_BYTES) == 0);
    CHECK_OK(twinrt_fault_remove(0));
    end(&s);
}

static const twin_test tests[] = {
    {"ERR-47, ERR-48: a failed kernel has a function and arguments", test_function_and_arguments},
    {"ERR-47: arguments on the device are named where they are", test_arguments_in_place},
    {"ERR-47, ERR-49: a binary's callback gets its own kernels, last", test_binary_callback},
    {"ERR-49: the callback of an unloaded binary is not called", test_unloaded_meanwhile},
    {"KRN-51, KRN-52, KRN-56: the kernel gets a list as it was built",
     test_list_reaches_the_kernel},
    {"KRN-57, KRN-61: each launch of a list takes its values at the launch",
     test_list_launched_again},
    {"KRN-53: a list takes 128 parameters, within its memory", test_list_room},
    {"KRN-76, KRN-78: placeholders become addresses of the copy",
     test_placeholders_reach_the_kernel},
    {"KRN-81: an array of parameters comes to the places that the kernel names",
     test_array_reaches_the_kernel},
    {"KRN-75: arguments on the device are those of their time", test_arguments_in_stream_order},
    {"KRN-93: a list of a mixed kernel begins with where its cores meet", test_hidden_argument},
    {"COD-03, COD-05, COD-06, COD-07, COD-08: error numbers of the scheduler have their codes",
     test_error_numbers},
    {"COD-05, COD-06, ERR-13: kernels fail with the codes of their cores", test_engine_kinds},
    {"slow cores take longer and fail nothing", test_slow_cores},
    {"COD-07: a kernel meets memory that has failed", test_failed_memory},
    {"ERR-21, ERR-22, ERR-31: a kernel's failure is the last error, and its message names it",
     test_last_error_and_message},
    {"KRN-88, EXC-20, EXC-25: operators have a time limit", test_limit_of_operators},
    {"KRN-87, KRN-88: the time limit of a launch beats it", test_limit_of_launches},
    {"KRN-87: a launch without a time limit", test_limit_that_is_none},
    {"ABT-01, ABT-02: work after failed kernels runs", test_continue_after_kernels},
    {"ABT-03, ABT-04, ABT-09, ABT-13: a failed kernel stops its context", test_stop_at_a_kernel},
    {"ABT-18: a stream abort ends a kernel that runs", test_stream_abort_of_a_kernel},
    {"ABT-12, ABT-13: a device abort ends kernels that run and that wait for cores",
     test_device_abort_of_kernels},
    {"ERR-44, ERR-47, ERR-48, ERR-49: threads that fail at once get their own exceptions",
     test_many_failures_at_once},
    {"ending a kernel that runs, and that alone", test_stop_of_the_running_kernel},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "exception",
                                     .tests = tests,
                                     .test_count = sizeof(tests) / sizeof(tests[0]),
                                     .initialise = true};
    setenv("TWINRT_OPAQUE_KERNELS", "timing", 0);
    return twin_suite_main(&suite, argc, argv);
}
