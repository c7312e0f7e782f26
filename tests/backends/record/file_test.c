/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a record: what is there whatever happens. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static twin_status start_at(const char *where)
{
    table = twin_wrapper_entry(&fake_backend);
    fake_set("TWINRT_RECORD", where);
    fake_forget();
    fake_status = TWIN_OK;
    return table->process.start(&fake_services);
}

static void start(void)
{
    (void)snprintf(path, sizeof(path), "record_file.%ld.rec", (long)getpid());
    CU_ASSERT_EQUAL_FATAL(start_at(path), TWIN_OK);
    table->device.open(0, &device);
}

static void stop(void)
{
    table->device.close(device);
    table->process.stop();
}

static twin_queue *new_queue(uint32_t id)
{
    twin_queue *queue = NULL;
    table->queue.create(device, &(twin_queue_config){.id = id}, &queue);
    return queue;
}

static void copy(twin_queue *queue, uint64_t number)
{
    table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = number, .bytes = 8});
}

/* Inside a public call. A chunk that is nearly full when one begins is emptied. */
static void copy_in_call(twin_queue *queue, uint64_t number)
{
    static const twin_call call = {"aclrtMemcpyAsync", TWIN_COST_SUBMIT};
    table->host.enter(&call);
    copy(queue, number);
    table->host.leave(&call, 0);
}

static twin_recording *read_file(const char *where)
{
    char error[256] = "";
    twin_recording *recording = NULL;
    enum twin_recording_result result =
        twin_recording_read(where, &recording, error, sizeof(error));
    if (result != TWIN_RECORDING_OK)
        fprintf(stderr, "%s\n", error);
    CU_ASSERT_EQUAL_FATAL(result, TWIN_RECORDING_OK);
    return recording;
}

/* Copies whose source is their number; they come in this order. */
static uint64_t count_copies(const twin_recording *recording)
{
    uint64_t count = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        struct twin_record_WORK_COPY fields;
        if (!TWIN_RECORDING_GET(twin_recording_at(recording, i), WORK_COPY, &fields))
            continue;
        CU_ASSERT_EQUAL(fields.src, count);
        count++;
    }
    return count;
}

/* ---- sizes, sessions, threads ---------------------------------------------------------------- */

static void test_many_chunks_come_back_in_order(void)
{
    enum { COPIES = 20000 };
    start();
    twin_queue *queue = new_queue(1);
    for (uint64_t i = 0; i < COPIES; i++)
        copy(queue, i);
    table->queue.destroy(queue);
    stop();
    twin_recording *recording = read_file(path);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    CU_ASSERT_EQUAL(twin_recording_header(recording)->state, TWIN_RECORD_CLOSED);
    CU_ASSERT_EQUAL(count_copies(recording), COPIES);
    struct stat status;
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 07777, 0600);
    /* room that was reserved ahead is released */
    CU_ASSERT_EQUAL(status.st_size,
                    TWIN_RECORD_HEADER_BYTES + (off_t)(twin_recording_header(recording)->chunks *
                                                       TWIN_RECORD_CHUNK_BYTES));
    for (size_t i = 0; i < twin_recording_count(recording); i += 97)
        CU_ASSERT_EQUAL(twin_recording_find(recording, twin_recording_at(recording, i)->begin_seq),
                        i);
    CU_ASSERT_EQUAL(twin_recording_find(recording, 0), TWIN_RECORDING_NONE);
    twin_recording_free(recording);
    (void)unlink(path);
}

/* Each of the copies and their calls is there once; `least`: at least as many copies. */
static void check_calls(const char *where, uint64_t least, uint64_t damage)
{
    twin_recording *recording = read_file(where);
    uint64_t calls = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        calls += twin_recording_at(recording, i)->kind == TWIN_RECORD_HOST_CALL;
    const uint64_t copies = count_copies(recording);
    CU_ASSERT(copies >= least);
    CU_ASSERT(calls == copies || (damage > 0 && calls == copies + 1));
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), damage);
    twin_recording_free(recording);
}

static uint64_t place_of(uint64_t index)
{
    return TWIN_RECORD_HEADER_BYTES + index * TWIN_RECORD_CHUNK_BYTES;
}

static void test_full_chunks_are_emptied(void)
{
    enum { COPIES = 20000 };
    start();
    twin_queue *queue = new_queue(1);
    for (uint64_t i = 0; i < COPIES; i++)
        copy_in_call(queue, i);
    table->queue.destroy(queue);
    stop();
    check_calls(path, COPIES, 0);

    int file = open(path, O_RDWR | O_CLOEXEC);
    CU_ASSERT_FATAL(file >= 0);
    struct twin_record_chunk first, last;
    char *bytes = malloc(TWIN_RECORD_CHUNK_BYTES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    CU_ASSERT_EQUAL(pread(file, &first, sizeof(first), (off_t)place_of(0)), sizeof(first));
    CU_ASSERT_FATAL(first.follows > 5);
    const uint64_t index = first.follows - 1;
    CU_ASSERT_EQUAL(pread(file, bytes, TWIN_RECORD_CHUNK_BYTES, (off_t)place_of(index)),
                    TWIN_RECORD_CHUNK_BYTES);
    memcpy(&last, bytes, sizeof(last));
    CU_ASSERT_EQUAL(last.index, index);
    CU_ASSERT_EQUAL(last.follows, index);
    CU_ASSERT(last.used > TWIN_RECORD_CHUNK_BYTES - 8192);

    /* as a process leaves it that ends before it has emptied the chunk */
    last.index = 0;
    memcpy(bytes, &last, sizeof(last));
    CU_ASSERT_EQUAL(pwrite(file, bytes, TWIN_RECORD_CHUNK_BYTES, (off_t)place_of(0)),
                    TWIN_RECORD_CHUNK_BYTES);
    check_calls(path, COPIES - TWIN_RECORD_CHUNK_BYTES / 200, 0);

    /* what came after a part that is missing is left out */
    CU_ASSERT_EQUAL(ftruncate(file, (off_t)place_of(index - 1)), 0);
    check_calls(path, 1000, 1);
    (void)close(file);
    free(bytes);
    (void)unlink(path);
}

static void test_long_entries_have_their_own_chunks(void)
{
    enum { LONG = 300000 };
    char *name = malloc(LONG + 1);
    if (!name)
        abort();
    memset(name, 'n', LONG);
    name[LONG] = '\0';
    start();
    twin_queue *queue = new_queue(1);
    copy(queue, 0);
    fake_status = TWIN_E_UNSUPPORTED; /* this kernel is not kept */
    table->work.launch(queue, &(twin_launch){.name = name, .blocks = 1, .weight = 1});
    fake_status = TWIN_OK;
    copy(queue, 1);
    table->queue.destroy(queue);
    stop();
    twin_recording *recording = read_file(path);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    CU_ASSERT_EQUAL(count_copies(recording), 2);
    bool found = false;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (entry->kind != TWIN_RECORD_WORK_LAUNCH)
            continue;
        found = true;
        CU_ASSERT_STRING_EQUAL(twin_recording_text(entry, 0), name);
        CU_ASSERT_TRUE(twin_recording_ended(entry));
        CU_ASSERT_STRING_EQUAL(twin_recording_status(recording, entry->status),
                               "TWIN_E_UNSUPPORTED");
    }
    CU_ASSERT_TRUE(found);
    twin_recording_free(recording);
    free(name);
    (void)unlink(path);
}

static void test_starts_are_sessions_of_one_file(void)
{
    start();
    stop();
    start();
    table->queue.destroy(new_queue(7));
    stop();
    fake_status = TWIN_E_UNAVAILABLE;
    CU_ASSERT_EQUAL(table->process.start(&fake_services), TWIN_E_UNAVAILABLE);
    fake_status = TWIN_OK;
    twin_recording *recording = read_file(path);
    unsigned sessions = 0;
    uint16_t last = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        struct twin_record_PROCESS_START fields;
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (!TWIN_RECORDING_GET(entry, PROCESS_START, &fields))
            continue;
        CU_ASSERT_EQUAL(fields.session, ++sessions);
        CU_ASSERT_STRING_EQUAL(twin_recording_text(entry, 0), "fake");
        last = entry->status;
    }
    CU_ASSERT_EQUAL(sessions, 3);
    CU_ASSERT_STRING_EQUAL(twin_recording_status(recording, last), "TWIN_E_UNAVAILABLE");
    twin_recording_free(recording);
    (void)unlink(path);
}

enum { THREADS = 4, ROUNDS = 5000 };

static void *thread_run(void *argument)
{
    twin_queue *queue = argument;
    table->host.attach();
    for (uint64_t i = 0; i < ROUNDS; i++)
        copy_in_call(queue, i);
    table->host.detach();
    return NULL;
}

/* ---- another file ---------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned turn; /* guarded by lock */
} pace = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void pass_turn(unsigned turn)
{
    pthread_mutex_lock(&pace.lock);
    pace.turn = turn;
    pthread_cond_broadcast(&pace.changed);
    pthread_mutex_unlock(&pace.lock);
}

static void await_turn(unsigned turn)
{
    pthread_mutex_lock(&pace.lock);
    while (pace.turn != turn)
        pthread_cond_wait(&pace.changed, &pace.lock);
    pthread_mutex_unlock(&pace.lock);
}

static void one_call(void)
{
    static const twin_call call = {"aclrtMemcpyAsync", TWIN_COST_SUBMIT};
    uint64_t free_bytes, total_bytes;
    table->host.enter(&call);
    table->memory.space(device, 0, &free_bytes, &total_bytes);
    table->host.leave(&call, 0);
}

/* Turns 1 and 3 are its own. */
static void *thread_of_two_files(void *argument)
{
    (void)argument;
    await_turn(1);
    table->host.attach();
    one_call();
    pass_turn(2);
    await_turn(3);
    (void)table->host.last_task(); /* outside all calls */
    one_call();
    pass_turn(4);
    return NULL;
}

/* The calls there, all of them ended, and how many questions stand outside. */
static unsigned calls_in(const char *where, unsigned wanted_outside)
{
    unsigned calls = 0, spaces = 0, outside = 0;
    twin_recording *recording = read_file(where);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_HOST_CALL fields;
        spaces += entry->kind == TWIN_RECORD_MEMORY_SPACE;
        outside += entry->kind == TWIN_RECORD_HOST_LAST_TASK;
        if (!TWIN_RECORDING_GET(entry, HOST_CALL, &fields))
            continue;
        CU_ASSERT_TRUE(twin_recording_ended(entry));
        CU_ASSERT_EQUAL(fields.depth, 0);
        calls++;
    }
    CU_ASSERT_EQUAL(calls, spaces);
    CU_ASSERT_EQUAL(outside, wanted_outside);
    twin_recording_free(recording);
    return calls;
}

static void test_threads_go_on_in_the_new_file(void)
{
    char other[80];
    pthread_t thread;
    start();
    (void)snprintf(other, sizeof(other), "%s.2", path);
    pthread_create(&thread, NULL, thread_of_two_files, NULL);
    pass_turn(1);
    await_turn(2);
    stop();
    CU_ASSERT_EQUAL_FATAL(start_at(other), TWIN_OK);
    table->device.open(0, &device);
    one_call(); /* the call has its name already when the thread comes */
    pass_turn(3);
    await_turn(4);
    pthread_join(thread, NULL);
    stop();
    CU_ASSERT_EQUAL(calls_in(path, 0), 1);
    CU_ASSERT_EQUAL(calls_in(other, 1), 2);
    (void)unlink(path);
    (void)unlink(other);
}

/* Each sequence number once, and each thread's entries in its own order. */
static void check_threads(const twin_recording *recording)
{
    uint64_t next[THREADS + 2] = {0};
    unsigned calls = 0;
    size_t count = twin_recording_count(recording);
    uint64_t newest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_WORK_COPY fields;
        struct twin_record_HOST_CALL call;
        CU_ASSERT_TRUE(twin_recording_ended(entry));
        CU_ASSERT(i == 0 || entry->begin_seq > twin_recording_at(recording, i - 1)->begin_seq);
        newest = entry->end_seq > newest ? entry->end_seq : newest;
        if (TWIN_RECORDING_GET(entry, WORK_COPY, &fields)) {
            CU_ASSERT_FATAL(fields.queue <= THREADS);
            CU_ASSERT_EQUAL(fields.src, next[fields.queue]);
            next[fields.queue] = fields.src + 1;
        } else if (TWIN_RECORDING_GET(entry, HOST_CALL, &call)) {
            CU_ASSERT_STRING_EQUAL(twin_recording_string(recording, call.name), "aclrtMemcpyAsync");
            calls++;
        }
    }
    for (unsigned i = 1; i <= THREADS; i++)
        CU_ASSERT_EQUAL(next[i], ROUNDS);
    CU_ASSERT_EQUAL(calls, THREADS * ROUNDS);
    CU_ASSERT(newest <= 2 * count + 1024); /* what the first thread had for itself */
}

static void test_threads_write_side_by_side(void)
{
    pthread_t threads[THREADS];
    twin_queue *queues[THREADS];
    start();
    for (unsigned i = 0; i < THREADS; i++)
        queues[i] = new_queue(i);
    for (unsigned i = 0; i < THREADS; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, thread_run, queues[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        table->queue.destroy(queues[i]);
    stop();
    twin_recording *recording = read_file(path);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    check_threads(recording);
    twin_recording_free(recording);
    (void)unlink(path);
}

static void *short_run(void *argument)
{
    (void)argument;
    table->host.attach();
    table->host.detach();
    return NULL;
}

static void test_threads_that_end_leave_their_room_to_others(void)
{
    start();
    for (unsigned i = 0; i < 200; i++) {
        pthread_t thread;
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, short_run, NULL), 0);
        pthread_join(thread, NULL);
    }
    stop();
    twin_recording *recording = read_file(path);
    CU_ASSERT(twin_recording_header(recording)->chunks < 8);
    uint32_t highest = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        if (twin_recording_at(recording, i)->thread > highest)
            highest = twin_recording_at(recording, i)->thread;
    CU_ASSERT_EQUAL(highest, 201);
    twin_recording_free(recording);
    (void)unlink(path);
}

/* ---- unplanned ends -------------------------------------------------------------------------- */

/* In a child: records copies without end, and writes a byte to `out` for each that has returned. */
static void record_until_killed(int out)
{
    start();
    twin_queue *queue = new_queue(1);
    for (uint64_t i = 0;; i++) {
        copy_in_call(queue, i);
        if (write(out, "x", 1) != 1)
            _exit(1);
    }
}

static void test_what_was_finished_outlives_a_kill(void)
{
    for (int round = 0; round < 5; round++) {
        int ends[2];
        CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0)
            record_until_killed(ends[1]);
        (void)close(ends[1]);
        uint64_t returned = 0;
        char byte;
        while (returned < 1500u * (unsigned)(round + 1) && read(ends[0], &byte, 1) == 1)
            returned++;
        CU_ASSERT_EQUAL(kill(child, SIGKILL), 0);
        while (read(ends[0], &byte, 1) == 1)
            returned++;
        (void)waitpid(child, NULL, 0);
        (void)close(ends[0]);
        char name[64];
        (void)snprintf(name, sizeof(name), "record_file.%ld.rec", (long)child);
        twin_recording *recording = read_file(name);
        CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
        CU_ASSERT_EQUAL(twin_recording_header(recording)->state, TWIN_RECORD_OPEN);
        uint64_t copies = count_copies(recording);
        CU_ASSERT(copies == returned || copies == returned + 1);
        twin_recording_free(recording);
        (void)unlink(name);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static void refuse(const char *where, const char *reason)
{
    CU_ASSERT_EQUAL(start_at(where), TWIN_OK); /* the program goes on */
    CU_ASSERT_TRUE(fake_logged("nothing is recorded"));
    CU_ASSERT_TRUE(fake_logged(reason));
    table->process.stop();
}

static void test_only_regular_files_are_replaced(void)
{
    CU_ASSERT_EQUAL(mkdir("record_file.dir", 0700), 0);
    CU_ASSERT_EQUAL(mkfifo("record_file.fifo", 0600), 0);
    CU_ASSERT_EQUAL(symlink("record_file.target", "record_file.link"), 0);
    refuse("record_file.dir", "directory");
    refuse("record_file.fifo", "it is not a regular file");
    refuse("record_file.link", "it is a symbolic link");
    refuse("record_file.none/x", "No such file");
    CU_ASSERT_EQUAL(access("record_file.target", F_OK), -1);
    CU_ASSERT_EQUAL(rmdir("record_file.dir"), 0);
    CU_ASSERT_EQUAL(unlink("record_file.fifo"), 0);
    CU_ASSERT_EQUAL(unlink("record_file.link"), 0);
    int file = open("record_file.old", O_CREAT | O_WRONLY, 0644);
    CU_ASSERT_EQUAL(write(file, "old", 3), 3);
    (void)close(file);
    CU_ASSERT_EQUAL(start_at("record_file.old"), TWIN_OK);
    table->process.stop();
    twin_recording_free(read_file("record_file.old"));
    struct stat status;
    CU_ASSERT_EQUAL(stat("record_file.old", &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 07777, 0600);
    (void)unlink("record_file.old");
}

static void test_processes_do_not_share_a_file(void)
{
    char own[64];
    char other[128];
    start();
    int status = 0;
    (void)snprintf(own, sizeof(own), "%s", path);
    pid_t child = fork();
    if (child == 0) { /* as a program that this one starts, with the same environment */
        bool good = start_at(own) == TWIN_OK;
        table->process.stop();
        _exit(good && fake_logged("is recorded in") ? 0 : 1);
    }
    (void)waitpid(child, &status, 0);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    stop();
    (void)snprintf(other, sizeof(other), "%s.%ld", own, (long)child);
    twin_recording_free(read_file(own));
    twin_recording_free(read_file(other));
    (void)unlink(own);
    (void)unlink(other);
    CU_ASSERT_EQUAL(start_at("record_file.%p.named"), TWIN_OK);
    table->process.stop();
    (void)snprintf(own, sizeof(own), "record_file.%ld.named", (long)getpid());
    twin_recording_free(read_file(own));
    (void)unlink(own);
}

static const twin_test tests[] = {
    {"many chunks come back in order, and the file has its length",
     test_many_chunks_come_back_in_order},
    {"full chunks are emptied, and nothing is missing or there twice",
     test_full_chunks_are_emptied},
    {"a long entry has its own chunk", test_long_entries_have_their_own_chunks},
    {"starts of one process are sessions of one file", test_starts_are_sessions_of_one_file},
    {"threads go on in the file that is there now", test_threads_go_on_in_the_new_file},
    {"threads write side by side", test_threads_write_side_by_side},
    {"threads that end leave their room to others",
     test_threads_that_end_leave_their_room_to_others},
    {"finished entries outlive a kill", test_what_was_finished_outlives_a_kill},
    {"only regular files are replaced", test_only_regular_files_are_replaced},
    {"processes do not share a file", test_processes_do_not_share_a_file},
};

int main(int argc, char **argv)
{
    return twin_run_suite("record_file", tests, TWIN_COUNT(tests), argc, argv);
}
