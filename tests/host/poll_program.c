/* SPDX-License-Identifier: Apache-2.0 */
/* usage: poll_program poll US MIB    submits a copy, then asks every US microseconds whether it is
 * done
 *        poll_program once US MIB    sleeps US microseconds, then asks once
 *        poll_program thread US MIB  another thread asks, and hands the result over by a condition
 *        variable poll_program deadline US MIB  as poll, with clock_nanosleep and one reading of
 *        the clock
 * Prints the polls, whether the copy was complete, and its time on the device in ns by two timed
 * events. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

static aclrtEvent ended;
static unsigned interval_us;
static unsigned polls;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool done;

static bool ask(void)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    polls++;
    if (aclrtQueryEventStatus(ended, &status) != ACL_SUCCESS)
        exit(3);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

static void poll_until_done(void)
{
    do
        usleep(interval_us);
    while (!ask());
}

static void poll_by_deadlines(void)
{
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    do {
        next.tv_nsec += interval_us * 1000L;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    } while (!ask());
}

static void *poll_thread(void *unused)
{
    aclrtSetDevice(0);
    poll_until_done();
    pthread_mutex_lock(&mutex);
    done = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *how = argv[1];
    interval_us = (unsigned)strtoul(argv[2], NULL, 10);
    size_t bytes = strtoul(argv[3], NULL, 10) << 20;
    void *device = NULL;
    void *host = NULL;
    aclrtStream stream = NULL;
    aclrtEvent began = NULL;
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
        aclrtMallocHost(&host, bytes) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS ||
        aclrtCreateEventWithFlag(&began, ACL_EVENT_TIME_LINE) != ACL_SUCCESS ||
        aclrtCreateEventWithFlag(&ended, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC) != ACL_SUCCESS)
        return 3;
    aclrtRecordEvent(began, stream);
    aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    aclrtRecordEvent(ended, stream);
    bool complete = true;
    if (strcmp(how, "once") == 0) {
        usleep(interval_us);
        complete = ask();
    } else if (strcmp(how, "deadline") == 0) {
        poll_by_deadlines();
    } else if (strcmp(how, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, poll_thread, NULL);
        pthread_mutex_lock(&mutex);
        while (!done)
            pthread_cond_wait(&cond, &mutex);
        pthread_mutex_unlock(&mutex);
        /* This thread's clock is that of the poll now: it needs no wait. */
        unsigned before = polls;
        complete = ask();
        polls = before;
        pthread_join(thread, NULL);
    } else {
        poll_until_done();
    }
    float ms = 0;
    aclrtSynchronizeStream(stream);
    if (aclrtEventElapsedTime(&ms, began, ended) != ACL_SUCCESS)
        return 3;
    printf("%u %d %.0f\n", polls, complete, (double)ms * 1e6);
    aclrtFreeHost(host);
    aclrtFree(device);
    aclFinalize();
    return 0;
}
