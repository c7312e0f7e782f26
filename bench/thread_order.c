/* SPDX-License-Identifier: Apache-2.0 */
/* P29, the host time of the deterministic mode: four threads, each with its own stream, make 25,
 * 30, 35 and 40 calls and meet at a barrier, round after round. thread_order.py runs it with and
 * without the mode. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { THREADS = 4, ROUNDS = 200, CALLS_LEAST = 25, CALLS_STEP = 5, BYTES = 4096 };

static pthread_barrier_t barrier;

static void lap(aclrtStream stream, aclrtEvent event, void *memory, unsigned calls)
{
    for (unsigned i = 0; i + 2 < calls; i++)
        BENCH_MUST(aclrtMemsetAsync(memory, BYTES, (int32_t)i, BYTES, stream));
    BENCH_MUST(aclrtRecordEvent(event, stream));
    BENCH_MUST(aclrtSynchronizeStream(stream));
}

static void *work(void *argument)
{
    const unsigned number = (unsigned)(uintptr_t)argument;
    aclrtStream stream;
    aclrtEvent event;
    void *memory;
    BENCH_MUST(aclrtSetDevice(0));
    BENCH_MUST(aclrtCreateStream(&stream));
    BENCH_MUST(aclrtCreateEvent(&event));
    BENCH_MUST(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    for (unsigned round = 0; round < ROUNDS; round++) {
        lap(stream, event, memory, CALLS_LEAST + CALLS_STEP * number);
        pthread_barrier_wait(&barrier);
    }
    BENCH_MUST(aclrtFree(memory));
    BENCH_MUST(aclrtDestroyEvent(event));
    BENCH_MUST(aclrtDestroyStream(stream));
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            exit(1);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

int main(int argc, char **argv)
{
    long repeats = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    struct bench_samples samples = {
        .name = "fork and join, a round", .unit = "ns", .clock = BENCH_HOST};
    BENCH_MUST(aclInit(NULL));
    BENCH_MUST(aclrtSetDevice(0));
    for (long i = 0; i <= repeats; i++) {
        uint64_t began = bench_now_ns();
        run_threads();
        if (i > 0) /* the first is to warm up */
            bench_add(&samples, (double)(bench_now_ns() - began) / ROUNDS);
    }
    bench_print(&samples);
    BENCH_MUST(aclrtResetDevice(0));
    BENCH_MUST(aclFinalize());
    return 0;
}
