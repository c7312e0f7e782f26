/* SPDX-License-Identifier: Apache-2.0 */
/* Several host threads at once. Clean under a thread sanitizer. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

enum { THREADS = 8, CELL = 64 };

typedef struct shared_state {
    aclrtContext context;
    aclrtStream stream;
    twin_buffer data;
    _Atomic int next;
} shared_state;

static void begin(shared_state *shared, size_t bytes)
{
    memset(shared, 0, sizeof(*shared));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared->context));
    shared->stream = twin_stream();
    twin_buffer_make(&shared->data, bytes, 0);
}

static void end(shared_state *shared)
{
    twin_buffer_free(&shared->data);
    CHECK_OK(aclrtDestroyStream(shared->stream));
    CHECK_OK(aclrtResetDeviceForce(0));
}

static void switch_contexts(void *argument, unsigned index)
{
    shared_state *shared = argument;
    aclrtContext own = NULL;
    aclrtContext now = NULL;
    int32_t device = -1;
    CHECK_CODE(aclrtGetCurrentContext(&now), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_OK(aclrtCreateContext(&own, (int32_t)(index % 2)));
    for (int i = 0; i < 200; i++) {
        CHECK_OK(aclrtSetCurrentContext(i % 2 ? own : shared->context));
        CHECK_OK(aclrtGetCurrentContext(&now));
        CHECK(now == (i % 2 ? own : shared->context));
        CHECK_OK(aclrtGetDevice(&device));
        CHECK_EQUAL(device, i % 2 ? (int)(index % 2) : 0);
    }
    CHECK_OK(aclrtDestroyContext(own));
}

static void test_contexts_are_thread_local(void)
{
    shared_state shared;
    aclrtContext now = NULL;
    begin(&shared, CELL);
    twin_threads_run(THREADS, switch_contexts, &shared);
    CHECK_OK(aclrtGetCurrentContext(&now));
    CHECK(now == shared.context);
    end(&shared);
}

static void set_and_reset(void *argument, unsigned index)
{
    (void)argument;
    for (int i = 0; i < 50; i++) {
        int32_t device = (int32_t)((index + (unsigned)i) % 2);
        CHECK_OK(aclrtSetDevice(device));
        CHECK_OK(aclrtSynchronizeStream(NULL));
        CHECK_OK(aclrtResetDevice(device));
    }
}

static void test_concurrent_sets_and_resets(void)
{
    int32_t active = -1;
    twin_threads_run(THREADS, set_and_reset, NULL);
    for (int32_t device = 0; device < 2; device++) {
        CHECK_OK(aclrtGetPrimaryCtxState(device, NULL, &active));
        CHECK_EQUAL(active, 0);
        CHECK_CODE(aclrtResetDevice(device), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    }
}

enum { SUBMISSIONS = 250 };

static void submit_many(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < SUBMISSIONS; i++) {
        uint8_t *cell = shared->data.device + ((size_t)index * SUBMISSIONS + (size_t)i) * CELL;
        CHECK_OK(aclrtMemsetAsync(cell, CELL, (int)index + i, CELL, NULL));
        if (i % 50 == 49)
            CHECK_OK(aclrtSynchronizeStream(NULL));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_submitting_to_the_default_stream(void)
{
    shared_state shared;
    begin(&shared, (size_t)THREADS * SUBMISSIONS * CELL);
    twin_threads_run(THREADS, submit_many, &shared);
    CHECK_OK(aclrtSynchronizeStream(NULL));
    twin_buffer_read(&shared.data);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < SUBMISSIONS; i++)
            CHECK_BYTES(shared.data.host + (t * SUBMISSIONS + i) * CELL, (uint8_t)(t + i), CELL);
    end(&shared);
}

static void wait_together(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    switch (index % 3) {
    case 0:
        CHECK_OK(aclrtSynchronizeStream(shared->stream));
        break;
    case 1:
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared->stream, 600 * SOON_MS));
        break;
    default:
        CHECK_OK(aclrtSynchronizeDevice());
        break;
    }
    CHECK(twin_idle(shared->stream));
}

static void test_waiting_for_one_stream(void)
{
    shared_state shared;
    begin(&shared, 4 << 20);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 20; i++)
            CHECK_OK(aclrtMemsetAsync(shared.data.device, shared.data.bytes, round + i,
                                      shared.data.bytes, shared.stream));
        twin_threads_run(THREADS, wait_together, &shared);
        twin_buffer_read(&shared.data);
        CHECK_BYTES(shared.data.host, (uint8_t)(round + 19), shared.data.bytes);
    }
    end(&shared);
}

static void work_alone(void *argument, unsigned index)
{
    shared_state *shared = argument;
    uint8_t host[CELL];
    CHECK_OK(aclrtSetDevice(0));
    for (int round = 0; round < 20; round++) {
        aclrtStream stream = twin_stream();
        aclrtEvent event = twin_event((twin_event_kind)((index + (unsigned)round) % EVENT_KINDS));
        uint8_t *cell = shared->data.device + (size_t)index * CELL;
        CHECK_OK(aclrtMemsetAsync(cell, CELL, (int)index * 20 + round, CELL, stream));
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtSynchronizeEvent(event));
        CHECK_OK(aclrtMemcpy(host, CELL, cell, CELL, ACL_MEMCPY_DEVICE_TO_HOST));
        CHECK_BYTES(host, (uint8_t)(index * 20 + (unsigned)round), CELL);
        CHECK_OK(aclrtDestroyEvent(event));
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtResetDevice(0));
}

static void test_objects_of_many_threads(void)
{
    shared_state shared;
    begin(&shared, THREADS * CELL);
    twin_threads_run(THREADS, work_alone, &shared);
    end(&shared);
}

/* A bounded queue of events between host threads. */
typedef struct pipe_state {
    shared_state base;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    aclrtEvent slots[4]; /* guarded by lock */
    unsigned put;        /* guarded by lock */
    unsigned taken;      /* guarded by lock */
    unsigned done;       /* guarded by lock: slots whose data was checked */
} pipe_state;

enum { ITEMS = 200, DEPTH = 4 };

static void produce(pipe_state *pipe)
{
    aclrtStream stream = twin_stream();
    for (unsigned i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&pipe->lock);
        while (pipe->put - pipe->done == DEPTH)
            pthread_cond_wait(&pipe->changed, &pipe->lock);
        pthread_mutex_unlock(&pipe->lock);
        uint8_t *cell = pipe->base.data.device + (i % DEPTH) * CELL;
        aclrtEvent event = twin_event(EVENT_EX);
        CHECK_OK(aclrtMemsetAsync(cell, CELL, (int)i, CELL, stream));
        CHECK_OK(aclrtRecordEvent(event, stream));
        pthread_mutex_lock(&pipe->lock);
        pipe->slots[pipe->put++ % DEPTH] = event;
        pthread_cond_broadcast(&pipe->changed);
        pthread_mutex_unlock(&pipe->lock);
    }
    CHECK_OK(aclrtDestroyStream(stream));
}

static void consume(pipe_state *pipe)
{
    aclrtStream stream = twin_stream();
    for (unsigned i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&pipe->lock);
        while (pipe->put == pipe->taken)
            pthread_cond_wait(&pipe->changed, &pipe->lock);
        aclrtEvent event = pipe->slots[pipe->taken++ % DEPTH];
        pthread_mutex_unlock(&pipe->lock);
        size_t at = (i % DEPTH) * CELL;
        CHECK_OK(aclrtStreamWaitEvent(stream, event));
        CHECK_OK(aclrtMemcpyAsync(pipe->base.data.host + at, CELL, pipe->base.data.device + at,
                                  CELL, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CHECK_OK(aclrtDestroyEvent(event));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_BYTES(pipe->base.data.host + at, (uint8_t)i, CELL);
        pthread_mutex_lock(&pipe->lock);
        pipe->done++;
        pthread_cond_broadcast(&pipe->changed);
        pthread_mutex_unlock(&pipe->lock);
    }
    CHECK_OK(aclrtDestroyStream(stream));
}

static void produce_or_consume(void *argument, unsigned index)
{
    pipe_state *pipe = argument;
    CHECK_OK(aclrtSetCurrentContext(pipe->base.context));
    if (index == 0)
        produce(pipe);
    else
        consume(pipe);
}

static void test_producer_and_consumer(void)
{
    pipe_state pipe;
    memset(&pipe, 0, sizeof(pipe));
    begin(&pipe.base, DEPTH * CELL);
    pthread_mutex_init(&pipe.lock, NULL);
    pthread_cond_init(&pipe.changed, NULL);
    twin_threads_run(2, produce_or_consume, &pipe);
    pthread_cond_destroy(&pipe.changed);
    pthread_mutex_destroy(&pipe.lock);
    end(&pipe.base);
}

/* Each thread waits for the one before it, all on the device; the last opens the first. */
static void pass_on(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index == 0) {
        for (int i = 0; i < 100; i++)
            CHECK_OK(aclrtMemsetAsync(shared->data.device, CELL, i, CELL, shared->stream));
        atomic_store(&shared->next, 1);
        CHECK_OK(aclrtSynchronizeStream(shared->stream));
        return;
    }
    /* The others poll while there is work, as monitoring threads do. */
    int polls = 0;
    do {
        (void)twin_idle(shared->stream);
        polls++;
    } while ((!atomic_load(&shared->next) || !twin_idle(shared->stream)) && polls < 10000000);
    CHECK(polls < 10000000);
}

static void test_polling_beside_a_waiter(void)
{
    shared_state shared;
    begin(&shared, CELL);
    twin_threads_run(3, pass_on, &shared);
    twin_buffer_read(&shared.data);
    CHECK_BYTES(shared.data.host, 99, CELL);
    end(&shared);
}

/* What a thread has waited for stays done, however busy others keep the device. */
static void wait_and_ask(void *argument, unsigned index)
{
    shared_state *shared = argument;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    int denied = 0;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (int i = 0; i < 8000; i++) {
        CHECK_OK(
            aclrtMemsetAsync((char *)shared->data.device + index * CELL, CELL, i, CELL, stream));
        CHECK_OK(aclrtRecordEvent(event, stream));
        CHECK_OK(aclrtSynchronizeEvent(event));
        CHECK_OK(aclrtQueryEventStatus(event, &recorded));
        CHECK_OK(aclrtStreamQuery(stream, &status));
        denied += recorded != ACL_EVENT_RECORDED_STATUS_COMPLETE;
        denied += status != ACL_STREAM_STATUS_COMPLETE;
    }
    CHECK_EQUAL(denied, 0);
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(stream));
}

static void test_what_was_done_stays_done(void)
{
    shared_state shared;
    begin(&shared, THREADS * CELL);
    twin_threads_run(THREADS, wait_and_ask, &shared);
    end(&shared);
}

static void allocate_and_free(void *argument, unsigned index)
{
    (void)argument;
    CHECK_OK(aclrtSetDevice((int32_t)(index % 2)));
    for (int i = 0; i < 50; i++) {
        twin_buffer buffer;
        twin_buffer_make(&buffer, 1000 + index * 100 + (unsigned)i, (uint8_t)(index + (unsigned)i));
        memset(buffer.host, 0, buffer.bytes);
        twin_buffer_read(&buffer);
        CHECK_BYTES(buffer.host, (uint8_t)(index + (unsigned)i), buffer.bytes);
        twin_buffer_free(&buffer);
    }
    CHECK_OK(aclrtResetDevice((int32_t)(index % 2)));
}

static void test_memory_of_many_threads(void)
{
    twin_threads_run(THREADS, allocate_and_free, NULL);
}

static void destroy_or_use(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index == 0) {
        CHECK_OK(aclrtDestroyStream(shared->stream));
        return;
    }
    /* Until it is gone it works, then it is refused; nothing in between. */
    for (int i = 0; i < 100; i++)
        CHECK_EITHER(aclrtMemsetAsync(shared->data.device, CELL, i, CELL, shared->stream),
                     ACL_SUCCESS, ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EITHER(aclrtSynchronizeStream(shared->stream), ACL_SUCCESS, ACL_ERROR_RT_INVALID_HANDLE);
}

static void test_destroying_what_others_use(void)
{
    shared_state shared;
    begin(&shared, CELL);
    for (int round = 0; round < 20; round++) {
        twin_threads_run(4, destroy_or_use, &shared);
        CHECK_CODE(aclrtSynchronizeStream(shared.stream), ACL_ERROR_RT_INVALID_HANDLE);
        shared.stream = twin_stream();
    }
    end(&shared);
}

/* Others work meanwhile, so that the child is cut off from threads that are in the middle of
 * something. */
static void work_or_fork(void *argument, unsigned index)
{
    shared_state *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    for (int i = 0; i < 20; i++) {
        if (index != 0) {
            CHECK_OK(aclrtMemsetAsync(shared->data.device, CELL, i, CELL, shared->stream));
            CHECK_OK(aclrtSynchronizeStream(shared->stream));
            continue;
        }
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            void *pointer = NULL;
            alarm(10);
            bool refused = aclrtSynchronizeStream(shared->stream) != ACL_SUCCESS &&
                           aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS;
            const char *text = aclGetRecentErrMsg(); /* and it says why */
            refused = refused && text && strstr(text, "aclrtMalloc") && strstr(text, "forked");
            _exit(refused ? 0 : 1);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK_EQUAL(status, 0);
    }
}

static void test_forked_children(void)
{
    shared_state shared;
    begin(&shared, CELL);
    twin_threads_run(4, work_or_fork, &shared);
    CHECK_OK(aclrtSynchronizeStream(shared.stream));
    end(&shared);
}

struct meeting {
    aclrtContext context;
    aclrtStream stream;
    aclrtNotify notify;
};

static void first_call_records(void *argument, unsigned index)
{
    const struct meeting *meeting = argument;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(meeting->context));
    CHECK_OK(aclrtRecordNotify(meeting->notify, meeting->stream));
}

/* Only the waiter has called the runtime when the wait begins: still no deadlock. */
static void test_first_call_of_a_new_thread(void)
{
    enum { ROUNDS = 20 };
    struct meeting meeting;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&meeting.context));
    meeting.stream = twin_stream();
    aclrtStream waiting = twin_stream();
    CHECK_OK(aclrtCreateNotify(&meeting.notify, 0));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_OK(aclrtWaitAndResetNotify(meeting.notify, waiting, 0));
        twin_threads *threads = twin_threads_start(1, first_call_records, &meeting);
        CHECK_OK(round % 2 == 0 ? aclrtSynchronizeStream(waiting)
                                : aclrtSynchronizeStreamWithTimeout(waiting, 2000));
        twin_threads_join(threads);
    }
    CHECK_OK(aclrtDestroyNotify(meeting.notify));
    CHECK_OK(aclrtDestroyStream(waiting));
    CHECK_OK(aclrtDestroyStream(meeting.stream));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"CTX-06, CTX-09: eight threads switch contexts, each for itself",
     test_contexts_are_thread_local},
    {"DEV-02, DEV-08: eight threads set and reset two devices", test_concurrent_sets_and_resets},
    {"ORD-12: eight threads submit to the default stream and wait in between",
     test_submitting_to_the_default_stream},
    {"STR-29: eight threads wait for one stream in three ways", test_waiting_for_one_stream},
    {"ORD-05: a producer and a consumer thread meet over events", test_producer_and_consumer},
    {"EVT-12: eight threads make, use and destroy streams and events",
     test_objects_of_many_threads},
    {"STR-30: threads poll a stream while another waits for it", test_polling_beside_a_waiter},
    {"ORD-10: what eight threads have waited for stays done while others keep the device busy",
     test_what_was_done_stays_done},
    {"MEM-01: eight threads allocate, copy and free on two devices", test_memory_of_many_threads},
    {"STR-17: a stream destroyed under its users works or is refused",
     test_destroying_what_others_use},
    {"NTF-03: a thread's first call ends a wait that began before it",
     test_first_call_of_a_new_thread},
    {"a forked child is refused, and its parent goes on", test_forked_children},
};

static const twin_suite suite = {
    .name = "thread", .tests = tests, .test_count = TWIN_COUNT(tests), .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
