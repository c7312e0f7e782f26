/* SPDX-License-Identifier: Apache-2.0 */
/* Injected faults from below to the program: codes, callbacks, modes, recovery. fault_sweep.c has
 * every task of a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault_tests.h"

#define CELL 4096

/* ---- one failing task ------------------------------------------------------------------------ */

static struct {
    unsigned calls;
    uint32_t task, stream, device, thread;
    uint32_t code;
} seen;

static void on_exception(aclrtExceptionInfo *info)
{
    seen.calls++;
    seen.task = aclrtGetTaskIdFromExceptionInfo(info);
    seen.stream = aclrtGetStreamIdFromExceptionInfo(info);
    seen.device = aclrtGetDeviceIdFromExceptionInfo(info);
    seen.thread = aclrtGetThreadIdFromExceptionInfo(info);
    seen.code = aclrtGetErrorCodeFromExceptionInfo(info);
}

/* Copies within the device, which the SDMA does. */
static void copy_within(twin_buffer *buffer, aclrtStream stream)
{
    CHECK_OK(aclrtMemcpyAsync(buffer->device + CELL, CELL, buffer->device, CELL,
                              ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

typedef struct failure_case {
    twinrt_fault_kind kind;
    uint32_t status;
    aclError code;
} failure_case;

static const failure_case failure_cases[] = {
    {TWINRT_FAULT_BAD_TASK, 0, ACL_ERROR_RT_TS_ERROR},
    {TWINRT_FAULT_ENGINE_ERROR, 0, ACL_ERROR_RT_TS_ERROR},
    {TWINRT_FAULT_ENGINE_ERROR, 0x217, ACL_ERROR_RT_SYS_DMA},
    {TWINRT_FAULT_ENGINE_ERROR, 0x221, ACL_ERROR_RT_DEVICE_MEM_ERROR},
    {TWINRT_FAULT_ENGINE_ERROR, 0x222, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR},
    {TWINRT_FAULT_ENGINE_TIMEOUT, 0, ACL_ERROR_RT_TASK_TIMEOUT},
};

/* Continue mode: the code once, the callback before it, the next task runs, memory as before. */
static void test_failing_tasks(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    int32_t id = -1;
    CHECK_OK(aclrtStreamGetId(stream, &id));
    CHECK_OK(aclrtSetExceptionInfoCallback(on_exception));
    for (size_t i = 0; i < TWIN_COUNT(failure_cases); i++) {
        const failure_case *c = &failure_cases[i];
        twin_buffer buffer;
        twin_buffer_make(&buffer, 3 * CELL, 1);
        twinrt_fault fault = twin_fault_for(c->kind);
        fault.task = TWINRT_FAULT_TASK_SDMA;
        fault.stream = id;
        fault.first = 2;
        fault.status = c->status;
        uint32_t number = twin_inject_fault(&fault);
        memset(&seen, 0, sizeof(seen));
        (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
        CHECK_OK(aclrtMemsetAsync(buffer.device, CELL, 2, CELL, stream));
        copy_within(&buffer, stream);
        uint32_t task = 0;
        CHECK_OK(aclrtGetThreadLastTaskId(&task));
        CHECK_OK(aclrtMemsetAsync(buffer.device + 2 * CELL, CELL, 3, CELL, stream));
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS), c->code);
        CHECK_CODE(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), c->code);
        CHECK_CODE(aclrtGetLastError(ACL_RT_THREAD_LEVEL), c->code);
        CHECK_CODE(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
        CHECK_EQUAL(seen.calls, 1);
        CHECK_EQUAL(seen.task, task);
        CHECK_EQUAL(seen.stream, id);
        CHECK_EQUAL(seen.device, 0);
        CHECK_EQUAL(seen.thread, gettid());
        CHECK_EQUAL(seen.code, c->code);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        twin_buffer_read(&buffer);
        CHECK_BYTES(buffer.host, 2, CELL);
        CHECK_BYTES(buffer.host + CELL, 1, CELL);
        CHECK_BYTES(buffer.host + 2 * CELL, 3, CELL);
        uint64_t times = 0;
        CHECK_OK(twinrt_fault_triggered(number, &times));
        CHECK_EQUAL(times, 1);
        CHECK_OK(twinrt_fault_remove(number));
        twin_buffer_free(&buffer);
    }
    CHECK_OK(aclrtSetExceptionInfoCallback(NULL));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Stop mode: every stream of the context answers it, until the device's work is aborted. */
static void test_stop_mode(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    twin_buffer buffer;
    twin_buffer_make(&buffer, 3 * CELL, 1);
    CHECK_OK(aclrtSetStreamFailureMode(first, ACL_STOP_ON_FAILURE));
    twinrt_fault fault = twin_fault_for(TWINRT_FAULT_ENGINE_ERROR);
    fault.status = 0x217;
    twin_inject_fault(&fault);
    copy_within(&buffer, first);
    CHECK_OK(aclrtMemsetAsync(buffer.device + 2 * CELL, CELL, 3, CELL, first));
    for (int i = 0; i < 2; i++) {
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(first, SOON_MS), ACL_ERROR_RT_SYS_DMA);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, SOON_MS), ACL_ERROR_RT_SYS_DMA);
        CHECK_CODE(aclrtMemsetAsync(buffer.device, CELL, 4, CELL, second), ACL_ERROR_RT_SYS_DMA);
    }
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 1, 3 * CELL);
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
    copy_within(&buffer, second);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(first, SOON_MS));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- what does not answer -------------------------------------------------------------------- */

static void abort_stream(aclrtStream stream)
{
    CHECK_OK(aclrtStreamAbort(stream));
}

static void abort_device(aclrtStream stream)
{
    (void)stream;
    CHECK_OK(aclrtDeviceTaskAbort(0, 0));
}

static void stop_task(aclrtStream stream)
{
    CHECK_OK(aclrtStreamStop(stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
}

/* The wait expires; each of the three ways lets the stream go on. */
static void test_silent_tasks(void)
{
    void (*const ways[])(aclrtStream) = {abort_stream, abort_device, stop_task};
    const twinrt_fault_kind kinds[] = {TWINRT_FAULT_ENGINE_HANG, TWINRT_FAULT_COMPLETION_LOST};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer buffer;
    twin_buffer_make(&buffer, 3 * CELL, 1);
    for (size_t kind = 0; kind < TWIN_COUNT(kinds); kind++) {
        for (size_t way = 0; way < TWIN_COUNT(ways); way++) {
            twinrt_fault fault = twin_fault_for(kinds[kind]);
            fault.task = TWINRT_FAULT_TASK_SDMA;
            CHECK_OK(aclrtMemset(buffer.device, 3 * CELL, 1, 3 * CELL));
            CHECK_OK(aclrtMemset(buffer.device, CELL, 7, CELL));
            twin_inject_fault(&fault);
            copy_within(&buffer, stream);
            CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS),
                       ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
            /* With nothing else that could happen an endless wait is ended too, and says why. */
            CHECK_CODE(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
            const char *message = aclGetRecentErrMsg();
            CHECK(message && strstr(message, "hit by an injected fault"));
            ways[way](stream);
            /* A hanging engine has moved nothing; a lost completion has had its effect. */
            twin_buffer_read(&buffer);
            CHECK_BYTES(buffer.host + CELL, kinds[kind] == TWINRT_FAULT_ENGINE_HANG ? 1 : 7, CELL);
            copy_within(&buffer, stream);
            CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
            CHECK_OK(twinrt_fault_remove(0));
        }
    }
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Event time between two records around a copy within the device, in us. */
static double timed_copy(aclrtStream stream, twin_buffer *buffer)
{
    aclrtEvent begin = NULL;
    aclrtEvent end = NULL;
    float ms = 0;
    CHECK_OK(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
    CHECK_OK(aclrtRecordEvent(begin, stream));
    copy_within(buffer, stream);
    CHECK_OK(aclrtRecordEvent(end, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtEventElapsedTime(&ms, begin, end));
    CHECK_OK(aclrtDestroyEvent(begin));
    CHECK_OK(aclrtDestroyEvent(end));
    return (double)ms * 1000;
}

/* Slow, held back, reports full: later, and right. */
static void test_late_tasks(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer buffer;
    twin_buffer_make(&buffer, 3 * CELL, 1);
    double usual = timed_copy(stream, &buffer);
    twinrt_fault fault = twin_fault_for(TWINRT_FAULT_ENGINE_SLOW);
    fault.factor_permille = 1000000;
    twin_inject_fault(&fault);
    CHECK(timed_copy(stream, &buffer) > 100 * usual);
    fault = twin_fault_for(TWINRT_FAULT_COMPLETION_LOST);
    fault.duration_ns = 5000000;
    fault.task = TWINRT_FAULT_TASK_SDMA;
    twin_inject_fault(&fault);
    CHECK(timed_copy(stream, &buffer) >= 5000);
    fault = twin_fault_for(TWINRT_FAULT_REPORTS_FULL);
    fault.duration_ns = 5000000;
    fault.first = 2; /* the second record: it retires late, and its time says so */
    twin_inject_fault(&fault);
    CHECK(timed_copy(stream, &buffer) >= 5000);
    CHECK_OK(twinrt_fault_remove(0));
    double after = timed_copy(stream, &buffer);
    CHECK(after < 2 * usual && usual < 2 * after);
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* A record that does not reach its event; one whose report is lost; a doorbell. */
static void test_lost_messages(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream first = twin_stream();
    aclrtStream second = twin_stream();
    aclrtEvent event = twin_event(EVENT_EX);
    twinrt_fault fault = twin_fault_for(TWINRT_FAULT_RECORD_LOST);
    twin_inject_fault(&fault);
    CHECK_OK(aclrtStreamWaitEvent(second, event)); /* nothing recorded yet: passes */
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    twin_hold hold;
    twin_hold_begin(&hold, first);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtStreamWaitEvent(second, event));
    CHECK_OK(twinrt_fault_remove(0));
    fault.first = 2; /* the record that ends the hold comes first */
    fault.task = TWINRT_FAULT_TASK_ANY;
    twin_inject_fault(&fault);
    aclrtStream third = twin_stream();
    twin_hold_release(&hold, third);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(first, SOON_MS));
    CHECK(twin_recorded(event)); /* the host has seen the record retire */
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(second, SOON_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtStreamAbort(second));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(second, SOON_MS));
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtDestroyNotify(hold.notify));

    fault = twin_fault_for(TWINRT_FAULT_DOORBELL_LOST);
    twin_inject_fault(&fault);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(first, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_OK(aclrtRecordEvent(event, first));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(first, SOON_MS));
    CHECK_OK(twinrt_fault_remove(0));

    aclrtEvent timed = NULL;
    CHECK_OK(aclrtCreateEventWithFlag(&timed, ACL_EVENT_TIME_LINE));
    fault = twin_fault_for(TWINRT_FAULT_REPORT_LOST);
    twin_inject_fault(&fault);
    CHECK_OK(aclrtRecordEvent(timed, first));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(first, SOON_MS));
    uint64_t stamp = 0;
    CHECK_FAILS(aclrtEventGetTimestamp(timed, &stamp)); /* the record is done; its time is lost */
    /* The ring goes on: more tasks than it has room for. */
    for (int i = 0; i < 3000; i++)
        CHECK_OK(aclrtRecordEvent(timed, first));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(first, SOON_MS));
    CHECK_OK(aclrtEventGetTimestamp(timed, &stamp));
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtDestroyEvent(timed));
    CHECK_OK(aclrtDestroyEvent(event));
    CHECK_OK(aclrtDestroyStream(third));
    CHECK_OK(aclrtDestroyStream(second));
    CHECK_OK(aclrtDestroyStream(first));
    CHECK_OK(aclrtResetDevice(0));
}

/* A failed task is reported by a CQE that no copy requests: without it the stream stands still. */
static void test_lost_failures(void)
{
    const twinrt_fault_kind kinds[] = {TWINRT_FAULT_REPORT_LOST, TWINRT_FAULT_REPORTS_FULL};
    CHECK_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < TWIN_COUNT(kinds); i++) {
        aclrtStream stream = twin_stream();
        twin_buffer buffer;
        twin_buffer_make(&buffer, 3 * CELL, 1);
        twinrt_fault fault = twin_fault_for(TWINRT_FAULT_ENGINE_ERROR);
        fault.task = TWINRT_FAULT_TASK_SDMA;
        fault.first = 2;
        twin_inject_fault(&fault);
        fault = twin_fault_for(kinds[i]);
        fault.task = TWINRT_FAULT_TASK_SDMA;
        uint32_t number = twin_inject_fault(&fault);
        uint64_t times = 77;
        copy_within(&buffer, stream);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        CHECK_OK(twinrt_fault_triggered(number, &times));
        CHECK_EQUAL(times, 0); /* a copy that is well writes none */
        copy_within(&buffer, stream);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS),
                   ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        CHECK_OK(twinrt_fault_triggered(number, &times));
        CHECK_EQUAL(times, 1);
        CHECK_OK(twinrt_fault_remove(0));
        CHECK_OK(aclrtStreamAbort(stream));
        copy_within(&buffer, stream);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        twin_buffer_free(&buffer);
        CHECK_OK(aclrtDestroyStream(stream));
    }
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- memory ---------------------------------------------------------------------------------- */

static twinrt_fault bad_memory(const uint8_t *at, size_t bytes)
{
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_MEMORY);
    fault.address = (uint64_t)(uintptr_t)at;
    fault.bytes = bytes;
    fault.times = 0;
    return fault;
}

static void test_failed_memory(void)
{
    static aclrtMemUceInfo infos[4];
    aclrtErrorInfo info;
    size_t count = 9;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer buffer;
    twin_buffer_make(&buffer, 3 * CELL, 1);
    for (int way = 0; way < 3; way++) {
        twinrt_fault fault = bad_memory(buffer.device + 100, 8);
        twin_inject_fault(&fault);
        CHECK_OK(aclrtGetErrorVerbose(0, &info)); /* no task has met it yet */
        CHECK_EQUAL(info.errorType, ACL_RT_NO_ERROR);
        copy_within(&buffer, stream);
        CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS),
                   ACL_ERROR_RT_DEVICE_MEM_ERROR);
        CHECK_CODE(aclrtMemcpy(buffer.host, CELL, buffer.device, CELL, ACL_MEMCPY_DEVICE_TO_HOST),
                   ACL_ERROR_RT_DEVICE_MEM_ERROR);
        CHECK_OK(aclrtMemset(buffer.device, CELL, 1, CELL)); /* writing is not refused */
        CHECK_OK(aclrtMemcpy(buffer.host, 100, buffer.device, 100, ACL_MEMCPY_DEVICE_TO_HOST));

        memset(&info, 0xff, sizeof(info));
        CHECK_OK(aclrtGetErrorVerbose(0, &info));
        CHECK_EQUAL(info.errorType, ACL_RT_ERROR_MEMORY);
        CHECK_EQUAL(info.tryRepair, 1);
        CHECK_EQUAL(info.hasDetail, 1);
        CHECK_EQUAL(info.detail.uceInfo.arraySize, 1);
        CHECK(info.detail.uceInfo.memUceInfoArray[0].addr == buffer.device + 100);
        CHECK_EQUAL(info.detail.uceInfo.memUceInfoArray[0].len, 8);
        CHECK_CODE(aclrtGetMemUceInfo(0, infos, 0, &count), ACL_ERROR_INVALID_PARAM);
        CHECK_OK(aclrtGetMemUceInfo(0, infos, TWIN_COUNT(infos), &count));
        CHECK_EQUAL(count, 1);
        CHECK(infos[0].addr == buffer.device + 100);
        CHECK_EQUAL(infos[0].len, 8);

        if (way == 0) {
            CHECK_OK(aclrtRepairError(0, &info));
        } else if (way == 1) {
            CHECK_OK(aclrtMemUceRepair(0, infos, 1));
        } else {
            info.hasDetail = 0;
            CHECK_OK(aclrtRepairError(0, &info));
        }
        CHECK_CODE(aclrtMemUceRepair(0, infos, 1), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_OK(aclrtGetErrorVerbose(0, &info));
        CHECK_EQUAL(info.errorType, ACL_RT_NO_ERROR);
        CHECK_OK(aclrtGetMemUceInfo(0, infos, TWIN_COUNT(infos), &count));
        CHECK_EQUAL(count, 0);
        copy_within(&buffer, stream);
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
        twin_buffer_read(&buffer);
    }
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(twinrt_fault_remove(0));
}

/* A link: reported, and nothing to repair; writes that fail; a value wait that reads there. */
static void test_failed_links_and_writes(void)
{
    aclrtErrorInfo info;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer buffer;
    twin_buffer_make(&buffer, 3 * CELL, 1);
    twinrt_fault fault = bad_memory(buffer.device, CELL);
    fault.status = 0x222;
    twin_inject_fault(&fault);
    copy_within(&buffer, stream);
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS),
               ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    CHECK_OK(aclrtGetErrorVerbose(0, &info));
    CHECK_EQUAL(info.errorType, ACL_RT_ERROR_OTHERS);
    CHECK_EQUAL(info.tryRepair, 0);
    info.tryRepair = 1;
    CHECK_CODE(aclrtRepairError(0, &info), ACL_ERROR_RT_PARAM_INVALID);
    info.errorType = ACL_RT_NO_ERROR;
    CHECK_OK(aclrtRepairError(0, &info));
    CHECK_OK(aclrtGetErrorVerbose(0, &info));
    CHECK_EQUAL(info.errorType, ACL_RT_NO_ERROR);
    CHECK_OK(twinrt_fault_remove(0));

    fault = bad_memory(buffer.device, CELL);
    fault.access = TWINRT_FAULT_WRITE;
    fault.times = 1;
    twin_inject_fault(&fault);
    CHECK_OK(aclrtMemsetAsync(buffer.device, CELL, 5, CELL, stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    CHECK_OK(aclrtMemsetAsync(buffer.device, CELL, 5, CELL, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 5, CELL);
    CHECK_OK(twinrt_fault_remove(0));

    fault = bad_memory(buffer.device, 8);
    twin_inject_fault(&fault);
    CHECK_OK(aclrtValueWait(buffer.device, 0, 0, stream));
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    CHECK_OK(twinrt_fault_remove(0));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* Synchronous copies: the driver's own engine. */
static void test_synchronous_copies(void)
{
    CHECK_OK(aclrtSetDevice(0));
    twin_buffer buffer;
    twin_buffer_make(&buffer, CELL, 1);
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_ENGINE_ERROR);
    fault.task = TWINRT_FAULT_TASK_HOST_DMA;
    fault.first = 2;
    twin_inject_fault(&fault);
    CHECK_OK(aclrtMemset(buffer.device, CELL, 2, CELL));
    CHECK_CODE(aclrtMemset(buffer.device, CELL, 3, CELL), ACL_ERROR_RT_SYS_DMA);
    CHECK_CODE(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_SYS_DMA);
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 2, CELL);
    CHECK_OK(twinrt_fault_remove(0));
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- the functions themselves ---------------------------------------------------------------- */

static void test_arguments(void)
{
    uint32_t number = 77;
    uint64_t times = 0;
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_BAD_TASK);
    CHECK_CODE(twinrt_fault_inject(NULL, &number), ACL_ERROR_INVALID_PARAM);
    fault.size--;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_INVALID_PARAM);
    fault.size++;
    fault.kind = 99;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.kind = TWINRT_FAULT_BAD_TASK;
    fault.task = 99;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.task = 0;
    fault.reserved = 1;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.reserved = 0;
    fault.device = 63;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_INVALID_DEVICEID);
    fault.device = -2;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.device = 0;
    fault.first = 0;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    const char *message = aclGetRecentErrMsg();
    CHECK(message && strstr(message, "counted from 1"));
    fault.first = 1;
    /* Members that the kind has no use for, and an event that no part has. */
    fault.duration_ns = 1;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.duration_ns = 0;
    fault.status = 0x217;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.status = 0;
    fault.bytes = 64;
    CHECK_CODE(twinrt_fault_inject(&fault, &number), ACL_ERROR_RT_PARAM_INVALID);
    fault.bytes = 0;
    twinrt_fault lost = TWINRT_FAULT_INIT(TWINRT_FAULT_RECORD_LOST);
    lost.id = 70000;
    CHECK_CODE(twinrt_fault_inject(&lost, &number), ACL_ERROR_RT_PARAM_INVALID);
    message = aclGetRecentErrMsg();
    CHECK(message && strstr(message, "cannot record event or notify 70000"));
    CHECK_EQUAL(number, 77);
    lost.id = 7;
    CHECK_OK(twinrt_fault_inject(&lost, NULL));
    CHECK_CODE(twinrt_fault_remove(12345), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_CODE(twinrt_fault_triggered(12345, &times), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(twinrt_fault_triggered(1, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(twinrt_fault_load(NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(twinrt_fault_load("/nowhere/at/all.json"), ACL_ERROR_INVALID_FILE);
    /* As many as there can be, and one more. */
    fault.first = 1000000000;
    unsigned injected = 0;
    while (injected < 1000 && twinrt_fault_inject(&fault, NULL) == ACL_SUCCESS)
        injected++;
    CHECK_EQUAL(injected, 256);
    CHECK_OK(twinrt_fault_remove(0));
}

/* ---- by file --------------------------------------------------------------------------------- */

static void write_file(char *path, size_t room, const char *text)
{
    (void)snprintf(path, room, "/tmp/twinrt-fault-XXXXXX");
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(file) == 0);
}

/* As a program that knows nothing of faults. */
static void child_copies(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer buffer;
    twin_buffer_make(&buffer, 2 * CELL, 1);
    for (int i = 0; i < 3; i++) {
        copy_within(&buffer, stream);
        printf("%d ", aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    }
    twin_buffer_free(&buffer);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

static void child_refused(void)
{
    printf("%d ", aclInit(NULL));
    aclError code = aclrtSetDevice(0);
    const char *message = aclGetRecentErrMsg();
    printf("%d %s", code, message ? message : "");
}

static void test_file(void)
{
    char path[64];
    char setting[96];
    char output[1024] = "";
    const char *settings[] = {setting, NULL};
    write_file(path, sizeof(path),
               "{\"comment\": \"the second copy fails\", \"faults\": [\n"
               " {\"kind\": \"engine_error\", \"task\": \"sdma\", \"device\": 0, \"first\": 2,\n"
               "  \"status\": \"0x217\"}]}\n");
    (void)snprintf(setting, sizeof(setting), "TWINRT_FAULTS=%s", path);
    CHECK_EQUAL(twin_child_status("copies", settings, output, sizeof(output)), 0);
    CHECK(strstr(output, "0 507013 0") != NULL);
    CHECK_OK(twinrt_fault_load(path)); /* and in a process that runs */
    CHECK_OK(twinrt_fault_remove(0));
    CHECK(unlink(path) == 0);

    write_file(path, sizeof(path), "{\"faults\": [{\"kind\": \"engine_eror\"}]}");
    (void)snprintf(setting, sizeof(setting), "TWINRT_FAULTS=%s", path);
    (void)twin_child_status("refused", settings, output, sizeof(output));
    CHECK(strstr(output, "507033") != NULL);
    CHECK(strstr(output, path) != NULL);
    CHECK(strstr(output, "faults[0].kind must be one of the words") != NULL);
    CHECK_CODE(twinrt_fault_load(path), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(unlink(path) == 0);

    /* One that the device refuses takes the good ones before it along. */
    write_file(path, sizeof(path),
               "{\"faults\": [{\"kind\": \"bad_task\"}, {\"kind\": \"engine_slow\"}]}");
    CHECK_CODE(twinrt_fault_load(path), ACL_ERROR_RT_PARAM_INVALID);
    const char *message = aclGetRecentErrMsg();
    CHECK(message && strstr(message, "faults[1] cannot be injected"));
    CHECK(unlink(path) == 0);
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_test tests[] = {
    {"ERR-44: a task that fails by a fault is reported as any other", test_failing_tasks},
    {"ABT-03: a fault stops a context whose mode is to stop", test_stop_mode},
    {"a task that never answers is ended by each kind of abort", test_silent_tasks},
    {"a slow engine and late completions are late alone", test_late_tasks},
    {"lost records, doorbells and reports", test_lost_messages},
    {"a failure whose report is lost or held stands still", test_lost_failures},
    {"ABT-22, ABT-25, ABT-26: memory that has failed is listed and repaired", test_failed_memory},
    {"ABT-24: links that have failed are forgotten, writes and waits fail",
     test_failed_links_and_writes},
    {"synchronous copies fail", test_synchronous_copies},
    {"rows before one that fails are copied, or none", test_failed_rows},
    {"faults that cannot be injected are refused", test_arguments},
    {"a file gives faults to a program that knows nothing of them", test_file},
    {"a fault in any task of a program is survived", test_sweep},
};

static const twin_child children[] = {
    {"copies", child_copies},
    {"refused", child_refused},
    {"sweep", twin_sweep_child},
};

int main(int argc, char **argv)
{
    static const twin_suite suite = {
        .name = "fault",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .children = children,
        .child_count = TWIN_COUNT(children),
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
