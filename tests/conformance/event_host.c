/* SPDX-License-Identifier: Apache-2.0 */
/* Events seen from the host: queries, waits, times. */
#include "event_tests.h"
#include "suite.h"

/* A stream to record on, and one that opens holds. */
static aclrtStream stream;
static aclrtStream opener;

static void begin(void)
{
    CHECK_OK(aclrtSetDevice(0));
    stream = twin_stream();
    opener = twin_stream();
}

static void end(void)
{
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- queries -------------------------------------------------------------------------------- */

void test_status_numbering(void)
{
    CHECK_EQUAL(ACL_EVENT_RECORDED_STATUS_NOT_READY, 0);
    CHECK_EQUAL(ACL_EVENT_RECORDED_STATUS_COMPLETE, 1);
    CHECK_EQUAL(ACL_EVENT_STATUS_COMPLETE, 0);
    CHECK_EQUAL(ACL_EVENT_STATUS_NOT_READY, 1);
    CHECK_EQUAL(ACL_EVENT_WAIT_STATUS_COMPLETE, 0);
    CHECK_EQUAL(ACL_EVENT_WAIT_STATUS_NOT_READY, 1);
}

static void expect_not_ready(void *event)
{
    CHECK(!twin_recorded(event));
}

static void expect_complete(void *event)
{
    CHECK(twin_recorded(event));
}

void test_status_before_and_after(void)
{
    begin();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK(!twin_recorded(event));
        twin_on_thread(expect_not_ready, event);
        twin_hold_release(&hold, opener);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK(twin_recorded(event));
        twin_on_thread(expect_complete, event);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        CHECK(twin_recorded(event));
        CHECK_OK(aclrtDestroyNotify(hold.notify));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_status_errors(void)
{
    aclrtEventRecordedStatus status;
    begin();
    aclrtEvent external = twin_event_flags(EVENT_FLAG, ACL_EVENT_EXTERNAL);
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_CODE(aclrtQueryEventStatus(external, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtQueryEventStatus(NULL, &status), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtQueryEventStatus(event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyEvent(external));
    end();
}

void test_deprecated_query(void)
{
    static const twin_event_kind kinds[] = {EVENT_PLAIN, EVENT_FLAG};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        twin_hold hold;
        aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
        aclrtEvent event = twin_event(kinds[i]);
        CHECK_OK(aclrtQueryEvent(event, &status));
        CHECK_EQUAL(status, ACL_EVENT_STATUS_COMPLETE);
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtQueryEvent(event, &status));
        CHECK_EQUAL(status, ACL_EVENT_STATUS_NOT_READY);
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtQueryEvent(event, &status));
        CHECK_EQUAL(status, ACL_EVENT_STATUS_COMPLETE);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_deprecated_query_unsupported(void)
{
    aclrtEventStatus status;
    aclrtEventWaitStatus waited;
    begin();
    aclrtEvent ex = twin_event(EVENT_EX);
    aclrtEvent external = twin_event_flags(EVENT_FLAG, ACL_EVENT_EXTERNAL);
    CHECK_CODE(aclrtQueryEvent(ex, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtQueryEvent(external, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtQueryEventWaitStatus(ex, &waited), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtQueryEventWaitStatus(external, &waited), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyEvent(external));
    CHECK_OK(aclrtDestroyEvent(ex));
    end();
}

void test_wait_status(void)
{
    static const twin_event_kind kinds[] = {EVENT_PLAIN, EVENT_FLAG};
    begin();
    aclrtStream waiter = twin_stream();
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        twin_hold hold;
        aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
        aclrtEvent event = twin_event(kinds[i]);
        CHECK_OK(aclrtQueryEventWaitStatus(event, &status));
        CHECK_EQUAL(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtStreamWaitEvent(waiter, event));
        CHECK_OK(aclrtQueryEventWaitStatus(event, &status));
        CHECK_EQUAL(status, ACL_EVENT_WAIT_STATUS_NOT_READY);
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiter, SOON_MS));
        CHECK_OK(aclrtQueryEventWaitStatus(event, &status));
        CHECK_EQUAL(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
        CHECK_CODE(aclrtQueryEventWaitStatus(event, NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtQueryEventWaitStatus(NULL, &status), ACL_ERROR_INVALID_PARAM);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtDestroyStream(waiter));
    end();
}

/* ---- waits ---------------------------------------------------------------------------------- */

static void wait_without_context(void *event)
{
    aclrtContext context = NULL;
    CHECK_CODE(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK(twin_recorded(event));
}

void test_host_wait(void)
{
    enum { LARGE = 16 << 20 };
    twin_buffer data;
    begin();
    twin_buffer_make(&data, LARGE, 0);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtMemsetAsync(data.device, LARGE, kind + 1, LARGE, stream));
        CHECK_OK(aclrtMemcpyAsync(data.host, LARGE, data.device, LARGE, ACL_MEMCPY_DEVICE_TO_HOST,
                                  stream));
        CHECK_OK(aclrtRecordEvent(event, stream));
        twin_on_thread(wait_without_context, event);
        CHECK_BYTES(data.host, (uint8_t)(kind + 1), LARGE);
        CHECK_OK(aclrtSynchronizeEvent(event));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    twin_buffer_free(&data);
    end();
}

void test_host_wait_unrecorded(void)
{
    begin();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtSynchronizeEvent(event));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SHORT_MS));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

void test_host_wait_any_flags(void)
{
    static const uint32_t flags[] = {ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                                     ACL_EVENT_TIME_LINE, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE,
                                     ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(flags); i++)
        for (int kind = EVENT_FLAG; kind < EVENT_KINDS; kind++) {
            twin_hold hold;
            aclrtEvent event = twin_event_flags((twin_event_kind)kind, flags[i]);
            twin_hold_begin(&hold, stream);
            CHECK_OK(aclrtRecordEvent(event, stream));
            CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS),
                       ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
            twin_hold_end(&hold, opener);
            CHECK_OK(aclrtSynchronizeEvent(event));
            CHECK_OK(aclrtDestroyEvent(event));
        }
    end();
}

void test_host_wait_errors(void)
{
    begin();
    aclrtEvent external = twin_event_flags(EVENT_FLAG, ACL_EVENT_EXTERNAL);
    aclrtEvent dead = twin_event(EVENT_EX);
    CHECK_OK(aclrtDestroyEvent(dead));
    CHECK_CODE(aclrtSynchronizeEvent(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(NULL, 10), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSynchronizeEvent(dead), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtSynchronizeEvent(external), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyEvent(external));
    end();
}

void test_host_wait_timeout(void)
{
    begin();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, SHORT_MS),
                   ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, 1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        twin_hold_release(&hold, opener);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, -1));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        CHECK_OK(aclrtDestroyNotify(hold.notify));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

/* ---- times ---------------------------------------------------------------------------------- */

/* Time of one copy of `bytes` to the device, measured by a pair of events. */
static float measure(aclrtEvent start, aclrtEvent stop, twin_buffer *data, size_t bytes)
{
    float elapsed = -1;
    CHECK_OK(aclrtRecordEvent(start, stream));
    CHECK_OK(aclrtMemcpyAsync(data->device, bytes, data->host, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                              stream));
    CHECK_OK(aclrtRecordEvent(stop, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtEventElapsedTime(&elapsed, start, stop));
    return elapsed;
}

void test_elapsed_time(void)
{
    enum { LARGE = 8 << 20 };
    twin_buffer data;
    begin();
    twin_buffer_make(&data, LARGE, 0);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
        aclrtEvent start = twin_event_flags((twin_event_kind)kind, flags);
        aclrtEvent stop = twin_event_flags((twin_event_kind)kind, flags);
        float small = measure(start, stop, &data, 64);
        if (kind == EVENT_FLAG) { /* a level flag needs its reset between uses */
            CHECK_OK(aclrtResetEvent(start, stream));
            CHECK_OK(aclrtResetEvent(stop, stream));
        }
        float large = measure(start, stop, &data, LARGE);
        CHECK(small >= 0);
        CHECK(large > small);
        CHECK_OK(aclrtDestroyEvent(stop));
        CHECK_OK(aclrtDestroyEvent(start));
    }
    twin_buffer_free(&data);
    end();
}

void test_time_not_available(void)
{
    twin_hold hold;
    float elapsed = -1;
    uint64_t time = 0;
    begin();
    aclrtEvent done = twin_event(EVENT_PLAIN);
    aclrtEvent event = twin_event(EVENT_PLAIN);
    CHECK_OK(aclrtRecordEvent(done, stream));
    CHECK_OK(aclrtSynchronizeEvent(done));
    CHECK_CODE(aclrtEventGetTimestamp(event, &time), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, done, event), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, event, done), ACL_ERROR_RT_INTERNAL_ERROR);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_CODE(aclrtEventGetTimestamp(event, &time), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, done, event), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtEventGetTimestamp(event, &time));
    CHECK_OK(aclrtEventElapsedTime(&elapsed, done, event));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyEvent(done));
    end();
}

void test_time_errors(void)
{
    float elapsed = -1;
    uint64_t time = 0;
    begin();
    aclrtEvent event = twin_event(EVENT_PLAIN);
    aclrtEvent external = twin_event_flags(EVENT_FLAG, ACL_EVENT_EXTERNAL);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_CODE(aclrtEventElapsedTime(NULL, event, event), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, NULL, event), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventGetTimestamp(NULL, &time), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventGetTimestamp(event, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtEventGetTimestamp(external, &time), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, event, external), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtEventElapsedTime(&elapsed, external, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyEvent(external));
    CHECK_OK(aclrtDestroyEvent(event));
    end();
}

void test_timestamps_rise(void)
{
    enum { EVENTS = 10 };
    aclrtEvent events[EVENTS];
    uint64_t last = 0;
    begin();
    for (int i = 0; i < EVENTS; i++) {
        events[i] = twin_event_flags((twin_event_kind)(i % EVENT_KINDS),
                                     ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
        CHECK_OK(aclrtRecordEvent(events[i], stream));
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < EVENTS; i++) {
        uint64_t time = 0;
        CHECK_OK(aclrtEventGetTimestamp(events[i], &time));
        CHECK(time >= last);
        last = time;
        CHECK_OK(aclrtDestroyEvent(events[i]));
    }
    /* A pause of device time shows: microseconds are the unit. */
    aclrtEvent late = twin_event(EVENT_PLAIN);
    twin_hold hold;
    uint64_t time = 0;
    twin_hold_begin(&hold, stream);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 100), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordEvent(late, stream));
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtEventGetTimestamp(late, &time));
    CHECK(time >= last + 100000);
    CHECK_OK(aclrtDestroyEvent(late));
    end();
}

void test_time_without_flag(void)
{
    float elapsed = -1;
    uint64_t time = 0;
    begin();
    for (int kind = EVENT_FLAG; kind < EVENT_KINDS; kind++) {
        aclrtEvent event = twin_event_flags((twin_event_kind)kind, ACL_EVENT_SYNC);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtSynchronizeEvent(event));
        /* Unspecified: any answer will do, a crash will not. */
        (void)aclrtEventGetTimestamp(event, &time);
        (void)aclrtEventElapsedTime(&elapsed, event, event);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    end();
}

/* The first of two pending records completes: the event's time is that of the second, which does
 * not. */
static void check_replaced_record_gives_no_time(twin_event_kind kind)
{
    twin_hold one;
    twin_hold two;
    uint64_t time = 0;
    aclrtStream other = twin_stream();
    aclrtEvent event = twin_event_flags(kind, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
    twin_hold_begin(&one, stream);
    twin_hold_begin(&two, other);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtRecordEvent(event, other));
    twin_hold_end(&one, opener);
    CHECK_CODE(aclrtEventGetTimestamp(event, &time), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    twin_hold_end(&two, opener);
    CHECK_OK(aclrtEventGetTimestamp(event, &time));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(other));
}

void test_time_after_second_record(void)
{
    static const twin_event_kind kinds[] = {EVENT_PLAIN, EVENT_EX};
    begin();
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        twin_hold hold;
        uint64_t before = 0;
        uint64_t after = 0;
        aclrtEvent event = twin_event_flags(kinds[i], ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtSynchronizeEvent(event));
        CHECK_OK(aclrtEventGetTimestamp(event, &before));
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_CODE(aclrtEventGetTimestamp(event, &after), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtEventGetTimestamp(event, &after));
        CHECK(after >= before);
        CHECK_OK(aclrtDestroyEvent(event));
        check_replaced_record_gives_no_time(kinds[i]);
    }
    end();
}
