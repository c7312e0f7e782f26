/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by direction and size, and whether the call or the stream is waited for: host time, and
 * simulated time of the calling thread where there is such a thing. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { HOST_BYTES_PER_SAMPLE = 16 << 20, COPIES_MOST = 64 };

/* The copy that is measured. */
static struct {
    void *device;
    void *other;
    void *host;
    aclrtStream stream;
    aclrtMemcpyKind kind;
    size_t bytes;
    bool async;
} copy;

static void copy_once(void)
{
    const aclrtMemcpyKind kind = copy.kind;
    const size_t bytes = copy.bytes;
    void *dst = kind == ACL_MEMCPY_DEVICE_TO_HOST ? copy.host : copy.device;
    const void *src = kind == ACL_MEMCPY_HOST_TO_DEVICE   ? copy.host
                      : kind == ACL_MEMCPY_DEVICE_TO_HOST ? copy.device
                                                          : copy.other;
    if (!copy.async) {
        BENCH_MUST(aclrtMemcpy(dst, bytes, src, bytes, kind));
        return;
    }
    BENCH_MUST(aclrtMemcpyAsync(dst, bytes, src, bytes, kind, copy.stream));
    BENCH_MUST(aclrtSynchronizeStream(copy.stream));
}

static void measure(const char *way, size_t repeats)
{
    char name[64];
    const bool mega = copy.bytes >= (1u << 20);
    (void)snprintf(name, sizeof(name), "%s %s %zu %s", way, copy.async ? "async" : "sync",
                   copy.bytes >> (mega ? 20 : 10), mega ? "MiB" : "KiB");
    struct bench_samples host = {.name = name, .unit = "us", .bytes = copy.bytes};
    const size_t copies = HOST_BYTES_PER_SAMPLE / copy.bytes;
    bench_measure(&host, repeats,
                  copies < 1             ? 1
                  : copies > COPIES_MOST ? COPIES_MOST
                                         : copies,
                  copy_once);
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
    BENCH_MUST(aclrtCreateStream(&copy.stream));
    BENCH_MUST(aclrtMalloc(&copy.device, most, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMalloc(&copy.other, most, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMallocHost(&copy.host, most));
    memset(copy.host, 1, most);
    BENCH_MUST(aclrtMemset(copy.other, most, 2, most));
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
        for (int async = 0; async < 2; async++)
            for (copy.bytes = 1 << 10; copy.bytes <= most; copy.bytes *= 4) {
                copy.kind = ways[way].kind;
                copy.async = async != 0;
                measure(ways[way].name, repeats);
            }
    BENCH_MUST(aclrtFreeHost(copy.host));
    BENCH_MUST(aclrtFree(copy.other));
    BENCH_MUST(aclrtFree(copy.device));
    BENCH_MUST(aclrtDestroyStream(copy.stream));
}
