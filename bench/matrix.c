/* SPDX-License-Identifier: Apache-2.0 */
/* P34: a product of matrices on the cube, computed and only timed (twinrt/kernel_data.h): processor
 * time of the host, since other programs must not count, and simulated time. */
#include "bench.h"

#include <stdio.h>
#include <time.h>

#include "matrix_kernel.h"
#include "twinrt/kernel_data.h"

enum { BLOCKS = 20, COMPUTED = 1024, TIMED = 6144 };

struct product {
    aclrtFuncHandle function;
    aclrtStream stream;
    aclrtEvent before, after;
    struct square_args args;
};

static double now_s(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Processor seconds of one product, of all threads; *out_ms is the device's time, *elapsed_s that
 * of the host. */
static double run(const struct product *product, uint32_t size, float *out_ms, double *elapsed_s)
{
    struct square_args args = product->args;
    args.size = size;
    const double begin = now_s(CLOCK_PROCESS_CPUTIME_ID), began = now_s(CLOCK_MONOTONIC);
    BENCH_MUST(aclrtRecordEvent(product->before, product->stream));
    BENCH_MUST(aclrtLaunchKernelWithHostArgs(product->function, BLOCKS, product->stream, NULL,
                                             &args, sizeof(args), NULL, 0));
    BENCH_MUST(aclrtRecordEvent(product->after, product->stream));
    BENCH_MUST(aclrtSynchronizeStream(product->stream));
    const double seconds = now_s(CLOCK_PROCESS_CPUTIME_ID) - begin;
    *elapsed_s = now_s(CLOCK_MONOTONIC) - began;
    BENCH_MUST(aclrtEventElapsedTime(out_ms, product->before, product->after));
    return seconds;
}

static void *make(size_t bytes)
{
    void *memory = NULL;
    BENCH_MUST(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMemset(memory, bytes, 0x34, bytes)); /* 0x3434 is 0.26 in fp16 */
    return memory;
}

static void measure(const struct product *product, size_t repeats)
{
    const double operations = 2.0 * COMPUTED * COMPUTED * COMPUTED;
    struct bench_samples computed = {.name = "product of 1024, computed", .unit = "GFLOP/s"};
    struct bench_samples elapsed = {.name = "product of 1024, elapsed", .unit = "GFLOP/s"};
    struct bench_samples small = {.name = "product of 1024, only timed", .unit = "ms"};
    struct bench_samples large = {.name = "product of 6144, only timed", .unit = "ms"};
    float ms = 0, timed_ms = 0;
    double elapsed_s = 0, unused_s = 0;
    for (size_t i = 0; i <= repeats; i++) {
        BENCH_MUST(twinrt_set_kernel_data(TWINRT_KERNEL_DATA_ON));
        const double seconds = run(product, COMPUTED, &ms, &elapsed_s);
        BENCH_MUST(twinrt_set_kernel_data(TWINRT_KERNEL_DATA_OFF));
        const double small_s = run(product, COMPUTED, &timed_ms, &unused_s);
        const double large_s = run(product, TIMED, &timed_ms, &unused_s);
        if (i == 0) /* the first warms up */
            continue;
        bench_add(&computed, operations / seconds / 1e9);
        bench_add(&elapsed, operations / elapsed_s / 1e9);
        bench_add(&small, small_s * 1e3);
        bench_add(&large, large_s * 1e3);
    }
    bench_print(&computed);
    bench_print(&elapsed);
    bench_print(&small);
    bench_print(&large);
    bench_print_value("product of 1024, device", "us", BENCH_VIRTUAL, (double)ms * 1e3);
    bench_print_value("product of 6144, device", "us", BENCH_VIRTUAL, (double)timed_ms * 1e3);
}

void bench_matrix(size_t repeats)
{
    const size_t bytes = (size_t)TIMED * TIMED * 2;
    struct product product = {0};
    aclrtBinHandle binary = NULL;
    BENCH_MUST(bench_load_kernels("matrix_kernel.o", &binary));
    BENCH_MUST(aclrtBinaryGetFunction(binary, "square", &product.function));
    BENCH_MUST(aclrtCreateStream(&product.stream));
    BENCH_MUST(aclrtCreateEventWithFlag(&product.before, ACL_EVENT_TIME_LINE));
    BENCH_MUST(aclrtCreateEventWithFlag(&product.after, ACL_EVENT_TIME_LINE));
    void *a = make(bytes), *b = make(bytes), *c = make(bytes);
    product.args = (struct square_args){(uintptr_t)a, (uintptr_t)b, (uintptr_t)c, 0};
    measure(&product, repeats);
    BENCH_MUST(twinrt_set_kernel_data(TWINRT_KERNEL_DATA_SETTING));
    BENCH_MUST(aclrtFree(a));
    BENCH_MUST(aclrtFree(b));
    BENCH_MUST(aclrtFree(c));
    BENCH_MUST(aclrtDestroyEvent(product.before));
    BENCH_MUST(aclrtDestroyEvent(product.after));
    BENCH_MUST(aclrtDestroyStream(product.stream));
    BENCH_MUST(aclrtBinaryUnLoad(binary));
}
