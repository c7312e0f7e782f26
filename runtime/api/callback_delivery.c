/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the host that streams call. */
#include "core/callback/callback_delivery.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    TWIN_ENTER(CREATE);
    return TWIN_LEAVE(twin_callback_subscribe(threadId, twin_api_handle(stream)));
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    TWIN_ENTER(CREATE);
    return TWIN_LEAVE(twin_callback_unsubscribe(threadId, twin_api_handle(stream)));
}

aclError aclrtProcessReport(int32_t timeout)
{
    TWIN_ENTER(WAIT);
    if (timeout == 0 || timeout < -1)
        return TWIN_LEAVE(twin_fail(
            TWIN_ERR_ARG_VALUE, "timeout is %d; it must be -1 (none) or above 0, in ms", timeout));
    return TWIN_LEAVE(
        twin_callback_process(timeout < 0 ? TWIN_FOREVER : (uint64_t)timeout * 1000000u));
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "blockType is %d, neither ACL_CALLBACK_NO_BLOCK (0) nor "
                                    "ACL_CALLBACK_BLOCK (1)",
                                    (int)blockType));
    twin_stream *found = NULL;
    const int32_t live = twin_stream_find(twin_api_handle(stream), &found);
    if (live != 0)
        return TWIN_LEAVE(live);
    TWIN_NOT_NULL_BELOW(fn);
    const twin_host_call call = {
        .fn = fn, .argument = userData, .block = blockType == ACL_CALLBACK_BLOCK};
    const twin_task task = {.kind = TWIN_TASK_CALL, .call = &call, .stream = found};
    return TWIN_LEAVE(twin_stream_submit(twin_api_handle(stream), &task));
}

static int32_t launch_host_function(twin_stream *found, uint64_t stream, const twin_host_call *call)
{
    twin_context *current = NULL;
    TWIN_PINNED(context, context);
    twin_task task = {.kind = TWIN_TASK_CALL, .call = call, .stream = found};
    int32_t code = twin_stream_check_found(found, stream, &current);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_service_need(context, &task.call_queue);
    return code != 0 ? code : twin_stream_submit(stream, &task);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    TWIN_ENTER(SUBMIT);
    twin_stream *found = NULL;
    const int32_t live = twin_stream_find(twin_api_handle(stream), &found);
    if (live != 0)
        return TWIN_LEAVE(live);
    TWIN_NOT_NULL_BELOW(fn);
    const twin_host_call call = {.fn = fn, .argument = args, .block = true};
    return TWIN_LEAVE(launch_host_function(found, twin_api_handle(stream), &call));
}
