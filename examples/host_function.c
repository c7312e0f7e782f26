/* SPDX-License-Identifier: Apache-2.0 */
/* A stream runs a function of the host between two of its copies, and waits for it. Another stream
 * waits for the first by an event, so that it comes after the function too. */
#include <pthread.h>

#include "check.h"

#define BYTES ((size_t)1 << 20)

struct work {
    unsigned char *host;
    size_t differences;
    pthread_t thread;
};

/* The stream's first copies are done, its later ones have not begun: the data is the function's
 * alone. */
static void change(void *argument)
{
    struct work *work = argument;
    work->differences = pattern_differences(work->host, BYTES, 1);
    pattern_fill(work->host, BYTES, 2);
    work->thread = pthread_self();
}

int main(void)
{
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream worker = NULL;
    aclrtStream reader = NULL;
    aclrtEvent changed = NULL;
    CHECK(aclrtCreateStream(&worker));
    CHECK(aclrtCreateStream(&reader));
    CHECK(aclrtCreateEventExWithFlag(&changed, ACL_EVENT_SYNC));
    void *input = NULL;
    void *shared = NULL;
    void *output = NULL;
    void *device = NULL;
    CHECK(aclrtMallocHost(&input, BYTES));
    CHECK(aclrtMallocHost(&shared, BYTES));
    CHECK(aclrtMallocHost(&output, BYTES));
    CHECK(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    pattern_fill(input, BYTES, 1);
    struct work work = {.host = shared, .differences = BYTES};

    CHECK(aclrtMemcpyAsync(device, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, worker));
    CHECK(aclrtMemcpyAsync(shared, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, worker));
    CHECK(aclrtLaunchHostFunc(worker, change, &work));
    CHECK(aclrtMemcpyAsync(device, BYTES, shared, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, worker));
    CHECK(aclrtRecordEvent(changed, worker));
    CHECK(aclrtStreamWaitEvent(reader, changed));
    CHECK(aclrtMemcpyAsync(output, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, reader));
    printf(
        "queued: copies, a function of the host, a copy of what it makes; another stream waits\n");

    CHECK(aclrtSynchronizeStream(reader));
    REQUIRE(work.differences == 0);
    REQUIRE(!pthread_equal(work.thread, pthread_self()));
    printf("the function saw the first copies, on a thread of the runtime\n");
    REQUIRE(pattern_differences(output, BYTES, 2) == 0);
    printf("the other stream has read what it made\n");

    CHECK(aclrtDestroyEvent(changed));
    CHECK(aclrtDestroyStream(reader));
    CHECK(aclrtDestroyStream(worker));
    CHECK(aclrtFree(device));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(shared));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("host_function: ok\n");
    return 0;
}
