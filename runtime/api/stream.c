/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/stream.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/base/log.h"

static int32_t create(uint32_t priority, uint32_t flags, aclrtStream *stream)
{
    TWIN_PINNED(context, context);
    uint64_t handle = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_stream_create(context, priority, flags, false, &handle);
    return twin_api_give(code, &handle, stream);
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(stream);
    return TWIN_LEAVE(create(0, 0, stream));
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(stream);
    if ((flag & ACL_STREAM_DEVICE_USE_ONLY) != 0 &&
        (flag & TWIN_STREAM_ALL) != ACL_STREAM_DEVICE_USE_ONLY)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM_RELATION,
                                    "flag is %#x; ACL_STREAM_DEVICE_USE_ONLY goes with no other",
                                    flag));
    if ((flag & ~(uint32_t)TWIN_STREAM_ALL) != 0)
        twin_log(TWIN_LOG_WARNING, "%s: flag bits %#x mean nothing", __func__,
                 flag & ~(uint32_t)TWIN_STREAM_ALL);
    return TWIN_LEAVE(create(priority, flag & TWIN_STREAM_ALL, stream));
}

/* ---- streams --------------------------------------------------------------------------------- */

aclError aclrtDestroyStream(aclrtStream stream)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(stream);
    return TWIN_LEAVE(twin_stream_destroy(twin_api_handle(stream), false));
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(stream);
    return TWIN_LEAVE(twin_stream_destroy(twin_api_handle(stream), true));
}

static int32_t synchronize(aclrtStream stream, uint64_t timeout_ns)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code == 0 && (pinned->flags & TWIN_STREAM_PASSIVE) == 0)
        code = twin_stream_drain(pinned, timeout_ns);
    return code;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    TWIN_ENTER(WAIT);
    return TWIN_LEAVE(synchronize(stream, TWIN_FOREVER));
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    TWIN_ENTER(WAIT);
    uint64_t timeout_ns = 0;
    int32_t code = twin_api_timeout(timeout, &timeout_ns);
    return TWIN_LEAVE(code != 0 ? code : synchronize(stream, timeout_ns));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    TWIN_ENTER(POLL);
    TWIN_NOT_NULL(status);
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    bool idle = true;
    code = twin_stream_query(pinned, &idle);
    if (code == 0)
        *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    twin_stream_unpin(pinned);
    return TWIN_LEAVE(code);
}

/* What is not asked for is NULL. */
static int32_t describe(aclrtStream stream, uint32_t *priority, uint32_t *flags)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code == 0 && priority)
        *priority = pinned->priority;
    if (code == 0 && flags)
        *flags =
            pinned->is_default ? TWIN_STREAM_FAST_LAUNCH | TWIN_STREAM_FAST_SYNC : pinned->flags;
    return code;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(priority);
    return TWIN_LEAVE(describe(stream, priority, NULL));
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(flags);
    return TWIN_LEAVE(describe(stream, NULL, flags));
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(streamId);
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin(twin_api_handle(stream), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    *streamId = (int32_t)pinned->id;
    twin_stream_unpin(pinned);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(streamCount);
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return TWIN_LEAVE(code);
    *streamCount = twin_device_streams_left(context->device);
    twin_context_unpin(context);
    return TWIN_LEAVE(ACL_SUCCESS);
}
