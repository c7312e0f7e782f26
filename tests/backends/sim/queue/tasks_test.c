/* SPDX-License-Identifier: Apache-2.0 */
/* What the model reports to an observer of tasks that end. */
#include <stdlib.h>
#include <string.h>

#include "seam.h"

#define ENDS_MOST 64u

struct seen {
    twin_task_end end[ENDS_MOST];
    unsigned count;
};

static void take(void *context, const twin_task_end *task)
{
    struct seen *seen = context;
    if (seen->count < ENDS_MOST)
        seen->end[seen->count] = *task;
    seen->count++;
}

static uint64_t memory_of(twin_hw_device *device)
{
    uint64_t address = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 1 << 20}, &address));
    return address;
}

static void test_tasks_are_reported_in_order(void)
{
    struct seen seen = {0};
    struct seen other = {0};
    twin_hw_device *device = seam_up();
    uint64_t memory = memory_of(device);
    twin_queue *queue = seam_queue(device, 1);
    twin_queue *silent = seam_queue(device, 2);
    twin_signal *signal = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    SEAM_OK(seam->diag.tasks(queue, take, &seen));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), 0);
    seam_call(TWIN_COST_SUBMIT);
    uint64_t submitted = seam->host.now();
    SEAM_OK(
        seam->work.copy(queue, &(twin_copy){.dst = memory, .src = memory + 65536, .bytes = 65536}));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), 1);
    SEAM_OK(
        seam->work.fill(silent, &(twin_fill){.dst = memory + (1 << 19), .bytes = 64, .value = 1}));
    SEAM_OK(seam->work.record(queue, signal));
    SEAM_OK(
        seam->work.copy(queue, &(twin_copy){.dst = memory, .src = memory + 65536, .bytes = 256}));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), 3);
    CU_ASSERT_EQUAL(seen.count, 0); /* nothing has run */
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->queue.drain(silent, TWIN_FOREVER));
    CU_ASSERT_EQUAL_FATAL(seen.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(seen.end[i].number, i + 1);
        CU_ASSERT_EQUAL(seen.end[i].status, TWIN_OK);
        CU_ASSERT(seen.end[i].begin_ns > submitted);
        CU_ASSERT(seen.end[i].end_ns > seen.end[i].begin_ns);
        CU_ASSERT(i == 0 || seen.end[i].begin_ns >= seen.end[i - 1].end_ns); /* ORD-01 */
    }
    /* the record's own time is within its task */
    uint64_t stamp = 0;
    SEAM_OK(seam->signal.timestamp(signal, &stamp));
    CU_ASSERT(stamp + 20 > seen.end[1].begin_ns); /* on a counter of 20 ns */
    CU_ASSERT(stamp <= seen.end[1].end_ns);

    /* no observer any more */
    SEAM_OK(seam->diag.tasks(queue, NULL, NULL));
    SEAM_OK(seam->diag.tasks(silent, take, &other));
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = memory, .bytes = 64, .value = 1}));
    SEAM_OK(
        seam->work.fill(silent, &(twin_fill){.dst = memory + (1 << 19), .bytes = 64, .value = 1}));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->queue.drain(silent, TWIN_FOREVER));
    CU_ASSERT_EQUAL(seen.count, 3);
    CU_ASSERT_EQUAL(other.count, 1);
    CU_ASSERT_EQUAL(other.end[0].number, 2);
    seam->signal.destroy(signal);
    seam_drop_queue(queue);
    seam_drop_queue(silent);
    SEAM_OK(seam->memory.free(memory));
    seam_down(device);
}

static void test_failures_and_aborts(void)
{
    struct seen seen = {0};
    twin_hw_device *device = seam_up();
    uint64_t memory = memory_of(device);
    twin_queue *queue = seam_queue(device, 1);
    twin_signal *never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    SEAM_OK(seam->diag.tasks(queue, take, &seen));
    uint32_t fault = 0;
    SEAM_OK(seam->fault.inject(&(twin_fault){.kind = TWIN_FAULT_ENGINE_ERROR,
                                             .task = TWIN_FAULT_TASK_SDMA,
                                             .device = TWIN_FAULT_ANY,
                                             .stream = TWIN_FAULT_ANY,
                                             .id = TWIN_FAULT_ANY,
                                             .first = 1,
                                             .times = 1},
                               &fault));
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = memory, .bytes = 64, .value = 1}));
    twin_status failure = seam->queue.drain(queue, TWIN_FOREVER);
    CU_ASSERT_NOT_EQUAL(failure, TWIN_OK);
    CU_ASSERT_EQUAL_FATAL(seen.count, 1);
    CU_ASSERT_EQUAL(seen.end[0].status, failure);
    SEAM_OK(seam->fault.remove(fault));

    /* dropped tasks do not end, and numbers go on after them */
    SEAM_OK(seam->work.wait(queue, never, TWIN_FOREVER));
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = memory, .bytes = 64, .value = 2}));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), 3);
    SEAM_OK(seam->queue.abort(queue));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), 3);
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = memory, .bytes = 64, .value = 3}));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT_EQUAL_FATAL(seen.count, 2);
    CU_ASSERT_EQUAL(seen.end[1].number, 4);
    seam_drop_queue(queue);

    /* a new queue counts from 1, and its end is not reported */
    queue = seam_queue(device, 1);
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), 0);
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = memory, .bytes = 64, .value = 3}));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT_EQUAL(seen.count, 2);
    seam_drop_queue(queue);
    seam->signal.destroy(never);
    SEAM_OK(seam->memory.free(memory));
    seam_down(device);
}

static const twin_test tests[] = {
    {"tasks are reported in their order, with their times", test_tasks_are_reported_in_order},
    {"failed tasks are reported, dropped ones are not", test_failures_and_aborts},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_tasks", tests, TWIN_COUNT(tests), argc, argv);
}
