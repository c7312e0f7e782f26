/* SPDX-License-Identifier: Apache-2.0 */
/* Taking work back: of a stream, of a device, of one task. */
#include <stdatomic.h>
#include <string.h>

#include "control_tests.h"

/* ---- streams -------------------------------------------------------------------------------- */

void test_abort_and_go_on(void)
{
    twin_buffer cells;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream streams[] = {twin_stream(), NULL};
    aclrtNotify notify = twin_notify();
    twin_buffer_make(&cells, 4 * CELL_BYTES, 0);
    for (unsigned i = 0; i < TWIN_COUNT(streams); i++) {
        CHECK_OK(aclrtStreamAbort(streams[i])); /* idle */
        CHECK_OK(aclrtWaitAndResetNotify(notify, streams[i], 0));
        twin_mark(&cells, i, 1, streams[i]);
        CHECK(!twin_idle(streams[i]));
        CHECK_OK(aclrtStreamAbort(streams[i]));
        CHECK(twin_idle(streams[i]));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[i], SOON_MS));
        CHECK(twin_marked(&cells, i, 0));
        twin_mark(&cells, 2 + i, 1, streams[i]);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[i], SOON_MS));
        CHECK(twin_marked(&cells, i, 0));
        CHECK(twin_marked(&cells, 2 + i, 1));
    }
    twin_buffer_free(&cells);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtDestroyStream(streams[0]));
    CHECK_OK(aclrtResetDevice(0));
}

/* Until a small fill on the stream is done, which takes a few us: on the model without a call that
 * waits or asks, as the caller's clock passes 2 ms by the profile (host.local_ns); elsewhere time
 * passes for real. */
static void pass_time(aclrtStream stream)
{
    int32_t device = 0;
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    if (strcmp(twin_test_backend(), "ascend") == 0)
        while (status != ACL_STREAM_STATUS_COMPLETE)
            if (!CHECK_OK(aclrtStreamQuery(stream, &status)))
                return;
    for (unsigned calls = 0; calls < 20000; calls++)
        CHECK_OK(aclrtGetDevice(&device));
}

static void keeps_finished_work(aclError (*drop)(aclrtStream))
{
    twin_buffer cells;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&cells, CELL_BYTES, 0);
    twin_mark(&cells, 0, 1, stream);
    pass_time(stream);
    CHECK_OK(drop(stream));
    CHECK(twin_marked(&cells, 0, 1));
    twin_buffer_free(&cells);
    if (drop != aclrtDestroyStreamForce)
        CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static aclError abort_device(aclrtStream stream)
{
    (void)stream;
    return aclrtDeviceTaskAbort(0, 1000);
}

void test_abort_keeps_finished_work(void)
{
    keeps_finished_work(aclrtStreamAbort);
    keeps_finished_work(aclrtDestroyStreamForce);
    keeps_finished_work(abort_device);
}

typedef struct shared_state {
    aclrtContext context;
    aclrtStream stream;
    aclrtStream parked;
    aclrtNotify notify;
    aclrtEvent event;
    twin_buffer cells;
    aclError want;
    atomic_int over;
} shared_state;

static void begin(shared_state *shared)
{
    memset(shared, 0, sizeof(*shared));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared->context));
    shared->stream = twin_stream();
    shared->parked = twin_stream();
    shared->notify = twin_notify();
    shared->event = twin_event(EVENT_EX);
    twin_buffer_make(&shared->cells, 8 * CELL_BYTES, 0);
    CHECK_OK(aclrtWaitAndResetNotify(shared->notify, shared->parked, 0));
}

static void end(shared_state *shared)
{
    twin_buffer_free(&shared->cells);
    CHECK_OK(aclrtDestroyEvent(shared->event));
    CHECK_OK(aclrtDestroyStreamForce(shared->parked));
    CHECK_OK(aclrtDestroyStreamForce(shared->stream));
    CHECK_OK(aclrtDestroyNotify(shared->notify));
    CHECK_OK(aclrtResetDevice(0));
}

static void submit_and_wait(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index == 0) {
        for (int i = 0; i < 300; i++)
            CHECK_EITHER(aclrtStreamAbort(shared->stream), ACL_SUCCESS, shared->want);
        atomic_store(&shared->over, 1);
        return;
    }
    while (!atomic_load(&shared->over)) {
        CHECK_EITHER(
            aclrtMemsetAsync(shared->cells.device, CELL_BYTES, 1, CELL_BYTES, shared->stream),
            ACL_SUCCESS, shared->want);
        CHECK_EITHER(aclrtSynchronizeStreamWithTimeout(shared->stream, SOON_MS), ACL_SUCCESS,
                     shared->want);
    }
}

void test_submitting_beside_an_abort(void)
{
    shared_state shared;
    begin(&shared);
    shared.want = ACL_ERROR_RT_STREAM_ABORT;
    twin_threads_run(3, submit_and_wait, &shared);
    twin_mark(&shared.cells, 1, 2, shared.stream);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
    CHECK(twin_marked(&shared.cells, 1, 2));
    end(&shared);
}

static void wait_for_abort(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index % 2 == 0)
        CHECK_CODE(aclrtSynchronizeStream(shared->stream), shared->want);
    else
        CHECK_CODE(aclrtSynchronizeEvent(shared->event), shared->want);
}

static void hold_with_waiters(shared_state *shared, aclError want, twin_threads **out_threads)
{
    shared->want = want;
    CHECK_OK(aclrtWaitAndResetNotify(shared->notify, shared->stream, 0));
    twin_mark(&shared->cells, 0, 1, shared->stream);
    CHECK_OK(aclrtRecordEvent(shared->event, shared->stream));
    *out_threads = twin_threads_start(4, wait_for_abort, shared);
    twin_until_others_wait(shared->parked);
}

void test_abort_releases_threads(void)
{
    shared_state shared;
    twin_threads *threads = NULL;
    begin(&shared);
    hold_with_waiters(&shared, ACL_ERROR_RT_STREAM_ABORT, &threads);
    CHECK_OK(aclrtStreamAbort(shared.stream));
    twin_threads_join(threads);
    CHECK(twin_marked(&shared.cells, 0, 0));
    CHECK(!twin_recorded(shared.event));
    end(&shared);
}

static void fill_the_ring(void *argument, unsigned index)
{
    shared_state *shared = argument;
    aclError code = ACL_SUCCESS;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    for (int i = 0; i < 100000 && code == ACL_SUCCESS; i++)
        code = aclrtMemsetAsync(shared->cells.device, CELL_BYTES, 1, CELL_BYTES, shared->stream);
    CHECK_CODE(code, shared->want);
}

void test_abort_releases_a_sender(void)
{
    shared_state shared;
    begin(&shared);
    shared.want = ACL_ERROR_RT_STREAM_ABORT;
    CHECK_OK(aclrtWaitAndResetNotify(shared.notify, shared.stream, 0));
    twin_threads *threads = twin_threads_start(1, fill_the_ring, &shared);
    twin_until_others_wait(shared.parked);
    CHECK_OK(aclrtStreamAbort(shared.stream));
    twin_threads_join(threads);
    CHECK(twin_marked(&shared.cells, 0, 0));
    end(&shared);
}

void test_abort_leaves_others_waiting(void)
{
    shared_state shared;
    begin(&shared);
    aclrtStream dependent = twin_stream();
    CHECK_OK(aclrtWaitAndResetNotify(shared.notify, shared.stream, 0));
    CHECK_OK(aclrtRecordEvent(shared.event, shared.stream));
    CHECK_OK(aclrtStreamWaitEvent(dependent, shared.event));
    twin_mark(&shared.cells, 0, 1, dependent);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(dependent, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamAbort(shared.stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(dependent, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamAbort(dependent));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(dependent, SOON_MS));
    CHECK(twin_marked(&shared.cells, 0, 0));
    CHECK_OK(aclrtDestroyStream(dependent));
    end(&shared);
}

static void abort_without_context(void *stream)
{
    CHECK_CODE(aclrtStreamAbort(stream), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtStreamAbort(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtStreamStop(stream), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_abort_refusals(void)
{
    shared_state shared;
    aclrtContext other = NULL;
    aclrtStream device_only = NULL;
    begin(&shared);
    CHECK_OK(aclrtCreateStreamWithConfig(&device_only, 0, ACL_STREAM_DEVICE_USE_ONLY));
    CHECK_CODE(aclrtStreamAbort(device_only), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtDestroyStream(device_only));
    CHECK_CODE(aclrtStreamAbort(device_only), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclrtStreamAbort(shared.stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtStreamStop(shared.stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(shared.context));
    twin_on_thread(abort_without_context, shared.stream);
    end(&shared);
}

/* ---- one task ------------------------------------------------------------------------------- */

void test_stop_ends_one_task(void)
{
    shared_state shared;
    begin(&shared);
    CHECK_OK(aclrtStreamStop(shared.stream)); /* idle */
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtWaitAndResetNotify(shared.notify, shared.stream, 0));
    twin_mark(&shared.cells, 0, 1, shared.stream);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(shared.stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamStop(shared.stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(shared.stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamStop(shared.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
    CHECK(twin_marked(&shared.cells, 0, 1));
    /* The notify was not used up by a wait that was ended. */
    CHECK_OK(aclrtRecordNotify(shared.notify, shared.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.parked, SOON_MS));
    end(&shared);
}

/* A fill that takes far longer than the calls around it. */
#define LONG_BYTES ((size_t)1 << 30)

void test_stop_ends_a_fill(void)
{
    shared_state shared;
    void *memory = NULL;
    begin(&shared);
    CHECK_OK(aclrtMalloc(&memory, LONG_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, CELL_BYTES, 3, CELL_BYTES));
    CHECK_OK(aclrtMemsetAsync(memory, LONG_BYTES, 4, LONG_BYTES, shared.stream));
    twin_mark(&shared.cells, 0, 1, shared.stream);
    for (int i = 0; i < 5; i++) /* time passes on the host: the fill has begun */
        CHECK(!twin_idle(shared.stream));
    CHECK_OK(aclrtStreamStop(shared.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
    CHECK(twin_marked(&shared.cells, 0, 1));
    CHECK_OK(
        aclrtMemcpy(shared.cells.host, CELL_BYTES, memory, CELL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK_BYTES(shared.cells.host, 3, CELL_BYTES);
    CHECK_OK(aclrtFree(memory));
    end(&shared);
}

void test_stop_refusals(void)
{
    CHECK_CODE(aclrtStreamStop(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclrtStreamStop(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_CODE(aclrtStreamStop(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- devices -------------------------------------------------------------------------------- */

void test_device_abort(void)
{
    shared_state shared;
    aclrtContext other = NULL;
    begin(&shared);
    CHECK_OK(aclrtCreateContext(&other, 0));
    aclrtStream foreign = twin_stream();
    const uint32_t budgets[] = {0, 1000, 2160000};
    for (size_t i = 0; i < TWIN_COUNT(budgets); i++) {
        CHECK_OK(aclrtSetCurrentContext(other));
        CHECK_OK(aclrtWaitAndResetNotify(shared.notify, foreign, 0));
        twin_mark(&shared.cells, 0, 1, foreign);
        CHECK_OK(aclrtSetCurrentContext(shared.context));
        CHECK_OK(aclrtWaitAndResetNotify(shared.notify, NULL, 0));
        CHECK_OK(aclrtWaitAndResetNotify(shared.notify, shared.stream, 0));
        twin_mark(&shared.cells, 1, 1, shared.stream);
        CHECK_OK(aclrtDeviceTaskAbort(0, budgets[i]));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(foreign, SOON_MS));
        twin_mark(&shared.cells, 2, (int)i + 1, shared.stream);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
        CHECK(twin_marked(&shared.cells, 0, 0));
        CHECK(twin_marked(&shared.cells, 1, 0));
        CHECK(twin_marked(&shared.cells, 2, (int)i + 1));
    }
    /* Another device goes on. */
    CHECK_OK(aclrtSetDevice(1));
    twin_buffer there;
    aclrtStream elsewhere = twin_stream();
    twin_buffer_make(&there, CELL_BYTES, 0);
    twin_mark(&there, 0, 1, elsewhere);
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(elsewhere, SOON_MS));
    CHECK(twin_marked(&there, 0, 1));
    twin_buffer_free(&there);
    CHECK_OK(aclrtDestroyStream(elsewhere));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtDestroyContext(other));
    CHECK_OK(aclrtSetCurrentContext(shared.context));
    end(&shared);
}

void test_device_abort_refusals(void)
{
    CHECK_CODE(aclrtDeviceTaskAbort(0, 2160001), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceTaskAbort(0, UINT32_MAX), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtDeviceTaskAbort(-1, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceTaskAbort(64, 0), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtDeviceTaskAbort(0, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtDeviceTaskAbort(1, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_CODE(aclrtDeviceTaskAbort(0, 0), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_device_abort_releases_threads(void)
{
    shared_state shared;
    twin_threads *threads = NULL;
    begin(&shared);
    hold_with_waiters(&shared, ACL_ERROR_RT_DEVICE_TASK_ABORT, &threads);
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    twin_threads_join(threads);
    CHECK(twin_marked(&shared.cells, 0, 0));
    end(&shared);
}

/* What the callbacks of these tests saw. */
typedef struct abort_notes {
    int calls;
    int32_t device;
    aclrtDeviceTaskAbortStage stages[4];
    uint32_t left_ms[4];
    int32_t answers[4];   /* what to answer */
    aclrtStream burning;  /* a parked stream of another device to wait for in PRE, or NULL */
    shared_state *shared; /* what to try in the callback, or NULL */
} abort_notes;

static void try_everything(shared_state *shared)
{
    aclrtStream made = NULL;
    twin_buffer *cells = &shared->cells;
    CHECK_CODE(aclrtMemsetAsync(cells->device, CELL_BYTES, 9, CELL_BYTES, shared->stream),
               ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtMemsetAsync(cells->device, CELL_BYTES, 9, CELL_BYTES, NULL),
               ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtRecordEvent(shared->event, shared->stream), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtSynchronizeStream(shared->stream), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtSynchronizeEvent(shared->event), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtSynchronizeDevice(), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtStreamAbort(shared->stream), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtStreamStop(shared->stream), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtCreateStream(&made), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtDeviceTaskAbort(0, 0), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(aclrtMemset(cells->device, CELL_BYTES, 9, CELL_BYTES),
               ACL_ERROR_RT_DEVICE_TASK_ABORT);
    CHECK_CODE(
        aclrtMemcpy(cells->device, CELL_BYTES, cells->host, CELL_BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
        ACL_ERROR_RT_DEVICE_TASK_ABORT);
}

static void try_on_thread(void *argument, unsigned index)
{
    shared_state *shared = argument;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    try_everything(shared);
}

static int32_t note_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout,
                          void *args)
{
    abort_notes *notes = args;
    int call = notes->calls++ % 4;
    notes->device = device;
    notes->stages[call] = stage;
    notes->left_ms[call] = timeout;
    if (notes->shared)
        try_everything(notes->shared);
    if (notes->shared)
        twin_threads_run(1, try_on_thread, notes->shared);
    if (notes->burning && stage == ACL_RT_DEVICE_TASK_ABORT_PRE)
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(notes->burning, 50),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    return notes->answers[call];
}

void test_calls_during_a_device_abort(void)
{
    shared_state shared;
    begin(&shared);
    abort_notes notes = {.shared = &shared};
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("control", note_abort, &notes));
    CHECK_OK(aclrtRecordEvent(shared.event, shared.stream));
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    CHECK_EQUAL(notes.calls, 2);
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("control", NULL, NULL));
    /* Over: everything is taken again. */
    twin_mark(&shared.cells, 0, 1, shared.stream);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
    CHECK(twin_marked(&shared.cells, 0, 1));
    end(&shared);
}

void test_device_abort_callbacks(void)
{
    abort_notes first = {.device = -1};
    abort_notes second = {.device = -1};
    CHECK_CODE(aclrtSetDeviceTaskAbortCallback(NULL, note_abort, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("unknown", NULL, NULL));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("first", note_abort, &first));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("second", note_abort, &second));
    CHECK_CODE(aclrtSetDeviceTaskAbortCallback("first", note_abort, &second),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSetDevice(1));
    CHECK_OK(aclrtDeviceTaskAbort(1, 0));
    CHECK_EQUAL(first.calls, 2);
    CHECK_EQUAL(second.calls, 2);
    CHECK_EQUAL(first.device, 1);
    CHECK_EQUAL(first.stages[0], ACL_RT_DEVICE_TASK_ABORT_PRE);
    CHECK_EQUAL(first.stages[1], ACL_RT_DEVICE_TASK_ABORT_POST);
    CHECK_EQUAL(first.left_ms[0], 0);
    CHECK_EQUAL(first.left_ms[1], 0);
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("first", NULL, NULL));
    CHECK_OK(aclrtDeviceTaskAbort(1, 1000));
    CHECK_EQUAL(first.calls, 2);
    CHECK_EQUAL(second.calls, 4);
    CHECK(second.left_ms[2] > 0 && second.left_ms[2] <= 1000);
    CHECK(second.left_ms[3] > 0 && second.left_ms[3] <= second.left_ms[2]);
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("second", NULL, NULL));
    CHECK_CODE(aclrtDeviceTaskAbort(0, 0), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQUAL(second.calls, 4);
    CHECK_OK(aclrtResetDevice(1));
}

/* The callback waits for 50 ms of device time on the other device. */
void test_device_abort_budget(void)
{
    shared_state shared;
    aclrtNotify there = NULL;
    abort_notes notes = {.device = -1};
    begin(&shared);
    CHECK_OK(aclrtWaitAndResetNotify(shared.notify, shared.stream, 0));
    CHECK_OK(aclrtSetDevice(1));
    notes.burning = twin_stream();
    CHECK_OK(aclrtCreateNotify(&there, 0));
    CHECK_OK(aclrtWaitAndResetNotify(there, notes.burning, 0));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("control", note_abort, &notes));

    CHECK_CODE(aclrtDeviceTaskAbort(0, 20), ACL_ERROR_RT_WAIT_TIMEOUT);
    CHECK_EQUAL(notes.calls, 1);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(shared.stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT); /* nothing was dropped */
    CHECK_OK(aclrtDeviceTaskAbort(0, 200));
    CHECK_EQUAL(notes.calls, 3);
    CHECK(notes.left_ms[1] == 200);
    CHECK(notes.left_ms[2] > 0 && notes.left_ms[2] <= 150);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));

    CHECK_OK(aclrtSetDeviceTaskAbortCallback("control", NULL, NULL));
    CHECK_OK(aclrtDestroyStreamForce(notes.burning));
    CHECK_OK(aclrtDestroyNotify(there));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetCurrentContext(shared.context));
    end(&shared);
}

void test_callback_ends_the_abort(void)
{
    shared_state shared;
    abort_notes first = {.answers = {507000, 0, 0, 0}};
    abort_notes second = {.device = -1};
    begin(&shared);
    CHECK_OK(aclrtWaitAndResetNotify(shared.notify, shared.stream, 0));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("first", note_abort, &first));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("second", note_abort, &second));
    CHECK_CODE(aclrtDeviceTaskAbort(0, 0), 507000);
    CHECK_EQUAL(first.calls, 1);
    CHECK_EQUAL(second.calls, 0);
    CHECK_CODE(
        aclrtSynchronizeStreamWithTimeout(shared.stream, SHORT_MS),
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT); /* nothing was dropped, and it can be waited for */
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    CHECK_EQUAL(second.calls, 2);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.stream, SOON_MS));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("first", NULL, NULL));
    CHECK_OK(aclrtSetDeviceTaskAbortCallback("second", NULL, NULL));
    end(&shared);
}
