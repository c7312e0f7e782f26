/* SPDX-License-Identifier: Apache-2.0 */
/* The host waits for one point of a stream: what was queued before the event is done, what was
 * queued after it need not be. */
#include "check.h"

#define SMALL_BYTES ((size_t)64 << 10)
#define LARGE_BYTES ((size_t)64 << 20)

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = NULL;
    CHECK(aclrtCreateStream(&stream));
    aclrtEvent point = NULL;
    aclrtEvent end = NULL;
    CHECK(aclrtCreateEventExWithFlag(&point, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
    CHECK(aclrtCreateEventExWithFlag(&end, ACL_EVENT_CAPTURE_STREAM_PROGRESS));

    /* With no record there is nothing to wait for. */
    CHECK(aclrtSynchronizeEvent(point));
    printf("event without a record: the wait returns at once\n");

    void *input = NULL;
    void *output = NULL;
    void *large_host = NULL;
    void *small = NULL;
    void *large = NULL;
    CHECK(aclrtMallocHost(&input, SMALL_BYTES));
    CHECK(aclrtMallocHost(&output, SMALL_BYTES));
    CHECK(aclrtMallocHost(&large_host, LARGE_BYTES));
    CHECK(aclrtMalloc(&small, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&large, LARGE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    pattern_fill(input, SMALL_BYTES, 1);
    pattern_fill(output, SMALL_BYTES, 2);
    pattern_fill(large_host, LARGE_BYTES, 3);

    CHECK(aclrtMemcpyAsync(small, SMALL_BYTES, input, SMALL_BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                           stream));
    CHECK(aclrtMemcpyAsync(output, SMALL_BYTES, small, SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                           stream));
    CHECK(aclrtRecordEvent(point, stream));
    CHECK(aclrtMemcpyAsync(large, LARGE_BYTES, large_host, LARGE_BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                           stream));
    CHECK(aclrtRecordEvent(end, stream));
    printf("queued: small copy there and back, record, large copy, record\n");

    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    CHECK(aclrtQueryEventStatus(end, &status));
    REQUIRE(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);

    CHECK(aclrtSynchronizeEvent(point));
    REQUIRE(pattern_differences(output, SMALL_BYTES, 1) == 0);
    CHECK(aclrtQueryEventStatus(point, &status));
    REQUIRE(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHECK(aclrtQueryEventStatus(end, &status));
    REQUIRE(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    printf("after the first event: small data is back, the large copy is still running\n");

    CHECK(aclrtSynchronizeEvent(end));
    CHECK(aclrtQueryEventStatus(end, &status));
    REQUIRE(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    printf("after the second event: all is done\n");

    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtDestroyEvent(point));
    CHECK(aclrtDestroyEvent(end));
    CHECK(aclrtFree(large));
    CHECK(aclrtFree(small));
    CHECK(aclrtFreeHost(large_host));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("event_synchronize: ok\n");
    return 0;
}
