/* SPDX-License-Identifier: Apache-2.0 */
/* A wait without an end is a deadlock, and time-outs take no real time, only when no thread can
 * act. */
#define _DEFAULT_SOURCE /* usleep */
#include "seam.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static twin_hw_device *device;
static twin_queue *a;
static twin_queue *b;
static twin_signal *never;

static void up(void)
{
    device = seam_up();
    a = seam_queue(device, 11);
    b = seam_queue(device, 12);
    never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 5);
}

static void down(void)
{
    seam_drop_queue(a);
    seam_drop_queue(b);
    seam->signal.destroy(never);
    seam_down(device);
}

struct late {
    pthread_t thread;
    bool sleeps;
    twin_status recorded;
};

/* Works for itself or sleeps, then makes its first call. */
static void *come_late(void *pointer)
{
    struct late *self = pointer;
    struct timespec used = {0};
    if (self->sleeps)
        usleep(700000);
    while (!self->sleeps && used.tv_sec < 1)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    seam->host.attach();
    self->recorded = seam->work.record(b, never);
    seam->host.detach();
    return NULL;
}

static void test_a_late_thread_is_waited_for(void)
{
    up();
    for (unsigned i = 0; i < 2; i++) {
        struct late late = {.sleeps = i == 0, .recorded = TWIN_E_INTERNAL};
        SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
        if (pthread_create(&late.thread, NULL, come_late, &late) != 0)
            abort();
        SEAM_STATUS(seam->queue.drain(a, 50 * SEAM_MS), TWIN_E_TIMEOUT);
        SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
        CU_ASSERT(!seam_logged("deadlock"));
        pthread_join(late.thread, NULL);
        SEAM_OK(late.recorded);
    }
    down();
}

static void *sleep_on_mutex(void *pointer)
{
    pthread_mutex_lock(pointer);
    pthread_mutex_unlock(pointer);
    return NULL;
}

/* A thread that waits for this one cannot act, but only a report of that makes a proof. */
static void test_a_thread_that_waits_for_this_one(void)
{
    up();
    pthread_t thread;
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&held);
    if (pthread_create(&thread, NULL, sleep_on_mutex, &held) != 0)
        abort();
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    uint64_t wall = seam_wall();
    SEAM_STATUS(seam->queue.drain(a, 100 * SEAM_MS), TWIN_E_TIMEOUT);
    CU_ASSERT(seam_wall() - wall > 90 * SEAM_MS);
    atomic_store(&seam_blocked, 1);
    SEAM_STATUS(seam->queue.drain(a, SEAM_HOUR), TWIN_E_TIMEOUT);
    SEAM_STATUS(seam->queue.drain(a, TWIN_FOREVER), TWIN_E_DEADLOCK);
    SEAM_STATUS(seam->queue.drain(a, TWIN_FOREVER), TWIN_E_DEADLOCK);
    atomic_store(&seam_blocked, 0);
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
    down();
}

static void *wait_on_a(void *pointer)
{
    seam->host.attach();
    *(twin_status *)pointer = seam->queue.drain(a, TWIN_FOREVER);
    seam->host.detach();
    return NULL;
}

static void *call_once(void *pointer)
{
    seam->host.attach();
    seam_call(TWIN_COST_LOCAL);
    seam->host.detach();
    return pointer;
}

/* Each of them might end the wait, so it is not a deadlock; it is reported in time all the same. */
static void test_a_wait_beside_threads_that_come_and_go(void)
{
    up();
    pthread_t waiting;
    twin_status status = TWIN_E_INTERNAL;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    if (pthread_create(&waiting, NULL, wait_on_a, &status) != 0)
        abort();
    const uint64_t began = seam_wall();
    while (!seam_logged("a wait lasts long") && seam_wall() - began < 60000 * SEAM_MS) {
        pthread_t other;
        if (pthread_create(&other, NULL, call_once, NULL) != 0)
            abort();
        pthread_join(other, NULL);
        usleep(5000);
    }
    CU_ASSERT(seam_wall() - began > 4900 * SEAM_MS);
    CU_ASSERT(seam_logged("stream 11: waits for notify 5"));
    CU_ASSERT(seam_logged("waits for task 1 of stream 11 of device 0"));
    CU_ASSERT(!seam_logged("deadlock"));
    SEAM_OK(seam->work.record(b, never));
    pthread_join(waiting, NULL);
    SEAM_OK(status);
    down();
}

/* The wait of a forced reset: the device goes on by itself, or not. */
static void test_unaided_waits(void)
{
    enum { BYTES = 1 << 20 };
    up();
    uint64_t cell;
    pthread_t thread;
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&held);
    if (pthread_create(&thread, NULL, sleep_on_mutex, &held) != 0) /* it might act */
        abort();
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BYTES}, &cell));
    SEAM_OK(seam->work.fill(a, &(twin_fill){.dst = cell, .bytes = BYTES}));
    SEAM_OK(seam->queue.drain(a, TWIN_UNAIDED));
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_STATUS(seam->queue.drain(a, TWIN_UNAIDED), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_explained("the device cannot finish by itself"));
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
    SEAM_OK(seam->queue.abort(a));
    SEAM_OK(seam->memory.free(cell));
    down();
}

/* ---- repeated polls -------------------------------------------------------------------------- */

enum { BIG = 256 << 20 };

/* Polls until the queue is idle, at most so often; the number of polls. */
static unsigned poll_queue(twin_queue *queue, unsigned most)
{
    bool idle = false;
    unsigned polls = 0;
    while (!idle && polls < most) {
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(queue, &idle));
        polls++;
    }
    return polls;
}

static void test_polls_reach_the_next_task(void)
{
    enum { EQUAL = 16, TASKS = 3 };
    up();
    uint64_t cell;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BIG}, &cell));
    for (unsigned i = 0; i < TASKS; i++)
        SEAM_OK(seam->work.fill(a, &(twin_fill){.dst = cell, .bytes = BIG}));
    const uint64_t began = seam->host.now();
    CU_ASSERT(poll_queue(a, EQUAL) == EQUAL);
    const uint64_t cost = (seam->host.now() - began) / EQUAL;
    CU_ASSERT(cost * EQUAL == seam->host.now() - began); /* nothing but what the calls cost */
    /* Each further poll comes to a task that begins or ends: at most two for each task. */
    const unsigned more = poll_queue(a, 100);
    CU_ASSERT(more >= TASKS && more <= 3 * TASKS);
    const uint64_t polled = seam->host.now();
    SEAM_OK(seam->work.fill(a, &(twin_fill){.dst = cell, .bytes = BIG}));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    /* Three fills took three times as long as one, up to the few us around each. */
    const uint64_t one = seam->host.now() - polled;
    CU_ASSERT(polled - began > TASKS * one * 9 / 10 && polled - began < TASKS * one * 11 / 10);
    SEAM_OK(seam->memory.free(cell));
    down();
}

/* New work is a new question. */
static void test_new_work_is_a_new_question(void)
{
    up();
    uint64_t cell;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BIG}, &cell));
    for (unsigned i = 0; i < 4; i++) {
        SEAM_OK(seam->work.fill(a, &(twin_fill){.dst = cell, .bytes = BIG}));
        const uint64_t began = seam->host.now();
        CU_ASSERT(poll_queue(a, 15) == 15);
        CU_ASSERT(seam->host.now() - began < SEAM_MS);
    }
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->memory.free(cell));
    down();
}

/* A thread that may record the awaited event runs: its polls do not end the wait of the other
 * one. */
static void test_polls_pass_no_limit_of_others(void)
{
    up();
    struct late other = {.recorded = TWIN_E_INTERNAL};
    SEAM_OK(seam->work.wait(a, never, SEAM_MS)); /* the device's limit: 1 ms */
    if (pthread_create(&other.thread, NULL, come_late, &other) != 0)
        abort();
    CU_ASSERT(poll_queue(a, 100) == 100);
    SEAM_OK(seam->work.record(b, never));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    pthread_join(other.thread, NULL);
    down();
}

/* No other thread can act: the limit comes. */
static void test_polls_come_to_a_limit(void)
{
    up();
    SEAM_OK(seam->work.wait(a, never, 1000 * SEAM_MS));
    CU_ASSERT(poll_queue(a, 100) < 30);
    CU_ASSERT(seam->queue.drain(a, TWIN_FOREVER) != TWIN_OK);
    down();
}

static const twin_test tests[] = {
    {"a thread that computes or sleeps before its first call is waited for",
     test_a_late_thread_is_waited_for},
    {"a thread that waits for another one counts as blocked where that is reported",
     test_a_thread_that_waits_for_this_one},
    {"a long wait beside threads that come and go is reported",
     test_a_wait_beside_threads_that_come_and_go},
    {"an unaided wait ends without regard to other threads", test_unaided_waits},
    {"after 16 equal answers a poll comes to the next task that begins or ends",
     test_polls_reach_the_next_task},
    {"polls after new work are counted anew", test_new_work_is_a_new_question},
    {"polls pass no time limit that another thread can still avert",
     test_polls_pass_no_limit_of_others},
    {"polls reach a time limit that no thread can avert", test_polls_come_to_a_limit},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_verdict", tests, TWIN_COUNT(tests), argc, argv);
}
