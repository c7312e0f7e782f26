/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to wait for work: each on the host's clock and, on a model, in the thread's own
 * simulated time, from the first call to the return of the last. The work is the smallest there
 * is. */
#include "bench.h"

#include <stdio.h>

enum { ROUNDS = 200, VALUE_EQUAL = 1 };

static struct {
    aclrtStream first;
    aclrtStream second;
    aclrtEvent event;
    aclrtNotify notify;
    void *word;
    uint64_t value;
} scene;

static void by_event(void)
{
    BENCH_MUST(aclrtRecordEvent(scene.event, scene.first));
    BENCH_MUST(aclrtSynchronizeEvent(scene.event));
}

static void by_stream(void)
{
    BENCH_MUST(aclrtRecordEvent(scene.event, scene.first));
    BENCH_MUST(aclrtSynchronizeStream(scene.first));
}

static void by_stream_wait_event(void)
{
    BENCH_MUST(aclrtRecordEvent(scene.event, scene.first));
    BENCH_MUST(aclrtStreamWaitEvent(scene.second, scene.event));
    BENCH_MUST(aclrtSynchronizeStream(scene.second));
}

static void by_device(void)
{
    BENCH_MUST(aclrtRecordEvent(scene.event, scene.first));
    BENCH_MUST(aclrtSynchronizeDevice());
}

static void by_notify(void)
{
    BENCH_MUST(aclrtRecordNotify(scene.notify, scene.first));
    BENCH_MUST(aclrtWaitAndResetNotify(scene.notify, scene.second, 0));
    BENCH_MUST(aclrtSynchronizeStream(scene.second));
}

static void by_value(void)
{
    scene.value++;
    BENCH_MUST(aclrtValueWrite(scene.word, scene.value, 0, scene.first));
    BENCH_MUST(aclrtValueWait(scene.word, scene.value, VALUE_EQUAL, scene.second));
    BENCH_MUST(aclrtSynchronizeStream(scene.second));
}

static void nothing(void *data)
{
    (void)data;
}

static void by_callback(void)
{
    BENCH_MUST(aclrtLaunchHostFunc(scene.first, nothing, NULL));
    BENCH_MUST(aclrtSynchronizeStream(scene.first));
}

/* Which parameters of the profile a time depends on; a test changes each parameter and compares. */
#define EVERY_WAY                                                                                  \
    "fetch.read_ns", "host.doorbell_ns", "host.submit_ns", "sqe.decode_ns", "sqe.retire_ns",       \
        "swap_in.arbitration_ns", "swap_in.record_read_ns", "swap_in.slot_enable_ns"
#define WAKES_STREAM "host.wake.stream_ns"

static const char *const event_sum[] = {EVERY_WAY, "table.event_ns", "host.wake.event_ns", NULL};
static const char *const stream_sum[] = {EVERY_WAY, "table.event_ns", WAKES_STREAM, NULL};
static const char *const notify_sum[] = {EVERY_WAY, "table.notify_ns", WAKES_STREAM, NULL};
static const char *const value_sum[] = {EVERY_WAY, "cond.instruction_ns", "cond.memory_ns",
                                        WAKES_STREAM, NULL};
static const char *const call_sum[] = {EVERY_WAY, "topic.message_ns", "host.wake.call_ns",
                                       WAKES_STREAM, NULL};

static const struct {
    const char *name;
    void (*once)(void);
    const char *const *parameters;
} ways[] = {
    {"event", by_event, event_sum},
    {"stream", by_stream, stream_sum},
    {"stream wait event", by_stream_wait_event, stream_sum},
    {"device", by_device, stream_sum},
    {"notify", by_notify, notify_sum},
    {"value wait", by_value, value_sum},
    {"callback", by_callback, call_sum},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

void bench_sync(size_t repeats)
{
    BENCH_MUST(aclrtCreateStream(&scene.first));
    BENCH_MUST(aclrtCreateStream(&scene.second));
    BENCH_MUST(aclrtCreateEventExWithFlag(&scene.event, ACL_EVENT_SYNC));
    BENCH_MUST(aclrtCreateNotify(&scene.notify, 0));
    BENCH_MUST(aclrtMalloc(&scene.word, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMemset(scene.word, 64, 0, 64));
    for (size_t way = 0; way < WAYS; way++) {
        struct bench_samples host = {
            .name = ways[way].name, .unit = "us", .parameters = ways[way].parameters};
        bench_measure(&host, repeats, ROUNDS, ways[way].once);
    }
    BENCH_MUST(aclrtFree(scene.word));
    BENCH_MUST(aclrtDestroyNotify(scene.notify));
    BENCH_MUST(aclrtDestroyEvent(scene.event));
    BENCH_MUST(aclrtDestroyStream(scene.second));
    BENCH_MUST(aclrtDestroyStream(scene.first));
}
