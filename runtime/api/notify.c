/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/event.h"
#include "core/object/stream.h"

#define NS_PER_S            UINT64_C(1000000000)
#define NOTIFY_FLAG_MAX     1u
#define NOTIFY_WAIT_DEFAULT UINT32_MAX /* as 0: no limit */

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(notify);
    if (flag > NOTIFY_FLAG_MAX)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flag is %#llx; it must be 0 or 1 (used by the device only)",
                                    (unsigned long long)flag));
    uint64_t handle = 0;
    return TWIN_LEAVE(twin_api_give(
        twin_event_create(TWIN_EVENT_NOTIFY | (flag == 1 ? TWIN_EVENT_DEVICE_ONLY : 0), &handle),
        &handle, notify));
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(notify);
    twin_context *context = NULL;
    int32_t code = twin_event_guard(&twin_notifies, twin_api_handle(notify));
    if (code == 0)
        code = twin_context_current(&context);
    return TWIN_LEAVE(code != 0 ? code
                                : twin_event_destroy(&twin_notifies, twin_api_handle(notify)));
}

static int32_t submit(twin_task_kind kind, aclrtNotify notify, aclrtStream stream,
                      uint64_t timeout_ns)
{
    twin_task task = {
        .kind = kind, .event_handle = twin_api_handle(notify), .timeout_ns = timeout_ns};
    int32_t code = twin_event_find(&twin_notifies, task.event_handle, &task.event);
    if (code == 0)
        code = twin_stream_find(twin_api_handle(stream), &task.stream);
    return code != 0 ? code : twin_stream_submit(twin_api_handle(stream), &task);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(notify);
    return TWIN_LEAVE(submit(TWIN_TASK_RECORD, notify, stream, 0));
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(notify);
    bool endless = timeout == 0 || timeout == NOTIFY_WAIT_DEFAULT;
    return TWIN_LEAVE(
        submit(TWIN_TASK_WAIT, notify, stream, endless ? TWIN_FOREVER : timeout * NS_PER_S));
}

static int32_t id_of(uint64_t notify, uint32_t *out_id)
{
    TWIN_PINNED(event, pinned);
    twin_context *context = NULL;
    uint32_t id = 0;
    int32_t code = twin_event_pin(&twin_notifies, notify, &pinned);
    if (code == 0)
        code = twin_context_current(&context);
    if (code == 0)
        code = twin_event_id(pinned, &id);
    if (code == 0)
        *out_id = id;
    return code;
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(notify, notifyId);
    return TWIN_LEAVE(id_of(twin_api_handle(notify), notifyId));
}

/* Batch reset ---------------------------------------------------------------------------------- */

static int32_t clear(aclrtNotify notify, uint32_t place)
{
    TWIN_PINNED(event, pinned);
    if (!notify)
        return twin_fail(TWIN_ERR_PARAM_NULL, "notifies[%u] is NULL", place);
    int32_t code = twin_event_pin(&twin_notifies, twin_api_handle(notify), &pinned);
    return code != 0 ? code : twin_event_clear(pinned);
}

/* In their order; the first bad one ends it, and those before it are cleared. */
aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num)
{
    TWIN_ENTER_BY_PART(POLL, aclrtNotifyBatchReset);
    TWIN_NOT_NULL(notifies);
    if (num == 0 || num > UINT32_MAX)
        return TWIN_LEAVE(twin_fail(
            TWIN_ERR_PARAM, "num is %zu; it must be the number of notifies, 1 or more", num));
    int32_t code = 0;
    for (uint32_t i = 0; i < num && code == 0; i++)
        code = clear(notifies[i], i);
    return TWIN_LEAVE(code);
}

/* Between servers ------------------------------------------------------------------------------ */

aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid *serverPids,
                                            size_t num)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(notify, serverPids);
    if (num == 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "num is 0; it must be the number of entries of serverPids"));
    for (size_t i = 0; i < num; i++) {
        if (!serverPids[i].pid)
            return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM_NULL, "serverPids[%zu].pid is NULL", i));
        if (serverPids[i].num != 1)
            return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "serverPids[%zu].num is %zu; it must be 1",
                                        i, serverPids[i].num));
    }
    return TWIN_LEAVE(
        twin_fail(TWIN_ERR_UNSUPPORTED, "only super-pod products share notifies between servers"));
}
