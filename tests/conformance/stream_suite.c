/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: creation, limits, destruction, synchronisation, queries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "suite.h"

#define BYTES 4096

/* ---- creation ------------------------------------------------------------------------------- */

static void test_plain_creation(void)
{
    aclrtStream stream = NULL;
    uint32_t priority = 99;
    uint32_t flags = 99;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK(stream != NULL);
    CHECK_OK(aclrtStreamGetPriority(stream, &priority));
    CHECK_OK(aclrtStreamGetFlags(stream, &flags));
    CHECK_EQUAL(priority, 0);
    CHECK_EQUAL(flags, 0);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void create_without_context(void *unused)
{
    (void)unused;
    aclrtStream stream = NULL;
    CHECK_CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtCreateStreamWithConfig(&stream, 0, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(stream == NULL);
}

static void test_creation_errors(void)
{
    twin_on_thread(create_without_context, NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtCreateStreamWithConfig(NULL, 0, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtResetDevice(0));
}

/* More than any part has. */
#define STREAMS_MOST 2048

/* The limit of the part, default streams included. */
static uint32_t stream_limit(void)
{
    return (uint32_t)twin_profile_value("limit.streams");
}

static void test_stream_limit(void)
{
    static aclrtStream streams[STREAMS_MOST + 1];
    const unsigned limit = stream_limit();
    char number[16];
    twin_buffer data;
    unsigned made = 0;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, BYTES, 0);
    aclError code = ACL_SUCCESS;
    while (made <= STREAMS_MOST && (code = aclrtCreateStream(&streams[made])) == ACL_SUCCESS)
        made++;
    CHECK_EQUAL(made, limit - 1); /* and the default stream */
    /* Which of the two runs out: the queues of the part, or its stream ids. */
    CHECK_CODE(code, twin_profile_value("limit.stream_ids") > limit
                         ? ACL_ERROR_RT_RESOURCE_ALLOC_FAIL
                         : ACL_ERROR_RT_NO_STREAM_RESOURCE);
    const char *text = aclGetRecentErrMsg();
    snprintf(number, sizeof(number), "%u", limit);
    CHECK(text && strstr(text, number)); /* states their number and their holders */

    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 1, BYTES, streams[0]));
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES / 2, 2, BYTES / 2, streams[0]));
    CHECK_OK(aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                              streams[0]));
    CHECK_OK(aclrtSynchronizeStream(streams[0]));
    CHECK_BYTES(data.host, 2, BYTES / 2);
    if (made > 0) {
        CHECK_OK(aclrtSynchronizeStream(streams[made - 1]));
        CHECK_OK(aclrtDestroyStream(streams[made - 1]));
        CHECK_OK(aclrtCreateStream(&streams[made - 1]));
    }
    for (unsigned i = 0; i < made; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static void count_without_context(void *unused)
{
    (void)unused;
    uint32_t count = 0;
    CHECK_CODE(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetStreamAvailableNum(&count), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_available_number(void)
{
    uint32_t before = 0;
    uint32_t during = 0;
    uint32_t after = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetStreamAvailableNum(&before));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    CHECK_OK(aclrtGetStreamAvailableNum(&during));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtGetStreamAvailableNum(&after));
    CHECK_EQUAL(during, before - 2);
    CHECK_EQUAL(after, before);
    CHECK_EQUAL(before, stream_limit() - 1);
    CHECK_CODE(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM);
    twin_on_thread(count_without_context, NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void check_stream_works(aclrtStream stream)
{
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 0);
    CHECK_OK(aclrtMemsetAsync(data.device, BYTES, 0x3c, BYTES, stream));
    CHECK_OK(
        aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_BYTES(data.host, 0x3c, BYTES);
    twin_buffer_free(&data);
}

static void test_flags_change_cost_only(void)
{
    static const uint32_t flags[] = {0, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
                                     ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC,
                                     ACL_STREAM_HUGE};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(flags); i++) {
        aclrtStream stream = NULL;
        if (!CHECK_OK(aclrtCreateStreamWithConfig(&stream, 0, flags[i])))
            continue;
        check_stream_works(stream);
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_device_use_only(void)
{
    aclrtStream stream = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(
        aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_FAST_SYNC),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(
        aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_PERSISTENT),
        ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_priorities(void)
{
    static const struct {
        uint32_t asked;
        uint32_t kept;
    } priorities[] = {{0, 0}, {3, 3}, {7, 7}, {8, 7}, {100, 7}, {INT32_MAX, 7}};
    uint32_t priority = 99;
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(priorities); i++) {
        aclrtStream stream = NULL;
        if (!CHECK_OK(aclrtCreateStreamWithConfig(&stream, priorities[i].asked, 0)))
            continue;
        CHECK_OK(aclrtStreamGetPriority(stream, &priority));
        CHECK_EQUAL(priority, priorities[i].kept);
        check_stream_works(stream);
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtStreamGetPriority(NULL, &priority));
    CHECK_EQUAL(priority, 0);
    CHECK_CODE(aclrtStreamGetPriority(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_priority_breaks_nothing(void)
{
    enum { STREAMS = 16, ROUNDS = 20 };
    aclrtStream streams[STREAMS];
    twin_buffer data[STREAMS];
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = NULL;
        CHECK_OK(aclrtCreateStreamWithConfig(&streams[i], (uint32_t)i % 8, 0));
        twin_buffer_make(&data[i], BYTES, 0);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STREAMS; i++)
            CHECK_OK(aclrtMemsetAsync(data[i].device, BYTES, round + i, BYTES, streams[i]));
    for (int i = 0; i < STREAMS; i++) {
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[i], SOON_MS));
        twin_buffer_read(&data[i]);
        CHECK_BYTES(data[i].host, (uint8_t)(ROUNDS - 1 + i), BYTES);
        twin_buffer_free(&data[i]);
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_flags_read_back(void)
{
    static const uint32_t flags[] = {0, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
                                     ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC};
    uint32_t got = 99;
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(flags); i++) {
        aclrtStream stream = NULL;
        CHECK_OK(aclrtCreateStreamWithConfig(&stream, 0, flags[i]));
        CHECK_OK(aclrtStreamGetFlags(stream, &got));
        CHECK_EQUAL(got, flags[i]);
        CHECK_CODE(aclrtStreamGetFlags(stream, NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtStreamGetFlags(NULL, &got));
    CHECK_OK(aclrtResetDevice(0));
}

static int compare_ids(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left;
    int32_t b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static void test_ids(void)
{
    enum { STREAMS = 40 };
    aclrtStream streams[STREAMS];
    aclrtStream implicit = NULL;
    int32_t ids[STREAMS + 1];
    int32_t again = -1;
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = twin_stream();
        CHECK_OK(aclrtStreamGetId(streams[i], &ids[i]));
    }
    CHECK_OK(aclrtStreamGetId(NULL, &ids[STREAMS]));
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&implicit));
    CHECK_OK(aclrtStreamGetId(implicit, &again));
    CHECK_EQUAL(again, ids[STREAMS]);
    CHECK_OK(aclrtSynchronizeStream(streams[3]));
    CHECK_OK(aclrtStreamGetId(streams[3], &again));
    CHECK_EQUAL(again, ids[3]);
    CHECK_CODE(aclrtStreamGetId(streams[3], NULL), ACL_ERROR_INVALID_PARAM);
    qsort(ids, STREAMS + 1, sizeof(ids[0]), compare_ids);
    for (int i = 1; i <= STREAMS; i++)
        CHECK(ids[i] != ids[i - 1]);
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- destruction ---------------------------------------------------------------------------- */

static void test_destroy_waits(void)
{
    enum { LARGE = 16 << 20 };
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&data, LARGE, 0);
    CHECK_OK(aclrtMemsetAsync(data.device, LARGE, 0x6b, LARGE, stream));
    CHECK_OK(
        aclrtMemcpyAsync(data.host, LARGE, data.device, LARGE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_BYTES(data.host, 0x6b, LARGE);
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_destroy_null(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtResetDevice(0));
}

static void check_dead(aclrtStream stream)
{
    twin_buffer data;
    aclrtStreamStatus status;
    uint32_t value = 0;
    int32_t id = 0;
    aclrtEvent event = twin_event(EVENT_EX);
    twin_buffer_make(&data, 64, 0);
    CHECK_CODE(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamGetPriority(stream, &value), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamGetFlags(stream, &value), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamGetId(stream, &id), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtRecordEvent(event, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtMemsetAsync(data.device, 64, 1, 64, stream), ACL_ERROR_RT_INVALID_HANDLE);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
}

static void test_dead_handles(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtDestroyStream(stream));
    check_dead(stream);
    aclrtStream fresh = twin_stream(); /* may take the old one's place */
    check_dead(stream);
    CHECK_OK(aclrtDestroyStream(fresh));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_destroy_in_another_context(void)
{
    aclrtContext first = NULL;
    aclrtContext second = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&first));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtCreateContext(&second, 0));
    CHECK_CODE(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(first));
    check_stream_works(stream);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyContext(second));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_default_stream_survives(void)
{
    aclrtStream implicit = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&implicit));
    CHECK_FAILS(aclrtDestroyStream(implicit));
    CHECK_FAILS(aclrtDestroyStreamForce(implicit));
    check_stream_works(NULL);
    check_stream_works(implicit);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_forced_destroy(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream other = twin_stream();
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtDestroyStreamForce(held));
    check_dead(held);
    CHECK_CODE(aclrtDestroyStreamForce(NULL), ACL_ERROR_INVALID_PARAM);
    check_stream_works(other);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    aclrtStream fresh = twin_stream(); /* nothing of the dropped work comes back */
    check_stream_works(fresh);
    CHECK(twin_idle(fresh));
    CHECK_OK(aclrtDestroyStream(fresh));
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtResetDevice(0));
}

static void test_event_outlives_its_stream(void)
{
    CHECK_OK(aclrtSetDevice(0));
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtStream stream = twin_stream();
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtDestroyStream(stream));
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK(twin_recorded(event));
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- synchronisation and queries ------------------------------------------------------------ */

static void test_synchronize_covers_this_stream_only(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream stream = twin_stream();
    twin_hold_begin(&hold, held);
    check_stream_works(stream);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK(twin_idle(stream));
    CHECK(!twin_idle(held));
    twin_hold_end(&hold, stream);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_synchronize_null(void)
{
    CHECK_OK(aclrtSetDevice(0));
    check_stream_works(NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void synchronize_without_context(void *unused)
{
    (void)unused;
    aclrtStreamStatus status;
    CHECK_CODE(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(NULL, 10), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamQuery(NULL, &status), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_synchronize_idle_streams(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_OK(aclrtDestroyStream(stream));
    twin_on_thread(synchronize_without_context, NULL);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_passive_streams_are_not_waited_for(void)
{
    static const uint32_t flags[] = {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE,
                                     ACL_STREAM_DEVICE_USE_ONLY};
    aclrtNotify never = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateNotify(&never, 0));
    for (size_t i = 0; i < TWIN_COUNT(flags); i++) {
        aclrtStream stream = NULL;
        aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
        if (!CHECK_OK(aclrtCreateStreamWithConfig(&stream, 0, flags[i])))
            continue;
        (void)aclrtWaitAndResetNotify(never, stream, 0); /* accepted or not */
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS));
        CHECK_OK(aclrtStreamQuery(stream, &status));
        CHECK_OK(aclrtSynchronizeDevice());
        CHECK_OK(aclrtDestroyStreamForce(stream));
    }
    CHECK_OK(aclrtDestroyNotify(never));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_synchronize_with_timeout(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(held, -1));
    twin_hold_begin(&hold, held);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(held, SHORT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(held, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(held, -2), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(held, INT32_MIN), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(!twin_idle(held));
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(held, -1));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

typedef struct waiters {
    aclrtContext context;
    aclrtStream stream;
} waiters;

static void wait_for_stream(void *argument, unsigned index)
{
    waiters *shared = argument;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    CHECK_OK(aclrtSynchronizeStream(shared->stream));
    CHECK(twin_idle(shared->stream));
}

static void test_several_threads_wait(void)
{
    enum { THREADS = 4, LARGE = 8 << 20 };
    twin_buffer data;
    waiters shared;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared.context));
    shared.stream = twin_stream();
    twin_buffer_make(&data, LARGE, 0);
    for (int i = 0; i < 10; i++)
        CHECK_OK(aclrtMemsetAsync(data.device, LARGE, i, LARGE, shared.stream));
    twin_threads_run(THREADS, wait_for_stream, &shared);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 9, LARGE);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(shared.stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_query(void)
{
    twin_hold hold;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    CHECK_OK(aclrtStreamQuery(stream, &status));
    CHECK_EQUAL(status, ACL_STREAM_STATUS_COMPLETE);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtStreamQuery(stream, &status));
    CHECK_EQUAL(status, ACL_STREAM_STATUS_NOT_READY);
    CHECK_OK(aclrtStreamQuery(NULL, &status));
    CHECK_EQUAL(status, ACL_STREAM_STATUS_COMPLETE);
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtStreamQuery(stream, &status));
    CHECK_EQUAL(status, ACL_STREAM_STATUS_COMPLETE);
    CHECK_CODE(aclrtStreamQuery(stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtStreamQuery(NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"STR-01: a plain stream has the highest priority and no flags", test_plain_creation},
    {"STR-02: creation needs an output and a context", test_creation_errors},
    {"STR-03: the device's stream limit holds, and one less makes room", test_stream_limit},
    {"STR-04: the number of available streams follows creation and destruction",
     test_available_number},
    {"STR-05: flags for speed do not change results", test_flags_change_cost_only},
    {"STR-06: a device-only stream takes no other flag", test_device_use_only},
    {"STR-07, STR-09: priorities above 7 become 7 and read back", test_priorities},
    {"STR-08: streams of all priorities give right results", test_priority_breaks_nothing},
    {"STR-10, STR-11: flags read back", test_flags_read_back},
    {"STR-12: ids are stable and unique", test_ids},
    {"STR-15: destroying a stream waits for its tasks", test_destroy_waits},
    {"STR-16: destroying NULL is refused", test_destroy_null},
    {"STR-17: a destroyed handle is refused everywhere, also when its place is taken again",
     test_dead_handles},
    {"STR-18: a stream of another context cannot be destroyed", test_destroy_in_another_context},
    {"STR-19: the default stream cannot be destroyed", test_default_stream_survives},
    {"STR-21: a forced destroy does not wait", test_forced_destroy},
    {"STR-22: an event recorded on a destroyed stream is complete", test_event_outlives_its_stream},
    {"STR-23: synchronisation covers the stream's tasks and no other stream's",
     test_synchronize_covers_this_stream_only},
    {"STR-24: synchronising NULL means the default stream", test_synchronize_null},
    {"STR-25, DEV-53: streams whose tasks do not run on submission are not waited for",
     test_passive_streams_are_not_waited_for},
    {"STR-26: idle streams synchronise at once, no context is an error",
     test_synchronize_idle_streams},
    {"STR-28: synchronisation with a timeout", test_synchronize_with_timeout},
    {"STR-29: several threads synchronise one stream", test_several_threads_wait},
    {"STR-30, STR-31: the query distinguishes done from pending and needs an output", test_query},
};

static const twin_suite suite = {
    .name = "stream", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
