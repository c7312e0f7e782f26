/* SPDX-License-Identifier: Apache-2.0 */
/* A device with four event ids: a record waits until an id is released, and no longer. */
#include "seam.h"

#include <stdlib.h>
#include <unistd.h>

enum { IDS = 4, WAKE_NS = 1000, COUNTER_NS = 20 }; /* host.wake.poll_ns; a step of the counter */

static twin_hw_device *device;
static twin_queue *busy;
static twin_queue *other;
static twin_signal *events[IDS];
static uint64_t cell;

/* The records of all ids, each before a fill that takes some microseconds. */
static void up(void)
{
    device = seam_up();
    busy = seam_queue(device, 1);
    other = seam_queue(device, 2);
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 8 << 20}, &cell));
    for (uint32_t i = 0; i < IDS; i++) {
        events[i] = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, i);
        SEAM_OK(seam->work.record(busy, events[i]));
        SEAM_OK(seam->work.fill(busy, &(twin_fill){.dst = cell, .bytes = 8 << 20}));
    }
}

static void down(void)
{
    SEAM_OK(seam->queue.drain(busy, TWIN_FOREVER));
    SEAM_OK(seam->queue.drain(other, TWIN_FOREVER));
    for (uint32_t i = 0; i < IDS; i++)
        seam->signal.destroy(events[i]);
    seam_drop_queue(busy);
    seam_drop_queue(other);
    SEAM_OK(seam->memory.free(cell));
    seam_down(device);
}

/* The caller has just waited for an id that came back when `event` was recorded. */
static void check_woken_by(twin_signal *event)
{
    uint64_t recorded = 0;
    uint64_t now = seam->host.now();
    SEAM_OK(seam->signal.timestamp(event, &recorded));
    CU_ASSERT(now >= recorded + WAKE_NS);
    CU_ASSERT(now < recorded + WAKE_NS + COUNTER_NS);
}

static void test_until_the_first_comes_back(void)
{
    up();
    twin_signal *more = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 77);
    SEAM_STATUS(seam->work.record(other, more), TWIN_E_BUSY);
    SEAM_OK(seam->queue.room(other));
    check_woken_by(events[0]);
    SEAM_OK(seam->work.record(other, more));
    down();
    seam->signal.destroy(more);
}

/* The first id is held by a wait that comes late; the second comes back before. */
static void test_a_wait_holds_its_id(void)
{
    up();
    twin_signal *more = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 77);
    twin_signal *never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 5);
    SEAM_OK(seam->work.wait(other, never, TWIN_FOREVER));
    SEAM_OK(seam->work.wait(other, events[0], TWIN_FOREVER));
    SEAM_STATUS(seam->work.record(other, more), TWIN_E_BUSY);
    SEAM_OK(seam->queue.room(other));
    check_woken_by(events[1]);
    SEAM_OK(seam->work.record(busy, never));
    down();
    seam->signal.destroy(never);
    seam->signal.destroy(more);
}

static const twin_test tests[] = {
    {"a record that waits for an id goes on when one is released", test_until_the_first_comes_back},
    {"an id is released when the last wait for its record is over", test_a_wait_holds_its_id},
};

int main(int argc, char **argv)
{
    char path[] = "/tmp/twinrt-ids-XXXXXX";
    if (!seam_make_profile(path, "events", IDS)) {
        fprintf(stderr, "no profile with %d events can be made\n", IDS);
        return TWIN_EXIT_FAILED;
    }
    seam_set("TWINRT_PROFILE", path);
    seam_load("sim");
    int status = twin_run_suite("backend.sim_ids", tests, TWIN_COUNT(tests), argc, argv);
    unlink(path);
    return status;
}
