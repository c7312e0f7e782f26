/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that nothing can end: they return, and name each waiter and its object. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "time_tests.h"

/* The wait fails, and its message names every word given. */
static void check_deadlock(aclError code, const char *const *words)
{
    const char *text = aclGetRecentErrMsg();
    CHECK(code != ACL_SUCCESS);
    CHECK(text != NULL);
    if (!text)
        return;
    for (; *words; words++)
        if (!CHECK(strstr(text, *words) != NULL))
            fprintf(stderr, "  \"%s\" is not in the message: %s\n", *words, text);
}

static const char *stream_name(aclrtStream stream, char *name, size_t bytes)
{
    int32_t id = -1;
    CHECK_OK(aclrtStreamGetId(stream, &id));
    snprintf(name, bytes, "stream %d", id);
    return name;
}

void test_deadlock_on_a_stream(void)
{
    twin_hold hold;
    char name[32];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    const char *const words[] = {stream_name(held, name, sizeof(name)), "notify", NULL};
    twin_hold_begin(&hold, held);
    (void)aclGetRecentErrMsg();
    check_deadlock(aclrtSynchronizeStream(held), words);
    /* It is not the end: a later record ends it. */
    CHECK(!twin_idle(held));
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeStream(held));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

void test_deadlock_on_an_event(void)
{
    twin_hold hold;
    char name[32];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    const char *const words[] = {stream_name(held, name, sizeof(name)), "event", "notify", NULL};
    twin_hold_begin(&hold, held);
    CHECK_OK(aclrtRecordEvent(event, held));
    (void)aclGetRecentErrMsg();
    check_deadlock(aclrtSynchronizeEvent(event), words);
    twin_hold_release(&hold, opener);
    CHECK_OK(aclrtSynchronizeEvent(event));
    CHECK_OK(aclrtSynchronizeStream(held));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

void test_deadlock_of_the_device(void)
{
    twin_hold hold;
    char name[32];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    aclrtStream opener = twin_stream();
    const char *const words[] = {stream_name(held, name, sizeof(name)), "notify", NULL};
    twin_hold_begin(&hold, held);
    (void)aclGetRecentErrMsg();
    check_deadlock(aclrtSynchronizeDevice(), words);
    twin_hold_end(&hold, opener);
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

void test_deadlock_of_a_circle(void)
{
    char names[2][32];
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream one = twin_stream();
    aclrtStream two = twin_stream();
    aclrtStream three = twin_stream();
    aclrtEvent first = twin_event(EVENT_FLAG);
    aclrtEvent second = twin_event(EVENT_FLAG);
    const char *const words[] = {stream_name(one, names[0], sizeof(names[0])),
                                 stream_name(two, names[1], sizeof(names[1])), "event", NULL};
    CHECK_OK(aclrtStreamWaitEvent(one, second));
    CHECK_OK(aclrtRecordEvent(first, one));
    CHECK_OK(aclrtStreamWaitEvent(two, first));
    CHECK_OK(aclrtRecordEvent(second, two));
    (void)aclGetRecentErrMsg();
    check_deadlock(aclrtSynchronizeStream(one), words);
    /* Cut the circle. */
    CHECK_OK(aclrtRecordEvent(first, three));
    CHECK_OK(aclrtSynchronizeStream(one));
    CHECK_OK(aclrtSynchronizeStream(two));
    CHECK_OK(aclrtDestroyEvent(second));
    CHECK_OK(aclrtDestroyEvent(first));
    CHECK_OK(aclrtDestroyStream(three));
    CHECK_OK(aclrtDestroyStream(two));
    CHECK_OK(aclrtDestroyStream(one));
    CHECK_OK(aclrtResetDevice(0));
}

typedef struct group {
    aclrtContext context;
    aclrtStream streams[3];
    twin_hold *hold;
    pthread_barrier_t attached; /* every thread has called the interface */
} group;

static void wait_in_vain(void *argument, unsigned index)
{
    group *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    pthread_barrier_wait(&shared->attached);
    CHECK_FAILS(aclrtSynchronizeStream(shared->streams[index]));
    CHECK(aclGetRecentErrMsg() != NULL);
}

void test_deadlock_of_several_threads(void)
{
    twin_hold holds[3];
    group shared;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared.context));
    for (int i = 0; i < 3; i++) {
        shared.streams[i] = twin_stream();
        twin_hold_begin(&holds[i], shared.streams[i]);
    }
    /* This thread waits too; else it might be the one to record. */
    pthread_barrier_init(&shared.attached, NULL, 3);
    twin_threads *threads = twin_threads_start(2, wait_in_vain, &shared);
    pthread_barrier_wait(&shared.attached);
    CHECK_FAILS(aclrtSynchronizeStream(shared.streams[2]));
    twin_threads_join(threads);
    pthread_barrier_destroy(&shared.attached);
    for (int i = 0; i < 3; i++) {
        twin_hold_end(&holds[i], NULL);
        CHECK_OK(aclrtDestroyStream(shared.streams[i]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_destroying_a_parked_stream(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    twin_hold_begin(&hold, held);
    CHECK_FAILS(aclrtDestroyStream(held)); /* it would wait for ever */
    CHECK(!twin_idle(held));               /* and so it lives */
    CHECK_OK(aclrtDestroyStreamForce(held));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtResetDevice(0));
}

enum { DETOUR = 20000 };

static void wait_or_record(void *argument, unsigned index)
{
    group *shared = argument;
    uint32_t count = 0;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index == 0) {
        CHECK_OK(aclrtSynchronizeStream(shared->streams[0]));
        return;
    }
    for (int i = 0; i < DETOUR; i++)
        CHECK_OK(aclrtGetDeviceCount(&count));
    twin_hold_release(shared->hold, shared->streams[1]);
    CHECK_OK(aclrtSynchronizeStream(shared->streams[1]));
}

void test_no_deadlock_while_a_thread_runs(void)
{
    CHECK_OK(aclrtSetDevice(0));
    for (int round = 0; round < 10; round++) {
        twin_hold hold;
        group shared = {.hold = &hold};
        CHECK_OK(aclrtGetCurrentContext(&shared.context));
        shared.streams[0] = twin_stream();
        shared.streams[1] = twin_stream();
        twin_hold_begin(&hold, shared.streams[0]);
        twin_threads_run(2, wait_or_record, &shared);
        CHECK_OK(aclrtDestroyNotify(hold.notify));
        CHECK_OK(aclrtDestroyStream(shared.streams[1]));
        CHECK_OK(aclrtDestroyStream(shared.streams[0]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void run_and_end(void *argument, unsigned index)
{
    group *shared = argument;
    uint32_t count = 0;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    pthread_barrier_wait(&shared->attached);
    for (int i = 0; i < DETOUR; i++)
        CHECK_OK(aclrtGetDeviceCount(&count));
}

void test_deadlock_once_the_last_thread_ends(void)
{
    twin_hold hold;
    group shared = {0};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared.context));
    shared.streams[0] = twin_stream();
    twin_hold_begin(&hold, shared.streams[0]);
    pthread_barrier_init(&shared.attached, NULL, 2);
    twin_threads *threads = twin_threads_start(1, run_and_end, &shared);
    pthread_barrier_wait(&shared.attached);
    CHECK_FAILS(aclrtSynchronizeStream(shared.streams[0]));
    twin_threads_join(threads);
    pthread_barrier_destroy(&shared.attached);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtDestroyStream(shared.streams[0]));
    CHECK_OK(aclrtResetDevice(0));
}

static void call_and_idle(void *argument, unsigned index)
{
    group *shared = argument;
    uint32_t count = 0;
    (void)index;
    CHECK_OK(aclrtGetDeviceCount(&count));
    pthread_barrier_wait(&shared->attached);
    pthread_barrier_wait(&shared->attached);
}

/* The other thread might end the wait of the stream. A forced reset does not wait for that. */
void test_forced_reset_beside_an_idle_thread(void)
{
    twin_hold hold;
    group shared = {0};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream held = twin_stream();
    twin_hold_begin(&hold, held);
    pthread_barrier_init(&shared.attached, NULL, 2);
    twin_threads *threads = twin_threads_start(1, call_and_idle, &shared);
    pthread_barrier_wait(&shared.attached);
    CHECK_CODE(aclrtResetDeviceForce(0), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    pthread_barrier_wait(&shared.attached);
    twin_threads_join(threads);
    pthread_barrier_destroy(&shared.attached);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
}
