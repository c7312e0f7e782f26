/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls on devices, contexts, streams, events and notifies. */
#include "random_arguments.h"

/* Old functions must hold out as well. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Device --------------------------------------------------------------------------------------- */

/* After a call that may have changed the thread's context. */
static aclError look(random_worker *worker, aclError code)
{
    aclrtContext context = NULL;
    if (code == ACL_SUCCESS && aclrtGetCurrentContext(&context) == ACL_SUCCESS)
        worker->context = HANDLE(context);
    return code;
}

static aclError call_set_device(random_worker *worker)
{
    return look(worker, aclrtSetDevice(any_device(worker)));
}

static aclError call_reset_device(random_worker *worker)
{
    return aclrtResetDevice(any_device(worker));
}

static aclError call_reset_force(random_worker *worker)
{
    /* Rare, for it ends all that the others work with. */
    return aclrtResetDeviceForce(chance(worker, 15) ? any_device(worker) : 2);
}

static aclError call_get_device(random_worker *worker)
{
    int32_t device = -1;
    int32_t *out = OUT(worker, device);
    aclError code = aclrtGetDevice(out);
    if (code == ACL_SUCCESS && device != 0 && device != 1)
        random_failure("aclrtGetDevice gives device %d", device);
    return code;
}

static aclError call_device_facts(random_worker *worker)
{
    uint32_t count = 0;
    int32_t active = -1, least = 0, greatest = 0;
    uint32_t flags = 0;
    aclrtRunMode mode;
    aclrtDeviceStatus status;
    switch (below(worker, 7)) {
    case 0:
        return aclrtGetDeviceCount(OUT(worker, count));
    case 1:
        return aclrtGetRunMode(OUT(worker, mode));
    case 2:
        if (!aclrtGetSocName())
            random_failure("the SoC has no name");
        return ACL_SUCCESS;
    case 3:
        return aclrtGetPrimaryCtxState(any_device(worker), chance(worker, 5) ? &flags : NULL,
                                       OUT(worker, active));
    case 4:
        return aclrtDeviceGetStreamPriorityRange(OUT(worker, least), OUT(worker, greatest));
    case 5:
        return aclrtQueryDeviceStatus(any_device(worker), OUT(worker, status));
    default:
        return aclrtSetTsDevice((aclrtTsId)below(worker, 3));
    }
}

static aclError call_sync_device(random_worker *worker)
{
    (void)worker;
    return aclrtSynchronizeDevice();
}

static aclError call_sync_device_for(random_worker *worker)
{
    return aclrtSynchronizeDeviceWithTimeout(any_timeout(worker));
}

/* Process -------------------------------------------------------------------------------------- */

static aclError call_init(random_worker *worker)
{
    uint64_t left = 0;
    switch (below(worker, 6)) {
    case 0:
        return aclFinalize();
    case 1:
        return aclFinalizeReference(OUT(worker, left));
    case 2:
        return aclInit("/proc/self/no such file");
    case 3:
        return aclInit("/proc/self");
    default:
        return aclInit(NULL);
    }
}

static aclError call_errors(random_worker *worker)
{
    (void)aclGetRecentErrMsg();
    aclrtLastErrLevel level = (aclrtLastErrLevel)below(worker, 2);
    aclError peeked = aclrtPeekAtLastError(level);
    aclError code = aclrtGetLastError(level);
    if (code != peeked)
        random_failure("the last error is %d at a glance and %d when taken", peeked, code);
    if (level == ACL_RT_THREAD_LEVEL && aclrtGetLastError(level) != ACL_SUCCESS)
        random_failure("the last error stays after it was taken");
    return level == ACL_RT_THREAD_LEVEL ? ACL_SUCCESS : code;
}

/* Context -------------------------------------------------------------------------------------- */

static aclError call_create_context(random_worker *worker)
{
    aclrtContext context = NULL;
    aclError code = aclrtCreateContext(OUT(worker, context), any_device(worker));
    if (!context)
        return code;
    random_entry old =
        random_pool_put(&worker->random, RANDOM_CONTEXT, (random_entry){HANDLE(context), 0});
    if (old.handle != 0)
        (void)aclrtDestroyContext(POINTER(old));
    return look(worker, code);
}

static aclError call_destroy_context(random_worker *worker)
{
    if (chance(worker, 60))
        return aclrtDestroyContext(POINTER(random_pool_take(&worker->random, RANDOM_CONTEXT)));
    aclrtContext context = any(worker, RANDOM_CONTEXT);
    if (chance(worker, 10))
        (void)aclrtGetCurrentContext(&context); /* perhaps a default one: refused */
    return aclrtDestroyContext(context);
}

static aclError call_set_context(random_worker *worker)
{
    return look(worker, aclrtSetCurrentContext(any(worker, RANDOM_CONTEXT)));
}

static aclError call_get_context(random_worker *worker)
{
    aclrtContext context = NULL;
    aclError code = aclrtGetCurrentContext(OUT(worker, context));
    if (context)
        worker->context = HANDLE(context);
    return code;
}

static aclError call_default_stream(random_worker *worker)
{
    aclrtStream stream = NULL;
    aclError code = aclrtCtxGetCurrentDefaultStream(OUT(worker, stream));
    if (stream && chance(worker, 20))
        return aclrtDestroyStream(stream); /* refused */
    return code;
}

/* Stream --------------------------------------------------------------------------------------- */

static aclError call_create_stream(random_worker *worker)
{
    aclrtStream stream = NULL;
    aclrtStream *out = OUT(worker, stream);
    aclError code;
    aclrtContext context = NULL;
    (void)aclrtGetCurrentContext(&context);
    if (chance(worker, 70))
        code = aclrtCreateStream(out);
    else
        code = aclrtCreateStreamWithConfig(out, any_number(worker), any_number(worker));
    if (!stream)
        return code;
    random_entry old = random_pool_put(&worker->random, RANDOM_STREAM,
                                       (random_entry){HANDLE(stream), HANDLE(context)});
    /* The old one's context must be current for that. */
    if (old.handle != 0 && aclrtSetCurrentContext((void *)(uintptr_t)old.owner) == ACL_SUCCESS)
        (void)aclrtDestroyStreamForce(POINTER(old));
    if (context)
        (void)aclrtSetCurrentContext(context);
    return code;
}

static aclError call_destroy_stream(random_worker *worker)
{
    return aclrtDestroyStream(any_stream(worker));
}

static aclError call_destroy_stream_force(random_worker *worker)
{
    if (chance(worker, 85))
        return aclrtDestroyStreamForce(POINTER(random_pool_take(&worker->random, RANDOM_STREAM)));
    return aclrtDestroyStreamForce(any_stream(worker));
}

static aclError call_stream_facts(random_worker *worker)
{
    uint32_t number = 0;
    int32_t id = -1;
    aclrtStream stream = any_stream(worker);
    switch (below(worker, 4)) {
    case 0:
        return aclrtStreamGetPriority(stream, OUT(worker, number));
    case 1:
        return aclrtStreamGetFlags(stream, OUT(worker, number));
    case 2:
        return aclrtStreamGetId(stream, OUT(worker, id));
    default:
        return aclrtGetStreamAvailableNum(OUT(worker, number));
    }
}

static aclError call_stream_query(random_worker *worker)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    aclError code = aclrtStreamQuery(any_stream(worker), OUT(worker, status));
    if (code == ACL_SUCCESS && status != ACL_STREAM_STATUS_COMPLETE &&
        status != ACL_STREAM_STATUS_NOT_READY)
        random_failure("aclrtStreamQuery gives status %d", (int)status);
    return code;
}

static aclError call_sync_stream(random_worker *worker)
{
    return aclrtSynchronizeStream(any_stream(worker));
}

static aclError call_sync_stream_for(random_worker *worker)
{
    return aclrtSynchronizeStreamWithTimeout(any_stream(worker), any_timeout(worker));
}

/* Event ---------------------------------------------------------------------------------------- */

static aclError call_create_event(random_worker *worker)
{
    static const uint32_t flags[] = {
        ACL_EVENT_SYNC,
        ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE,
        ACL_EVENT_TIME_LINE,
        ACL_EVENT_CAPTURE_STREAM_PROGRESS,
        ACL_EVENT_DEVICE_USE_ONLY,
        ACL_EVENT_EXTERNAL,
        ACL_EVENT_IPC,
    };
    uint32_t flag = chance(worker, 85) ? flags[below(worker, 7)] : any_number(worker);
    aclrtEvent event = NULL;
    aclrtEvent *out = OUT(worker, event);
    aclError code;
    switch (below(worker, 3)) {
    case 0:
        code = aclrtCreateEvent(out);
        break;
    case 1:
        code = aclrtCreateEventWithFlag(out, flag);
        break;
    default:
        code = aclrtCreateEventExWithFlag(out, flag);
        break;
    }
    if (!event)
        return code;
    random_entry old =
        random_pool_put(&worker->random, RANDOM_EVENT, (random_entry){HANDLE(event), 0});
    if (old.handle != 0)
        (void)aclrtDestroyEvent(POINTER(old));
    return code;
}

static aclError call_destroy_event(random_worker *worker)
{
    if (chance(worker, 85))
        return aclrtDestroyEvent(POINTER(random_pool_take(&worker->random, RANDOM_EVENT)));
    return aclrtDestroyEvent(any(worker, RANDOM_EVENT));
}

static aclError call_record(random_worker *worker)
{
    return aclrtRecordEvent(any(worker, RANDOM_EVENT), any_stream(worker));
}

static aclError call_wait(random_worker *worker)
{
    return aclrtStreamWaitEvent(any_stream(worker), any(worker, RANDOM_EVENT));
}

static aclError call_wait_for(random_worker *worker)
{
    static const int32_t seconds[] = {0, 1, 1, 1, 2, -1, INT32_MIN};
    return aclrtStreamWaitEventWithTimeout(any_stream(worker), any(worker, RANDOM_EVENT),
                                           seconds[below(worker, 7)]);
}

static aclError call_wait_limit(random_worker *worker)
{
    return aclrtSetOpWaitTimeout(chance(worker, 70) ? 1 : any_number(worker));
}

static aclError call_reset_event(random_worker *worker)
{
    return aclrtResetEvent(any(worker, RANDOM_EVENT), any_stream(worker));
}

static aclError call_query_event(random_worker *worker)
{
    aclrtEventStatus old = ACL_EVENT_STATUS_RESERVED;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_RESERVED;
    aclrtEvent event = any(worker, RANDOM_EVENT);
    switch (below(worker, 3)) {
    case 0:
        return aclrtQueryEvent(event, OUT(worker, old));
    case 1:
        return aclrtQueryEventStatus(event, OUT(worker, recorded));
    default:
        return aclrtQueryEventWaitStatus(event, OUT(worker, waits));
    }
}

static aclError call_sync_event(random_worker *worker)
{
    return aclrtSynchronizeEvent(any(worker, RANDOM_EVENT));
}

static aclError call_sync_event_for(random_worker *worker)
{
    return aclrtSynchronizeEventWithTimeout(any(worker, RANDOM_EVENT), any_timeout(worker));
}

static aclError call_event_time(random_worker *worker)
{
    float ms = 0;
    uint64_t us = 0;
    aclrtEvent first = any(worker, RANDOM_EVENT);
    if (chance(worker, 50))
        return aclrtEventGetTimestamp(first, OUT(worker, us));
    return aclrtEventElapsedTime(OUT(worker, ms), first, any(worker, RANDOM_EVENT));
}

static aclError call_event_id(random_worker *worker)
{
    uint32_t id = 0;
    return aclrtGetEventId(any(worker, RANDOM_EVENT), OUT(worker, id));
}

static aclError call_events_left(random_worker *worker)
{
    uint32_t count = 0;
    return aclrtGetEventAvailNum(OUT(worker, count));
}

/* Notify --------------------------------------------------------------------------------------- */

static aclError call_create_notify(random_worker *worker)
{
    aclrtNotify notify = NULL;
    aclError code =
        aclrtCreateNotify(OUT(worker, notify), chance(worker, 90) ? 0 : any_number(worker));
    if (!notify)
        return code;
    random_entry old =
        random_pool_put(&worker->random, RANDOM_NOTIFY, (random_entry){HANDLE(notify), 0});
    if (old.handle != 0)
        (void)aclrtDestroyNotify(POINTER(old));
    return code;
}

static aclError call_destroy_notify(random_worker *worker)
{
    if (chance(worker, 85))
        return aclrtDestroyNotify(POINTER(random_pool_take(&worker->random, RANDOM_NOTIFY)));
    return aclrtDestroyNotify(any(worker, RANDOM_NOTIFY));
}

static aclError call_record_notify(random_worker *worker)
{
    return aclrtRecordNotify(any(worker, RANDOM_NOTIFY), any_stream(worker));
}

static aclError call_wait_notify(random_worker *worker)
{
    uint32_t seconds = chance(worker, 90) ? 1 + below(worker, 2) : any_number(worker);
    return aclrtWaitAndResetNotify(any(worker, RANDOM_NOTIFY), any_stream(worker), seconds);
}

static aclError call_notify_id(random_worker *worker)
{
    uint32_t id = 0;
    return aclrtGetNotifyId(any(worker, RANDOM_NOTIFY), OUT(worker, id));
}

/* All of it ------------------------------------------------------------------------------------ */

const random_row random_object_rows[] = {
    {"aclrtSetDevice", call_set_device, 20, {NO_SUCH_DEVICE}, false},
    {"aclrtResetDevice", call_reset_device, 4, {NO_SUCH_DEVICE, NOT_SET, WAIT_ENDED}, false},
    {"aclrtResetDeviceForce", call_reset_force, 1, {NO_SUCH_DEVICE, NOT_SET, WAIT_ENDED}, false},
    {"aclrtGetDevice", call_get_device, 10, {NULL_ARGUMENT, NO_CONTEXT}, false},
    {"facts of devices", call_device_facts, 20, {NULL_ARGUMENT, NO_SUCH_DEVICE}, false},
    {"aclrtSynchronizeDevice",
     call_sync_device,
     1,
     {NO_CONTEXT, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK, WAS_ABORTED, WAIT_ENDED},
     false},
    {"aclrtSynchronizeDeviceWithTimeout",
     call_sync_device_for,
     3,
     {BAD_VALUE, NO_CONTEXT, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK, WAS_ABORTED, WAIT_ENDED},
     false},
    {"aclInit, aclFinalize", call_init, 5, {REPEATED_INIT, NO_FILE, REPEATED_END}, false},
    {"last error and messages", call_errors, 20, {NULL_ARGUMENT}, false},
    {"aclrtCreateContext",
     call_create_context,
     3,
     {NULL_ARGUMENT, NO_SUCH_DEVICE, NO_CONTEXT, NO_STREAM, NO_STREAM_QUEUE, DEVICE_ABORTED,
      WAIT_ENDED},
     false},
    {"aclrtDestroyContext",
     call_destroy_context,
     2,
     {NULL_ARGUMENT, NO_CONTEXT, NOT_SET, WAIT_ENDED},
     false},
    {"aclrtSetCurrentContext", call_set_context, 15, {NULL_ARGUMENT, BAD_VALUE}, false},
    {"aclrtGetCurrentContext", call_get_context, 30, {NULL_ARGUMENT, NO_CONTEXT}, false},
    {"aclrtCtxGetCurrentDefaultStream",
     call_default_stream,
     10,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE},
     false},
    {"aclrtCreateStream",
     call_create_stream,
     35,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, NO_STREAM, NO_STREAM_QUEUE, DEVICE_ABORTED},
     false},
    {"aclrtDestroyStream",
     call_destroy_stream,
     2,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, WAIT_ENDED, IN_MODEL},
     false},
    {"aclrtDestroyStreamForce",
     call_destroy_stream_force,
     8,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, OTHER_CONTEXT, DEAD_HANDLE, IN_MODEL},
     false},
    {"facts of streams", call_stream_facts, 30, {NULL_ARGUMENT, NO_CONTEXT, DEAD_HANDLE}, false},
    {"aclrtStreamQuery",
     call_stream_query,
     30,
     {NULL_ARGUMENT, NO_CONTEXT, DEAD_HANDLE, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK,
      WAS_ABORTED},
     false},
    {"aclrtSynchronizeStream",
     call_sync_stream,
     8,
     {NO_CONTEXT, DEAD_HANDLE, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK, WAS_ABORTED, WAIT_ENDED},
     false},
    {"aclrtSynchronizeStreamWithTimeout",
     call_sync_stream_for,
     20,
     {BAD_VALUE, NO_CONTEXT, DEAD_HANDLE, DEVICE_ABORTED, TASK_TOO_LONG, FAILED_TASK, WAS_ABORTED,
      WAIT_ENDED},
     false},
    {"aclrtCreateEvent...",
     call_create_event,
     35,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, NO_EVENT},
     false},
    {"aclrtDestroyEvent", call_destroy_event, 10, {NULL_ARGUMENT, DEAD_HANDLE}, false},
    {"aclrtRecordEvent", call_record, 70, {SUBMISSION}, false},
    {"aclrtStreamWaitEvent", call_wait, 40, {SUBMISSION}, false},
    {"aclrtStreamWaitEventWithTimeout", call_wait_for, 20, {SUBMISSION}, false},
    {"aclrtSetOpWaitTimeout", call_wait_limit, 3, {0}, false},
    {"aclrtResetEvent", call_reset_event, 15, {SUBMISSION}, false},
    {"aclrtQueryEvent...", call_query_event, 40, {NULL_ARGUMENT, DEAD_HANDLE, NOT_OFFERED}, false},
    {"aclrtSynchronizeEvent",
     call_sync_event,
     4,
     {NULL_ARGUMENT, BAD_VALUE, DEAD_HANDLE, NOT_OFFERED, DEVICE_ABORTED, TASK_TOO_LONG,
      FAILED_TASK, WAS_ABORTED, EVENT_WAIT_ENDED},
     false},
    {"aclrtSynchronizeEventWithTimeout",
     call_sync_event_for,
     15,
     {NULL_ARGUMENT, BAD_VALUE, DEAD_HANDLE, NOT_OFFERED, DEVICE_ABORTED, TASK_TOO_LONG,
      FAILED_TASK, WAS_ABORTED, EVENT_WAIT_ENDED},
     false},
    {"aclrtEventElapsedTime, aclrtEventGetTimestamp",
     call_event_time,
     30,
     {NULL_ARGUMENT, DEAD_HANDLE, NOT_OFFERED, NO_TIME_YET, NOTHING_TO_GIVE},
     false},
    {"aclrtGetEventId",
     call_event_id,
     10,
     {NULL_ARGUMENT, DEAD_HANDLE, NOT_OFFERED, NOTHING_TO_GIVE},
     false},
    {"aclrtGetEventAvailNum", call_events_left, 5, {NULL_ARGUMENT, NO_CONTEXT}, false},
    {"aclrtCreateNotify",
     call_create_notify,
     15,
     {NULL_ARGUMENT, BAD_VALUE, NO_CONTEXT, NO_NOTIFY},
     false},
    {"aclrtDestroyNotify", call_destroy_notify, 5, {NULL_ARGUMENT, NO_CONTEXT, DEAD_HANDLE}, false},
    {"aclrtRecordNotify", call_record_notify, 30, {SUBMISSION}, false},
    {"aclrtWaitAndResetNotify", call_wait_notify, 12, {SUBMISSION}, false},
    {"aclrtGetNotifyId", call_notify_id, 10, {NULL_ARGUMENT, NO_CONTEXT, DEAD_HANDLE}, false},
};
const uint32_t random_object_row_count = sizeof(random_object_rows) / sizeof(random_object_rows[0]);
