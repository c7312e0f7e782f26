/* SPDX-License-Identifier: Apache-2.0 */
/* One wait for a count that either of two streams lets pass; which of them comes first is the
 * argument's to say.
 *
 *   count_program FIRST [VALUE]    FIRST 0 or 1; VALUE is what the wait asks for */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

#define BYTES ((size_t)1 << 22)

static void check(aclError error, const char *what)
{
    if (error == ACL_SUCCESS)
        return;
    fprintf(stderr, "count_program: %s: %d\n", what, error);
    exit(1);
}

#define CHECK(call) check(call, #call)

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0;
    aclrtStream streams[3];
    aclrtCntNotify notify = NULL;
    void *memory = NULL;
    void *host = NULL;
    aclrtCntNotifyRecordInfo add = {.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 1};
    aclrtCntNotifyWaitInfo wait = {.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE,
                                   .value = argc > 2 ? (uint32_t)atoi(argv[2]) : 1};
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtMalloc(&memory, 4 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocHost(&host, 2 * BYTES));
    CHECK(aclrtCntNotifyCreate(&notify, 0));
    for (int i = 0; i < 3; i++)
        CHECK(aclrtCreateStream(&streams[i]));
    CHECK(aclrtCntNotifyWaitWithTimeout(notify, streams[2], &wait));
    /* the same calls; the copy to the host takes longer */
    for (int i = 0; i < 2; i++) {
        size_t at = (size_t)i * BYTES;
        char *near = (char *)memory + 2 * BYTES + at;
        char *far = (char *)host + at;
        CHECK(aclrtMemcpyAsync(i == first ? near : far, BYTES, (char *)memory + at, BYTES,
                               i == first ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST,
                               streams[i]));
        CHECK(aclrtCntNotifyRecord(notify, streams[i], &add));
    }
    for (int i = 0; i < 3; i++)
        CHECK(aclrtSynchronizeStream(streams[i]));
    CHECK(aclrtCntNotifyDestroy(notify));
    for (int i = 0; i < 3; i++)
        CHECK(aclrtDestroyStream(streams[i]));
    CHECK(aclrtFree(memory));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
