/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels of known work, for tests of what profilers report of them. With an argument it
 * launches only as many. */
#include <acl/acl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_rate_args.h"

#define ROOM ((size_t)8 << 20)

/* One line for each launch; tests/tools/msprof_test.py has the same. */
static const struct {
    const char *kernel;
    uint32_t blocks, count, rounds, columns;
} launches[] = {
    {"vector_rate", 1, 64, 1, 0},   {"vector_rate", 1, 64, 40, 0},  {"vector_rate", 1, 64, 20, 0},
    {"vector_rate", 1, 64, 60, 0},  {"vector_rate", 1, 64, 80, 0},  {"vector_rate", 1, 64, 100, 0},
    {"vector_rate", 1, 8192, 1, 0}, {"vector_rate", 1, 8192, 8, 0}, {"vector_rate", 4, 8192, 20, 0},
    {"cube_rate", 1, 32, 1, 32},    {"cube_rate", 1, 32, 40, 32},   {"cube_rate", 1, 128, 1, 128},
    {"cube_rate", 2, 128, 20, 128}, {"cube_rate", 1, 128, 1, 16},   {"mixed_rate", 2, 64, 3, 0},
};

static void check(aclError code, const char *call)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", call, (int)code);
    exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv)
{
    const unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    void *x = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtBinaryLoadFromFile(RATE_KERNELS, NULL, &binary));
    CHECK(aclrtMalloc(&x, ROOM, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(x, ROOM, 0, ROOM));
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]) && i < most; i++) {
        aclrtFuncHandle kernel = NULL;
        struct rate_args args = {(uintptr_t)x, launches[i].count, launches[i].rounds,
                                 launches[i].columns};
        CHECK(aclrtBinaryGetFunction(binary, launches[i].kernel, &kernel));
        CHECK(aclrtLaunchKernelWithHostArgs(kernel, launches[i].blocks, stream, NULL, &args,
                                            sizeof(args), NULL, 0));
        CHECK(aclrtSynchronizeStream(stream));
    }
    CHECK(aclrtFree(x));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
