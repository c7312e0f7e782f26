/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads wait at random: for streams, events and the device, with and without a limit, and by
 * asking again and again. Each wait must end, and as it should: what was waited for has happened.
 * `--calls` counts waits. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "random_support.h"

#define WATCHDOG_S 3600
#define LONG_MS    600000

typedef struct worker {
    pthread_t thread;
    uint32_t index;
    random_state random;
    aclrtStream stream;
    aclrtEvent event;
    aclrtNotify gate;
    uint8_t *device;
    volatile uint8_t *host;
    uint8_t value; /* of the newest fill */
} worker;

static random_options options = {.seed = 1, .calls = 20000, .threads = RANDOM_THREADS_MOST};
static worker workers[RANDOM_THREADS_MOST];
static aclrtContext context;

static void expect(const worker *self, const char *what, aclError code, aclError wanted)
{
    if (code != wanted)
        random_failure("thread %u: %s answers %d, wanted %d", self->index, what, code, wanted);
}

/* A new value on its way to the host, behind it the event. */
static void submit(worker *self)
{
    self->value++;
    expect(self, "fill", aclrtMemsetAsync(self->device, 64, self->value, 64, self->stream), 0);
    expect(self, "copy",
           aclrtMemcpyAsync((void *)self->host, 64, self->device, 64, ACL_MEMCPY_DEVICE_TO_HOST,
                            self->stream),
           0);
    expect(self, "record", aclrtRecordEvent(self->event, self->stream), 0);
}

static void check_arrived(const worker *self, const char *what)
{
    if (self->host[0] != self->value || self->host[63] != self->value)
        random_failure("thread %u: after %s the host has %u, not %u", self->index, what,
                       self->host[0], self->value);
}

/* The stream is parked on a notify that is recorded when the wait has timed out. */
static void time_out(worker *self)
{
    expect(self, "notify wait", aclrtWaitAndResetNotify(self->gate, self->stream, 0), 0);
    submit(self);
    expect(self, "a wait that times out", aclrtSynchronizeStreamWithTimeout(self->stream, 1),
           ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    expect(self, "notify record", aclrtRecordNotify(self->gate, NULL), 0);
    expect(self, "stream", aclrtSynchronizeStreamWithTimeout(self->stream, LONG_MS), 0);
}

static void ask(worker *self)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    while (status != ACL_STREAM_STATUS_COMPLETE)
        expect(self, "query", aclrtStreamQuery(self->stream, &status), 0);
}

static void wait_once(worker *self, uint64_t number)
{
    static const char *const names[] = {
        "stream", "event", "stream with limit", "event with limit", "other's event",
        "device", "query", "time-out"};
    uint32_t kind = random_below(&self->random, 100);
    kind = kind < 96 ? kind % 7 : 7; /* those that time out beside running threads take real time */
    const char *name = names[kind];
    random_at(self->index, name, number);
    if (kind != 7)
        submit(self);
    switch (kind) {
    case 0:
        expect(self, name, aclrtSynchronizeStream(self->stream), 0);
        break;
    case 1:
        expect(self, name, aclrtSynchronizeEvent(self->event), 0);
        break;
    case 2:
        expect(self, name, aclrtSynchronizeStreamWithTimeout(self->stream, LONG_MS), 0);
        break;
    case 3:
        expect(self, name, aclrtSynchronizeEventWithTimeout(self->event, LONG_MS), 0);
        break;
    case 4: {
        const worker *other = &workers[random_below(&self->random, options.threads)];
        expect(self, name, aclrtSynchronizeEventWithTimeout(other->event, LONG_MS), 0);
        expect(self, name, aclrtSynchronizeEvent(self->event), 0);
        break;
    }
    case 5:
        expect(self, name, aclrtSynchronizeDeviceWithTimeout(LONG_MS), 0);
        break;
    case 6:
        ask(self);
        break;
    default:
        time_out(self);
        break;
    }
    check_arrived(self, name);
}

static void *work(void *argument)
{
    worker *self = argument;
    expect(self, "context", aclrtSetCurrentContext(context), 0);
    for (uint64_t i = 0; i < options.calls / options.threads && random_failures() == 0; i++)
        wait_once(self, i);
    return NULL;
}

static void make(worker *self, uint32_t index)
{
    void *host = NULL;
    void *device = NULL;
    self->index = index;
    random_seed(&self->random, options.seed, index);
    expect(self, "stream", aclrtCreateStream(&self->stream), 0);
    expect(self, "event", aclrtCreateEventExWithFlag(&self->event, ACL_EVENT_SYNC), 0);
    expect(self, "notify", aclrtCreateNotify(&self->gate, 0), 0);
    expect(self, "device memory", aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    expect(self, "host memory", aclrtMallocHost(&host, 64), 0);
    self->device = device;
    self->host = host;
}

int main(int argc, char **argv)
{
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_watchdog(WATCHDOG_S);
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtGetCurrentContext(&context) != ACL_SUCCESS) {
        fprintf(stderr, "no device\n");
        return 2;
    }
    for (uint32_t i = 0; i < options.threads; i++)
        make(&workers[i], i);
    for (uint32_t i = 0; i < options.threads; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    for (uint32_t i = 0; i < options.threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < options.threads; i++) {
        worker *self = &workers[i];
        expect(self, "free", aclrtFree(self->device), 0);
        expect(self, "host free", aclrtFreeHost((void *)self->host), 0);
        expect(self, "notify", aclrtDestroyNotify(self->gate), 0);
        expect(self, "event", aclrtDestroyEvent(self->event), 0);
        expect(self, "stream", aclrtDestroyStream(self->stream), 0);
    }
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    printf("%llu waits of %u threads, %u failures\n", (unsigned long long)options.calls,
           options.threads, random_failures());
    return random_failures() == 0 ? 0 : 1;
}
