/* SPDX-License-Identifier: Apache-2.0 */
/* P9: a 64 MiB host-to-device copy and its wait, against memcpy between two warm host buffers. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 << 20 };

void bench_copy(size_t repeats)
{
    struct bench_samples copy = {.name = "64 MiB copy and wait", .unit = "ms"};
    struct bench_samples plain = {.name = "64 MiB memcpy", .unit = "ms"};
    aclrtStream stream;
    void *device;
    void *host;
    void *other;
    BENCH_MUST(aclrtCreateStream(&stream));
    BENCH_MUST(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMallocHost(&host, BYTES));
    other = aligned_alloc(4096, BYTES);
    if (!other) {
        bench_must(-1, "aligned_alloc");
        return;
    }
    memset(host, 1, BYTES);
    memset(other, 2, BYTES);
    for (size_t i = 0; i < repeats + 1; i++) {
        uint64_t begin = bench_now_ns();
        BENCH_MUST(aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        BENCH_MUST(aclrtSynchronizeStream(stream));
        uint64_t middle = bench_now_ns();
        memcpy(other, host, BYTES);
        uint64_t end = bench_now_ns();
        if (i == 0)
            continue; /* first touch */
        bench_add(&copy, (double)(middle - begin) / 1e6);
        bench_add(&plain, (double)(end - middle) / 1e6);
    }
    bench_print(&copy);
    bench_print(&plain);
    free(other);
    BENCH_MUST(aclrtFreeHost(host));
    BENCH_MUST(aclrtFree(device));
    BENCH_MUST(aclrtDestroyStream(stream));
}
