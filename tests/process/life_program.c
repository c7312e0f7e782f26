/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the life of a process in which few programs call; life_test.py runs it.
 *
 *   life_program fork    asks for the number of devices, and a forked child works; then the parent
 *   does life_program forks   as fork, many times beside threads that ask and take turns with a
 *   lock life_program late    releases everything in functions of atexit() that run after the end
 *   of the runtime life_program leaves  releases nothing */
#include <acl/acl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS  7
#define REFUSED 8
#define BYTES   65536u

static void *device_memory;
static void *host_memory;
static aclrtStream stream;

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    _exit(1);
}

static void work(void)
{
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    check(aclrtMalloc(&device_memory, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY), "aclrtMalloc");
    check(aclrtMallocHost(&host_memory, BYTES), "aclrtMallocHost");
    memset(host_memory, 1, BYTES);
    check(aclrtMemcpyAsync(device_memory, BYTES, host_memory, BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                           stream),
          "aclrtMemcpyAsync");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

static void release(void)
{
    (void)aclrtDestroyStream(stream);
    (void)aclrtFree(device_memory);
    (void)aclrtFreeHost(host_memory);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
}

static void fork_after_query(void)
{
    uint32_t count = 0;
    int status = 0;
    check(aclrtGetDeviceCount(&count), "aclrtGetDeviceCount");
    pid_t child = fork();
    if (child == 0) {
        work();
        release();
        exit(STATUS);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != STATUS)
        check(-1, "the child");
    work();
    release();
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;

/* Asks, or takes turns: the locks of calls and of waits for other threads are in use at every
 * moment. */
static void *ask(void *unused)
{
    uint32_t count = 0;
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&turn);
        check(aclrtGetDeviceCount(&count), "aclrtGetDeviceCount");
        pthread_mutex_unlock(&turn);
    }
    return unused;
}

/* A child works, or is refused if a thread of the parent was inside a call; none waits for ever. */
static void work_if_allowed(void)
{
    alarm(20); /* a tenth of a second is enough */
    if (aclrtSetDevice(0) != 0)
        _exit(REFUSED);
    work();
    release();
    exit(STATUS);
}

static void fork_beside_threads(void)
{
    enum { ASKING = 3, FORKS = 60 };
    pthread_t threads[ASKING];
    unsigned worked = 0, refused = 0;
    for (int i = 0; i < ASKING; i++) /* the first of them starts the backend */
        check(pthread_create(&threads[i], NULL, ask, NULL), "pthread_create");
    for (int i = 0; i < FORKS; i++) {
        int status = 0;
        pthread_mutex_t *held =
            i % 2 == 0 ? &turn : NULL; /* then no other thread is inside a call */
        if (held)
            pthread_mutex_lock(held);
        pid_t child = fork();
        if (child == 0)
            work_if_allowed();
        if (held)
            pthread_mutex_unlock(held);
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
            check(status ? status : -1, "the child");
        if (WEXITSTATUS(status) != STATUS && (held || WEXITSTATUS(status) != REFUSED))
            check(WEXITSTATUS(status), "the child");
        *(WEXITSTATUS(status) == STATUS ? &worked : &refused) += 1;
    }
    atomic_store(&stop, true);
    for (int i = 0; i < ASKING; i++)
        pthread_join(threads[i], NULL);
    printf("%u worked, %u were refused\n", worked, refused);
}

static void end_thread(void *argument)
{
    pthread_exit(argument);
}

/* Longer than the runtime takes to see that no thread of the program is left. */
static void outlive_function(void)
{
    work();
    check(aclrtLaunchHostFunc(stream, end_thread, NULL), "aclrtLaunchHostFunc");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    sleep(4);
    release();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "late") == 0)
        check(atexit(release), "atexit"); /* before the runtime starts, so it runs after its end */
    check(aclInit(NULL), "aclInit");
    if (strcmp(how, "fork") == 0)
        fork_after_query();
    else if (strcmp(how, "forks") == 0)
        fork_beside_threads();
    else if (strcmp(how, "function") == 0)
        outlive_function();
    else
        work();
    return STATUS;
}
