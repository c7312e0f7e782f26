/* SPDX-License-Identifier: Apache-2.0 */
/* Failures, groups and taking work back, through the seam. */
#define _GNU_SOURCE /* gettid */
#include "seam.h"

#include <stdlib.h>
#include <unistd.h>

#define NOTES_MOST 1024u

static twin_hw_device *device;
static twin_signal *never; /* a notify that is never recorded */

static twin_queue *queue_of(uint32_t id, uint32_t group, bool is_default)
{
    const twin_queue_config config = {.id = id, .group = group, .is_default = is_default};
    twin_queue *queue = NULL;
    SEAM_OK(seam->queue.create(device, &config, &queue));
    if (!queue)
        exit(TWIN_EXIT_FAILED);
    return queue;
}

static void up(void)
{
    device = seam_up();
    never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 5);
}

static void down(void)
{
    seam->signal.destroy(never);
    seam_down(device);
    CU_ASSERT(!seam_logged("was not"));
}

static void queue_failure(twin_queue *queue)
{
    SEAM_OK(seam->work.wait(queue, never, SEAM_MS));
}

static void test_notes(void)
{
    up();
    twin_queue *queue = queue_of(1, 0, false);
    twin_failure failure;
    SEAM_STATUS(seam->queue.take_failure(queue, &failure), TWIN_E_NOT_READY);
    queue_failure(queue);
    uint32_t first = seam->host.last_task();
    queue_failure(queue);
    uint32_t second = seam->host.last_task();
    CU_ASSERT(first != second);
    SEAM_STATUS(seam->queue.take_failure(queue, &failure), TWIN_E_NOT_READY);
    SEAM_STATUS(seam->queue.drain(queue, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    const uint32_t tasks[] = {first, second};
    for (unsigned i = 0; i < 2; i++) {
        SEAM_OK(seam->queue.take_failure(queue, &failure));
        CU_ASSERT(failure.status == TWIN_E_TASK_TIMEOUT);
        CU_ASSERT(failure.task_id == tasks[i]);
        CU_ASSERT(failure.thread == (uint32_t)gettid());
    }
    SEAM_STATUS(seam->queue.take_failure(queue, &failure), TWIN_E_NOT_READY);
    /* An abort forgets. */
    queue_failure(queue);
    SEAM_STATUS(seam->queue.drain(queue, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    SEAM_OK(seam->queue.abort(queue));
    SEAM_STATUS(seam->queue.take_failure(queue, &failure), TWIN_E_NOT_READY);
    seam->queue.destroy(queue);
    down();
}

/* They are not taken: the oldest are dropped. */
static void test_notes_are_bounded(void)
{
    enum { MORE = 10 };
    up();
    twin_queue *queue = queue_of(1, 0, false);
    uint32_t tasks[NOTES_MOST + MORE];
    for (unsigned i = 0; i < NOTES_MOST + MORE; i++) {
        queue_failure(queue);
        tasks[i] = seam->host.last_task();
        SEAM_STATUS(seam->queue.drain(queue, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    }
    twin_failure failure;
    for (unsigned i = MORE; i < NOTES_MOST + MORE; i++) {
        SEAM_OK(seam->queue.take_failure(queue, &failure));
        CU_ASSERT(failure.task_id == tasks[i]);
    }
    SEAM_STATUS(seam->queue.take_failure(queue, &failure), TWIN_E_NOT_READY);
    seam->queue.destroy(queue);
    down();
}

static void test_last_task_of_default_queues(void)
{
    up();
    twin_queue *plain = queue_of(1, 0, false);
    twin_queue *shared = queue_of(2, 0, true);
    SEAM_OK(seam->work.record(plain, never));
    uint32_t task = seam->host.last_task();
    SEAM_OK(seam->work.record(shared, never));
    SEAM_OK(seam->work.record(shared, never));
    CU_ASSERT(seam->host.last_task() == task);
    SEAM_OK(seam->queue.drain(plain, 10 * SEAM_S));
    SEAM_OK(seam->queue.drain(shared, 10 * SEAM_S));
    seam->queue.destroy(plain);
    seam->queue.destroy(shared);
    down();
}

static void test_groups(void)
{
    up();
    twin_queue *one = queue_of(1, 3, false);
    twin_queue *two = queue_of(2, 3, false);
    twin_queue *other = queue_of(3, 4, false);
    SEAM_OK(seam->queue.stop_on_failure(two));
    SEAM_OK(seam->queue.stop_on_failure(one));
    SEAM_OK(seam->work.wait(two, never, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(other, never, TWIN_FOREVER));
    queue_failure(one);
    SEAM_STATUS(seam->queue.drain(two, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    CU_ASSERT(seam_explained("stream 1"));
    for (unsigned i = 0; i < 2; i++) {
        SEAM_STATUS(seam->queue.drain(two, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
        SEAM_STATUS(seam->work.record(one, never), TWIN_E_TASK_TIMEOUT);
        SEAM_STATUS(seam->work.wait(two, never, SEAM_MS), TWIN_E_TASK_TIMEOUT);
        SEAM_STATUS(seam->queue.room(two), TWIN_E_TASK_TIMEOUT);
    }
    SEAM_STATUS(seam->queue.stop_on_failure(one), TWIN_E_UNSUPPORTED);
    /* An abort of one queue does not bring its group back. */
    SEAM_OK(seam->queue.abort(two));
    SEAM_STATUS(seam->queue.drain(two, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    twin_queue *late = queue_of(4, 3, false);
    SEAM_STATUS(seam->work.record(late, never), TWIN_E_TASK_TIMEOUT);
    SEAM_STATUS(seam->queue.drain(other, 10 * SEAM_S), TWIN_E_TIMEOUT);

    SEAM_OK(seam->device.abort(device));
    twin_queue *all[] = {one, two, other, late};
    for (unsigned i = 0; i < TWIN_COUNT(all); i++) {
        SEAM_OK(seam->work.record(all[i], never));
        SEAM_OK(seam->queue.drain(all[i], 10 * SEAM_S));
        seam->queue.destroy(all[i]);
    }
    /* A group ends with its last queue: the number begins anew. */
    one = queue_of(1, 3, false);
    SEAM_STATUS(seam->work.wait(one, never, SEAM_MS), TWIN_OK); /* a record is left over */
    queue_failure(one);
    SEAM_OK(seam->work.record(one, never));
    SEAM_STATUS(seam->queue.drain(one, 10 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    SEAM_OK(seam->queue.drain(one, 10 * SEAM_S));
    seam->queue.destroy(one);
    down();
}

/* A timed record that is ended leaves nothing that the ring would wait for. */
static void test_stop_until_the_ring_has_gone_round(void)
{
    up();
    const twin_device_properties *properties;
    SEAM_OK(seam->process.describe(0, &properties));
    twin_queue *queue = queue_of(1, 0, false);
    twin_signal *event = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    for (unsigned i = 0; i < 2 * properties->queue_depth; i++) {
        seam_call(TWIN_COST_SUBMIT);
        SEAM_OK(seam->work.record(queue, event));
        seam_call(i % 3 == 0 ? TWIN_COST_POLL : TWIN_COST_LOCAL);
        SEAM_OK(seam->queue.stop(queue));
        if (i % 16 == 0)
            SEAM_OK(seam->queue.drain(queue, 10 * SEAM_S));
    }
    SEAM_OK(seam->queue.drain(queue, 10 * SEAM_S));
    seam->signal.destroy(event);
    seam->queue.destroy(queue);
    down();
}

static const twin_test tests[] = {
    {"each failure is noted with its task and thread", test_notes},
    {"notes that are not taken are bounded", test_notes_are_bounded},
    {"the last task is not that of a default stream", test_last_task_of_default_queues},
    {"a failure stops its group until the device is aborted", test_groups},
    {"ended tasks release their places in the ring", test_stop_until_the_ring_has_gone_round},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim control", tests, TWIN_COUNT(tests), argc, argv);
}
