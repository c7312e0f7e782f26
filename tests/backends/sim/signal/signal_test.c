/* SPDX-License-Identifier: Apache-2.0 */
/* The three kinds of signal through the seam: what a wait binds to, ids, times. */
#include "seam.h"

#include <stdlib.h>

static twin_hw_device *device;
static twin_queue *a;
static twin_queue *b;
static twin_signal *gate; /* parks queue a until open_gate() */
static uint64_t cell;

static void up(void)
{
    device = seam_up();
    a = seam_queue(device, 1);
    b = seam_queue(device, 2);
    gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 99);
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 4096}, &cell));
}

static void down(void)
{
    seam->signal.destroy(gate);
    seam_drop_queue(a);
    seam_drop_queue(b);
    SEAM_OK(seam->memory.free(cell));
    seam_down(device);
    CU_ASSERT(!seam_logged("was not"));
}

static void work(twin_queue *queue)
{
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = cell, .bytes = 4096}));
}

static void shut_gate(twin_queue *queue)
{
    SEAM_OK(seam->work.wait(queue, gate, TWIN_FOREVER));
}

static void open_gate(twin_queue *by)
{
    SEAM_OK(seam->work.record(by, gate));
}

static bool idle(twin_queue *queue)
{
    bool answer = false;
    /* Polls for a virtual second: whatever can run has run. */
    for (unsigned i = 0; i < 1000 && !answer; i++) {
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(queue, &answer));
    }
    return answer;
}

static twin_signal_state state(twin_signal *signal)
{
    twin_signal_state answer = {0};
    seam_call(TWIN_COST_POLL);
    SEAM_OK(seam->signal.query(signal, &answer));
    return answer;
}

static void test_never_recorded(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    CU_ASSERT(!state(event).recorded && state(event).complete);
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    work(b);
    CU_ASSERT(idle(b));
    SEAM_OK(seam->signal.wait(event, TWIN_FOREVER));
    uint64_t time;
    SEAM_STATUS(seam->signal.timestamp(event, &time), TWIN_E_NEVER_RECORDED);
    seam->signal.destroy(event);
    down();
}

static void test_wait_holds(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    shut_gate(a);
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    work(b);
    CU_ASSERT(!idle(b));
    CU_ASSERT(state(event).recorded && !state(event).complete && state(event).waits_open == 1);
    CU_ASSERT(state(event).has_hardware_id);
    twin_queue *c = seam_queue(device, 3);
    open_gate(c);
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    CU_ASSERT(state(event).complete && state(event).waits_open == 0);
    CU_ASSERT(!state(event).has_hardware_id);
    seam->queue.destroy(c);
    seam->signal.destroy(event);
    down();
}

/* Re-record while the first is pending: the wait made before stays bound to the first. */
static void test_rebind(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    twin_queue *c = seam_queue(device, 3);
    shut_gate(a);
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    SEAM_OK(seam->work.record(c, event));
    SEAM_OK(seam->signal.wait(event, TWIN_FOREVER));
    CU_ASSERT(!idle(b));
    SEAM_OK(seam->work.wait(c, event, TWIN_FOREVER));
    work(c);
    SEAM_OK(seam->queue.drain(c, TWIN_FOREVER));
    open_gate(c);
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    seam->queue.destroy(c);
    seam->signal.destroy(event);
    down();
}

static void test_level(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 1);
    CU_ASSERT(state(event).has_hardware_id);
    /* A wait comes first and blocks. */
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    CU_ASSERT(!idle(b));
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    /* The flag stays set: a second wait passes although the second record is held back. */
    shut_gate(a);
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    CU_ASSERT(idle(b));
    /* Until it is reset. */
    SEAM_OK(seam->work.reset(b, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    CU_ASSERT(!idle(b));
    twin_queue *c = seam_queue(device, 3);
    open_gate(c);
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    seam->queue.destroy(c);
    seam->signal.destroy(event);
    down();
}

static void test_notify(void)
{
    up();
    twin_signal *notify = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    twin_queue *c = seam_queue(device, 3);
    SEAM_OK(seam->work.record(c, notify));
    SEAM_OK(seam->work.wait(a, notify, TWIN_FOREVER));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(a, notify, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(b, notify, TWIN_FOREVER));
    CU_ASSERT(!idle(a) && !idle(b));
    SEAM_OK(seam->work.record(c, notify));
    CU_ASSERT(idle(a) != idle(b));
    SEAM_OK(seam->work.record(c, notify));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    seam->queue.destroy(c);
    seam->signal.destroy(notify);
    down();
}

static void test_times(void)
{
    up();
    twin_signal *first = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    twin_signal *second = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 2);
    const twin_signal_config plain = {.kind = TWIN_SIGNAL_EVENT_REBIND, .name = 3, .timed = true};
    twin_signal *third = NULL;
    SEAM_OK(seam->signal.create(device, &plain, &third));
    uint64_t t[3];
    SEAM_OK(seam->work.record(a, first));
    SEAM_STATUS(seam->signal.timestamp(first, &t[0]), TWIN_E_NOT_READY);
    work(a);
    SEAM_OK(seam->work.record(a, second));
    work(a);
    SEAM_OK(seam->work.record(a, third));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->signal.timestamp(first, &t[0]));
    SEAM_OK(seam->signal.timestamp(second, &t[1]));
    SEAM_OK(seam->signal.timestamp(third, &t[2]));
    CU_ASSERT(t[0] % 20 == 0 && t[1] % 20 == 0 && t[2] % 20 == 0);
    CU_ASSERT(t[1] >= t[0] + 1000 && t[2] >= t[1] + 1000); /* SDMA set-up */
    CU_ASSERT(!state(third).has_hardware_id);
    SEAM_STATUS(seam->work.wait(b, third, TWIN_FOREVER), TWIN_OK);
    /* A new record takes the old time away. */
    SEAM_OK(seam->work.record(a, first));
    SEAM_STATUS(seam->signal.timestamp(first, &t[0]), TWIN_E_NOT_READY);
    SEAM_OK(seam->signal.wait(first, TWIN_FOREVER));
    SEAM_OK(seam->signal.timestamp(first, &t[0]));
    CU_ASSERT(t[0] >= t[2]);
    seam->signal.destroy(first);
    seam->signal.destroy(second);
    seam->signal.destroy(third);
    down();
}

/* The record that was replaced retires last; its time is not the event's. */
static void test_late_time(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    uint64_t newest;
    uint64_t later;
    shut_gate(a);
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.record(b, event));
    SEAM_OK(seam->signal.wait(event, TWIN_FOREVER));
    SEAM_OK(seam->signal.timestamp(event, &newest));
    open_gate(b);
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    SEAM_OK(seam->signal.timestamp(event, &later));
    CU_ASSERT(later == newest);
    seam->signal.destroy(event);
    down();
}

static void test_destroy_in_flight(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 1);
    uint32_t before;
    uint32_t during;
    uint32_t after;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_LEVEL, &before));
    shut_gate(a);
    SEAM_OK(seam->work.record(a, event));
    SEAM_OK(seam->work.wait(b, event, TWIN_FOREVER));
    seam->signal.destroy(event);
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_LEVEL, &during));
    CU_ASSERT(during == before);
    CU_ASSERT(!idle(b));
    twin_queue *c = seam_queue(device, 3);
    open_gate(c);
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_LEVEL, &after));
    CU_ASSERT(after == before + 1);
    seam->queue.destroy(c);
    down();
}

static void test_id_limits(void)
{
    up();
    uint32_t count;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_NOTIFY, &count));
    CU_ASSERT(count == 8191); /* the gate has one */
    twin_signal **all = calloc(count, sizeof(twin_signal *));
    for (uint32_t i = 0; i < count; i++)
        all[i] = seam_signal(device, TWIN_SIGNAL_NOTIFY, i);
    twin_signal *more;
    const twin_signal_config config = {.kind = TWIN_SIGNAL_NOTIFY};
    SEAM_STATUS(seam->signal.create(device, &config, &more), TWIN_E_NO_NOTIFY);
    seam->signal.destroy(all[5]);
    SEAM_OK(seam->signal.create(device, &config, &all[5]));
    for (uint32_t i = 0; i < count; i++)
        seam->signal.destroy(all[i]);
    free(all);
    down();
}

/* A used notify leaves its flag set; the next owner of the id must not see it. */
static void test_id_comes_back_clear(void)
{
    up();
    twin_signal *notify = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    uint32_t id = state(notify).hardware_id;
    SEAM_OK(seam->work.record(a, notify));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    seam->signal.destroy(notify);
    uint32_t count;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_NOTIFY, &count));
    notify = seam_signal(device, TWIN_SIGNAL_NOTIFY, 2);
    CU_ASSERT(state(notify).hardware_id == id);
    SEAM_OK(seam->work.wait(b, notify, TWIN_FOREVER));
    CU_ASSERT(!idle(b));
    SEAM_OK(seam->work.record(a, notify));
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    seam->signal.destroy(notify);
    down();
}

/* More records than there are ids: they come back as records retire. */
static void test_ids_are_reused(void)
{
    up();
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    for (unsigned i = 0; i < 200000; i++) {
        twin_status status;
        while ((status = seam->work.record(a, event)) == TWIN_E_BUSY)
            SEAM_OK(seam->queue.room(a));
        if (status != TWIN_OK)
            SEAM_OK(status);
        while ((status = seam->work.wait(b, event, TWIN_FOREVER)) == TWIN_E_BUSY)
            SEAM_OK(seam->queue.room(b));
        if (status != TWIN_OK)
            SEAM_OK(status);
    }
    SEAM_OK(seam->queue.drain(b, TWIN_FOREVER));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    uint32_t count;
    SEAM_OK(seam->signal.available(device, TWIN_SIGNAL_EVENT_REBIND, &count));
    CU_ASSERT(count == 65536);
    seam->signal.destroy(event);
    down();
}

/* All ids are held by parked records: the sender waits for one, not for the ring. */
static void test_ids_run_out(void)
{
    enum { QUEUES = 40 };
    up();
    twin_queue *queues[QUEUES];
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    twin_signal *shut = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 2);
    twin_status status = TWIN_OK;
    unsigned records = 0;
    for (unsigned i = 0; i < QUEUES; i++) {
        queues[i] = seam_queue(device, 10 + i);
        SEAM_OK(seam->work.wait(queues[i], shut, TWIN_FOREVER));
        for (unsigned j = 0; j < 1900 && status == TWIN_OK; j++) {
            status = seam->work.record(queues[i], event);
            records += status == TWIN_OK;
        }
    }
    SEAM_STATUS(status, TWIN_E_BUSY);
    CU_ASSERT(records == 65535);
    SEAM_OK(seam->work.record(a, shut));
    unsigned last = 65535 / 1900;
    SEAM_OK(seam->queue.room(queues[last]));
    SEAM_OK(seam->work.record(queues[last], event));
    for (unsigned i = 0; i < QUEUES; i++) {
        SEAM_OK(seam->queue.drain(queues[i], TWIN_FOREVER));
        seam->queue.destroy(queues[i]);
    }
    seam->signal.destroy(event);
    seam->signal.destroy(shut);
    down();
}

static void test_task_timeout(void)
{
    up();
    twin_signal *notify = seam_signal(device, TWIN_SIGNAL_NOTIFY, 7);
    SEAM_OK(seam->work.wait(a, notify, SEAM_HOUR));
    work(a);
    twin_signal *after = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 8);
    SEAM_OK(seam->work.record(a, after));
    SEAM_STATUS(seam->queue.drain(a, TWIN_FOREVER), TWIN_E_TASK_TIMEOUT);
    CU_ASSERT(seam_explained("stream 1"));
    CU_ASSERT(seam_explained("notify 7"));
    SEAM_OK(seam->queue.drain(a, TWIN_FOREVER));
    CU_ASSERT(state(after).complete); /* the tasks after it went on */
    seam->signal.destroy(notify);
    seam->signal.destroy(after);
    down();
}

static const twin_test tests[] = {
    {"a wait on an event never recorded holds nothing", test_never_recorded},
    {"a wait holds its queue until the recorded work is done", test_wait_holds},
    {"a wait binds to the newest record at call time", test_rebind},
    {"a level event stays set until its reset", test_level},
    {"a notify lets one wait pass per record", test_notify},
    {"record times are on the counter's steps and in order", test_times},
    {"a replaced record leaves no time", test_late_time},
    {"an event destroyed in flight still completes, then its id is free", test_destroy_in_flight},
    {"the notify after the last is refused", test_id_limits},
    {"an id comes back with a clear flag", test_id_comes_back_clear},
    {"event ids are reused as records retire", test_ids_are_reused},
    {"with all event ids held a sender waits for one", test_ids_run_out},
    {"a wait beyond its time fails at the drain and the queue goes on", test_task_timeout},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_signal", tests, TWIN_COUNT(tests), argc, argv);
}
