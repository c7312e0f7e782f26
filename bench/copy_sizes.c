/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by direction and size, and whether the call or the stream is waited for: host time, and
 * simulated time of the calling thread where there is such a thing. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { HOST_BYTES_PER_SAMPLE = 16 << 20, COPIES_MOST = 64 };

struct ends {
    void *device;
    void *other;
    void *host;
    aclrtStream stream;
};

static void copy_once(const struct ends *ends, aclrtMemcpyKind kind, size_t bytes, bool async)
{
    void *dst = kind == ACL_MEMCPY_DEVICE_TO_HOST ? ends->host : ends->device;
    const void *src = kind == ACL_MEMCPY_HOST_TO_DEVICE   ? ends->host
                      : kind == ACL_MEMCPY_DEVICE_TO_HOST ? ends->device
                                                          : ends->other;
    if (!async) {
        BENCH_MUST(aclrtMemcpy(dst, bytes, src, bytes, kind));
        return;
    }
    BENCH_MUST(aclrtMemcpyAsync(dst, bytes, src, bytes, kind, ends->stream));
    BENCH_MUST(aclrtSynchronizeStream(ends->stream));
}

static void measure(const struct ends *ends, const char *way, aclrtMemcpyKind kind, size_t bytes,
                    bool async, size_t repeats)
{
    static const char *const small[] = {"KiB", "MiB"};
    char name[64];
    bool mega = bytes >= (1u << 20);
    (void)snprintf(name, sizeof(name), "%s %s %zu %s", way, async ? "async" : "sync",
                   bytes >> (mega ? 20 : 10), small[mega]);
    struct bench_samples host = {.name = name, .unit = "us", .clock = BENCH_HOST, .bytes = bytes};
    struct bench_samples lived = {
        .name = name, .unit = "us", .clock = BENCH_VIRTUAL, .bytes = bytes};
    size_t copies = HOST_BYTES_PER_SAMPLE / bytes;
    copies = copies < 1 ? 1 : copies > COPIES_MOST ? COPIES_MOST : copies;
    for (size_t i = 0; i < repeats + 1; i++) {
        uint64_t before = 0;
        uint64_t after = 0;
        bool simulated = bench_virtual_ns(&before);
        uint64_t begin = bench_now_ns();
        for (size_t k = 0; k < copies; k++)
            copy_once(ends, kind, bytes, async);
        uint64_t end = bench_now_ns();
        (void)bench_virtual_ns(&after);
        if (i == 0)
            continue; /* first touch */
        bench_add(&host, (double)(end - begin) / (double)copies / 1e3);
        if (simulated)
            bench_add(&lived, (double)(after - before) / (double)copies / 1e3);
    }
    bench_print(&host);
    bench_print(&lived);
}

void bench_copy_sizes(size_t repeats)
{
    static const struct {
        const char *name;
        aclrtMemcpyKind kind;
    } ways[] = {{"H2D", ACL_MEMCPY_HOST_TO_DEVICE},
                {"D2H", ACL_MEMCPY_DEVICE_TO_HOST},
                {"D2D", ACL_MEMCPY_DEVICE_TO_DEVICE}};
    const size_t most = (size_t)1 << 28;
    struct ends ends;
    BENCH_MUST(aclrtCreateStream(&ends.stream));
    BENCH_MUST(aclrtMalloc(&ends.device, most, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMalloc(&ends.other, most, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMallocHost(&ends.host, most));
    memset(ends.host, 1, most);
    BENCH_MUST(aclrtMemset(ends.other, most, 2, most));
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
        for (int async = 0; async < 2; async++)
            for (size_t bytes = 1 << 10; bytes <= most; bytes *= 4)
                measure(&ends, ways[way].name, ways[way].kind, bytes, async != 0, repeats);
    BENCH_MUST(aclrtFreeHost(ends.host));
    BENCH_MUST(aclrtFree(ends.other));
    BENCH_MUST(aclrtFree(ends.device));
    BENCH_MUST(aclrtDestroyStream(ends.stream));
}
