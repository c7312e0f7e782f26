/* SPDX-License-Identifier: Apache-2.0 */
/* Events on streams: record, wait, reset. */
#include "event_tests.h"
#include "suite.h"

#define BYTES 1024

/* Three streams; most tests need one to record, one to wait, one to open the hold. */
static aclrtStream first;
static aclrtStream second;
static aclrtStream third;

static void begin(void)
{
    CHECK_OK(aclrtSetDevice(0));
    first = twin_stream();
    second = twin_stream();
    third = twin_stream();
}

static void end(void)
{
    CHECK_OK(aclrtDestroyStream(third));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
}

/* Whether the stream gets everything done in a short while of device time. */
static bool gets_done(aclrtStream stream)
{
    aclError code = aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS);
    CHECK_EITHER(code, ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    return code == ACL_SUCCESS;
}

/* ---- record --------------------------------------------------------------------------------- */

void test_record_captures_earlier_work(void)
{
    begin();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold before;
        twin_hold after;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        aclrtEvent idle = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtRecordEvent(idle, second));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(idle, SHORT_MS));

        twin_hold_begin(&before, first);
        CHECK_OK(aclrtRecordEvent(event, first));
        twin_hold_begin(&after, first);
        CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS),
                   ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        twin_hold_release(&before, third);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK(!twin_idle(first));
        twin_hold_end(&after, third);
        CHECK_OK(aclrtDestroyNotify(before.notify));
        CHECK_OK(aclrtDestroyEvent(idle));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_record_arguments(void)
{
    aclrtContext primary = NULL;
    aclrtContext other = NULL;
    begin();
    CHECK_OK(aclrtGetCurrentContext(&primary));
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK(twin_recorded(event));
    CHECK_CODE(aclrtRecordEvent(NULL, first), ACL_ERROR_INVALID_PARAM);

    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtRecordEvent(event, first), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyContext(other));

    aclrtStream dead = twin_stream();
    CHECK_OK(aclrtDestroyStream(dead));
    CHECK_CODE(aclrtRecordEvent(event, dead), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_CODE(aclrtRecordEvent(event, first), ACL_ERROR_RT_INVALID_HANDLE);
    end();
}

void test_record_across_devices(void)
{
    aclrtContext primary = NULL;
    begin();
    CHECK_OK(aclrtGetCurrentContext(&primary));
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_FAILS(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_record_device_only_event(void)
{
    begin();
    aclrtEvent event = twin_event_flags(EVENT_FLAG, ACL_EVENT_DEVICE_USE_ONLY);
    CHECK_CODE(aclrtRecordEvent(event, first), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_record_again(void)
{
    static const twin_event_kind kinds[] = {EVENT_EX, EVENT_PLAIN};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        twin_hold one;
        twin_hold two;
        aclrtEvent event = twin_event(kinds[i]);
        twin_hold_begin(&one, first);
        CHECK_OK(aclrtRecordEvent(event, first));
        twin_hold_begin(&two, second);
        CHECK_OK(aclrtRecordEvent(event, second)); /* pending, and another stream */
        CHECK(!twin_recorded(event));
        twin_hold_end(&one, third);
        CHECK(!twin_recorded(event)); /* the first record counts no more */
        twin_hold_release(&two, third);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK(twin_recorded(event));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
        CHECK_OK(aclrtDestroyNotify(two.notify));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_wait_binds_to_newest_record(void)
{
    twin_hold slow;
    begin();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_hold_begin(&slow, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK_OK(aclrtRecordEvent(event, third)); /* an idle stream: complete soon */
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    CHECK(!gets_done(second)); /* bound to the record of `first` */
    twin_hold_end(&slow, third);
    CHECK(gets_done(second));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_wait_after_second_record(void)
{
    twin_hold slow;
    begin();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    twin_hold_begin(&slow, third);
    CHECK_OK(aclrtRecordEvent(event, third));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK(!gets_done(second));
    twin_hold_end(&slow, first);
    CHECK(gets_done(second));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_status_follows_newest_record(void)
{
    twin_hold slow;
    begin();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    CHECK(twin_recorded(event));
    twin_hold_begin(&slow, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK(!twin_recorded(event));
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    twin_hold_end(&slow, third);
    CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
    CHECK(twin_recorded(event));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_flag_event_reuse(void)
{
    twin_buffer data;
    begin();
    twin_buffer_make(&data, BYTES, 0);
    aclrtEvent event = twin_event(EVENT_FLAG);
    for (int round = 1; round < 5; round++) {
        twin_hold hold;
        twin_hold_begin(&hold, first);
        CHECK_OK(aclrtMemsetAsync(data.device, BYTES, round, BYTES, first));
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK_OK(aclrtResetEvent(event, second));
        CHECK_OK(aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                                  second));
        CHECK(!gets_done(second));
        twin_hold_end(&hold, third);
        CHECK(gets_done(second));
        CHECK_BYTES(data.host, (uint8_t)round, BYTES);
    }
    CHECK_OK(aclrtDestroyEvent(event));
    twin_buffer_free(&data);
    end();
}

/* ---- wait ----------------------------------------------------------------------------------- */

void test_wait_arguments(void)
{
    aclrtContext primary = NULL;
    aclrtContext other = NULL;
    begin();
    CHECK_OK(aclrtGetCurrentContext(&primary));
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(NULL, event));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_CODE(aclrtStreamWaitEvent(second, NULL), ACL_ERROR_INVALID_PARAM);

    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtStreamWaitEvent(second, event), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(second, event, 1), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyContext(other));

    aclrtStream dead = twin_stream();
    CHECK_OK(aclrtDestroyStream(dead));
    CHECK_CODE(aclrtStreamWaitEvent(dead, event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_CODE(aclrtStreamWaitEvent(second, event), ACL_ERROR_RT_INVALID_HANDLE);
    end();
}

void test_wait_for_unrecorded_ex_event(void)
{
    twin_hold hold;
    begin();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK(gets_done(second));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first)); /* later than the wait: binds no wait */
    CHECK(gets_done(second));
    twin_hold_end(&hold, third);
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_wait_for_unrecorded_flag_event(void)
{
    begin();
    aclrtEvent event = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK(!gets_done(second));
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK(gets_done(second));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_record_then_wait(void)
{
    begin();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        twin_hold_begin(&hold, first);
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK(!gets_done(second));
        twin_hold_end(&hold, third);
        CHECK(gets_done(second));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_wait_without_sync_flag(void)
{
    static const uint32_t flags[] = {ACL_EVENT_TIME_LINE, ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                                     ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(flags); i++)
        for (int kind = EVENT_FLAG; kind < EVENT_KINDS; kind++) {
            aclrtEvent event = twin_event_flags((twin_event_kind)kind, flags[i]);
            CHECK_OK(aclrtRecordEvent(event, first));
            CHECK_CODE(aclrtStreamWaitEvent(second, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
            CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
            CHECK(twin_recorded(event));
            CHECK_OK(aclrtDestroyEvent(event));
        }
    end();
}

void test_wait_for_complete_event(void)
{
    static const twin_event_kind kinds[] = {EVENT_EX, EVENT_PLAIN};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        aclrtEvent event = twin_event(kinds[i]);
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK(gets_done(second));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_wait_for_device_only_event(void)
{
    begin();
    aclrtEvent event = twin_event_flags(EVENT_FLAG, ACL_EVENT_DEVICE_USE_ONLY);
    CHECK_CODE(aclrtStreamWaitEvent(second, event), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_wait_across_devices(void)
{
    twin_hold hold;
    aclrtContext primary = NULL;
    begin();
    CHECK_OK(aclrtGetCurrentContext(&primary));
    aclrtEvent event = twin_event(EVENT_EX);
    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtSetDevice(1));
    aclrtStream remote = twin_stream();
    /* Ordered or refused, never silently without order. */
    aclError code = aclrtStreamWaitEvent(remote, event);
    if (code == ACL_SUCCESS)
        CHECK(!gets_done(remote));
    CHECK_OK(aclrtSetCurrentContext(primary));
    twin_hold_end(&hold, third);
    CHECK_OK(aclrtSetDevice(1));
    CHECK(gets_done(remote));
    CHECK_OK(aclrtDestroyStream(remote));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

/* Many records on one device and waits on another, in an order that dice choose: each wait is for
 * the record that was the newest at the call, whatever becomes of the event afterwards. */
void test_waits_across_devices_order(void)
{
    enum { ROUNDS = 12 };
    aclrtContext here = NULL;
    aclrtContext there = NULL;
    twin_hold holds[ROUNDS];
    aclrtStream recorders[ROUNDS];
    aclrtStream waiters[ROUNDS];
    begin();
    CHECK_OK(aclrtGetCurrentContext(&here));
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtGetCurrentContext(&there));
    CHECK_OK(aclrtSetCurrentContext(here));
    aclrtEvent event = twin_event(EVENT_EX);
    for (unsigned i = 0; i < ROUNDS; i++) {
        recorders[i] = twin_stream();
        twin_hold_begin(&holds[i], recorders[i]);
        CHECK_OK(aclrtRecordEvent(event, recorders[i])); /* once more each time */
        CHECK_OK(aclrtSetCurrentContext(there));
        waiters[i] = twin_stream();
        CHECK_OK(aclrtStreamWaitEvent(waiters[i], event));
        CHECK_OK(aclrtSetCurrentContext(here));
    }
    CHECK_OK(aclrtDestroyEvent(event)); /* the waits stay */
    CHECK_OK(aclrtSetCurrentContext(there));
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(!twin_idle(waiters[i]));
    uint32_t dice = 12345;
    bool ended[ROUNDS] = {false};
    for (unsigned n = 0; n < ROUNDS; n++) {
        dice = dice * 1664525u + 1013904223u;
        unsigned i = (dice >> 16) % ROUNDS;
        while (ended[i])
            i = (i + 1) % ROUNDS;
        ended[i] = true;
        CHECK_OK(aclrtSetCurrentContext(here));
        twin_hold_end(&holds[i], third);
        CHECK_OK(aclrtSetCurrentContext(there));
        CHECK(gets_done(waiters[i]));
        for (unsigned k = 0; k < ROUNDS; k++)
            CHECK_EQUAL(twin_idle(waiters[k]), ended[k]);
    }
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK_OK(aclrtDestroyStream(waiters[i]));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetCurrentContext(here));
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK_OK(aclrtDestroyStream(recorders[i]));
    end();
}

/* A record that is dropped releases no wait; the stream that waits for it can be ended, and its
 * place can be used again. */
void test_wait_across_devices_for_a_dropped_record(void)
{
    twin_hold hold;
    aclrtContext here = NULL;
    begin();
    CHECK_OK(aclrtGetCurrentContext(&here));
    aclrtStream recorder = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_hold_begin(&hold, recorder);
    CHECK_OK(aclrtRecordEvent(event, recorder));
    CHECK_OK(aclrtSetDevice(1));
    aclrtStream waiter = twin_stream();
    CHECK_OK(aclrtStreamWaitEvent(waiter, event));
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK_OK(aclrtDestroyStreamForce(recorder));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtSetDevice(1));
    CHECK(!gets_done(waiter));
    CHECK_OK(aclrtDestroyStreamForce(waiter));
    aclrtStream next = twin_stream();
    CHECK(gets_done(next));
    CHECK_OK(aclrtDestroyStream(next));
    CHECK_OK(aclrtResetDeviceForce(1));
    CHECK_OK(aclrtSetCurrentContext(here));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_wait_timeout_values(void)
{
    twin_hold hold;
    begin();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(second, event, -1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(second, NULL, -1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(second, (aclrtEvent)(uintptr_t)0x1234, INT32_MIN),
               ACL_ERROR_RT_PARAM_INVALID);
    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEventWithTimeout(second, event, 0)); /* without limit */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 3600 * 1000),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    twin_hold_end(&hold, third);
    CHECK(gets_done(second));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_wait_timeout_null_event(void)
{
    begin();
    CHECK_CODE(aclrtStreamWaitEventWithTimeout(second, NULL, 1), ACL_ERROR_RT_PARAM_INVALID);
    end();
}

/* Destroys a stream with a failed task by force, so that its destruction cannot hide a failure. */
static void end_failed(void)
{
    CHECK_OK(aclrtDestroyStreamForce(second));
    second = twin_stream();
    end();
}

void test_wait_expires(void)
{
    static const twin_event_kind kinds[] = {EVENT_EX, EVENT_FLAG};
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        twin_hold hold;
        begin();
        aclrtEvent event = twin_event(kinds[i]);
        twin_hold_begin(&hold, first);
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEventWithTimeout(second, event, 2));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 1500),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
        twin_hold_end(&hold, third);
        CHECK_OK(aclrtDestroyEvent(event));
        end_failed();
    }
}

void test_default_wait_timeout(void)
{
    twin_hold hold;
    begin();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtSetOpWaitTimeout(2));
    CHECK_OK(aclrtSetOpWaitTimeout(1)); /* the last call wins */
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, 1500), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_OK(aclrtSetOpWaitTimeout(0)); /* never again */
    CHECK_OK(aclrtStreamWaitEvent(third, event));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(third, 3600 * 1000),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    twin_hold_end(&hold, NULL);
    CHECK(gets_done(third));
    CHECK_OK(aclrtDestroyEvent(event));
    end_failed();
}

/* ---- reset ---------------------------------------------------------------------------------- */

void test_reset(void)
{
    twin_hold hold;
    begin();
    aclrtEvent event = twin_event(EVENT_FLAG);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK(gets_done(first));
    /* The reset is a task: it clears the flag when the stream gets there, not before. */
    twin_hold_begin(&hold, second);
    CHECK_OK(aclrtResetEvent(event, second));
    CHECK_OK(aclrtStreamWaitEvent(third, event));
    CHECK(gets_done(third));
    twin_hold_end(&hold, first);
    CHECK_OK(aclrtStreamWaitEvent(third, event));
    CHECK(!gets_done(third));
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK(gets_done(third));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_wait_after_reset(void)
{
    begin();
    aclrtEvent event = twin_event(EVENT_FLAG);
    for (int round = 0; round < 3; round++) {
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK_OK(aclrtResetEvent(event, second));
        CHECK(gets_done(second));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK(!gets_done(second));
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK(gets_done(second));
        CHECK_OK(aclrtResetEvent(event, second));
        CHECK(gets_done(second));
    }
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_reset_unsupported(void)
{
    begin();
    aclrtEvent ex = twin_event(EVENT_EX);
    aclrtEvent timing = twin_event_flags(EVENT_FLAG, ACL_EVENT_TIME_LINE);
    aclrtEvent progress = twin_event_flags(EVENT_FLAG, ACL_EVENT_CAPTURE_STREAM_PROGRESS);
    CHECK_CODE(aclrtResetEvent(ex, first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtResetEvent(timing, first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtResetEvent(progress, first), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyEvent(progress));
    CHECK_OK(aclrtDestroyEvent(timing));
    CHECK_OK(aclrtDestroyEvent(ex));
    end();
}

/* Record, wait, reset in a loop, as older samples do with events of aclrtCreateEvent. */
void test_reset_plain(void)
{
    begin();
    aclrtEvent event = twin_event(EVENT_PLAIN);
    CHECK_OK(aclrtResetEvent(event, first)); /* never recorded */
    for (int i = 0; i < 3; i++) {
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK_OK(aclrtResetEvent(event, second));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    }
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_reset_arguments(void)
{
    aclrtContext primary = NULL;
    aclrtContext other = NULL;
    begin();
    CHECK_OK(aclrtGetCurrentContext(&primary));
    aclrtEvent event = twin_event(EVENT_FLAG);
    CHECK_CODE(aclrtResetEvent(NULL, first), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtResetEvent(event, NULL));
    CHECK(gets_done(NULL));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtResetEvent(event, first), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(primary));
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}
