/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads abort, stop, fail, destroy, submit and wait on streams that they share. Clean
 * under a thread sanitizer; nothing hangs. */
#include <stdatomic.h>
#include <string.h>

#include "control_tests.h"

enum { STORM_THREADS = 6, STORM_ROUNDS = 60, STORM_STREAMS = 4 };

typedef struct storm_state {
    aclrtContext context;
    _Atomic(aclrtStream) streams[STORM_STREAMS];
    aclrtEvent events[STORM_STREAMS];
    aclrtNotify notify;
    twin_buffer cells;
    atomic_int reports;
} storm_state;

static storm_state weather;

static void count_exception(aclrtExceptionInfo *info)
{
    CHECK(aclrtGetDeviceIdFromExceptionInfo(info) == 0);
    atomic_fetch_add(&weather.reports, 1);
}

/* What any call may answer while others abort, stop and destroy below it. */
static void check_stormy(aclError code)
{
    const aclError allowed[] = {ACL_SUCCESS,
                                ACL_ERROR_RT_STREAM_ABORT,
                                ACL_ERROR_RT_DEVICE_TASK_ABORT,
                                ACL_ERROR_RT_INVALID_HANDLE,
                                ACL_ERROR_RT_TASK_TIMEOUT,
                                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                                ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                                ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                                ACL_ERROR_RT_INTERNAL_ERROR};
    for (size_t i = 0; i < TWIN_COUNT(allowed); i++)
        if (code == allowed[i])
            return;
    CHECK_OK(code);
}

static void blow(storm_state *storm, unsigned thread, unsigned round)
{
    unsigned at = (thread * 7 + round * 3) % STORM_STREAMS;
    aclrtStream stream = atomic_load(&storm->streams[at]);
    aclrtEvent event = storm->events[(at + round) % STORM_STREAMS];
    aclrtStreamAttrValue value = {.streamPriority = round % 8};
    aclError code;
    switch ((thread + round) % 10) {
    case 0:
        check_stormy(aclrtStreamAbort(stream));
        break;
    case 1:
        check_stormy(aclrtDeviceTaskAbort(0, 0));
        break;
    case 2: {
        aclrtStream fresh = NULL;
        code = aclrtCreateStream(&fresh);
        check_stormy(code);
        if (code != ACL_SUCCESS)
            break;
        aclrtStream old = atomic_exchange(&storm->streams[at], fresh);
        check_stormy(round % 2 ? aclrtDestroyStream(old) : aclrtDestroyStreamForce(old));
        break;
    }
    case 3:
        check_stormy(aclrtStreamStop(stream));
        break;
    case 4:
        check_stormy(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
        check_stormy(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        break;
    case 5:
        check_stormy(aclrtWaitAndResetNotify(storm->notify, stream, 1));
        check_stormy(aclrtRecordEvent(event, stream));
        check_stormy(aclrtSynchronizeEventWithTimeout(event, 3 * SOON_MS));
        break;
    case 6:
        /* refused (EVT-75) while no thread has recorded it */
        if ((code = aclrtStreamWaitEvent(stream, event)) != ACL_ERROR_RT_PARAM_INVALID)
            check_stormy(code);
        check_stormy(aclrtSynchronizeDeviceWithTimeout(3 * SOON_MS));
        break;
    default:
        for (int i = 0; i < 8; i++)
            check_stormy(aclrtMemsetAsync(storm->cells.device, CELL_BYTES, i, CELL_BYTES, stream));
        check_stormy(aclrtRecordEvent(event, stream));
        check_stormy(aclrtSynchronizeStreamWithTimeout(stream, 3 * SOON_MS));
        break;
    }
}

static void storm_on_thread(void *argument, unsigned index)
{
    storm_state *storm = argument;
    CHECK_OK(aclrtSetCurrentContext(storm->context));
    for (unsigned round = 0; round < STORM_ROUNDS; round++)
        blow(storm, index, round);
}

static void run_storm(bool stops)
{
    memset(&weather, 0, sizeof(weather));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&weather.context, 0));
    weather.notify = twin_notify();
    twin_buffer_make(&weather.cells, CELL_BYTES, 0);
    for (int i = 0; i < STORM_STREAMS; i++) {
        weather.streams[i] = twin_stream();
        weather.events[i] = twin_event((twin_event_kind)(i % EVENT_KINDS));
    }
    if (stops)
        CHECK_OK(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(count_exception));
    twin_threads_run(STORM_THREADS, storm_on_thread, &weather);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(count_exception));
    /* All of it is still whole. */
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    for (int i = 0; i < STORM_STREAMS; i++) {
        twin_mark(&weather.cells, 0, 100 + i, weather.streams[i]);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(weather.streams[i], SOON_MS));
        CHECK(twin_marked(&weather.cells, 0, 100 + i));
        CHECK_OK(aclrtDestroyStream(weather.streams[i]));
        CHECK_OK(aclrtDestroyEvent(weather.events[i]));
    }
    twin_buffer_free(&weather.cells);
    CHECK_OK(aclrtDestroyNotify(weather.notify));
    CHECK_OK(aclrtDestroyContext(weather.context));
    CHECK_OK(aclrtResetDevice(0));
}

void test_control_and_destruction(void)
{
    run_storm(false);
    run_storm(true);
}
