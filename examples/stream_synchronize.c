/* SPDX-License-Identifier: Apache-2.0 */
/* The host waits for one stream: all that was queued there is done, other streams may still
 * work. */
#include "check.h"

#define SMALL_BYTES ((size_t)256 << 10)
#define LARGE_BYTES ((size_t)64 << 20)

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream quick = NULL;
    aclrtStream slow = NULL;
    aclrtEvent slow_end = NULL;
    CHECK(aclrtCreateStream(&quick));
    CHECK(aclrtCreateStream(&slow));
    CHECK(aclrtCreateEventExWithFlag(&slow_end, ACL_EVENT_SYNC));

    /* A stream with nothing queued is done. */
    CHECK(aclrtSynchronizeStream(quick));
    printf("empty stream: the wait returns at once\n");

    void *input = NULL;
    void *output = NULL;
    void *large_host = NULL;
    void *first = NULL;
    void *second = NULL;
    void *large = NULL;
    CHECK(aclrtMallocHost(&input, SMALL_BYTES));
    CHECK(aclrtMallocHost(&output, SMALL_BYTES));
    CHECK(aclrtMallocHost(&large_host, LARGE_BYTES));
    CHECK(aclrtMalloc(&first, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&second, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&large, LARGE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    pattern_fill(input, SMALL_BYTES, 10);
    pattern_fill(output, SMALL_BYTES, 11);
    pattern_fill(large_host, LARGE_BYTES, 12);

    CHECK(aclrtMemcpyAsync(large, LARGE_BYTES, large_host, LARGE_BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                           slow));
    CHECK(aclrtRecordEvent(slow_end, slow));
    CHECK(
        aclrtMemcpyAsync(first, SMALL_BYTES, input, SMALL_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, quick));
    CHECK(aclrtMemcpyAsync(second, SMALL_BYTES, first, SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE,
                           quick));
    CHECK(aclrtMemcpyAsync(output, SMALL_BYTES, second, SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                           quick));
    printf("queued: one large copy on the slow stream, three small ones on the quick stream\n");

    CHECK(aclrtSynchronizeStream(quick));
    REQUIRE(pattern_differences(output, SMALL_BYTES, 10) == 0);
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    CHECK(aclrtQueryEventStatus(slow_end, &status));
    REQUIRE(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    printf("quick stream done: its data is back, the slow stream is still copying\n");

    CHECK(aclrtSynchronizeStream(slow));
    CHECK(aclrtQueryEventStatus(slow_end, &status));
    REQUIRE(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    printf("slow stream done\n");

    CHECK(aclrtDestroyEvent(slow_end));
    CHECK(aclrtDestroyStream(slow));
    CHECK(aclrtDestroyStream(quick));
    CHECK(aclrtFree(large));
    CHECK(aclrtFree(second));
    CHECK(aclrtFree(first));
    CHECK(aclrtFreeHost(large_host));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("stream_synchronize: ok\n");
    return 0;
}
