/* SPDX-License-Identifier: Apache-2.0 */
/* Records and waits with a flag. */
#include "event_tests.h"
#include "suite.h"

/* What says that the stream would have to be in capture. */
static void refuses_external(aclrtEvent event, aclrtStream stream, aclError code)
{
    CHECK_CODE(aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL), code);
    CHECK_CODE(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL), code);
}

void test_record_with_flag_0(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtRecordEventWithFlag(event, held, ACL_EVENT_RECORD_DEFAULT));
    CHECK(!twin_recorded(event));
    CHECK_OK(aclrtStreamWaitEventWithFlag(opener, event, 0, ACL_EVENT_WAIT_DEFAULT));
    twin_hold_release(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(opener, SOON_MS));
    CHECK(twin_recorded(event));
    twin_hold_end(&hold, NULL);

    CHECK_CODE(aclrtRecordEventWithFlag(NULL, held, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRecordEventWithFlag(event, held, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRecordEventWithFlag(event, held, UINT32_MAX), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_CODE(aclrtRecordEventWithFlag(event, held, 0), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtRecordEventWithFlag(event, held, 1), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

void test_external_needs_a_plain_ex_event(void)
{
    static const struct {
        twin_event_kind kind;
        uint32_t flags;
    } others[] = {
        {EVENT_PLAIN, 0},
        {EVENT_FLAG, ACL_EVENT_SYNC},
        {EVENT_FLAG, ACL_EVENT_EXTERNAL},
        {EVENT_EX, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE},
        {EVENT_EX, ACL_EVENT_TIME_LINE},
        {EVENT_EX, ACL_EVENT_IPC},
    };
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(others); i++) {
        aclrtEvent event = twin_event_flags(others[i].kind, others[i].flags);
        refuses_external(event, NULL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void use_without_context(void *event)
{
    refuses_external(event, NULL, ACL_ERROR_RT_CONTEXT_NULL);
}

void test_external_needs_capture(void)
{
    aclrtContext first = NULL;
    aclrtContext second = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event_flags(EVENT_EX, ACL_EVENT_SYNC);
    refuses_external(event, stream, ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    refuses_external(event, NULL, ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_OK(aclrtCreateContext(&second, 0));
    refuses_external(event, stream, ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(first));
    twin_on_thread(use_without_context, event);
    CHECK(twin_idle(stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_wait_with_flag_values(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream waiter = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_CODE(aclrtStreamWaitEventWithFlag(waiter, NULL, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamWaitEventWithFlag(waiter, event, 0, 2), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamWaitEventWithFlag(waiter, event, 1, ACL_EVENT_WAIT_EXTERNAL),
               ACL_ERROR_INVALID_PARAM);

    /* The limit is in seconds of device time. */
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtRecordEvent(event, held));
    CHECK_OK(aclrtStreamWaitEventWithFlag(waiter, event, 1, ACL_EVENT_WAIT_DEFAULT));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, 900), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStreamForce(waiter));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDeviceForce(0));
}

void test_first_wait_fixes_the_flag(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    for (int way = 0; way < 3; way++) {
        aclrtEvent event = twin_event_flags(EVENT_EX, ACL_EVENT_SYNC);
        CHECK_OK(aclrtRecordEvent(event, stream));
        if (way == 0)
            CHECK_OK(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_DEFAULT));
        else if (way == 1)
            CHECK_OK(aclrtStreamWaitEvent(stream, event));
        else
            CHECK_OK(aclrtStreamWaitEventWithTimeout(stream, event, 1));
        CHECK_CODE(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL),
                   ACL_ERROR_RT_PARAM_INVALID);
        CHECK_OK(aclrtStreamWaitEvent(stream, event));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}
