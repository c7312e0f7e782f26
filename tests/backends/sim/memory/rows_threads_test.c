/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows between host and device, while another thread aborts their queue. */
#include "seam.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Rows of 4 bytes that lie 8 apart; their list takes 1600000 bytes. */
#define MANY  50000u
#define PITCH 8u
#define WIDTH 4u

static twin_hw_device *device;
static twin_queue *queue;
static uint64_t target;
static unsigned char *source;

static void begin(void)
{
    device = seam_up();
    queue = seam_queue(device, 1);
    SEAM_OK(
        seam->memory.alloc(device, &(twin_allocation){.bytes = (uint64_t)MANY * PITCH}, &target));
    void *host = NULL;
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = (uint64_t)MANY * PITCH}, &host));
    source = host;
}

static void end(void)
{
    seam_drop_queue(queue);
    SEAM_OK(seam->memory.host_free(source));
    SEAM_OK(seam->memory.free(target));
    seam_down(device);
}

static twin_status copy_rows(uint64_t height)
{
    return seam->work.copy_rows(queue, &(twin_rows){.dst = target,
                                                    .src = (uintptr_t)source,
                                                    .dst_pitch = PITCH,
                                                    .src_pitch = PITCH,
                                                    .width = WIDTH,
                                                    .height = height});
}

static atomic_bool over, refused;

static void *keep_aborting(void *unused)
{
    (void)unused;
    while (!atomic_load(&over))
        if (seam->queue.abort(queue) != TWIN_OK)
            atomic_store(&refused, true);
    return NULL;
}

/* Each list has one owner, whenever the abort comes: more than there is memory for goes
 * through, and what runs last is as it was written. */
static void test_aborted_meanwhile(void)
{
    enum { COPIES = 600 };
    begin();
    pthread_t thread;
    atomic_store(&over, false);
    CU_ASSERT_FATAL(pthread_create(&thread, NULL, keep_aborting, NULL) == 0);
    memset(source, 5, MANY * PITCH);
    for (unsigned i = 0; i < COPIES; i++) {
        twin_status status = TWIN_E_BUSY;
        while (status == TWIN_E_BUSY) /* the abort of the moment empties the queue */
            status = copy_rows(MANY - i % 7 * 1000);
        SEAM_OK(status);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    CU_ASSERT(!atomic_load(&refused));
    SEAM_OK(seam->queue.abort(queue));
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = target, .bytes = MANY * PITCH, .value = 3}));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    memset(source, 7, MANY * PITCH);
    SEAM_OK(copy_rows(MANY));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    static unsigned char back[MANY * PITCH];
    SEAM_OK(seam->memory.copy(
        device, &(twin_copy){.dst = (uintptr_t)back, .src = target, .bytes = sizeof(back)}));
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof(back); i++)
        wrong += back[i] != (i % PITCH < WIDTH ? 7 : 3);
    CU_ASSERT(wrong == 0);
    end();
}

static const twin_test tests[] = {
    {"lists outlive aborts from another thread", test_aborted_meanwhile},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("backend.sim_rows_threads", tests, TWIN_COUNT(tests), argc, argv);
}
