/* SPDX-License-Identifier: Apache-2.0 */
/* A stream's ring is finite: it holds the sender, and loses and swaps nothing. */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "profile.h"
#include "suite.h"
#include "time_tests.h"

#define CELL 64

/* One step: writes a number into a cell and copies the cell into the log. Two tasks. */
static aclError submit_step(aclrtStream stream, uint8_t *cell, uint8_t *log, int step)
{
    aclError code = aclrtMemsetAsync(cell, CELL, step % 251, CELL, stream);
    if (code != ACL_SUCCESS)
        return code;
    return aclrtMemcpyAsync(log + (size_t)step * CELL, CELL, cell, CELL,
                            ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static void check_log(twin_buffer *log, int steps)
{
    bool right = true;
    twin_buffer_read(log);
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < CELL; i++)
            right = right && log->host[step * CELL + i] == step % 251;
    CHECK(right);
}

enum { STEPS = 4000 };

typedef struct flood {
    aclrtContext context;
    aclrtStream full;
    aclrtStream other;
    twin_hold hold;
    twin_buffer cell;
    twin_buffer log;
    twin_buffer data;
    uint64_t depth;
    uint64_t least; /* entries that certainly fit */
    _Atomic uint64_t submitted;
} flood;

/* Fills the ring of `full`; everything goes through in the end. */
static void send(flood *shared)
{
    for (int step = 0; step < STEPS; step++) {
        if (!CHECK_OK(submit_step(shared->full, shared->cell.device, shared->log.device, step)))
            return;
        atomic_fetch_add(&shared->submitted, 2);
    }
}

/* Meanwhile another stream works as ever; then the hold ends. */
static void work_beside(flood *shared)
{
    while (atomic_load(&shared->submitted) < shared->least)
        sched_yield();
    for (int i = 0; i < 100; i++) {
        CHECK_OK(aclrtMemsetAsync(shared->data.device, CELL, i, CELL, shared->other));
        CHECK_OK(aclrtMemcpyAsync(shared->data.host, CELL, shared->data.device, CELL,
                                  ACL_MEMCPY_DEVICE_TO_HOST, shared->other));
        CHECK_OK(aclrtSynchronizeStream(shared->other));
        CHECK_BYTES(shared->data.host, (uint8_t)i, CELL);
    }
    CHECK(atomic_load(&shared->submitted) <= shared->depth); /* the sender is held */
    twin_hold_release(&shared->hold, shared->other);
    CHECK_OK(aclrtSynchronizeStream(shared->other));
}

static void send_or_work(void *argument, unsigned index)
{
    flood *shared = argument;
    CHECK_OK(aclrtSetCurrentContext(shared->context));
    if (index == 0)
        send(shared);
    else
        work_beside(shared);
}

static void begin(flood *shared)
{
    memset(shared, 0, sizeof(*shared));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&shared->context));
    shared->full = twin_stream();
    shared->other = twin_stream();
    shared->depth = twin_profile_value("limit.sq_depth");
    shared->least = shared->depth - twin_profile_value("limit.sq_reserve") - 8;
    twin_buffer_make(&shared->cell, CELL, 0xff);
    twin_buffer_make(&shared->log, (size_t)STEPS * CELL, 0xff);
    twin_buffer_make(&shared->data, CELL, 0);
    CHECK(STEPS * 2 > shared->depth);
}

static void end(flood *shared)
{
    twin_buffer_free(&shared->data);
    twin_buffer_free(&shared->log);
    twin_buffer_free(&shared->cell);
    CHECK_OK(aclrtDestroyStream(shared->other));
    CHECK_OK(aclrtDestroyStream(shared->full));
    CHECK_OK(aclrtResetDevice(0));
}

void test_full_ring_holds_the_sender(void)
{
    flood shared;
    begin(&shared);
    twin_hold_begin(&shared.hold, shared.full);
    twin_threads_run(2, send_or_work, &shared);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(shared.full, 60 * SOON_MS));
    CHECK_EQUAL(atomic_load(&shared.submitted), 2 * STEPS);
    check_log(&shared.log, STEPS);
    CHECK_OK(aclrtDestroyNotify(shared.hold.notify));
    end(&shared);
}

void test_full_ring_that_nothing_can_empty(void)
{
    flood shared;
    int steps = 0;
    begin(&shared);
    twin_hold_begin(&shared.hold, shared.full);
    while (steps < STEPS &&
           submit_step(shared.full, shared.cell.device, shared.log.device, steps) == ACL_SUCCESS)
        steps++;
    CHECK(steps < STEPS); /* refused: this thread is the last that could have ended the hold */
    CHECK((uint64_t)steps * 2 + 2 >= shared.least);
    CHECK((uint64_t)steps * 2 <= shared.depth);
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "stream"));
    twin_hold_end(&shared.hold, shared.other);
    check_log(&shared.log, steps); /* what was accepted has run */
    CHECK_OK(submit_step(shared.full, shared.cell.device, shared.log.device, 0));
    CHECK_OK(aclrtSynchronizeStream(shared.full));
    end(&shared);
}

void test_ring_wraps(void)
{
    flood shared;
    begin(&shared);
    for (int step = 0; step < STEPS; step++) {
        CHECK_OK(submit_step(shared.full, shared.cell.device, shared.log.device, step));
        if (step % 100 == 99)
            CHECK_OK(aclrtSynchronizeStream(shared.full));
    }
    CHECK_OK(aclrtSynchronizeStream(shared.full));
    check_log(&shared.log, STEPS);
    /* Once more in one go: a full ring empties by itself while its sender waits. */
    CHECK_OK(aclrtMemset(shared.log.device, shared.log.bytes, 0xff, shared.log.bytes));
    for (int step = 0; step < STEPS; step++)
        CHECK_OK(submit_step(shared.full, shared.cell.device, shared.log.device, step));
    CHECK_OK(aclrtSynchronizeStream(shared.full));
    check_log(&shared.log, STEPS);
    end(&shared);
}
