/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose threads hand device memory on, and sleep: what its recording has of both is looked at by tests.
 *
 *   order_program sleep     one thread submits, sleeps and asks
 *   order_program join      a thread fills a buffer and ends; main, which joins it, reads the buffer
 *   order_program relay     the same, but who waits for the fill is a third thread that calls nothing and hands on
 *   order_program cond      two threads go through a condition variable, a mutex and sleeps, round after round
 *   order_program missing   as join, but main reads before it joins, after a sleep in which the other surely has filled it */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"

#define BYTES  ((size_t)1 << 20)
#define ROUNDS 5

static void check(aclError error, const char *what)
{
    if (error == ACL_SUCCESS)
        return;
    fprintf(stderr, "order_program: %s: %d: %s\n", what, error, aclGetRecentErrMsg());
    exit(1);
}
#define CHECK(call) check(call, #call)

static aclrtContext context;
static aclrtStream mine, others;
static char *buffer, *copy;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int filled; /* guarded by lock; and the next */
    int read;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void fill(void)
{
    CHECK(aclrtMemsetAsync(buffer, BYTES, 1, BYTES, others));
    CHECK(aclrtSynchronizeStream(others));
}

static void read_back(void)
{
    CHECK(aclrtMemcpyAsync(copy, BYTES, buffer, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, mine));
    CHECK(aclrtSynchronizeStream(mine));
}

static void *fill_once(void *unused)
{
    (void)unused;
    CHECK(aclrtSetCurrentContext(context));
    fill();
    return NULL;
}

static pthread_t start(void *(*function)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, NULL) != 0)
        exit(1);
    return thread;
}

static void *wait_for_fill(void *unused)
{
    (void)unused;
    pthread_join(start(fill_once), NULL);
    return NULL;
}

static void sleep_and_ask(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
        CHECK(aclrtMemsetAsync(buffer, BYTES, i, BYTES, mine));
        usleep(700u * (unsigned)i);
        CHECK(aclrtStreamQuery(mine, &status));
        if (i > 0 && status != ACL_STREAM_STATUS_COMPLETE)
            exit(2); /* the device takes some tens of us */
        CHECK(aclrtMemcpyAsync(copy, BYTES, buffer, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, mine));
    }
    CHECK(aclrtSynchronizeStream(mine));
}

static void *fill_rounds(void *unused)
{
    (void)unused;
    CHECK(aclrtSetCurrentContext(context));
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&state.lock);
        while (state.read < i - 1)
            pthread_cond_wait(&state.changed, &state.lock);
        pthread_mutex_unlock(&state.lock);
        usleep(300);
        fill();
        pthread_mutex_lock(&state.lock);
        state.filled = i;
        pthread_cond_signal(&state.changed);
        pthread_mutex_unlock(&state.lock);
    }
    return NULL;
}

static void read_rounds(void)
{
    pthread_t other = start(fill_rounds);
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&state.lock);
        while (state.filled < i)
            pthread_cond_wait(&state.changed, &state.lock);
        pthread_mutex_unlock(&state.lock);
        read_back();
        pthread_mutex_lock(&state.lock);
        state.read = i;
        pthread_cond_signal(&state.changed);
        pthread_mutex_unlock(&state.lock);
    }
    pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtGetCurrentContext(&context));
    CHECK(aclrtCreateStream(&mine));
    CHECK(aclrtCreateStream(&others));
    CHECK(aclrtMalloc((void **)&buffer, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc((void **)&copy, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    if (strcmp(mode, "sleep") == 0) {
        sleep_and_ask();
    } else if (strcmp(mode, "join") == 0) {
        pthread_join(start(fill_once), NULL);
        read_back();
    } else if (strcmp(mode, "relay") == 0) {
        pthread_join(start(wait_for_fill), NULL);
        read_back();
    } else if (strcmp(mode, "cond") == 0) {
        read_rounds();
    } else if (strcmp(mode, "missing") == 0) {
        pthread_t other = start(fill_once);
        sleep(1);
        read_back();
        pthread_join(other, NULL);
    } else {
        return 2;
    }
    CHECK(aclrtFree(buffer));
    CHECK(aclrtFree(copy));
    CHECK(aclrtDestroyStream(mine));
    CHECK(aclrtDestroyStream(others));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
