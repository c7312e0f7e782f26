/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads wait: one runs the model, the others sleep and cost nothing; none runs it further
 * than their waits need. */
#define _DEFAULT_SOURCE /* clock_gettime */
#include "seam.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { WAITERS = 12, QUEUES = 64, TASKS = 1900, LARGE = 8 << 20 };

static twin_hw_device *device;

struct waiter {
    pthread_t thread;
    twin_queue *queue;
    twin_status status;
    uint64_t cpu_ns; /* that the thread has used in all */
};

static pthread_barrier_t attached;

static void *wait_for_queue(void *pointer)
{
    struct waiter *self = pointer;
    struct timespec used;
    seam->host.attach();
    pthread_barrier_wait(&attached);
    self->status = seam->queue.drain(self->queue, TWIN_FOREVER);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    self->cpu_ns = (uint64_t)used.tv_sec * SEAM_S + (uint64_t)used.tv_nsec;
    seam->host.detach();
    return NULL;
}

static void run_waiters(struct waiter *waiters, unsigned count, twin_queue *queue)
{
    pthread_barrier_init(&attached, NULL, count);
    seam->host.detach(); /* this thread only joins */
    for (unsigned i = 0; i < count; i++) {
        waiters[i] = (struct waiter){.queue = queue};
        if (pthread_create(&waiters[i].thread, NULL, wait_for_queue, &waiters[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(waiters[i].thread, NULL);
        SEAM_OK(waiters[i].status);
    }
    seam->host.attach();
    pthread_barrier_destroy(&attached);
}

static void test_one_runs_the_others_sleep(void)
{
    static twin_queue *queues[QUEUES];
    struct waiter waiters[WAITERS];
    uint64_t cell = 0;
    device = seam_up();
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 4096}, &cell));
    for (uint32_t i = 0; i < QUEUES; i++) {
        queues[i] = seam_queue(device, i);
        for (unsigned task = 0; task < TASKS; task++)
            SEAM_OK(seam->work.fill(queues[i], &(twin_fill){.dst = cell, .bytes = 8}));
    }
    run_waiters(waiters, WAITERS, queues[QUEUES - 1]);
    uint64_t all = 0;
    uint64_t most = 0;
    for (unsigned i = 0; i < WAITERS; i++) {
        all += waiters[i].cpu_ns;
        most = waiters[i].cpu_ns > most ? waiters[i].cpu_ns : most;
    }
    CU_ASSERT(all - most < most / 2);
    if (all - most >= most / 2)
        fprintf(stderr, "all %llu ns, the driver %llu ns\n", (unsigned long long)all,
                (unsigned long long)most);
    for (uint32_t i = 0; i < QUEUES; i++) {
        SEAM_OK(seam->queue.drain(queues[i], TWIN_FOREVER));
        seam_drop_queue(queues[i]);
    }
    SEAM_OK(seam->memory.free(cell));
    seam_down(device);
}

/* A copy on another queue takes far longer than what they wait for. */
static void test_no_thread_runs_further(void)
{
    struct waiter waiters[4];
    uint64_t cell = 0;
    void *host = NULL;
    device = seam_up();
    twin_queue *near = seam_queue(device, 1);
    twin_queue *far = seam_queue(device, 2);
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = LARGE}, &cell));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = LARGE}, &host));
    const volatile unsigned char *bytes = host;
    for (int round = 0; round < 20; round++) {
        SEAM_OK(seam->work.copy(far,
                                &(twin_copy){.dst = (uintptr_t)host, .src = cell, .bytes = LARGE}));
        SEAM_OK(seam->work.fill(near, &(twin_fill){.dst = cell, .bytes = 8}));
        run_waiters(waiters, 4, near);
        /* All of them have returned, one as the driver; the other queue's copy has not ended. */
        CU_ASSERT(bytes && bytes[LARGE - 1] == 0);
        SEAM_OK(seam->queue.abort(far));
    }
    SEAM_OK(seam->memory.host_free(host));
    SEAM_OK(seam->memory.free(cell));
    seam_drop_queue(near);
    seam_drop_queue(far);
    seam_down(device);
}

static const twin_test tests[] = {
    {"one thread runs the model, the other waiting threads use no time",
     test_one_runs_the_others_sleep},
    {"a wait that is met ends, and no thread runs the model further", test_no_thread_runs_further},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("backend.sim_sleepers", tests, TWIN_COUNT(tests), argc, argv);
}
