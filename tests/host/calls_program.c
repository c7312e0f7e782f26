/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for host functions by a condition variable, which nothing in the runtime sees. Prints the
 * device time between the events before each, in ns. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

#define ROUNDS 50
#define BYTES  (1u << 20)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int runs;

static void check(aclError code, const char *what)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int)code);
    exit(1);
}

static void count_run(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&mutex);
    runs++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    aclrtStream stream;
    aclrtEvent events[ROUNDS];
    void *memory;
    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    check(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY), "aclrtMalloc");
    for (int i = 0; i < ROUNDS; i++) {
        check(aclrtMemsetAsync(memory, BYTES, i, BYTES, stream), "aclrtMemsetAsync");
        check(aclrtCreateEventWithFlag(&events[i], ACL_EVENT_TIME_LINE),
              "aclrtCreateEventWithFlag");
        check(aclrtRecordEvent(events[i], stream), "aclrtRecordEvent");
        check(aclrtLaunchHostFunc(stream, count_run, NULL), "aclrtLaunchHostFunc");
        pthread_mutex_lock(&mutex);
        while (runs <= i)
            pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    for (int i = 1; i < ROUNDS; i++) {
        float ms = 0;
        check(aclrtEventElapsedTime(&ms, events[i - 1], events[i]), "aclrtEventElapsedTime");
        printf("%.0f%c", (double)ms * 1e6, i == ROUNDS - 1 ? '\n' : ' ');
    }
    for (int i = 0; i < ROUNDS; i++)
        check(aclrtDestroyEvent(events[i]), "aclrtDestroyEvent");
    check(aclrtFree(memory), "aclrtFree");
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    return 0;
}
