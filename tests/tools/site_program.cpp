// SPDX-License-Identifier: Apache-2.0
// Reads memory in one stream that another stream writes, with nothing that orders the two. A
// library calls the write.
#include "acl/acl.h"

namespace staging
{
aclError upload(void *memory, size_t bytes, aclrtStream stream);
}

namespace
{

constexpr size_t bytes = 1 << 20;

inline __attribute__((always_inline)) aclError collect(void *host, const void *memory,
                                                       aclrtStream stream)
{
    // SITE: collect
    return aclrtMemcpyAsync(host, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
}

} // namespace

int main()
{
    aclrtStream streams[2];
    void *memory = nullptr;
    void *host = nullptr;
    if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtCreateStream(&streams[0]) != ACL_SUCCESS ||
        aclrtCreateStream(&streams[1]) != ACL_SUCCESS ||
        aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMallocHost(&host, bytes) != ACL_SUCCESS)
        return 1;
    aclError error = staging::upload(memory, bytes, streams[0]);
    error += collect(host, memory, streams[1]);
    (void)aclrtSynchronizeDevice();
    (void)aclrtFree(memory);
    (void)aclrtFreeHost(host);
    (void)aclFinalize();
    return error == ACL_SUCCESS ? 0 : 1;
}
