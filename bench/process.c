/* SPDX-License-Identifier: Apache-2.0 */
/* What a process costs: P11 memory per pending task, P13 CPU while idle, P20 growth over device
 * resets. */
#include "bench.h"

#include <sys/resource.h>
#include <time.h>

enum { HELD_STREAMS = 256, HELD_TASKS = 2000 };

void bench_memory(size_t repeats)
{
    static aclrtStream streams[HELD_STREAMS];
    aclrtNotify gate;
    void *memory;
    (void)repeats; /* pages stay once touched: one sample says all */
    BENCH_MUST(aclrtCreateNotify(&gate, 0));
    BENCH_MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int s = 0; s < HELD_STREAMS; s++) {
        BENCH_MUST(aclrtCreateStream(&streams[s]));
        BENCH_MUST(aclrtWaitAndResetNotify(gate, streams[s], 0));
    }
    uint64_t before = bench_resident_bytes();
    for (int s = 0; s < HELD_STREAMS; s++) {
        for (int i = 0; i < HELD_TASKS; i++)
            BENCH_MUST(aclrtMemsetAsync(memory, 64, 1, 64, streams[s]));
    }
    uint64_t after = bench_resident_bytes();
    bench_print_value("bytes per pending task", "B", BENCH_COUNT,
                      (double)(after - before) / ((double)HELD_STREAMS * HELD_TASKS));
    for (int s = 0; s < HELD_STREAMS; s++)
        BENCH_MUST(aclrtDestroyStreamForce(streams[s]));
    BENCH_MUST(aclrtFree(memory));
    BENCH_MUST(aclrtDestroyNotify(gate));
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void bench_idle(size_t repeats)
{
    aclrtStream stream;
    (void)repeats;
    BENCH_MUST(aclrtCreateStream(&stream));
    BENCH_MUST(aclrtSynchronizeStream(stream));
    double before = cpu_seconds();
    struct timespec pause = {.tv_sec = 2};
    nanosleep(&pause, NULL);
    bench_print_value("idle CPU", "%", BENCH_HOST, 100.0 * (cpu_seconds() - before) / 2.0);
    BENCH_MUST(aclrtDestroyStream(stream));
}

void bench_resets(size_t repeats)
{
    enum { RESETS = 500, WARM_UP = 20 };
    (void)repeats;
    uint64_t before = 0;
    for (int i = 0; i < RESETS + WARM_UP; i++) {
        aclrtStream stream;
        aclrtEvent event;
        void *memory;
        if (i == WARM_UP)
            before = bench_resident_bytes();
        BENCH_MUST(aclrtSetDevice(0));
        BENCH_MUST(aclrtCreateStream(&stream));
        BENCH_MUST(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        BENCH_MUST(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
        BENCH_MUST(aclrtMemsetAsync(memory, 1 << 20, 0, 1 << 20, stream));
        BENCH_MUST(aclrtRecordEvent(event, stream));
        BENCH_MUST(aclrtSynchronizeEvent(event));
        BENCH_MUST(aclrtFree(memory));
        BENCH_MUST(aclrtDestroyEvent(event));
        BENCH_MUST(aclrtDestroyStream(stream));
        BENCH_MUST(aclrtResetDeviceForce(0));
    }
    uint64_t after = bench_resident_bytes();
    bench_print_value("growth per reset", "B", BENCH_COUNT,
                      after > before ? (double)(after - before) / RESETS : 0.0);
    BENCH_MUST(aclrtSetDevice(0));
}
