/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the device does not read ahead of earlier tasks, in rings that are smaller than what
 * the device reads ahead. */
#include "seam.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the ring; it has room for one entry less. */
enum { DEPTH = 8, ROOM = DEPTH - 1 };

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
    twin_launch first = make(true), plain = make(false), second = make(true), third = make(true);
    ended = 0;
    SEAM_OK(seam->work.launch(queue, &first));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->work.launch(queue, &plain));
    SEAM_STATUS(seam->work.launch(queue, &second), TWIN_E_BUSY);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->work.launch(queue, &second));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    /* One right after another such kernel needs nothing before it. */
    SEAM_OK(seam->work.launch(queue, &third));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(ended == 4);
    seam_drop_queue(queue);
    seam_down(device);
}

static const twin_test tests[] = {
    {"a guarded kernel fits in a ring smaller than the window", test_small_ring},
};

/* The value of the entry that begins with `wanted` becomes `value`. */
static bool change(char *text, size_t room, const char *wanted, int value)
{
    char *at = strstr(text, wanted);
    char *end = at ? strstr(at, ", \"unit\"") : NULL;
    char *rest = end ? strdup(end) : NULL;
    if (!rest)
        return false;
    const size_t left = room - (size_t)(at - text);
    const int length = snprintf(at, left, "%s%d%s", wanted, value, rest);
    free(rest);
    return length >= 0 && (size_t)length < left;
}

/* The plug-in's own profile with small rings and without a reserve, in a file of this process. */
static bool make_profile(char *path)
{
    static char text[1 << 16];
    char from[4096];
    snprintf(from, sizeof(from), "%s/profiles/910b3.json", seam_plugin_folder());
    FILE *file = fopen(from, "r");
    const size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    if (!change(text, sizeof(text), "\"sq_depth\": {\"value\": ", DEPTH) ||
        !change(text, sizeof(text), "\"sq_reserve\": {\"value\": ", DEPTH - 1 - ROOM))
        return false;
    const int out = mkstemp(path);
    file = out >= 0 ? fdopen(out, "w") : NULL;
    if (!file)
        return false;
    fputs(text, file);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/twinrt-guard-XXXXXX";
    if (!make_profile(path)) {
        fprintf(stderr, "no profile with rings of %d entries can be made\n", DEPTH);
        return TWIN_EXIT_FAILED;
    }
    seam_set("TWINRT_PROFILE", path);
    seam_load("sim");
    const int status = twin_run_suite("backend.sim_guard", tests, TWIN_COUNT(tests), argc, argv);
    unlink(path);
    return status;
}
