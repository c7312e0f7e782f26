/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a kernel: kernel_lines OBJECT KERNEL BLOCKS. What it reports is on standard error. */
#include <acl/acl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle kernel = NULL;
    void *x = NULL;
    struct {
        uint64_t x;
        uint32_t nothing, one;
    } args = {.one = 1};
    if (argc != 4)
        return 2;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtBinaryLoadFromFile(argv[1], NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, argv[2], &kernel));
    CHECK(aclrtMalloc(&x, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    args.x = (uintptr_t)x;
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, (uint32_t)strtoul(argv[3], NULL, 10), stream, NULL,
                                        &args, sizeof(args), NULL, 0));
    (void)aclrtSynchronizeStream(stream); /* some kernels fail */
    CHECK(aclrtFree(x));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
