/* SPDX-License-Identifier: Apache-2.0 */
/* Failure mode, attributes, and taking back the work of a stream. */
#include "core/work/stream_control.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/context.h"
#include "core/work/abort.h"

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

/* Sets one of the plain numbers of a stream. */
static int32_t set_number(aclrtStream stream, size_t offset, uint32_t value)
{
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_own(twin_api_handle(stream), &pinned);
    if (code != 0)
        return code;
    _Atomic uint32_t *number = (void *)((char *)pinned + offset);
    atomic_store_explicit(number, value, memory_order_relaxed);
    twin_stream_unpin(pinned);
    return 0;
}

static int32_t get_number(aclrtStream stream, size_t offset, uint32_t *out_value)
{
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin(twin_api_handle(stream), &pinned);
    if (code != 0)
        return code;
    const _Atomic uint32_t *number = (const void *)((const char *)pinned + offset);
    *out_value = atomic_load_explicit(number, memory_order_relaxed);
    twin_stream_unpin(pinned);
    return 0;
}

/* `error` refuses a flag: the two ways to set it differ there. */
static int32_t set_overflow(aclrtStream stream, uint32_t flag, twin_error error)
{
    if (flag > SWITCH_MOST)
        return refuse_switch(error, "the overflow switch", flag);
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin_own(twin_api_handle(stream), &pinned);
    if (code != 0)
        return code;
    atomic_store_explicit(&pinned->overflow_switch, flag, memory_order_relaxed);
    atomic_store_explicit(&pinned->overflows_hidden, flag == 0, memory_order_relaxed);
    twin_stream_unpin(pinned);
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
    if (!flag)
        return TWIN_LEAVE(twin_api_null("flag"));
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

/* Whether a stream that is not the current context's has the value already, which is then no change (CTX-24). */
static bool is_no_change(aclrtStream stream, aclrtStreamAttr attribute,
                         const aclrtStreamAttrValue *value)
{
    twin_stream *pinned = twin_handle_pin(&twin_streams, twin_api_handle(stream));
    if (!pinned)
        return false;
    bool same = false;
    switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        same = atomic_load_explicit(&pinned->stops, memory_order_relaxed) ==
               (value->failureMode == TWIN_STOP_ON_FAILURE);
        break;
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        same = pinned->overflow_switch == value->overflowSwitch;
        break;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        same = pinned->custom_tag == value->userCustomTag;
        break;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        same = pinned->cache_info == value->cacheOpInfoSwitch;
        break;
    case ACL_STREAM_ATTR_PRIORITY:
        same = pinned->priority == value->streamPriority;
        break;
    }
    same = same && twin_stream_context_handle(pinned) != twin_self.context;
    twin_stream_unpin(pinned);
    return same;
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value)
{
    TWIN_ENTER(SUBMIT);
    if (!value)
        return TWIN_LEAVE(twin_api_null("value"));
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
        return TWIN_LEAVE(
            set_number(stream, offsetof(twin_stream, custom_tag), value->userCustomTag));
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        if (value->cacheOpInfoSwitch > SWITCH_MOST)
            return TWIN_LEAVE(refuse_switch(TWIN_ERR_PARAM, "the switch for operator information",
                                            value->cacheOpInfoSwitch));
        return TWIN_LEAVE(
            set_number(stream, offsetof(twin_stream, cache_info), value->cacheOpInfoSwitch));
    case ACL_STREAM_ATTR_PRIORITY:
        return TWIN_LEAVE(twin_stream_set_priority(twin_api_handle(stream), value->streamPriority));
    }
    return TWIN_LEAVE(refuse_attribute(stmAttrType));
}

static int32_t get_failure_mode(aclrtStream stream, uint64_t *out_mode)
{
    twin_stream *pinned = NULL;
    int32_t code = twin_stream_pin(twin_api_handle(stream), &pinned);
    if (code != 0)
        return code;
    *out_mode = atomic_load_explicit(&pinned->stops, memory_order_relaxed)
                    ? TWIN_STOP_ON_FAILURE
                    : TWIN_CONTINUE_ON_FAILURE;
    twin_stream_unpin(pinned);
    return 0;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value)
{
    TWIN_ENTER(LOCAL);
    if (!value)
        return TWIN_LEAVE(twin_api_null("value"));
    switch (stmAttrType) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        return TWIN_LEAVE(get_failure_mode(stream, &value->failureMode));
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        return TWIN_LEAVE(
            get_number(stream, offsetof(twin_stream, overflow_switch), &value->overflowSwitch));
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        return TWIN_LEAVE(
            get_number(stream, offsetof(twin_stream, custom_tag), &value->userCustomTag));
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        return TWIN_LEAVE(
            get_number(stream, offsetof(twin_stream, cache_info), &value->cacheOpInfoSwitch));
    case ACL_STREAM_ATTR_PRIORITY:
        return TWIN_LEAVE(
            get_number(stream, offsetof(twin_stream, priority), &value->streamPriority));
    }
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
    if (!taskId)
        return TWIN_LEAVE(twin_api_null("taskId"));
    *taskId = twin_call_last_task();
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* What a capture keeps of a task for profiling. */
aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr, const size_t infoSize)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtCacheLastTaskOpInfo);
    if (!infoPtr)
        return TWIN_LEAVE(twin_api_null("infoPtr"));
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
                                "keeps what is said about it"));
}
