/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in captures, and task groups, whose kernels become other ones. */
#include "native_tests.h"

enum { WORDS = NATIVE_TILE, BYTES = WORDS * 4, PLACES = 4 };

/* A device with memory, and two streams beside the first. */
typedef struct grouped {
    native n;
    float *at[PLACES]; /* device; each word of place i is i at first */
    aclrtStream other, updater;
    aclrtEvent event;
} grouped;

static void open_group(grouped *s)
{
    static float words[WORDS];
    native_begin(&s->n);
    s->other = twin_stream();
    s->updater = twin_stream();
    CHECK_OK(aclrtCreateEventExWithFlag(&s->event, ACL_EVENT_SYNC));
    for (int i = 0; i < PLACES; i++) {
        s->at[i] = native_memory(BYTES);
        for (int k = 0; k < WORDS; k++)
            words[k] = (float)i;
        native_write(s->at[i], words, BYTES);
    }
}

static void close_group(grouped *s)
{
    for (int i = 0; i < PLACES; i++)
        native_free(s->at[i]);
    CHECK_OK(aclrtDestroyEvent(s->event));
    CHECK_OK(aclrtDestroyStream(s->other));
    CHECK_OK(aclrtDestroyStream(s->updater));
    native_end(&s->n);
}

static float first(const grouped *s, int place)
{
    float words[WORDS];
    native_read(words, s->at[place], BYTES);
    return words[0];
}

/* at[to] = at[x] + at[y] */
static aclError add(const grouped *s, int to, int x, int y, aclrtStream stream)
{
    const struct native_add args = {native_address(s->at[x]), native_address(s->at[y]),
                                    native_address(s->at[to]), WORDS, 0};
    return native_launch_on(&s->n, "add", 1, &args, sizeof(args), stream);
}

static void run(const grouped *s, aclmdlRI instance)
{
    CHECK_OK(aclmdlRIExecuteAsync(instance, s->n.stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s->n.stream, SOON_MS));
}

/* Arguments are those of the capture; memory is read when it runs. */
void test_captured_kernel(void)
{
    grouped s;
    aclmdlRI instance = NULL;
    open_group(&s);
    CHECK_OK(aclmdlRICaptureBegin(s.n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(add(&s, 3, 3, 2, s.n.stream));
    CHECK_OK(aclmdlRICaptureEnd(s.n.stream, &instance));
    CHECK_EQUAL(first(&s, 3), 3);
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 5);
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 7);
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

/* Captures at[3] = at[3] + at[1] as a group of one kernel, with a kernel before it. */
static aclmdlRI capture_one(grouped *s, aclrtTaskGrp *group)
{
    aclmdlRI instance = NULL;
    CHECK_OK(aclmdlRICaptureBegin(s->n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(add(s, 0, 0, 1, s->n.stream));
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s->n.stream));
    CHECK_OK(add(s, 3, 3, 1, s->n.stream));
    CHECK_OK(aclmdlRICaptureTaskGrpEnd(s->n.stream, group));
    CHECK(*group != NULL);
    CHECK_OK(aclmdlRICaptureEnd(s->n.stream, &instance));
    return instance;
}

static void update_one(grouped *s, aclrtTaskGrp group, int to, int x, int y)
{
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(s->updater, group));
    CHECK_OK(add(s, to, x, y, s->updater));
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(s->updater));
}

void test_group_update(void)
{
    grouped s;
    aclrtTaskGrp group = NULL;
    open_group(&s);
    aclmdlRI instance = capture_one(&s, &group);
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 4);
    update_one(&s, group, 2, 2, 1);
    CHECK_OK(aclrtSynchronizeStream(s.updater));
    CHECK_EQUAL(first(&s, 2), 2); /* the update launches nothing */
    for (int i = 1; i <= 3; i++) {
        run(&s, instance);
        CHECK_EQUAL(first(&s, 2), 2 + i);
        CHECK_EQUAL(first(&s, 3), 4);
        CHECK_EQUAL(first(&s, 0), i + 1);
    }
    for (int i = 0; i < 50; i++)
        update_one(&s, group, 3, 3, i % 2 == 0 ? 2 : 1);
    CHECK_OK(aclrtSynchronizeStream(s.updater));
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 5);
    CHECK_OK(aclmdlRIDestroy(instance));
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(s.updater, group), ACL_ERROR_RT_INVALID_HANDLE);
    close_group(&s);
}

/* A task group of a graph that a loop repeats; a conditional task is not for a group. */
void test_group_in_graph(void)
{
    grouped s;
    static const int32_t minus_one = -1;
    aclrtTaskGrp group = NULL;
    aclmdlRI instance = NULL, graph = NULL, none = NULL;
    uint64_t *word = NULL;
    aclmdlRICondTaskParams params = {
        .type = ACL_MODEL_RI_COND_TYPE_WHILE, .size = 1, .modelRIArray = &graph};
    open_group(&s);
    float *added = native_memory(4);
    native_write(added, &minus_one, 4);
    CHECK_OK(aclmdlRICaptureBegin(s.n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclmdlRICaptureGetInfo(s.n.stream, NULL, &instance));
    CHECK_OK(aclmdlRICondHandleCreate(instance, 2, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT,
                                      &params.handle));
    CHECK_OK(aclmdlRICondHandleGetCondPtr(params.handle, &word));
    CHECK_OK(aclmdlRIAddCondTask(params, s.n.stream, 0));
    CHECK_OK(aclmdlRICaptureToModelRIBegin(s.other, graph, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s.other));
    CHECK_OK(add(&s, 3, 3, 1, s.other));
    CHECK_OK(aclmdlRICaptureTaskGrpEnd(s.other, &group));
    CHECK_OK(aclrtReduceAsync(word, added, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, s.other,
                              NULL));
    CHECK_OK(aclmdlRICaptureEnd(s.other, NULL));
    CHECK_OK(aclmdlRICaptureEnd(s.n.stream, &instance));
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 5);
    update_one(&s, group, 3, 3, 2);
    CHECK_OK(aclrtSynchronizeStream(s.updater));
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 9);
    CHECK_OK(aclmdlRIDestroy(instance));

    CHECK_OK(aclmdlRICaptureBegin(s.n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclmdlRICaptureGetInfo(s.n.stream, NULL, &instance));
    CHECK_OK(aclmdlRICondHandleCreate(instance, 0, (aclmdlRICondHandleFlag)0, &params.handle));
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s.n.stream));
    CHECK_CODE(aclmdlRIAddCondTask(params, s.n.stream, 0), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRICaptureTaskGrpEnd(s.n.stream, &group), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRICaptureEnd(s.n.stream, &none), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    native_free(added);
    close_group(&s);
}

/* An update has its place in the order of its stream. */
void test_group_update_order(void)
{
    grouped s;
    twin_hold hold;
    aclrtTaskGrp group = NULL;
    open_group(&s);
    aclmdlRI instance = capture_one(&s, &group);
    twin_hold_begin(&hold, s.updater);
    update_one(&s, group, 2, 2, 1);
    CHECK_OK(aclrtRecordEvent(s.event, s.updater));
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 4); /* as captured */
    CHECK_EQUAL(first(&s, 2), 2);
    CHECK_OK(aclrtStreamWaitEvent(s.n.stream, s.event));
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.n.stream));
    twin_hold_end(&hold, s.other);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.n.stream, SOON_MS));
    CHECK_EQUAL(first(&s, 3), 4);
    CHECK_EQUAL(first(&s, 2), 3);
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

/* The run has come to the task before the group, and the device has read ahead. */
void test_group_update_beside_run(void)
{
    grouped s;
    twin_hold hold;
    aclrtTaskGrp group = NULL;
    aclmdlRI instance = NULL;
    open_group(&s);
    CHECK_OK(aclmdlRICaptureBegin(s.n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    twin_hold_begin(&hold, s.n.stream);
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s.n.stream));
    CHECK_OK(add(&s, 3, 3, 1, s.n.stream));
    CHECK_OK(add(&s, 0, 0, 1, s.n.stream));
    CHECK_OK(aclmdlRICaptureTaskGrpEnd(s.n.stream, &group));
    CHECK_OK(aclmdlRICaptureEnd(s.n.stream, &instance));
    CHECK_OK(aclmdlRIExecuteAsync(instance, s.n.stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.n.stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(s.updater, group));
    CHECK_OK(add(&s, 2, 2, 1, s.updater));
    CHECK_OK(add(&s, 0, 0, 3, s.updater));
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(s.updater));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.updater, SOON_MS));
    twin_hold_end(&hold, s.other);
    CHECK_EQUAL(first(&s, 3), 3);
    CHECK_EQUAL(first(&s, 2), 3);
    CHECK_EQUAL(first(&s, 0), 3);
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

/* The instance ends before the update has happened. If the device has `read` it, it comes to the
 * hold and the update at once, from another hold. */
static void end_before_update(bool read)
{
    grouped s;
    twin_hold before, hold;
    aclrtTaskGrp group = NULL;
    open_group(&s);
    aclmdlRI instance = capture_one(&s, &group);
    if (read)
        twin_hold_begin(&before, s.updater);
    twin_hold_begin(&hold, s.updater);
    update_one(&s, group, 2, 2, 1);
    if (read) {
        twin_hold_release(&before, s.other);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.updater, 1),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_OK(aclrtDestroyNotify(before.notify));
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    instance = capture_one(&s, &group); /* perhaps in the memory of the first one */
    twin_hold_end(&hold, s.other);
    run(&s, instance);
    CHECK_EQUAL(first(&s, 3), 4);
    CHECK_EQUAL(first(&s, 2), 2);
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

void test_group_update_late(void)
{
    end_before_update(false);
    end_before_update(true);
}

/* A captured instance with a group of one kernel alone. */
static aclmdlRI capture_alone(grouped *s, int to, int x, int y, aclrtTaskGrp *group)
{
    aclmdlRI instance = NULL;
    CHECK_OK(aclmdlRICaptureBegin(s->n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s->n.stream));
    CHECK_OK(add(s, to, x, y, s->n.stream));
    CHECK_OK(aclmdlRICaptureTaskGrpEnd(s->n.stream, group));
    CHECK_OK(aclmdlRICaptureEnd(s->n.stream, &instance));
    return instance;
}

/* The same without anything in the way. Each query lets the device come a little further: the
 * update has not begun at first, and is under way or done later. */
void test_group_update_unbegun(void)
{
    grouped s;
    aclrtTaskGrp group = NULL;
    open_group(&s);
    aclmdlRI instance = capture_alone(&s, 0, 0, 1, &group);
    for (int i = 1; i <= 20; i++) {
        update_one(&s, group, 3, 3, 1);
        for (int query = 1; query < i; query++)
            (void)twin_idle(s.updater);
        CHECK_OK(aclmdlRIDestroy(instance));
        instance = capture_alone(&s, 0, 0, 1, &group);
        CHECK_EQUAL(first(&s, 0), 2 * (i - 1)); /* the device works */
        run(&s, instance);
        CHECK_OK(aclrtSynchronizeStream(s.updater));
        run(&s, instance);
        CHECK_EQUAL(first(&s, 0), 2 * i);
        CHECK_EQUAL(first(&s, 3), 3);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

/* Of two streams that update a group, the one whose update happens last decides. */
void test_group_updates_cross(void)
{
    grouped s;
    twin_hold hold;
    aclrtTaskGrp group = NULL;
    open_group(&s);
    aclmdlRI instance = capture_one(&s, &group), others = NULL;
    twin_hold_begin(&hold, s.updater);
    update_one(&s, group, 3, 3, 2);
    aclrtStream late = s.updater;
    s.updater = s.other;
    for (int i = 0; i < 3; i++) {
        update_one(&s, group, 2, 2, 1);
        CHECK_OK(aclrtSynchronizeStream(s.other));
    }
    s.updater = late;
    CHECK_OK(aclmdlRICaptureBegin(s.other, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < 8; i++)
        CHECK_OK(add(&s, 1, 1, 1, s.other)); /* perhaps in the memory of a kernel above */
    CHECK_OK(aclmdlRICaptureEnd(s.other, &others));
    twin_hold_end(&hold, s.other);
    CHECK_OK(aclrtSynchronizeStream(s.updater));
    run(&s, instance);
    CHECK_EQUAL(first(&s, 1), 1);
    CHECK_EQUAL(first(&s, 2), 2);
    CHECK_EQUAL(first(&s, 3), 5);
    CHECK_OK(aclmdlRIDestroy(others));
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

void test_group_status(void)
{
    grouped s;
    aclrtTaskGrp group = NULL;
    open_group(&s);
    const aclrtStream stream = s.n.stream;
    CHECK_CODE(aclmdlRICaptureTaskGrpBegin(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureTaskGrpBegin(stream), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_CODE(aclmdlRICaptureTaskGrpEnd(stream, &group), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    CHECK_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_CODE(aclmdlRICaptureTaskGrpEnd(stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureTaskGrpEnd(stream, &group), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(stream));
    CHECK_CODE(aclmdlRICaptureTaskGrpBegin(stream), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK_OK(add(&s, 0, 0, 1, stream));
    CHECK_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(stream, group), ACL_ERROR_RT_STREAM_CAPTURED);
    aclmdlRI instance = NULL;
    CHECK_OK(aclmdlRICaptureEnd(stream, &instance));
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(NULL, group), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(stream, instance), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRICaptureTaskUpdateEnd(stream), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(stream, group));
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(stream, group), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK_CODE(aclmdlRICaptureTaskUpdateBegin(s.other, group), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK_CODE(aclrtMemsetAsync(s.at[0], 4, 0, 4, stream), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT);
    CHECK_CODE(aclmdlRICaptureTaskUpdateEnd(stream), ACL_ERROR_RT_INTERNAL_ERROR); /* fewer */
    CHECK_OK(aclmdlRICaptureTaskUpdateBegin(stream, group));
    CHECK_OK(add(&s, 0, 0, 2, stream));
    CHECK_CODE(add(&s, 0, 0, 2, stream), ACL_ERROR_RT_INTERNAL_ERROR); /* more */
    CHECK_OK(aclmdlRICaptureTaskUpdateEnd(stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    run(&s, instance);
    CHECK_EQUAL(first(&s, 0), 2);
    CHECK_OK(aclmdlRIDestroy(instance));
    close_group(&s);
}

/* `wrong` comes between the begin and the end of a group. */
static void break_group(grouped *s, aclError code, aclError (*wrong)(const grouped *s))
{
    aclrtTaskGrp group = s;
    aclmdlRI instance = s;
    CHECK_OK(aclmdlRICaptureBegin(s->n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclrtRecordEvent(s->event, s->n.stream));
    CHECK_OK(aclrtStreamWaitEvent(s->other, s->event));
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s->n.stream));
    CHECK_CODE(wrong(s), code);
    CHECK_CODE(aclmdlRICaptureTaskGrpEnd(s->n.stream, &group), code);
    CHECK(group == NULL);
    CHECK_CODE(aclmdlRICaptureEnd(s->n.stream, &instance), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    CHECK(instance == NULL);
}

static aclError record_in_group(const grouped *s)
{
    return aclrtRecordEvent(s->event, s->n.stream);
}

static aclError fill_in_group(const grouped *s)
{
    return aclrtMemsetAsync(s->at[0], 4, 0, 4, s->n.stream);
}

static aclError launch_beside_group(const grouped *s)
{
    return add(s, 0, 0, 1, s->other);
}

void test_group_broken(void)
{
    grouped s;
    open_group(&s);
    break_group(&s, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, record_in_group);
    break_group(&s, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, fill_in_group);
    break_group(&s, ACL_ERROR_STREAM_TASK_GROUP_INTR, launch_beside_group);
    aclmdlRI instance = &s;
    CHECK_OK(aclmdlRICaptureBegin(s.n.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    CHECK_OK(aclmdlRICaptureTaskGrpBegin(s.n.stream));
    CHECK_CODE(aclmdlRICaptureEnd(s.n.stream, &instance), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
    CHECK(instance == NULL);
    close_group(&s);
}
