/* SPDX-License-Identifier: Apache-2.0 */
/* Time while some attached thread runs: it does not jump over what that thread may still do. Rules
 * HOST-4, HOST-5. */
#define _DEFAULT_SOURCE /* usleep */
#include "seam.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static twin_hw_device *device;
static twin_queue *a;
static twin_queue *b;
static twin_signal *gate;

static void up(void)
{
    device = seam_up();
    a = seam_queue(device, 11);
    b = seam_queue(device, 12);
    gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 5);
}

static void down(void)
{
    seam_drop_queue(a);
    seam_drop_queue(b);
    seam->signal.destroy(gate);
    seam_down(device);
}

struct waiter {
    pthread_t thread;
    uint64_t timeout_ns;
    atomic_bool attached;
    twin_status status;
    uint64_t wall_ns;
    uint64_t virtual_ns;
};

static void *drain_a(void *pointer)
{
    struct waiter *self = pointer;
    seam->host.attach();
    atomic_store(&self->attached, true);
    uint64_t began = seam_wall();
    uint64_t clock = seam->host.now();
    self->status = seam->queue.drain(a, self->timeout_ns);
    self->wall_ns = seam_wall() - began;
    self->virtual_ns = seam->host.now() - clock;
    seam->host.detach();
    return NULL;
}

/* Returns when the other thread takes part; it waits for queue a then or soon. */
static void start(struct waiter *waiter, uint64_t timeout_ns)
{
    atomic_init(&waiter->attached, false);
    waiter->timeout_ns = timeout_ns;
    if (pthread_create(&waiter->thread, NULL, drain_a, waiter) != 0)
        abort();
    while (!atomic_load(&waiter->attached))
        usleep(100);
}

/* This thread is elsewhere meanwhile, so that the waiter is in no deadlock. */
static void join(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
}

static uint64_t cpu_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SEAM_S +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

/* Later work in the calendar is not a reason to let the time of the host's limit pass at once. */
static void test_host_limit_before_later_work(void)
{
    up();
    struct waiter waiter;
    SEAM_OK(seam->work.wait(a, gate, 2 * SEAM_HOUR));
    start(&waiter, SEAM_HOUR);
    usleep(50000);
    SEAM_OK(seam->work.record(b, gate));
    join(&waiter);
    SEAM_STATUS(waiter.status, TWIN_OK);
    CU_ASSERT(waiter.virtual_ns <
              SEAM_HOUR); /* the record came before the limit in device time too */
    down();
}

static void test_host_limit_passes_for_real(void)
{
    static const uint64_t device_limits[] = {TWIN_FOREVER, SEAM_HOUR};
    for (unsigned i = 0; i < 2; i++) {
        up();
        struct waiter waiter;
        SEAM_OK(seam->work.wait(a, gate, device_limits[i]));
        start(&waiter, 100 * SEAM_MS);
        join(&waiter);
        SEAM_STATUS(waiter.status, TWIN_E_TIMEOUT);
        CU_ASSERT(waiter.wall_ns >= 99 * SEAM_MS);
        CU_ASSERT(waiter.virtual_ns >= 100 * SEAM_MS);
        /* The clock has passed the limit: work that is submitted now comes after it. */
        uint64_t before = seam->host.now();
        seam_call(TWIN_COST_LOCAL);
        CU_ASSERT(seam->host.now() >= before + 99 * SEAM_MS);
        SEAM_OK(seam->work.record(b, gate));
        SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
        down();
    }
}

static void test_device_limit_waits_for_a_thread(void)
{
    up();
    struct waiter waiter;
    SEAM_OK(seam->work.wait(a, gate, SEAM_HOUR));
    start(&waiter, TWIN_FOREVER);
    usleep(50000);
    SEAM_OK(seam->work.record(b, gate));
    join(&waiter);
    SEAM_STATUS(waiter.status, TWIN_OK);
    down();
}

static void test_device_limit_passes_for_real(void)
{
    up();
    struct waiter waiter;
    SEAM_OK(seam->work.wait(a, gate, 400 * SEAM_MS));
    uint64_t cpu = cpu_ns();
    start(&waiter, TWIN_FOREVER);
    join(&waiter);
    SEAM_STATUS(waiter.status, TWIN_E_TASK_TIMEOUT);
    CU_ASSERT(waiter.wall_ns >= 390 * SEAM_MS);
    CU_ASSERT(cpu_ns() - cpu < waiter.wall_ns / 2); /* it sleeps */
    down();
}

static void test_device_limit_alone(void)
{
    up();
    SEAM_OK(seam->work.wait(a, gate, SEAM_HOUR));
    SEAM_STATUS(seam->queue.drain(a, TWIN_FOREVER), TWIN_E_TASK_TIMEOUT);
    down();
}

/* A thread that polls advances time; everything before its clock has passed, for the other threads
 * too. */
static void test_poller_carries_time(void)
{
    up();
    struct waiter waiter;
    bool idle = false;
    SEAM_OK(seam->work.wait(a, gate, TWIN_FOREVER));
    start(&waiter, SEAM_HOUR);
    while (seam->host.now() < 100 * SEAM_MS) { /* in some real time, too */
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(a, &idle));
    }
    SEAM_OK(seam->work.record(b, gate));
    join(&waiter);
    SEAM_STATUS(waiter.status, TWIN_OK);

    SEAM_OK(seam->work.wait(a, gate, TWIN_FOREVER));
    uint64_t until = seam->host.now() + 20 * SEAM_MS;
    start(&waiter, 10 * SEAM_MS);
    usleep(1000);
    while (seam->host.now() < until) {
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(a, &idle));
    }
    SEAM_OK(seam->work.record(b, gate)); /* too late */
    join(&waiter);
    SEAM_STATUS(waiter.status, TWIN_E_TIMEOUT);
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    down();
}

static const twin_test tests[] = {
    {"a thread that runs may record before a host limit, with any work after it",
     test_host_limit_before_later_work},
    {"a host limit passes in real time while a thread runs", test_host_limit_passes_for_real},
    {"a thread that runs may record before a device limit", test_device_limit_waits_for_a_thread},
    {"a device limit passes in real time while a thread runs", test_device_limit_passes_for_real},
    {"a device limit costs nothing when all threads wait", test_device_limit_alone},
    {"a polling thread advances time for waiting threads", test_poller_carries_time},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_held_runs", tests, TWIN_COUNT(tests), argc, argv);
}
