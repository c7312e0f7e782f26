/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of captured model instances: what programs see of them, and change. */
#include "capture_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TASKS 8u

/* A capture of one stream: words[1] = words[0], words[8] = 21, wait until words[8] is 21,
 * words[2] = words[1]. */
typedef struct changed {
    capture s;
    aclmdlRI instance;
    aclrtStream stream; /* of the instance */
    aclmdlRITask tasks[TASKS];
    uint32_t count;
} changed;

static void changed_open(changed *c)
{
    uint32_t streams = 1;
    capture_open(&c->s);
    capture_begin(c->s.first);
    capture_copy(&c->s, 1, 0, c->s.first);
    CHECK_OK(aclrtValueWrite(&c->s.words[8], 21, 0, c->s.first));
    CHECK_OK(aclrtValueWait(&c->s.words[8], 21, 1 /* equal */, c->s.first));
    capture_copy(&c->s, 2, 1, c->s.first);
    c->instance = capture_end(c->s.first);
    CHECK_OK(aclmdlRIGetStreams(c->instance, &c->stream, &streams));
    CHECK_EQUAL(streams, 1);
    c->count = TASKS;
    CHECK_OK(aclmdlRIGetTasksByStream(c->stream, c->tasks, &c->count));
    CHECK_EQUAL(c->count, 4);
}

static void changed_close(changed *c)
{
    CHECK_OK(aclmdlRIDestroy(c->instance));
    capture_close(&c->s);
}

static aclmdlRITaskType type_of(aclmdlRITask task)
{
    aclmdlRITaskType type = (aclmdlRITaskType)77;
    CHECK_OK(aclmdlRITaskGetType(task, &type));
    return type;
}

void test_task_list(void)
{
    changed c;
    aclmdlRITask some[TASKS];
    uint32_t count = 77;
    changed_open(&c);
    CHECK_CODE(aclmdlRIGetTasksByStream(NULL, some, &count), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIGetTasksByStream(c.stream, some, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIGetTasksByStream(c.s.first, some, &count), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIGetTasksByStream(c.stream, NULL, &count));
    CHECK_EQUAL(count, 4);
    memset(some, 0x55, sizeof(some));
    count = TASKS;
    CHECK_OK(aclmdlRIGetTasksByStream(c.stream, some, &count));
    CHECK_EQUAL(count, 4);
    for (uint32_t i = 0; i < TASKS; i++)
        CHECK(i < count ? some[i] == c.tasks[i] : some[i] == NULL);
    count = 2;
    CHECK_CODE(aclmdlRIGetTasksByStream(c.stream, some, &count),
               ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY);
    CHECK_EQUAL(count, 2);
    CHECK(some[1] == c.tasks[1]);
    changed_close(&c);
    CHECK_CODE(aclmdlRITaskGetType(c.tasks[0], &(aclmdlRITaskType){0}),
               ACL_ERROR_RT_INVALID_HANDLE);
}

void test_task_look(void)
{
    static const aclmdlRITaskType types[] = {
        ACL_MODEL_RI_TASK_DEFAULT, ACL_MODEL_RI_TASK_VALUE_WRITE, ACL_MODEL_RI_TASK_VALUE_WAIT,
        ACL_MODEL_RI_TASK_DEFAULT};
    changed c;
    aclmdlRITaskParams params;
    aclmdlRITaskType type;
    aclrtLaunchKernelAttrValue value;
    uint32_t id = 77;
    changed_open(&c);
    CHECK_CODE(aclmdlRITaskGetType(NULL, &type), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRITaskGetType(c.tasks[0], NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRITaskGetSeqId(NULL, &id), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRITaskGetSeqId(c.tasks[0], NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRITaskGetParams(NULL, &params), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRITaskGetParams(c.tasks[0], NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIKernelTaskGetAttribute(NULL, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclmdlRIKernelTaskGetAttribute(c.tasks[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, NULL),
        ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(
        aclmdlRIKernelTaskGetAttribute(c.tasks[1], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value),
        ACL_ERROR_RT_PARAM_INVALID);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(type_of(c.tasks[i]), types[i]);
        CHECK_OK(aclmdlRITaskGetSeqId(c.tasks[i], &id));
        CHECK_EQUAL(id, i);
    }
    CHECK_CODE(aclmdlRITaskGetParams(c.tasks[0], &params), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRITaskGetParams(c.tasks[1], &params));
    CHECK_EQUAL(params.type, ACL_MODEL_RI_TASK_VALUE_WRITE);
    CHECK(params.valueWriteTaskParams.devAddr == &c.s.words[8]);
    CHECK_EQUAL(params.valueWriteTaskParams.value, 21);
    CHECK_OK(aclmdlRITaskGetParams(c.tasks[2], &params));
    CHECK_EQUAL(params.type, ACL_MODEL_RI_TASK_VALUE_WAIT);
    CHECK(params.valueWaitTaskParams.devAddr == &c.s.words[8]);
    CHECK_EQUAL(params.valueWaitTaskParams.value, 21);
    CHECK_EQUAL(params.valueWaitTaskParams.flag, 1);
    changed_close(&c);
}

/* Events as the program knows them, in streams that joined. */
void test_task_events(void)
{
    capture s;
    aclrtStream streams[2];
    aclmdlRITask tasks[2][TASKS];
    aclmdlRITaskParams params;
    uint32_t count = 2;
    capture_open(&s);
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    capture_set(&s, 0, 5, s.second);
    capture_order(s.second, s.join, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclmdlRIGetStreams(instance, streams, &count));
    CHECK_EQUAL(count, 2);
    for (int i = 0; i < 2; i++) {
        count = TASKS;
        CHECK_OK(aclmdlRIGetTasksByStream(streams[i], tasks[i], &count));
        CHECK_EQUAL(count, i == 0 ? 2 : 3);
    }
    CHECK_OK(aclmdlRITaskGetParams(tasks[0][0], &params));
    CHECK_EQUAL(params.type, ACL_MODEL_RI_TASK_EVENT_RECORD);
    CHECK(params.eventRecordTaskParams.event == s.fork);
    CHECK_EQUAL(params.eventRecordTaskParams.eventFlag, ACL_EVENT_SYNC);
    CHECK_OK(aclmdlRITaskGetParams(tasks[0][1], &params));
    CHECK_EQUAL(params.type, ACL_MODEL_RI_TASK_EVENT_WAIT);
    CHECK(params.eventWaitTaskParams.event == s.join);
    CHECK_OK(aclmdlRITaskGetParams(tasks[1][0], &params));
    CHECK_EQUAL(params.type, ACL_MODEL_RI_TASK_EVENT_WAIT);
    CHECK(params.eventWaitTaskParams.event == s.fork);
    CHECK_EQUAL(type_of(tasks[1][2]), ACL_MODEL_RI_TASK_EVENT_RECORD);
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

static void set_value(aclmdlRITask task, void *address, uint64_t value, int32_t want)
{
    aclmdlRITaskParams params;
    memset(&params, 0, sizeof(params));
    params.type = ACL_MODEL_RI_TASK_VALUE_WRITE;
    params.valueWriteTaskParams.devAddr = address;
    params.valueWriteTaskParams.value = value;
    CHECK_CODE(aclmdlRITaskSetParams(task, &params), want);
}

void test_task_set(void)
{
    changed c;
    aclmdlRITaskParams params;
    changed_open(&c);
    capture_run(c.instance, c.s.second);
    CHECK_EQUAL(capture_fetch(&c.s)[8], 21);
    set_value(c.tasks[1], &c.s.words[8], 33, ACL_SUCCESS);
    CHECK_OK(aclmdlRITaskGetParams(c.tasks[2], &params));
    params.valueWaitTaskParams.value = 30;
    params.valueWaitTaskParams.flag = 0; /* at least */
    CHECK_OK(aclmdlRITaskSetParams(c.tasks[2], &params));
    /* Not before the update. */
    CHECK_CODE(aclmdlRIExecuteAsync(c.instance, c.s.second), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK(capture_explains((const char *const[]){"aclmdlRIUpdate", NULL}));
    CHECK_OK(aclmdlRIUpdate(c.instance));
    CHECK_OK(aclmdlRIUpdate(c.instance)); /* nothing to do */
    for (int run = 0; run < 2; run++) {
        capture_set(&c.s, 0, (uint8_t)(3 + run), c.s.second);
        capture_run(c.instance, c.s.second);
        CHECK_EQUAL(capture_fetch(&c.s)[8], 33);
        CHECK_EQUAL(c.s.host[2], capture_word((uint8_t)(3 + run)));
    }
    CHECK_OK(aclmdlRITaskGetParams(c.tasks[1], &params));
    CHECK_EQUAL(params.valueWriteTaskParams.value, 33);
    /* A wait becomes a write. */
    set_value(c.tasks[2], &c.s.words[10], 5, ACL_SUCCESS);
    CHECK_OK(aclmdlRIUpdate(c.instance));
    CHECK_EQUAL(type_of(c.tasks[2]), ACL_MODEL_RI_TASK_VALUE_WRITE);
    capture_run(c.instance, c.s.second);
    CHECK_EQUAL(capture_fetch(&c.s)[10], 5);
    changed_close(&c);
}

void test_task_set_refused(void)
{
    static const aclmdlRITaskType refused[] = {
        ACL_MODEL_RI_TASK_DEFAULT, ACL_MODEL_RI_TASK_EVENT_RECORD, ACL_MODEL_RI_TASK_EVENT_WAIT,
        ACL_MODEL_RI_TASK_EVENT_RESET, (aclmdlRITaskType)77};
    for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]) + 4; i++) {
        changed c;
        aclmdlRITaskParams params;
        changed_open(&c);
        CHECK_CODE(aclmdlRITaskSetParams(NULL, &params), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclmdlRITaskSetParams(c.tasks[1], NULL), ACL_ERROR_RT_PARAM_INVALID);
        capture_run(c.instance, c.s.second); /* these change nothing */
        CHECK_OK(aclmdlRITaskGetParams(c.tasks[1], &params));
        unsigned place = 1;
        if (i < sizeof(refused) / sizeof(refused[0]))
            params.type = refused[i];
        else if (i == sizeof(refused) / sizeof(refused[0]))
            params.type = ACL_MODEL_RI_TASK_KERNEL;
        else if (i == sizeof(refused) / sizeof(refused[0]) + 1)
            params.taskGrp = &params;
        else if (i == sizeof(refused) / sizeof(refused[0]) + 2)
            params.valueWriteTaskParams.devAddr = &params;
        else
            place = 0; /* a copy */
        CHECK_CODE(aclmdlRITaskSetParams(c.tasks[place], &params), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclmdlRIExecuteAsync(c.instance, c.s.second), ACL_ERROR_RT_MODEL_EXECUTE);
        CHECK_CODE(aclmdlRIUpdate(c.instance), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
        set_value(c.tasks[1], &c.s.words[8], 1, ACL_ERROR_RT_MODEL_UPDATE_FAILED);
        changed_close(&c);
    }
}

void test_task_disable(void)
{
    changed c;
    aclmdlRITask left[TASKS];
    uint32_t count = TASKS;
    changed_open(&c);
    CHECK_CODE(aclmdlRITaskDisable(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRITaskDisable(c.tasks[1]));
    set_value(c.tasks[1], &c.s.words[8], 33, ACL_SUCCESS); /* not disabled any more */
    CHECK_OK(aclmdlRITaskDisable(c.tasks[2]));
    CHECK_OK(aclmdlRIUpdate(c.instance));
    capture_run(c.instance, c.s.second);
    CHECK_EQUAL(capture_fetch(&c.s)[8], 33);
    CHECK_OK(aclrtMemset(c.s.words, WORDS * 4, 0, WORDS * 4));
    CHECK_OK(aclmdlRITaskDisable(c.tasks[1]));
    CHECK_CODE(aclmdlRIExecuteAsync(c.instance, c.s.second), ACL_ERROR_RT_MODEL_EXECUTE);
    CHECK_OK(aclmdlRIUpdate(c.instance));
    capture_set(&c.s, 0, 9, c.s.second);
    capture_run(c.instance, c.s.second);
    CHECK_EQUAL(capture_fetch(&c.s)[8], 0);
    CHECK_EQUAL(c.s.host[2], capture_word(9));
    CHECK_OK(aclmdlRIGetTasksByStream(c.stream, left, &count));
    CHECK_EQUAL(count, 2);
    CHECK(left[0] == c.tasks[0] && left[1] == c.tasks[3]);
    CHECK_CODE(aclmdlRITaskDisable(c.tasks[1]), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRITaskGetType(c.tasks[1], &(aclmdlRITaskType){0}),
               ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclmdlRITaskDisable(c.tasks[0]), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclmdlRIUpdate(c.instance), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    changed_close(&c);
}

void test_task_busy(void)
{
    changed c;
    twin_hold hold;
    aclmdlRI going = NULL;
    aclrtStream lane = NULL;
    aclmdlRITask task = NULL;
    uint32_t count = 1;
    changed_open(&c);
    twin_hold_begin(&hold, c.s.second);
    CHECK_OK(aclmdlRIExecuteAsync(c.instance, c.s.second));
    set_value(c.tasks[1], &c.s.words[8], 33, ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    CHECK_CODE(aclmdlRITaskDisable(c.tasks[1]), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    twin_hold_end(&hold, c.s.third);
    CHECK_EQUAL(capture_fetch(&c.s)[8], 21);
    CHECK_OK(aclmdlRIUpdate(c.instance));
    capture_run(c.instance, c.s.second); /* the refusals left it as it was */

    capture_begin(c.s.first);
    CHECK_OK(aclrtValueWrite(&c.s.words[8], 1, 0, c.s.first));
    CHECK_OK(aclmdlRICaptureGetInfo(c.s.first, NULL, &going));
    CHECK_OK(aclmdlRIGetStreams(going, &lane, &count));
    CHECK_OK(aclmdlRIGetTasksByStream(lane, &task, &count));
    set_value(task, &c.s.words[8], 2, ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    CHECK_CODE(aclmdlRITaskDisable(task), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    CHECK_CODE(aclmdlRIUpdate(going), ACL_ERROR_RT_MODEL_UPDATE_FAILED);
    CHECK_OK(aclmdlRIDestroy(capture_end(c.s.first)));
    changed_close(&c);
}

void test_update_arguments(void)
{
    changed c;
    aclmdlRI built = NULL;
    changed_open(&c);
    CHECK_CODE(aclmdlRIUpdate(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIUpdate(c.instance));
    CHECK_OK(aclmdlRIBuildBegin(&built, 0));
    CHECK_CODE(aclmdlRIUpdate(built), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclmdlRIDestroy(built));
    changed_close(&c);
    CHECK_CODE(aclmdlRIUpdate(c.instance), ACL_ERROR_RT_INVALID_HANDLE);
}

/* Tasks in several streams of a lane, and edges, are as they were after an update. */
void test_update_long(void)
{
    enum { STEPS = 2500 };
    capture s;
    aclrtStream streams[8];
    uint32_t count = 8;
    capture_open(&s);
    capture_begin(s.first);
    capture_order(s.first, s.fork, s.second);
    CHECK_OK(aclrtValueWrite(&s.words[10], 21, 0, s.first)); /* this stream leads to others */
    for (int i = 0; i < STEPS; i++)
        capture_copy(&s, i % 2 == 0 ? 1 : 2, i % 2 == 0 ? 0 : 1, s.first);
    CHECK_OK(aclrtValueWrite(&s.words[8], 21, 0, s.first));
    capture_copy(&s, 3, 0, s.second);
    capture_order(s.second, s.join, s.first);
    capture_copy(&s, 4, 3, s.first);
    aclmdlRI instance = capture_end(s.first);
    CHECK_OK(aclmdlRIGetStreams(instance, streams, &count));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tasks = 0;
        CHECK_OK(aclmdlRIGetTasksByStream(streams[i], NULL, &tasks));
        aclmdlRITask *list = calloc(tasks, sizeof(*list));
        CHECK_OK(aclmdlRIGetTasksByStream(streams[i], list, &tasks));
        for (uint32_t k = 0; k < tasks; k++)
            if (type_of(list[k]) == ACL_MODEL_RI_TASK_VALUE_WRITE)
                set_value(list[k], &s.words[i == 0 ? 10 : 8], 77, ACL_SUCCESS);
        free(list);
    }
    CHECK_OK(aclmdlRIUpdate(instance));
    for (int run = 1; run <= 2; run++) {
        capture_set(&s, 0, (uint8_t)run, s.third);
        capture_run(instance, s.third);
        const int32_t *words = capture_fetch(&s);
        CHECK_EQUAL(words[2], capture_word((uint8_t)run));
        CHECK_EQUAL(words[4], capture_word((uint8_t)run));
        CHECK_EQUAL(words[8], 77);
        CHECK_EQUAL(words[10], 77);
    }
    CHECK_OK(aclmdlRIDestroy(instance));
    capture_close(&s);
}

/* A wait inside a graph that ends by its time limit, before and after its stream was made anew. */
void test_update_time_limit(void)
{
    for (int updated = 0; updated < 2; updated++) {
        capture s;
        aclrtStream streams[8];
        aclmdlRITask tasks[TASKS];
        uint32_t count = 8;
        uint32_t found = TASKS;
        capture_open(&s);
        capture_begin(s.first);
        CHECK_OK(aclrtValueWrite(&s.words[10], 21, 0, s.first));
        capture_order(s.first, s.fork, s.second);
        CHECK_OK(aclrtValueWait(&s.words[8], 99, 1 /* equal */, s.second)); /* for ever */
        CHECK_OK(aclrtRecordEvent(s.join, s.second));
        CHECK_OK(aclrtStreamWaitEventWithTimeout(s.first, s.join, 1));
        aclmdlRI instance = capture_end(s.first);
        CHECK_OK(aclmdlRIGetStreams(instance, streams, &count));
        CHECK_OK(aclmdlRIGetTasksByStream(streams[0], tasks, &found));
        CHECK_EQUAL(type_of(tasks[0]), ACL_MODEL_RI_TASK_VALUE_WRITE);
        if (updated) {
            set_value(tasks[0], &s.words[10], 77, ACL_SUCCESS);
            CHECK_OK(aclmdlRIUpdate(instance));
        }
        CHECK_OK(aclmdlRIExecuteAsync(instance, s.third));
        CHECK_CODE(aclrtSynchronizeStream(s.third), ACL_ERROR_RT_TASK_TIMEOUT);
        CHECK_OK(aclrtResetDeviceForce(0));
    }
}

/* Reads a small file; returns its length. */
static size_t read_file(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    size_t bytes = file ? fread(text, 1, room - 1, file) : 0;
    if (file)
        (void)fclose(file);
    text[bytes] = '\0';
    return bytes;
}

static unsigned times(const char *text, const char *part)
{
    unsigned count = 0;
    while ((text = strstr(text, part)) != NULL) {
        count++;
        text++;
    }
    return count;
}

void test_print(void)
{
    changed c;
    char path[] = "/tmp/twinrt-capture.XXXXXX", text[4096];
    struct stat status;
    changed_open(&c);
    const int descriptor = mkstemp(path);
    CHECK(descriptor >= 0);
    (void)close(descriptor);
    (void)unlink(path);
    CHECK_CODE(aclmdlRIDebugPrint(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclmdlRIDebugPrint(c.instance));
    CHECK_CODE(aclmdlRIDebugJsonPrint(NULL, path, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIDebugJsonPrint(c.instance, NULL, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclmdlRIDebugJsonPrint(c.instance, "/nonexistent/graph.json", 0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclmdlRIDebugJsonPrint(c.instance, path, ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE));
    CHECK(read_file(path, text, sizeof(text)) > 0);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 077) == 0);
    CHECK(text[0] == '[' && strrchr(text, ']') != NULL);
    CHECK_EQUAL(times(text, "\"ph\":\"X\""), 4);
    CHECK_EQUAL(times(text, "\"Task Type\":\"MEM_WRITE_VALUE\""), 1);
    CHECK_EQUAL(times(text, "\"Task Type\":\"MEMCPY_ASYNC\""), 2);
    (void)unlink(path);
    aclrtContext own = NULL, other = NULL;
    CHECK_OK(aclrtGetCurrentContext(&own));
    CHECK_OK(aclrtCreateContext(&other, 0));
    CHECK_CODE(aclmdlRIDebugPrint(c.instance), ACL_ERROR_RT_MODEL_CONTEXT);
    CHECK_CODE(aclmdlRIUpdate(c.instance), ACL_ERROR_RT_MODEL_CONTEXT);
    CHECK_OK(aclrtSetCurrentContext(own));
    CHECK_OK(aclrtDestroyContext(other));
    changed_close(&c);
}

/* Every argument is looked at, and then the function is not offered. */
void test_update_async(void)
{
    changed c;
    uint64_t word = 0;
    aclrtTaskUpdateInfo info = {.id = ACL_RT_UPDATE_RANDOM_TASK};
    changed_open(&c);
    aclrtStream exec = c.s.second;
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, NULL, exec), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_PARAM_INVALID);
    info.val.randomTaskAttr.srcAddr = c.s.words;
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_PARAM_INVALID);
    info.val.randomTaskAttr.size = sizeof(aclrtRandomNumTaskInfo);
    CHECK_CODE(aclrtTaskUpdateAsync(NULL, 0, &info, exec), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, c.stream), ACL_ERROR_RT_PARAM_INVALID);
    capture_begin(exec);
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_CODE(aclrtTaskUpdateAsync(exec, 0, &info, c.s.third), ACL_ERROR_RT_STREAM_CAPTURED);
    CHECK_OK(aclmdlRIDestroy(capture_end(exec)));
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    info.id = ACL_RT_UPDATE_AIC_AIV_TASK;
    info.val.aicAivTaskAttr.binHandle = NULL;
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_PARAM_INVALID);
    info.val.aicAivTaskAttr.binHandle = info.val.aicAivTaskAttr.funcEntryAddr =
        info.val.aicAivTaskAttr.blockDimAddr = &word;
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    info.id = (aclrtUpdateTaskAttrId)77;
    CHECK_CODE(aclrtTaskUpdateAsync(c.stream, 0, &info, exec), ACL_ERROR_RT_PARAM_INVALID);
    changed_close(&c);
}
