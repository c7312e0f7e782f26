/* SPDX-License-Identifier: Apache-2.0 */
/* A program with threads that pass device memory on, and sleep: tests examine its recording.
 *
 *   order_program sleep     one thread submits, sleeps and asks
 *   order_program join      a thread fills a buffer and ends; main, which joins it, reads it
 *   order_program relay     the same, but a third thread waits for the fill, calls nothing and
 *                           passes it on
 *   order_program cond      two threads go through a condition variable, a mutex and sleeps,
 *                           round after round
 *   order_program mutex|semaphore|barrier|rwlock|spin
 *                           a thread fills a buffer, and main reads it when that object allows it
 *   order_program missing   as join, but main reads before it joins, after a sleep during which
 *                           the other has surely filled it */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
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

/* ---- one object orders two threads; a flag is polled under the locks ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_barrier_t barrier;
static bool filled;

static void give_mutex(void)
{
    pthread_mutex_lock(&mutex);
    filled = true;
    pthread_mutex_unlock(&mutex);
}

static bool take_mutex(void)
{
    pthread_mutex_lock(&mutex);
    const bool there = filled;
    pthread_mutex_unlock(&mutex);
    return there;
}

static void give_rwlock(void)
{
    pthread_rwlock_wrlock(&rwlock);
    filled = true;
    pthread_rwlock_unlock(&rwlock);
}

static bool take_rwlock(void)
{
    pthread_rwlock_rdlock(&rwlock);
    const bool there = filled;
    pthread_rwlock_unlock(&rwlock);
    return there;
}

static void give_spin(void)
{
    pthread_spin_lock(&spin);
    filled = true;
    pthread_spin_unlock(&spin);
}

static bool take_spin(void)
{
    pthread_spin_lock(&spin);
    const bool there = filled;
    pthread_spin_unlock(&spin);
    return there;
}

static void give_semaphore(void)
{
    sem_post(&semaphore);
}

static bool take_semaphore(void)
{
    return sem_wait(&semaphore) == 0;
}

static void meet(void)
{
    pthread_barrier_wait(&barrier);
}

static bool meet_too(void)
{
    meet();
    return true;
}

static const struct object {
    const char *name;
    void (*give)(void);
    bool (*take)(void);
} objects[] = {{"mutex", give_mutex, take_mutex},
               {"semaphore", give_semaphore, take_semaphore},
               {"barrier", meet, meet_too},
               {"rwlock", give_rwlock, take_rwlock},
               {"spin", give_spin, take_spin}};
static const struct object *chosen;

static void *fill_and_give(void *unused)
{
    (void)fill_once(unused);
    chosen->give();
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

static void read_when_given(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t other = start(fill_and_give);
    while (!chosen->take())
        sched_yield();
    read_back();
    pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
        if (strcmp(mode, objects[i].name) == 0)
            chosen = &objects[i];
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtGetCurrentContext(&context));
    CHECK(aclrtCreateStream(&mine));
    CHECK(aclrtCreateStream(&others));
    CHECK(aclrtMalloc((void **)&buffer, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc((void **)&copy, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    if (chosen) {
        read_when_given();
    } else if (strcmp(mode, "sleep") == 0) {
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
