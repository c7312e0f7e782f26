/* SPDX-License-Identifier: Apache-2.0 */
/* Order: which tasks happen before which others, and which do not. */
#include <string.h>

#include "suite.h"

#define BYTES 4096

/* Sets BYTES bytes of device memory in stream order. */
static void submit_fill(aclrtStream stream, uint8_t *device, uint8_t value)
{
    CHECK_OK(aclrtMemsetAsync(device, BYTES, value, BYTES, stream));
}

static void submit_read(aclrtStream stream, twin_buffer *to, const uint8_t *device)
{
    CHECK_OK(
        aclrtMemcpyAsync(to->host, to->bytes, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

static void test_stream_is_first_in_first_out(void)
{
    enum { STEPS = 200 };
    twin_buffer cell;
    twin_buffer log;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&cell, 64, 0xee);
    twin_buffer_make(&log, STEPS * 64, 0xee);

    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(aclrtMemsetAsync(cell.device, 64, i, 64, stream));
        CHECK_OK(aclrtMemcpyAsync(log.device + i * 64, 64, cell.device, 64,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    }
    CHECK_OK(aclrtMemcpyAsync(log.host, log.bytes, log.device, log.bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                              stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));

    for (int i = 0; i < STEPS; i++)
        CHECK_BYTES(log.host + i * 64, (uint8_t)i, 64);
    twin_buffer_free(&log);
    twin_buffer_free(&cell);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_parked_stream_stops_no_other(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream parked = twin_stream();
    aclrtStream other = twin_stream();
    twin_buffer_make(&data, BYTES, 0);

    twin_hold_begin(&hold, parked);
    submit_fill(other, data.device, 0x21);
    submit_read(other, &data, data.device);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(other, SOON_MS));
    CHECK_BYTES(data.host, 0x21, BYTES);
    CHECK(!twin_idle(parked));

    twin_hold_end(&hold, other);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtDestroyStream(parked));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void check_no_implicit_barrier(aclrtStream parked, aclrtStream other)
{
    twin_hold hold;
    twin_buffer data;
    twin_buffer_make(&data, BYTES, 0);
    submit_fill(other, data.device, 1);
    twin_hold_begin(&hold, parked);
    submit_fill(other, data.device, 2);
    submit_read(other, &data, data.device);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(other, SOON_MS));
    CHECK_BYTES(data.host, 2, BYTES);
    CHECK(!twin_idle(parked));
    twin_hold_end(&hold, other);
    twin_buffer_free(&data);
}

static void test_default_stream_is_no_barrier(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    check_no_implicit_barrier(NULL, stream);
    check_no_implicit_barrier(stream, NULL);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_task_failure_comes_later(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent never = twin_event(EVENT_FLAG);

    CHECK_OK(aclrtStreamWaitEventWithTimeout(stream, never, 1));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, 10 * SOON_MS), ACL_ERROR_RT_TASK_TIMEOUT);

    CHECK_OK(aclrtDestroyEvent(never));
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_success_means_accepted(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream other = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_buffer_make(&data, BYTES, 7);

    twin_hold_begin(&hold, stream);
    submit_fill(stream, data.device, 9);
    submit_read(stream, &data, data.device);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK(!twin_recorded(event));
    CHECK_BYTES(data.host, 7, BYTES);

    twin_hold_end(&hold, other);
    CHECK_BYTES(data.host, 9, BYTES);
    CHECK(twin_recorded(event));
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_record_orders_before_wait(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    aclrtStream opener = twin_stream();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        twin_buffer data;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        twin_buffer_make(&data, BYTES, 0x10);

        twin_hold_begin(&hold, first);
        submit_fill(first, data.device, 0x5a);
        CHECK_OK(aclrtRecordEvent(event, first));
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        submit_read(second, &data, data.device);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, SHORT_MS),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_BYTES(data.host, 0x10, BYTES);

        twin_hold_release(&hold, opener);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
        CHECK_BYTES(data.host, 0x5a, BYTES);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(first, SOON_MS));
        CHECK_OK(aclrtDestroyNotify(hold.notify));
        CHECK_OK(aclrtDestroyEvent(event));
        twin_buffer_free(&data);
    }
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_tasks_before_the_wait_run_at_once(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    aclrtEvent early = twin_event(EVENT_EX);
    twin_buffer_make(&data, BYTES, 0);

    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    submit_fill(second, data.device, 3);
    submit_read(second, &data, data.device);
    CHECK_OK(aclrtRecordEvent(early, second));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK_OK(aclrtSynchronizeEventWithTimeout(early, SOON_MS));
    CHECK_BYTES(data.host, 3, BYTES);
    CHECK(!twin_idle(second));
    CHECK(!twin_idle(first));

    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(early));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_tasks_after_the_record_hold_no_waiter(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtRecordEvent(event, first));
        twin_hold_begin(&hold, first);
        CHECK_OK(aclrtStreamWaitEvent(second, event));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
        CHECK(!twin_idle(first));
        twin_hold_end(&hold, second);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_wait_does_not_block_the_host(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    aclrtStream third = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_buffer_make(&data, BYTES, 0);

    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    /* We are here, so the host went on; other host work goes on too. */
    CHECK(!twin_idle(second));
    submit_fill(third, data.device, 4);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(third, SOON_MS));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 4, BYTES);
    CHECK(!twin_idle(second));

    twin_hold_end(&hold, third);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(third));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_one_record_releases_all_waiters(void)
{
    enum { WAITERS = 5 };
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream recorder = twin_stream();
    aclrtStream late = twin_stream();
    aclrtStream waiters[WAITERS];
    for (int i = 0; i < WAITERS; i++)
        waiters[i] = twin_stream();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        twin_hold_begin(&hold, recorder);
        CHECK_OK(aclrtRecordEvent(event, recorder));
        for (int i = 0; i < WAITERS; i++)
            CHECK_OK(aclrtStreamWaitEvent(waiters[i], event));
        for (int i = 0; i < WAITERS; i++)
            CHECK(!twin_idle(waiters[i]));
        twin_hold_end(&hold, late);
        for (int i = 0; i < WAITERS; i++)
            CHECK_OK(aclrtSynchronizeStreamWithTimeout(waiters[i], SOON_MS));
        /* The waits have not used the event up. */
        CHECK(twin_recorded(event));
        for (int i = 0; i < 3; i++) {
            CHECK_OK(aclrtStreamWaitEvent(late, event));
            CHECK_OK(aclrtSynchronizeStreamWithTimeout(late, SOON_MS));
        }
        CHECK_OK(aclrtDestroyEvent(event));
    }
    for (int i = 0; i < WAITERS; i++)
        CHECK_OK(aclrtDestroyStream(waiters[i]));
    CHECK_OK(aclrtDestroyStream(late));
    CHECK_OK(aclrtDestroyStream(recorder));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_order_is_transitive(void)
{
    enum { LINKS = 6 };
    twin_hold hold;
    twin_buffer data;
    aclrtStream streams[LINKS];
    aclrtEvent events[LINKS];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream opener = twin_stream();
    twin_buffer_make(&data, BYTES, 0);
    for (int i = 0; i < LINKS; i++) {
        streams[i] = twin_stream();
        events[i] = twin_event((twin_event_kind)(i % EVENT_KINDS));
    }

    twin_hold_begin(&hold, streams[0]);
    submit_fill(streams[0], data.device, 0x44);
    CHECK_OK(aclrtRecordEvent(events[0], streams[0]));
    for (int i = 1; i < LINKS; i++) { /* the streams between have no other work */
        CHECK_OK(aclrtStreamWaitEvent(streams[i], events[i - 1]));
        CHECK_OK(aclrtRecordEvent(events[i], streams[i]));
    }
    submit_read(streams[LINKS - 1], &data, data.device);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(streams[LINKS - 1], SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    for (int i = 0; i < LINKS; i++)
        CHECK(!twin_recorded(events[i]));
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[LINKS - 1], SOON_MS));
    CHECK_BYTES(data.host, 0x44, BYTES);

    for (int i = 0; i < LINKS; i++) {
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(streams[i], SOON_MS));
        CHECK_OK(aclrtDestroyEvent(events[i]));
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_host_sync_makes_results_visible(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twin_buffer_make(&data, BYTES, 0);

    submit_fill(stream, data.device, 0x61);
    submit_read(stream, &data, data.device);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(data.host, 0x61, BYTES);

    submit_fill(stream, data.device, 0x62);
    submit_read(stream, &data, data.device);
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_BYTES(data.host, 0x62, BYTES);

    submit_fill(stream, data.device, 0x63);
    submit_read(stream, &data, data.device);
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_BYTES(data.host, 0x63, BYTES);

    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_event_wait_covers_earlier_work_only(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        twin_hold hold;
        aclrtEvent event = twin_event((twin_event_kind)kind);
        CHECK_OK(aclrtRecordEvent(event, stream));
        twin_hold_begin(&hold, stream);
        CHECK_OK(aclrtSynchronizeEventWithTimeout(event, SOON_MS));
        CHECK(!twin_idle(stream));
        twin_hold_end(&hold, opener);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

enum { SUBMITTERS = 8, SUBMISSIONS = 100, CELL = 64 };

typedef struct shared_stream {
    twin_buffer cells; /* one of each thread */
    twin_buffer log;   /* SUBMISSIONS of each thread */
} shared_stream;

static void submit_to_default(void *argument, unsigned index)
{
    shared_stream *shared = argument;
    uint8_t *cell = shared->cells.device + index * CELL;
    uint8_t *log = shared->log.device + (size_t)index * SUBMISSIONS * CELL;
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < SUBMISSIONS; i++) {
        CHECK_OK(aclrtMemsetAsync(cell, CELL, (int)index * 16 + i, CELL, NULL));
        CHECK_OK(
            aclrtMemcpyAsync(log + i * CELL, CELL, cell, CELL, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_threads_share_the_default_stream(void)
{
    shared_stream shared;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&shared.cells, SUBMITTERS * CELL, 0);
    twin_buffer_make(&shared.log, (size_t)SUBMITTERS * SUBMISSIONS * CELL, 0xcc);
    twin_threads_run(SUBMITTERS, submit_to_default, &shared);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, 60 * SOON_MS));
    twin_buffer_read(&shared.log);
    for (int t = 0; t < SUBMITTERS; t++)
        for (int i = 0; i < SUBMISSIONS; i++)
            CHECK_BYTES(shared.log.host + (t * SUBMISSIONS + i) * CELL, (uint8_t)(t * 16 + i),
                        CELL);
    twin_buffer_free(&shared.log);
    twin_buffer_free(&shared.cells);
    CHECK_OK(aclrtResetDeviceForce(0));
}

/* A small computation by copies: rotates eight cells a few times, then marks one. */
static void submit_rotation(aclrtStream stream, uint8_t *cells)
{
    uint8_t *spare = cells + 8 * CELL;
    for (int i = 0; i < 8; i++)
        CHECK_OK(aclrtMemsetAsync(cells + i * CELL, CELL, i + 1, CELL, stream));
    for (int round = 0; round < 5; round++) {
        CHECK_OK(aclrtMemcpyAsync(spare, CELL, cells, CELL, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        for (int i = 0; i < 7; i++)
            CHECK_OK(aclrtMemcpyAsync(cells + i * CELL, CELL, cells + (i + 1) * CELL, CELL,
                                      ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        CHECK_OK(aclrtMemcpyAsync(cells + 7 * CELL, CELL, spare, CELL, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                  stream));
    }
    CHECK_OK(aclrtMemsetAsync(spare, CELL, 0x99, CELL, stream));
}

static void test_default_and_explicit_streams_agree(void)
{
    twin_buffer implicit;
    twin_buffer explicit;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&implicit, 9 * CELL, 0);
    twin_buffer_make(&explicit, 9 * CELL, 0);
    submit_rotation(NULL, implicit.device);
    submit_rotation(stream, explicit.device);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    twin_buffer_read(&implicit);
    twin_buffer_read(&explicit);
    CHECK(memcmp(implicit.host, explicit.host, implicit.bytes) == 0);
    for (int i = 0; i < 8; i++) /* five rotations by one: cell i holds what cell (i + 5) % 8 had */
        CHECK_BYTES(explicit.host + i * CELL, (uint8_t)((i + 5) % 8 + 1), CELL);
    twin_buffer_free(&explicit);
    twin_buffer_free(&implicit);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void test_documented_life_of_resources(void)
{
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateEvent(&event));
    CHECK_OK(aclrtRecordEvent(event, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

static const twin_test tests[] = {
    {"ORD-01: tasks of one stream run one after the other, each seeing the one before",
     test_stream_is_first_in_first_out},
    {"ORD-02: a parked stream stops no other stream", test_parked_stream_stops_no_other},
    {"ORD-03: the default stream is not a barrier, in either direction",
     test_default_stream_is_no_barrier},
    {"ORD-04: a task's failure comes from a later synchronisation, not from its submission",
     test_task_failure_comes_later},
    {"ORD-04: success of a submission means queued, not done", test_success_means_accepted},
    {"ORD-05: work before a record happens before work after a wait for it",
     test_record_orders_before_wait},
    {"ORD-06: tasks before the wait do not wait", test_tasks_before_the_wait_run_at_once},
    {"ORD-06: tasks after the record hold no waiter", test_tasks_after_the_record_hold_no_waiter},
    {"ORD-07: a stream's wait does not block the host", test_wait_does_not_block_the_host},
    {"ORD-08: one record releases all waiters and stays set", test_one_record_releases_all_waiters},
    {"ORD-09: order passes through streams that only wait and record", test_order_is_transitive},
    {"ORD-10: after a synchronisation the results are in host memory",
     test_host_sync_makes_results_visible},
    {"ORD-11: waiting for an event does not wait for what came after it",
     test_event_wait_covers_earlier_work_only},
    {"ORD-12: eight threads on the default stream lose, double and tear nothing",
     test_threads_share_the_default_stream},
    {"ORD-13: the default stream and an explicit one give the same results",
     test_default_and_explicit_streams_agree},
    {"ORD-14: the documented order of acquiring and releasing succeeds at each step",
     test_documented_life_of_resources},
};

static const twin_suite suite = {.name = "order", .tests = tests, .test_count = TWIN_COUNT(tests)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
