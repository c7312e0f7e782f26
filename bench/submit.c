/* SPDX-License-Identifier: Apache-2.0 */
/* P1: host time to submit one task. P2: event record and event query.
 * A ring holds 2047 entries, so a burst of 100 000 goes out in batches of 1900; only the
 * submissions are timed, the waits between the batches are not. */
#include "bench.h"

enum { BATCH = 1900, BATCHES = 53, QUERIES = 20000 };

static double submit_batches(aclrtStream stream, void *memory)
{
    return BENCH_BATCHES_NS(BATCHES, BATCH, BENCH_MUST(aclrtMemsetAsync(memory, 64, 0, 64, stream)),
                            BENCH_MUST(aclrtSynchronizeStream(stream)));
}

void bench_submit(size_t repeats)
{
    struct bench_samples submit = {.name = "submit", .unit = "ns"};
    struct bench_samples record = {.name = "event record", .unit = "ns"};
    struct bench_samples query = {.name = "event query", .unit = "ns"};
    aclrtStream stream;
    aclrtEvent event;
    aclrtEventRecordedStatus status;
    void *memory;
    BENCH_MUST(aclrtCreateStream(&stream));
    BENCH_MUST(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    BENCH_MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    submit_batches(stream, memory);
    for (size_t i = 0; i < repeats; i++) {
        bench_add(&submit, submit_batches(stream, memory));
        bench_add(&record,
                  BENCH_BATCHES_NS(BATCHES, BATCH, BENCH_MUST(aclrtRecordEvent(event, stream)),
                                   BENCH_MUST(aclrtSynchronizeStream(stream))));
        bench_add(&query,
                  BENCH_MEAN_NS(QUERIES, BENCH_MUST(aclrtQueryEventStatus(event, &status))));
    }
    bench_print(&submit);
    bench_print(&record);
    bench_print(&query);
    BENCH_MUST(aclrtFree(memory));
    BENCH_MUST(aclrtDestroyEvent(event));
    BENCH_MUST(aclrtDestroyStream(stream));
}
