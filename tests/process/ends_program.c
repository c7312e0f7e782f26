/* SPDX-License-Identifier: Apache-2.0 */
/* A process that ends, or branches, in the middle of a call; ends_test.py runs it and has the
 * expected results.
 *
 *   ends_program WAY self|other STATE SEED
 *
 * A thread is brought into STATE. With "self" that thread takes the WAY: from a signal handler, or
 * from the function that a stream calls. With "other" the main thread does, while a second one is
 * in the state. Ways after which a process goes on are followed by an orderly end. The status is 7
 * unless the way says otherwise. */
#include <acl/acl.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 7
#define BYTES  (256u << 10)
#define COPIES 200

extern char **environ;

static const char *way;
static bool by_self;
static atomic_uint progress; /* steps of the thread in the state */
static atomic_bool stop;
static aclrtContext context;
static aclrtNotify notify;
static sem_t go_on; /* for a function that a stream calls, or a thread that another one needs */

static void *device_memory;
static void *host_memory;

/* NOLINTBEGIN(bugprone-signal-handler): that programs do this is what is tested */
static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    _exit(1);
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Devices are open: the calls are refused, and end, whatever the threads held that are not in the
 * child. */
static void end_child(void)
{
    uint32_t count = 0;
    aclrtStream stream = NULL;
    aclrtContext other = NULL;
    aclrtEvent event = NULL;
    aclrtBinHandle binary = NULL;
    void *memory = NULL;
    const int codes[] = {
        aclrtGetDeviceCount(&count),
        aclrtCreateStream(&stream),
        aclrtCreateContext(&other, 0),
        aclrtCreateEvent(&event),
        aclrtDestroyNotify(notify),
        aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY),
        aclrtFree(device_memory),
        aclrtSetCurrentContext(context),
        aclrtBinaryLoadFromFile("/dev/null", NULL, &binary),
        aclrtExceptionInfoCallbackUnregister(NULL),
        aclrtSynchronizeDevice(),
        aclrtResetDeviceForce(0),
        aclFinalize(),
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i] == 0)
            _exit(1);
    _exit(STATUS);
}

static void expect_child(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            check(errno, "waitpid");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != STATUS)
        check(status ? status : -1, "the child");
}

static void branch(void)
{
    char *const arguments[] = {"sh", "-c", "exit 7", NULL};
    pid_t child = 0;
    if (strcmp(way, "fork") == 0) {
        child = fork();
        if (child == 0)
            end_child();
    } else if (strcmp(way, "vfork") == 0) {
        child = vfork(); /* NOLINT: this is what is tested */
        if (child == 0) {
            execv("/bin/sh", arguments);
            _exit(1);
        }
    } else {
        check(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ), "posix_spawn");
    }
    expect_child(child);
}

/* Returns where the process goes on. */
static void take_way(void)
{
    if (strcmp(way, "exit") == 0)
        exit(STATUS);
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(STATUS);
    if (strcmp(way, "_exit") == 0)
        _exit(STATUS);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "fork") == 0 || strcmp(way, "vfork") == 0 || strcmp(way, "spawn") == 0)
        branch();
}

static void on_signal(int number)
{
    (void)number;
    take_way();
}
/* NOLINTEND(bugprone-signal-handler) */

/* ---- states ---------------------------------------------------------------------------------- */

static aclrtStream make_stream(void)
{
    aclrtStream stream = NULL;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    return stream;
}

static void step(void)
{
    atomic_fetch_add(&progress, 1);
}

static void copy_async(aclrtStream stream, int count)
{
    for (int i = 0; i < count; i++)
        (void)aclrtMemcpyAsync(device_memory, BYTES, host_memory, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                               stream);
}

static void submit(void)
{
    aclrtStream stream = make_stream();
    while (!atomic_load(&stop)) {
        copy_async(stream, 10);
        step();
    }
    (void)aclrtSynchronizeStream(stream);
}

static void drive(void)
{
    aclrtStream stream = make_stream();
    while (!atomic_load(&stop)) {
        copy_async(stream, COPIES);
        (void)aclrtSynchronizeStream(stream);
        step();
    }
}

static void *drive_thread(void *unused)
{
    check(aclrtSetCurrentContext(context), "aclrtSetCurrentContext");
    aclrtStream stream = make_stream();
    sem_post(&go_on);
    while (!atomic_load(&stop)) {
        copy_async(stream, COPIES);
        (void)aclrtSynchronizeStream(stream);
    }
    return unused;
}

static void follow(void)
{
    pthread_t other;
    check(pthread_create(&other, NULL, drive_thread, NULL), "pthread_create");
    while (sem_wait(&go_on) != 0)
        continue;
    drive();
    pthread_join(other, NULL);
}

/* Waits for a record that only other threads could make; without one it ends at its limit. */
static void stuck(void)
{
    aclrtStream stream = make_stream();
    check(aclrtWaitAndResetNotify(notify, stream, 0), "aclrtWaitAndResetNotify");
    step();
    (void)aclrtSynchronizeStreamWithTimeout(stream, 100000);
    while (!atomic_load(&stop))
        sched_yield();
}

static void copy(void)
{
    while (!atomic_load(&stop)) {
        (void)aclrtMemcpy(device_memory, BYTES, host_memory, BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
        step();
    }
}

static void poll_stream(void)
{
    aclrtStream stream = make_stream();
    aclrtStreamStatus status;
    while (!atomic_load(&stop)) {
        copy_async(stream, 10);
        for (int i = 0; i < 10; i++)
            (void)aclrtStreamQuery(stream, &status);
        step();
    }
    (void)aclrtSynchronizeStream(stream);
}

static void create(void)
{
    while (!atomic_load(&stop)) {
        aclrtStream stream = NULL;
        if (aclrtCreateStream(&stream) == 0)
            (void)aclrtDestroyStream(stream);
        step();
    }
}

static void alloc(void)
{
    while (!atomic_load(&stop)) {
        void *memory = NULL;
        if (aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY) == 0)
            (void)aclrtFree(memory);
        if (aclrtMallocHost(&memory, BYTES) == 0)
            (void)aclrtFreeHost(memory);
        step();
    }
}

static void device(void)
{
    while (!atomic_load(&stop)) {
        (void)aclrtSetDevice(1);
        (void)aclrtResetDevice(1);
        step();
    }
    (void)aclrtSetCurrentContext(context);
}

static void idle(void)
{
    step();
    while (!atomic_load(&stop))
        sched_yield();
}

static void in_function(void *unused)
{
    (void)unused;
    step();
    if (by_self)
        take_way();
    else
        while (sem_wait(&go_on) != 0)
            continue;
}

static void function(void)
{
    aclrtStream stream = make_stream();
    check(aclrtLaunchHostFunc(stream, in_function, NULL), "aclrtLaunchHostFunc");
    (void)aclrtSynchronizeStream(stream);
    while (!by_self && !atomic_load(&stop))
        sched_yield();
}

static void callback(void)
{
    aclrtStream stream = make_stream();
    check(aclrtSubscribeReport((uint64_t)pthread_self(), stream), "aclrtSubscribeReport");
    check(aclrtLaunchCallback(in_function, NULL, ACL_CALLBACK_BLOCK, stream),
          "aclrtLaunchCallback");
    (void)aclrtProcessReport(100000);
    (void)aclrtUnSubscribeReport((uint64_t)pthread_self(), stream);
    while (!by_self && !atomic_load(&stop))
        sched_yield();
}

static const struct {
    const char *name;
    void (*run)(void);
    bool calls; /* a function, which takes the way by itself */
} states[] = {
    {"alloc", alloc, false},      {"callback", callback, true}, {"copy", copy, false},
    {"create", create, false},    {"device", device, false},    {"drive", drive, false},
    {"follow", follow, false},    {"function", function, true}, {"idle", idle, false},
    {"poll", poll_stream, false}, {"stuck", stuck, false},      {"submit", submit, false},
};

/* ---- both ------------------------------------------------------------------------------------ */

static void begin(void)
{
    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtGetCurrentContext(&context), "aclrtGetCurrentContext");
    check(aclrtCreateNotify(&notify, 0), "aclrtCreateNotify");
    check(aclrtMalloc(&device_memory, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY), "aclrtMalloc");
    check(aclrtMallocHost(&host_memory, BYTES), "aclrtMallocHost");
    memset(host_memory, 1, BYTES);
}

/* Some time, another one for each seed, after the thread is in the state. */
static void await_state(unsigned seed)
{
    while (atomic_load(&progress) == 0)
        sched_yield();
    for (unsigned i = 0; i < seed * 7919u % 100000u; i++)
        atomic_signal_fence(memory_order_seq_cst);
}

struct signaller {
    pthread_t target;
    unsigned seed;
};

/* Again and again: each signal interrupts another place, and the first one that is handled ends the
 * process. */
static void *signal_it(void *argument)
{
    const struct signaller *signaller = argument;
    await_state(signaller->seed);
    pthread_kill(signaller->target, SIGINT);
    for (;;)
        pause();
    return NULL;
}

static void block_signal(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(how, &set, NULL);
}

static void *run_state(void *argument)
{
    check(aclrtSetCurrentContext(context), "aclrtSetCurrentContext");
    states[(size_t)argument].run();
    return NULL;
}

static int run_self(size_t state, unsigned seed)
{
    pthread_t thread;
    struct signaller signaller = {pthread_self(), seed};
    if (!states[state].calls) {
        signal(SIGINT, on_signal);
        block_signal(SIG_BLOCK);
        check(pthread_create(&thread, NULL, signal_it, &signaller), "pthread_create");
        block_signal(SIG_UNBLOCK);
    }
    states[state].run();
    return 2; /* the way was not taken */
}

static int run_other(size_t state, unsigned seed)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, run_state, (void *)state), "pthread_create");
    await_state(seed);
    take_way();
    if (strcmp(way, "return") == 0)
        return STATUS;
    if (strcmp(way, "cancel") == 0)
        pthread_cancel(thread);
    atomic_store(&stop, true);
    sem_post(&go_on);
    aclrtStream stream = make_stream();
    if (strcmp(way, "cancel") != 0 || strcmp(states[state].name, "stuck") == 0)
        check(aclrtRecordNotify(notify, stream), "aclrtRecordNotify");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    if (strcmp(way, "pthread_exit") == 0)
        pthread_exit(NULL); /* the status is 0 when the last thread has ended */
    void *result = NULL;
    check(pthread_join(thread, &result), "pthread_join");
    /* others go on after one was cancelled */
    copy_async(stream, COPIES);
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    check(aclrtResetDeviceForce(0), "aclrtResetDeviceForce");
    check(aclFinalize(), "aclFinalize");
    return STATUS;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    way = argv[1];
    by_self = strcmp(argv[2], "self") == 0;
    unsigned seed = (unsigned)strtoul(argv[4], NULL, 10);
    sem_init(&go_on, 0, 0);
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strcmp(argv[3], states[i].name) != 0)
            continue;
        begin();
        return by_self ? run_self(i, seed) : run_other(i, seed);
    }
    return 2;
}
