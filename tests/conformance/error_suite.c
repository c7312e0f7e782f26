/* SPDX-License-Identifier: Apache-2.0 */
/* Error reporting: which layer refuses, with which code; last error; messages; what is not
 * offered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error_tests.h"
#include "suite.h"

#define LEVEL ACL_RT_THREAD_LEVEL

static void forget_errors(void)
{
    (void)aclrtGetLastError(LEVEL);
    (void)aclGetRecentErrMsg();
}

/* One failure of each layer. */
static void fail_above(void)
{
    CHECK_CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
}

static void fail_below(void)
{
    CHECK_CODE(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
}

/* ---- which layer, which code ---------------------------------------------------------------- */

static void child_null_before_all_else(void)
{
    CHECK_CODE(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRecordEvent(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamWaitEvent(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSynchronizeEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtDestroyNotify(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemcpy(NULL, 8, NULL, 8, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM);
}

static void test_null_before_all_else(void)
{
    twin_run_child("null_before_all_else", NULL);
}

static void check_null_before_context(void *unused)
{
    (void)unused;
    uint32_t number = 0;
    CHECK_CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateNotify(NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetEventAvailNum(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetEventId(NULL, &number), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM);
}

static void test_null_before_context(void)
{
    twin_on_thread(check_null_before_context, NULL);
}

static void test_values_in_the_lower_layer(void)
{
    aclrtEvent event = NULL;
    aclrtNotify notify = NULL;
    aclrtStream stream = NULL;
    uint8_t bytes[2] = {0};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCreateNotify(&notify, 2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(NULL, -2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemcpy(bytes, 1, bytes + 1, 2, ACL_MEMCPY_HOST_TO_HOST),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_HUGE),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK(!event && !notify && !stream);
    CHECK_OK(aclrtResetDevice(0));
}

static void check_context_needed(void *unused)
{
    (void)unused;
    void *memory = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtNotify notify = NULL;
    aclrtContext context = NULL;
    aclrtStreamStatus status;
    uint8_t bytes[64] = {0};
    int32_t device = 0;
    int32_t id = 0;
    uint32_t number = 0;
    CHECK_CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateStreamWithConfig(&stream, 0, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateNotify(&notify, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMallocHost(&memory, 64), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMemcpy(bytes, 32, bytes + 32, 32, ACL_MEMCPY_HOST_TO_HOST),
               ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtMemset(bytes, 32, 0, 32), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamQuery(NULL, &status), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamGetId(NULL, &id), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamGetPriority(NULL, &number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetStreamAvailableNum(&number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtGetEventAvailNum(&number), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(!memory && !stream && !event && !notify && !context);
}

static void test_context_needed(void)
{
    twin_on_thread(check_context_needed, NULL);
}

static void test_handles_of_other_kinds(void)
{
    aclrtStreamStatus stream_status;
    aclrtEventRecordedStatus event_status;
    uint32_t number = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));

    void *const not_streams[] = {event, notify};
    for (size_t i = 0; i < TWIN_COUNT(not_streams); i++) {
        CHECK_CODE(aclrtSynchronizeStream(not_streams[i]), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtStreamQuery(not_streams[i], &stream_status), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtDestroyStream(not_streams[i]), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtRecordEvent(event, not_streams[i]), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtStreamWaitEvent(not_streams[i], event), ACL_ERROR_RT_INVALID_HANDLE);
    }
    void *const not_events[] = {stream, notify};
    for (size_t i = 0; i < TWIN_COUNT(not_events); i++) {
        CHECK_CODE(aclrtSynchronizeEvent(not_events[i]), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtQueryEventStatus(not_events[i], &event_status),
                   ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtDestroyEvent(not_events[i]), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtRecordEvent(not_events[i], stream), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtStreamWaitEvent(stream, not_events[i]), ACL_ERROR_RT_INVALID_HANDLE);
    }
    void *const not_notifies[] = {stream, event};
    for (size_t i = 0; i < TWIN_COUNT(not_notifies); i++) {
        CHECK_CODE(aclrtDestroyNotify(not_notifies[i]), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtRecordNotify(not_notifies[i], stream), ACL_ERROR_RT_INVALID_HANDLE);
        CHECK_CODE(aclrtGetNotifyId(not_notifies[i], &number), ACL_ERROR_RT_INVALID_HANDLE);
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Everything that takes a stream, with one of another context. */
static void check_foreign_stream(aclrtStream stream, aclrtEvent event, aclrtNotify notify,
                                 void *memory)
{
    CHECK_CODE(aclrtMemsetAsync(memory, 64, 0, 64, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtMemcpyAsync(memory, 32, (uint8_t *)memory + 32, 32, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                stream),
               ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtRecordEvent(event, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(stream, event, 1), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtResetEvent(event, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtWaitAndResetNotify(notify, stream, 0), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_STREAM_CONTEXT);
}

static void test_streams_of_other_contexts(void)
{
    aclrtContext primary = NULL;
    aclrtContext other = NULL;
    aclrtNotify notify = NULL;
    void *memory = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&primary));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    CHECK_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtCreateContext(&other, 0));
    check_foreign_stream(stream, event, notify, memory);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetDevice(1));
    check_foreign_stream(stream, event, notify, memory);
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK(twin_idle(stream)); /* nothing got through */
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void check_class(aclError code, char first)
{
    char text[16];
    snprintf(text, sizeof(text), "%06d", (int)code);
    if (!CHECK(strlen(text) == 6 && text[0] == first))
        fprintf(stderr, "  the code was %s\n", twin_code_name(code));
}

static void test_number_classes(void)
{
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtCntNotify counting = NULL;
    uint64_t time = 0;
    CHECK_OK(aclrtSetDevice(0));
    check_class(aclrtCreateStream(NULL), '1');
    check_class(aclrtSetDevice(-1), '1');
    check_class(aclrtCreateEventWithFlag(&event, 0), '1');
    check_class(aclrtStreamGetFlags((aclrtStream)(uintptr_t)0x77, &(uint32_t){0}), '1');
    check_class(aclrtMemcpyAsync(&stream, 8, &event, 8, ACL_MEMCPY_DEFAULT, NULL), '2');
    check_class(aclrtCntNotifyCreate(&counting, 0), '2');
    event = twin_event(EVENT_PLAIN);
    check_class(aclrtEventGetTimestamp(event, &time), '5');
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDevice(0));
    check_class(aclrtResetDevice(0), '5');
}

static void test_task_codes(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    forget_errors();
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, 1));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 5000), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtGetLastError(LEVEL), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* ---- last error ----------------------------------------------------------------------------- */

static void test_last_error_is_read_once(void)
{
    forget_errors();
    fail_below();
    CHECK_CODE(aclrtGetLastError(LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtGetLastError(LEVEL));
}

static void test_peek_keeps_the_error(void)
{
    forget_errors();
    fail_below();
    CHECK_CODE(aclrtPeekAtLastError(LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtPeekAtLastError(LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtGetLastError(LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtPeekAtLastError(LEVEL));
}

static void expect_no_error(void *unused)
{
    (void)unused;
    CHECK_OK(aclrtPeekAtLastError(LEVEL));
    CHECK_OK(aclrtGetLastError(LEVEL));
}

static void test_last_error_is_thread_local(void)
{
    forget_errors();
    fail_below();
    twin_on_thread(expect_no_error, NULL);
    CHECK_CODE(aclrtGetLastError(LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void test_last_error_level(void)
{
    CHECK_CODE(aclrtGetLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtPeekAtLastError((aclrtLastErrLevel)-1), ACL_ERROR_INVALID_PARAM);
}

static void test_not_ready_is_no_error(void)
{
    twin_hold hold;
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_PLAIN);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtRecordEvent(event, stream));
    forget_errors();
    CHECK(!twin_idle(stream));
    CHECK_OK(aclrtQueryEvent(event, &status));
    CHECK_EQUAL(status, ACL_EVENT_STATUS_NOT_READY);
    CHECK_OK(aclrtGetLastError(LEVEL));
    CHECK(aclGetRecentErrMsg() == NULL);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_fresh_thread_has_no_error(void)
{
    twin_on_thread(expect_no_error, NULL);
}

static void test_last_error_is_the_newest(void)
{
    aclrtStream stream = NULL;
    forget_errors();
    fail_below();
    CHECK_CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtPeekAtLastError(LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_DEFAULT)); /* success changes nothing */
    CHECK_CODE(aclrtPeekAtLastError(LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    fail_above(); /* nor do refusals of the upper layer */
    CHECK_CODE(aclrtGetLastError(LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    fail_above();
    CHECK_OK(aclrtGetLastError(LEVEL));
}

/* ---- messages ------------------------------------------------------------------------------- */

static void expect_no_message(void *unused)
{
    (void)unused;
    CHECK(aclGetRecentErrMsg() == NULL);
}

static void test_no_message_at_first(void)
{
    twin_on_thread(expect_no_message, NULL);
}

static void test_messages_carry_their_id(void)
{
    forget_errors();
    fail_above();
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "EH"));
    CHECK(text && strstr(text, "aclrtFree"));
    CHECK(aclGetRecentErrMsg() == NULL);
    fail_below();
    text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "EE"));
    CHECK(text && strstr(text, "aclrtSetDevice"));
    CHECK(aclGetRecentErrMsg() == NULL);
}

static void test_messages_newest_first(void)
{
    forget_errors();
    fail_above();
    fail_below();
    const char *text = aclGetRecentErrMsg();
    const char *newer = text ? strstr(text, "aclrtSetDevice") : NULL;
    const char *older = text ? strstr(text, "aclrtFree") : NULL;
    CHECK(newer && older && newer < older);
    CHECK(aclGetRecentErrMsg() == NULL);
}

static void test_message_stays_readable(void)
{
    forget_errors();
    fail_below();
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL);
    if (!text)
        return;
    char *copy = strdup(text);
    fail_above(); /* other calls leave the text alone */
    (void)aclrtPeekAtLastError(LEVEL);
    CHECK(copy && strcmp(copy, text) == 0);
    free(copy);
    forget_errors();
}

static void fail_on_thread(void *unused)
{
    (void)unused;
    fail_below();
}

static void child_thread_messages(void)
{
    twin_on_thread(fail_on_thread, NULL);
    CHECK(aclGetRecentErrMsg() == NULL);
    CHECK_OK(aclInit(NULL));
    twin_on_thread(fail_on_thread, NULL);
    CHECK(aclGetRecentErrMsg() == NULL);
}

static void child_process_messages(void)
{
    char path[] = "/tmp/twinrt-config-XXXXXX";
    static const char config[] = "{\"err_msg_mode\":\"1\"}";
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, config, strlen(config)) == (ssize_t)strlen(config));
    close(file);
    CHECK_OK(aclInit(path));
    unlink(path);
    twin_on_thread(fail_on_thread, NULL);
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "aclrtSetDevice"));
}

static void test_message_modes(void)
{
    twin_run_child("thread_messages", NULL);
    twin_run_child("process_messages", NULL);
}

/* Whether the newest message has one of the ids, given six characters each with a space between. */
static bool message_has(const char *ids)
{
    const char *text = aclGetRecentErrMsg();
    if (!text)
        return false;
    for (size_t at = 0; at < strlen(ids); at += 7) {
        char id[7];
        snprintf(id, sizeof(id), "%s", ids + at);
        if (strstr(text, id))
            return true;
    }
    fprintf(stderr, "  the message was: %s\n", text);
    return false;
}

static void test_message_ids(void)
{
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtCntNotify counting = NULL;
    CHECK_OK(aclrtSetDevice(0));
    forget_errors();
    CHECK_CODE(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK(message_has("EH0002 EH0008 EH0014"));
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(NULL, NULL, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(message_has("EE1004"));
    CHECK_CODE(aclrtSetTsDevice((aclrtTsId)9), ACL_ERROR_INVALID_PARAM);
    CHECK(message_has("EH0007"));
    CHECK_CODE(aclrtCreateEventWithFlag(&event, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(message_has("EE1003"));
    CHECK_CODE(aclrtCntNotifyCreate(&counting, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK(message_has("EE1005 EE1006 EE1016"));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(message_has("EE1018"));
}

/* ---- what is not offered -------------------------------------------------------------------- */

static void test_not_offered(void)
{
    aclrtMbuf buffer = NULL;
    aclrtCntNotify counting = NULL;
    CHECK_OK(aclrtSetDevice(0));
#define NOT_OFFERED(call)                                                                          \
    do {                                                                                           \
        forget_errors();                                                                           \
        CHECK_CODE(call, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);                                        \
        CHECK_CODE(aclrtGetLastError(LEVEL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);                    \
        CHECK(aclGetRecentErrMsg() != NULL);                                                       \
    } while (0)
    NOT_OFFERED(aclrtCntNotifyCreate(&counting, 0));
    NOT_OFFERED(aclrtAllocBuf(&buffer, 64));
    NOT_OFFERED(aclrtFreeBuf(NULL));
#undef NOT_OFFERED
    CHECK(!buffer && !counting);
    CHECK_OK(aclrtSynchronizeDevice()); /* and nothing is the worse for it */
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_child children[] = {
    {"null_before_all_else", child_null_before_all_else},
    {"process_messages", child_process_messages},
    {"thread_messages", child_thread_messages},
};

static const twin_test tests[] = {
    {"ERR-01, COD-02: NULL is refused first, with no device and before aclInit",
     test_null_before_all_else},
    {"ERR-02: NULL is looked at before the context", test_null_before_context},
    {"ERR-03, COD-02: values out of range are refused by the lower layer",
     test_values_in_the_lower_layer},
    {"ERR-04, COD-12: functions that need a context report its absence", test_context_needed},
    {"ERR-05, COD-10: handles of other kinds are refused", test_handles_of_other_kinds},
    {"ERR-06: streams of other contexts and devices are refused", test_streams_of_other_contexts},
    {"ERR-07, COD-01: every code begins with the digit of its class", test_number_classes},
    {"ERR-08, ERR-22: the last error is read once", test_last_error_is_read_once},
    {"ERR-09, ERR-21: a peek keeps the last error", test_peek_keeps_the_error},
    {"ERR-10, ERR-24: the last error belongs to its thread", test_last_error_is_thread_local},
    {"ERR-11: the only level is the thread's", test_last_error_level},
    {"ERR-12: not ready is not an error", test_not_ready_is_no_error},
    {"ERR-13: a wait task that times out has its code", test_task_codes},
    {"ERR-20: a fresh thread has no last error", test_fresh_thread_has_no_error},
    {"ERR-23: the last error is the newest of the lower layer, successes keep it",
     test_last_error_is_the_newest},
    {"ERR-30: without a failure there is no message", test_no_message_at_first},
    {"ERR-31: a message names its class and call, and is read once", test_messages_carry_their_id},
    {"ERR-32: several messages come newest first", test_messages_newest_first},
    {"ERR-33: a message stays readable until the next is asked for", test_message_stays_readable},
    {"ERR-34: messages are the thread's, or the process's when configured", test_message_modes},
    {"ERR-35: message ids follow the kind of failure", test_message_ids},
    {"COD-04: the device's answers keep their meaning", test_answers_from_below},
    {"COD-09: waits that expire have the codes of their objects", test_codes_of_waits},
    {"COD-10, COD-11: NULL is not an invalid handle", test_handles_that_are_null},
    {"a function that is not offered says so, in code, last error and message", test_not_offered},
};

static const twin_suite suite = {.name = "error",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
