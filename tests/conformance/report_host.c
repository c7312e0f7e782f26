/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions, which a thread of the runtime runs; waits and ends around them. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_tests.h"

typedef struct step {
    const twin_buffer *data;
    atomic_int *order;
    uint64_t thread;
    int place;
    int seen;
} step;

static void take_step(void *argument)
{
    step *self = argument;
    self->thread = report_self();
    self->seen = self->data ? self->data->host[0] : 0;
    self->place = atomic_fetch_add(self->order, 1) + 1;
}

enum { STEPS = 30 };

void test_host_function_in_order(void)
{
    twin_buffer data;
    step steps[STEPS];
    atomic_int order = 0;
    memset(steps, 0, sizeof(steps));
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, 4096, 200);
    aclrtStream stream = twin_stream();
    for (int i = 0; i < STEPS; i++) {
        steps[i].order = &order;
        steps[i].data = &data;
        CHECK_OK(aclrtMemsetAsync(data.device, data.bytes, i, data.bytes, stream));
        CHECK_OK(aclrtMemcpyAsync(data.host, data.bytes, data.device, data.bytes,
                                  ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CHECK_OK(aclrtLaunchHostFunc(stream, take_step, &steps[i]));
    }
    CHECK_OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < STEPS; i++) {
        CHECK_EQUAL(steps[i].place, i + 1);
        CHECK_EQUAL(steps[i].seen, i); /* earlier tasks were done, later ones had not begun */
    }
    CHECK_EQUAL(order, STEPS);
    CHECK_OK(aclrtDestroyStream(stream));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

/* On the host's way: the device copies what the function wrote. */
typedef struct fill {
    twin_buffer *data;
    uint8_t value;
    int written;
} fill;

static void write_host(void *argument)
{
    fill *self = argument;
    memset(self->data->host, self->value, self->data->bytes);
    self->written = self->value;
}

void test_host_function_effects(void)
{
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer_make(&data, 4096, 1);
    aclrtStream stream = twin_stream();
    for (uint8_t value = 2; value < 12; value++) {
        fill one = {.data = &data, .value = value};
        CHECK_OK(aclrtLaunchHostFunc(stream, write_host, &one));
        CHECK_OK(aclrtMemcpyAsync(data.device, data.bytes, data.host, data.bytes,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
        CHECK_OK(aclrtSynchronizeStream(stream));
        CHECK_EQUAL(one.written, value);
        memset(data.host, 0, data.bytes);
        twin_buffer_read(&data);
        CHECK_BYTES(data.host, value, data.bytes);
    }
    CHECK_OK(aclrtDestroyStream(stream));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- one thread per context ------------------------------------------------------------------ */

typedef struct meeting {
    atomic_int inside;
    atomic_int most;
    atomic_int done;
    _Atomic uint64_t thread;
    atomic_bool several;
} meeting;

static void meet(void *argument)
{
    meeting *self = argument;
    uint64_t before = 0;
    int inside = atomic_fetch_add(&self->inside, 1) + 1;
    if (inside > atomic_load(&self->most))
        atomic_store(&self->most, inside);
    if (!atomic_compare_exchange_strong(&self->thread, &before, report_self()) &&
        before != report_self())
        atomic_store(&self->several, true);
    for (int i = 0; i < 20; i++)
        sched_yield();
    atomic_fetch_sub(&self->inside, 1);
    atomic_fetch_add(&self->done, 1);
}

void test_host_functions_alone(void)
{
    enum { STREAMS = 6, ROUNDS = 10 };
    meeting all;
    aclrtStream streams[STREAMS];
    memset(&all, 0, sizeof(all));
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++)
        streams[i] = twin_stream();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STREAMS; i++)
            CHECK_OK(aclrtLaunchHostFunc(streams[i], meet, &all));
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_EQUAL(all.done, STREAMS * ROUNDS);
    CHECK_EQUAL(all.most, 1);
    CHECK(!all.several);
    CHECK(all.thread != report_self());
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    CHECK_OK(aclrtResetDevice(0));
}

/* A hand-over between functions of two contexts: each waits for the other's. */
typedef struct relay {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int produced;
    int consumed;
    uint64_t threads[2];
} relay;

static void produce(void *argument)
{
    relay *self = argument;
    pthread_mutex_lock(&self->lock);
    self->threads[0] = report_self();
    while (self->produced != self->consumed)
        pthread_cond_wait(&self->moved, &self->lock);
    self->produced++;
    pthread_cond_broadcast(&self->moved);
    pthread_mutex_unlock(&self->lock);
}

static void consume(void *argument)
{
    relay *self = argument;
    pthread_mutex_lock(&self->lock);
    self->threads[1] = report_self();
    while (self->produced == self->consumed)
        pthread_cond_wait(&self->moved, &self->lock);
    self->consumed++;
    pthread_cond_broadcast(&self->moved);
    pthread_mutex_unlock(&self->lock);
}

void test_contexts_side_by_side(void)
{
    enum { ITEMS = 20 };
    relay items = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    aclrtContext contexts[2];
    aclrtStream streams[2];
    CHECK_OK(aclrtSetDevice(0));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(aclrtCreateContext(&contexts[i], 0));
        streams[i] = twin_stream();
        for (int k = 0; k < ITEMS; k++)
            CHECK_OK(aclrtLaunchHostFunc(streams[i], i == 0 ? consume : produce, &items));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_OK(aclrtSetCurrentContext(contexts[i]));
        CHECK_OK(aclrtSynchronizeStream(streams[i]));
    }
    CHECK_EQUAL(items.consumed, ITEMS);
    CHECK(items.threads[0] != items.threads[1]);
    for (int i = 0; i < 2; i++)
        CHECK_OK(aclrtDestroyContext(contexts[i]));
    CHECK_OK(aclrtResetDevice(0));
}

static void launch_without_context(void *argument)
{
    CHECK_CODE(aclrtLaunchHostFunc(NULL, report_count, argument), ACL_ERROR_RT_CONTEXT_NULL);
}

void test_host_function_arguments(void)
{
    aclrtContext home = NULL;
    aclrtContext away = NULL;
    atomic_int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&home));
    aclrtStream stream = twin_stream();
    CHECK_CODE(aclrtLaunchHostFunc(stream, NULL, &ran), ACL_ERROR_RT_PARAM_INVALID);
    twin_on_thread(launch_without_context, &ran);
    CHECK_OK(aclrtCreateContext(&away, 0));
    CHECK_CODE(aclrtLaunchHostFunc(stream, report_count, &ran), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(away));
    CHECK_OK(aclrtSetCurrentContext(home));
    CHECK_EQUAL(ran, 0);
    CHECK_OK(aclrtLaunchHostFunc(NULL, report_count, &ran));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- calls inside ---------------------------------------------------------------------------- */

typedef struct inside {
    aclrtContext context;
    aclrtStream own;
    aclrtStream other;
    atomic_int follower;
    aclError codes[8];
} inside;

static void call_inside(void *argument)
{
    inside *self = argument;
    uint32_t count = 0;
    void *memory = NULL;
    self->codes[0] = aclrtGetDeviceCount(&count);
    self->codes[1] = aclrtSetCurrentContext(self->context);
    self->codes[2] = aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    self->codes[3] = aclrtMemsetAsync(memory, 4096, 1, 4096, self->other);
    self->codes[4] = aclrtSynchronizeStream(self->other);
    self->codes[5] = aclrtFree(memory);
    self->codes[6] = aclrtLaunchHostFunc(self->own, report_count, &self->follower);
    /* It is itself what this stream waits for. */
    self->codes[7] = aclrtSynchronizeStreamWithTimeout(self->own, SHORT_MS);
}

void test_calls_inside(void)
{
    inside calls;
    memset(&calls, 0, sizeof(calls));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&calls.context));
    calls.own = twin_stream();
    calls.other = twin_stream();
    CHECK_OK(aclrtLaunchHostFunc(calls.own, call_inside, &calls));
    CHECK_OK(aclrtSynchronizeStream(calls.own));
    CHECK_OK(aclrtSynchronizeStream(calls.own));
    for (int i = 0; i < 7; i++)
        CHECK_EQUAL(calls.codes[i], ACL_SUCCESS);
    CHECK_EQUAL(calls.codes[7], ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_EQUAL(calls.follower, 1);
    CHECK_OK(aclrtDestroyStream(calls.other));
    CHECK_OK(aclrtDestroyStream(calls.own));
    CHECK_OK(aclrtResetDevice(0));
}

static void end_inside(void *argument)
{
    inside *self = argument;
    self->codes[0] = aclrtDestroyContext(self->context);
    self->codes[1] = aclrtResetDeviceForce(0);
    self->codes[2] = aclrtProcessReport(SHORT_MS);
}

void test_end_from_inside(void)
{
    inside calls;
    memset(&calls, 0, sizeof(calls));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCreateContext(&calls.context, 0));
    calls.own = twin_stream();
    CHECK_OK(aclrtLaunchHostFunc(calls.own, end_inside, &calls));
    CHECK_OK(aclrtSynchronizeStream(calls.own));
    for (int i = 0; i < 3; i++)
        CHECK(calls.codes[i] != ACL_SUCCESS);
    CHECK_OK(aclrtDestroyContext(calls.context));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- waits ----------------------------------------------------------------------------------- */

void test_waiting_beside_the_runtime(void)
{
    atomic_int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    double began = twin_wall_seconds();
    for (int i = 1; i <= 10; i++) {
        CHECK_OK(aclrtLaunchHostFunc(NULL, report_count, &ran));
        while (atomic_load(&ran) < i && twin_wall_seconds() - began < 100.0)
            sched_yield();
        CHECK_EQUAL(ran, i);
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_processing_for_ever(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    (void)aclGetRecentErrMsg();
    CHECK_CODE(aclrtProcessReport(-1), ACL_ERROR_RT_REPORT_TIMEOUT);
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "\ndeadlock: "));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Rounds of 1 ms in which nothing happens: the first 1000 take no real time. */
enum { VAIN_ROUNDS = 1200, REAL_ROUNDS = VAIN_ROUNDS - 1000 };

typedef struct asker {
    aclrtContext context;
    aclrtStream stream;
    twin_hold *hold;
    atomic_ullong thread;
    pthread_barrier_t known;
} asker;

/* Asks for a long time, and then ends the wait of another thread all the same. */
static void ask_and_record(void *argument, unsigned index)
{
    asker *self = argument;
    (void)index;
    CHECK_OK(aclrtSetCurrentContext(self->context));
    atomic_store(&self->thread, report_self());
    pthread_barrier_wait(&self->known);
    pthread_barrier_wait(&self->known);
    for (int i = 0; i < VAIN_ROUNDS; i++)
        CHECK_CODE(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
    twin_hold_release(self->hold, self->stream);
}

void test_wait_beside_a_loop(void)
{
    twin_hold hold;
    asker asking = {.hold = &hold};
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&asking.context));
    aclrtStream held = twin_stream();
    asking.stream = twin_stream();
    twin_hold_begin(&hold, held);
    pthread_barrier_init(&asking.known, NULL, 2);
    twin_threads *threads = twin_threads_start(1, ask_and_record, &asking);
    pthread_barrier_wait(&asking.known);
    CHECK_OK(aclrtSubscribeReport(atomic_load(&asking.thread), asking.stream));
    double began = twin_wall_seconds();
    pthread_barrier_wait(&asking.known);
    CHECK_OK(aclrtSynchronizeStream(held));
    CHECK(twin_wall_seconds() - began > REAL_ROUNDS * 0.001 * 0.5);
    twin_threads_join(threads);
    pthread_barrier_destroy(&asking.known);
    CHECK_OK(aclrtUnSubscribeReport(atomic_load(&asking.thread), asking.stream));
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtDestroyStream(asking.stream));
    CHECK_OK(aclrtDestroyStream(held));
    CHECK_OK(aclrtResetDevice(0));
}

void test_dropped_callbacks(void)
{
    atomic_int ran = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtLaunchCallback(report_count, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_OK(aclrtLaunchCallback(report_count, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtDestroyStreamForce(stream));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    stream = twin_stream();
    CHECK_OK(aclrtSubscribeReport(report_self(), stream));
    CHECK_OK(aclrtLaunchCallback(report_count, &ran, ACL_CALLBACK_BLOCK, stream));
    CHECK_FAILS(aclrtResetDevice(0)); /* done all the same, and said why not well */
    CHECK_EQUAL(ran, 0);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtProcessReport(SHORT_MS), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- children -------------------------------------------------------------------------------- */

void report_exit_with_services(void)
{
    static atomic_int ran;
    aclrtContext contexts[3];
    aclInit(NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(aclrtCreateContext(&contexts[i], 0));
        CHECK_OK(aclrtLaunchHostFunc(NULL, report_count, &ran));
        CHECK_OK(aclrtSynchronizeStream(NULL));
    }
    CHECK_EQUAL(ran, 3);
}

void test_exit_with_services(void)
{
    twin_run_child("exit_with_services", NULL);
}

static void submit_inside(void *argument)
{
    inside *self = argument;
    CHECK_OK(aclrtSetCurrentContext(self->context));
    CHECK_OK(aclrtLaunchHostFunc(self->other, report_count, &self->follower));
}

/* Launches from one thread; the functions run beside copies, and some of them call the runtime. */
void report_timeline(void)
{
    enum { BYTES = 1 << 20 };
    twin_buffer data;
    inside calls;
    static atomic_int ran;
    aclInit(NULL);
    CHECK_OK(aclrtSetDevice(0));
    memset(&calls, 0, sizeof(calls));
    CHECK_OK(aclrtGetCurrentContext(&calls.context));
    twin_buffer_make(&data, BYTES, 1);
    calls.own = twin_stream();
    calls.other = twin_stream();
    aclrtStream busy = twin_stream();
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 4; i++)
            CHECK_OK(aclrtMemcpyAsync(data.host, BYTES, data.device, BYTES,
                                      ACL_MEMCPY_DEVICE_TO_HOST, busy));
        CHECK_OK(aclrtMemsetAsync(data.device, 4096, round, 4096, calls.own));
        CHECK_OK(aclrtLaunchHostFunc(calls.own, report_count, &ran));
        CHECK_OK(aclrtLaunchHostFunc(calls.other, submit_inside, &calls));
        CHECK_OK(aclrtMemsetAsync(data.device, 4096, round, 4096, calls.own));
        CHECK_OK(aclrtLaunchHostFunc(busy, report_count, &ran));
        if (round % 3 == 0)
            CHECK_OK(aclrtSynchronizeStream(calls.own));
        while (round % 3 == 1 && !twin_idle(calls.own))
            continue;
    }
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_EQUAL(ran + calls.follower, 60);
    CHECK_OK(aclrtDestroyStream(busy));
    CHECK_OK(aclrtDestroyStream(calls.other));
    CHECK_OK(aclrtDestroyStream(calls.own));
    twin_buffer_free(&data);
    CHECK_OK(aclrtResetDevice(0));
    aclFinalize();
}

static char *read_file(const char *path, size_t *out_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *data = calloc(size > 0 ? (size_t)size + 1 : 1, 1);
    *out_bytes = data ? fread(data, 1, size > 0 ? (size_t)size : 0, file) : 0;
    fclose(file);
    return data;
}

void test_same_timeline(void)
{
    char path[64];
    char setting[96];
    const char *const settings[] = {setting, NULL};
    char *first = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof(path), "/tmp/report_timeline_%d.json", (int)getpid());
    snprintf(setting, sizeof(setting), "TWINRT_TRACE=%s", path);
    for (int run = 0; run < 4; run++) {
        twin_run_child("timeline", settings);
        size_t now_bytes = 0;
        char *now = read_file(path, &now_bytes);
        CHECK(now != NULL && now_bytes > 1000);
        if (!first) {
            first = now;
            bytes = now_bytes;
            CHECK(first && strstr(first, "waits for the host"));
            continue;
        }
        CHECK(now && first && now_bytes == bytes && memcmp(first, now, bytes) == 0);
        free(now);
    }
    free(first);
    remove(path);
}
