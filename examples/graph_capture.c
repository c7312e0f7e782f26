/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams do the same work at once and as a graph: captured once, then executed by one task.
 * At once, each task is submitted by the host when the one before it has long ended; the graph is
 * run by the device alone. */
#include "check.h"

#define BYTES  ((size_t)64 << 10)
#define ROUNDS 24

static aclrtStream first, second;
static aclrtEvent fork_event, join_event;
static void *input, *output, *from, *to;

/* The first stream fetches the input, both copy on the device, the first one returns the result. */
static void submit(void)
{
    CHECK(aclrtMemcpyAsync(from, BYTES, input, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, first));
    CHECK(aclrtRecordEvent(fork_event, first));
    CHECK(aclrtStreamWaitEvent(second, fork_event)); /* in a capture: the second stream joins */
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(aclrtMemcpyAsync(to, BYTES / 2, from, BYTES / 2, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
        CHECK(aclrtMemcpyAsync((char *)to + BYTES / 2, BYTES / 2, (char *)from + BYTES / 2,
                               BYTES / 2, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
    }
    CHECK(aclrtRecordEvent(join_event, second));
    CHECK(aclrtStreamWaitEvent(first, join_event)); /* in a capture: it joins back */
    CHECK(aclrtMemcpyAsync(output, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, first));
}

/* Device time in us of what `run` queues on the first stream. */
static float timed(void (*run)(aclmdlRI), aclmdlRI instance)
{
    aclrtEvent begin, end;
    float ms = 0;
    CHECK(aclrtCreateEvent(&begin));
    CHECK(aclrtCreateEvent(&end));
    CHECK(aclrtRecordEvent(begin, first));
    run(instance);
    CHECK(aclrtRecordEvent(end, first));
    CHECK(aclrtSynchronizeStream(first));
    CHECK(aclrtEventElapsedTime(&ms, begin, end));
    CHECK(aclrtDestroyEvent(begin));
    CHECK(aclrtDestroyEvent(end));
    return ms * 1000;
}

static void run_at_once(aclmdlRI unused)
{
    (void)unused;
    submit();
}

static void run_graph(aclmdlRI instance)
{
    CHECK(aclmdlRIExecuteAsync(instance, first));
}

int main(void)
{
    aclmdlRI instance = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateEventExWithFlag(&fork_event, ACL_EVENT_SYNC));
    CHECK(aclrtCreateEventExWithFlag(&join_event, ACL_EVENT_SYNC));
    CHECK(aclrtMallocHost(&input, BYTES));
    CHECK(aclrtMallocHost(&output, BYTES));
    CHECK(aclrtMalloc(&from, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&to, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));

    pattern_fill(input, BYTES, 1);
    const float at_once = timed(run_at_once, NULL);
    REQUIRE(pattern_differences(output, BYTES, 1) == 0);

    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    submit();
    /* Nothing of it is executed, so nothing can be waited for. */
    EXPECT(aclrtSynchronizeStream(first), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK(aclmdlRICaptureEnd(first, &instance));

    float graph = 0;
    for (unsigned run = 2; run <= 4; run++) {
        pattern_fill(input, BYTES, run);
        graph = timed(run_graph, instance);
        REQUIRE(pattern_differences(output, BYTES, run) == 0);
    }
    printf("%d tasks at once and captured, 3 executions: all verified\n", 2 * ROUNDS + 6);
    printf("device time at once: %.1f us, as a graph: %.1f us\n", at_once, graph);

    CHECK(aclmdlRIDestroy(instance));
    CHECK(aclrtFree(to));
    CHECK(aclrtFree(from));
    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtDestroyEvent(join_event));
    CHECK(aclrtDestroyEvent(fork_event));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(first));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("graph_capture: ok\n");
    return 0;
}
