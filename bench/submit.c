/* SPDX-License-Identifier: Apache-2.0 */
/* P1: host time to submit one task. P2: event record and event query.
 * A ring holds 2047 entries, so a burst of 100 000 goes out in batches of 1900; only the
 * submissions are timed, the waits between the batches are not. */
#include "bench.h"

enum { BATCH = 1900, BATCHES = 53 };

static double submit_batches(aclrtStream stream, void *memory)
{
    uint64_t spent = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t begin = bench_now_ns();
        for (int i = 0; i < BATCH; i++)
            BENCH_MUST(aclrtMemsetAsync(memory, 64, 0, 64, stream));
        spent += bench_now_ns() - begin;
        BENCH_MUST(aclrtSynchronizeStream(stream));
    }
    return (double)spent / (BATCH * BATCHES);
}

static double record_batches(aclrtStream stream, aclrtEvent event)
{
    uint64_t spent = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t begin = bench_now_ns();
        for (int i = 0; i < BATCH; i++)
            BENCH_MUST(aclrtRecordEvent(event, stream));
        spent += bench_now_ns() - begin;
        BENCH_MUST(aclrtSynchronizeStream(stream));
    }
    return (double)spent / (BATCH * BATCHES);
}

static double query_many(aclrtEvent event)
{
    enum { QUERIES = 20000 };
    aclrtEventRecordedStatus status;
    uint64_t begin = bench_now_ns();
    for (int i = 0; i < QUERIES; i++)
        BENCH_MUST(aclrtQueryEventStatus(event, &status));
    return (double)(bench_now_ns() - begin) / QUERIES;
}

void bench_submit(size_t repeats)
{
    struct bench_samples submit = {.name = "submit", .unit = "ns"};
    struct bench_samples record = {.name = "event record", .unit = "ns"};
    struct bench_samples query = {.name = "event query", .unit = "ns"};
    aclrtStream stream;
    aclrtEvent event;
    void *memory;
    BENCH_MUST(aclrtCreateStream(&stream));
    BENCH_MUST(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    BENCH_MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    submit_batches(stream, memory);
    for (size_t i = 0; i < repeats; i++) {
        bench_add(&submit, submit_batches(stream, memory));
        bench_add(&record, record_batches(stream, event));
        bench_add(&query, query_many(event));
    }
    bench_print(&submit);
    bench_print(&record);
    bench_print(&query);
    BENCH_MUST(aclrtFree(memory));
    BENCH_MUST(aclrtDestroyEvent(event));
    BENCH_MUST(aclrtDestroyStream(stream));
}
