/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls that take work back, change what streams do, ask for facts, and share objects
 * between processes. */
#include <string.h>
#include <unistd.h>

#include "random_arguments.h"

/* Old functions must hold out as well. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Taking work back ----------------------------------------------------------------------------- */

static aclError call_abort(random_worker *worker)
{
    return chance(worker, 70) ? aclrtStreamAbort(any_stream(worker))
                              : aclrtStreamStop(any_stream(worker));
}

static aclError call_abort_device(random_worker *worker)
{
    uint32_t timeout = chance(worker, 90) ? 1 + below(worker, 100) : any_number(worker);
    return aclrtDeviceTaskAbort(any_device(worker), timeout);
}

static int32_t on_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout,
                        void *args)
{
    (void)timeout;
    (void)args;
    if (device < 0 || device > 1 || (int)stage < 0 || (int)stage > 1)
        random_failure("an abort of device %d tells stage %d", device, (int)stage);
    return 0;
}

static aclError call_abort_callback(random_worker *worker)
{
    static const char *const names[] = {"one", "two", "", NULL};
    return aclrtSetDeviceTaskAbortCallback(names[below(worker, 4)],
                                           chance(worker, 60) ? on_abort : NULL, NULL);
}

static void on_exception(aclrtExceptionInfo *info)
{
    (void)aclrtGetStreamIdFromExceptionInfo(info);
    (void)aclrtGetTaskIdFromExceptionInfo(info);
    (void)aclrtGetThreadIdFromExceptionInfo(info);
    (void)aclrtGetDeviceIdFromExceptionInfo(info);
    (void)aclrtGetErrorCodeFromExceptionInfo(info);
}

static aclError call_exception_callback(random_worker *worker)
{
    if (chance(worker, 20)) {
        on_exception(NULL);
        on_exception(any(worker, RANDOM_EVENT));
    }
    return aclrtSetExceptionInfoCallback(chance(worker, 70) ? on_exception : NULL);
}

static aclError call_failure_mode(random_worker *worker)
{
    /* Stopping holds for the whole context until its end, so it is rare. */
    uint64_t mode = chance(worker, 90) ? 0 : any_number(worker);
    return aclrtSetStreamFailureMode(any_stream(worker), mode);
}

static aclError call_attribute(random_worker *worker)
{
    aclrtStreamAttrValue value;
    aclrtStreamAttr which =
        (aclrtStreamAttr)(chance(worker, 90) ? 1 + below(worker, 5) : any_number(worker));
    memset(&value, 0, sizeof(value));
    if (chance(worker, 50))
        return aclrtGetStreamAttribute(any_stream(worker), which, OUT(worker, value));
    if (which == ACL_STREAM_ATTR_FAILURE_MODE)
        value.failureMode = chance(worker, 95) ? 0 : any_number(worker);
    else
        value.streamPriority = chance(worker, 70) ? below(worker, 2) : any_number(worker);
    return aclrtSetStreamAttribute(any_stream(worker), which, OUT(worker, value));
}

static aclError call_overflow(random_worker *worker)
{
    uint32_t flag = 0;
    aclrtFloatOverflowMode mode;
    switch (below(worker, 5)) {
    case 0:
        return aclrtSetStreamOverflowSwitch(
            any_stream(worker), chance(worker, 90) ? below(worker, 2) : any_number(worker));
    case 1:
        return aclrtGetStreamOverflowSwitch(any_stream(worker), OUT(worker, flag));
    case 2:
        return aclrtSetDeviceSatMode((aclrtFloatOverflowMode)below(worker, 4));
    case 3:
        return aclrtGetDeviceSatMode(OUT(worker, mode));
    default:
        return aclrtPersistentTaskClean(any_stream(worker));
    }
}

/* Facts ---------------------------------------------------------------------------------------- */

static aclError call_limits(random_worker *worker)
{
    size_t bytes = 0;
    uint64_t us = 0;
    uint32_t ms = 0;
    switch (below(worker, 5)) {
    case 0:
        return aclrtDeviceGetLimit((aclrtDeviceLimit)below(worker, 6), OUT(worker, bytes));
    case 1:
        return aclrtDeviceSetLimit((aclrtDeviceLimit)below(worker, 6), any_bytes(worker, 0));
    case 2:
        return aclrtSetOpExecuteTimeOut(any_number(worker));
    case 3:
        return aclrtSetOpExecuteTimeOutV2(any_number(worker), OUT(worker, us));
    default:
        return aclrtGetOpExecuteTimeout(OUT(worker, ms));
    }
}

static aclError call_more_facts(random_worker *worker)
{
    char text[64];
    int32_t number = 0;
    int64_t value = 0;
    uint32_t task = 0;
    aclrtUtilizationInfo use;
    aclrtUuid uuid;
    memset(&use, 0, sizeof(use));
    switch (below(worker, 6)) {
    case 0:
        return aclrtDeviceGetPCIBusId(any_device(worker), OUT(worker, *text),
                                      chance(worker, 90) ? (int32_t)sizeof(text) : -1);
    case 1:
        return aclrtGetDeviceUtilizationRate(any_device(worker), OUT(worker, use));
    case 2:
        return aclrtDeviceGetUuid(any_device(worker), OUT(worker, uuid));
    case 3:
        return aclrtGetThreadLastTaskId(OUT(worker, task));
    case 4:
        return aclrtGetDeviceInfo((uint32_t)any_device(worker), (aclrtDevAttr)any_number(worker),
                                  OUT(worker, value));
    default:
        return aclrtDeviceGetBareTgid(OUT(worker, number));
    }
}

static aclError call_peers(random_worker *worker)
{
    int32_t one = any_device(worker), other = any_device(worker), answer = 0;
    switch (below(worker, 4)) {
    case 0:
        return aclrtDeviceCanAccessPeer(OUT(worker, answer), one, other);
    case 1:
        return aclrtDeviceEnablePeerAccess(other, chance(worker, 90) ? 0 : any_number(worker));
    case 2:
        return aclrtDeviceDisablePeerAccess(other);
    default:
        return aclrtDevicePeerAccessStatus(one, other, OUT(worker, answer));
    }
}

/* Events and notifies -------------------------------------------------------------------------- */

static aclError call_with_flag(random_worker *worker)
{
    uint32_t flag = chance(worker, 85) ? below(worker, 2) : any_number(worker);
    if (chance(worker, 50))
        return aclrtRecordEventWithFlag(any(worker, RANDOM_EVENT), any_stream(worker), flag);
    return aclrtStreamWaitEventWithFlag(any_stream(worker), any(worker, RANDOM_EVENT),
                                        1 + below(worker, 2), flag);
}

static aclError call_batch_reset(random_worker *worker)
{
    aclrtNotify notifies[4];
    for (uint32_t i = 0; i < 4; i++)
        notifies[i] = any(worker, RANDOM_NOTIFY);
    return aclrtNotifyBatchReset(OUT(worker, notifies[0]), below(worker, 5));
}

/* Always refused: a stall while something is shared waits some seconds for other processes, which
 * this test, made of stalls, cannot afford. The conformance suite shares in earnest. */
static aclError call_share_notify(random_worker *worker)
{
    char key[80] = "no such key";
    aclrtNotify opened = NULL;
    int32_t pid = (int32_t)getpid();
    aclrtNotify notify = any(worker, RANDOM_NOTIFY);
    switch (below(worker, 4)) {
    case 0:
        return aclrtNotifySetImportPid(notify, OUT(worker, pid), below(worker, 2));
    case 1:
        return aclrtNotifyGetExportKey(notify, OUT(worker, key[0]), 0, 0);
    case 2:
        return aclrtNotifyGetExportKey(notify, OUT(worker, key[0]), 65,
                                       3 + (uint64_t)any_number(worker));
    default:
        return aclrtNotifyImportByKey(OUT(worker, opened), key,
                                      chance(worker, 90) ? 0 : any_number(worker));
    }
}

static aclError call_share_event(random_worker *worker)
{
    aclrtIpcEventHandle handle;
    aclrtEvent opened = NULL;
    memset(&handle, (int)below(worker, 256), sizeof(handle));
    if (chance(worker, 50))
        return aclrtIpcGetEventHandle(
            POINTER(random_pool_living(&worker->random, RANDOM_STREAM, 0)), OUT(worker, handle));
    return aclrtIpcOpenEventHandle(handle, OUT(worker, opened));
}

static aclError call_count_notify(random_worker *worker)
{
    aclrtCntNotify counter = any(worker, (random_kind)below(worker, RANDOM_KIND_COUNT));
    aclrtCntNotifyRecordInfo record = {(aclrtCntNotifyRecordMode)any_number(worker),
                                       any_number(worker)};
    aclrtCntNotifyWaitInfo wait;
    memset(&wait, 0, sizeof(wait));
    wait.timeout = 1;
    switch (below(worker, 5)) {
    case 0:
        return aclrtCntNotifyCreate(OUT(worker, counter), below(worker, 2));
    case 1:
        return aclrtCntNotifyRecord(counter, any_stream(worker), OUT(worker, record));
    case 2:
        return aclrtCntNotifyWaitWithTimeout(counter, any_stream(worker), OUT(worker, wait));
    case 3:
        return aclrtCntNotifyReset(counter, any_stream(worker));
    default:
        return aclrtCntNotifyDestroy(counter);
    }
}

/* All of it ------------------------------------------------------------------------------------ */

const random_row random_control_rows[] = {
    {"aclrtStreamAbort, aclrtStreamStop",
     call_abort,
     6,
     {BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, NOT_CONFIRMED, DEVICE_ABORTED, WAS_ABORTED,
      NOT_OFFERED, NOTHING_TO_GIVE},
     false},
    {"aclrtDeviceTaskAbort",
     call_abort_device,
     1,
     {BAD_VALUE, NO_SUCH_DEVICE, NO_CONTEXT, NOT_CONFIRMED, DEVICE_ABORTED, NOT_OFFERED, NOT_SET},
     false},
    {"aclrtSetDeviceTaskAbortCallback",
     call_abort_callback,
     2,
     {NULL_ARGUMENT, BAD_VALUE, NOT_OFFERED},
     false},
    {"aclrtSetExceptionInfoCallback", call_exception_callback, 2, {NOT_OFFERED}, false},
    {"aclrtSetStreamFailureMode",
     call_failure_mode,
     4,
     {BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, NOT_OFFERED},
     false},
    {"aclrtSetStreamAttribute, aclrtGetStreamAttribute",
     call_attribute,
     12,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, NOT_OFFERED},
     false},
    {"overflow switches and modes, aclrtPersistentTaskClean",
     call_overflow,
     8,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, NOT_OFFERED,
      NOTHING_TO_GIVE},
     false},
    {"limits of devices and operators",
     call_limits,
     8,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, NOT_OFFERED},
     false},
    {"more facts of devices",
     call_more_facts,
     12,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NO_CONTEXT, NOT_OFFERED},
     false},
    {"peers",
     call_peers,
     6,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NO_CONTEXT, NO_SUCH_FEATURE, NOT_OFFERED},
     false},
    {"aclrtRecordEventWithFlag, aclrtStreamWaitEventWithFlag",
     call_with_flag,
     12,
     {SUBMISSION, NOT_IN_CAPTURE},
     false},
    {"aclrtNotifyBatchReset",
     call_batch_reset,
     6,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NOT_OFFERED},
     false},
    {"keys of notifies",
     call_share_notify,
     6,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NOT_OFFERED, NO_NOTIFY, NOTHING_TO_GIVE},
     true},
    {"handles of shared events",
     call_share_event,
     6,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NOT_OFFERED, NO_EVENT, NOTHING_TO_GIVE},
     true},
    {"counting notifies",
     call_count_notify,
     4,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, NOT_OFFERED},
     true},
};
const uint32_t random_control_row_count =
    sizeof(random_control_rows) / sizeof(random_control_rows[0]);
