/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the device does not read ahead of earlier tasks, in rings that are smaller than what
 * the device reads ahead. */
#include "seam.h"

#include <unistd.h>

enum { DEPTH = 8 }; /* of the ring; it has room for one entry less */

static twin_step step = {.pipe = TWIN_PIPE_VECTOR, .kind = TWIN_STEP_WORK, .amount = 10};
static twin_steps list = {.steps = &step, .count = 1};
static twin_launch_work work = {.lists = &list, .count = 1};
static unsigned ended;

static twin_status describe(twin_launch *kernel, const twin_reach *reach, twin_launch_work *out)
{
    (void)kernel;
    (void)reach;
    *out = work;
    return TWIN_OK;
}

static twin_status effect(twin_launch *kernel, const twin_reach *reach)
{
    (void)kernel;
    (void)reach;
    ended++;
    return TWIN_OK;
}

static void keep_or_release(twin_launch *kernel)
{
    (void)kernel;
}

static twin_launch make(bool guarded)
{
    return (twin_launch){.name = "guarded",
                         .guarded = guarded,
                         .cores = TWIN_CORES_VECTOR,
                         .blocks = 1,
                         .weight = 1,
                         .timeout_ns = TWIN_FOREVER,
                         .work = &work,
                         .describe = describe,
                         .effect = effect,
                         .keep = keep_or_release,
                         .release = keep_or_release};
}

/* It needs the whole ring: there is room for it when nothing else is there, and only then. */
static void test_small_ring(void)
{
    twin_hw_device *device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    twin_launch first = make(true), plain = make(false), second = make(true);
    ended = 0;
    SEAM_OK(seam->work.launch(queue, &first));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->work.launch(queue, &plain));
    SEAM_STATUS(seam->work.launch(queue, &second), TWIN_E_BUSY);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->work.launch(queue, &second));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(ended == 3);
    seam_drop_queue(queue);
    seam_down(device);
}

static const twin_test tests[] = {
    {"a guarded kernel fits in a ring smaller than the window", test_small_ring},
};

int main(int argc, char **argv)
{
    char path[] = "/tmp/twinrt-guard-XXXXXX";
    if (!seam_make_profile(path, "sq_depth", DEPTH) || !seam_make_profile(path, "sq_reserve", 0)) {
        fprintf(stderr, "no profile with rings of %d entries can be made\n", DEPTH);
        return TWIN_EXIT_FAILED;
    }
    seam_set("TWINRT_PROFILE", path);
    seam_load("sim");
    const int status = twin_run_suite("backend.sim_guard", tests, TWIN_COUNT(tests), argc, argv);
    unlink(path);
    return status;
}
