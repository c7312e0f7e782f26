/* SPDX-License-Identifier: Apache-2.0 */
/* Failure modes of streams. */
#include "control_tests.h"

#define HEAD_FLAG 0x00000000u

aclrtNotify twin_notify(void)
{
    aclrtNotify notify = NULL;
    CHECK_OK(aclrtCreateNotify(&notify, 0));
    return notify;
}

void twin_fail_task(aclrtNotify notify, aclrtStream stream)
{
    CHECK_OK(aclrtWaitAndResetNotify(notify, stream, FAIL_S));
}

void twin_mark(twin_buffer *cells, unsigned index, int value, aclrtStream stream)
{
    CHECK_OK(aclrtMemsetAsync(cells->device + index * CELL_BYTES, CELL_BYTES, value, CELL_BYTES,
                              stream));
}

bool twin_marked(twin_buffer *cells, unsigned index, int value)
{
    uint8_t *host = cells->host + index * CELL_BYTES;
    CHECK_OK(aclrtMemcpy(host, CELL_BYTES, cells->device + index * CELL_BYTES, CELL_BYTES,
                         ACL_MEMCPY_DEVICE_TO_HOST));
    for (unsigned i = 0; i < CELL_BYTES; i++)
        if (host[i] != value)
            return false;
    return true;
}

void twin_until_others_wait(aclrtStream parked)
{
    /* Time only passes at once when every thread waits. */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(parked, 5 * SOON_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

/* What most of these tests need. */
typedef struct test_scene {
    aclrtStream first, second;
    aclrtNotify notify; /* never recorded */
    twin_buffer cells;
} test_scene;

static void begin(test_scene *scene)
{
    CHECK_OK(aclrtSetDevice(0));
    scene->first = twin_stream();
    scene->second = twin_stream();
    scene->notify = twin_notify();
    twin_buffer_make(&scene->cells, 8 * CELL_BYTES, 0);
}

static void end(test_scene *scene)
{
    twin_buffer_free(&scene->cells);
    CHECK_OK(aclrtDestroyNotify(scene->notify));
    CHECK_OK(aclrtDestroyStream(scene->second));
    CHECK_OK(aclrtDestroyStream(scene->first));
    CHECK_OK(aclrtResetDevice(0));
}

void test_continue_is_the_default(void)
{
    test_scene s;
    begin(&s);
    twin_mark(&s.cells, 0, 1, s.first);
    twin_fail_task(s.notify, s.first);
    twin_mark(&s.cells, 1, 1, s.first);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK(twin_marked(&s.cells, 0, 1));
    CHECK(twin_marked(&s.cells, 1, 1));
    /* Reported once; the stream goes on. */
    twin_mark(&s.cells, 2, 1, s.first);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
    CHECK(twin_marked(&s.cells, 2, 1));
    end(&s);
}

void test_several_failures(void)
{
    test_scene s;
    begin(&s);
    twin_fail_task(s.notify, s.first);
    twin_fail_task(s.notify, s.first);
    twin_mark(&s.cells, 0, 1, s.first);
    CHECK_FAILS(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS));
    CHECK(twin_marked(&s.cells, 0, 1));
    end(&s);
}

void test_stop_ends_the_stream(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    twin_mark(&s.cells, 0, 1, s.first);
    twin_fail_task(s.notify, s.first);
    twin_mark(&s.cells, 1, 1, s.first);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK(twin_marked(&s.cells, 0, 1));
    CHECK(twin_marked(&s.cells, 1, 0));
    end(&s);
}

void test_stop_ends_the_context(void)
{
    test_scene s;
    twin_hold hold;
    begin(&s);
    aclrtStream third = twin_stream();
    CHECK_OK(aclrtSetStreamFailureMode(s.second, ACL_STOP_ON_FAILURE));
    twin_hold_begin(&hold, third);
    twin_mark(&s.cells, 0, 1, third);
    twin_fail_task(s.notify, s.first);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(third, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK(twin_marked(&s.cells, 0, 0));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyStream(third));
    end(&s);
}

void test_stop_spares_other_contexts(void)
{
    test_scene s;
    aclrtContext own = NULL;
    aclrtContext other = NULL;
    begin(&s);
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    aclrtStream spared = twin_stream();
    twin_fail_task(s.notify, spared); /* fails too, and stops nothing */
    twin_mark(&s.cells, 0, 1, spared);
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    twin_fail_task(s.notify, s.first);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_OK(aclrtSetCurrentContext(other));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(spared, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    twin_mark(&s.cells, 1, 1, spared);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(spared, SOON_MS));
    CHECK(twin_marked(&s.cells, 0, 1));
    CHECK(twin_marked(&s.cells, 1, 1));
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    end(&s);
}

/* All calls that queue or wait return the failure; other calls work. */
static void check_stopped(test_scene *s, aclrtStream stream, aclrtEvent event)
{
    uint8_t *cell = s->cells.device;
    CHECK_CODE(aclrtMemsetAsync(cell, CELL_BYTES, 9, CELL_BYTES, stream),
               ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtMemcpyAsync(cell, CELL_BYTES, cell + CELL_BYTES, CELL_BYTES,
                                ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
               ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtRecordEvent(event, stream), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtRecordNotify(s->notify, stream), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtWaitAndResetNotify(s->notify, stream, 1), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_TASK_TIMEOUT);
}

void test_stop_is_sticky(void)
{
    test_scene s;
    void *memory = NULL;
    begin(&s);
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    twin_fail_task(s.notify, s.first);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    for (int i = 0; i < 2; i++) {
        check_stopped(&s, s.first, event);
        check_stopped(&s, s.second, event);
        check_stopped(&s, NULL, event);
    }
    CHECK_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, CELL_BYTES, 5, CELL_BYTES));
    CHECK_OK(
        aclrtMemcpy(s.cells.device, CELL_BYTES, memory, CELL_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
    CHECK(twin_marked(&s.cells, 0, 5));
    CHECK_OK(aclrtFree(memory));
    CHECK_OK(aclrtDestroyEvent(event));
    end(&s);
}

void test_stop_reaches_new_streams(void)
{
    test_scene s;
    begin(&s);
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE));
    aclrtStream before = twin_stream();
    twin_fail_task(s.notify, before);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(before, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    aclrtStream after = twin_stream();
    check_stopped(&s, after, event);
    CHECK_OK(aclrtDestroyStream(after));
    CHECK_OK(aclrtDestroyStream(before));
    CHECK_OK(aclrtDestroyEvent(event));
    end(&s);
}

void test_stop_cannot_be_taken_back(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_CONTINUE_ON_FAILURE));
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    CHECK_OK(aclrtSetStreamFailureMode(s.second, ACL_STOP_ON_FAILURE));
    CHECK_CODE(aclrtSetStreamFailureMode(s.first, ACL_CONTINUE_ON_FAILURE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_CONTINUE_ON_FAILURE)); /* kept per stream */
    end(&s);
}

static void mode_without_context(void *stream)
{
    CHECK_CODE(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE), ACL_ERROR_RT_PARAM_INVALID);
}

void test_mode_refusals(void)
{
    test_scene s;
    aclrtContext own = NULL;
    aclrtContext other = NULL;
    aclrtStream device_only = NULL;
    begin(&s);
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE),
               ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtCreateStreamWithConfig(&device_only, 0, ACL_STREAM_DEVICE_USE_ONLY));
    CHECK_CODE(aclrtSetStreamFailureMode(device_only, ACL_STOP_ON_FAILURE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtSetStreamFailureMode(s.first, 2)); /* bit 0 counts */
    twin_on_thread(mode_without_context, s.first);
    CHECK_OK(aclrtDestroyStream(device_only));
    CHECK_CODE(aclrtSetStreamFailureMode(device_only, ACL_STOP_ON_FAILURE),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(own));
    end(&s);
}

void test_mode_of_the_default_stream(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_CONTINUE_ON_FAILURE));
    CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE));
    CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE));
    twin_fail_task(s.notify, NULL);
    twin_mark(&s.cells, 0, 1, NULL);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(NULL, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK(twin_marked(&s.cells, 0, 0));
    end(&s);
}

void test_stop_again_after_a_failure(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    twin_fail_task(s.notify, s.first);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_CODE(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    end(&s);
}

void test_events_after_a_failure(void)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        test_scene s;
        begin(&s);
        aclrtEvent before = twin_event((twin_event_kind)kind);
        aclrtEvent after = twin_event((twin_event_kind)kind);
        aclrtEvent beside = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
        CHECK_OK(aclrtRecordEvent(before, s.first));
        twin_fail_task(s.notify, s.first);
        CHECK_OK(aclrtRecordEvent(after, s.first));
        CHECK_OK(aclrtWaitAndResetNotify(s.notify, s.second, 0));
        CHECK_OK(aclrtRecordEvent(beside, s.second));
        CHECK(!twin_recorded(after));
        CHECK_CODE(aclrtSynchronizeEventWithTimeout(after, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
        CHECK_CODE(aclrtSynchronizeEventWithTimeout(beside, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(before, SOON_MS));
        CHECK(twin_recorded(before));
        CHECK(twin_recorded(after));
        CHECK(twin_recorded(beside));
        CHECK_OK(aclrtDestroyEvent(beside));
        CHECK_OK(aclrtDestroyEvent(after));
        CHECK_OK(aclrtDestroyEvent(before));
        end(&s);
    }
}

typedef struct waiters {
    aclrtContext context;
    aclrtEvent event;
    aclrtStream stream;
} waiters;

static void wait_for_failure(void *argument, unsigned index)
{
    waiters *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index % 2 == 0)
        CHECK_CODE(aclrtSynchronizeEvent(shared->event), ACL_ERROR_RT_TASK_TIMEOUT);
    else
        CHECK_CODE(aclrtSynchronizeStream(shared->stream), ACL_ERROR_RT_TASK_TIMEOUT);
}

void test_threads_are_released_by_a_failure(void)
{
    test_scene s;
    waiters shared;
    begin(&s);
    CHECK_OK(aclrtGetCurrentContext(&shared.context));
    shared.event = twin_event(EVENT_EX);
    shared.stream = s.second;
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    CHECK_OK(aclrtWaitAndResetNotify(s.notify, s.second, 0));
    CHECK_OK(aclrtRecordEvent(shared.event, s.second));
    twin_fail_task(s.notify, s.first);
    twin_threads_run(4, wait_for_failure, &shared);
    CHECK_OK(aclrtDestroyEvent(shared.event));
    end(&s);
}

void test_device_abort_lets_a_context_go_on(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtSetStreamFailureMode(s.first, ACL_STOP_ON_FAILURE));
    for (int round = 0; round < 2; round++) { /* the mode stays */
        twin_fail_task(s.notify, s.first);
        twin_mark(&s.cells, 0, 9, s.first);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS), ACL_SUCCESS);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.first, FAILED_MS),
                   ACL_ERROR_RT_TASK_TIMEOUT);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);
        CHECK_OK(aclrtDeviceTaskAbort(0, 0));
        twin_mark(&s.cells, 1, round + 1, s.first);
        twin_mark(&s.cells, 2, round + 1, s.second);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.first, SOON_MS));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.second, SOON_MS));
        CHECK(twin_marked(&s.cells, 0, 0));
        CHECK(twin_marked(&s.cells, 1, round + 1));
        CHECK(twin_marked(&s.cells, 2, round + 1));
    }
    end(&s);
}

void test_streams_of_a_model(void)
{
    test_scene s;
    aclmdlRI model = NULL;
    aclrtStream bound = NULL;
    begin(&s);
    CHECK_OK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT));
    CHECK_OK(aclmdlRIBuildBegin(&model, 0));
    CHECK_OK(aclmdlRIBindStream(model, bound, HEAD_FLAG));
    CHECK_CODE(aclrtSetStreamFailureMode(bound, ACL_STOP_ON_FAILURE),
               ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtStreamAbort(bound), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_CODE(aclrtStreamStop(bound), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK_OK(aclmdlRIUnbindStream(model, bound));
    CHECK_OK(aclrtSetStreamFailureMode(bound, ACL_STOP_ON_FAILURE));
    CHECK_CODE(aclmdlRIBindStream(model, bound, HEAD_FLAG), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclmdlRIDestroy(model));
    CHECK_OK(aclrtDestroyStream(bound));
    end(&s);
}
