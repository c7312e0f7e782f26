/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with model instances, correct ones and ones with a race or a wrong lifetime.
 *
 *   graph_program NAME [more]    NAME is one of those at the end; more: forked() has one more edge
 *                                and fill */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define BYTES ((size_t)1 << 16)
#define RUNS  3
#define HEAD  0 /* flags of aclmdlRIBindStream */
#define LATER 0x7fffffff

static aclrtStream first, second;
static aclrtEvent fork_event, join_event, order_event;
static char *input, *output; /* device memory */
static void *host;
static int more;

static void check(aclError error, const char *what)
{
    if (error == ACL_SUCCESS)
        return;
    fprintf(stderr, "graph_program: %s: %d: %s\n", what, error, aclGetRecentErrMsg());
    exit(1);
}

#define CHECK(call) check(call, #call)

static void copy(void *to, const void *from, aclrtStream stream)
{
    CHECK(aclrtMemcpyAsync(to, BYTES, from, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void fill(void *to, aclrtStream stream)
{
    CHECK(aclrtMemsetAsync(to, BYTES, 1, BYTES, stream));
}

static void order(aclrtStream before, aclrtEvent event, aclrtStream after)
{
    CHECK(aclrtRecordEvent(event, before));
    CHECK(aclrtStreamWaitEvent(after, event));
}

static void begin(void)
{
    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
}

static aclmdlRI end(void)
{
    aclmdlRI instance = NULL;
    CHECK(aclmdlRICaptureEnd(first, &instance));
    return instance;
}

static void run(aclmdlRI instance, aclrtStream stream)
{
    CHECK(aclmdlRIExecuteAsync(instance, stream));
}

/* Copies input to output. */
static aclmdlRI captured_copy(void)
{
    begin();
    copy(output, input, first);
    return end();
}

static void finish(aclmdlRI instance)
{
    CHECK(aclrtSynchronizeStream(first));
    CHECK(aclrtSynchronizeStream(second));
    CHECK(aclmdlRIDestroy(instance));
}

/* ---- correct ---- */

/* Two halves of the output on two streams, and one more fill of both after the join. */
static void forked(void)
{
    begin();
    fill(input, first);
    order(first, fork_event, second);
    copy(output, input, first);
    copy(output + BYTES, input, second);
    if (more) {
        order(first, order_event, second);
        fill(input + BYTES, second);
    }
    order(second, join_event, first);
    fill(output + BYTES, first);
    aclmdlRI instance = end();
    fill(output, first);
    for (int i = 0; i < RUNS; i++)
        run(instance, first);
    copy(input, output + BYTES, first);
    finish(instance);
}

/* A lane that continues in another stream of the instance. */
static void is_long(void)
{
    begin();
    for (int i = 0; i < 1100; i++)
        copy(i % 2 ? input : output, i % 2 ? output : input, first);
    order(first, fork_event, second);
    fill(input, second);
    order(second, join_event, first);
    fill(input, first);
    aclmdlRI instance = end();
    run(instance, first);
    order(first, order_event, second);
    run(instance, second);
    finish(instance);
}

static void ordered(void)
{
    aclmdlRI instance = captured_copy();
    for (int i = 0; i < RUNS; i++) {
        fill(input, second);
        order(second, fork_event, first);
        run(instance, first);
        order(first, order_event, second);
        copy(output + BYTES, output, second);
    }
    finish(instance);
}

/* Runs of one instance exclude each other, on whatever streams. */
static void twice(void)
{
    aclmdlRI instance = captured_copy();
    for (int i = 0; i < RUNS; i++) {
        run(instance, first);
        run(instance, second);
    }
    finish(instance);
}

/* The end of an instance waits for its runs. */
static void destroyed(void)
{
    aclmdlRI instance = captured_copy();
    run(instance, first);
    CHECK(aclmdlRIDestroy(instance));
    CHECK(aclrtMemcpy(host, BYTES, output, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtFree(output));
    output = NULL;
    CHECK(aclrtSynchronizeStream(first));
}

static unsigned looked;

static void look(void *memory)
{
    looked += *(const unsigned char *)memory;
}

/* A function of the host that a run calls sees what comes before it complete. */
static void called(void)
{
    begin();
    CHECK(aclrtMemcpyAsync(host, BYTES, input, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, first));
    CHECK(aclrtLaunchHostFunc(first, look, host));
    copy(output, input, first);
    aclmdlRI instance = end();
    for (int i = 0; i < RUNS; i++)
        run(instance, first);
    CHECK(aclrtSynchronizeStream(first));
    fill(output, second);
    fill(input, second);
    finish(instance);
}

/* Built task by task: one stream of the instance starts the other, a notify orders the rest. */
static void build(bool with_order)
{
    aclrtStream lanes[2];
    aclrtNotify notify = NULL;
    aclmdlRI instance = NULL;
    CHECK(aclrtCreateNotify(&notify, 0));
    CHECK(aclmdlRIBuildBegin(&instance, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(aclrtCreateStreamWithConfig(&lanes[i], 0, ACL_STREAM_PERSISTENT));
        CHECK(aclmdlRIBindStream(instance, lanes[i], i == 0 ? HEAD : LATER));
    }
    fill(input, lanes[0]);
    CHECK(aclrtActiveStream(lanes[1], lanes[0]));
    copy(output, input, lanes[1]);
    CHECK(aclrtRecordNotify(notify, lanes[1]));
    if (!with_order)
        fill(output, lanes[0]);
    CHECK(aclrtWaitAndResetNotify(notify, lanes[0], 0));
    if (with_order)
        fill(output, lanes[0]);
    CHECK(aclmdlRIEndTask(instance, lanes[0]));
    CHECK(aclmdlRIBuildEnd(instance, NULL));
    for (int i = 0; i < RUNS; i++)
        run(instance, first);
    finish(instance);
    for (int i = 0; i < 2; i++)
        CHECK(aclrtDestroyStream(lanes[i]));
    CHECK(aclrtDestroyNotify(notify));
}

static void built(void)
{
    build(true);
}

/* Where a value decides which tasks run, nothing is reported. */
static void branching(void)
{
    aclrtStream lanes[2];
    aclmdlRI instance = NULL;
    uint64_t *words = (uint64_t *)(void *)(output + BYTES);
    CHECK(aclrtMemset(words, 16, 0, 16));
    CHECK(aclmdlRIBuildBegin(&instance, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(aclrtCreateStreamWithConfig(&lanes[i], 0, ACL_STREAM_PERSISTENT));
        CHECK(aclmdlRIBindStream(instance, lanes[i], i == 0 ? HEAD : LATER));
    }
    CHECK(aclrtSwitchStream(words, ACL_RT_EQUAL, words + 1, ACL_RT_SWITCH_INT64, lanes[1], NULL,
                            lanes[0]));
    fill(input, lanes[0]);
    fill(input, lanes[1]);
    CHECK(aclmdlRIEndTask(instance, lanes[1]));
    CHECK(aclmdlRIBuildEnd(instance, NULL));
    run(instance, first);
    fill(input, second);
    finish(instance);
    for (int i = 0; i < 2; i++)
        CHECK(aclrtDestroyStream(lanes[i]));
}

static aclmdlRI handed;
static atomic_int ready;

static void *capture_and_run(void *unused)
{
    CHECK(aclrtSetDevice(0));
    handed = captured_copy();
    fill(input, first);
    run(handed, first);
    CHECK(aclrtRecordEvent(order_event, first));
    atomic_store(&ready, 1);
    return unused;
}

/* Two threads run one instance and use its memory, one after the other. */
static void hand_over(bool joins)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, capture_and_run, NULL));
    if (joins)
        CHECK(pthread_join(thread, NULL));
    while (!atomic_load(&ready))
        ;
    CHECK(aclrtStreamWaitEvent(second, order_event));
    run(handed, second);
    copy(output + BYTES, output, second);
    fill(input, second);
    if (!joins)
        CHECK(pthread_join(thread, NULL));
    finish(handed);
}

static void threads(void)
{
    hand_over(true);
}

/* ---- with a race ---- */

/* An order that the recording does not show. */
static void race_threads(void)
{
    hand_over(false);
}

/* Two streams of one capture without an edge between the copies. */
static void race_inside(void)
{
    begin();
    fill(input, first);
    order(first, fork_event, second);
    copy(output, input, first);
    copy(output, input, second);
    order(second, join_event, first);
    aclmdlRI instance = end();
    for (int i = 0; i < RUNS; i++)
        run(instance, first);
    finish(instance);
}

static void race_built(void)
{
    build(false);
}

static void race_after(void)
{
    aclmdlRI instance = captured_copy();
    run(instance, first);
    copy(output + BYTES, output, second);
    finish(instance);
}

static void race_before(void)
{
    aclmdlRI instance = captured_copy();
    fill(input, second);
    run(instance, first);
    finish(instance);
}

/* A run counts as before the next one of its stream alone. */
static void race_twice(void)
{
    aclmdlRI instance = captured_copy();
    run(instance, first);
    copy(output + BYTES, output, first);
    run(instance, second);
    finish(instance);
}

static void race_two(void)
{
    aclmdlRI instance = captured_copy();
    aclmdlRI other = captured_copy();
    run(instance, first);
    run(other, second);
    finish(instance);
    CHECK(aclmdlRIDestroy(other));
}

static void race_host(void)
{
    aclmdlRI instance = captured_copy();
    run(instance, first);
    CHECK(aclrtMemcpy(host, BYTES, output, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    finish(instance);
}

/* ---- with a wrong lifetime ---- */

static void freed_early(void)
{
    aclmdlRI instance = captured_copy();
    run(instance, first);
    CHECK(aclrtFree(output));
    output = NULL;
    finish(instance);
}

static void freed_before(void)
{
    aclmdlRI instance = captured_copy();
    run(instance, first);
    CHECK(aclrtSynchronizeStream(first));
    CHECK(aclrtFree(output));
    output = NULL;
    run(instance, first);
    finish(instance);
}

static const struct {
    const char *name;
    void (*program)(void);
} programs[] = {
    {"forked", forked},
    {"long", is_long},
    {"ordered", ordered},
    {"twice", twice},
    {"destroyed", destroyed},
    {"called", called},
    {"built", built},
    {"branching", branching},
    {"threads", threads},
    {"race_threads", race_threads},
    {"race_inside", race_inside},
    {"race_built", race_built},
    {"race_after", race_after},
    {"race_before", race_before},
    {"race_twice", race_twice},
    {"race_two", race_two},
    {"race_host", race_host},
    {"freed_early", freed_early},
    {"freed_before", freed_before},
};

int main(int argc, char **argv)
{
    size_t chosen = 0;
    const size_t count = sizeof(programs) / sizeof(programs[0]);
    while (chosen < count && (argc < 2 || strcmp(argv[1], programs[chosen].name) != 0))
        chosen++;
    if (chosen == count)
        return 2;
    more = argc > 2;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    aclrtEvent *const events[] = {&fork_event, &join_event, &order_event};
    for (size_t i = 0; i < 3; i++)
        CHECK(aclrtCreateEventExWithFlag(events[i], ACL_EVENT_SYNC));
    CHECK(aclrtMalloc((void **)&input, 2 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc((void **)&output, 2 * BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMallocHost(&host, BYTES));
    programs[chosen].program();
    CHECK(aclrtFreeHost(host));
    if (output)
        CHECK(aclrtFree(output));
    CHECK(aclrtFree(input));
    for (size_t i = 0; i < 3; i++)
        CHECK(aclrtDestroyEvent(*events[i]));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(first));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
