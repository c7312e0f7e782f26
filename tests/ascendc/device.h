/* SPDX-License-Identifier: Apache-2.0 */
/* A device with a stream, and memory of it that begins with what the host has: for programs in
 * Ascend C. */
#ifndef TWINRT_TESTS_ASCENDC_DEVICE_H
#define TWINRT_TESTS_ASCENDC_DEVICE_H

#include <acl/acl.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                            \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

struct Device {
    aclrtStream stream = nullptr;
    Device()
    {
        EXPECT(aclInit(nullptr) == ACL_SUCCESS);
        EXPECT(aclrtSetDevice(0) == ACL_SUCCESS);
        EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS);
    }
    ~Device()
    {
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
        aclFinalize();
    }
    aclError wait() { return aclrtSynchronizeStream(stream); }
};

template <typename T>
struct Memory {
    T *at = nullptr;
    size_t bytes;
    explicit Memory(const std::vector<T> &from) : bytes(from.size() * sizeof(T))
    {
        EXPECT(aclrtMalloc((void **)&at, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
        EXPECT(aclrtMemcpy(at, bytes, from.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) ==
               ACL_SUCCESS);
    }
    ~Memory() { aclrtFree(at); }
    std::vector<T> back() const
    {
        std::vector<T> result(bytes / sizeof(T));
        EXPECT(aclrtMemcpy(result.data(), bytes, at, bytes, ACL_MEMCPY_DEVICE_TO_HOST) ==
               ACL_SUCCESS);
        return result;
    }
};

static inline int finish(const char *name)
{
    std::printf("%s: %s\n", name, failures == 0 ? "ok" : "failed");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
