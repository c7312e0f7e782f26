/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies: some products have them, others refuse to create any. */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/event.h"
#include "core/object/stream.h"

#define NS_PER_S UINT64_C(1000000000)

aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL_BELOW(cntNotify);
    if (flag != 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "flag is %#llx; it must be 0", (unsigned long long)flag));
    uint64_t handle = 0;
    return TWIN_LEAVE(
        twin_api_give(twin_event_create(TWIN_EVENT_COUNT, &handle), &handle, cntNotify));
}

/* Without an object: what is wrong with the handle, or that the current device can have none. */
static int32_t fail_handle(aclrtCntNotify notify)
{
    if (!notify)
        return twin_api_null_below("cntNotify");
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    if (context->device->properties->count_notify_limit == 0)
        return twin_fail(TWIN_ERR_UNSUPPORTED, "the device has no counting notifies");
    return twin_fail_handle(twin_counts.kind_name, twin_api_handle(notify));
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
    TWIN_ENTER(CREATE);
    if (!twin_handle_find(&twin_counts, twin_api_handle(cntNotify)))
        return TWIN_LEAVE(fail_handle(cntNotify));
    return TWIN_LEAVE(twin_event_destroy(&twin_counts, twin_api_handle(cntNotify)));
}

static int32_t submit(aclrtCntNotify notify, aclrtStream stream, twin_task *task)
{
    task->event_handle = twin_api_handle(notify);
    task->event = twin_handle_find(&twin_counts, task->event_handle);
    if (!task->event)
        return fail_handle(notify);
    int32_t code = twin_stream_find(twin_api_handle(stream), &task->stream);
    return code != 0 ? code : twin_stream_submit(twin_api_handle(stream), task);
}

static bool read_mode(aclrtCntNotifyRecordMode mode, twin_count_mode *out)
{
    switch (mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
        *out = TWIN_COUNT_SET;
        return true;
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
        *out = TWIN_COUNT_ADD;
        return true;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
        *out = TWIN_COUNT_OR;
        return true;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
        *out = TWIN_COUNT_AND;
        return true;
    }
    return false;
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                              aclrtCntNotifyRecordInfo *info)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(info);
    twin_count_change change = {.value = info->value};
    if (!read_mode(info->mode, &change.mode))
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "info->mode is %d; it must be 0, 1, 2 or 4",
                                    (int)info->mode));
    twin_task task = {.kind = TWIN_TASK_COUNT, .change = &change};
    return TWIN_LEAVE(submit(cntNotify, stream, &task));
}

_Static_assert((int)TWIN_COUNT_LESS == ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE &&
                   (int)TWIN_COUNT_EQUAL == ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE &&
                   (int)TWIN_COUNT_GREATER == ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE &&
                   (int)TWIN_COUNT_GREATER_OR_EQUAL ==
                       ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE &&
                   (int)TWIN_COUNT_MASK == ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE,
               "the seam has the public numbers");

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                       aclrtCntNotifyWaitInfo *info)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(info);
    twin_count_wait wait = {
        .relation = (twin_count_relation)info->mode,
        .value = info->value,
        .clear = info->isClear != 0,
        .timeout_ns = info->timeout == 0 ? TWIN_FOREVER : info->timeout * NS_PER_S,
    };
    if ((uint32_t)info->mode > TWIN_COUNT_MASK)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "info->mode is %d; it must be 0 to 4", (int)info->mode));
    if (info->isClear > 1)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "info->isClear is %u; it must be 0 or 1", info->isClear));
    twin_task task = {.kind = TWIN_TASK_WAIT_COUNT, .count_wait = &wait};
    return TWIN_LEAVE(submit(cntNotify, stream, &task));
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    const twin_count_change change = {.mode = TWIN_COUNT_SET, .value = 0};
    twin_task task = {.kind = TWIN_TASK_COUNT, .change = &change};
    return TWIN_LEAVE(submit(cntNotify, stream, &task));
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(notifyId);
    twin_event *pinned = twin_handle_pin(&twin_counts, twin_api_handle(cntNotify));
    if (!pinned)
        return TWIN_LEAVE(fail_handle(cntNotify));
    twin_signal_state state = {.ask = TWIN_ASK_HARDWARE_ID};
    int32_t code = twin_event_query(pinned, &state);
    if (code == 0)
        *notifyId = state.hardware_id;
    twin_event_unpin(pinned);
    return TWIN_LEAVE(code);
}
