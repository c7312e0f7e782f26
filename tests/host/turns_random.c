/* SPDX-License-Identifier: Apache-2.0 */
/* A random program of a seed: threads that race for locks, semaphores, conditions, streams and
 * events, that sleep, time out, start threads and run host functions. What a thread does next
 * depends on what it met, so a run that differs anywhere soon differs everywhere. Prints a digest
 * of all that threads met, and the times of events (turns_test.py compares runs).
 *
 *   turns_random --seed=N [--calls=STEPS_OF_A_THREAD] [--threads=COUNT]      one thread: as many as
 *   the seed says */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "fault/random_support.h"

enum { LANES = 4, EVENTS = 4, LOCKS = 3, BYTES = 1 << 18 };

static random_options options = {.seed = 1, .calls = 40, .threads = 1};

static struct {
    pthread_mutex_t locks[LOCKS], counting;
    pthread_rwlock_t table;
    pthread_spinlock_t spin;
    pthread_cond_t changed;
    pthread_barrier_t round;
    pthread_once_t once;
    sem_t tokens;
    uint64_t met; /* of all threads: each adds what it met, without a lock */
    uint32_t guarded[LOCKS];
    uint32_t version; /* `changed` follows it; guarded by locks[0] */
    uint32_t calls_run;
    aclrtContext context;
    aclrtStream lanes[LANES];
    aclrtEvent events[EVENTS]; /* timed; recorded once at the beginning */
    void *memory;
} run;

struct worker {
    random_state random;
    uint32_t index;
    uint32_t depth;
    aclrtStream own;
    aclrtEvent begin, end;
};

static void must(const char *what, aclError code)
{
    if (code != ACL_SUCCESS)
        random_failure("%s answers %d: %s", what, code, aclGetRecentErrMsg());
}
#define OK(call) must(#call, (call))

static uint32_t below(struct worker *self, uint32_t limit)
{
    return random_below(&self->random, limit);
}

/* The program's only data race: what another thread wrote decides how this one goes on. */
static void meet(struct worker *self, uint64_t what)
{
    volatile uint64_t *met = &run.met;
    *met = (*met ^ what) * UINT64_C(0x9e3779b97f4a7c15) + self->index;
    self->random.word ^= *met >> 40;
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

static void host_function(void *data)
{
    (void)data;
    pthread_mutex_lock(
        &run.counting); /* held in no call: whoever waits for this function does not have it */
    run.calls_run++;
    pthread_mutex_unlock(&run.counting);
}

static void submit(struct worker *self)
{
    aclrtStream lane = below(self, 2) == 0 ? self->own : run.lanes[below(self, LANES)];
    aclrtEvent event = run.events[below(self, EVENTS)];
    for (uint32_t left = 1 + below(self, 6); left > 0; left--)
        switch (below(self, 10)) {
        case 0:
            OK(aclrtStreamWaitEvent(lane, event));
            break;
        case 1:
            OK(aclrtRecordEvent(event, lane));
            break;
        case 2:
            OK(aclrtLaunchHostFunc(lane, host_function, NULL));
            break;
        default:
            OK(aclrtMemsetAsync(run.memory, BYTES, 1, 1 + below(self, BYTES), lane));
            break;
        }
}

static void synchronize(struct worker *self)
{
    float ms = 0;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    switch (below(self, 4)) {
    case 0:
        OK(aclrtRecordEvent(self->begin, self->own));
        OK(aclrtMemsetAsync(run.memory, BYTES, 1, 1 + below(self, BYTES), self->own));
        OK(aclrtRecordEvent(self->end, self->own));
        OK(aclrtSynchronizeEvent(self->end));
        OK(aclrtEventElapsedTime(&ms, self->begin, self->end));
        meet(self, (uint64_t)(ms * 1e6F));
        break;
    case 1:
        OK(aclrtSynchronizeStream(run.lanes[below(self, LANES)]));
        break;
    case 2:
        OK(aclrtSynchronizeEvent(run.events[below(self, EVENTS)]));
        break;
    default:
        OK(aclrtQueryEventStatus(run.events[below(self, EVENTS)], &recorded));
        meet(self, (uint64_t)recorded);
        break;
    }
}

static void lock_some(struct worker *self)
{
    uint32_t which = below(self, LOCKS);
    if (below(self, 3) == 0) {
        if (pthread_mutex_trylock(&run.locks[which]) != 0) {
            meet(self, 7);
            return;
        }
    } else {
        pthread_mutex_lock(&run.locks[which]);
    }
    meet(self, run.guarded[which] = run.guarded[which] * 31 + self->index);
    if (below(self, 4) == 0)
        submit(self); /* calls under a lock: others block on it meanwhile */
    if (below(self, 6) == 0)
        synchronize(self);
    pthread_mutex_unlock(&run.locks[which]);
}

static void read_or_write(struct worker *self)
{
    bool writes = below(self, 3) == 0;
    if (writes)
        pthread_rwlock_wrlock(&run.table);
    else
        pthread_rwlock_rdlock(&run.table);
    if (below(self, 3) == 0)
        synchronize(self);
    meet(self, writes);
    pthread_rwlock_unlock(&run.table);
    pthread_spin_lock(&run.spin);
    meet(self, 11);
    pthread_spin_unlock(&run.spin);
}

/* A token of its own first: so nobody waits for ever. */
static void pass_token(struct worker *self)
{
    sem_post(&run.tokens);
    if (below(self, 2) == 0)
        submit(self);
    sem_wait(&run.tokens);
    if (below(self, 4) == 0) {
        const struct timespec soon = in_us(CLOCK_REALTIME, 300);
        bool got = sem_timedwait(&run.tokens, &soon) == 0;
        meet(self, got);
        if (got)
            sem_post(&run.tokens);
    }
}

static void wait_for_change(struct worker *self)
{
    int error = 0;
    pthread_mutex_lock(&run.locks[0]);
    uint32_t seen = run.version;
    if (below(self, 2) == 0) {
        run.version++;
        if (below(self, 2) == 0)
            pthread_cond_broadcast(&run.changed);
        else
            pthread_cond_signal(&run.changed);
    } else {
        const struct timespec soon = in_us(CLOCK_MONOTONIC, 200 + below(self, 400));
        while (run.version == seen && error == 0)
            error = pthread_cond_clockwait(&run.changed, &run.locks[0], CLOCK_MONOTONIC, &soon);
        meet(self, (uint64_t)(error != 0) + run.version);
    }
    pthread_mutex_unlock(&run.locks[0]);
}

static void rest(struct worker *self)
{
    const struct timespec some = {.tv_nsec = 1000 + (long)below(self, 200000)};
    if (below(self, 3) == 0)
        nanosleep(&some, NULL);
    else
        sched_yield();
}

static void initialize(void)
{
    OK(aclrtSynchronizeStream(run.lanes[0]));
    run.met += 13;
}

static void *child_main(void *argument);

static void start_child(struct worker *self)
{
    static atomic_uint children;
    pthread_t thread;
    struct worker *child = calloc(1, sizeof(*child));
    if (!child || self->depth != 0) {
        free(child);
        return;
    }
    child->index = 100 + children++;
    child->depth = 1;
    child->own = self->own;
    child->begin = self->begin;
    child->end = self->end;
    random_seed(&child->random, options.seed, child->index);
    if (pthread_create(&thread, NULL, child_main, child) != 0)
        abort();
    if (below(self, 2) == 0)
        submit(self);
    pthread_join(thread, NULL);
}

static void step(struct worker *self)
{
    uint32_t dice = below(self, 100);
    if (dice < 30)
        submit(self);
    else if (dice < 45)
        synchronize(self);
    else if (dice < 65)
        lock_some(self);
    else if (dice < 75)
        read_or_write(self);
    else if (dice < 85)
        pass_token(self);
    else if (dice < 91)
        wait_for_change(self);
    else if (dice < 96)
        rest(self);
    else if (dice < 98)
        pthread_once(&run.once, initialize);
    else
        start_child(self);
}

static void *child_main(void *argument)
{
    struct worker *self = argument;
    OK(aclrtSetCurrentContext(run.context));
    for (uint32_t left = 5; left > 0; left--)
        step(self);
    free(self);
    return NULL;
}

static void *work(void *argument)
{
    struct worker *self = argument;
    OK(aclrtSetCurrentContext(run.context));
    OK(aclrtCreateStream(&self->own));
    OK(aclrtCreateEventWithFlag(&self->begin, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    OK(aclrtCreateEventWithFlag(&self->end, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    for (uint64_t left = options.calls; left > 0; left--) {
        step(self);
        if (left % 16 == 0)
            pthread_barrier_wait(&run.round);
    }
    OK(aclrtSynchronizeStream(self->own));
    return NULL;
}

static void make_all(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtGetCurrentContext(&run.context));
    OK(aclrtMalloc(&run.memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    for (uint32_t i = 0; i < LANES; i++)
        OK(aclrtCreateStream(&run.lanes[i]));
    for (uint32_t i = 0; i < EVENTS; i++) {
        OK(aclrtCreateEventWithFlag(&run.events[i], ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
        OK(aclrtRecordEvent(run.events[i], run.lanes[i % LANES]));
    }
    for (uint32_t i = 0; i < LOCKS; i++)
        pthread_mutex_init(&run.locks[i], NULL);
    pthread_mutex_init(&run.counting, NULL);
    pthread_rwlock_init(&run.table, NULL);
    pthread_spin_init(&run.spin, PTHREAD_PROCESS_PRIVATE);
    pthread_cond_init(&run.changed, NULL);
    pthread_barrier_init(&run.round, NULL, options.threads);
    run.once = (pthread_once_t)PTHREAD_ONCE_INIT;
    sem_init(&run.tokens, 0, 0);
}

int main(int argc, char **argv)
{
    static struct worker workers[RANDOM_THREADS_MOST];
    pthread_t threads[RANDOM_THREADS_MOST];
    random_state random;
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_seed(&random, options.seed, 1000);
    if (options.threads == 1)
        options.threads = 2 + random_below(&random, 5);
    make_all();
    for (uint32_t i = 0; i < options.threads; i++) {
        workers[i].index = i;
        random_seed(&workers[i].random, options.seed, i);
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < options.threads; i++)
        pthread_join(threads[i], NULL);
    OK(aclrtSynchronizeDevice());
    for (uint32_t i = 0; i < EVENTS; i++) {
        float ms = 0;
        for (uint32_t j = 0; j < EVENTS; j++)
            if (aclrtEventElapsedTime(&ms, run.events[i], run.events[j]) == ACL_SUCCESS)
                printf("%.5f ", ms);
    }
    printf("\nseed %llu: digest %016llx, locks %u %u %u, %u host functions\n",
           (unsigned long long)options.seed, (unsigned long long)run.met, run.guarded[0],
           run.guarded[1], run.guarded[2], run.calls_run);
    OK(aclrtResetDeviceForce(0));
    OK(aclFinalize());
    return random_failures() == 0 ? 0 : 1;
}
