/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the defect that its argument names, each on the program's side and each in the
 * reach of one sanitizer. */
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { BYTES = 4096 };

static int shared;

static void count(void *argument)
{
    (void)argument;
    shared++;
}

/* The host function and the thread that queued it change the same variable: the wait comes after
 * that. */
static void race_function(aclrtStream stream)
{
    CHECK(aclrtLaunchHostFunc(stream, count, NULL));
    shared++;
    CHECK(aclrtSynchronizeStream(stream));
}

static void *count_and_call(void *context)
{
    CHECK(aclrtSetCurrentContext(context));
    shared++;
    return NULL;
}

/* Two threads that call the runtime, and change the same variable. */
static void race_threads(void)
{
    aclrtContext context;
    pthread_t threads[2];
    CHECK(aclrtGetCurrentContext(&context));
    for (int i = 0; i < 2; i++)
        REQUIRE(pthread_create(&threads[i], NULL, count_and_call, context) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void leak(void)
{
    char *volatile lost = malloc(100);
    lost[0] = 1;
    lost = NULL;
}

/* A copy from the device is longer than the memory on the host. */
static void overflow_copy(aclrtStream stream, void *device)
{
    char *host = malloc(BYTES / 2);
    CHECK(aclrtMemcpyAsync(host, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));
    free(host);
}

static void overflow_pinned(void)
{
    char *host = NULL;
    CHECK(aclrtMallocHost((void **)&host, 100));
    volatile char *beyond = host + 100;
    *beyond = 1;
    CHECK(aclrtFreeHost(host));
}

int main(int argc, char **argv)
{
    const char *defect = argc > 1 ? argv[1] : "";
    aclrtStream stream = NULL;
    void *device = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    if (strcmp(defect, "race_function") == 0)
        race_function(stream);
    else if (strcmp(defect, "race_threads") == 0)
        race_threads();
    else if (strcmp(defect, "leak") == 0)
        leak();
    else if (strcmp(defect, "overflow_copy") == 0)
        overflow_copy(stream, device);
    else if (strcmp(defect, "overflow_pinned") == 0)
        overflow_pinned();
    else if (strcmp(defect, "signed") == 0)
        shared = argc - 1 + INT_MAX;
    CHECK(aclrtFree(device));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
