/* SPDX-License-Identifier: Apache-2.0 */
/* P22: host time to launch a native kernel. P23: one empty block and its wait, compared with a task
 * and its wait (P3). As in submit.c the launches go out in batches, and the waits between these are
 * not timed. */
#include "bench.h"

enum { BATCH = 1900, BATCHES = 11, ROUNDS = 2000 };

struct arguments {
    uint64_t pointers[3];
    uint32_t count;
};

static void launch(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream)
{
    struct arguments arguments = {.count = 1};
    BENCH_MUST(aclrtLaunchKernelWithHostArgs(function, blocks, stream, NULL, &arguments,
                                             sizeof(arguments), NULL, 0));
}

static double launch_batches(aclrtFuncHandle function, aclrtStream stream)
{
    return BENCH_BATCHES_NS(BATCHES, BATCH, launch(function, 1, stream),
                            BENCH_MUST(aclrtSynchronizeStream(stream)));
}

static double launch_and_wait(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream)
{
    return BENCH_MEAN_NS(ROUNDS, launch(function, blocks, stream);
                         BENCH_MUST(aclrtSynchronizeStream(stream))) /
           1e3;
}

void bench_launch(size_t repeats)
{
    struct bench_samples submit = {.name = "launch", .unit = "ns"};
    struct bench_samples one = {.name = "launch and wait", .unit = "us"};
    struct bench_samples many = {.name = "launch of 40 blocks and wait", .unit = "us"};
    struct bench_samples task = {.name = "fill and wait", .unit = "us"};
    aclrtStream stream;
    aclrtFuncHandle function;
    void *memory;
    aclrtBinHandle binary = NULL;
    BENCH_MUST(bench_load_kernels("empty_kernel.o", &binary));
    BENCH_MUST(aclrtBinaryGetFunction(binary, "pointers", &function));
    BENCH_MUST(aclrtCreateStream(&stream));
    BENCH_MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    (void)launch_batches(function, stream);
    for (size_t i = 0; i < repeats; i++) {
        bench_add(&submit, launch_batches(function, stream));
        bench_add(&one, launch_and_wait(function, 1, stream));
        bench_add(&many, launch_and_wait(function, 40, stream));
        bench_add(&task,
                  BENCH_MEAN_NS(ROUNDS, BENCH_MUST(aclrtMemsetAsync(memory, 64, 0, 64, stream));
                                BENCH_MUST(aclrtSynchronizeStream(stream))) /
                      1e3);
    }
    bench_print(&submit);
    bench_print(&one);
    bench_print(&many);
    bench_print(&task);
    BENCH_MUST(aclrtFree(memory));
    BENCH_MUST(aclrtDestroyStream(stream));
    BENCH_MUST(aclrtBinaryUnLoad(binary));
}
