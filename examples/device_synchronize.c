/* SPDX-License-Identifier: Apache-2.0 */
/* The host waits for everything: one call covers the default stream and all streams of the
 * context. */
#include "check.h"

#define BYTES   ((size_t)1 << 20)
#define STREAMS 4 /* the first is the default stream */

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtSynchronizeDevice());
    printf("idle device: the wait returns at once\n");

    aclrtStream streams[STREAMS] = {NULL};
    aclrtEvent ends[STREAMS];
    void *input[STREAMS];
    void *output[STREAMS];
    void *device[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        if (i > 0)
            CHECK(aclrtCreateStream(&streams[i]));
        CHECK(aclrtCreateEventExWithFlag(&ends[i], ACL_EVENT_SYNC));
        CHECK(aclrtMallocHost(&input[i], BYTES));
        CHECK(aclrtMallocHost(&output[i], BYTES));
        CHECK(aclrtMalloc(&device[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        pattern_fill(input[i], BYTES, 30u + (unsigned)i);
        pattern_fill(output[i], BYTES, 40u + (unsigned)i);
    }

    for (int i = 0; i < STREAMS; i++) {
        CHECK(aclrtMemcpyAsync(device[i], BYTES, input[i], BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                               streams[i]));
        CHECK(aclrtMemcpyAsync(output[i], BYTES, device[i], BYTES, ACL_MEMCPY_DEVICE_TO_HOST,
                               streams[i]));
        CHECK(aclrtRecordEvent(ends[i], streams[i]));
    }
    printf("queued: a copy there and back on the default stream and on %d others\n", STREAMS - 1);

    CHECK(aclrtSynchronizeDevice());
    for (int i = 0; i < STREAMS; i++) {
        aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
        CHECK(aclrtQueryEventStatus(ends[i], &status));
        REQUIRE(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
        REQUIRE(pattern_differences(output[i], BYTES, 30u + (unsigned)i) == 0);
    }
    printf("after one wait: all %d streams are done, %zu bytes verified\n", STREAMS,
           STREAMS * BYTES);

    for (int i = 0; i < STREAMS; i++) {
        CHECK(aclrtDestroyEvent(ends[i]));
        if (i > 0)
            CHECK(aclrtDestroyStream(streams[i]));
        CHECK(aclrtFree(device[i]));
        CHECK(aclrtFreeHost(output[i]));
        CHECK(aclrtFreeHost(input[i]));
    }
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("device_synchronize: ok\n");
    return 0;
}
