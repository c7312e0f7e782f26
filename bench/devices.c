/* SPDX-License-Identifier: Apache-2.0 */
/* P12: what a program pays before its first task. And every stream of every device: the time until
 * each of them has run a task, and the memory that holds. */
#include "bench.h"

#include <stdlib.h>

void bench_start(size_t repeats)
{
    (void)repeats; /* a process starts once */
    uint64_t begin = bench_now_ns();
    BENCH_MUST(aclInit(NULL));
    BENCH_MUST(aclrtSetDevice(0));
    bench_print_value("start", "ms", BENCH_HOST, (double)(bench_now_ns() - begin) / 1e6);
    BENCH_MUST(aclrtResetDeviceForce(0));
    BENCH_MUST(aclFinalize());
}

/* Streams on the current device until there are no more; their number. */
static uint32_t open_streams(aclrtStream **out_streams)
{
    uint32_t count = 0;
    BENCH_MUST(aclrtGetStreamAvailableNum(&count));
    aclrtStream *streams = calloc(count + 1, sizeof(*streams));
    if (!streams) {
        bench_must(-1, "calloc");
        abort();
    }
    for (uint32_t i = 0; i < count; i++)
        BENCH_MUST(aclrtCreateStream(&streams[i]));
    *out_streams = streams;
    return count;
}

void bench_devices(size_t repeats)
{
    uint32_t devices = 0;
    (void)repeats;
    uint64_t begin = bench_now_ns();
    BENCH_MUST(aclInit(NULL));
    BENCH_MUST(aclrtGetDeviceCount(&devices));
    for (uint32_t d = devices; d-- > 0;)
        BENCH_MUST(aclrtSetDevice((int32_t)d));
    uint64_t ready = bench_now_ns() - begin;

    aclrtStream lone;
    void *memory;
    BENCH_MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    uint64_t before = bench_resident_bytes();
    BENCH_MUST(aclrtCreateStream(&lone));
    BENCH_MUST(aclrtMemsetAsync(memory, 64, 1, 64, lone));
    BENCH_MUST(aclrtSynchronizeStream(lone));
    const uint64_t alone = bench_resident_bytes() - before;
    BENCH_MUST(aclrtDestroyStream(lone));
    BENCH_MUST(aclrtFree(memory));

    aclrtStream **streams = calloc(devices + 1u, sizeof(*streams));
    uint32_t *counts = calloc(devices + 1u, sizeof(*counts));
    void **targets = calloc(devices + 1u, sizeof(*targets));
    if (!streams || !counts || !targets) {
        bench_must(-1, "calloc");
        abort();
    }
    uint32_t all = 0;
    before = bench_resident_bytes();
    begin = bench_now_ns();
    for (uint32_t d = 0; d < devices; d++) {
        BENCH_MUST(aclrtSetDevice((int32_t)d));
        counts[d] = open_streams(&streams[d]);
        all += counts[d];
    }
    ready += bench_now_ns() - begin;
    begin = bench_now_ns();
    for (uint32_t d = 0; d < devices; d++) {
        BENCH_MUST(aclrtSetDevice((int32_t)d));
        BENCH_MUST(aclrtMalloc(&targets[d], 4096, ACL_MEM_MALLOC_HUGE_FIRST));
        for (uint32_t i = 0; i < counts[d]; i++)
            BENCH_MUST(aclrtMemsetAsync(targets[d], 64, 1, 64, streams[d][i]));
    }
    for (uint32_t d = 0; d < devices; d++) {
        BENCH_MUST(aclrtSetDevice((int32_t)d));
        BENCH_MUST(aclrtSynchronizeDevice());
    }
    const uint64_t first = bench_now_ns() - begin;
    const uint64_t resident = bench_resident_bytes();
    bench_print_value("devices", "1", BENCH_COUNT, devices);
    bench_print_value("streams of all devices", "1", BENCH_COUNT, all);
    bench_print_value("start of all devices and streams", "ms", BENCH_HOST, (double)ready / 1e6);
    bench_print_value("first task on each stream", "ms", BENCH_HOST, (double)first / 1e6);
    bench_print_value("resident with all streams", "MiB", BENCH_COUNT,
                      (double)resident / (1 << 20));
    if (all != 0)
        bench_print_value("memory per stream", "KiB", BENCH_COUNT,
                          (double)(resident - before) / 1024 / all);
    bench_print_value("memory of the first stream", "KiB", BENCH_COUNT, (double)alone / 1024);
    for (uint32_t d = 0; d < devices; d++) {
        BENCH_MUST(aclrtSetDevice((int32_t)d));
        for (uint32_t i = 0; i < counts[d]; i++)
            BENCH_MUST(aclrtDestroyStream(streams[d][i]));
        BENCH_MUST(aclrtFree(targets[d]));
        free(streams[d]);
        BENCH_MUST(aclrtResetDeviceForce((int32_t)d));
    }
    free(streams);
    free(counts);
    free(targets);
    BENCH_MUST(aclFinalize());
}
