/* SPDX-License-Identifier: Apache-2.0 */
/* A program that ends with work queued and nothing released: none of what the runtime holds for it
 * is a leak of memory. */
#include "check.h"

enum { BYTES = 1 << 20 };

static void nothing(void *argument)
{
    (void)argument;
}

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    for (int i = 0; i < 4; i++) {
        aclrtStream stream;
        aclrtEvent event;
        void *device;
        void *host;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtCreateEvent(&event));
        CHECK(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMallocHost(&host, BYTES));
        CHECK(aclrtMemcpyAsync(device, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK(aclrtRecordEvent(event, stream));
        CHECK(aclrtLaunchHostFunc(stream, nothing, NULL));
        CHECK(aclrtFree(device));
        CHECK(aclrtFreeHost(host));
        REQUIRE(aclrtSetDevice(99) != ACL_SUCCESS);
    }
    return 0;
}
