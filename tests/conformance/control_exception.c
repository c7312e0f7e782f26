/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks for failed tasks, and reports of faults of memory. */
#include <string.h>
#include <unistd.h>

#include "control_tests.h"

#define NO_EXCEPTION 0xFFFFFFFFu

/* What the callbacks of this file saw; only one thread at a time runs them here. */
static struct seen {
    int first, second, lone;
    uint32_t task, stream, thread, device, code;
    pid_t called_on;
    aclError args, function, null_args, null_function;
    bool during;
    aclrtExceptionInfo *info;
} seen;

static void read_info(aclrtExceptionInfo *info)
{
    void *args = NULL;
    uint32_t length = 0;
    aclrtFuncHandle function = NULL;
    seen.info = info;
    seen.task = aclrtGetTaskIdFromExceptionInfo(info);
    seen.stream = aclrtGetStreamIdFromExceptionInfo(info);
    seen.thread = aclrtGetThreadIdFromExceptionInfo(info);
    seen.device = aclrtGetDeviceIdFromExceptionInfo(info);
    seen.code = aclrtGetErrorCodeFromExceptionInfo(info);
    seen.called_on = gettid();
    seen.null_args = aclrtGetArgsFromExceptionInfo(info, NULL, &length);
    seen.null_function = aclrtGetFuncHandleFromExceptionInfo(info, NULL);
    seen.args = aclrtGetArgsFromExceptionInfo(info, &args, &length);
    seen.function = aclrtGetFuncHandleFromExceptionInfo(info, &function);
}

static void on_first(aclrtExceptionInfo *info)
{
    seen.first++;
    read_info(info);
}

static void on_second(aclrtExceptionInfo *info)
{
    (void)info;
    seen.second++;
}

static void on_lone(aclrtExceptionInfo *info)
{
    (void)info;
    seen.lone++;
}

typedef struct test_scene {
    aclrtContext context;
    aclrtStream stream;
    aclrtNotify notify;
    uint32_t task;  /* of the last failing one */
    uint32_t owner; /* the thread that queued it */
} test_scene;

static void begin(test_scene *scene)
{
    memset(&seen, 0, sizeof(seen));
    memset(scene, 0, sizeof(*scene));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtGetCurrentContext(&scene->context));
    scene->stream = twin_stream();
    scene->notify = twin_notify();
}

static void end(test_scene *scene)
{
    CHECK_OK(aclrtDestroyNotify(scene->notify));
    CHECK_OK(aclrtDestroyStream(scene->stream));
    CHECK_OK(aclrtResetDevice(0));
}

static void queue_failure(void *argument)
{
    test_scene *scene = argument;
    CHECK_OK(aclrtSetCurrentContext(scene->context));
    twin_fail_task(scene->notify, scene->stream);
    CHECK_OK(aclrtGetThreadLastTaskId(&scene->task));
    scene->owner = (uint32_t)gettid();
}

/* One failure, and the synchronisation that reports it. */
static void fail_once(test_scene *scene)
{
    queue_failure(scene);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(scene->stream, FAILED_MS),
               ACL_ERROR_RT_TASK_TIMEOUT);
}

void test_exception_registration(void)
{
    CHECK_CODE(aclrtExceptionInfoCallbackRegister(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_second));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_second));
}

void test_exception_callbacks_coexist(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_second));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    fail_once(&s);
    CHECK_EQUAL(seen.first, 1);
    CHECK_EQUAL(seen.second, 1);
    /* Once per task, not once per synchronisation. */
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s.stream, SOON_MS));
    CHECK_EQUAL(seen.first, 1);
    queue_failure(&s);
    queue_failure(&s);
    CHECK_FAILS(aclrtSynchronizeDeviceWithTimeout(FAILED_MS));
    CHECK_EQUAL(seen.first, 3);
    CHECK_EQUAL(seen.second, 3);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_second));
    end(&s);
}

void test_exception_unregister(void)
{
    test_scene s;
    begin(&s);
    CHECK_CODE(aclrtExceptionInfoCallbackUnregister(NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    CHECK_OK(aclrtSetExceptionInfoCallback(on_lone));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_lone)); /* not one of the registered */
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    fail_once(&s);
    CHECK_EQUAL(seen.first, 0);
    CHECK_EQUAL(seen.lone, 1);
    CHECK_OK(aclrtSetExceptionInfoCallback(NULL));
    end(&s);
}

/* Unregisters and registers itself while it is called. */
static void on_renewing(aclrtExceptionInfo *info)
{
    (void)info;
    if (++seen.second < 10)
        CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_renewing));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_renewing));
}

void test_exception_renewal(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_renewing));
    fail_once(&s);
    CHECK_EQUAL(seen.second, 1);
    fail_once(&s);
    CHECK_EQUAL(seen.second, 2);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_renewing));
    end(&s);
}

void test_exception_set(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    CHECK_OK(aclrtSetExceptionInfoCallback(on_second));
    CHECK_OK(aclrtSetExceptionInfoCallback(on_lone));
    fail_once(&s);
    CHECK_EQUAL(seen.first, 1);
    CHECK_EQUAL(seen.second, 0);
    CHECK_EQUAL(seen.lone, 1);
    CHECK_OK(aclrtSetExceptionInfoCallback(NULL));
    fail_once(&s);
    CHECK_EQUAL(seen.first, 2);
    CHECK_EQUAL(seen.lone, 1);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    end(&s);
}

static void on_exception_work(aclrtExceptionInfo *info)
{
    aclrtContext context = NULL;
    void *memory = NULL;
    (void)info;
    /* The runtime can be called; the failing call has not returned yet. */
    CHECK_OK(aclrtGetCurrentContext(&context));
    CHECK_OK(aclrtMalloc(&memory, CELL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, CELL_BYTES, 1, CELL_BYTES));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtMemsetAsync(memory, CELL_BYTES, 2, CELL_BYTES, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtFree(memory));
    seen.during = true;
}

void test_exception_comes_before_the_code(void)
{
    test_scene s;
    int32_t id = -1;
    begin(&s);
    CHECK_OK(aclrtStreamGetId(s.stream, &id));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_exception_work));
    fail_once(&s);
    CHECK_EQUAL(seen.first, 1);
    CHECK(seen.during);
    CHECK_EQUAL(seen.task, s.task);
    CHECK_EQUAL(aclrtGetTaskIdFromExceptionInfo(seen.info),
                NO_EXCEPTION); /* its callback has returned */
    CHECK_EQUAL(seen.stream, id);
    CHECK_EQUAL(seen.device, 0);
    CHECK_EQUAL(seen.code, ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_EQUAL(seen.called_on, gettid());
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_exception_work));

    /* On another device, and reported by the destruction of the stream. */
    end(&s);
    CHECK_OK(aclrtSetDevice(1));
    aclrtStream stream = twin_stream();
    aclrtNotify notify = twin_notify();
    twin_fail_task(notify, stream);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_EQUAL(seen.first, 2);
    CHECK_EQUAL(seen.device, 1);
    CHECK_OK(aclrtDestroyNotify(notify));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    CHECK_OK(aclrtResetDevice(1));
}

void test_exception_in_stop_mode(void)
{
    test_scene s;
    begin(&s);
    aclrtStream other = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    CHECK_OK(aclrtSetStreamFailureMode(s.stream, ACL_STOP_ON_FAILURE));
    queue_failure(&s);
    CHECK_OK(aclrtRecordEvent(event, s.stream));
    CHECK_CODE(aclrtSynchronizeEventWithTimeout(event, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_EQUAL(seen.first, 1);
    CHECK_EQUAL(seen.task, s.task);
    for (int i = 0; i < 3; i++)
        CHECK_CODE(aclrtSynchronizeStream(i == 0 ? other : s.stream), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_EQUAL(seen.first, 1);
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    queue_failure(&s);
    CHECK_OK(aclrtWaitAndResetNotify(s.notify, other, 0));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(other, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_EQUAL(seen.first, 2);
    CHECK_EQUAL(seen.task, s.task);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(other));
    end(&s);
}

void test_exception_without_info(void)
{
    CHECK_EQUAL(aclrtGetTaskIdFromExceptionInfo(NULL), NO_EXCEPTION);
    CHECK_EQUAL(aclrtGetStreamIdFromExceptionInfo(NULL), NO_EXCEPTION);
    CHECK_EQUAL(aclrtGetThreadIdFromExceptionInfo(NULL), NO_EXCEPTION);
    CHECK_EQUAL(aclrtGetDeviceIdFromExceptionInfo(NULL), NO_EXCEPTION);
    CHECK_EQUAL(aclrtGetErrorCodeFromExceptionInfo(NULL), NO_EXCEPTION);
}

void test_exception_thread(void)
{
    test_scene s;
    begin(&s);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    twin_on_thread(queue_failure, &s);
    CHECK(s.owner != (uint32_t)gettid());
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(s.stream, FAILED_MS), ACL_ERROR_RT_TASK_TIMEOUT);
    CHECK_EQUAL(seen.first, 1);
    CHECK_EQUAL(seen.thread, s.owner);
    CHECK_EQUAL(seen.called_on, gettid());
    fail_once(&s);
    CHECK_EQUAL(seen.thread, gettid());
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    end(&s);
}

void test_exception_of_no_kernel(void)
{
    test_scene s;
    void *args = NULL;
    uint32_t length = 0;
    aclrtFuncHandle function = NULL;
    CHECK_CODE(aclrtGetArgsFromExceptionInfo(NULL, &args, &length), (aclError)NO_EXCEPTION);
    CHECK_CODE(aclrtGetFuncHandleFromExceptionInfo(NULL, &function), (aclError)NO_EXCEPTION);
    begin(&s);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_first));
    fail_once(&s);
    CHECK_CODE(seen.null_args, ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(seen.null_function, ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(seen.args, (aclError)NO_EXCEPTION);
    CHECK_FAILS(seen.function);
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_first));
    end(&s);
}

/* ---- faults of memory ----------------------------------------------------------------------- */

void test_error_report(void)
{
    aclrtErrorInfo info;
    CHECK_CODE(aclrtGetErrorVerbose(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetErrorVerbose(-1, &info), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_CODE(aclrtGetErrorVerbose(64, &info), ACL_ERROR_RT_INVALID_DEVICEID);
    for (int up = 0; up < 2; up++) {
        memset(&info, 0xff, sizeof(info));
        if (up)
            CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtGetErrorVerbose(0, &info));
        CHECK_EQUAL(info.tryRepair, 0);
        CHECK_EQUAL(info.hasDetail, 0);
        CHECK_EQUAL(info.errorType, ACL_RT_NO_ERROR);
    }
    CHECK_OK(aclrtResetDevice(0));
}

void test_error_repair(void)
{
    aclrtErrorInfo info;
    memset(&info, 0, sizeof(info));
    CHECK_CODE(aclrtRepairError(0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtRepairError(0, &info), ACL_ERROR_RT_PARAM_INVALID);
    info.tryRepair = 1;
    info.errorType = ACL_RT_ERROR_OTHERS;
    CHECK_CODE(aclrtRepairError(0, &info), ACL_ERROR_RT_PARAM_INVALID);
    info.errorType = ACL_RT_NO_ERROR;
    CHECK_CODE(aclrtRepairError(0, &info), ACL_ERROR_RT_DEV_SETUP_ERROR);
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtRepairError(0, &info));
    info.errorType = ACL_RT_ERROR_MEMORY; /* there is no error to repair */
    CHECK_FAILS(aclrtRepairError(0, &info));
    CHECK_OK(aclrtResetDevice(0));
}

void test_memory_errors(void)
{
    static aclrtMemUceInfo infos[MAX_MEM_UCE_INFO_ARRAY_SIZE + 1];
    size_t count = 9;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtGetMemUceInfo(0, NULL, 1, &count), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetMemUceInfo(0, infos, 1, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtGetMemUceInfo(0, infos, MAX_MEM_UCE_INFO_ARRAY_SIZE, &count));
    CHECK_EQUAL(count, 0);
    CHECK_CODE(aclrtGetMemUceInfo(64, infos, 1, &count), ACL_ERROR_RT_INVALID_DEVICEID);

    CHECK_CODE(aclrtMemUceRepair(0, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemUceRepair(0, infos, MAX_MEM_UCE_INFO_ARRAY_SIZE + 1),
               ACL_ERROR_INVALID_PARAM);
    infos[1].reserved[UCE_INFO_RESERVED_SIZE - 1] = 1;
    CHECK_CODE(aclrtMemUceRepair(0, infos, 2), ACL_ERROR_INVALID_PARAM);
    infos[1].reserved[UCE_INFO_RESERVED_SIZE - 1] = 0;
    CHECK_FAILS(aclrtMemUceRepair(0, infos, 2)); /* nothing is broken there */
    CHECK_CODE(aclrtMemUceRepair(64, infos, 1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_OK(aclrtResetDevice(0));
}
