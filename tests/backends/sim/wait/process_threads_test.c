/* SPDX-License-Identifier: Apache-2.0 */
/* When it is proven that no thread of the process can act. */
#define _GNU_SOURCE /* unshare, gettid */
#include "support/cunit_main.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/sim/wait/clock.h"
#include "backends/sim/process/process.h"
#include "backends/sim/wait/process_threads.h"
#include "seam/host_time.h"

/* This thread has called, no other has. */
atomic_uint sim_attached_count = 1;
struct sim_process sim_process;
static unsigned own_threads;

/* Of progress.c. */
unsigned sim_progress_threads(void)
{
    return own_threads;
}

static uint32_t own_system_id;
uint32_t sim_progress_system_id(void);
uint32_t sim_progress_system_id(void)
{
    return own_system_id;
}

/* What the core and libtwinrt-host.so report. */
static uint32_t in_core;
static uint32_t in_host;
static uint64_t stamp;
static uint64_t stamp_step; /* by so much each answer differs from the one before */

static uint32_t core_blocked(uint64_t *out_stamp)
{
    *out_stamp = 0;
    return in_core;
}

static uint32_t host_blocked(uint64_t *out_stamp)
{
    stamp += stamp_step;
    *out_stamp = stamp;
    return in_host;
}

static const twin_host_time host_time = {.blocked = host_blocked};
static twin_services services = {.blocked = core_blocked};

static bool is_proven(unsigned waiting)
{
    bool silent;
    return sim_process_blocked(waiting, &silent);
}

struct other {
    pthread_t thread;
    pthread_mutex_t held;
    atomic_bool runs;
};

static void *sleep_on_mutex(void *pointer)
{
    struct other *self = pointer;
    pthread_mutex_lock(&self->held);
    pthread_mutex_unlock(&self->held);
    return NULL;
}

static void *run_on(void *pointer)
{
    struct other *self = pointer;
    while (atomic_load(&self->runs))
        ;
    return NULL;
}

static void start(struct other *other, void *(*run)(void *pointer))
{
    pthread_mutex_init(&other->held, NULL);
    pthread_mutex_lock(&other->held);
    atomic_init(&other->runs, true);
    if (pthread_create(&other->thread, NULL, run, other) != 0)
        abort();
}

static void end(struct other *other)
{
    const unsigned before = sim_process_threads();
    atomic_store(&other->runs, false);
    pthread_mutex_unlock(&other->held);
    pthread_join(other->thread, NULL);
    pthread_mutex_destroy(&other->held);
    while (sim_process_threads() == before) /* the system may count it a little longer */
        sched_yield();
}

static void test_alone(void)
{
    CU_ASSERT(sim_process_threads() == 1);
    CU_ASSERT(is_proven(1));
    CU_ASSERT(!is_proven(0));
}

static void test_another(void)
{
    void *(*const bodies[])(void *) = {sleep_on_mutex, run_on};
    for (size_t i = 0; i < TWIN_COUNT(bodies); i++) {
        struct other other;
        bool silent = false;
        start(&other, bodies[i]);
        CU_ASSERT(sim_process_threads() == 2);
        CU_ASSERT(!sim_process_blocked(1, &silent));
        CU_ASSERT(silent); /* its end is not reported */
        CU_ASSERT(is_proven(2));
        /* An attached thread reports when it waits. */
        atomic_store(&sim_attached_count, 2);
        CU_ASSERT(!sim_process_blocked(1, &silent));
        CU_ASSERT(!silent);
        atomic_store(&sim_attached_count, 1);
        end(&other);
        CU_ASSERT(is_proven(1));
    }
}

static void test_reported(void)
{
    struct other other;
    start(&other, sleep_on_mutex);
    in_core = 1;
    CU_ASSERT(is_proven(1));
    in_core = 0;
    services.host_time = &host_time;
    CU_ASSERT(!is_proven(1));
    in_host = 1;
    CU_ASSERT(is_proven(1));
    stamp_step = 1; /* it may have been woken between the two answers */
    CU_ASSERT(!is_proven(1));
    stamp_step = 0;
    in_host = 0;
    services.host_time = NULL;
    end(&other);
}

/* The thread that runs the model without a caller is never the one that could still act. */
static void test_own_thread(void)
{
    struct other other;
    start(&other, sleep_on_mutex);
    CU_ASSERT(!is_proven(1));
    own_threads = 1;
    CU_ASSERT(sim_process_threads() == 1);
    CU_ASSERT(is_proven(1));
    CU_ASSERT(!is_proven(0));
    own_threads = 0;
    end(&other);
}

/* More attached threads than the system counts: its count is wrong. */
static void test_wrong_count(void)
{
    atomic_store(&sim_attached_count, 3);
    CU_ASSERT(!is_proven(3));
    atomic_store(&sim_attached_count, 1);
}

static void on_signal(int number)
{
    (void)number;
}

static void test_interval_timer(void)
{
    const struct itimerval hour = {.it_value = {.tv_sec = 3600}};
    const struct itimerval none = {0};
    setitimer(ITIMER_REAL, &hour, NULL);
    CU_ASSERT(is_proven(1)); /* it would end the process */
    signal(SIGALRM, on_signal);
    CU_ASSERT(!is_proven(1));
    setitimer(ITIMER_REAL, &none, NULL);
    CU_ASSERT(is_proven(1));
    signal(SIGALRM, SIG_DFL);
}

static void test_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    CU_ASSERT_FATAL(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CU_ASSERT(!is_proven(1));
    timer_delete(timer);
    CU_ASSERT(is_proven(1));
}

/* sem_post may be called by a handler; the functions of the runtime may not. */
static void test_handler(void)
{
    struct other other;
    start(&other, sleep_on_mutex);
    services.host_time = &host_time;
    in_host = 1;
    signal(SIGINT, on_signal); /* a handler of the program may end any wait: Python has one */
    CU_ASSERT(is_proven(1));
    signal(SIGCHLD, on_signal);
    CU_ASSERT(!is_proven(1));
    end(&other);
    in_host = 0;
    CU_ASSERT(is_proven(1)); /* no thread waits for a semaphore */
    signal(SIGCHLD, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    services.host_time = NULL;
}

/* In a child process; it ends with what `body` returns. */
static int in_child(int (*body)(void))
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(body());
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum { GOOD, BAD, NOT_ALLOWED };

static int without_proc(void)
{
    char folder[] = "/tmp/twinrt_empty_XXXXXX";
    if (!mkdtemp(folder))
        return NOT_ALLOWED;
    if (chroot(folder) != 0 && (unshare(CLONE_NEWUSER) != 0 || chroot(folder) != 0)) {
        rmdir(folder);
        return NOT_ALLOWED;
    }
    if (sim_process_threads() != 1 || !is_proven(1))
        return BAD;
    signal(SIGUSR1, on_signal); /* a timer may use it */
    if (is_proven(1))
        return BAD;
    signal(SIGUSR1, SIG_DFL);
    struct other other;
    start(&other, sleep_on_mutex);
    return sim_process_threads() == 0 && !is_proven(1) && !is_proven(2) ? GOOD : BAD;
}

__attribute__((unused)) static void test_without_proc(void)
{
    const int outcome = in_child(without_proc);
    if (outcome == NOT_ALLOWED)
        puts("    no right to change the root folder: not tested");
    else
        CU_ASSERT(outcome == GOOD);
}

static void *see_first_thread_end(void *pointer)
{
    (void)pointer;
    for (unsigned i = 0; i < 10000; i++) {
        if (is_proven(1))
            _exit(GOOD);
        usleep(1000);
    }
    _exit(BAD);
}

static int first_thread_exits(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, see_first_thread_end, NULL) != 0)
        return BAD;
    pthread_exit(NULL);
}

static void test_first_thread_exits(void)
{
    CU_ASSERT(in_child(first_thread_exits) == GOOD);
}

static const twin_test tests[] = {
/* First: the C library knows that a thread is alone as long as there was never another one. */
#if !defined(__SANITIZE_THREAD__) /* it adds a thread */
    {"without /proc one thread is known to be alone, and more are not counted", test_without_proc},
#endif
    {"a thread that is alone and waits proves it", test_alone},
    {"a thread that made no call can act, whether it runs or sleeps", test_another},
    {"threads that are reported as blocked cannot act, unless one has been woken", test_reported},
    {"the thread of the backend is not counted", test_own_thread},
    {"a count that cannot be true proves nothing", test_wrong_count},
    {"an interval timer with a signal handler may act", test_interval_timer},
    {"a timer of timer_create may act", test_timer},
    {"a handler of a signal may post a semaphore that a thread waits for", test_handler},
#if !defined(__SANITIZE_THREAD__)
#endif
    {"a first thread that has called pthread_exit does not act", test_first_thread_exits},
};

int main(int argc, char **argv)
{
    sim_process.services = &services;
    return twin_run_suite("backend.sim_process_threads", tests, TWIN_COUNT(tests), argc, argv);
}
