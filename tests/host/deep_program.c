/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for a library's signal and then lets the main thread's stream go on, which all
 * other threads wait for. usage: deep_program before|after
 * The library is opened before or after the thread begins to wait. It is found by the program's own
 * run path. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_cond_t entered = PTHREAD_COND_INITIALIZER;
static bool waits, flag;
static aclrtContext context;
static aclrtNotify notify;
static void (*deep_wake)(pthread_mutex_t *, pthread_cond_t *, bool *);

static void check(aclError code, const char *what)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int)code);
    exit(1);
}

static void *allow(void *argument)
{
    (void)argument;
    aclrtStream stream;
    check(aclrtSetCurrentContext(context), "aclrtSetCurrentContext");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    pthread_mutex_lock(&mutex);
    waits = true;
    pthread_cond_signal(&entered);
    while (!flag)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    check(aclrtRecordNotify(notify, stream), "aclrtRecordNotify");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream of the thread");
    return NULL;
}

static void *wake(void *argument)
{
    (void)argument;
    deep_wake(&mutex, &changed, &flag);
    return NULL;
}

static void open_library(void)
{
    void *library = dlopen("libhost_deep.so", RTLD_NOW | RTLD_DEEPBIND);
    void *symbol = library ? dlsym(library, "deep_wake") : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(&deep_wake, &symbol, sizeof(symbol));
}

int main(int argc, char **argv)
{
    bool before = argc == 2 && strcmp(argv[1], "before") == 0;
    aclrtStream stream;
    pthread_t waiter, waker;
    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtGetCurrentContext(&context), "aclrtGetCurrentContext");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    check(aclrtCreateNotify(&notify, 0), "aclrtCreateNotify");
    check(aclrtWaitAndResetNotify(notify, stream, 0), "aclrtWaitAndResetNotify");
    if (before)
        open_library();
    pthread_create(&waiter, NULL, allow, NULL);
    pthread_mutex_lock(&mutex);
    while (!waits)
        pthread_cond_wait(&entered, &mutex);
    pthread_mutex_unlock(&mutex);
    if (!before)
        open_library();
    pthread_create(&waker, NULL, wake, NULL);
    pthread_join(waker, NULL);
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    pthread_join(waiter, NULL);
    check(aclrtDestroyNotify(notify), "aclrtDestroyNotify");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    puts("done");
    return 0;
}
