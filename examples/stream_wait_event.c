/* SPDX-License-Identifier: Apache-2.0 */
/* One stream waits for a point of another, without the host: stream A copies to the device and
 * records an event, stream B waits for the event and copies on. What B queued before its wait is
 * not held. */
#include "check.h"

#define BYTES      ((size_t)4 << 20)
#define SIDE_BYTES ((size_t)256 << 10)

enum point { A_BEGINS, B_FREE, A_COPIED, B_MOVED, B_DONE, POINTS };

static const char *const point_names[POINTS] = {
    [A_BEGINS] = "stream A begins",
    [B_FREE] = "stream B has done what it queued before its wait",
    [A_COPIED] = "stream A has copied to the device",
    [B_MOVED] = "stream B has copied on the device",
    [B_DONE] = "stream B has copied back to the host",
};

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream a = NULL;
    aclrtStream b = NULL;
    CHECK(aclrtCreateStream(&a));
    CHECK(aclrtCreateStream(&b));
    aclrtEvent events[POINTS];
    for (int i = 0; i < POINTS; i++)
        CHECK(aclrtCreateEventExWithFlag(&events[i], ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));

    void *input = NULL;
    void *output = NULL;
    void *first = NULL;
    void *second = NULL;
    void *side = NULL;
    CHECK(aclrtMallocHost(&input, BYTES));
    CHECK(aclrtMallocHost(&output, BYTES));
    CHECK(aclrtMalloc(&first, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&second, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&side, SIDE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    pattern_fill(input, BYTES, 20);
    pattern_fill(output, BYTES, 21);

    CHECK(aclrtRecordEvent(events[A_BEGINS], a));
    CHECK(aclrtMemcpyAsync(first, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, a));
    CHECK(aclrtRecordEvent(events[A_COPIED], a));

    CHECK(aclrtMemsetAsync(side, SIDE_BYTES, 0, SIDE_BYTES, b));
    CHECK(aclrtRecordEvent(events[B_FREE], b));
    CHECK(aclrtStreamWaitEvent(b, events[A_COPIED]));
    CHECK(aclrtMemcpyAsync(second, BYTES, first, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, b));
    CHECK(aclrtRecordEvent(events[B_MOVED], b));
    CHECK(aclrtMemcpyAsync(output, BYTES, second, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, b));
    CHECK(aclrtRecordEvent(events[B_DONE], b));
    printf("queued: A copies in and records; B clears, waits for A, copies on, copies out\n");

    CHECK(aclrtSynchronizeStream(b));
    REQUIRE(pattern_differences(output, BYTES, 20) == 0);
    printf("stream B is done: %zu bytes verified\n", BYTES);

    /* The device's own times, since the device started. */
    float ms[POINTS];
    uint64_t us[POINTS];
    for (int i = 0; i < POINTS; i++) {
        CHECK(aclrtEventElapsedTime(&ms[i], events[A_BEGINS], events[i]));
        CHECK(aclrtEventGetTimestamp(events[i], &us[i]));
    }
    REQUIRE(ms[A_BEGINS] <= ms[A_COPIED]);
    REQUIRE(ms[A_COPIED] <= ms[B_MOVED]);
    REQUIRE(ms[B_MOVED] <= ms[B_DONE]);
    REQUIRE(ms[B_FREE] <= ms[B_MOVED]);

    int order[POINTS];
    for (int i = 0; i < POINTS; i++) {
        int at = i;
        for (; at > 0 && ms[order[at - 1]] > ms[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    printf("order of the events, device time, time after the first:\n");
    for (int i = 0; i < POINTS; i++)
        printf("  %d. %10llu us %+10.2f us  %s\n", i + 1, (unsigned long long)us[order[i]],
               (double)ms[order[i]] * 1000.0, point_names[order[i]]);

    CHECK(aclrtDestroyStream(b));
    CHECK(aclrtDestroyStream(a));
    for (int i = 0; i < POINTS; i++)
        CHECK(aclrtDestroyEvent(events[i]));
    CHECK(aclrtFree(side));
    CHECK(aclrtFree(second));
    CHECK(aclrtFree(first));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("stream_wait_event: ok\n");
    return 0;
}
