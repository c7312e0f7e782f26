/* SPDX-License-Identifier: Apache-2.0 */
/* P12: what a program pays before its first task. And every stream of every device: the time until each of them has run
 * a task, and the memory that holds. */
#include "bench.h"

#include <stdlib.h>

void bench_start(size_t repeats)
{
    struct bench_samples start = {.name = "start", .unit = "ms"};
    (void)repeats; /* a process starts once */
    uint64_t begin = bench_now_ns();
    BENCH_MUST(aclInit(NULL));
    BENCH_MUST(aclrtSetDevice(0));
    bench_add(&start, (double)(bench_now_ns() - begin) / 1e6);
    bench_print(&start);
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
    struct bench_samples count = {.name = "devices", .unit = "1", .clock = BENCH_COUNT};
    struct bench_samples held = {
        .name = "streams of all devices", .unit = "1", .clock = BENCH_COUNT};
    struct bench_samples start = {.name = "start of all devices and streams", .unit = "ms"};
    struct bench_samples first = {.name = "first task on each stream", .unit = "ms"};
    struct bench_samples resident = {
        .name = "resident with all streams", .unit = "MiB", .clock = BENCH_COUNT};
    struct bench_samples each = {.name = "memory per stream", .unit = "KiB", .clock = BENCH_COUNT};
    struct bench_samples alone = {
        .name = "memory of the first stream", .unit = "KiB", .clock = BENCH_COUNT};
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
    bench_add(&alone, (double)(bench_resident_bytes() - before) / 1024);
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
    bench_add(&start, (double)(ready + bench_now_ns() - begin) / 1e6);
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
    bench_add(&first, (double)(bench_now_ns() - begin) / 1e6);
    bench_add(&count, devices);
    bench_add(&held, all);
    bench_add(&resident, (double)bench_resident_bytes() / (1 << 20));
    if (all != 0)
        bench_add(&each, (double)(bench_resident_bytes() - before) / 1024 / all);
    bench_print(&count);
    bench_print(&held);
    bench_print(&start);
    bench_print(&first);
    bench_print(&resident);
    bench_print(&each);
    bench_print(&alone);
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
