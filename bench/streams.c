/* SPDX-License-Identifier: Apache-2.0 */
/* P6: tasks per second through the whole API, 64 streams. P8: the cost of a task when 1, 64 or all
 * streams of the device take part. Tasks are small fills: each travels through ring, scheduler and
 * SDMA. */
#include "bench.h"

#include <stdlib.h>

enum { TASKS = 60000, MOST_STREAMS = 2048, RING = 2048, BURST = 16 };

static aclrtStream streams[MOST_STREAMS];

/* Rounds of `burst` tasks on each of `count` streams, then a wait for each of them. ns per task. */
static double run(size_t count, size_t burst, void *memory)
{
    size_t rounds = TASKS / (count * burst);
    if (rounds == 0)
        rounds = 1;
    uint64_t begin = bench_now_ns();
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < burst; i++) {
            for (size_t s = 0; s < count; s++)
                BENCH_MUST(aclrtMemsetAsync(memory, 64, 1, 64, streams[s]));
        }
        for (size_t s = 0; s < count; s++)
            BENCH_MUST(aclrtSynchronizeStream(streams[s]));
    }
    return (double)(bench_now_ns() - begin) / (double)(rounds * count * burst);
}

void bench_streams(size_t repeats)
{
    struct bench_samples one = {.name = "task on 1 stream", .unit = "ns"};
    struct bench_samples some = {.name = "task on 64 streams", .unit = "ns"};
    struct bench_samples all = {.name = "task on all streams", .unit = "ns"};
    void *memory;
    uint32_t count = 0;
    BENCH_MUST(aclrtGetStreamAvailableNum(&count));
    count = count < MOST_STREAMS ? count : MOST_STREAMS;
    if (count == 0) {
        bench_must(-1, "a device without streams");
        return;
    }
    BENCH_MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    for (size_t s = 0; s < count; s++)
        BENCH_MUST(aclrtCreateStream(&streams[s]));
    /* Once round each ring, which touches its pages. Not for P18: a timeline of that would be too
     * long, and with and without a timeline the rings must be the same. */
    for (int lap = getenv("BENCH_FRESH_RINGS") ? RING / BURST : 1; lap <= RING / BURST; lap++)
        run(count, BURST, memory);
    for (size_t i = 0; i < repeats; i++) {
        bench_add(&one, run(1, 1900, memory));
        bench_add(&some, run(64, 30, memory));
        bench_add(&all, run(count, BURST, memory));
    }
    bench_print(&one);
    bench_print(&some);
    bench_print(&all);
    for (size_t s = 0; s < count; s++)
        BENCH_MUST(aclrtDestroyStream(streams[s]));
    BENCH_MUST(aclrtFree(memory));
}
