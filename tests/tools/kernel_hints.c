/* SPDX-License-Identifier: Apache-2.0 */
/* Launches one kernel of kernel_hints_kernels.c, whose name, blocks and arguments are given. */
#include <acl/acl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_hint_args.h"

#define ROOM ((size_t)256 << 20)

static void check(aclError code, const char *call)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", call, (int)code);
    exit(1);
}
#define CHECK(call) check(call, #call)

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle kernel = NULL;
    void *x = NULL;
    if (argc != 7) {
        fprintf(stderr, "usage: kernel_hints KERNEL BLOCKS TILES BYTES ROUNDS MORE\n");
        return 2;
    }
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtBinaryLoadFromFile(HINT_KERNELS, NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, argv[1], &kernel));
    CHECK(aclrtMalloc(&x, ROOM, ACL_MEM_MALLOC_HUGE_FIRST));
    struct hint_args args = {(uintptr_t)x, number(argv[3]), number(argv[4]), number(argv[5]),
                             number(argv[6])};
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, number(argv[2]), stream, NULL, &args, sizeof(args),
                                        NULL, 0));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtFree(x));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
