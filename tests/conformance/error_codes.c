/* SPDX-License-Identifier: Apache-2.0 */
/* Codes with one meaning for all functions: errors of the layers below, waits, handles that are
 * NULL. */
#include "error_tests.h"

#include "profile.h"
#include "suite.h"

/* Answers of the device, or of the layers below it, keep their meaning. */
void test_answers_from_below(void)
{
    enum { MANY = 20000 };
    static aclrtNotify notifies[MANY];
    static aclrtStream streams[MANY];
    void *memory = NULL;
    aclrtCntNotify counting = NULL;
    unsigned count = 0;
    aclError code = ACL_SUCCESS;
    CHECK_CODE(aclrtSetDevice((int32_t)twin_device_count()), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtMalloc(&memory, (size_t)1 << 46, ACL_MEM_MALLOC_HUGE_FIRST),
               ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_CODE(aclrtFree((void *)(uintptr_t)0x1000), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtCntNotifyCreate(&counting, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    while (count < MANY && (code = aclrtCreateNotify(&notifies[count], 0)) == ACL_SUCCESS)
        count++;
    CHECK_CODE(code, ACL_ERROR_RT_NO_NOTIFY_RESOURCE);
    while (count > 0)
        CHECK_OK(aclrtDestroyNotify(notifies[--count]));
    while (count < MANY && (code = aclrtCreateStream(&streams[count])) == ACL_SUCCESS)
        count++;
    /* what runs out first: the queues of the part, or its stream ids */
    CHECK_CODE(code, twin_profile_value("limit.stream_ids") > twin_profile_value("limit.streams")
                         ? ACL_ERROR_RT_RESOURCE_ALLOC_FAIL
                         : ACL_ERROR_RT_NO_STREAM_RESOURCE);
    while (count > 0)
        CHECK_OK(aclrtDestroyStream(streams[--count]));
    CHECK_OK(aclrtResetDevice(0));
}

void test_codes_of_waits(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SHORT_MS));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* An argument error, of either layer, and not the code of a dead handle. */
static void expect_argument_error(aclError code)
{
    CHECK(code == ACL_ERROR_INVALID_PARAM || code == ACL_ERROR_RT_PARAM_INVALID);
}

void test_handles_that_are_null(void)
{
    void *binary = NULL;
    size_t size = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtSynchronizeStream(NULL)); /* the default stream */
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtStreamWaitEvent(NULL, event));
    expect_argument_error(aclrtRecordEvent(NULL, NULL));
    expect_argument_error(aclrtStreamWaitEvent(NULL, NULL));
    expect_argument_error(aclrtSynchronizeEvent(NULL));
    expect_argument_error(aclrtDestroyEvent(NULL));
    expect_argument_error(aclrtRecordNotify(NULL, NULL));
    expect_argument_error(aclrtDestroyNotify(NULL));
    expect_argument_error(aclrtDestroyContext(NULL));
    expect_argument_error(aclrtSetCurrentContext(NULL));
    expect_argument_error(aclrtBinaryUnLoad(NULL));
    expect_argument_error(aclrtBinaryGetDevAddress(NULL, &binary, &size));
    expect_argument_error(aclrtGetFunctionSize(NULL, &size, &size));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtDestroyEvent(event));
    /* Destroyed, it is a dead handle. */
    CHECK_CODE(aclrtSynchronizeEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}
