/* SPDX-License-Identifier: Apache-2.0 */
/* Optional parts of a recording: contents of host memory, time stamps of the wrapper. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_device.h"
#include "recording/reader.h"
#include "seam/wrapper.h"
#include "support/cunit_main.h"

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below);

static char path[64];
static const struct twin_backend *table;
static twin_hw_device *device;
static twin_queue *queue;
static uint32_t below_flags;                         /* of the backend, besides its own */
static twin_status (*below_abort)(twin_hw_device *); /* NULL: its own */

static void start(const char *data, const char *times)
{
    (void)snprintf(path, sizeof(path), "record_extra.%ld.rec", (long)getpid());
    static struct twin_backend below;
    below = fake_backend;
    below.flags |= below_flags;
    if (below_abort)
        below.device.abort = below_abort;
    table = twin_wrapper_entry(&below);
    fake_set("TWINRT_RECORD", path);
    fake_set("TWINRT_RECORD_DATA", data);
    fake_set("TWINRT_RECORD_TIMES", times);
    fake_status = TWIN_OK;
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_OK);
    table->device.open(0, &device);
    table->queue.create(device, &(twin_queue_config){.id = 1}, &queue);
}

static twin_recording *stop(void)
{
    char error[256];
    twin_recording *recording = NULL;
    table->queue.destroy(queue);
    table->device.close(device);
    table->process.stop();
    CU_ASSERT_EQUAL_FATAL(twin_recording_read(path, &recording, error, sizeof(error)),
                          TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    (void)unlink(path);
    return recording;
}

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* The content of the op that is number `which`, from 0, among those of its kind. */
static const unsigned char *content_of(const twin_recording *recording, unsigned kind,
                                       unsigned which, uint32_t *out_data, size_t *out_bytes)
{
    uint64_t seq = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_CONTENT content;
        if (entry->kind == kind && which-- == 0)
            seq = entry->begin_seq;
        if (seq == 0 || !TWIN_RECORDING_GET(entry, CONTENT, &content) || content.of_seq != seq)
            continue;
        *out_data = content.data;
        return twin_recording_data(recording, content.data, out_bytes);
    }
    return NULL;
}

static void test_copies_to_the_device_keep_their_bytes(void)
{
    unsigned char source[64];
    uint32_t first = 0;
    uint32_t second = 0;
    size_t bytes = 0;
    for (unsigned i = 0; i < sizeof(source); i++)
        source[i] = (unsigned char)(i * 3);
    start("on", "device");
    table->memory.copy(device,
                       &(twin_copy){.dst = 0x10000, .src = address_of(source), .bytes = 40});
    table->memory.copy(
        device,
        &(twin_copy){.dst = 0x10100, .src = address_of(source), .bytes = 40}); /* the same bytes */
    table->work.copy(queue,
                     &(twin_copy){.dst = 0x10000, .src = address_of(source) + 1, .bytes = 40});
    table->memory.copy(
        device,
        &(twin_copy){.dst = address_of(source), .src = 0x10000, .bytes = 8}); /* from the device */
    table->memory.copy_rows(device, &(twin_rows){.dst = 0x10000,
                                                 .src = address_of(source),
                                                 .dst_pitch = 5,
                                                 .src_pitch = 10,
                                                 .width = 3,
                                                 .height = 4});
    fake_status = TWIN_E_INVALID;
    table->memory.copy(device,
                       &(twin_copy){.dst = 0x10000, .src = 8, .bytes = 40}); /* it is never read */
    fake_status = TWIN_OK;
    twin_recording *recording = stop();

    const unsigned char *data = content_of(recording, TWIN_RECORD_MEMORY_COPY, 0, &first, &bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT_EQUAL(bytes, 40);
    CU_ASSERT_EQUAL(memcmp(data, source, 40), 0);
    CU_ASSERT_PTR_NOT_NULL(content_of(recording, TWIN_RECORD_MEMORY_COPY, 1, &second, &bytes));
    CU_ASSERT_EQUAL(first, second);
    data = content_of(recording, TWIN_RECORD_WORK_COPY, 0, &second, &bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT_NOT_EQUAL(first, second);
    CU_ASSERT_EQUAL(memcmp(data, source + 1, 40), 0);
    CU_ASSERT_PTR_NULL(content_of(recording, TWIN_RECORD_MEMORY_COPY, 2, &second, &bytes));
    CU_ASSERT_PTR_NULL(content_of(recording, TWIN_RECORD_MEMORY_COPY, 3, &second, &bytes));
    data = content_of(recording, TWIN_RECORD_MEMORY_COPY_ROWS, 0, &second, &bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT_EQUAL_FATAL(bytes, 12);
    for (unsigned i = 0; i < 12; i++)
        CU_ASSERT_EQUAL(data[i], source[i / 3 * 10 + i % 3]);
    unsigned contents = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        contents += twin_recording_at(recording, i)->kind == TWIN_RECORD_DATA;
    CU_ASSERT_EQUAL(contents, 3);
    twin_recording_free(recording);
}

enum { PAGE = 4096 };
static unsigned char *shifting; /* two pages; the second cannot be read yet */

/* The reader has come to the second page: the first one changes meanwhile. */
static void on_second_page(int number)
{
    (void)number;
    (void)mprotect(shifting, (size_t)2 * PAGE, PROT_READ | PROT_WRITE);
    shifting[0] = 2;
}

static void test_bytes_that_change_while_they_are_kept(void)
{
    uint32_t number = 0;
    size_t bytes = 0;
    struct sigaction before, ours = {.sa_handler = on_second_page};
    shifting =
        mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_FATAL(shifting != MAP_FAILED);
    start("on", "device");
    shifting[0] = 1;
    (void)mprotect(shifting + PAGE, PAGE, PROT_NONE);
    (void)sigaction(SIGSEGV, &ours, &before);
    table->memory.copy(
        device, &(twin_copy){.dst = 0x10000, .src = address_of(shifting), .bytes = 2 * PAGE});
    (void)sigaction(SIGSEGV, &before, NULL);
    CU_ASSERT_EQUAL(shifting[0], 2);
    for (unsigned char i = 1; i < 3; i++) {
        shifting[0] = i;
        table->memory.copy(
            device, &(twin_copy){.dst = 0x10000, .src = address_of(shifting), .bytes = 2 * PAGE});
    }
    twin_recording *recording = stop();
    for (unsigned i = 1; i < 3; i++) {
        const unsigned char *data =
            content_of(recording, TWIN_RECORD_MEMORY_COPY, i, &number, &bytes);
        CU_ASSERT(data && data[0] == i);
    }
    twin_recording_free(recording);
    (void)munmap(shifting, (size_t)2 * PAGE);
}

static size_t copy_at(const twin_recording *recording, unsigned which)
{
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        if (twin_recording_at(recording, i)->kind == TWIN_RECORD_WORK_COPY && which-- == 0)
            return i;
    return TWIN_RECORDING_NONE;
}

static void test_stamps_give_the_end_of_work(void)
{
    struct twin_recording_times times;
    fake_reports_tasks = false;
    fake_stamped = false;
    start("off", "events");
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    table->queue.drain(queue, 0); /* the time is not there yet */
    fake_status = TWIN_E_BUSY;    /* nothing was queued, so nothing is stamped */
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    fake_status = TWIN_OK;
    fake_stamped = true;
    table->queue.drain(queue, TWIN_FOREVER);
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    twin_recording *recording = stop();

    CU_ASSERT_NOT_EQUAL_FATAL(copy_at(recording, 2), TWIN_RECORDING_NONE);
    twin_recording_times(recording, copy_at(recording, 0), &times);
    CU_ASSERT_TRUE(times.ended);
    CU_ASSERT_FALSE(times.begun);
    CU_ASSERT_EQUAL(times.end_ns, 4242);
    twin_recording_times(recording, copy_at(recording, 1), &times);
    CU_ASSERT_FALSE(times.ended);
    twin_recording_times(recording, copy_at(recording, 2), &times);
    CU_ASSERT_TRUE(times.ended);
    struct twin_record_QUEUE_DESTROY destroyed = {0}; /* which looks for stamps first */
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        (void)TWIN_RECORDING_GET(twin_recording_at(recording, i), QUEUE_DESTROY, &destroyed);
    CU_ASSERT_EQUAL(destroyed.queue, 1);
    /* records of the wrapper's own are no calls of the core */
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        CU_ASSERT_NOT_EQUAL(twin_recording_at(recording, i)->kind, TWIN_RECORD_WORK_RECORD);
        CU_ASSERT_NOT_EQUAL(twin_recording_at(recording, i)->kind, TWIN_RECORD_SIGNAL_CREATE);
    }
    twin_recording_free(recording);
}

static void test_more_work_than_stamps(void)
{
    enum { WORK = 3000 };
    fake_reports_tasks = false;
    fake_stamped = false;
    start("off", "events");
    for (unsigned i = 0; i < WORK; i++)
        table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    fake_stamped = true;
    table->queue.drain(queue, TWIN_FOREVER);
    twin_recording *recording = stop();
    unsigned stamped = 0;
    for (unsigned i = 0; i < WORK; i++) {
        struct twin_recording_times times;
        twin_recording_times(recording, copy_at(recording, i), &times);
        stamped += times.ended;
    }
    CU_ASSERT_EQUAL(stamped, 1024); /* the rest went without */
    twin_recording_free(recording);
    fake_reports_tasks = true;
}

static void test_times_come_from_tasks(void)
{
    struct twin_recording_times times;
    fake_reports_tasks = true;
    start("off", "device");
    table->work.copy_rows(queue, &(twin_rows){.dst = 0x10000,
                                              .src = 0x10008,
                                              .dst_pitch = 8,
                                              .src_pitch = 8,
                                              .width = 8,
                                              .height = 2});
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    uint64_t first = table->diag.newest_task(queue) - 2; /* the rows are two tasks */
    fake_task_ends(&(twin_task_end){.number = first, .begin_ns = 100, .end_ns = 150});
    fake_task_ends(&(twin_task_end){
        .number = first + 1, .begin_ns = 140, .end_ns = 260, .status = TWIN_E_COPY});
    twin_recording *recording = stop();
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        twin_recording_times(recording, i, &times);
        if (twin_recording_at(recording, i)->kind == TWIN_RECORD_WORK_COPY_ROWS) {
            CU_ASSERT(times.begun && times.ended);
            CU_ASSERT_EQUAL(times.begin_ns, 100);
            CU_ASSERT_EQUAL(times.end_ns, 260);
            CU_ASSERT_EQUAL(times.status, TWIN_E_COPY);
        } else {
            CU_ASSERT_FALSE(times.begun || times.ended);
        }
    }
    twin_recording_free(recording);
}

/* A brief call has 24 bits of nanoseconds since the base: some 17 ms. */
/* Short entries hold 32 bits of what differs; the rest is written whole. */
static void test_tasks_far_from_their_base(void)
{
    static const uint64_t apart[] = {
        0,          (1ull << 31) - 1, 1ull << 31, (1ull << 31) + 1, (1ull << 32) - 1,
        1ull << 32, 1ull << 40};
    const size_t count = TWIN_COUNT(apart);
    const uint64_t middle = 1ull << 41;
    size_t seen = 0;
    below_flags = TWIN_BACKEND_CONDUCTED;
    fake_reports_tasks = true;
    start("off", "device");
    table->host.advance(middle - table->host.now());
    for (size_t i = 0; i < count * 3; i++) {
        const uint64_t by = apart[i / 3];
        const uint64_t begin = i % 3 == 1 ? middle - by : i % 3 == 0 ? middle + by : middle;
        table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
        fake_task_ends(&(twin_task_end){.number = table->diag.newest_task(queue) - 1,
                                        .begin_ns = begin,
                                        .end_ns = i % 3 == 2 ? begin + by : begin + 7});
    }
    below_flags = 0;
    fake_reports_tasks = false;
    twin_recording *recording = stop();
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        struct twin_record_TASK task;
        if (!TWIN_RECORDING_GET(twin_recording_at(recording, i), TASK, &task))
            continue;
        const uint64_t by = apart[seen / 3 % count];
        const uint64_t begin = seen % 3 == 1 ? middle - by : seen % 3 == 0 ? middle + by : middle;
        CU_ASSERT_EQUAL(task.task_begin_ns, begin);
        CU_ASSERT_EQUAL(task.task_end_ns, seen % 3 == 2 ? begin + by : begin + 7);
        seen++;
    }
    CU_ASSERT_EQUAL(seen, count * 3);
    twin_recording_free(recording);
}

static void test_calls_far_apart(void)
{
    const uint64_t apart = 6000000000u;
    uint64_t begun[2] = {0, 0};
    unsigned copies = 0;
    below_flags = TWIN_BACKEND_CONDUCTED;
    start("off", "device");
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    table->host.advance(apart);
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    below_flags = 0;
    twin_recording *recording = stop();
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (entry->kind == TWIN_RECORD_WORK_COPY && copies < 2)
            begun[copies++] = entry->begin_ns;
    }
    CU_ASSERT_EQUAL(copies, 2);
    CU_ASSERT(begun[1] >= begun[0] + apart && begun[1] < begun[0] + apart + 1000000);
    twin_recording_free(recording);
}

/* ---- another backend after one that did not start -------------------------------------------- */

static twin_host_moment second_moment = {.at_ns = 5000};

static twin_host_moment *second_self(void)
{
    return &second_moment;
}

static uint64_t second_now(void)
{
    return second_moment.at_ns;
}

static twin_status start_without_device(const twin_services *services)
{
    (void)services;
    return TWIN_E_NO_DEVICE;
}

static void test_a_second_backend_has_its_own_moment(void)
{
    static const twin_call call = {"aclrtMalloc", TWIN_COST_MEMORY};
    static struct twin_backend first, second;
    uint64_t begun = 0;
    (void)snprintf(path, sizeof(path), "record_extra.%ld.rec", (long)getpid());
    fake_set("TWINRT_RECORD", path);
    fake_status = TWIN_OK;
    first = second = fake_backend;
    first.process.start = start_without_device;
    second.flags |= TWIN_BACKEND_CONDUCTED;
    second.host.self = second_self;
    second.host.now = second_now;
    table = twin_wrapper_entry(&first);
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_E_NO_DEVICE);
    table = twin_wrapper_entry(&second);
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_OK);
    table->device.open(0, &device);
    table->queue.create(device, &(twin_queue_config){.id = 1}, &queue);
    CU_ASSERT(second_moment.recorded == 1 && second_moment.entry != 0);
    second_moment.at_ns = 9000;
    table->host.enter(&call);
    table->host.leave(&call, 0);
    twin_recording *recording = stop();
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        if (twin_recording_at(recording, i)->kind == TWIN_RECORD_HOST_CALL)
            begun = twin_recording_at(recording, i)->begin_ns;
    CU_ASSERT_EQUAL(begun, 9000);
    twin_recording_free(recording);
}

/* ---- killed when a second thread joins ------------------------------------------------------- */

static int
    in_call[2]; /* a pipe: the first thread is in a call, which has met things that are logged */
static int joins[2]; /* a pipe: the second thread is about to join */

static twin_status abort_without_end(twin_hw_device *of)
{
    (void)fake_backend.device.abort(of);
    (void)!write(in_call[1], "x", 1);
    for (;;)
        (void)pause();
    return TWIN_OK;
}

static void *run_second(void *kills)
{
    static const twin_call call = {"aclrtMalloc", TWIN_COST_MEMORY};
    char byte;
    (void)!read(in_call[0], &byte, 1);
    (void)!write(joins[1], "x", 1);
    table->host.attach();
    if (kills)
        (void)kill(getpid(), SIGKILL);
    for (;;) {
        table->host.enter(&call);
        table->host.leave(&call, 0);
    }
    return NULL;
}

/* The recording of a process that is killed by its second thread or, with `after_us`, so long after
 * that begins to join. */
static twin_recording *killed_recording(unsigned after_us)
{
    char name[64];
    char error[256];
    char byte;
    twin_recording *recording = NULL;
    CU_ASSERT_FATAL(pipe(in_call) == 0 && pipe(joins) == 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t second;
        below_flags = TWIN_BACKEND_CONDUCTED;
        below_abort = abort_without_end;
        start("off", "device");
        (void)pthread_create(&second, NULL, run_second, after_us == 0 ? &second : NULL);
        table->device.abort(device);
        _exit(1);
    }
    (void)!read(joins[0], &byte, 1);
    if (after_us > 0) {
        (void)usleep(after_us);
        (void)kill(child, SIGKILL);
    }
    (void)waitpid(child, NULL, 0);
    for (unsigned i = 0; i < 2; i++)
        (void)(close(in_call[i]) + close(joins[i]));
    (void)snprintf(name, sizeof(name), "record_extra.%ld.rec", (long)child);
    CU_ASSERT_EQUAL_FATAL(twin_recording_read(name, &recording, error, sizeof(error)),
                          TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    (void)unlink(name);
    return recording;
}

/* When the header has a number from which all is logged, the entries of the call in progress are
 * there; else there is no other thread. */
static void test_killed_when_a_second_thread_joins(void)
{
    for (unsigned round = 0; round < 40; round++) {
        twin_recording *recording = killed_recording(round < 5 ? 0 : (round - 5) * 20 + 1);
        const uint64_t from = twin_recording_header(recording)->nd_from;
        uint64_t met = 0;
        uint32_t threads = 0;
        for (size_t i = 0; i < twin_recording_count(recording); i++) {
            const struct twin_record_entry *entry = twin_recording_at(recording, i);
            if (entry->kind == TWIN_RECORD_SEEN || entry->kind == TWIN_RECORD_WATCHED ||
                entry->kind == TWIN_RECORD_MOVED || entry->kind == TWIN_RECORD_ND)
                met |= (uint64_t)1 << entry->kind;
            threads = entry->thread > threads ? entry->thread : threads;
        }
        const uint64_t all = (uint64_t)1 << TWIN_RECORD_SEEN | (uint64_t)1 << TWIN_RECORD_WATCHED |
                             (uint64_t)1 << TWIN_RECORD_MOVED | (uint64_t)1 << TWIN_RECORD_ND;
        CU_ASSERT(from != 0 ? met == all : threads == 1);
        CU_ASSERT(round >= 5 || from != 0);
        twin_recording_free(recording);
    }
}

/* ---- a second thread joins while the first one calls ----------------------------------------- */

static _Atomic bool joined;

static void *join_late(void *delay)
{
    static const twin_call call = {"aclrtMalloc", TWIN_COST_MEMORY};
    for (volatile unsigned i = 0; i < *(const unsigned *)delay; i++)
        continue;
    table->host.attach();
    for (unsigned i = 0; i < 100; i++) {
        table->host.enter(&call);
        (void)table->host.last_task();
        table->host.leave(&call, 0);
    }
    joined = true;
    return NULL;
}

/* All entries of the first thread in a call that had not ended when the log began; each number
 * once. */
static void check_log(const twin_recording *recording)
{
    const uint64_t from = twin_recording_header(recording)->nd_from;
    uint64_t end = 0; /* of the last call of the device that is to have all */
    unsigned met = 4, calls = 0;
    CU_ASSERT_NOT_EQUAL(from, 0);
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        CU_ASSERT(i == 0 || entry->begin_seq > twin_recording_at(recording, i - 1)->begin_seq);
        CU_ASSERT_TRUE(twin_recording_ended(entry));
        calls += entry->kind == TWIN_RECORD_HOST_CALL;
        if (entry->thread != 1)
            continue;
        if (entry->kind == TWIN_RECORD_DEVICE_ABORT && entry->end_seq > from) {
            CU_ASSERT_EQUAL(met, 4);
            met = 0;
            end = entry->end_seq;
        }
        met += entry->begin_seq < end &&
               (entry->kind == TWIN_RECORD_SEEN || entry->kind == TWIN_RECORD_WATCHED ||
                entry->kind == TWIN_RECORD_MOVED || entry->kind == TWIN_RECORD_ND);
    }
    CU_ASSERT_EQUAL(met, 4);
    CU_ASSERT(calls >= 100);
}

static void test_a_second_thread_joins_while_the_first_calls(void)
{
    static const twin_call call = {"aclrtDeviceTaskAbort", TWIN_COST_DEVICE};
    for (unsigned round = 0; round < 60; round++) {
        pthread_t second;
        unsigned delay = round * 500;
        joined = false;
        below_flags = TWIN_BACKEND_CONDUCTED;
        start("off", "device");
        below_flags = 0;
        CU_ASSERT_EQUAL_FATAL(pthread_create(&second, NULL, join_late, &delay), 0);
        while (!joined) {
            table->host.enter(&call);
            table->device.abort(device);
            table->host.leave(&call, 0);
        }
        pthread_join(second, NULL);
        twin_recording *recording = stop();
        check_log(recording);
        twin_recording_free(recording);
    }
}

static const twin_test tests[] = {
    {"a backend after one that did not start has its own moment",
     test_a_second_backend_has_its_own_moment},
    {"a log that begins while a thread calls has all of its call",
     test_a_second_thread_joins_while_the_first_calls},
    {"a process that is killed when a second thread joins leaves a log of all or of none",
     test_killed_when_a_second_thread_joins},
    {"calls that are seconds apart keep their times", test_calls_far_apart},
    {"tasks that begin far from their base keep their times", test_tasks_far_from_their_base},
    {"copies to the device keep their bytes, equal ones once",
     test_copies_to_the_device_keep_their_bytes},
    {"bytes that change while they are kept are not mistaken for others",
     test_bytes_that_change_while_they_are_kept},
    {"stamps give the end of work", test_stamps_give_the_end_of_work},
    {"work that finds no stamp goes without", test_more_work_than_stamps},
    {"times of an op come from its tasks", test_times_come_from_tasks},
};

int main(int argc, char **argv)
{
    return twin_run_suite("record_extra", tests, TWIN_COUNT(tests), argc, argv);
}
