/* SPDX-License-Identifier: Apache-2.0 */
/* When a wait without an end is a deadlock, and time-outs take no real time: only when nobody can act. */
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

static void *sleep_behind(void *pointer)
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
    if (pthread_create(&thread, NULL, sleep_behind, &held) != 0)
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

static const twin_test tests[] = {
    {"a thread that computes or sleeps before its first call is waited for",
     test_a_late_thread_is_waited_for},
    {"a thread that waits for another one counts as blocked where that is reported",
     test_a_thread_that_waits_for_this_one},
};

int main(int argc, char **argv)
{
    seam_load(SEAM_PLUGIN);
    return twin_run_suite("sim_verdict", tests, TWIN_COUNT(tests), argc, argv);
}
