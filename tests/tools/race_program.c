/* SPDX-License-Identifier: Apache-2.0 */
/* A program made of a seed whose threads race: they share streams, events and buffers, submit
 * beside each other, and wait, ask and copy while others submit. No two runs of it are alike; a
 * replay of a recording must be.
 *
 *   race_program SEED [STEPS [THREADS [stop]]]
 *
 * stop: half-way some task fails, with which all streams of the context stop, wherever their
 * threads are. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define THREADS_MOST 8
#define STREAMS      5 /* number 0 is the default stream */
#define EVENTS       6
#define BYTES        ((size_t)1 << 18)

static aclrtStream streams[STREAMS];
static aclrtEvent events[EVENTS];
static char *device_memory, *host_memory;
static aclrtContext context;
static pthread_barrier_t start;
static int steps;
static bool stops;

struct worker {
    uint64_t state;
    aclrtStream own;
    aclrtNotify notify;
    bool fails;
};

static void check(aclError error, const char *what)
{
    if (error == ACL_SUCCESS || stops) /* from some moment on everything is refused */
        return;
    fprintf(stderr, "race_program: %s: %d: %s\n", what, error, aclGetRecentErrMsg());
    exit(1);
}
#define CHECK(call) check(call, #call)

static uint32_t draw(struct worker *worker, uint32_t below)
{
    worker->state ^= worker->state << 13;
    worker->state ^= worker->state >> 7;
    worker->state ^= worker->state << 17;
    return (uint32_t)(worker->state >> 33) % below;
}

static aclrtStream any_stream(struct worker *worker)
{
    uint32_t which = draw(worker, STREAMS + 2);
    return which < STREAMS ? streams[which] : worker->own;
}

static void submit(struct worker *worker)
{
    aclrtStream stream = any_stream(worker);
    size_t bytes = 1 + draw(worker, 1u << (4 + draw(worker, 14)));
    char *device = device_memory + draw(worker, 8) * BYTES;
    char *host = host_memory + draw(worker, 8) * BYTES;
    switch (draw(worker, 4)) {
    case 0:
        CHECK(aclrtMemsetAsync(device, BYTES, 7, bytes, stream));
        break;
    case 1:
        CHECK(aclrtMemcpyAsync(device, BYTES, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        break;
    case 2:
        CHECK(aclrtMemcpyAsync(host, BYTES, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        break;
    default:
        CHECK(aclrtMemcpyAsync(device_memory, BYTES, device_memory + BYTES, bytes,
                               ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        break;
    }
}

static void by_event(struct worker *worker)
{
    aclrtEvent event = events[draw(worker, EVENTS)];
    CHECK(aclrtRecordEvent(event, any_stream(worker)));
    if (draw(worker, 2) == 0)
        CHECK(aclrtStreamWaitEvent(any_stream(worker), event));
}

/* Each wait has its own record, before or after it: no stream waits for ever. */
static void by_notify(struct worker *worker)
{
    CHECK(aclrtRecordNotify(worker->notify, worker->own));
    CHECK(aclrtWaitAndResetNotify(worker->notify, worker->own, 0));
    submit(worker);
}

static void ask(struct worker *worker)
{
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    aclrtStreamStatus status;
    float length = 0;
    switch (draw(worker, 4)) {
    case 0:
        CHECK(aclrtQueryEventStatus(events[draw(worker, EVENTS)], &recorded));
        break;
    case 1:
        CHECK(aclrtQueryEventWaitStatus(events[draw(worker, EVENTS)], &waited));
        break;
    case 2:
        CHECK(aclrtStreamQuery(any_stream(worker), &status));
        break;
    default: /* it need not be over */
        (void)aclrtEventElapsedTime(&length, events[draw(worker, EVENTS)],
                                    events[draw(worker, EVENTS)]);
        break;
    }
}

static void wait_for(struct worker *worker)
{
    switch (draw(worker, 5)) {
    case 0:
    case 1:
        CHECK(aclrtSynchronizeStream(any_stream(worker)));
        break;
    case 2:
        CHECK(aclrtSynchronizeEvent(events[draw(worker, EVENTS)]));
        break;
    case 3: /* it may time out */
        (void)aclrtSynchronizeStreamWithTimeout(any_stream(worker), 1);
        break;
    default:
        CHECK(aclrtSynchronizeDevice());
        break;
    }
}

static void copy_now(struct worker *worker)
{
    size_t bytes = 64 + draw(worker, 1u << 16);
    if (draw(worker, 2) == 0)
        CHECK(aclrtMemcpy(device_memory, BYTES, host_memory, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    else
        CHECK(aclrtMemset(device_memory + BYTES, BYTES, 3, bytes));
}

static void renew(struct worker *worker)
{
    void *memory = NULL;
    aclrtEvent event = NULL;
    CHECK(aclrtSynchronizeStream(worker->own));
    CHECK(aclrtDestroyStream(worker->own));
    CHECK(aclrtCreateStream(&worker->own));
    CHECK(aclrtCreateEvent(&event));
    CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemsetAsync(memory, 4096, 1, 4096, worker->own));
    CHECK(aclrtRecordEvent(event, worker->own));
    CHECK(aclrtSynchronizeEvent(event));
    CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyEvent(event));
}

static void step(struct worker *worker)
{
    switch (draw(worker, 16)) {
    case 0:
        copy_now(worker);
        break;
    case 1:
        renew(worker);
        break;
    case 2:
        by_notify(worker);
        break;
    case 3:
    case 4:
        wait_for(worker);
        break;
    case 5:
    case 6:
        ask(worker);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        by_event(worker);
        break;
    default:
        submit(worker);
        break;
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    (void)pthread_barrier_wait(&start);
    CHECK(aclrtSetCurrentContext(context));
    CHECK(aclrtCreateStream(&worker->own));
    CHECK(aclrtCreateNotify(&worker->notify, 0));
    for (int i = 0; i < steps; i++) {
        if (stops && i == steps / 2 && worker->fails)
            CHECK(aclrtWaitAndResetNotify(worker->notify, worker->own, 1));
        step(worker);
    }
    CHECK(aclrtSynchronizeStream(worker->own));
    CHECK(aclrtDestroyNotify(worker->notify));
    CHECK(aclrtDestroyStream(worker->own));
    return NULL;
}

/* From now on a recording keeps the results of calls that depend on the order of threads. */
static void *ask_too(void *argument)
{
    uint32_t count = 0;
    (void)argument;
    CHECK(aclrtGetDeviceCount(&count));
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS_MOST];
    pthread_t threads[THREADS_MOST];
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    steps = argc > 2 ? atoi(argv[2]) : 60;
    int count = argc > 3 ? atoi(argv[3]) : 2 + (int)(seed % (THREADS_MOST - 1));
    stops = argc > 4 && strcmp(argv[4], "stop") == 0;
    if (count < 1 || count > THREADS_MOST)
        return 2;
    CHECK(aclInit(NULL));
    if (argc > 4 && strcmp(argv[4], "asked") == 0 &&
        (pthread_create(&threads[0], NULL, ask_too, NULL) != 0 ||
         pthread_join(threads[0], NULL) != 0))
        return 1;
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtGetCurrentContext(&context));
    for (int i = 1; i < STREAMS; i++)
        CHECK(aclrtCreateStream(&streams[i]));
    if (stops)
        CHECK(aclrtSetStreamFailureMode(streams[1], ACL_STOP_ON_FAILURE));
    for (int i = 0; i < EVENTS; i++)
        CHECK(aclrtCreateEvent(&events[i]));
    CHECK(aclrtMalloc((void **)&device_memory, 8 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocHost((void **)&host_memory, 8 * BYTES));
    if (pthread_barrier_init(&start, NULL, (unsigned)count) != 0)
        return 1;
    for (int i = 0; i < count; i++) {
        workers[i].fails = i == 0 || i == 2;
        workers[i].state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i + 1;
        if (i > 0 && pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 1;
    }
    work(&workers[0]);
    for (int i = 1; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    CHECK(aclrtSynchronizeDevice());
    for (int i = 0; i < EVENTS; i++)
        CHECK(aclrtDestroyEvent(events[i]));
    for (int i = 1; i < STREAMS; i++)
        CHECK(aclrtDestroyStream(streams[i]));
    CHECK(aclrtFree(device_memory));
    CHECK(aclrtFreeHost(host_memory));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
