/* SPDX-License-Identifier: Apache-2.0 */
/* Work whose times determine the parameters of a device, to be recorded for `twinrt calibrate`. The
 * public interface alone, so it runs on a board too; what a device does not offer is left out, and
 * reported on standard error.
 *
 * Streams are held back by a notify while work is queued on them, and released at once: what then
 * happens does not depend on how fast the host is. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAMS = 160,
    FEW = 8,
    REPEATS_MOST = 16,
    BYTES = 4 << 20,
    FLAGS = 4200, /* that are set at once: more than a device keeps on the chip */
    VALUE_EQUAL = 1
};

struct scene {
    aclrtStream streams[STREAMS];
    size_t stream_count;
    aclrtStream opener; /* opens the gate */
    aclrtNotify gate;
    aclrtNotify notify;
    aclrtNotify back;   /* the other way */
    aclrtEvent event;   /* streams can wait for it, it keeps the time */
    aclrtEvent untimed; /* streams can wait for it */
    aclrtEvent instant; /* keeps the time alone */
    aclrtEvent flag;    /* stays set until it is reset; NULL: not offered */
    char *device;
    char *other;
    char *pinned;
    char *pageable;
    uint64_t *word; /* on the device; NULL: its streams do not wait for words */
    uint64_t value;
    aclrtBinHandle binary; /* NULL: this device does not take our kernels */
    aclrtFuncHandle kernel;
    size_t repeats;
};

static void finish(const struct scene *scene)
{
    for (size_t i = 0; i < scene->stream_count; i++)
        BENCH_MUST(aclrtSynchronizeStream(scene->streams[i]));
}

/* Later tasks of the stream wait until the gate opens. */
static void hold(const struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtWaitAndResetNotify(scene->gate, stream, 0));
}

static void open_gate(const struct scene *scene)
{
    BENCH_MUST(aclrtRecordNotify(scene->gate, scene->opener));
}

/* ---- one task -------------------------------------------------------------------------------- */

/* NULL: a synchronous one. */
static void copy(char *to, const char *from, size_t bytes, aclrtMemcpyKind kind, aclrtStream stream)
{
    if (stream)
        BENCH_MUST(aclrtMemcpyAsync(to, BYTES, from, bytes, kind, stream));
    else
        BENCH_MUST(aclrtMemcpy(to, BYTES, from, bytes, kind));
}

static void fill(struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtMemsetAsync(scene->device, BYTES, 1, 64, stream));
}

static void copy_in(struct scene *scene, aclrtStream stream)
{
    copy(scene->device, scene->pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void copy_out(struct scene *scene, aclrtStream stream)
{
    copy(scene->pinned, scene->device, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream);
}

static void copy_over(struct scene *scene, aclrtStream stream)
{
    copy(scene->other, scene->device, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static void record(struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtRecordEvent(scene->event, stream));
}

static void record_untimed(struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtRecordEvent(scene->untimed, stream));
}

static void record_instant(struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtRecordEvent(scene->instant, stream));
}

static void pass_event(struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtRecordEvent(scene->event, stream));
    BENCH_MUST(aclrtStreamWaitEvent(stream, scene->event));
}

static void pass_notify(struct scene *scene, aclrtStream stream)
{
    BENCH_MUST(aclrtRecordNotify(scene->notify, stream));
    BENCH_MUST(aclrtWaitAndResetNotify(scene->notify, stream, 0));
}

static void pass_value(struct scene *scene, aclrtStream stream)
{
    if (!scene->word)
        return;
    scene->value++;
    BENCH_MUST(aclrtValueWrite(scene->word, scene->value, 0, stream));
    BENCH_MUST(aclrtValueWait(scene->word, scene->value, VALUE_EQUAL, stream));
}

static void reset(struct scene *scene, aclrtStream stream)
{
    if (!scene->flag)
        return;
    BENCH_MUST(aclrtRecordEvent(scene->flag, stream));
    BENCH_MUST(aclrtResetEvent(scene->flag, stream));
}

/* As in launch.c: a kernel that does nothing, with arguments that it does not look at. */
static aclError launch_blocks(const struct scene *scene, uint32_t blocks, aclrtStream stream)
{
    uint64_t arguments[4] = {0};
    return aclrtLaunchKernelWithHostArgs(scene->kernel, blocks, stream, NULL, arguments,
                                         sizeof(arguments), NULL, 0);
}

static void launch(struct scene *scene, aclrtStream stream)
{
    if (scene->kernel)
        BENCH_MUST(launch_blocks(scene, 1, stream));
}

static void launch_many(struct scene *scene, aclrtStream stream)
{
    static const uint32_t blocks[] = {2, 4, 8, 32, 100};
    if (!scene->kernel)
        return;
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        BENCH_MUST(launch_blocks(scene, blocks[i], stream));
}

static void nothing(void *data)
{
    (void)data;
}

static void call(struct scene *scene, aclrtStream stream)
{
    (void)scene;
    BENCH_MUST(aclrtLaunchHostFunc(stream, nothing, NULL));
}

typedef void (*task)(struct scene *scene, aclrtStream stream);
static const task tasks[] = {fill,           copy_in,        copy_out,    copy_over,   record,
                             record_untimed, record_instant, pass_event,  pass_notify, pass_value,
                             reset,          launch,         launch_many, call};
enum { TASKS = sizeof(tasks) / sizeof(tasks[0]) };

/* ---- the questions --------------------------------------------------------------------------- */

/* Each task by itself on an idle stream, and several in a row that were there when the stream was
 * released. */
static void one_by_one(struct scene *scene)
{
    for (size_t t = 0; t < TASKS; t++) {
        tasks[t](scene, scene->streams[0]);
        BENCH_MUST(aclrtSynchronizeStream(scene->streams[0]));
        if (tasks[t] == call) { /* a host function is on its way, however long the queue */
            for (int i = 0; i < 8; i++) {
                call(scene, scene->streams[0]);
                BENCH_MUST(aclrtSynchronizeStream(scene->streams[0]));
            }
            continue;
        }
        hold(scene, scene->streams[0]);
        for (int i = 0; i < 9; i++)
            tasks[t](scene, scene->streams[0]);
        open_gate(scene);
        finish(scene);
    }
}

/* All kinds in several orders, so that each pair occurs in both orders. */
static void mixed(struct scene *scene)
{
    hold(scene, scene->streams[0]);
    for (size_t i = 0; i < TASKS; i++) {
        for (size_t t = 0; t < TASKS; t++) {
            size_t which = (t * (i + 1) + i) % TASKS;
            if (tasks[which] != call)
                tasks[which](scene, scene->streams[0]);
        }
    }
    open_gate(scene);
    finish(scene);
}

/* One event ends the waits of many streams, which then all need the same. */
static void fan_out(struct scene *scene, size_t count, task what)
{
    count = count < scene->stream_count ? count : scene->stream_count;
    hold(scene, scene->streams[0]);
    BENCH_MUST(aclrtRecordEvent(scene->event, scene->streams[0]));
    for (size_t i = 1; i < count; i++) {
        BENCH_MUST(aclrtStreamWaitEvent(scene->streams[i], scene->event));
        what(scene, scene->streams[i]);
        what(scene, scene->streams[i]);
    }
    open_gate(scene);
    finish(scene);
}

/* A token goes round between two streams: the end of a wait, again and again. Each way has its own
 * notify: with one for both, the stream that has passed the token on may take it itself before the
 * other one's wait is there. */
static void hops(struct scene *scene)
{
    for (int i = 0; i < 8; i++) {
        aclrtStream from = scene->streams[i % 2];
        aclrtStream to = scene->streams[(i + 1) % 2];
        aclrtNotify token = i % 2 == 0 ? scene->notify : scene->back;
        BENCH_MUST(aclrtRecordNotify(token, from));
        BENCH_MUST(aclrtWaitAndResetNotify(token, to, 0));
    }
    finish(scene);
    for (int i = 0; i < 8; i++) {
        BENCH_MUST(aclrtRecordEvent(scene->event, scene->streams[i % 2]));
        BENCH_MUST(aclrtStreamWaitEvent(scene->streams[(i + 1) % 2], scene->event));
    }
    finish(scene);
}

/* A stream that waits for a word which another writes later: at how many looks does it see it? What
 * is done meanwhile grows in small steps, of bytes: calls of the host would make steps that may be
 * a whole number of looks long, which other times between looks explain as well. */
static void polls(struct scene *scene)
{
    if (!scene->word)
        return;
    for (int i = 0; i < 16; i++) {
        scene->value++;
        BENCH_MUST(aclrtValueWait(scene->word, scene->value, VALUE_EQUAL, scene->streams[0]));
        for (int k = 0; k <= i % 3; k++)
            BENCH_MUST(aclrtMemsetAsync(scene->device, BYTES, 1, 64 + (size_t)i * (BYTES / 16),
                                        scene->streams[1]));
        BENCH_MUST(aclrtValueWrite(scene->word, scene->value, 0, scene->streams[1]));
        finish(scene);
    }
}

static void copies(struct scene *scene)
{
    aclrtStream stream = scene->streams[0];
    for (size_t bytes = 64; bytes <= BYTES; bytes *= 8) {
        copy(scene->device, scene->pinned, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
        copy(scene->other, scene->device, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        copy(scene->pinned, scene->other, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
        BENCH_MUST(aclrtMemsetAsync(scene->device, BYTES, 3, bytes, stream));
        BENCH_MUST(aclrtSynchronizeStream(stream));
        copy(scene->device, scene->pinned, bytes, ACL_MEMCPY_HOST_TO_DEVICE, NULL);
        copy(scene->pinned, scene->device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, NULL);
        copy(scene->other, scene->device, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL);
        copy(scene->device, scene->pageable, bytes, ACL_MEMCPY_HOST_TO_DEVICE, NULL);
        copy(scene->pageable, scene->device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, NULL);
    }
    BENCH_MUST(aclrtMemcpy2dAsync(scene->device, 1024, scene->pinned, 512, 512, 16,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
    BENCH_MUST(aclrtMemcpy2dAsync(scene->other, 2048, scene->device, 1024, 512, 64,
                                  ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    BENCH_MUST(aclrtSynchronizeStream(stream));
    BENCH_MUST(aclrtMemcpy2d(scene->device, 1024, scene->pageable, 512, 512, 64,
                             ACL_MEMCPY_HOST_TO_DEVICE));
}

/* Several copies at once share the links. */
static void shared_links(struct scene *scene)
{
    for (size_t i = 0; i < FEW; i++) {
        aclrtStream stream = scene->streams[i];
        hold(scene, stream);
        size_t bytes = (size_t)BYTES / (i + 2);
        copy(scene->device, i % 3 == 0 ? scene->pinned : scene->other, bytes,
             i % 3 == 0 ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        open_gate(scene);
    }
    finish(scene);
}

/* What the host's calls cost, and what it costs to sleep until something is done. */
static void host(struct scene *scene)
{
    aclrtStream stream = scene->streams[0];
    aclrtStreamStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtStream fast;
    int32_t device;
    int id;
    BENCH_MUST(aclrtCreateStreamWithConfig(&fast, 0, ACL_STREAM_FAST_SYNC));
    for (int i = 0; i < 8; i++) {
        BENCH_MUST(aclrtGetDevice(&device));
        BENCH_MUST(aclrtStreamGetId(stream, &id));
        copy_in(scene, stream);
        record(scene, stream);
        BENCH_MUST(aclrtSynchronizeEvent(scene->event));
        BENCH_MUST(aclrtQueryEventStatus(scene->event, &recorded));
        BENCH_MUST(aclrtStreamQuery(stream, &status));
        copy_in(scene, stream);
        BENCH_MUST(aclrtSynchronizeDevice());
        copy_in(scene, fast);
        BENCH_MUST(aclrtSynchronizeStream(fast));
    }
    BENCH_MUST(aclrtDestroyStream(fast));
}

/* More flags are set than fit on the chip: the first ones have to be fetched. */
static void many_flags(struct scene *scene)
{
    static aclrtEvent flags[FLAGS];
    size_t made = 0;
    while (made < FLAGS && aclrtCreateEventWithFlag(&flags[made], ACL_EVENT_SYNC) == ACL_SUCCESS)
        made++;
    for (size_t i = 0; i < made; i++) {
        BENCH_MUST(aclrtRecordEvent(flags[i], scene->streams[0]));
        if (i % 1000 == 999)
            BENCH_MUST(aclrtSynchronizeStream(scene->streams[0]));
    }
    BENCH_MUST(aclrtSynchronizeStream(scene->streams[0]));
    hold(scene, scene->streams[1]);
    for (size_t i = 0; i < made && i < 24; i++)
        BENCH_MUST(aclrtStreamWaitEvent(scene->streams[1], flags[i]));
    open_gate(scene);
    finish(scene);
    for (size_t i = 0; i < made; i++)
        BENCH_MUST(aclrtDestroyEvent(flags[i]));
}

/* ---- the scene ------------------------------------------------------------------------------- */

static void left_out(const char *what)
{
    fprintf(stderr, "calibrate: this device has no %s, which is left out\n", what);
}

static void load_kernels(struct scene *scene)
{
    if (bench_load_kernels("empty_kernel.o", &scene->binary) == ACL_SUCCESS &&
        aclrtBinaryGetFunction(scene->binary, "pointers", &scene->kernel) == ACL_SUCCESS &&
        launch_blocks(scene, 1, scene->streams[0]) == ACL_SUCCESS &&
        aclrtSynchronizeStream(scene->streams[0]) == ACL_SUCCESS)
        return;
    scene->kernel = NULL;
    left_out("kernels of ours");
}

static void find_values(struct scene *scene)
{
    BENCH_MUST(aclrtMalloc((void **)&scene->word, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMemset(scene->word, 64, 0, 64));
    if (aclrtValueWrite(scene->word, 0, 0, scene->streams[0]) == ACL_SUCCESS)
        return;
    BENCH_MUST(aclrtFree(scene->word));
    scene->word = NULL;
    left_out("words that streams wait for");
}

static void set_up(struct scene *scene)
{
    while (scene->stream_count < STREAMS &&
           aclrtCreateStream(&scene->streams[scene->stream_count]) == ACL_SUCCESS)
        scene->stream_count++;
    BENCH_MUST(aclrtCreateStream(&scene->opener));
    bench_must(scene->stream_count >= FEW ? 0 : 1, "streams");
    BENCH_MUST(aclrtCreateNotify(&scene->gate, 0));
    BENCH_MUST(aclrtCreateNotify(&scene->notify, 0));
    BENCH_MUST(aclrtCreateNotify(&scene->back, 0));
    BENCH_MUST(aclrtCreateEventExWithFlag(&scene->event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE |
                                                             ACL_EVENT_CAPTURE_STREAM_PROGRESS));
    BENCH_MUST(aclrtCreateEventExWithFlag(&scene->untimed, ACL_EVENT_SYNC));
    BENCH_MUST(aclrtCreateEventExWithFlag(&scene->instant, ACL_EVENT_TIME_LINE));
    if (aclrtCreateEventWithFlag(&scene->flag, ACL_EVENT_SYNC) != ACL_SUCCESS)
        scene->flag = NULL;
    BENCH_MUST(aclrtMalloc((void **)&scene->device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMalloc((void **)&scene->other, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    BENCH_MUST(aclrtMallocHost((void **)&scene->pinned, BYTES));
    scene->pageable = calloc(1, BYTES);
    bench_must(scene->pageable ? 0 : 1, "memory");
    memset(scene->pinned, 1, BYTES);
    find_values(scene);
    load_kernels(scene);
}

static void tear_down(struct scene *scene)
{
    if (scene->binary)
        BENCH_MUST(aclrtBinaryUnLoad(scene->binary));
    if (scene->word)
        BENCH_MUST(aclrtFree(scene->word));
    free(scene->pageable);
    BENCH_MUST(aclrtFreeHost(scene->pinned));
    BENCH_MUST(aclrtFree(scene->other));
    BENCH_MUST(aclrtFree(scene->device));
    if (scene->flag)
        BENCH_MUST(aclrtDestroyEvent(scene->flag));
    BENCH_MUST(aclrtDestroyEvent(scene->instant));
    BENCH_MUST(aclrtDestroyEvent(scene->untimed));
    BENCH_MUST(aclrtDestroyEvent(scene->event));
    BENCH_MUST(aclrtDestroyNotify(scene->back));
    BENCH_MUST(aclrtDestroyNotify(scene->notify));
    BENCH_MUST(aclrtDestroyNotify(scene->gate));
    BENCH_MUST(aclrtDestroyStream(scene->opener));
    for (size_t i = 0; i < scene->stream_count; i++)
        BENCH_MUST(aclrtDestroyStream(scene->streams[i]));
}

void bench_calibrate(size_t repeats)
{
    static struct scene scene;
    struct bench_samples whole = {
        .name = "work for calibration", .unit = "us", .clock = BENCH_HOST};
    set_up(&scene);
    for (size_t i = 0; i < repeats && i < REPEATS_MOST; i++) {
        uint64_t begin = bench_now_ns();
        one_by_one(&scene);
        mixed(&scene);
        hops(&scene);
        polls(&scene);
        fan_out(&scene, FEW, fill);
        fan_out(&scene, 48, fill);
        fan_out(&scene, 48, copy_in);
        fan_out(&scene, 48, launch);
        fan_out(&scene, STREAMS, record_untimed);
        copies(&scene);
        shared_links(&scene);
        host(&scene);
        if (i == 1) /* long, and the same each time */
            many_flags(&scene);
        bench_add(&whole, (double)(bench_now_ns() - begin) / 1e3);
    }
    bench_print(&whole);
    tear_down(&scene);
}
