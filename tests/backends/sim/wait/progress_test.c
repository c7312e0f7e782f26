/* SPDX-License-Identifier: Apache-2.0 */
/* Progress without a caller: effects that the host can see happen although no thread calls, and
 * nothing else changes. */
#include "seam.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOON "20" /* ms: the tests wait for what happens after them */

static twin_hw_device *device;
static twin_queue *queue;
static uint64_t source;   /* device memory; not 0 */
static uint64_t *targets; /* page-locked memory, 0 */

static void begin(const char *progress)
{
    seam_set("TWINRT_PROGRESS", progress);
    device = seam_up();
    queue = seam_queue(device, 1);
    void *host = NULL;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 4096}, &source));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = 4096}, &host));
    targets = host;
    SEAM_OK(seam->memory.fill(device, &(twin_fill){.dst = source, .bytes = 4096, .value = 1}));
    memset(targets, 0, 4096);
}

static bool thread_exists(void);

static void end(void)
{
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    seam_drop_queue(queue);
    SEAM_OK(seam->memory.free(source));
    SEAM_OK(seam->memory.host_free(targets));
    seam_down(device);
    while (thread_exists()) /* it ends with the backend */
        sched_yield();
    seam_set("TWINRT_PROGRESS", NULL);
}

static void copy_out(twin_queue *from, unsigned target)
{
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.copy(
        from, &(twin_copy){.dst = (uintptr_t)&targets[target], .src = source, .bytes = 8}));
}

/* The device writes it as other hardware would: no race between threads of the program. */
__attribute__((no_sanitize("thread"), noinline)) static bool is_there(unsigned target)
{
    return __atomic_load_n(&targets[target], __ATOMIC_ACQUIRE) != 0;
}

/* No call is made; the test ends by its own time limit if nothing comes. */
static void spin(unsigned target)
{
    while (!is_there(target))
        sched_yield();
}

/* One line of a file of the thread that runs the model without a caller, without its label; "":
 * there is no such thread. */
static void read_thread(const char *file, const char *label, char *text, size_t bytes)
{
    text[0] = '\0';
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        char path[320];
        char line[256];
        bool ours = false;
        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
        FILE *name = fopen(path, "re");
        if (name && fgets(line, sizeof(line), name))
            ours = strcmp(line, "twinrt-progress\n") == 0;
        if (name)
            fclose(name);
        if (!ours)
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/%s", entry->d_name, file);
        FILE *lines = fopen(path, "re");
        while (lines && fgets(line, sizeof(line), lines))
            if (strncmp(line, label, strlen(label)) == 0)
                snprintf(text, bytes, "%s", line + strlen(label));
        if (lines)
            fclose(lines);
    }
    if (tasks)
        closedir(tasks);
}

static bool thread_exists(void)
{
    char text[256];
    read_thread("status", "Name:", text, sizeof(text));
    return text[0] != '\0';
}

/* Until the thread stays in its sleep: it looks every few ms while it may have something to do. */
static void await_rest(void)
{
    char before[256];
    char after[256] = "";
    do {
        memcpy(before, after, sizeof(before));
        usleep(100000);
        read_thread("status", "voluntary_ctxt_switches:", after, sizeof(after));
    } while (after[0] != '\0' && strcmp(before, after) != 0);
    CU_ASSERT(after[0] != '\0');
}

static void test_a_spin_ends(void)
{
    begin(SOON);
    for (unsigned i = 0; i < 8; i++) {
        copy_out(queue, i);
        spin(i);
    }
    CU_ASSERT(seam_logged_times("depend on real time") == 1);
    end();
}

static void test_off_never_moves(void)
{
    begin("off");
    copy_out(queue, 0);
    CU_ASSERT(!thread_exists());
    CU_ASSERT(!is_there(0));
    end();
    CU_ASSERT(!seam_logged("depend on real time"));
}

static void test_no_thread_without_visible_work(void)
{
    begin(SOON);
    uint64_t *other = targets + 8;
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = source, .bytes = 8, .value = 1}));
    SEAM_OK(seam->work.copy(queue, &(twin_copy){.dst = source + 8, .src = source, .bytes = 8}));
    SEAM_OK(seam->work.copy(queue,
                            &(twin_copy){.dst = source + 16, .src = (uintptr_t)other, .bytes = 8}));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->memory.copy(device,
                              &(twin_copy){.dst = (uintptr_t)other, .src = source, .bytes = 8}));
    CU_ASSERT(!thread_exists());
    copy_out(queue, 0);
    while (!thread_exists())
        sched_yield();
    end();
}

static void test_the_thread_is_quiet(void)
{
    begin(SOON);
    copy_out(queue, 0);
    while (!thread_exists())
        sched_yield();
    char text[256];
    read_thread("status", "SigBlk:", text, sizeof(text));
    uint64_t blocked = strtoull(text, NULL, 16);
    const int of_the_program[] = {SIGHUP, SIGINT, SIGALRM, SIGTERM, SIGUSR1, SIGCHLD, SIGIO};
    for (unsigned i = 0; i < TWIN_COUNT(of_the_program); i++)
        CU_ASSERT((blocked >> (of_the_program[i] - 1) & 1) == 1);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    await_rest(); /* nothing is in flight */
    end();
}

static void test_time_limits_stay(void)
{
    begin(SOON);
    const uint64_t limit_ns = SEAM_HOUR;
    twin_queue *held = seam_queue(device, 2);
    twin_signal *gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 0);
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.wait(held, gate, limit_ns));
    copy_out(held, 0);
    copy_out(queue, 1);
    spin(1);
    await_rest(); /* the copy after the gate is in flight, so it has tried */
    CU_ASSERT(!is_there(0));
    seam_call(TWIN_COST_SUBMIT);
    CU_ASSERT(seam->host.now() < limit_ns);
    SEAM_OK(seam->work.record(queue, gate));
    spin(0);
    SEAM_OK(seam->queue.drain(held, TWIN_FOREVER));
    seam_drop_queue(held);
    seam->signal.destroy(gate);
    end();
}

static void test_open_memory_is_seen(void)
{
    seam_set("TWINRT_DEVMEM", "open");
    begin(SOON);
    uint64_t *place = (uint64_t *)(uintptr_t)(source + 64);
    SEAM_OK(seam->memory.fill(device, &(twin_fill){.dst = source + 64, .bytes = 8, .value = 0}));
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = source + 64, .bytes = 8, .value = 3}));
    while (__atomic_load_n(place, __ATOMIC_ACQUIRE) == 0)
        sched_yield();
    end();
    seam_set("TWINRT_DEVMEM", NULL);
}

static void test_memory_of_processes_is_seen(void)
{
    char name[TWIN_SHARE_NAME];
    bool idle = false;
    begin(SOON);
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = source, .bytes = 8, .value = 3}));
    CU_ASSERT(!thread_exists());
    SEAM_OK(seam->memory.share(source, 4096, false, name));
    while (!seam_logged("depend on real time"))
        sched_yield();
    SEAM_OK(seam->queue.query(queue, &idle));
    CU_ASSERT(idle);
    seam_call(TWIN_COST_SUBMIT); /* and work that comes later */
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = source, .bytes = 8, .value = 4}));
    do {
        sched_yield();
        SEAM_OK(seam->queue.query(queue, &idle));
    } while (!idle);
    SEAM_OK(seam->memory.close(name, 0));
    end();
}

/* ---- host functions ------------------------------------------------------------------------- */

static atomic_uint runs;

static void count_run(void *argument)
{
    (void)argument;
    atomic_fetch_add(&runs, 1);
}

static void test_a_host_function_runs(void)
{
    twin_call_queue *call_queue = NULL;
    pthread_t thread;
    begin(SOON);
    SEAM_OK(seam->call_queue.create(device, true, &call_queue));
    pthread_create(&thread, NULL, seam_serve, call_queue);
    atomic_store(&runs, 0);
    for (unsigned i = 1; i <= 8; i++) {
        seam_call(TWIN_COST_SUBMIT);
        SEAM_OK(
            seam->work.call(queue, call_queue, &(twin_host_call){.fn = count_run, .block = true}));
        while (atomic_load(&runs) != i)
            sched_yield();
    }
    CU_ASSERT(seam_logged_times("depend on real time") == 1);
    seam->call_queue.close(call_queue);
    pthread_join(thread, NULL);
    seam->call_queue.destroy(call_queue);
    end();
}

/* ---- programs that are not affected ---------------------------------------------------------- */

static const char *trace_path; /* of a child */
static const char *trace_progress;

/* In a separate process, as a model is built once in each: copies and waits, and writes its
 * timeline. */
static void test_leave_trace(void)
{
    seam_set("TWINRT_TRACE", trace_path);
    begin(trace_progress);
    for (unsigned i = 0; i < 200; i++) {
        bool idle = false;
        copy_out(queue, i);
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(queue, &idle));
        seam_call(TWIN_COST_WAIT);
        if (i % 3 == 0)
            SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    }
    CU_ASSERT(!seam_logged("depend on real time"));
    end();
}

static char *trace_of(const char *progress, size_t *out_bytes)
{
    char path[64];
    snprintf(path, sizeof(path), "sim_progress_%d.json", (int)getpid());
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "sim_progress_test", "--leave-trace", progress, path, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 1 << 22);
    *out_bytes = file && text ? fread(text, 1, 1 << 22, file) : 0;
    if (file)
        fclose(file);
    unlink(path);
    return text;
}

static void test_traces_are_equal(void)
{
    size_t bytes_off = 0;
    size_t bytes_on = 0;
    char *off = trace_of("off", &bytes_off);
    char *on = trace_of("60000", &bytes_on);
    CU_ASSERT(bytes_off > 1000 && bytes_off == bytes_on && memcmp(off, on, bytes_on) == 0);
    free(off);
    free(on);
}

static const twin_test tests[] = {
    {"a host that spins on page-locked memory goes on", test_a_spin_ends},
    {"off never moves the model", test_off_never_moves},
    {"the thread comes with the first work that the host can see",
     test_no_thread_without_visible_work},
    {"the thread blocks signals, rests, and ends with the process", test_the_thread_is_quiet},
    {"time limits of tasks stay ahead", test_time_limits_stay},
    {"open device memory can be seen too", test_open_memory_is_seen},
    {"memory that processes share can be seen too", test_memory_of_processes_is_seen},
    {"a host function runs for a program that waits for it by itself", test_a_host_function_runs},
    {"a program that calls in time is not affected", test_traces_are_equal},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    if (argc == 4 && strcmp(argv[1], "--leave-trace") == 0) {
        static const twin_test child[] = {{"leaves its timeline", test_leave_trace}};
        trace_progress = argv[2];
        trace_path = argv[3];
        return twin_run_suite("sim_progress_child", child, TWIN_COUNT(child), 1, argv);
    }
    return twin_run_suite("sim_progress", tests, TWIN_COUNT(tests), argc, argv);
}
