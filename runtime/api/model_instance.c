/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/model_instance.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

/* Build ---------------------------------------------------------------------------------------- */

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(modelRI);
    if (flag != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "flag is %#x; it is reserved and 0", flag));
    uint64_t handle = 0;
    return TWIN_LEAVE(twin_api_give(twin_instance_create(&handle), &handle, modelRI));
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(modelRI);
    if (flag != TWIN_INSTANCE_HEAD && flag != TWIN_INSTANCE_WAITS)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flag is %#x; it is ACL_MODEL_STREAM_FLAG_HEAD (0) or "
                                    "ACL_MODEL_STREAM_FLAG_DEFAULT (0x7fffffff)",
                                    flag));
    TWIN_NOT_NULL_BELOW(stream);
    return TWIN_LEAVE(twin_instance_bind(twin_api_handle(modelRI), twin_api_handle(stream),
                                         flag == TWIN_INSTANCE_HEAD));
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL(modelRI);
    return TWIN_LEAVE(twin_instance_unbind(twin_api_handle(modelRI), twin_api_handle(stream)));
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(modelRI);
    return TWIN_LEAVE(twin_instance_end(twin_api_handle(modelRI), twin_api_handle(stream)));
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(modelRI);
    if (reserve)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "reserve is reserved and NULL"));
    return TWIN_LEAVE(twin_instance_build(twin_api_handle(modelRI)));
}

aclError aclrtPersistentTaskClean(aclrtStream stream)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtPersistentTaskClean);
    TWIN_NOT_NULL_BELOW(stream);
    return TWIN_LEAVE(twin_instance_clean(twin_api_handle(stream)));
}

/* Switches ------------------------------------------------------------------------------------- */

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtActiveStream);
    TWIN_NOT_NULL(activeStream, stream);
    return TWIN_LEAVE(
        twin_instance_activate(twin_api_handle(activeStream), twin_api_handle(stream)));
}

aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond, void *rightValue,
                           aclrtCompareDataType dataType, aclrtStream trueStream,
                           aclrtStream falseStream, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtSwitchStream);
    TWIN_NOT_NULL(leftValue, rightValue, trueStream, stream);
    if (falseStream)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "falseStream is reserved and NULL"));
    if ((uint32_t)cond > ACL_RT_LESS_OR_EQUAL)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "cond is %d, no aclrtCondition", (int)cond));
    if ((uint32_t)dataType > ACL_RT_SWITCH_INT64)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "dataType is %d, no aclrtCompareDataType", (int)dataType));
    const twin_branch branch = {.condition = (twin_condition)cond,
                                .left = twin_api_handle(leftValue),
                                .right = twin_api_handle(rightValue),
                                .wide = dataType == ACL_RT_SWITCH_INT64};
    return TWIN_LEAVE(
        twin_instance_branch(&branch, twin_api_handle(trueStream), twin_api_handle(stream)));
}

/* Run ------------------------------------------------------------------------------------------ */

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclmdlRIExecuteAsync);
    TWIN_NOT_NULL(modelRI);
    return TWIN_LEAVE(
        twin_instance_execute_async(twin_api_handle(modelRI), twin_api_handle(stream)));
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL(modelRI);
    uint64_t timeout_ns = 0;
    int32_t code = twin_instance_guard(twin_api_handle(modelRI));
    if (code == 0)
        code = twin_api_timeout(timeout, &timeout_ns);
    return TWIN_LEAVE(code != 0 ? code
                                : twin_instance_execute(twin_api_handle(modelRI), timeout_ns));
}

aclError aclmdlRIAbort(aclmdlRI modelRI)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL_BELOW(modelRI);
    return TWIN_LEAVE(twin_instance_abort(twin_api_handle(modelRI)));
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    TWIN_ENTER(WAIT);
    TWIN_NOT_NULL(modelRI);
    return TWIN_LEAVE(twin_instance_destroy(twin_api_handle(modelRI)));
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func, void *userData)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(modelRI, func);
    return TWIN_LEAVE(twin_instance_add_farewell(twin_api_handle(modelRI), func, userData));
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(modelRI, func);
    return TWIN_LEAVE(twin_instance_drop_farewell(twin_api_handle(modelRI), func));
}

/* Names ---------------------------------------------------------------------------------------- */

aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(modelRI, name);
    return TWIN_LEAVE(twin_instance_set_name(twin_api_handle(modelRI), name));
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(modelRI, name);
    if (maxLen == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "maxLen is 0"));
    return TWIN_LEAVE(twin_instance_get_name(twin_api_handle(modelRI), name, maxLen));
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRIGetId);
    TWIN_NOT_NULL(modelRI, modelRIId);
    return TWIN_LEAVE(twin_instance_get_id(twin_api_handle(modelRI), modelRIId));
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams, uint32_t *numStreams)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRIGetStreams);
    TWIN_NOT_NULL_BELOW(modelRI, numStreams);
    return TWIN_LEAVE(twin_instance_get_streams(twin_api_handle(modelRI), streams, numStreams));
}
