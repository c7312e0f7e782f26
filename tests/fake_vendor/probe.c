/* SPDX-License-Identifier: Apache-2.0 */
/* A program on the public interface that continues after any answer. Prints `call code` for each
 * call, then the message of a failure, and a last line at the end. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_rt.h"

#define BYTES 4096

static int say(const char *call, aclError code)
{
    printf("%s %d\n", call, (int)code);
    if (code != ACL_SUCCESS) {
        const char *text = aclGetRecentErrMsg();
        for (; text && *text; text++)
            putchar(*text == '\n' ? '|' : *text);
        putchar('\n');
    }
    fflush(stdout);
    return code == ACL_SUCCESS;
}
#define SAY(call) say(#call, call)

static void note(void *argument)
{
    ++*(int *)argument;
}

static void copy_there_and_back(aclrtStream stream, aclrtEvent first, aclrtEvent last)
{
    void *device = NULL, *out = NULL, *in = NULL;
    float ms = -1;
    SAY(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    SAY(aclrtMallocHost(&out, BYTES));
    SAY(aclrtMallocHost(&in, BYTES));
    if (out && in) {
        memset(out, 0x5a, BYTES);
        memset(in, 0, BYTES);
        SAY(aclrtRecordEvent(first, stream));
        SAY(aclrtMemcpyAsync(device, BYTES, out, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        SAY(aclrtMemcpyAsync(in, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        SAY(aclrtRecordEvent(last, stream));
        if (SAY(aclrtSynchronizeStream(stream)))
            printf("bytes %s\n", memcmp(out, in, BYTES) == 0 ? "same" : "other");
        if (SAY(aclrtEventElapsedTime(&ms, first, last)))
            printf("time %s\n", ms >= 0 ? "good" : "bad");
    }
    SAY(aclrtMemset(device, BYTES, 1, BYTES));
    SAY(aclrtValueWrite(device, 7, 0, stream));
    SAY(aclrtSynchronizeStreamWithTimeout(stream, 1000));
    SAY(aclrtFreeHost(in));
    SAY(aclrtFreeHost(out));
    SAY(aclrtFree(device));
}

static void wait_between(aclrtStream stream)
{
    aclrtStream other = NULL;
    aclrtNotify notify = NULL;
    int called = 0;
    aclrtStreamStatus idle = ACL_STREAM_STATUS_RESERVED;
    SAY(aclrtCreateStream(&other));
    SAY(aclrtCreateNotify(&notify, 0));
    SAY(aclrtRecordNotify(notify, other));
    SAY(aclrtWaitAndResetNotify(notify, stream, 0));
    SAY(aclrtLaunchHostFunc(other, note, &called));
    SAY(aclrtSynchronizeStreamWithTimeout(stream, 1000));
    SAY(aclrtSynchronizeStreamWithTimeout(other, 1000));
    SAY(aclrtStreamQuery(stream, &idle));
    SAY(aclrtDestroyNotify(notify));
    SAY(aclrtDestroyStreamForce(other));
}

/* With an argument it ends as it is: nothing is released. */
int main(int count_of_arguments, char **arguments)
{
    (void)arguments;
    aclrtStream stream = NULL;
    aclrtEvent first = NULL, last = NULL;
    uint32_t count = 0;
    SAY(aclInit(NULL));
    SAY(aclrtGetDeviceCount(&count));
    SAY(aclrtSetDevice(0));
    SAY(aclrtCreateStream(&stream));
    SAY(aclrtCreateEvent(&first));
    SAY(aclrtCreateEvent(&last));
    copy_there_and_back(stream, first, last);
    wait_between(stream);
    if (count_of_arguments > 1) {
        printf("through\n");
        return 0;
    }
    SAY(aclrtDestroyEvent(last));
    SAY(aclrtDestroyEvent(first));
    SAY(aclrtDestroyStreamForce(stream)); /* what it waits for may never have been recorded */
    SAY(aclrtResetDevice(0));
    SAY(aclFinalize());
    printf("through\n");
    return 0;
}
