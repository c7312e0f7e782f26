/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/stream.h"

#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/base/alloc.h"
#include "core/base/log.h"

#define LEAST_PRIORITY 7u

static int32_t create(uint32_t priority, uint32_t flags, aclrtStream *stream)
{
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    uint64_t handle = 0;
    code = twin_stream_create(context, priority, flags, false, &handle);
    if (code == 0)
        *stream = twin_api_pointer(handle);
    twin_context_unpin(context);
    return code;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    TWIN_ENTER(CREATE);
    if (!stream)
        return TWIN_LEAVE(twin_api_null("stream"));
    return TWIN_LEAVE(create(0, 0, stream));
}

/* `call`: the public function, for the log. */
static int32_t create_with_flags(const char *call, uint32_t priority, uint64_t flags,
                                 aclrtStream *stream)
{
    if ((flags & ACL_STREAM_DEVICE_USE_ONLY) != 0 &&
        (flags & TWIN_STREAM_ALL) != ACL_STREAM_DEVICE_USE_ONLY)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "flag is %#llx; ACL_STREAM_DEVICE_USE_ONLY goes with no other",
                         (unsigned long long)flags);
    if ((flags & ~(uint64_t)TWIN_STREAM_ALL) != 0)
        twin_log(TWIN_LOG_WARNING, "%s: flag bits %#llx mean nothing", call,
                 (unsigned long long)(flags & ~(uint64_t)TWIN_STREAM_ALL));
    return create(priority, (uint32_t)flags & TWIN_STREAM_ALL, stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    TWIN_ENTER(CREATE);
    if (!stream)
        return TWIN_LEAVE(twin_api_null("stream"));
    return TWIN_LEAVE(create_with_flags(__func__, priority, flag, stream));
}

/* ---- configurations ---------------------------------------------------------------------------- */

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
    TWIN_ENTER(LOCAL);
    aclrtStreamConfigHandle *handle = twin_zalloc(sizeof(*handle));
    (void)TWIN_LEAVE(handle ? ACL_SUCCESS
                            : twin_fail(TWIN_ERR_NOMEM, "no host memory for a configuration"));
    return handle;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
    TWIN_ENTER(LOCAL);
    if (!handle)
        return TWIN_LEAVE(twin_api_null("handle"));
    twin_free(handle);
    return TWIN_LEAVE(ACL_SUCCESS);
}

static int32_t check_priority(uint32_t priority)
{
    if (priority <= LEAST_PRIORITY)
        return 0;
    return twin_fail(TWIN_ERR_ARG_VALUE, "the priority is %u; it must be 0 to %u", priority,
                     LEAST_PRIORITY);
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
                                 const void *attrValue, size_t valueSize)
{
    TWIN_ENTER(LOCAL);
    void *place = NULL;
    size_t bytes = sizeof(size_t);
    uint32_t priority = 0;
    if (!handle)
        return TWIN_LEAVE(twin_api_null("handle"));
    if (!attrValue)
        return TWIN_LEAVE(twin_api_null("attrValue"));
    switch (attr) {
    case ACL_RT_STREAM_WORK_ADDR_PTR:
        place = (void *)&handle->workptr;
        bytes = sizeof(handle->workptr);
        break;
    case ACL_RT_STREAM_WORK_SIZE:
        place = &handle->workSize;
        break;
    case ACL_RT_STREAM_FLAG:
        place = &handle->flag;
        break;
    case ACL_RT_STREAM_PRIORITY:
        place = &handle->priority;
        bytes = sizeof(handle->priority);
        break;
    default:
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "attr is %d; 0 to 3 are known", (int)attr));
    }
    if (valueSize != bytes)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "valueSize is %zu; attribute %d has %zu bytes", valueSize,
                                    (int)attr, bytes));
    if (attr == ACL_RT_STREAM_PRIORITY) {
        memcpy(&priority, attrValue, sizeof(priority));
        int32_t code = check_priority(priority);
        if (code != 0)
            return TWIN_LEAVE(code);
    }
    memcpy(place, attrValue, bytes);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
    TWIN_ENTER(CREATE);
    if (!stream)
        return TWIN_LEAVE(twin_api_null("stream"));
    if (!handle)
        return TWIN_LEAVE(create(0, 0, stream));
    int32_t code = check_priority(handle->priority);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (handle->workptr || handle->workSize != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_UNSUPPORTED,
                                    "the configuration gives work memory, %zu bytes at %p; streams "
                                    "of this generation have their own",
                                    handle->workSize, handle->workptr));
    return TWIN_LEAVE(create_with_flags(__func__, handle->priority, handle->flag, stream));
}

/* ---- streams ----------------------------------------------------------------------------------- */

aclError aclrtDestroyStream(aclrtStream stream)
{
    TWIN_ENTER(CREATE);
    if (!stream)
        return TWIN_LEAVE(twin_api_null("stream"));
    return TWIN_LEAVE(twin_stream_destroy(twin_api_handle(stream), false));
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    TWIN_ENTER(CREATE);
    if (!stream)
        return TWIN_LEAVE(twin_api_null("stream"));
    return TWIN_LEAVE(twin_stream_destroy(twin_api_handle(stream), true));
}

static int32_t synchronize(aclrtStream stream, uint64_t timeout_ns)
{
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code != 0)
        return code;
    if ((pinned->flags & TWIN_STREAM_PASSIVE) == 0)
        code = twin_stream_drain(pinned, timeout_ns);
    twin_stream_unpin(pinned);
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
    if (!status)
        return TWIN_LEAVE(twin_api_null("status"));
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    bool idle = true;
    twin_status result = TWIN_OK;
    if ((pinned->flags & TWIN_STREAM_PASSIVE) == 0)
        result = twin_device_note(pinned->device, twin_ops()->queue.query(pinned->queue, &idle));
    if (result == TWIN_OK)
        *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    else
        code = twin_fail_status(result, TWIN_CODE_STREAM_TIMEOUT, "stream %u of device %u",
                                pinned->id, pinned->device->id);
    twin_stream_unpin(pinned);
    return TWIN_LEAVE(code);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    TWIN_ENTER(LOCAL);
    if (!priority)
        return TWIN_LEAVE(twin_api_null("priority"));
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    *priority = pinned->priority;
    twin_stream_unpin(pinned);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    TWIN_ENTER(LOCAL);
    if (!flags)
        return TWIN_LEAVE(twin_api_null("flags"));
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_current(twin_api_handle(stream), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    *flags = pinned->is_default ? TWIN_STREAM_FAST_LAUNCH | TWIN_STREAM_FAST_SYNC : pinned->flags;
    twin_stream_unpin(pinned);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    TWIN_ENTER(LOCAL);
    if (!streamId)
        return TWIN_LEAVE(twin_api_null("streamId"));
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
    if (!streamCount)
        return TWIN_LEAVE(twin_api_null("streamCount"));
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return TWIN_LEAVE(code);
    *streamCount = twin_device_streams_left(context->device);
    twin_context_unpin(context);
    return TWIN_LEAVE(ACL_SUCCESS);
}
