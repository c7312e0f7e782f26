/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of threads that race for locks, semaphores and conditions of the C library, sleep, time
 * out and start threads. In deterministic mode each run must meet the same. */
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "program.h"

enum { LOCK_COUNT = 3 };

static pthread_mutex_t locks[LOCK_COUNT] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                            PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t rounds;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t tokens;
static uint32_t guarded[LOCK_COUNT];
static uint32_t version; /* `changed` follows it; guarded by locks[0] */

void locks_begin(uint32_t threads)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&rounds, NULL, threads);
    sem_init(&tokens, 0, 0);
}

void locks_round(void)
{
    pthread_barrier_wait(&rounds);
}

void locks_print(void)
{
    const program *first = &run.programs[0];
    for (uint32_t i = 0; i < first->style->events * first->style->events; i++) {
        float ms = 0;
        if (aclrtEventElapsedTime(&ms, first->events[i / first->style->events].handle,
                                  first->events[i % first->style->events].handle) == ACL_SUCCESS)
            printf("%.5f ", ms);
    }
    printf("\ndigest %016llx, locks %u %u %u\n", (unsigned long long)run.met, guarded[0],
           guarded[1], guarded[2]);
}

static void submit_some(program *p)
{
    for (uint32_t left = 1 + below(p, 6); left > 0; left--)
        take_step(p, SUBMIT);
}

void submit_several(program *p, uint32_t lane)
{
    (void)lane;
    submit_some(p);
}

static void wait_once(program *p)
{
    take_step(p, WAIT);
}

static struct timespec in_us(clockid_t clock, uint32_t us)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += (long)us * 1000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

void lock_some(program *p, uint32_t lane)
{
    (void)lane;
    uint32_t which = below(p, LOCK_COUNT);
    if (below(p, 3) != 0) {
        pthread_mutex_lock(&locks[which]);
    } else if (pthread_mutex_trylock(&locks[which]) != 0) {
        meet(p, 7);
        return;
    }
    meet(p, guarded[which] = guarded[which] * 31 + p->index);
    if (below(p, 4) == 0)
        submit_some(p); /* calls under a lock: others block on it meanwhile */
    if (below(p, 6) == 0)
        wait_once(p);
    pthread_mutex_unlock(&locks[which]);
}

void read_or_write(program *p, uint32_t lane)
{
    (void)lane;
    bool writes = below(p, 3) == 0;
    if (writes)
        pthread_rwlock_wrlock(&table);
    else
        pthread_rwlock_rdlock(&table);
    if (below(p, 3) == 0)
        wait_once(p);
    meet(p, writes);
    pthread_rwlock_unlock(&table);
    pthread_spin_lock(&spin);
    meet(p, 11);
    pthread_spin_unlock(&spin);
}

/* It adds a token first, so no thread waits for ever. */
void pass_token(program *p, uint32_t lane)
{
    (void)lane;
    sem_post(&tokens);
    if (below(p, 2) == 0)
        submit_some(p);
    sem_wait(&tokens);
    if (below(p, 4) == 0) {
        const struct timespec soon = in_us(CLOCK_REALTIME, 300);
        bool got = sem_timedwait(&tokens, &soon) == 0;
        meet(p, got);
        if (got)
            sem_post(&tokens);
    }
}

void wait_for_change(program *p, uint32_t lane)
{
    (void)lane;
    int error = 0;
    pthread_mutex_lock(&locks[0]);
    uint32_t seen = version;
    if (below(p, 2) == 0) {
        version++;
        if (below(p, 2) == 0)
            pthread_cond_broadcast(&changed);
        else
            pthread_cond_signal(&changed);
    } else {
        const struct timespec soon = in_us(CLOCK_MONOTONIC, 200 + below(p, 400));
        while (version == seen && error == 0)
            error = pthread_cond_clockwait(&changed, &locks[0], CLOCK_MONOTONIC, &soon);
        meet(p, (uint64_t)(error != 0) + version);
    }
    pthread_mutex_unlock(&locks[0]);
}

void rest(program *p, uint32_t lane)
{
    (void)lane;
    const struct timespec some = {.tv_nsec = 1000 + (long)below(p, 200000)};
    if (below(p, 3) == 0)
        nanosleep(&some, NULL);
    else
        sched_yield();
}

static void initialize(void)
{
    OK(aclrtSynchronizeStream(run.programs[0].lanes[0].stream));
    run.met += 13;
}

void call_once(program *p, uint32_t lane)
{
    (void)p, (void)lane;
    pthread_once(&once, initialize);
}

/* Its program is the parent's, with other numbers; it does not start threads. */
void start_child(program *p, uint32_t lane)
{
    (void)lane;
    static atomic_uint children;
    pthread_t thread;
    program *child = p->is_child ? NULL : malloc(sizeof(*child));
    if (!child)
        return;
    *child = *p;
    child->is_child = true;
    child->index = RANDOM_THREADS_MOST + children++;
    random_seed(&child->random, run.options.seed, child->index);
    if (pthread_create(&thread, NULL, child_main, child) != 0)
        abort();
    if (below(p, 2) == 0)
        submit_some(p);
    pthread_join(thread, NULL);
}
