/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies. */
#include "contract_tests.h"

void test_record_flag_of_failed_record(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent first = twin_event_flags(EVENT_EX, ACL_EVENT_SYNC);
    aclrtEvent second = twin_event_flags(EVENT_EX, ACL_EVENT_SYNC);
    CHECK_CODE(aclrtRecordEventWithFlag(first, stream, ACL_EVENT_RECORD_EXTERNAL),
               ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_CODE(aclrtRecordEvent(first, stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtRecordEventWithFlag(first, stream, ACL_EVENT_RECORD_DEFAULT),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtRecordEvent(second, stream));
    CHECK_CODE(aclrtRecordEventWithFlag(second, stream, ACL_EVENT_RECORD_EXTERNAL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyEvent(first));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_wait_flag_of_failed_wait(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event_flags(EVENT_EX, ACL_EVENT_SYNC);
    CHECK_CODE(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL),
               ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_CODE(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_PARAM_INVALID);
    /* And the other way about. */
    aclrtEvent second = twin_event_flags(EVENT_EX, ACL_EVENT_SYNC);
    CHECK_OK(aclrtStreamWaitEvent(stream, second));
    CHECK_CODE(aclrtStreamWaitEventWithFlag(stream, second, 0, ACL_EVENT_WAIT_EXTERNAL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_wait_before_record(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent plain = twin_event(EVENT_PLAIN);
    aclrtEvent ex = twin_event(EVENT_EX);
    CHECK_CODE(aclrtStreamWaitEvent(stream, plain), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(stream, plain, 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtStreamWaitEvent(stream, ex));
    CHECK_OK(aclrtRecordEvent(plain, stream));
    CHECK_OK(aclrtStreamWaitEvent(NULL, plain));
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    CHECK_OK(aclrtDestroyEvent(ex));
    CHECK_OK(aclrtDestroyEvent(plain));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static uint32_t last_task(void)
{
    uint32_t id = 0;
    CHECK_OK(aclrtGetThreadLastTaskId(&id));
    return id;
}

void test_wait_on_own_stream(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream(), other = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, stream));
    uint32_t record = last_task();
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK_EQUAL(last_task(), record);
    /* Recorded elsewhere since, the same wait is one. */
    CHECK_OK(aclrtRecordEvent(event, other));
    CHECK_OK(aclrtStreamWaitEvent(stream, event));
    CHECK(last_task() != record);
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_event_timeout_before_handle(void)
{
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(NULL, -2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(NULL, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(NULL, 100), ACL_ERROR_INVALID_PARAM);
}

void test_reset_of_plain_event(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_PLAIN);
    aclrtEvent ex = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtResetEvent(event, stream));
    CHECK_OK(aclrtResetEvent(event, NULL));
    CHECK_CODE(aclrtResetEvent(ex, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtSynchronizeDeviceWithTimeout(SOON_MS));
    aclmdlRI model = NULL;
    aclrtStream bound = NULL;
    CHECK_OK(aclmdlRIBuildBegin(&model, 0));
    CHECK_OK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBindStream(model, bound, 0));
    CHECK_CODE(aclrtResetEvent(event, bound), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclmdlRIDestroy(model));
    CHECK_OK(aclrtDestroyStream(bound));
    CHECK_OK(aclrtDestroyEvent(ex));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_undocumented_event_bit(void)
{
    const uint32_t bit = 4;
    CHECK_OK(aclrtSetDevice(0));
    aclrtEvent event = NULL;
    CHECK_OK(aclrtCreateEventWithFlag(&event, bit));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtCreateEventExWithFlag(&event, bit | ACL_EVENT_SYNC));
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtResetDevice(0));
}

void test_batch_reset_in_order(void)
{
    enum { COUNT = 3 };
    aclrtNotify notifies[COUNT] = {NULL, NULL, NULL};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    for (size_t i = 0; i < COUNT; i++)
        CHECK_OK(aclrtCreateNotify(&notifies[i], 0));
    CHECK_OK(aclrtRecordNotify(notifies[0], stream));
    CHECK_OK(aclrtRecordNotify(notifies[2], stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyNotify(notifies[1]));
    CHECK_CODE(aclrtNotifyBatchReset(notifies, COUNT), ACL_ERROR_RT_INVALID_HANDLE);
    /* The first lost its signal, the last has it. */
    CHECK_OK(aclrtWaitAndResetNotify(notifies[2], stream, 1));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtWaitAndResetNotify(notifies[0], stream, 1));
    CHECK_FAILS(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyNotify(notifies[2]));
    CHECK_OK(aclrtDestroyNotify(notifies[0]));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}
