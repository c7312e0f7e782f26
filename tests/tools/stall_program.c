/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for the device without a limit; the argument says what the main thread does
 * meanwhile:
 *   never  joins the thread, which never wakes
 *   limit  as never, but another thread waits with a time limit, of 4 s
 *   MS-compute, MS-calls, MS-child
 *          computes, makes a call now and then, has a child that computes; then it wakes the thread
 *   locks  no work at all: two threads wait for each other's mutex
 *   unasked  no thread waits: the main thread sleeps after the submission
 *   idle   makes no call at all
 *   stranger  makes no call; says in the memory of the run that the process of the second argument
 *             is one of it
 *   stranger PROCESS gone  says so in all places that are free, and ends */
#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "seam/run_page.h"

#define NS_PER_MS 1000000

static aclrtStream stream;
static aclrtStream limited;
static aclrtNotify notify;

static void need(aclError code)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "stall_program: code %d\n", code);
    _exit(1);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void *wait_endlessly(void *unused)
{
    (void)unused;
    need(aclrtSetDevice(0));
    need(aclrtSynchronizeStream(stream));
    return NULL;
}

static void *wait_with_limit(void *unused)
{
    (void)unused;
    need(aclrtSetDevice(0));
    if (aclrtSynchronizeStreamWithTimeout(limited, 4000) != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        _exit(1);
    need(aclrtRecordNotify(notify, NULL));
    need(aclrtRecordNotify(notify, NULL));
    return NULL;
}

static pthread_mutex_t of_main = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t of_other = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_locked;

static void *lock_in_other_order(void *unused)
{
    (void)unused;
    need(aclrtSetDevice(0));
    pthread_mutex_lock(&of_other);
    pthread_barrier_wait(&both_locked);
    pthread_mutex_lock(&of_main);
    return NULL;
}

static void deadlock_by_locks(void)
{
    pthread_t thread;
    pthread_barrier_init(&both_locked, NULL, 2);
    pthread_mutex_lock(&of_main);
    pthread_create(&thread, NULL, lock_in_other_order, NULL);
    pthread_barrier_wait(&both_locked);
    pthread_mutex_lock(&of_other);
}

static void compute_until(int64_t end)
{
    volatile uint64_t sum = 0;
    while (now_ns() < end)
        sum = sum + 1;
}

static void call_until(int64_t end)
{
    while (now_ns() < end) {
        int32_t device;
        need(aclrtGetDevice(&device));
        nanosleep(&(struct timespec){.tv_nsec = 200 * NS_PER_MS}, NULL);
    }
}

static void wait_for_child(int64_t end)
{
    pid_t child = fork();
    if (child == 0) {
        compute_until(end);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
}

static void name_stranger(int32_t process, bool ends)
{
    twin_run_page *page = twin_run_page_map(getenv("TWINRT_RUN_PAGE"));
    if (!page)
        _exit(1);
    for (unsigned i = 0; ends && i < TWIN_RUN_SLOTS; i++) {
        int32_t none = 0;
        (void)atomic_compare_exchange_strong(&page->slots[i].process, &none, process);
    }
    if (ends)
        exit(0);
    atomic_store(&page->slots[TWIN_RUN_SLOTS - 1].process, process);
    atomic_fetch_add(&page->starts, 1);
    for (;;) {
        atomic_fetch_add(&page->slots[TWIN_RUN_SLOTS - 1].looks, 1);
        nanosleep(&(struct timespec){.tv_nsec = 10 * NS_PER_MS}, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "idle") == 0) {
        nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
        return 5;
    }
    if (strcmp(what, "stranger") == 0 && argc > 2)
        name_stranger(atoi(argv[2]), argc > 3);
    pthread_t thread;
    pthread_t other;
    bool has_limit = strcmp(what, "limit") == 0;
    need(aclInit(NULL));
    need(aclrtSetDevice(0));
    if (strcmp(what, "locks") == 0)
        deadlock_by_locks();
    need(aclrtCreateStream(&stream));
    need(aclrtCreateStream(&limited));
    need(aclrtCreateNotify(&notify, 0));
    need(aclrtWaitAndResetNotify(notify, stream, 0));
    if (strcmp(what, "unasked") == 0)
        (void)pause();
    if (has_limit)
        need(aclrtWaitAndResetNotify(notify, limited, 0));
    pthread_create(&thread, NULL, wait_endlessly, NULL);
    if (has_limit)
        pthread_create(&other, NULL, wait_with_limit, NULL);
    int64_t end = now_ns() + atoi(what) * (int64_t)NS_PER_MS;
    if (strstr(what, "compute"))
        compute_until(end);
    else if (strstr(what, "calls"))
        call_until(end);
    else if (strstr(what, "child"))
        wait_for_child(end);
    if (has_limit)
        pthread_join(other, NULL);
    else if (strcmp(what, "never") != 0)
        need(aclrtRecordNotify(notify, NULL));
    pthread_join(thread, NULL);
    return 5;
}
