/* SPDX-License-Identifier: Apache-2.0 */
/* Threads in step, and small pieces of device work. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

typedef struct single {
    void (*fn)(void *);
    void *argument;
} single;

static void *run_single(void *pointer)
{
    single *run = pointer;
    run->fn(run->argument);
    return NULL;
}

void twin_on_thread(void (*fn)(void *), void *argument)
{
    pthread_t thread;
    single run = {fn, argument};
    if (pthread_create(&thread, NULL, run_single, &run) != 0)
        abort();
    pthread_join(thread, NULL);
    twin_check_flush();
}

typedef struct member {
    twin_threads *group;
    unsigned index;
    pthread_t thread;
} member;

struct twin_threads {
    pthread_barrier_t start;
    void (*fn)(void *, unsigned);
    void *argument;
    unsigned count;
    member members[];
};

static void *run_member(void *pointer)
{
    member *self = pointer;
    pthread_barrier_wait(&self->group->start);
    self->group->fn(self->group->argument, self->index);
    return NULL;
}

twin_threads *twin_threads_start(unsigned count, void (*fn)(void *, unsigned), void *argument)
{
    twin_threads *group = calloc(1, sizeof(*group) + count * sizeof(group->members[0]));
    if (!group)
        abort();
    group->fn = fn;
    group->argument = argument;
    group->count = count;
    pthread_barrier_init(&group->start, NULL, count);
    for (unsigned i = 0; i < count; i++) {
        group->members[i] = (member){.group = group, .index = i};
        if (pthread_create(&group->members[i].thread, NULL, run_member, &group->members[i]) != 0)
            abort();
    }
    return group;
}

void twin_threads_join(twin_threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++)
        pthread_join(threads->members[i].thread, NULL);
    pthread_barrier_destroy(&threads->start);
    free(threads);
    twin_check_flush();
}

void twin_threads_run(unsigned count, void (*fn)(void *, unsigned), void *argument)
{
    twin_threads_join(twin_threads_start(count, fn, argument));
}

void twin_hold_begin(twin_hold *hold, aclrtStream stream)
{
    hold->held = stream;
    hold->notify = NULL;
    CHECK_OK(aclrtCreateNotify(&hold->notify, 0));
    CHECK_OK(aclrtWaitAndResetNotify(hold->notify, stream, 0));
}

void twin_hold_release(twin_hold *hold, aclrtStream by)
{
    CHECK_OK(aclrtRecordNotify(hold->notify, by));
}

void twin_hold_end(twin_hold *hold, aclrtStream by)
{
    twin_hold_release(hold, by);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(hold->held, SOON_MS));
    CHECK_OK(aclrtDestroyNotify(hold->notify));
    hold->notify = NULL;
}

void twin_buffer_make(twin_buffer *buffer, size_t bytes, uint8_t value)
{
    void *device = NULL;
    void *host = NULL;
    CHECK_OK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMallocHost(&host, bytes));
    buffer->device = device;
    buffer->host = host;
    buffer->bytes = bytes;
    if (host)
        memset(host, value, bytes);
    if (device)
        CHECK_OK(aclrtMemset(device, bytes, value, bytes));
}

void twin_buffer_free(twin_buffer *buffer)
{
    CHECK_OK(aclrtFree(buffer->device));
    CHECK_OK(aclrtFreeHost(buffer->host));
    memset(buffer, 0, sizeof(*buffer));
}

void twin_buffer_read(twin_buffer *buffer)
{
    CHECK_OK(aclrtMemcpy(buffer->host, buffer->bytes, buffer->device, buffer->bytes,
                         ACL_MEMCPY_DEVICE_TO_HOST));
}

aclrtStream twin_stream(void)
{
    aclrtStream stream = NULL;
    CHECK_OK(aclrtCreateStream(&stream));
    return stream;
}

bool twin_idle(aclrtStream stream)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    CHECK_OK(aclrtStreamQuery(stream, &status));
    CHECK(status == ACL_STREAM_STATUS_COMPLETE || status == ACL_STREAM_STATUS_NOT_READY);
    return status == ACL_STREAM_STATUS_COMPLETE;
}

bool twin_recorded(aclrtEvent event)
{
    aclrtEventRecordedStatus status = (aclrtEventRecordedStatus)77;
    CHECK_OK(aclrtQueryEventStatus(event, &status));
    CHECK(status == ACL_EVENT_RECORDED_STATUS_COMPLETE ||
          status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

aclrtEvent twin_event_flags(twin_event_kind kind, uint32_t flags)
{
    aclrtEvent event = NULL;
    switch (kind) {
    case EVENT_FLAG:
        CHECK_OK(aclrtCreateEventWithFlag(&event, flags));
        break;
    case EVENT_EX:
        CHECK_OK(aclrtCreateEventExWithFlag(&event, flags));
        break;
    default:
        CHECK_OK(aclrtCreateEvent(&event));
        break;
    }
    return event;
}

aclrtEvent twin_event(twin_event_kind kind)
{
    return twin_event_flags(kind, ACL_EVENT_SYNC);
}
