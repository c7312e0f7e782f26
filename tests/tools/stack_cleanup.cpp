// SPDX-License-Identifier: Apache-2.0
// Races from a destructor that an exception runs, and from a function that is inlined.
#include "acl/acl.h"

#include <stdexcept>

namespace
{

constexpr size_t bytes = 1 << 20;
aclrtStream streams[2];
void *memory;
void *host;

struct Cleanup {
    __attribute__((noinline)) ~Cleanup()
    {
        aclError error = aclrtMemsetAsync(memory, bytes, 1, bytes, streams[0]); // SITE: ~Cleanup
        __asm__ volatile("" : "+r"(error));
    }
};

__attribute__((noinline)) void fail()
{
    Cleanup cleanup;
    throw std::runtime_error("planned");
}

inline __attribute__((always_inline)) aclError collect()
{
    return aclrtMemcpyAsync(host, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                            streams[1]); // SITE: collect
}

__attribute__((noinline)) aclError gather()
{
    aclError error = collect(); // SITE: gather
    __asm__ volatile("" : "+r"(error));
    return error;
}

} // namespace

int main()
{
    if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtCreateStream(&streams[0]) != ACL_SUCCESS ||
        aclrtCreateStream(&streams[1]) != ACL_SUCCESS ||
        aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMallocHost(&host, bytes) != ACL_SUCCESS)
        return 1;
    try {
        fail();
    } catch (const std::runtime_error &) {
        if (gather() != ACL_SUCCESS) // SITE: main
            return 1;
    }
    (void)aclrtSynchronizeDevice();
    (void)aclrtFree(memory);
    (void)aclrtFreeHost(host);
    (void)aclFinalize();
    return 0;
}
