/* SPDX-License-Identifier: Apache-2.0 */
/* P35: additions by instructions of the vector unit: elements that are added per second of
 * processor time. */
#include "bench.h"

#include <stdio.h>
#include <time.h>

#include "vector_kernel.h"

enum { FP16 = 6, FP32 = 7 }; /* TWK_... */

static const struct {
    const char *name;
    struct vector_args args;
    uint32_t lanes; /* of a repeat */
} cases[] = {
    {"vadd of FP32, full masks", {FP32, 8, {~0ull, ~0ull}, VECTOR_TURNS}, 64},
    {"vadd of FP16, full masks", {FP16, 8, {~0ull, ~0ull}, VECTOR_TURNS}, 128},
    {"vadd of FP32, blocks between", {FP32, 16, {~0ull, ~0ull}, VECTOR_TURNS}, 64},
    {"vadd of FP32, half of the mask", {FP32, 8, {0x5555555555555555ull, 0}, VECTOR_TURNS}, 32},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Processor seconds of a launch, of all threads. */
static double run(aclrtFuncHandle function, aclrtStream stream, struct vector_args args)
{
    const double begin = now_s();
    BENCH_MUST(
        aclrtLaunchKernelWithHostArgs(function, 1, stream, NULL, &args, sizeof(args), NULL, 0));
    BENCH_MUST(aclrtSynchronizeStream(stream));
    return now_s() - begin;
}

void bench_vector(size_t repeats)
{
    aclrtFuncHandle function = NULL;
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    BENCH_MUST(bench_load_kernels("vector_kernel.o", &binary));
    BENCH_MUST(aclrtBinaryGetFunction(binary, "add", &function));
    BENCH_MUST(aclrtCreateStream(&stream));
    for (size_t i = 0; i < CASES; i++) {
        struct bench_samples samples = {.name = cases[i].name, .unit = "G/s"};
        const double added = (double)VECTOR_TURNS * VECTOR_REPEATS * cases[i].lanes;
        (void)run(function, stream, cases[i].args); /* warms up */
        for (size_t sample = 0; sample < repeats; sample++)
            bench_add(&samples, added / run(function, stream, cases[i].args) / 1e9);
        bench_print(&samples);
    }
    BENCH_MUST(aclrtDestroyStream(stream));
    BENCH_MUST(aclrtBinaryUnLoad(binary));
}
