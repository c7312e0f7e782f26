/* SPDX-License-Identifier: Apache-2.0 */
/* A graph is captured once, and its kernels change from run to run: in the order of a stream, with
 * a task group, and at rest, task by task. */
#include "../kernels.h"
#include "args.h"

enum { COUNT = 4096, STEPS = 3 };

static aclrtFuncHandle kernel;
static void *sum;
static void *steps[STEPS]; /* 1, 10 and 100 everywhere */

static struct step_args args_of(int step)
{
    return (struct step_args){(uintptr_t)sum, (uintptr_t)steps[step], COUNT};
}

static void add_step(int step, aclrtStream stream)
{
    struct step_args args = args_of(step);
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &args, sizeof(args), NULL, 0));
}

/* Two kernels that add 1; the first is a task group. */
static aclmdlRI capture(aclrtStream stream, aclrtTaskGrp *group)
{
    aclmdlRI instance = NULL;
    CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CHECK(aclmdlRICaptureTaskGrpBegin(stream));
    add_step(0, stream);
    CHECK(aclmdlRICaptureTaskGrpEnd(stream, group));
    add_step(0, stream);
    CHECK(aclmdlRICaptureEnd(stream, &instance));
    return instance;
}

/* The next runs of `stream` have the group's kernel with another step. */
static void update_group(aclrtTaskGrp group, int step, aclrtStream updater, aclrtEvent done,
                         aclrtStream stream)
{
    CHECK(aclmdlRICaptureTaskUpdateBegin(updater, group));
    add_step(step, updater); /* not launched: it takes the kernel's place */
    CHECK(aclmdlRICaptureTaskUpdateEnd(updater));
    CHECK(aclrtRecordEvent(done, updater));
    CHECK(aclrtStreamWaitEvent(stream, done));
}

/* The last kernel of the instance; it does not run now. */
static aclmdlRITask last_kernel(aclmdlRI instance)
{
    aclrtStream stream = NULL;
    aclmdlRITask tasks[2] = {NULL};
    uint32_t count = 1;
    CHECK(aclmdlRIGetStreams(instance, &stream, &count));
    count = 2;
    CHECK(aclmdlRIGetTasksByStream(stream, tasks, &count));
    return tasks[count - 1];
}

static void set_step(aclmdlRITask task, int step)
{
    aclmdlRITaskParams params;
    struct step_args args = args_of(step);
    CHECK(aclmdlRITaskGetParams(task, &params));
    params.taskGrp = NULL;
    params.kernelTaskParams.args = &args; /* copied */
    params.kernelTaskParams.isHostArgs = 1;
    CHECK(aclmdlRITaskSetParams(task, &params));
}

/* Runs the instance; what has been added since the last time. */
static float run(aclmdlRI instance, aclrtStream stream)
{
    static float before;
    float after[COUNT];
    CHECK(aclmdlRIExecuteAsync(instance, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(after, sizeof(after), sum, sizeof(after), ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 1; i < COUNT; i++)
        REQUIRE(after[i] == after[0]);
    const float added = after[0] - before;
    before = after[0];
    return added;
}

int main(int argc, char **argv)
{
    static float words[COUNT];
    aclrtStream stream = NULL, updater = NULL;
    aclrtEvent done = NULL;
    aclrtTaskGrp group = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateStream(&updater));
    CHECK(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
    aclrtBinHandle binary = load_kernels(argc, argv, "graph_update_kernels.o");
    kernel = find_kernel(binary, "add_step");
    sum = to_device(words, sizeof(words));
    for (int i = 0, value = 1; i < STEPS; i++, value *= 10) {
        for (int k = 0; k < COUNT; k++)
            words[k] = (float)value;
        steps[i] = to_device(words, sizeof(words));
    }

    aclmdlRI instance = capture(stream, &group);
    printf("as captured: %g\n", run(instance, stream));
    update_group(group, 1, updater, done, stream);
    printf("the group's kernel updated: %g\n", run(instance, stream));
    aclmdlRITask task = last_kernel(instance);
    set_step(task, 2);
    CHECK(aclmdlRIUpdate(instance));
    printf("the last kernel changed too: %g\n", run(instance, stream));
    CHECK(aclmdlRITaskDisable(task));
    CHECK(aclmdlRIUpdate(instance));
    printf("the last kernel left out: %g\n", run(instance, stream));

    CHECK(aclmdlRIDestroy(instance));
    CHECK(aclrtFree(sum));
    for (int i = 0; i < STEPS; i++)
        CHECK(aclrtFree(steps[i]));
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtDestroyEvent(done));
    CHECK(aclrtDestroyStream(updater));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("graph_update: ok\n");
    return 0;
}
