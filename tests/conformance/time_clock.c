/* SPDX-License-Identifier: Apache-2.0 */
/* Device time: exact, on a grid, advanced by waiting threads. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "suite.h"
#include "time_tests.h"

#define MIB ((size_t)1 << 20)

/* Device time between two events, in whole nanoseconds. */
static int64_t elapsed_ns(aclrtEvent start, aclrtEvent stop)
{
    float ms = -1;
    CHECK_OK(aclrtEventElapsedTime(&ms, start, stop));
    return llround((double)ms * 1e6);
}

static uint64_t timestamp_us(aclrtEvent event)
{
    uint64_t time = 0;
    CHECK_OK(aclrtEventGetTimestamp(event, &time));
    return time;
}

/* One tick of the counter, in whole nanoseconds or a little more. */
static int64_t grid_ns(void)
{
    uint64_t mhz = twin_profile_value("counter_mhz");
    return (int64_t)((1000 + mhz - 1) / mhz);
}

/* Whether a duration is a whole number of the counter's ticks. A tick that is not a whole number of
 * nanoseconds puts both ends at the last nanosecond before it. */
static bool on_the_grid(int64_t ns)
{
    int64_t mhz = (int64_t)twin_profile_value("counter_mhz");
    int64_t ticks = (ns * mhz + 500) / 1000;
    int64_t off = ns - ticks * 1000 / mhz;
    return 1000 % mhz == 0 ? off == 0 : off >= -1 && off <= 1;
}

static aclrtEvent timed_event(void)
{
    return twin_event_flags(EVENT_EX, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

void test_times_are_on_the_grid(void)
{
    enum { MEASURED = 12 };
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent start = timed_event();
    aclrtEvent stop = timed_event();
    twin_buffer_make(&data, MIB, 0);
    for (size_t i = 0; i < MEASURED; i++) {
        size_t bytes = 1 + i * 77777;
        CHECK_OK(aclrtRecordEvent(start, stream));
        CHECK_OK(aclrtMemcpyAsync(data.device, bytes, data.host, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                                  stream));
        CHECK_OK(aclrtRecordEvent(stop, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK(on_the_grid(elapsed_ns(start, stop)));
    }
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyEvent(stop));
    CHECK_OK(aclrtDestroyEvent(start));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Device time between two records with `calls` local calls between their submissions. */
static int64_t measure_calls(aclrtStream stream, aclrtEvent start, aclrtEvent stop, int calls)
{
    int32_t id = 0;
    CHECK_OK(aclrtRecordEvent(start, stream));
    for (int i = 0; i < calls; i++)
        CHECK_OK(aclrtStreamGetId(stream, &id));
    CHECK_OK(aclrtRecordEvent(stop, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    return elapsed_ns(start, stop);
}

void test_host_calls_take_time(void)
{
    enum { FEW = 1000, MANY = 3000 };
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtEvent start = timed_event();
    aclrtEvent stop = timed_event();
    int64_t local = (int64_t)twin_profile_value("host.local_ns");
    int64_t few = measure_calls(stream, start, stop, FEW);
    int64_t many = measure_calls(stream, start, stop, MANY);
    int64_t extra = many - few - (MANY - FEW) * local;
    CHECK(extra >= -grid_ns() && extra <= grid_ns());
    CHECK_OK(aclrtDestroyEvent(stop));
    CHECK_OK(aclrtDestroyEvent(start));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_submitting_moves_nothing(void)
{
    enum { TASKS = 200 };
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&data, 64 * TASKS, 1);
    CHECK_OK(aclrtMemset(data.device, data.bytes, 2, data.bytes));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(aclrtMemcpyAsync(data.host + 64 * i, 64, data.device + 64 * i, 64,
                                  ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK_BYTES(data.host, 1, data.bytes); /* by now the first copies are long due */
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(data.host, 2, data.bytes);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void record_on_fresh_thread(void *pointer)
{
    aclrtEvent event = pointer;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtRecordEvent(event, NULL));
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtResetDevice(0));
}

void test_time_never_runs_backwards(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream held = twin_stream();
    aclrtEvent first = timed_event();
    aclrtEvent second = timed_event();
    aclrtEvent third = timed_event();
    twin_hold_begin(&hold, held);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(held, 500), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordEvent(first, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_on_thread(record_on_fresh_thread, second); /* its clock began far behind */
    CHECK_OK(aclrtRecordEvent(third, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK(timestamp_us(second) >= timestamp_us(first));
    CHECK(timestamp_us(third) >= timestamp_us(first));
    twin_hold_end(&hold, stream);
    CHECK_OK(aclrtDestroyEvent(third));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyEvent(first));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_timeouts_cost_no_wall_time(void)
{
    enum { TIMEOUT_MS = 3600000 }; /* were it to pass for real, the test would be ended */
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream held = twin_stream();
    aclrtEvent before = timed_event();
    aclrtEvent after = timed_event();
    aclrtEvent blocked = timed_event();
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtRecordEvent(blocked, held));
    CHECK_OK(aclrtRecordEvent(before, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(held, TIMEOUT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(blocked, TIMEOUT_MS),
               ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    CHECK_CODE(aclrtSynchronizeDeviceWithTimeout(TIMEOUT_MS), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordEvent(after, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    uint64_t passed = timestamp_us(after) - timestamp_us(before);
    CHECK(passed >= 3 * TIMEOUT_MS * 1000ull);
    CHECK(passed < 3 * TIMEOUT_MS * 1000ull + 1000); /* and not more than the calls' own cost */
    twin_hold_end(&hold, stream);
    CHECK_OK(aclrtDestroyEvent(blocked));
    CHECK_OK(aclrtDestroyEvent(after));
    CHECK_OK(aclrtDestroyEvent(before));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_unsynchronised_reads_are_old(void)
{
    enum { ROUNDS = 100, BYTES = 4096 };
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&data, BYTES, 0);
    for (int round = 1; round <= ROUNDS; round++) {
        CHECK_OK(aclrtMemsetAsync(data.device, BYTES, round, BYTES, stream));
        CHECK_OK(aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                                  stream));
        CHECK_BYTES(data.host, (uint8_t)(round - 1), BYTES);
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_BYTES(data.host, (uint8_t)round, BYTES);
    }
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

void test_polling_ends(void)
{
    enum { MOST = 10000000 };
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&data, 32 * MIB, 0);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        aclrtEvent event = twin_event((twin_event_kind)kind);
        int polls = 0;
        CHECK_OK(aclrtMemcpyAsync(data.device, data.bytes, data.host, data.bytes,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK_OK(aclrtRecordEvent(event, stream));
        while (polls < MOST && !twin_recorded(event))
            polls++;
        CHECK(polls > 0 && polls < MOST);

        CHECK_OK(aclrtMemcpyAsync(data.device, data.bytes, data.host, data.bytes,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
        polls = 0;
        while (polls < MOST && !twin_idle(stream))
            polls++;
        CHECK(polls > 0 && polls < MOST);
        CHECK_OK(aclrtDestroyEvent(event));
    }
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- two runs ------------------------------------------------------------------------------- */

/* Some work on several streams; prints the time of each of its events. */
void child_timestamps(void)
{
    enum { STREAMS = 5, ROUNDS = 8 };
    aclrtStream streams[STREAMS];
    aclrtEvent events[STREAMS * ROUNDS];
    twin_buffer data;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, STREAMS * MIB, 0);
    for (int i = 0; i < STREAMS; i++)
        streams[i] = twin_stream();
    for (int k = 0; k < STREAMS * ROUNDS; k++) {
        int i = k % STREAMS;
        uint8_t *device = data.device + (size_t)i * MIB;
        events[k] = timed_event();
        CHECK_OK(aclrtMemcpyAsync(device, MIB, data.host + (size_t)i * MIB, 1000 * (size_t)(k + 1),
                                  ACL_MEMCPY_HOST_TO_DEVICE, streams[i]));
        CHECK_OK(aclrtMemsetAsync(device, MIB, k, MIB / 2, streams[i]));
        if (k > 0)
            CHECK_OK(aclrtStreamWaitEvent(streams[i], events[k - 1]));
        CHECK_OK(aclrtRecordEvent(events[k], streams[i]));
    }
    CHECK_OK(aclrtSynchronizeDevice());
    for (int k = 0; k < STREAMS * ROUNDS; k++) {
        float ms = -1;
        CHECK_OK(aclrtEventElapsedTime(&ms, events[0], events[k]));
        printf("%llu %a\n", (unsigned long long)timestamp_us(events[k]), (double)ms);
    }
    for (int k = 0; k < STREAMS * ROUNDS; k++)
        CHECK_OK(aclrtDestroyEvent(events[k]));
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
    fflush(stdout);
}

/* Whether two files hold the same bytes, and some. */
static bool same_files(const char *one, const char *two)
{
    bool same = true;
    size_t bytes = 0;
    FILE *left = fopen(one, "r");
    FILE *right = fopen(two, "r");
    while (left && right && same) {
        int a = fgetc(left);
        same = a == fgetc(right);
        if (a == EOF)
            break;
        bytes++;
    }
    if (left)
        fclose(left);
    if (right)
        fclose(right);
    return left && right && same && bytes > 0;
}

void test_timelines_repeat(void)
{
    char folder[] = "/tmp/twinrt-trace-XXXXXX";
    char settings[2][64];
    CHECK(mkdtemp(folder) != NULL);
    for (int i = 0; i < 2; i++) {
        snprintf(settings[i], sizeof(settings[i]), "TWINRT_TRACE=%s/%d.json", folder, i);
        twin_run_child("timestamps", (const char *const[]){settings[i], NULL});
    }
    const char *one = strchr(settings[0], '/');
    const char *two = strchr(settings[1], '/');
    CHECK(same_files(one, two));
    remove(one);
    remove(two);
    remove(folder);
}

typedef struct load {
    _Atomic bool stop;
    char output[8192];
    int status;
} load;

static void spin_or_run(void *argument, unsigned index)
{
    load *shared = argument;
    if (index == 0) {
        shared->status =
            twin_child_status("timestamps", NULL, shared->output, sizeof(shared->output));
        atomic_store(&shared->stop, true);
        return;
    }
    while (!atomic_load(&shared->stop))
        continue;
}

void test_runs_repeat(void)
{
    static char one[8192];
    static char two[8192];
    static load three;
    CHECK_EQUAL(twin_child_status("timestamps", NULL, one, sizeof(one)), 0);
    CHECK_EQUAL(twin_child_status("timestamps", NULL, two, sizeof(two)), 0);
    CHECK(strlen(one) > 100);
    CHECK(strcmp(one, two) == 0);
    atomic_store(&three.stop, false);
    twin_threads_run(4, spin_or_run, &three); /* under load */
    CHECK_EQUAL(three.status, 0);
    CHECK(strcmp(one, three.output) == 0);
}

/* ---- the arithmetic of one copy ------------------------------------------------------------- */

/* One piece of work, its engine, and the rate of the slowest link on its route. */
typedef struct measured_work {
    const char *name;
    const char *setup; /* parameter of the engine's set-up */
    uint64_t permille_mb_s;
    uint64_t loads; /* times each byte goes over that link */
} measured_work;

/* Rules T-SQE-2, T-DMA-2, T-LNK-7 and T-SQE-5 for the work, T-SQE-2, T-SQE-3, T-SQE-5 and T-CQ-2
 * for the record that ends it. */
static int64_t expected_ns(const measured_work *work, size_t bytes)
{
    uint64_t cycles = 1000 / twin_profile_value("clock_mhz"); /* ns of one */
    CHECK_EQUAL(cycles, 1);
    uint64_t rate = work->permille_mb_s / work->loads; /* 1e-6 bytes per ns */
    uint64_t moving = ((uint64_t)bytes * 1000000 + rate - 1) / rate;
    if (twin_profile_value("firmware.loop") != 0) { /* one window of the firmware holds all of it */
        uint64_t command =
            twin_profile_value("firmware.command_ns") + twin_profile_value("firmware.report_ns");
        return (int64_t)(twin_profile_value(work->setup) + moving + 2 * command);
    }
    uint64_t copy = twin_profile_value("sqe.decode_ns") + twin_profile_value(work->setup) + moving +
                    twin_profile_value("sqe.retire_ns");
    uint64_t record = twin_profile_value("sqe.decode_ns") + twin_profile_value("table.event_ns") +
                      twin_profile_value("sqe.retire_ns") + twin_profile_value("cq.write_ns");
    return (int64_t)(copy + record);
}

/* Submits one piece of work between two records onto a held stream, so that all of it is in the
 * ring in time. */
static int64_t measure_work(int which, twin_buffer *data, size_t bytes)
{
    twin_hold hold;
    aclrtStream stream = twin_stream();
    aclrtEvent start = timed_event();
    aclrtEvent stop = timed_event();
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtRecordEvent(start, stream));
    switch (which) {
    case 0:
        CHECK_OK(aclrtMemcpyAsync(data->device, bytes, data->host, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                                  stream));
        break;
    case 1:
        CHECK_OK(aclrtMemcpyAsync(data->host, bytes, data->device, bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                                  stream));
        break;
    case 2:
        CHECK_OK(aclrtMemcpyAsync(data->device + bytes, bytes, data->device, bytes,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        break;
    default:
        CHECK_OK(aclrtMemsetAsync(data->device, bytes, 1, bytes, stream));
        break;
    }
    CHECK_OK(aclrtRecordEvent(stop, stream));
    twin_hold_end(&hold, NULL);
    int64_t elapsed = elapsed_ns(start, stop);
    CHECK_OK(aclrtDestroyEvent(stop));
    CHECK_OK(aclrtDestroyEvent(start));
    CHECK_OK(aclrtDestroyStream(stream));
    return elapsed;
}

void test_copy_time_is_the_profiles(void)
{
    static const size_t sizes[] = {64, 4096, 1000003, 64 * MIB};
    twin_buffer data;
    uint64_t hbm = twin_profile_value("link.hbm.peak_mb_s") *
                   twin_profile_value("link.hbm.effective_permille");
    const measured_work works[] = {
        {"to the device", "dma.pcie.setup_ns",
         twin_profile_value("link.pcie.to_device_mb_s") * 1000, 1},
        {"to the host", "dma.pcie.setup_ns", twin_profile_value("link.pcie.to_host_mb_s") * 1000,
         1},
        {"within the device", "dma.sdma.setup_ns", hbm, 2},
        {"a fill", "dma.sdma.setup_ns", hbm, 1},
    };
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, 128 * MIB, 0);
    for (size_t w = 0; w < TWIN_COUNT(works); w++)
        for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
            int64_t expected = expected_ns(&works[w], sizes[i]);
            int64_t measured = measure_work((int)w, &data, sizes[i]);
            char text[160];
            snprintf(text, sizeof(text), "%zu bytes %s took %lld ns, not %lld within one step",
                     sizes[i], works[w].name, (long long)measured, (long long)expected);
            twin_check_true(llabs(measured - expected) < grid_ns(), text, __FILE__, __LINE__);
        }
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}
