/* SPDX-License-Identifier: Apache-2.0 */
/* Failure mode, attributes, and taking back the work of a stream. */
#include "core/work/stream_control.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/context.h"

#define SWITCH_MOST 1u          /* switches are 0 or 1 */
#define INFO_MOST   (64u << 10) /* bytes about a task */

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    TWIN_ENTER(SUBMIT);
    return TWIN_LEAVE(twin_stream_set_failure_mode(twin_api_handle(stream), mode));
}

static int32_t refuse_switch(twin_error error, const char *name, uint32_t value)
{
    return twin_fail(error, "%s is %u; it must be 0 or 1", name, value);
}

/* One of the plain numbers of a stream. In an aclrtStreamAttrValue all of them are in the same
 * place. */
static _Atomic uint32_t *number_at(twin_stream *stream, size_t offset)
{
    return (void *)((char *)stream + offset);
}

static int32_t set_number(aclrtStream stream, size_t offset, uint32_t value)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin_own(twin_api_handle(stream), &pinned);
    if (code == 0 && offset == offsetof(twin_stream, custom_tag))
        code = twin_stream_check_not_captured(pinned);
    if (code == 0)
        atomic_store_explicit(number_at(pinned, offset), value, memory_order_relaxed);
    return code;
}

static int32_t get_number(aclrtStream stream, size_t offset, uint32_t *out_value)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin(twin_api_handle(stream), &pinned);
    if (code == 0)
        *out_value = atomic_load_explicit(number_at(pinned, offset), memory_order_relaxed);
    return code;
}

/* `error` refuses a flag: the two ways to set it differ there. */
static int32_t set_overflow(aclrtStream stream, uint32_t flag, twin_error error)
{
    if (flag > SWITCH_MOST)
        return refuse_switch(error, "the overflow switch", flag);
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin_own(twin_api_handle(stream), &pinned);
    if (code == 0)
        code = twin_stream_check_not_captured(pinned);
    if (code != 0)
        return code;
    atomic_store_explicit(&pinned->overflow_switch, flag, memory_order_relaxed);
    atomic_store_explicit(&pinned->overflows_hidden, flag == 0, memory_order_relaxed);
    return 0;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtSetStreamOverflowSwitch);
    return TWIN_LEAVE(set_overflow(stream, flag, TWIN_ERR_ARG_VALUE));
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtGetStreamOverflowSwitch);
    TWIN_NOT_NULL(flag);
    twin_context *context = NULL;
    int32_t code = twin_stream_check_own(twin_api_handle(stream), &context);
    return TWIN_LEAVE(code != 0 ? code
                                : get_number(stream, offsetof(twin_stream, overflow_switch), flag));
}

static int32_t refuse_attribute(aclrtStreamAttr attribute)
{
    return twin_fail(TWIN_ERR_PARAM, "stmAttrType is %d; it must be one of ACL_STREAM_ATTR_*",
                     (int)attribute);
}

/* Where a stream keeps an attribute that is a plain number; 0: any other. */
static size_t offset_of(aclrtStreamAttr attribute)
{
    switch (attribute) {
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        return offsetof(twin_stream, overflow_switch);
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        return offsetof(twin_stream, custom_tag);
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        return offsetof(twin_stream, cache_info);
    case ACL_STREAM_ATTR_PRIORITY:
        return offsetof(twin_stream, priority);
    default:
        return 0;
    }
}

/* Whether a stream of another context than the current one has the value already, so that setting
 * it is allowed (CTX-24). */
static bool is_no_change(aclrtStream stream, aclrtStreamAttr attribute,
                         const aclrtStreamAttrValue *value)
{
    TWIN_PINNED(stream, pinned);
    pinned = twin_handle_pin(&twin_streams, twin_api_handle(stream));
    if (!pinned || twin_stream_context_handle(pinned) == twin_self.context)
        return false;
    if (attribute == ACL_STREAM_ATTR_FAILURE_MODE)
        return atomic_load_explicit(&pinned->stops, memory_order_relaxed) ==
               (value->failureMode == TWIN_STOP_ON_FAILURE);
    const size_t offset = offset_of(attribute);
    return offset != 0 && *number_at(pinned, offset) == value->userCustomTag;
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(value);
    int32_t code = twin_stream_check_named(twin_api_handle(stream));
    if (code != 0 || is_no_change(stream, stmAttrType, value))
        return TWIN_LEAVE(code);
    switch (stmAttrType) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        return TWIN_LEAVE(
            twin_stream_set_failure_mode(twin_api_handle(stream), value->failureMode));
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        return TWIN_LEAVE(set_overflow(stream, value->overflowSwitch, TWIN_ERR_PARAM));
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        return TWIN_LEAVE(set_number(stream, offset_of(stmAttrType), value->userCustomTag));
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        if (value->cacheOpInfoSwitch > SWITCH_MOST)
            return TWIN_LEAVE(refuse_switch(TWIN_ERR_PARAM, "the switch for operator information",
                                            value->cacheOpInfoSwitch));
        return TWIN_LEAVE(set_number(stream, offset_of(stmAttrType), value->cacheOpInfoSwitch));
    case ACL_STREAM_ATTR_PRIORITY:
        return TWIN_LEAVE(twin_stream_set_priority(twin_api_handle(stream), value->streamPriority));
    }
    return TWIN_LEAVE(refuse_attribute(stmAttrType));
}

static int32_t get_failure_mode(aclrtStream stream, uint64_t *out_mode)
{
    TWIN_PINNED(stream, pinned);
    int32_t code = twin_stream_pin(twin_api_handle(stream), &pinned);
    if (code == 0)
        *out_mode = atomic_load_explicit(&pinned->stops, memory_order_relaxed)
                        ? TWIN_STOP_ON_FAILURE
                        : TWIN_CONTINUE_ON_FAILURE;
    return code;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE)
        return TWIN_LEAVE(get_failure_mode(stream, &value->failureMode));
    if (offset_of(stmAttrType) != 0)
        return TWIN_LEAVE(get_number(stream, offset_of(stmAttrType), &value->userCustomTag));
    return TWIN_LEAVE(refuse_attribute(stmAttrType));
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtStreamAbort);
    return TWIN_LEAVE(twin_stream_abort(twin_api_handle(stream)));
}

aclError aclrtStreamStop(aclrtStream stream)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtStreamStop);
    return TWIN_LEAVE(twin_stream_stop(twin_api_handle(stream)));
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    TWIN_ENTER_BY_PART(WAIT, aclrtDeviceTaskAbort);
    return TWIN_LEAVE(twin_device_abort(deviceId, timeout));
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(taskId);
    *taskId = twin_call_last_task();
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* What a capture keeps of a task for profiling. */
aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtCacheLastTaskOpInfo);
    TWIN_NOT_NULL(infoPtr);
    if (infoSize == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "infoSize is 0; it must be more"));
    if (infoSize > INFO_MOST)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "infoSize is %zu; it must be %u at most",
                                    infoSize, INFO_MOST));
    twin_context *context = NULL;
    const int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return TWIN_LEAVE(code);
    twin_context_unpin(context);
    return TWIN_LEAVE(twin_fail(TWIN_ERR_INTERNAL,
                                "the thread's last task is not one of a capture; only such a task "
                                "keeps its operator information"));
}
