/* SPDX-License-Identifier: Apache-2.0 */
/* TWINRT_CLOCK=wall: device time is real time. Only that something takes at least its time is
 * judged: a busy machine may let it take longer. */
#include "seam.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define BYTES (256ull << 20)

static twin_hw_device *device;
static twin_queue *queue;
static twin_signal *before;
static twin_signal *after;
static uint64_t source; /* device memory */
static uint64_t target; /* device memory */
static uint64_t *host;  /* page-locked memory, 0 */

static void begin(void)
{
    void *pointer = NULL;
    seam_set("TWINRT_CLOCK", "wall");
    device = seam_up();
    queue = seam_queue(device, 1);
    before = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    after = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 2);
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BYTES}, &source));
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BYTES}, &target));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = 4096}, &pointer));
    host = pointer;
    memset(host, 0, 4096);
    SEAM_OK(seam->memory.fill(device, &(twin_fill){.dst = source, .bytes = 4096, .value = 1}));
}

static void end(void)
{
    seam->signal.destroy(after);
    seam->signal.destroy(before);
    seam_drop_queue(queue);
    SEAM_OK(seam->memory.free(source));
    SEAM_OK(seam->memory.free(target));
    SEAM_OK(seam->memory.host_free(host));
    seam_down(device);
}

/* Some ms of work on the device between two records; then a copy that the host can see. */
static void submit(void)
{
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.record(queue, before));
    for (unsigned i = 0; i < 8; i++) {
        seam_call(TWIN_COST_SUBMIT);
        SEAM_OK(seam->work.copy(queue, &(twin_copy){.dst = target, .src = source, .bytes = BYTES}));
    }
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.record(queue, after));
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.copy(
        queue, &(twin_copy){.dst = (uintptr_t)host, .src = source, .bytes = sizeof(*host)}));
}

static uint64_t length_ns(void)
{
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    SEAM_OK(seam->signal.timestamp(before, &begin_ns));
    SEAM_OK(seam->signal.timestamp(after, &end_ns));
    CU_ASSERT(end_ns > begin_ns + SEAM_MS);
    return end_ns - begin_ns;
}

static void test_waits_take_their_time(void)
{
    begin();
    uint64_t began = seam_wall();
    submit();
    seam_call(TWIN_COST_WAIT);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(seam_wall() - began >= length_ns());
    CU_ASSERT(host[0] != 0);
    end();
}

static void test_answers_by_real_time(void)
{
    begin();
    uint64_t began = seam_wall();
    bool idle = false;
    submit();
    while (!idle) {
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(queue, &idle));
    }
    CU_ASSERT(seam_wall() - began >= length_ns());
    end();
}

static void test_no_thread_waits(void)
{
    begin();
    uint64_t began = seam_wall();
    submit();
    while (__atomic_load_n(host, __ATOMIC_ACQUIRE) == 0)
        sched_yield();
    uint64_t lasted = seam_wall() - began;
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(lasted >= length_ns());
    CU_ASSERT(!seam_logged("depend on real time"));
    end();
}

static void test_limits_take_their_time(void)
{
    begin();
    twin_signal *gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 0);
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.wait(queue, gate, TWIN_FOREVER));
    seam_call(TWIN_COST_WAIT);
    uint64_t began = seam_wall();
    SEAM_STATUS(seam->queue.drain(queue, 50 * SEAM_MS), TWIN_E_TIMEOUT);
    CU_ASSERT(seam_wall() - began >= 50 * SEAM_MS);
    /* A proof needs no time. */
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_DEADLOCK);
    SEAM_OK(seam->queue.abort(queue));
    seam->signal.destroy(gate);
    end();
}

static void test_clocks_follow(void)
{
    begin();
    seam_call(TWIN_COST_SUBMIT);
    uint64_t clock = seam->host.now();
    uint64_t began = seam_wall();
    usleep(20000);
    uint64_t lasted = seam_wall() - began;
    seam_call(TWIN_COST_SUBMIT);
    CU_ASSERT(seam->host.now() - clock >= lasted);
    seam->host.advance(SEAM_HOUR); /* as an announced sleep: its time has passed by itself */
    CU_ASSERT(seam->host.now() - clock < SEAM_HOUR);
    end();
}

static void test_real_time_is_not_deterministic(void)
{
    seam_set("TWINRT_CLOCK", "wall");
    seam_set("TWINRT_DETERMINISTIC", "on");
    SEAM_STATUS(seam_start(), TWIN_E_INVALID);
    CU_ASSERT(seam_logged("unset one of them"));
    seam_set("TWINRT_DETERMINISTIC", NULL);
}

/* ---- host functions ------------------------------------------------------------------------- */

static void sleep_a_little(void *argument)
{
    (void)argument;
    usleep(20000);
}

static void test_host_functions_take_their_time(void)
{
    twin_call_queue *call_queue = NULL;
    pthread_t thread;
    begin();
    SEAM_OK(seam->call_queue.create(device, true, &call_queue));
    pthread_create(&thread, NULL, seam_serve, call_queue);
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.record(queue, before));
    SEAM_OK(
        seam->work.call(queue, call_queue, &(twin_host_call){.fn = sleep_a_little, .block = true}));
    SEAM_OK(seam->work.record(queue, after));
    seam_call(TWIN_COST_WAIT);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(length_ns() >= 20 * SEAM_MS);
    seam->call_queue.close(call_queue);
    pthread_join(thread, NULL);
    seam->call_queue.destroy(call_queue);
    end();
}

static const twin_test tests[] = {
    {"a wait takes the time of its work", test_waits_take_their_time},
    {"a question answers by real time", test_answers_by_real_time},
    {"the host sees work in real time without a call", test_no_thread_waits},
    {"a time limit takes its time, a deadlock none", test_limits_take_their_time},
    {"the clock of a thread is never before real time", test_clocks_follow},
    {"the deterministic mode is refused", test_real_time_is_not_deterministic},
    {"a host function takes its time on the device", test_host_functions_take_their_time},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_wall", tests, TWIN_COUNT(tests), argc, argv);
}
