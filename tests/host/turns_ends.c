/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of threads and processes in deterministic mode, each in the middle of others' turns. Every
 * one ends by itself.
 *
 *   turns_ends cancel|detached|exit|fork|main|pipe|signal|underscore_exit */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"

static sem_t never_posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s answers %d\n", what, code);
    _exit(1);
}
#define OK(call) check((call), #call)

static void start(void *(*function)(void *), pthread_t *out_thread)
{
    OK(pthread_create(out_thread, NULL, function, NULL));
}

static void unlock(void *locked)
{
    pthread_mutex_unlock(locked);
}

static void *wait_for_condition(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    for (;;)
        pthread_cond_wait(&never_signalled, &mutex);
    pthread_cleanup_pop(1);
    return argument;
}

static void *wait_for_semaphore(void *argument)
{
    sem_wait(&never_posted);
    return argument;
}

static void *rest(void *argument)
{
    usleep(500);
    return argument;
}

static void *call_for_ever(void *argument)
{
    aclrtStream stream;
    void *memory;
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    while (aclrtMemsetAsync(memory, 4096, 1, 4096, stream) == ACL_SUCCESS &&
           aclrtSynchronizeStream(stream) == ACL_SUCCESS)
        continue;
    return argument;
}

static void *end_process(void *argument)
{
    usleep(2000);
    exit(3);
    return argument;
}

static void on_alarm(int number)
{
    (void)number;
    exit(7); /* NOLINT(bugprone-signal-handler): what programs do */
}

static int cancel(void)
{
    pthread_t threads[2];
    void *result = NULL;
    start(wait_for_condition, &threads[0]);
    start(wait_for_semaphore, &threads[1]);
    usleep(500); /* of clocks: both wait by then */
    OK(pthread_cancel(threads[0]));
    OK(pthread_cancel(threads[1]));
    OK(pthread_join(threads[0], &result));
    OK(pthread_join(threads[1], NULL));
    OK(pthread_mutex_lock(&mutex)); /* its cleanup has unlocked it */
    return result == PTHREAD_CANCELED ? 0 : 1;
}

static int detached(void)
{
    pthread_t thread;
    for (int i = 0; i < 50; i++) {
        start(rest, &thread);
        OK(pthread_detach(thread));
    }
    usleep(1000);
    return 0;
}

static int leave(void)
{
    pthread_t thread;
    start(call_for_ever, &thread);
    start(wait_for_semaphore, &thread);
    usleep(1000);
    return 4;
}

static int underscore_exit(void)
{
    _exit(leave());
}

static int forked(void)
{
    pthread_t thread;
    int status = 0;
    start(wait_for_semaphore, &thread);
    usleep(500);
    pid_t child = fork();
    if (child == 0) {
        start(rest, &thread);
        OK(pthread_join(thread, NULL));
        _exit(5);
    }
    if (waitpid(child, &status, 0) != child)
        return 1;
    sem_post(&never_posted);
    OK(pthread_join(thread, NULL));
    return WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1;
}

static int main_first(void)
{
    pthread_t thread;
    start(end_process, &thread);
    pthread_exit(NULL);
}

/* A wait that takes no turns: the order ends, and the other thread goes on. */
static int pipes(void)
{
    static int ends[2];
    pthread_t thread;
    char byte;
    OK(pipe(ends));
    start(call_for_ever, &thread);
    signal(SIGALRM, on_alarm);
    alarm(2);
    return read(ends[0], &byte, 1) < 0 ? 1 : 0;
}

static int by_signal(void)
{
    pthread_t thread;
    signal(SIGALRM, on_alarm);
    start(call_for_ever, &thread);
    alarm(1);
    OK(pthread_join(thread, NULL));
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } ends[] = {{"cancel", cancel},    {"detached", detached},
                {"exit", leave},       {"fork", forked},
                {"main", main_first},  {"pipe", pipes},
                {"signal", by_signal}, {"underscore_exit", underscore_exit}};
    sem_init(&never_posted, 0, 0);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (argc > 1 && strcmp(argv[1], ends[i].name) == 0)
            return ends[i].run();
    return 2;
}
