/* SPDX-License-Identifier: Apache-2.0 */
#include "core/capture/capture.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/model_instance/task_group.h"

/* A value outside of the enumeration is refused by the runtime layer. 107000. */
static int32_t check_mode(aclmdlRICaptureMode mode)
{
    return (uint32_t)mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED
               ? 0
               : twin_fail(TWIN_ERR_PARAM,
                           "mode is %d; it must be ACL_MODEL_RI_CAPTURE_MODE_GLOBAL (0), "
                           "_THREAD_LOCAL (1) or _RELAXED (2)",
                           (int)mode);
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRICaptureBegin);
    TWIN_NOT_NULL(stream);
    int32_t code = twin_stream_guard(twin_api_handle(stream));
    if (code == 0)
        code = check_mode(mode);
    if (code == 0)
        code = twin_capture_begin(twin_api_handle(stream), (twin_capture_mode)mode);
    return TWIN_LEAVE(code);
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
                                       aclmdlRICaptureMode mode)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRICaptureToModelRIBegin);
    TWIN_NOT_NULL(stream, modelRI);
    int32_t code = twin_instance_guard(twin_api_handle(modelRI));
    if (code == 0)
        code = twin_stream_guard(twin_api_handle(stream));
    if (code == 0)
        code = check_mode(mode);
    if (code == 0)
        code = twin_capture_begin_graph(twin_api_handle(stream), twin_api_handle(modelRI),
                                        (twin_capture_mode)mode);
    return TWIN_LEAVE(code);
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRICaptureEnd);
    TWIN_NOT_NULL(stream);
    uint64_t instance = 0;
    bool graph = false;
    const int32_t code =
        twin_capture_end(twin_api_handle(stream), modelRI != NULL, &instance, &graph);
    if (modelRI && (code == 0 || !graph))
        *modelRI = twin_api_pointer(instance);
    return TWIN_LEAVE(code);
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status,
                                aclmdlRI *modelRI)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRICaptureGetInfo);
    TWIN_NOT_NULL(stream);
    if (!status && !modelRI)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_NULL, "status and modelRI are NULL; at least one is needed"));
    twin_capture_status found = TWIN_CAPTURE_NONE;
    uint64_t instance = 0;
    const int32_t code = twin_capture_look(twin_api_handle(stream), &found, &instance);
    if (code == 0 && status)
        *status = (aclmdlRICaptureStatus)found;
    if (code == 0 && modelRI)
        *modelRI = twin_api_pointer(instance);
    return TWIN_LEAVE(code);
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRICaptureThreadExchangeMode);
    TWIN_NOT_NULL(mode);
    int32_t code = check_mode(*mode);
    twin_capture_mode own = (twin_capture_mode)*mode;
    if (code == 0)
        code = twin_capture_mode_exchange(&own);
    if (code == 0)
        *mode = (aclmdlRICaptureMode)own;
    return TWIN_LEAVE(code);
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRICaptureTaskGrpBegin);
    TWIN_NOT_NULL(stream);
    return TWIN_LEAVE(twin_capture_group_begin(twin_api_handle(stream)));
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRICaptureTaskGrpEnd);
    TWIN_NOT_NULL(stream, handle);
    uint64_t group = 0;
    const int32_t code = twin_capture_group_end(twin_api_handle(stream), &group);
    *handle = twin_api_pointer(group);
    return TWIN_LEAVE(code);
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclmdlRICaptureTaskUpdateBegin);
    TWIN_NOT_NULL(stream, handle);
    return TWIN_LEAVE(twin_group_update_begin(twin_api_handle(stream), twin_api_handle(handle)));
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclmdlRICaptureTaskUpdateEnd);
    TWIN_NOT_NULL(stream);
    return TWIN_LEAVE(twin_group_update_end(twin_api_handle(stream)));
}
