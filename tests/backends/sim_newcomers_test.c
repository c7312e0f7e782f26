/* SPDX-License-Identifier: Apache-2.0 */
/* How long a wait hopes for threads that have made no call yet; real time is an argument, so nothing here takes any. */
#define _GNU_SOURCE /* syscall */
#include "support/cunit_main.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/sim/clock.h"
#include "backends/sim/newcomers.h"

#define MS 1000000ull
#define S  1000000000ull

/* What the clock would say: this thread has called, others may have. */
atomic_uint sim_attached_count = 1;
static unsigned callers = 1;

unsigned sim_clock_threads(void)
{
    return callers;
}

struct stranger {
    pthread_t thread;
    pthread_mutex_t held;
    atomic_long id;
    atomic_bool runs;
};

static void *sleep_behind(void *pointer)
{
    struct stranger *self = pointer;
    atomic_store(&self->id, syscall(SYS_gettid));
    pthread_mutex_lock(&self->held);
    pthread_mutex_unlock(&self->held);
    return NULL;
}

static void *run_on(void *pointer)
{
    struct stranger *self = pointer;
    atomic_store(&self->id, syscall(SYS_gettid));
    while (atomic_load(&self->runs))
        ;
    return NULL;
}

static char state_of(long thread)
{
    char path[64];
    char text[256] = "";
    snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t length = read(file, text, sizeof(text) - 1);
        text[length > 0 ? length : 0] = '\0';
        close(file);
    }
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : '?';
}

/* Returns when the other thread is in that state. */
static void start(struct stranger *other, void *(*run)(void *pointer), char state)
{
    pthread_mutex_init(&other->held, NULL);
    pthread_mutex_lock(&other->held);
    atomic_init(&other->id, 0);
    atomic_init(&other->runs, true);
    if (pthread_create(&other->thread, NULL, run, other) != 0)
        abort();
    while (atomic_load(&other->id) == 0 || state_of(atomic_load(&other->id)) != state)
        sched_yield();
}

static void end(struct stranger *other)
{
    atomic_store(&other->runs, false);
    pthread_mutex_unlock(&other->held);
    pthread_join(other->thread, NULL);
    pthread_mutex_destroy(&other->held);
    while (state_of(atomic_load(&other->id)) != '?') /* the system may show it a little longer */
        sched_yield();
}

/* Asks again and again, as a wait does; gives the time at which nobody is expected any more. */
static uint64_t hope(uint64_t now_ns)
{
    for (uint64_t until = sim_newcomers_until(now_ns); until != 0;
         until = sim_newcomers_until(now_ns)) {
        CU_ASSERT(until > now_ns);
        now_ns = until;
    }
    return now_ns;
}

static void test_nobody(void)
{
    CU_ASSERT(sim_newcomers_until(1 * S) == 0);
}

static void test_a_sleeper(void)
{
    uint64_t least = 1000 * S; /* now and then the system shows a sleeper as running */
    for (unsigned i = 1; i <= 5; i++) {
        struct stranger other;
        const uint64_t began = i * 100 * S;
        start(&other, sleep_behind, 'S');
        const uint64_t given_up = hope(began);
        CU_ASSERT(given_up >= began + 500 * MS);
        least = given_up - began < least ? given_up - began : least;
        /* The same thread is not waited for again. */
        CU_ASSERT(sim_newcomers_until(given_up + 1 * MS) == 0);
        CU_ASSERT(sim_newcomers_until(given_up + 20 * S) == 0);
        end(&other);
        CU_ASSERT(sim_newcomers_until(given_up + 30 * S) == 0);
    }
    CU_ASSERT(least < 600 * MS);
}

static void test_a_runner(void)
{
    struct stranger other;
    start(&other, run_on, 'R');
    CU_ASSERT(hope(1000 * S) == 1010 * S);
    CU_ASSERT(sim_newcomers_until(1011 * S) == 0);
    end(&other);
}

static void test_another_comes(void)
{
    struct stranger first;
    struct stranger second;
    start(&first, sleep_behind, 'S');
    uint64_t given_up = hope(1400 * S);
    CU_ASSERT(given_up > 1400 * S);
    start(&second, sleep_behind, 'S');
    CU_ASSERT(hope(given_up) > given_up); /* there is new hope */
    /* One of them has called and ended its part: that is new too. */
    callers++;
    CU_ASSERT(hope(1500 * S) > 1500 * S);
    /* Those who take part are no strangers. */
    atomic_store(&sim_attached_count, 3);
    CU_ASSERT(sim_newcomers_until(1600 * S) == 0);
    atomic_store(&sim_attached_count, 1);
    end(&second);
    end(&first);
}

static const twin_test tests[] = {
    {"a process of one thread hopes for nobody", test_nobody},
    {"a thread that sleeps is waited for half a second, once; so is the one after it",
     test_a_sleeper},
    {"a thread that runs is waited for ten seconds", test_a_runner},
    {"who comes or calls brings new hope", test_another_comes},
};

int main(int argc, char **argv)
{
    return twin_run_suite("backend.sim_newcomers", tests, TWIN_COUNT(tests), argc, argv);
}
