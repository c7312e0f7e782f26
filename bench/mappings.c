/* SPDX-License-Identifier: Apache-2.0 */
/* Host time and memory of virtual memory management with 100,000 mappings of 2 MiB, and of a
 * reservation of 1 TiB. The aims: each call below 5 us, a lookup below 50 ns, less than 16 MiB for
 * the reservation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "bench.h"
#include "device_below.h"

enum { MAPPINGS = 100000, LOOKUPS = 1000, STRIDE = 7919 };
static const size_t piece = (size_t)2 << 20;
static const size_t tebibyte = (size_t)1 << 40;
static double took[MAPPINGS];

/* Goes through all mappings in an order that no cache foresees; STRIDE has no common factor with
 * their number. */
static char *scattered(char *base, size_t i)
{
    return base + i * STRIDE % MAPPINGS * piece;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_times(const char *median, const char *p99)
{
    qsort(took, MAPPINGS, sizeof took[0], compare);
    bench_print_value(median, "ns", BENCH_HOST, took[MAPPINGS / 2]);
    bench_print_value(p99, "ns", BENCH_HOST, took[MAPPINGS / 100 * 99]);
}

static void reserve_tebibyte(void)
{
    void *base = NULL;
    const uint64_t resident = bench_resident_bytes();
    const uint64_t begin = bench_now_ns();
    BENCH_MUST(aclrtReserveMemAddress(&base, tebibyte, 0, NULL, 0));
    bench_print_value("reserve 1 TiB", "ns", BENCH_HOST, (double)(bench_now_ns() - begin));
    bench_print_value("memory of 1 TiB reserved", "bytes", BENCH_COUNT,
                      (double)(bench_resident_bytes() - resident));
    BENCH_MUST(aclrtReleaseMemAddress(base));
}

static void map_all(char *base, aclrtDrvMemHandle handle)
{
    memset(took, 0xff, sizeof took); /* so that its pages do not count */
    const uint64_t resident = bench_resident_bytes();
    for (size_t i = 0; i < MAPPINGS; i++) {
        const uint64_t begin = bench_now_ns();
        BENCH_MUST(aclrtMapMem(base + i * piece, piece, 0, handle, 0));
        took[i] = (double)(bench_now_ns() - begin);
    }
    print_times("map", "map, p99");
    bench_print_value("memory of 100,000 mappings", "bytes", BENCH_COUNT,
                      (double)(bench_resident_bytes() - resident));
}

static void look_up(char *base)
{
    struct bench_samples call = {.name = "query of an access", .unit = "ns", .clock = BENCH_HOST};
    struct bench_samples inner = {
        .name = "lookup of an address", .unit = "ns", .clock = BENCH_HOST};
    aclrtMemLocation location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE};
    uint64_t flags = 0;
    size_t next = 0;
    if (!bench_look_up((uint64_t)(uintptr_t)base))
        return;
    for (size_t i = 0; i < BENCH_MAX_SAMPLES; i++) {
        bench_add(
            &inner,
            BENCH_MEAN_NS(LOOKUPS, bench_look_up((uint64_t)(uintptr_t)scattered(base, next++))));
        bench_add(&call, BENCH_MEAN_NS(LOOKUPS, (void)aclrtMemGetAccess(scattered(base, next++),
                                                                        &location, &flags)));
    }
    bench_print(&inner);
    bench_print(&call);
}

static void unmap_all(char *base)
{
    for (size_t i = 0; i < MAPPINGS; i++) {
        const uint64_t begin = bench_now_ns();
        BENCH_MUST(aclrtUnmapMem(scattered(base, i)));
        took[i] = (double)(bench_now_ns() - begin);
    }
    print_times("unmap", "unmap, p99");
}

int main(void)
{
    void *base = NULL;
    aclrtDrvMemHandle handle = NULL;
    const aclrtPhysicalMemProp properties = {
        .handleType = ACL_MEM_HANDLE_TYPE_NONE,
        .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
        .memAttr = ACL_HBM_MEM_HUGE,
        .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
    BENCH_MUST(aclInit(NULL));
    BENCH_MUST(aclrtSetDevice(0));
    reserve_tebibyte();
    BENCH_MUST(aclrtReserveMemAddress(&base, MAPPINGS * piece, 0, NULL, 0));
    BENCH_MUST(aclrtMallocPhysical(&handle, piece, &properties, 0));
    map_all(base, handle);
    look_up(base);
    unmap_all(base);
    BENCH_MUST(aclrtFreePhysical(handle));
    BENCH_MUST(aclrtReleaseMemAddress(base));
    BENCH_MUST(aclrtResetDevice(0));
    BENCH_MUST(aclFinalize());
    return 0;
}
