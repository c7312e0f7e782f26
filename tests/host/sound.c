/* SPDX-License-Identifier: Apache-2.0 */
/* usage: host_sound [SECONDS]    Programs in which a thread can always run, and mostly one thread
 * alone, while this one asks again and again whether all others are blocked, as the runtime does
 * before it declares a deadlock: twice the same number and stamp, and no other thread in the
 * process. The answer must never be yes. Each program takes SECONDS (0.3). */
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "host/fake_runtime.h"

#define THREADS 4

const twin_host_time *twinrt_host_time(void);

static atomic_bool stop;
static _Atomic uint64_t rounds;
static pthread_mutex_t mutex;
static pthread_mutex_t mutexes[THREADS];
static pthread_cond_t conds[THREADS];
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static sem_t tokens[THREADS];
static unsigned turn;

/* One thread runs, and wakes the next one before it blocks. */
static void pass_tokens(unsigned self)
{
    while (!atomic_load(&stop)) {
        sem_wait(&tokens[self]);
        atomic_fetch_add(&rounds, 1);
        sem_post(&tokens[(self + 1) % THREADS]);
    }
}

static void pass_turn(unsigned self, unsigned cond_of_next, unsigned cond, bool all)
{
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&stop)) {
        while (turn != self && !atomic_load(&stop))
            pthread_cond_wait(&conds[cond], &mutex);
        atomic_fetch_add(&rounds, 1);
        turn = (self + 1) % THREADS;
        if (all)
            pthread_cond_broadcast(&conds[cond_of_next]);
        else
            pthread_cond_signal(&conds[cond_of_next]);
    }
    pthread_mutex_unlock(&mutex);
}

static void pass_turn_by_signal(unsigned self)
{
    pass_turn(self, (self + 1) % THREADS, self, false);
}

static void pass_turn_by_broadcast(unsigned self)
{
    pass_turn(self, 0, 0, true);
}

/* Each takes its own lock and the next thread's, the lower number first. */
static void dine(unsigned self)
{
    unsigned other = (self + 1) % THREADS;
    unsigned low = self < other ? self : other;
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&mutexes[low]);
        pthread_mutex_lock(&mutexes[self + other - low]);
        atomic_fetch_add(&rounds, 1);
        pthread_mutex_unlock(&mutexes[low]);
        pthread_mutex_unlock(&mutexes[self + other - low]);
    }
}

static void meet(unsigned self)
{
    static atomic_bool last; /* all leave after the same round */
    if (self == 0)
        atomic_store(&last, false);
    pthread_barrier_wait(&barrier);
    while (!atomic_load(&last)) {
        pthread_barrier_wait(&barrier);
        if (self == 0 && atomic_load(&stop))
            atomic_store(&last, true);
        atomic_fetch_add(&rounds, 1);
        pthread_barrier_wait(&barrier);
    }
}

static void read_and_write(unsigned self)
{
    for (unsigned i = self; !atomic_load(&stop); i++) {
        if (i % 3 == 0)
            pthread_rwlock_wrlock(&rwlock);
        else
            pthread_rwlock_rdlock(&rwlock);
        atomic_fetch_add(&rounds, 1);
        if (i % 5 == 0)
            sched_yield();
        pthread_rwlock_unlock(&rwlock);
    }
}

static void *nothing(void *unused)
{
    return unused;
}

static void *make_and_join(void *unused)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0)
        pthread_join(thread, NULL);
    return unused;
}

static void join_children(unsigned self)
{
    while (self == 0 && !atomic_load(&stop)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, make_and_join, NULL) == 0)
            pthread_join(thread, NULL);
        atomic_fetch_add(&rounds, 1);
    }
}

/* Timed waits that end early or late, beside waits without a limit. */
static void wait_a_little(unsigned self)
{
    while (!atomic_load(&stop)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        if ((until.tv_nsec += 20000) >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_mutex_lock(&mutex);
        if (self == 0)
            pthread_cond_timedwait(&conds[0], &mutex, &until);
        else if (!atomic_load(&stop))
            pthread_cond_wait(&conds[0], &mutex);
        pthread_cond_signal(&conds[0]);
        pthread_mutex_unlock(&mutex);
        atomic_fetch_add(&rounds, 1);
    }
    pthread_cond_broadcast(&conds[0]);
}

static const struct program {
    const char *name;
    void (*run)(unsigned self);
} programs[] = {
    {"tokens", pass_tokens},
    {"signals", pass_turn_by_signal},
    {"broadcasts", pass_turn_by_broadcast},
    {"mutexes", dine},
    {"barrier", meet},
    {"rwlock", read_and_write},
    {"join", join_children},
    {"timed", wait_a_little},
};

struct worker {
    const struct program *program;
    unsigned number;
    pthread_t thread;
};

static void *work(void *argument)
{
    const struct worker *worker = argument;
    worker->program->run(worker->number);
    return NULL;
}

static void *stir(void *unused)
{
    /* Wakes threads that wait for a turn that does not come any more. */
    (void)unused;
    for (unsigned i = 0; i < THREADS; i++) {
        sem_post(&tokens[i]);
        pthread_mutex_lock(&mutex);
        pthread_cond_broadcast(&conds[i]);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static unsigned threads_of_process(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (unsigned)tasks.st_nlink - 2 : 0;
}

/* Whether every thread but this one looks blocked. */
static bool all_blocked(unsigned *out_blocked)
{
    const twin_host_time *host = twinrt_host_time();
    uint64_t before = 0;
    uint64_t after = 0;
    *out_blocked = host->blocked(&before);
    unsigned threads = threads_of_process();
    return threads > 1 && *out_blocked + 1 >= threads && host->blocked(&after) == *out_blocked &&
           before == after;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* How often all looked blocked. */
static unsigned run_program(const struct program *program, double seconds)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_init(&rwlock, NULL);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_mutex_init(&mutexes[i], NULL);
        pthread_cond_init(&conds[i], NULL);
        sem_init(&tokens[i], 0, i == 0);
    }
    atomic_store(&stop, false);
    atomic_store(&rounds, 0);
    turn = 0;
    struct worker workers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.program = program, .number = i};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    unsigned wrong = 0;
    unsigned long asked = 0;
    unsigned most = 0;
    for (double end = seconds_now() + seconds; seconds_now() < end; asked++) {
        unsigned blocked;
        bool all = all_blocked(&blocked);
        wrong += all || blocked == THREADS; /* even once: join_children never has so many */
        most = blocked > most ? blocked : most;
        if (asked % 64 == 0)
            sched_yield();
    }
    atomic_store(&stop, true);
    stir(NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_mutex_destroy(&mutexes[i]);
        pthread_cond_destroy(&conds[i]);
        sem_destroy(&tokens[i]);
    }
    pthread_barrier_destroy(&barrier);
    pthread_rwlock_destroy(&rwlock);
    pthread_mutex_destroy(&mutex);
    printf("%-12s %8lu questions, %9llu rounds, at most %u blocked, all looked blocked %u times\n",
           program->name, asked, (unsigned long long)atomic_load(&rounds), most, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.3;
    fake_start();
    if (threads_of_process() == 0) {
        puts("skipped: /proc is missing");
        return 77;
    }
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        wrong += run_program(&programs[i], seconds);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
