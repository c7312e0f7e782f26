/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples with kernels share: finding the kernels, and device time between two points of
 * a stream. */
#ifndef EXAMPLES_KERNELS_H
#define EXAMPLES_KERNELS_H

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* Loads the kernels: the file that the program was given, or `name` beside the program. */
static inline aclrtBinHandle load_kernels(int argc, char **argv, const char *name)
{
    char path[PATH_MAX];
    aclrtBinHandle binary = NULL;
    if (argc > 1) {
        snprintf(path, sizeof(path), "%s", argv[1]);
    } else {
        const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
        REQUIRE(length > 0);
        path[length] = '\0';
        char *end = strrchr(path, '/') + 1;
        snprintf(end, sizeof(path) - (size_t)(end - path), "%s", name);
    }
    CHECK(aclrtBinaryLoadFromFile(path, NULL, &binary));
    return binary;
}

static inline aclrtFuncHandle find_kernel(aclrtBinHandle binary, const char *name)
{
    aclrtFuncHandle function = NULL;
    CHECK(aclrtBinaryGetFunction(binary, name, &function));
    return function;
}

/* Device memory that holds what is on the host. */
static inline void *to_device(const void *host, size_t bytes)
{
    void *device = NULL;
    CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return device;
}

/* Launches with two events around; waits, and gives the device time between them in us. */
static inline double timed_launch(aclrtFuncHandle kernel, uint32_t blocks, aclrtStream stream,
                                  void *args, size_t bytes)
{
    aclrtEvent before = NULL;
    aclrtEvent after = NULL;
    float ms = 0;
    CHECK(aclrtCreateEventWithFlag(&before, ACL_EVENT_TIME_LINE));
    CHECK(aclrtCreateEventWithFlag(&after, ACL_EVENT_TIME_LINE));
    CHECK(aclrtRecordEvent(before, stream));
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, blocks, stream, NULL, args, bytes, NULL, 0));
    CHECK(aclrtRecordEvent(after, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtEventElapsedTime(&ms, before, after));
    CHECK(aclrtDestroyEvent(before));
    CHECK(aclrtDestroyEvent(after));
    return (double)ms * 1e3;
}

#endif
