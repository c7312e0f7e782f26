/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: timeouts, deadlocks, several threads, hand-over. Rules HOST-3 to HOST-6 of the
 * design. */
#define _DEFAULT_SOURCE /* usleep */
#include "seam.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static twin_hw_device *device;
static twin_queue *a;
static twin_queue *b;
static twin_signal *never;
static uint64_t cell;

static void up(void)
{
    device = seam_up();
    a = seam_queue(device, 11);
    b = seam_queue(device, 12);
    never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 5);
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 1 << 20}, &cell));
}

static void down(void)
{
    seam_drop_queue(a);
    seam_drop_queue(b);
    seam->signal.destroy(never);
    SEAM_OK(seam->memory.free(cell));
    seam_down(device);
}

static void test_timeout_costs_nothing(void)
{
    up();
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    uint64_t before = seam->host.now();
    SEAM_STATUS(seam->queue.drain(a, SEAM_HOUR), TWIN_E_TIMEOUT);
    CU_ASSERT(seam->host.now() >= before + SEAM_HOUR);
    CU_ASSERT(seam->host.now() < before + SEAM_HOUR + SEAM_MS);
    before = seam->host.now();
    SEAM_STATUS(seam->queue.drain(a, 0), TWIN_E_TIMEOUT);
    CU_ASSERT(seam->host.now() == before);
    /* What comes later still counts. */
    SEAM_OK(seam->work.record(b, never));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    down();
}

static void test_timeout_before_the_work(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    /* 1 MiB at 600 MB/s per direction of the HBM and 1 us of set-up: done within 10 us, not within
     * 1. */
    SEAM_OK(seam->work.fill(a, &(twin_fill){.dst = cell, .bytes = 1 << 20}));
    SEAM_OK(seam->work.record(a, event));
    SEAM_STATUS(seam->signal.wait(event, 1000), TWIN_E_TIMEOUT);
    SEAM_OK(seam->signal.wait(event, SEAM_MS));
    seam->signal.destroy(event);
    down();
}

static void test_deadlock_alone(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 3);
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    SEAM_STATUS(seam->queue.drain(b, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_explained("stream 11: waits for notify 5"));
    CU_ASSERT(seam_explained("no record was submitted"));
    CU_ASSERT(seam_explained("stream 12: waits for event 3"));
    CU_ASSERT(seam_explained("to be recorded by stream 11"));
    CU_ASSERT(seam_logged_times("deadlock") == 1);
    /* Not the end: a record resolves it. */
    twin_queue *c = seam_queue(device, 13);
    SEAM_OK(seam->work.record(c, never));
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    seam->queue.destroy(c);
    seam->signal.destroy(event);
    down();
}

/* A record that was lost cannot end the wait: the report says so. */
static void test_deadlock_after_a_lost_record(void)
{
    up();
    const twin_fault fault = {.kind = TWIN_FAULT_RECORD_LOST,
                              .device = TWIN_FAULT_ANY,
                              .stream = TWIN_FAULT_ANY,
                              .task = TWIN_FAULT_TASK_EVENT_RECORD,
                              .id = TWIN_FAULT_ANY,
                              .first = 1};
    uint32_t number = 0;
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 3);
    twin_queue *c = seam_queue(device, 13);
    SEAM_OK(seam->fault.inject(&fault, &number));
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    SEAM_OK(seam->work.record(c, never));
    SEAM_STATUS(seam->queue.drain(b, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_explained("stream 12: waits for event 3"));
    CU_ASSERT(seam_explained("no record is pending: the last one, task 2 of stream 11, was lost"));
    CU_ASSERT(!seam_explained("no record was submitted"));
    SEAM_OK(seam->fault.remove(number));
    SEAM_OK(seam->queue.abort(b));
    seam->queue.destroy(c);
    seam->signal.destroy(event);
    down();
}

static void test_deadlock_after_a_record_that_was_used_up(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 3);
    SEAM_OK(seam->work.record(a, never));
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.reset(a, event));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    SEAM_STATUS(seam->queue.drain(b, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_explained("waits for notify 5"));
    CU_ASSERT(seam_explained(
        "no record is pending: the last one, task 1 of stream 11, is complete and used up"));
    CU_ASSERT(seam_explained("waits for event 3"));
    CU_ASSERT(
        seam_explained("no record is pending: the last one, task 3 of stream 11, is done, and "
                       "the event was reset"));
    CU_ASSERT(!seam_explained("no record was submitted"));
    SEAM_OK(seam->queue.abort(a));
    SEAM_OK(seam->queue.abort(b));
    seam->signal.destroy(event);
    down();
}

/* The stream of the last record may have begun anew, or be gone. */
static void test_deadlock_after_a_stream_that_is_gone(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 3);
    twin_queue *c = seam_queue(device, 13);
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.record(c, never));
    SEAM_OK(seam->work.wait(c, never, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    SEAM_STATUS(seam->queue.drain(a, 0), TWIN_E_TIMEOUT);
    SEAM_OK(seam->queue.abort(a));
    SEAM_STATUS(seam->queue.drain(b, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_explained("waits for event 3"));
    CU_ASSERT(seam_explained("no record is pending: the last one was dropped"));
    SEAM_OK(seam->queue.abort(b));
    SEAM_OK(seam->queue.abort(c));
    seam->queue.destroy(c);
    seam->signal.destroy(event);
    down();
}

static void test_deadlock_of_a_sender(void)
{
    up();
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    twin_fill fill = {.dst = cell, .bytes = 8};
    while (seam->work.fill(a, &fill) == TWIN_OK)
        continue;
    SEAM_STATUS(seam->queue.room(a), TWIN_E_DEADLOCK);
    down();
}

/* ---- threads -------------------------------------------------------------------------------- */

struct waiter {
    pthread_t thread;
    twin_queue *queue;
    uint64_t timeout_ns;
    atomic_bool attached;
    twin_status status;
};

static void *wait_on(void *pointer)
{
    struct waiter *self = pointer;
    seam->host.attach();
    atomic_store(&self->attached, true);
    self->status = seam->queue.drain(self->queue, self->timeout_ns);
    seam->host.detach();
    return NULL;
}

/* Returns when the other thread takes part; it waits then or soon. */
static void start(struct waiter *waiter, twin_queue *queue, uint64_t timeout_ns)
{
    atomic_init(&waiter->attached, false);
    waiter->queue = queue;
    waiter->timeout_ns = timeout_ns;
    if (pthread_create(&waiter->thread, NULL, wait_on, waiter) != 0)
        abort();
    while (!atomic_load(&waiter->attached))
        usleep(100);
}

static void test_deadlock_of_two(void)
{
    up();
    struct waiter other;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(b, never, TWIN_FOREVER));
    start(&other, a, TWIN_FOREVER);
    SEAM_STATUS(seam->queue.drain(b, TWIN_FOREVER), TWIN_E_DEADLOCK);
    pthread_join(other.thread, NULL);
    SEAM_STATUS(other.status, TWIN_E_DEADLOCK);
    down();
}

static void test_submit_wakes_the_driver(void)
{
    up();
    struct waiter other;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    start(&other, a, TWIN_FOREVER);
    usleep(50000); /* the driver has parked by now; sooner is as good */
    SEAM_OK(seam->work.record(b, never));
    pthread_join(other.thread, NULL);
    SEAM_STATUS(other.status, TWIN_OK);
    CU_ASSERT(!seam_logged("deadlock"));
    down();
}

/* This thread is attached and busy elsewhere: the other waits in real time. */
static void test_timeout_beside_a_runner(void)
{
    up();
    struct waiter other;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    uint64_t wall = seam_wall();
    start(&other, a, 100 * SEAM_MS);
    pthread_join(other.thread, NULL);
    SEAM_STATUS(other.status, TWIN_E_TIMEOUT);
    CU_ASSERT(seam_wall() - wall > 90 * SEAM_MS);
    down();
}

static void test_timeouts_of_two(void)
{
    up();
    struct waiter other;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(b, never, TWIN_FOREVER));
    start(&other, a, SEAM_HOUR);
    SEAM_STATUS(seam->queue.drain(b, 3 * SEAM_HOUR), TWIN_E_TIMEOUT);
    pthread_join(other.thread, NULL);
    SEAM_STATUS(other.status, TWIN_E_TIMEOUT);
    down();
}

static void *come_and_go(void *pointer)
{
    seam->host.attach();
    atomic_store((atomic_bool *)pointer, true);
    usleep(30000);
    seam->host.detach();
    return NULL;
}

/* The last running thread ends: then nothing can end the waits of the others. */
static void test_end_of_a_thread(void)
{
    up();
    pthread_t thread;
    atomic_bool there = false;
    uint64_t wall = seam_wall();
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    if (pthread_create(&thread, NULL, come_and_go, &there) != 0)
        abort();
    while (!atomic_load(&there))
        usleep(100);
    SEAM_STATUS(seam->queue.drain(a, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(seam_wall() - wall > 20 * SEAM_MS); /* while it ran there was hope */
    pthread_join(thread, NULL);
    down();
}

static void test_warning(void)
{
    up();
    struct waiter other;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    start(&other, a, TWIN_FOREVER);
    for (unsigned i = 0; i < 80 && !seam_logged("a wait lasts long"); i++)
        usleep(100000);
    CU_ASSERT(seam_logged("stream 11: waits for notify 5"));
    usleep(300000);
    CU_ASSERT(seam_logged_times("a wait lasts long") == 1);
    SEAM_OK(seam->work.record(b, never));
    pthread_join(other.thread, NULL);
    SEAM_STATUS(other.status, TWIN_OK);
    down();
}

static void test_abort_releases(void)
{
    up();
    struct waiter other;
    SEAM_OK(seam->work.wait(a, never, TWIN_FOREVER));
    start(&other, a, TWIN_FOREVER);
    usleep(20000);
    SEAM_OK(seam->queue.abort(a));
    pthread_join(other.thread, NULL);
    SEAM_STATUS(other.status, TWIN_E_ABORTED);
    down();
}

/* ---- many threads --------------------------------------------------------------------------- */

enum { THREADS = 16, ROUNDS = 300 };

struct worker {
    pthread_t thread;
    unsigned number;
    twin_queue *queue;
    twin_signal *events[2];
    uint64_t memory;
    unsigned failures;
};

static struct worker workers[THREADS];
static pthread_barrier_t together;

static void note(struct worker *self, bool good)
{
    self->failures += !good;
}

static void submit(struct worker *self, twin_status (*send)(struct worker *self, unsigned round),
                   unsigned round)
{
    twin_status status;
    while ((status = send(self, round)) == TWIN_E_BUSY)
        note(self, seam->queue.room(self->queue) == TWIN_OK);
    note(self, status == TWIN_OK);
}

static twin_status send_fill(struct worker *self, unsigned round)
{
    return seam->work.fill(self->queue, &(twin_fill){.dst = self->memory + 64 * (round % 16),
                                                     .value = (uint8_t)round,
                                                     .bytes = 64});
}

static twin_status send_record(struct worker *self, unsigned round)
{
    return seam->work.record(self->queue, self->events[round % 2]);
}

static void *work(void *pointer)
{
    struct worker *self = pointer;
    seam->host.attach();
    pthread_barrier_wait(&together);
    for (unsigned round = 0; round < ROUNDS; round++) {
        seam_call(TWIN_COST_SUBMIT);
        submit(self, send_fill, round);
        submit(self, send_record, round);
        switch ((self->number + round) % 4) {
        case 0:
            note(self, seam->queue.drain(self->queue, TWIN_FOREVER) == TWIN_OK);
            break;
        case 1:
            note(self, seam->signal.wait(self->events[round % 2], TWIN_FOREVER) == TWIN_OK);
            break;
        case 2: {
            unsigned char byte = 0;
            note(self, seam->queue.drain(self->queue, TWIN_FOREVER) == TWIN_OK);
            note(self,
                 seam->memory.copy(device, &(twin_copy){.dst = (uintptr_t)&byte,
                                                        .src = self->memory + 64 * (round % 16),
                                                        .bytes = 1}) == TWIN_OK);
            note(self, byte == (uint8_t)round);
            break;
        }
        default: {
            twin_signal_state state = {0};
            seam_call(TWIN_COST_POLL);
            note(self, seam->signal.query(self->events[round % 2], &state) == TWIN_OK);
            break;
        }
        }
    }
    note(self, seam->queue.drain(self->queue, TWIN_FOREVER) == TWIN_OK);
    seam->host.detach();
    return NULL;
}

static void test_many_threads(void)
{
    up();
    pthread_barrier_init(&together, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        struct worker *self = &workers[i];
        self->number = i;
        self->failures = 0;
        self->queue = seam_queue(device, 100 + i);
        self->events[0] = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 2 * i);
        self->events[1] = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 2 * i + 1);
        SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 1024}, &self->memory));
        if (pthread_create(&self->thread, NULL, work, self) != 0)
            abort();
    }
    for (unsigned i = 0; i < THREADS; i++) {
        struct worker *self = &workers[i];
        pthread_join(self->thread, NULL);
        CU_ASSERT(self->failures == 0);
        seam->signal.destroy(self->events[0]);
        seam->signal.destroy(self->events[1]);
        seam->queue.destroy(self->queue);
        SEAM_OK(seam->memory.free(self->memory));
    }
    pthread_barrier_destroy(&together);
    CU_ASSERT(!seam_logged("deadlock"));
    down();
}

/* A ring of threads, each waiting for its left neighbour's event of the round: the role goes
 * round. */
static void *pass_on(void *pointer)
{
    struct worker *self = pointer;
    struct worker *left = &workers[(self->number + THREADS - 1) % THREADS];
    seam->host.attach();
    for (unsigned round = 0; round < ROUNDS; round++) {
        submit(self, send_record, 1);
        pthread_barrier_wait(&together);
        note(self, seam->signal.wait(left->events[1], TWIN_FOREVER) == TWIN_OK);
        pthread_barrier_wait(&together);
    }
    seam->host.detach();
    return NULL;
}

static void test_hand_over(void)
{
    up();
    pthread_barrier_init(&together, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].failures = 0;
        workers[i].queue = seam_queue(device, 100 + i);
        workers[i].events[1] = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, i);
    }
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&workers[i].thread, NULL, pass_on, &workers[i]) != 0)
            abort();
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        CU_ASSERT(workers[i].failures == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        seam->signal.destroy(workers[i].events[1]);
        seam->queue.destroy(workers[i].queue);
    }
    pthread_barrier_destroy(&together);
    down();
}

/* One thread: the same calls give the same clock and the same times. */
static void test_repeats_exactly(void)
{
    uint64_t took[2];
    uint64_t span[2];
    for (unsigned run = 0; run < 2; run++) {
        up();
        twin_signal *events[2] = {seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1),
                                  seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 2)};
        seam_call(TWIN_COST_WAIT);
        SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
        uint64_t began = seam->host.now();
        uint64_t t[2];
        SEAM_OK(seam->work.record(a, events[0]));
        for (unsigned i = 0; i < 100; i++) {
            seam_call(TWIN_COST_SUBMIT);
            SEAM_OK(seam->work.fill(i % 2 ? a : b, &(twin_fill){.dst = cell, .bytes = 4096}));
        }
        SEAM_OK(seam->work.record(b, events[1]));
        SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
        SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
        SEAM_OK(seam->signal.timestamp(events[0], &t[0]));
        SEAM_OK(seam->signal.timestamp(events[1], &t[1]));
        took[run] = seam->host.now() - began;
        span[run] = (t[1] - t[0]) / 40; /* the runs may begin between two steps of the counter */
        seam->signal.destroy(events[0]);
        seam->signal.destroy(events[1]);
        down();
    }
    CU_ASSERT(took[0] == took[1]);
    CU_ASSERT(span[0] == span[1] || span[0] + 1 == span[1] || span[1] + 1 == span[0]);
}

/* ---- answers that another thread's wait has brought about ------------------------------------ */

static struct {
    sem_t entered, driven;
    twin_signal *event;
    uint64_t query_ns, idle_ns, wait_ns, drain_ns;
    bool complete, idle;
} late;

/* Its call has begun before the model is driven on; its queries then have the model's time. */
static void *ask_late(void *argument)
{
    twin_signal_state state = {.ask = TWIN_ASK_WAITS};
    uint64_t *out_ns = argument;
    seam->host.attach();
    seam_call(TWIN_COST_POLL);
    sem_post(&late.entered);
    sem_wait(&late.driven);
    if (out_ns == &late.query_ns) {
        (void)seam->signal.query(late.event, &state);
        late.complete = state.complete;
    } else if (out_ns == &late.idle_ns) {
        (void)seam->queue.query(a, &late.idle);
    } else if (out_ns == &late.wait_ns) {
        (void)seam->signal.wait(late.event, TWIN_FOREVER);
    } else {
        (void)seam->queue.drain(a, TWIN_FOREVER);
    }
    *out_ns = seam->host.now();
    seam->host.detach();
    return NULL;
}

/* HOST-4: no thread gets the answer "done" at an earlier time of its clock than the end. */
static void test_answers_are_of_the_models_time(void)
{
    uint64_t *const asked[] = {&late.query_ns, &late.idle_ns, &late.wait_ns, &late.drain_ns};
    for (unsigned i = 0; i < TWIN_COUNT(asked); i++) {
        pthread_t thread;
        uint64_t done_ns = 0;
        up();
        sem_init(&late.entered, 0, 0);
        sem_init(&late.driven, 0, 0);
        late.event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
        CU_ASSERT_FATAL(pthread_create(&thread, NULL, ask_late, asked[i]) == 0);
        sem_wait(&late.entered);
        for (unsigned copies = 0; copies < 50; copies++)
            SEAM_OK(seam->work.fill(a, &(twin_fill){.dst = cell, .bytes = 1 << 20}));
        SEAM_OK(seam->work.record(a, late.event));
        SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
        SEAM_OK(seam->signal.timestamp(late.event, &done_ns));
        sem_post(&late.driven);
        pthread_join(thread, NULL);
        CU_ASSERT(*asked[i] >= done_ns);
        seam->signal.destroy(late.event);
        sem_destroy(&late.entered);
        sem_destroy(&late.driven);
        down();
    }
    CU_ASSERT(late.complete && late.idle);
}

static const twin_test tests[] = {
    {"a timeout of an hour costs no wall time when all wait", test_timeout_costs_nothing},
    {"a timeout ends a wait before its work", test_timeout_before_the_work},
    {"a lone thread that waits for nothing gets a deadlock with names", test_deadlock_alone},
    {"a deadlock names the lost record that a wait was for", test_deadlock_after_a_lost_record},
    {"a deadlock report names records that were used up",
     test_deadlock_after_a_record_that_was_used_up},
    {"a deadlock report names a record that was dropped",
     test_deadlock_after_a_stream_that_is_gone},
    {"a sender held for ever gets a deadlock", test_deadlock_of_a_sender},
    {"a thread sees the effect of another's wait at the model's time",
     test_answers_are_of_the_models_time},
    {"two threads that wait for nothing both end", test_deadlock_of_two},
    {"a submission wakes a driver that has parked", test_submit_wakes_the_driver},
    {"beside a running thread a timeout takes its time", test_timeout_beside_a_runner},
    {"two timeouts of two threads jump one after the other", test_timeouts_of_two},
    {"a thread that ends no longer keeps others waiting", test_end_of_a_thread},
    {"a long wait beside a running thread is reported once", test_warning},
    {"abort releases waiting threads", test_abort_releases},
    {"one thread's times repeat exactly", test_repeats_exactly},
    {"sixteen threads wait, poll and copy at once", test_many_threads},
    {"the role of the driver goes round", test_hand_over},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_wait", tests, TWIN_COUNT(tests), argc, argv);
}
