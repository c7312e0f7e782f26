/* SPDX-License-Identifier: Apache-2.0 */
/* What a program holds while it uses a device, from the outermost thing in: the runtime, a device,
 * contexts, streams. Taken in this order and released in the reverse. */
#include "check.h"

#define DEVICE 0

/* The same copy there and back on any stream; NULL is the default stream. */
static void copy_there_and_back(aclrtStream stream, size_t bytes, unsigned seed)
{
    void *host = NULL;
    void *back = NULL;
    void *device = NULL;
    CHECK(aclrtMallocHost(&host, bytes));
    CHECK(aclrtMallocHost(&back, bytes));
    CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    pattern_fill(host, bytes, seed);
    pattern_fill(back, bytes, seed + 1);
    CHECK(aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtMemcpyAsync(back, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));
    REQUIRE(pattern_differences(back, bytes, seed) == 0);
    CHECK(aclrtFree(device));
    CHECK(aclrtFreeHost(back));
    CHECK(aclrtFreeHost(host));
}

int main(void)
{
    CHECK(aclInit(NULL));
    printf("runtime: ready\n");

    /* Nothing can be made before a device is chosen. */
    aclrtStream stream = NULL;
    EXPECT(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);

    uint32_t devices = 0;
    CHECK(aclrtGetDeviceCount(&devices));
    REQUIRE(devices > 0);
    const char *soc = aclrtGetSocName();
    REQUIRE(soc != NULL);
    printf("devices: %u, %s\n", devices, soc);

    /* Choosing a device makes its default context, and in that a default stream. */
    CHECK(aclrtSetDevice(DEVICE));
    int32_t chosen = -1;
    CHECK(aclrtGetDevice(&chosen));
    REQUIRE(chosen == DEVICE);
    aclrtContext default_context = NULL;
    CHECK(aclrtGetCurrentContext(&default_context));
    printf("device %d: set, its default context is current\n", (int)chosen);

    /* On a host the data starts in host memory; on the device itself there is only one memory. */
    aclrtRunMode mode = ACL_DEVICE;
    CHECK(aclrtGetRunMode(&mode));
    REQUIRE(mode == ACL_HOST || mode == ACL_DEVICE);
    printf("run mode: %s\n", mode == ACL_HOST ? "host" : "device");

    copy_there_and_back(NULL, 65536, 3);
    printf("default stream of the default context: copy verified\n");

    /* A context that the program creates has its own default stream. */
    aclrtContext context = NULL;
    CHECK(aclrtCreateContext(&context, DEVICE));
    aclrtContext current = NULL;
    CHECK(aclrtGetCurrentContext(&current));
    REQUIRE(current == context);
    CHECK(aclrtCreateStream(&stream));
    int32_t stream_id = -1;
    int32_t default_id = -1;
    CHECK(aclrtStreamGetId(stream, &stream_id));
    CHECK(aclrtStreamGetId(NULL, &default_id));
    REQUIRE(stream_id != default_id);
    copy_there_and_back(NULL, 65536, 4);
    copy_there_and_back(stream, 65536, 5);
    printf("explicit context: both its streams copied, verified\n");

    /* A stream works only while its context is current. */
    CHECK(aclrtSetCurrentContext(default_context));
    EXPECT(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK(aclrtSetCurrentContext(context));
    printf("explicit stream: refused while another context is current\n");

    /* The reverse order. The default context goes with the device, never before. */
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtDestroyContext(context));
    CHECK(aclrtSetCurrentContext(default_context));
    EXPECT(aclrtDestroyContext(default_context), ACL_ERROR_RT_CONTEXT_NULL);
    copy_there_and_back(NULL, 4096, 6);
    CHECK(aclrtResetDevice(DEVICE));
    EXPECT(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK(aclFinalize());
    printf("released in reverse order\n");
    printf("runtime_resources: ok\n");
    return 0;
}
