/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the host that streams call: their threads, their times, and the tasks that wait for
 * them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report_tests.h"

uint64_t report_self(void)
{
    return (uint64_t)pthread_self();
}

void report_count(void *argument)
{
    atomic_fetch_add((atomic_int *)argument, 1);
}

static void count_plain(void *argument)
{
    ++*(int *)argument;
}

/* ---- subscriptions --------------------------------------------------------------------------- */

static void subscribe_without_context(void *unused)
{
    (void)unused;
    CHECK_CODE(aclrtSubscribeReport(report_self(), NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtUnSubscribeReport(report_self(), NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_subscribe_default(void)
{
    int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    twin_on_thread(subscribe_without_context, NULL);
    CHECK_OK(aclrtSubscribeReport(report_self(), NULL));
    CHECK_OK(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, NULL));
    CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(aclrtUnSubscribeReport(report_self(), NULL));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_one_thread_per_stream(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtSubscribeReport(report_self(), stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_CODE(aclrtSubscribeReport(report_self() + 1, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_OK(aclrtUnSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtSubscribeReport(report_self() + 1, stream));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_one_thread_several_streams(void)
{
    int ran[3] = {0};
    aclrtStream streams[3];
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < 3; i++) {
        streams[i] = twin_stream();
        CHECK_OK(aclrtSubscribeReport(report_self(), streams[i]));
        CHECK_OK(aclrtLaunchCallback(count_plain, &ran[i], ACL_CALLBACK_BLOCK, streams[i]));
    }
    while (ran[0] + ran[1] + ran[2] < 3 && CHECK_OK(aclrtProcessReport(SOON_MS)))
        continue;
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(ran[i], 1);
        CHECK_OK(aclrtSynchronizeStream(streams[i]));
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    CHECK_OK(aclrtResetDevice(0));
}

#define THREADS_MOST 1024

static void test_limit_of_threads(void)
{
    static aclrtStream streams[THREADS_MOST + 1];
    CHECK_OK(aclrtSetDevice(0));
    for (uint64_t i = 0; i <= THREADS_MOST; i++)
        streams[i] = twin_stream();
    for (uint64_t i = 0; i < THREADS_MOST; i++)
        CHECK_OK(aclrtSubscribeReport(1 + i, streams[i]));
    CHECK_CODE(aclrtSubscribeReport(1 + THREADS_MOST, streams[THREADS_MOST]),
               ACL_ERROR_RT_INTERNAL_ERROR);
    /* One that is known already may serve it. */
    CHECK_OK(aclrtSubscribeReport(7, streams[THREADS_MOST]));
    /* A place that was given up is free again. */
    CHECK_OK(aclrtUnSubscribeReport(7, streams[THREADS_MOST]));
    CHECK_OK(aclrtUnSubscribeReport(1, streams[0]));
    CHECK_OK(aclrtSubscribeReport(1 + THREADS_MOST, streams[THREADS_MOST]));
    for (uint64_t i = 0; i <= THREADS_MOST; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static void two_devices(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), first));
    CHECK_OK(aclrtSetDevice(1));
    aclrtStream second = twin_stream();
    CHECK_CODE(aclrtSubscribeReport(report_self(), second), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtSubscribeReport(report_self() + 1, second));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtResetDevice(1));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_thread_of_one_device(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=2", NULL};
    twin_run_child("two_devices", settings);
}

static void test_unsubscribe(void)
{
    int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclrtUnSubscribeReport(report_self(), stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtUnSubscribeReport(report_self() + 1, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtUnSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream),
               ACL_ERROR_RT_STREAM_NO_CB_REG);
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

typedef struct asker {
    pthread_barrier_t known;
    _Atomic uint64_t thread;
    aclError code;
} asker;

static void ask_once(void *argument, unsigned index)
{
    asker *self = argument;
    (void)index;
    atomic_store(&self->thread, report_self());
    pthread_barrier_wait(&self->known);
    pthread_barrier_wait(&self->known);
    self->code = aclrtProcessReport(5 * SOON_MS);
}

/* A thread that waits for callbacks is released with its last stream. */
static void test_unsubscribe_who_waits(void)
{
    asker self = {.code = ACL_SUCCESS};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtNotify never = NULL;
    CHECK_OK(aclrtCreateNotify(&never, 0));
    CHECK_OK(aclrtWaitAndResetNotify(never, stream, 0));
    pthread_barrier_init(&self.known, NULL, 2);
    twin_threads *threads = twin_threads_start(1, ask_once, &self);
    pthread_barrier_wait(&self.known);
    CHECK_OK(aclrtSubscribeReport(atomic_load(&self.thread), stream));
    pthread_barrier_wait(&self.known);
    /* Ends when all threads wait. */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtUnSubscribeReport(atomic_load(&self.thread), stream));
    twin_threads_join(threads);
    CHECK_EQUAL(self.code, ACL_ERROR_RT_THREAD_SUBSCRIBE);
    pthread_barrier_destroy(&self.known);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_OK(aclrtDestroyNotify(never));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_destroy_ends_subscription(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_REPORT_TIMEOUT);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_kinds_do_not_mix(void)
{
    int ran = 0;
    atomic_int functions = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream other = twin_stream();
    CHECK_OK(aclrtLaunchHostFunc(stream, report_count, &functions));
    CHECK_CODE(aclrtSubscribeReport(report_self(), stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_CODE(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream),
               ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_CODE(aclrtUnSubscribeReport(report_self(), stream), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_OK(aclrtSubscribeReport(report_self(), other));
    CHECK_CODE(aclrtLaunchHostFunc(other, report_count, &functions), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(functions, 1);
    CHECK_EQUAL(ran, 0);
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- callbacks ------------------------------------------------------------------------------- */

typedef struct visit {
    const twin_buffer *data;
    uint64_t thread;
    uint8_t seen;
    int count;
    int *order;
    int place;
} visit;

static void look(void *argument)
{
    visit *self = argument;
    self->thread = report_self();
    self->seen = self->data ? self->data->host[0] : 0;
    self->count++;
    if (self->order)
        self->place = ++*self->order;
}

static void store(const twin_buffer *data, uint8_t value, aclrtStream stream)
{
    CHECK_OK(aclrtMemsetAsync(data->device, data->bytes, value, data->bytes, stream));
    CHECK_OK(aclrtMemcpyAsync(data->host, data->bytes, data->device, data->bytes,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

static void test_runs_once_after_earlier_tasks(void)
{
    twin_buffer data;
    visit one = {.data = &data};
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, 4096, 1);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    store(&data, 2, stream);
    CHECK_OK(aclrtLaunchCallback(look, &one, ACL_CALLBACK_NO_BLOCK, stream));
    CHECK_EQUAL(one.count, 0);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(one.count, 0); /* only inside aclrtProcessReport */
    CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_EQUAL(one.count, 1);
    CHECK_EQUAL(one.seen, 2);
    CHECK_EQUAL(one.thread, report_self());
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_REPORT_TIMEOUT);
    CHECK_EQUAL(one.count, 1);
    CHECK_OK(aclrtDestroyStream(stream));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

/* The callback sees whether a later task has run. */
static void block_or_not(aclrtCallbackBlockType type, uint8_t want)
{
    twin_buffer data;
    visit one = {.data = &data};
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, 4096, 1);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    store(&data, 2, stream);
    CHECK_OK(aclrtLaunchCallback(look, &one, type, stream));
    store(&data, 3, stream);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               type == ACL_CALLBACK_BLOCK ? ACL_ERROR_RT_STREAM_SYNC_TIMEOUT : ACL_SUCCESS);
    CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_EQUAL(one.count, 1);
    CHECK_EQUAL(one.seen, want);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_BYTES(data.host, 3, data.bytes);
    CHECK_OK(aclrtDestroyStream(stream));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_block_or_not(void)
{
    block_or_not(ACL_CALLBACK_BLOCK, 2);
    block_or_not(ACL_CALLBACK_NO_BLOCK, 3);
}

enum { CALLS = 40 };

static void test_order_in_a_stream(void)
{
    visit visits[CALLS];
    int order = 0;
    memset(visits, 0, sizeof(visits));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    for (int i = 0; i < CALLS; i++) {
        visits[i].order = &order;
        CHECK_OK(aclrtLaunchCallback(
            look, &visits[i], i % 3 == 0 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, stream));
    }
    while (order < CALLS && CHECK_OK(aclrtProcessReport(SOON_MS)))
        continue;
    for (int i = 0; i < CALLS; i++)
        CHECK_EQUAL(visits[i].place, i + 1);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_launch_arguments(void)
{
    aclrtContext home = NULL;
    aclrtContext away = NULL;
    int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&home));
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclrtLaunchCallback(count_plain, &ran, (aclrtCallbackBlockType)2, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchCallback(count_plain, &ran, (aclrtCallbackBlockType)-1, stream),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtLaunchCallback(NULL, &ran, ACL_CALLBACK_BLOCK, stream),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream),
               ACL_ERROR_RT_STREAM_NO_CB_REG);
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtCreateContext(&away, 0));
    CHECK_CODE(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream),
               ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(away));
    CHECK_OK(aclrtSetCurrentContext(home));
    CHECK_EQUAL(ran, 0);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_unprocessed_callbacks(void)
{
    int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    /* Without a limit no thread is left to end it: a message says so. */
    (void)aclGetRecentErrMsg();
    CHECK_FAILS(aclrtSynchronizeStream(stream));
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "host function") && strstr(text, "aclrtProcessReport"));
    CHECK_EQUAL(ran, 0);
    CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- processing ------------------------------------------------------------------------------ */

static void test_limits_of_processing(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtProcessReport(-2), ACL_ERROR_INVALID_PARAM);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtProcessReport(-2), ACL_ERROR_INVALID_PARAM);
    int ran = 0;
    CHECK_OK(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_OK(aclrtProcessReport(-1));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_processing_in_vain(void)
{
    twin_hold hold;
    int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtProcessReport(HOUR_MS), ACL_ERROR_RT_REPORT_TIMEOUT);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtLaunchCallback(count_plain, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_CODE(aclrtProcessReport(HOUR_MS), ACL_ERROR_RT_REPORT_TIMEOUT);
    CHECK_EQUAL(ran, 0);
    twin_hold_release(&hold, NULL);
    CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_not_subscribed(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self() + 1, stream));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtUnSubscribeReport(report_self() + 1, stream));
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtUnSubscribeReport(report_self(), stream));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Launches five functions for this thread and five for another, and processes up to so often. */
static void process_five(int calls)
{
    int mine = 0;
    int others = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream other = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtSubscribeReport(report_self() + 1, other));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(aclrtLaunchCallback(count_plain, &mine, ACL_CALLBACK_NO_BLOCK, stream));
        CHECK_OK(aclrtLaunchCallback(count_plain, &others, ACL_CALLBACK_NO_BLOCK, other));
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_OK(aclrtSynchronizeStream(other));
    while (mine < 5 && calls-- > 0)
        CHECK_OK(aclrtProcessReport(SOON_MS));
    CHECK_EQUAL(mine, 5);
    CHECK_EQUAL(others, 0);
    CHECK_OK(aclrtDestroyStream(other));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Streams do not wait for these functions, so they may become ready one by one. */
static void test_what_is_ready(void)
{
    process_five(5);
}

static void test_all_that_are_ready(void)
{
    process_five(1);
}

/* ---- a thread that processes in a loop ------------------------------------------------------- */

static void end_loop(void *argument)
{
    atomic_store((atomic_bool *)argument, true);
}

static void loop(void *argument, unsigned index)
{
    report_loop *self = argument;
    (void)index;
    if (self->context)
        CHECK_OK(aclrtSetCurrentContext(self->context));
    atomic_store(&self->thread, report_self());
    pthread_barrier_wait(&self->known);
    pthread_barrier_wait(&self->known);
    while (!atomic_load(&self->end))
        CHECK_EITHER(aclrtProcessReport(self->limit_ms), ACL_SUCCESS, ACL_ERROR_RT_REPORT_TIMEOUT);
}

void report_loop_begin(report_loop *self, aclrtStream stream, int limit_ms)
{
    memset(self, 0, sizeof(*self));
    self->limit_ms = limit_ms;
    CHECK_OK(aclrtGetCurrentContext(&self->context));
    pthread_barrier_init(&self->known, NULL, 2);
    self->threads = twin_threads_start(1, loop, self);
    pthread_barrier_wait(&self->known);
    CHECK_OK(aclrtSubscribeReport(atomic_load(&self->thread), stream));
    pthread_barrier_wait(&self->known);
}

void report_loop_end(report_loop *self, aclrtStream stream)
{
    CHECK_OK(aclrtLaunchCallback(end_loop, &self->end, ACL_CALLBACK_BLOCK, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    twin_threads_join(self->threads);
    pthread_barrier_destroy(&self->known);
    CHECK_OK(aclrtUnSubscribeReport(atomic_load(&self->thread), stream));
}

static void test_another_thread_processes(void)
{
    visit visits[CALLS];
    int order = 0;
    report_loop loop_of;
    memset(visits, 0, sizeof(visits));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    report_loop_begin(&loop_of, stream, 100);
    for (int i = 0; i < CALLS; i++) {
        visits[i].order = &order;
        CHECK_OK(aclrtLaunchCallback(look, &visits[i], ACL_CALLBACK_BLOCK, stream));
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < CALLS; i++) {
        CHECK_EQUAL(visits[i].place, i + 1);
        CHECK_EQUAL(visits[i].thread, atomic_load(&loop_of.thread));
    }
    report_loop_end(&loop_of, stream);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_polled_host_functions(void)
{
    CHECK(dlsym(RTLD_DEFAULT, "aclrtSubscribeHostFunc") == NULL);
    CHECK(dlsym(RTLD_DEFAULT, "aclrtProcessHostFunc") == NULL);
    CHECK(dlsym(RTLD_DEFAULT, "aclrtUnSubscribeHostFunc") == NULL);
}

static const twin_test tests[] = {
    {"CBK-01, EXC-08: a thread subscribes to the default stream", test_subscribe_default},
    {"CBK-02, EXC-06: a stream has one thread", test_one_thread_per_stream},
    {"CBK-03, EXC-08: one thread serves several streams", test_one_thread_several_streams},
    {"CBK-04, EXC-09: 1024 threads may be subscribed", test_limit_of_threads},
    {"EXC-07: a thread serves one device", test_thread_of_one_device},
    {"CBK-05, EXC-04: a callback runs once, after earlier tasks, in the processing thread",
     test_runs_once_after_earlier_tasks},
    {"CBK-06, EXC-05: a blocking callback holds later tasks, another does not", test_block_or_not},
    {"CBK-07: callbacks of a stream run in order", test_order_in_a_stream},
    {"CBK-05, CBK-07: a thread that processes in a loop runs all of them",
     test_another_thread_processes},
    {"CBK-08, EXC-01, EXC-02, EXC-03: arguments of a callback are checked", test_launch_arguments},
    {"CBK-09: a blocking callback that is not processed holds its stream",
     test_unprocessed_callbacks},
    {"CBK-10, EXC-12: processing takes -1 or a positive limit", test_limits_of_processing},
    {"CBK-11, EXC-14: processing in vain ends at its limit", test_processing_in_vain},
    {"CBK-12, EXC-13: a thread without subscription cannot process", test_not_subscribed},
    {"CBK-13, EXC-15: processing runs what is ready for the thread", test_what_is_ready},
    {"one call of processing runs all that is ready", test_all_that_are_ready},
    {"CBK-14: without subscription callbacks are refused", test_unsubscribe},
    {"CBK-12: a thread that waits returns when its last subscription ends",
     test_unsubscribe_who_waits},
    {"CBK-15, EXC-11: the end of a subscription needs its stream and thread", test_unsubscribe},
    {"EXC-10: a stream has callbacks or host functions", test_kinds_do_not_mix},
    {"STR-20: destroying a stream ends its subscription", test_destroy_ends_subscription},
    {"CBK-16, EXC-17: a host function runs once, in order, and holds later tasks",
     test_host_function_in_order},
    {"CBK-17: a synchronisation ends after the host function", test_host_function_effects},
    {"CBK-18, EXC-18: host functions of a context run on their own thread",
     test_host_functions_alone},
    {"CBK-18: contexts run their host functions side by side", test_contexts_side_by_side},
    {"CBK-19, EXC-16: arguments of a host function are checked", test_host_function_arguments},
    {"CBK-20: polled host functions are absent", test_polled_host_functions},
    {"CBK-21: calls inside a host function do no harm", test_calls_inside},
    {"CBK-21: a host function cannot end its context or device", test_end_from_inside},
    {"a program may wait for its host function by itself", test_waiting_beside_the_runtime},
    {"waiting for callbacks that no thread can launch ends", test_processing_for_ever},
    {"a wait beside a thread that asks in a loop goes on", test_wait_beside_a_loop},
    {"unprocessed callbacks are dropped by force and by a reset", test_dropped_callbacks},
    {"a process ends while its host functions wait", test_exit_with_services},
    {"two runs with host functions have the same timeline", test_same_timeline},
};

static const twin_child children[] = {
    {"two_devices", two_devices},
    {"exit_with_services", report_exit_with_services},
    {"timeline", report_timeline},
};

static const twin_suite suite = {.name = "report",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children),
                                 .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
