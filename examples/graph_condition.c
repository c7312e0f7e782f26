/* SPDX-License-Identifier: Apache-2.0 */
/* A graph that decides by itself: it repeats steps until a word in device memory says stop, and
 * then runs one of two ends. Nothing is queued after the one execution. */
#include "check.h"

#define STEPS 6

static aclrtStream stream, graph_stream;
static int32_t *numbers; /* device: 1, -1, steps so far, which end ran */

enum { ONE, MINUS_ONE, DONE, END };

static void add(void *to, int what, aclrtStream on)
{
    CHECK(aclrtReduceAsync(to, &numbers[what], sizeof(int32_t), ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                           ACL_INT32, on, NULL));
}

/* A condition of the capture: its word is 0 until something writes it. */
static aclmdlRICondHandle make_condition(uint64_t **word)
{
    aclmdlRI instance = NULL;
    aclmdlRICondHandle handle = NULL;
    CHECK(aclmdlRICaptureGetInfo(stream, NULL, &instance));
    CHECK(aclmdlRICondHandleCreate(instance, 0, (aclmdlRICondHandleFlag)0, &handle));
    CHECK(aclmdlRICondHandleGetCondPtr(handle, word));
    return handle;
}

/* The loop: as long as *left is not 0, a step; each step takes 1 from it. */
static void capture_loop(uint64_t **left)
{
    aclmdlRI body = NULL;
    aclmdlRICondTaskParams params = {make_condition(left), ACL_MODEL_RI_COND_TYPE_WHILE, 1, &body};
    CHECK(aclmdlRIAddCondTask(params, stream, 0));
    CHECK(aclmdlRICaptureToModelRIBegin(graph_stream, body, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    add(&numbers[DONE], ONE, graph_stream);
    add(*left, MINUS_ONE, graph_stream);
    CHECK(aclmdlRICaptureEnd(graph_stream, &body));
}

/* If *even is 0 one end, else the other. */
static void capture_ends(uint64_t **even)
{
    aclmdlRI ends[2] = {NULL};
    aclmdlRICondTaskParams params = {make_condition(even), ACL_MODEL_RI_COND_TYPE_IF, 2, ends};
    CHECK(aclmdlRIAddCondTask(params, stream, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(
            aclmdlRICaptureToModelRIBegin(graph_stream, ends[i], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        CHECK(aclrtMemsetAsync(&numbers[END], 4, i + 1, 4, graph_stream));
        CHECK(aclmdlRICaptureEnd(graph_stream, &ends[i]));
    }
}

static void write_word(uint64_t *word, uint64_t value)
{
    CHECK(aclrtMemcpy(word, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
}

int main(void)
{
    const int32_t initial[] = {1, -1, 0, 0};
    aclmdlRI instance = NULL;
    uint64_t *left = NULL, *even = NULL;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateStream(&graph_stream));
    CHECK(aclrtMalloc((void **)&numbers, sizeof(initial), ACL_MEM_MALLOC_HUGE_FIRST));

    CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    capture_loop(&left);
    capture_ends(&even);
    CHECK(aclmdlRICaptureEnd(stream, &instance));

    for (int32_t steps = STEPS; steps > STEPS - 2; steps--) {
        int32_t found[4];
        CHECK(aclrtMemcpy(numbers, sizeof(initial), initial, sizeof(initial),
                          ACL_MEMCPY_HOST_TO_DEVICE));
        write_word(left, (uint64_t)steps);
        write_word(even, steps % 2 == 0);
        CHECK(aclmdlRIExecuteAsync(instance, stream));
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclrtMemcpy(found, sizeof(found), numbers, sizeof(found), ACL_MEMCPY_DEVICE_TO_HOST));
        printf("one execution: %d steps, the end for %s numbers\n", found[DONE],
               found[END] == 0x01010101 ? "even" : "odd");
        REQUIRE(found[DONE] == steps);
        REQUIRE(found[END] == (steps % 2 == 0 ? 0x01010101 : 0x02020202));
    }

    CHECK(aclmdlRIDestroy(instance)); /* and the graphs and conditions that are part of it */
    CHECK(aclrtFree(numbers));
    CHECK(aclrtDestroyStream(graph_stream));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("graph_condition: ok\n");
    return 0;
}
