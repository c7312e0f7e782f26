/* SPDX-License-Identifier: Apache-2.0 */
/* A program made of a seed that does nothing wrong: before each use of a buffer it orders the
 * stream, in one of many ways, after the last use. Its submissions are examined in its recording.
 *
 *   check_program SEED [STEPS [EXTRA]]
 *   check_program --one-copy
 *   check_program --free-twice    fills more than an allocation holds, and frees it twice */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define THREADS 3
#define STREAMS 6 /* of a thread; number 0 is the default stream, which all share */
#define BUFFERS 6
#define BYTES   ((size_t)1 << 20)

struct buffer {
    void *device, *host;
    int stream; /* that touched it last, -1: the host knows that all is done */
};

struct worker {
    uint64_t state;
    int steps, extra; /* after a third of the steps: so many more fills */
    aclrtContext context;
    aclrtStream streams[STREAMS];
    aclrtEvent event, relay, flag;
    aclrtStream last_round;  /* that waited for the notify last */
    aclrtStream last_writer; /* of the word */

    aclrtNotify notify, gate;
    aclrtNotify imported; /* the other end of `notify`, or itself */
    aclrtEvent shared, opened;
    aclrtCntNotify sum, bits;
    uint32_t total;                   /* that was added to `sum` */
    aclrtStream last_sum, last_count; /* that waited for `sum` last, for `bits` */
    uint64_t *word;
    uint64_t value;
    struct buffer buffers[BUFFERS];
    int has_words, has_reset, has_shared, has_shared_event, has_counts;
};

static void check(aclError error, const char *what)
{
    if (error == ACL_SUCCESS)
        return;
    fprintf(stderr, "check_program: %s: %d\n", what, error);
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

/* ---- ways to order one stream after another ---- */

static void by_event(struct worker *worker, aclrtStream from, aclrtStream to, aclrtEvent event)
{
    uint32_t way = draw(worker, 12);
    aclrtEvent other = event;
    if (worker->has_shared_event && event == worker->event && way < 6) {
        event = way < 3 ? worker->shared : worker->opened;
        other = way < 3 ? worker->opened : worker->shared;
    }
    CHECK(aclrtRecordEvent(event, from));
    CHECK(aclrtStreamWaitEvent(to, other));
    if (way % 3 == 0)
        CHECK(aclrtStreamWaitEvent(worker->streams[draw(worker, STREAMS)], event));
}

static void by_notify(struct worker *worker, aclrtStream from, aclrtStream to)
{
    /* a record that comes before the last wait has passed would be lost */
    CHECK(aclrtSynchronizeStream(worker->last_round));
    worker->last_round = to;

    uint32_t way = draw(worker, 8);
    aclrtNotify recorded = way & 2 ? worker->imported : worker->notify;
    aclrtNotify awaited = way & 4 ? worker->imported : worker->notify;
    if (way % 2 == 0) {
        CHECK(aclrtRecordNotify(recorded, from));
        CHECK(aclrtWaitAndResetNotify(awaited, to, 0));
    } else {
        CHECK(aclrtWaitAndResetNotify(awaited, to, 0));
        CHECK(aclrtRecordNotify(recorded, from));
    }
}

/* ---- counting notifies ---- */

static void change(aclrtCntNotify notify, aclrtStream stream, aclrtCntNotifyRecordMode mode,
                   uint32_t value)
{
    aclrtCntNotifyRecordInfo info = {.mode = mode, .value = value};
    CHECK(aclrtCntNotifyRecord(notify, stream, &info));
}

static void wait_for(aclrtCntNotify notify, aclrtStream stream, aclrtCntNotifyWaitMode mode,
                     uint32_t value, int clear)
{
    aclrtCntNotifyWaitInfo info = {.mode = mode, .value = value, .isClear = clear != 0};
    CHECK(aclrtCntNotifyWaitWithTimeout(notify, stream, &info));
}

/* An add is ordered after the last wait, which it could release as well. */
static void add(struct worker *worker, aclrtStream stream, uint32_t more)
{
    if (draw(worker, 2) == 0)
        CHECK(aclrtSynchronizeStream(worker->last_sum));
    else
        by_event(worker, worker->last_sum, stream, worker->relay);
    worker->total += more;
    change(worker->sum, stream, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, more);
}

/* The sum is never cleared; each wait needs all adds. */
static void by_sum(struct worker *worker, aclrtStream from, aclrtStream to)
{
    if (draw(worker, 2) == 0) { /* over one more */
        aclrtStream over = worker->streams[draw(worker, STREAMS)];
        by_event(worker, from, over, worker->event);
        from = over;
    }
    add(worker, from, 1 + draw(worker, 3));
    if (draw(worker, 3) == 0)
        add(worker, worker->streams[draw(worker, STREAMS)], 1);
    worker->last_sum = to;
    switch (draw(worker, 3)) {
    case 0:
        wait_for(worker->sum, to, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, worker->total - 1, 0);
        break;
    case 1:
        wait_for(worker->sum, to, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, worker->total, 0);
        break;
    default:
        wait_for(worker->sum, to, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, worker->total, 0);
        CHECK(aclrtSynchronizeStream(to));
        CHECK(aclrtCntNotifyReset(worker->sum, to));
        CHECK(aclrtSynchronizeStream(to));
        worker->total = 0;
        break;
    }
}

/* Each round ends with a count of 0. */
static void by_bits(struct worker *worker, aclrtStream from, aclrtStream to)
{
    aclrtCntNotify bits = worker->bits;
    aclrtStream other = worker->streams[draw(worker, STREAMS)];
    CHECK(aclrtSynchronizeStream(worker->last_count));
    worker->last_count = to;
    switch (draw(worker, 5)) {
    case 0:
        change(bits, from, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 4);
        change(bits, other, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 1);
        wait_for(bits, to, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 5, 1);
        break;
    case 1:
        change(bits, from, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 7);
        wait_for(bits, to, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 7, 1);
        break;
    case 2: /* down again */
        change(bits, to, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 6);
        CHECK(aclrtSynchronizeStream(to));
        change(bits, from, ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 2);
        wait_for(bits, to, ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 4, 1);
        break;
    case 3: /* two wait for one */
        change(bits, from, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 9);
        wait_for(bits, to, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 8, 0);
        wait_for(bits, other, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 9, 0);
        CHECK(aclrtSynchronizeStream(other));
        CHECK(aclrtSynchronizeStream(to));
        CHECK(aclrtCntNotifyReset(bits, to));
        break;
    default: /* one of two is enough, so order after both takes more */
        change(bits, from, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 3);
        change(bits, other, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 2);
        wait_for(bits, to, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 2, 0);
        by_event(worker, from, to, worker->relay);
        CHECK(aclrtSynchronizeStream(other));
        CHECK(aclrtSynchronizeStream(from));
        CHECK(aclrtCntNotifyReset(bits, to));
        break;
    }
}

/* Each round ends before the next begins: the host waits for the reset. */
static void by_flag(struct worker *worker, aclrtStream from, aclrtStream to)
{
    CHECK(aclrtRecordEvent(worker->flag, from));
    CHECK(aclrtStreamWaitEvent(to, worker->flag));
    CHECK(aclrtResetEvent(worker->flag, to));
    CHECK(aclrtSynchronizeStream(to));
}

static void by_word(struct worker *worker, aclrtStream from, aclrtStream to)
{
    /* an older value that comes late would take the newer one's place */
    CHECK(aclrtSynchronizeStream(worker->last_writer));
    worker->last_writer = from;

    worker->value++;
    CHECK(aclrtValueWrite(worker->word, worker->value, 0, from));
    CHECK(aclrtValueWait(worker->word, worker->value, 0, to));
}

static void by_chain(struct worker *worker, aclrtStream from, aclrtStream to)
{
    aclrtStream over = worker->streams[draw(worker, STREAMS)];
    by_event(worker, from, over, worker->event);
    by_event(worker, over, to, worker->relay);
}

static void by_query(struct worker *worker, aclrtStream from)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    CHECK(aclrtRecordEvent(worker->event, from));
    for (int i = 0; i < 50 && status != ACL_EVENT_RECORDED_STATUS_COMPLETE; i++)
        CHECK(aclrtQueryEventStatus(worker->event, &status));
    if (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        CHECK(aclrtSynchronizeEvent(worker->event));
}

static void order_after(struct worker *worker, int last, int stream)
{
    aclrtStream from = worker->streams[last];
    aclrtStream to = worker->streams[stream];
    if (worker->has_counts && draw(worker, 3) == 0) {
        if (draw(worker, 2) == 0)
            by_sum(worker, from, to);
        else
            by_bits(worker, from, to);
        return;
    }
    switch (draw(worker, 10)) {
    case 0:
        CHECK(aclrtSynchronizeStream(from));
        break;
    case 1:
        CHECK(aclrtRecordEvent(worker->event, from));
        CHECK(aclrtSynchronizeEvent(worker->event));
        break;
    case 2:
        by_query(worker, from);
        break;
    case 3:
        by_notify(worker, from, to);
        break;
    case 4:
    case 5:
        by_chain(worker, from, to);
        break;
    case 6:
        if (worker->has_reset) {
            by_flag(worker, from, to);
            break;
        }
        by_notify(worker, from, to);
        break;
    case 7:
        if (worker->has_words) {
            by_word(worker, from, to);
            break;
        }
        by_chain(worker, from, to);
        break;
    default:
        by_event(worker, from, to, worker->event);
        break;
    }
}

/* ---- work ---- */

static void touch(struct worker *worker)
{
    struct buffer *buffer = &worker->buffers[draw(worker, BUFFERS)];
    int stream = (int)draw(worker, STREAMS);
    size_t bytes = 1 + draw(worker, 1u << (4 + draw(worker, 17)));
    if (draw(worker, 2) == 0)
        bytes = BYTES / 2 + draw(worker, BYTES / 4);
    if (buffer->stream >= 0 && buffer->stream != stream)
        order_after(worker, buffer->stream, stream);
    aclrtStream to = worker->streams[stream];
    switch (draw(worker, 4)) {
    case 0:
        CHECK(aclrtMemsetAsync(buffer->device, BYTES, 5, bytes, to));
        break;
    case 1:
        CHECK(aclrtMemcpyAsync(buffer->host, BYTES, buffer->device, bytes,
                               ACL_MEMCPY_DEVICE_TO_HOST, to));
        break;
    case 2:
        CHECK(aclrtMemcpyAsync((char *)buffer->device + BYTES / 2, BYTES / 2, buffer->device,
                               bytes / 2 + 1, ACL_MEMCPY_DEVICE_TO_DEVICE, to));
        break;
    default:
        CHECK(aclrtMemcpyAsync(buffer->device, BYTES, buffer->host, bytes,
                               ACL_MEMCPY_HOST_TO_DEVICE, to));
        break;
    }
    buffer->stream = stream;
}

static void copy_now(struct worker *worker)
{
    struct buffer *buffer = &worker->buffers[draw(worker, BUFFERS)];
    if (buffer->stream >= 0)
        CHECK(aclrtSynchronizeStream(worker->streams[buffer->stream]));
    buffer->stream = -1;
    CHECK(aclrtMemcpy(buffer->host, BYTES, buffer->device, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
}

static void renew(struct worker *worker)
{
    struct buffer *buffer = &worker->buffers[draw(worker, BUFFERS)];
    if (buffer->stream >= 0)
        CHECK(aclrtSynchronizeStream(worker->streams[buffer->stream]));
    buffer->stream = -1;
    CHECK(aclrtFree(buffer->device));
    CHECK(aclrtMalloc(&buffer->device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
}

/* One stream is shut; the host's wait meanwhile does not depend on it. */
static void shut_one(struct worker *worker)
{
    int shut = (int)draw(worker, STREAMS);
    int other = draw(worker, 2) == 0 ? 0 : (shut + 1 + (int)draw(worker, STREAMS - 1)) % STREAMS;
    aclrtStream on = worker->streams[shut];
    int touched = draw(worker, 2) == 0;
    /* other threads' work on the default stream would hold work that waits for it */
    if (shut == 0)
        shut = 1, on = worker->streams[1], other = 2;
    CHECK(aclrtRecordEvent(worker->event, on));
    if (touched)
        CHECK(aclrtStreamWaitEvent(worker->streams[other], worker->event));
    CHECK(aclrtWaitAndResetNotify(worker->gate, on, 0));
    CHECK(aclrtMemsetAsync((char *)worker->word + 64 * shut + 64, 64, 1, 64, on));
    CHECK(aclrtMemsetAsync((char *)worker->word + 64 * other + 64, 64, 1, 64,
                           worker->streams[other]));
    if (draw(worker, 2) == 0)
        CHECK(aclrtSynchronizeEvent(worker->event));
    if (draw(worker, 2) == 0)
        CHECK(aclrtSynchronizeStream(worker->streams[other]));
    aclrtStream opener = worker->streams[other];
    CHECK(aclrtRecordNotify(worker->gate, opener));
    CHECK(aclrtSynchronizeStream(on));
}

static void step(struct worker *worker)
{
    switch (draw(worker, 24)) {
    case 0:
        copy_now(worker);
        break;
    case 1:
        renew(worker);
        break;
    case 2:
    case 4:
        shut_one(worker);
        break;
    case 3: {
        int stream = (int)draw(worker, STREAMS);
        CHECK(aclrtSynchronizeStream(worker->streams[stream]));
        for (int i = 0; i < BUFFERS; i++)
            if (worker->buffers[i].stream == stream)
                worker->buffers[i].stream = -1;
        break;
    }
    default:
        touch(worker);
        break;
    }
}

/* Both ends of the shared objects belong to this program. */
static void set_up_shared(struct worker *worker)
{
    char key[65] = "";
    aclrtIpcEventHandle handle = {{0}};
    worker->imported = worker->notify;
    worker->has_shared =
        aclrtNotifyGetExportKey(worker->notify, key, sizeof(key),
                                ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION) == ACL_SUCCESS;
    if (!worker->has_shared)
        return;
    CHECK(aclrtNotifyImportByKey(&worker->imported, key, 0));
    CHECK(aclrtCreateEventExWithFlag(&worker->shared, ACL_EVENT_IPC));
    worker->has_shared_event = aclrtIpcGetEventHandle(worker->shared, &handle) == ACL_SUCCESS;
    if (worker->has_shared_event)
        CHECK(aclrtIpcOpenEventHandle(handle, &worker->opened));
}

static void tear_down_shared(struct worker *worker)
{
    if (!worker->has_shared)
        return;
    CHECK(aclrtDestroyNotify(worker->imported));
    if (worker->has_shared_event)
        CHECK(aclrtDestroyEvent(worker->opened));
    CHECK(aclrtDestroyEvent(worker->shared));
}

static void set_up(struct worker *worker)
{
    aclrtStream wanted = NULL;
    CHECK(aclrtSetCurrentContext(worker->context));
    worker->streams[0] = NULL;
    for (int i = 1; i < STREAMS; i++)
        CHECK(aclrtCreateStream(&worker->streams[i]));
    CHECK(aclrtCreateEventExWithFlag(&worker->event, ACL_EVENT_SYNC));
    CHECK(aclrtCreateEvent(&worker->relay));
    worker->has_reset = aclrtCreateEventWithFlag(&worker->flag, ACL_EVENT_SYNC) == ACL_SUCCESS;
    CHECK(aclrtCreateNotify(&worker->notify, 0));
    CHECK(aclrtCreateNotify(&worker->gate, 0));
    set_up_shared(worker);
    worker->has_counts = aclrtCntNotifyCreate(&worker->sum, 0) == ACL_SUCCESS;
    if (worker->has_counts)
        CHECK(aclrtCntNotifyCreate(&worker->bits, 0));
    CHECK(aclrtMalloc((void **)&worker->word, 64 * (STREAMS + 1), ACL_MEM_MALLOC_HUGE_FIRST));
    wanted = worker->streams[1];
    CHECK(aclrtMemset(worker->word, 64, 0, 64));
    worker->has_words = aclrtValueWrite(worker->word, 0, 0, wanted) == ACL_SUCCESS;
    CHECK(aclrtSynchronizeStream(wanted));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(aclrtMalloc(&worker->buffers[i].device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMallocHost(&worker->buffers[i].host, BYTES));
        worker->buffers[i].stream = -1;
    }
}

static void tear_down(struct worker *worker)
{
    for (int i = 0; i < STREAMS; i++)
        CHECK(aclrtSynchronizeStream(worker->streams[i]));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(aclrtFree(worker->buffers[i].device));
        CHECK(aclrtFreeHost(worker->buffers[i].host));
    }
    CHECK(aclrtFree(worker->word));
    CHECK(aclrtDestroyEvent(worker->event));
    CHECK(aclrtDestroyEvent(worker->relay));
    if (worker->has_reset)
        CHECK(aclrtDestroyEvent(worker->flag));
    tear_down_shared(worker);
    if (worker->has_counts) {
        CHECK(aclrtCntNotifyDestroy(worker->sum));
        CHECK(aclrtCntNotifyDestroy(worker->bits));
    }
    CHECK(aclrtDestroyNotify(worker->notify));
    CHECK(aclrtDestroyNotify(worker->gate));
    for (int i = 1; i < STREAMS; i++)
        CHECK(aclrtDestroyStream(worker->streams[i]));
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    set_up(worker);
    for (int i = 0; i < worker->steps; i++) {
        for (int k = 0; i == worker->steps / 3 && k < worker->extra; k++)
            CHECK(aclrtMemset(worker->word, 64, 0, 64));
        step(worker);
    }
    tear_down(worker);
    return NULL;
}

/* One copy of one byte on the device, and nothing else. */
static void copy_once(void)
{
    void *memory = NULL;
    CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpyAsync(memory, 1, (char *)memory + 2048, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
    CHECK(aclrtSynchronizeStream(NULL));
    CHECK(aclrtFree(memory));
}

/* The time of an event that was made without one: refused, and no breach by the device. */
static void ask_for_no_time(void)
{
    aclrtEvent event = NULL;
    float elapsed = 0;
    CHECK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    CHECK(aclrtRecordEvent(event, NULL));
    CHECK(aclrtSynchronizeStream(NULL));
    if (aclrtEventElapsedTime(&elapsed, event, event) != ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID)
        exit(1);
    const char *message = aclGetRecentErrMsg();
    if (!message || !strstr(message, "ACL_EVENT_TIME_LINE") || strstr(message, "not complete"))
        exit(1);
    CHECK(aclrtDestroyEvent(event));
}

/* Wrong on purpose: the runtime answers, not the device. */
static void free_twice(void)
{
    void *memory = NULL;
    CHECK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    (void)aclrtMemset(memory, BYTES, 0, BYTES);
    (void)aclrtFree(memory);
    (void)aclrtFree(memory);
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int steps = argc > 2 ? atoi(argv[2]) : 60;
    int extra = argc > 3 ? atoi(argv[3]) : 0;
    int count = 1 + (int)(seed % THREADS);
    aclrtContext context = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtGetCurrentContext(&context));
    if (argc > 1 && strcmp(argv[1], "--one-copy") == 0) {
        copy_once();
        count = 0;
    }
    if (argc > 1 && strcmp(argv[1], "--free-twice") == 0) {
        free_twice();
        count = 0;
    }
    if (argc > 1 && strcmp(argv[1], "--no-time") == 0) {
        ask_for_no_time();
        count = 0;
    }
    for (int i = 0; i < count; i++) {
        workers[i].state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i + 1;
        workers[i].steps = steps;
        workers[i].extra = extra;
        workers[i].context = context;
        if (i > 0 && pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 1;
    }
    if (count > 0)
        work(&workers[0]);
    for (int i = 1; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
