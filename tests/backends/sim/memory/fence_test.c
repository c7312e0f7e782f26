/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed while others submit: the program's malloc submits in the middle of the
 * call. */
#include "seam.h"

#include <stddef.h>
#include <stdlib.h>

enum { EARLIER = 24, BYTES = 4 << 20 };

static twin_queue *earlier[EARLIER];
static uint64_t cell;
static bool submit_next; /* the next request for memory begins with work on every earlier queue */

extern void *__libc_malloc(size_t bytes);

__attribute__((visibility("default"))) void *malloc(size_t bytes)
{
    bool now = submit_next;
    submit_next = false;
    for (unsigned i = 0; now && i < EARLIER; i++)
        SEAM_OK(seam->work.fill(earlier[i], &(twin_fill){.dst = cell, .bytes = 8}));
    return __libc_malloc(bytes);
}

/* Work that is in flight at the free keeps the memory, however much other work comes during the
 * free. */
static void test_work_during_the_free(void)
{
    uint64_t freed = 0;
    uint64_t next = 0;
    twin_hw_device *device = seam_up();
    for (uint32_t i = 0; i < EARLIER; i++)
        earlier[i] = seam_queue(device, i);
    twin_queue *last = seam_queue(device, EARLIER);
    twin_signal *gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 512}, &cell));
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BYTES}, &freed));
    SEAM_OK(seam->work.wait(last, gate, TWIN_FOREVER));
    SEAM_OK(seam->work.fill(last, &(twin_fill){.dst = freed, .bytes = BYTES}));

    submit_next = true;
    SEAM_OK(seam->memory.free(freed));
    CU_ASSERT_FALSE(submit_next);
    for (unsigned i = 0; i < EARLIER; i++)
        SEAM_OK(seam->queue.drain(earlier[i], TWIN_FOREVER));
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BYTES}, &next));
    CU_ASSERT_NOT_EQUAL(next, freed);
    SEAM_OK(seam->memory.free(next));

    SEAM_OK(seam->work.record(earlier[0], gate));
    SEAM_OK(seam->queue.drain(last, TWIN_FOREVER));
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = BYTES}, &next));
    CU_ASSERT_EQUAL(next, freed); /* and no longer */
    SEAM_OK(seam->memory.free(next));
    SEAM_OK(seam->memory.free(cell));
    for (unsigned i = 0; i < EARLIER; i++)
        seam_drop_queue(earlier[i]);
    seam_drop_queue(last);
    seam->signal.destroy(gate);
    seam_down(device);
}

static const twin_test tests[] = {
    {"work on other queues during a free does not release the memory", test_work_during_the_free},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("backend.sim_fence", tests, TWIN_COUNT(tests), argc, argv);
}
