/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/conditional.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/capture/capture.h"

aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
                                  aclmdlRICondHandleFlag flag, aclmdlRICondHandle *handle)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRICondHandleCreate);
    TWIN_NOT_NULL(modelRI, handle);
    int32_t code = twin_instance_guard(twin_api_handle(modelRI));
    if (code == 0 && (uint32_t)flag > ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT)
        code = twin_fail(TWIN_ERR_PARAM,
                         "flag is %d; it must be 0 or ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT (1)",
                         (int)flag);
    uint64_t made = 0;
    if (code == 0)
        code = twin_capture_condition(twin_api_handle(modelRI), defaultLaunchValue,
                                      flag == ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &made);
    return TWIN_LEAVE(twin_api_give(code, &made, handle));
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRICondHandleGetCondPtr);
    TWIN_NOT_NULL(handle, ptr);
    uint64_t address = 0;
    const int32_t code = twin_conditional_word(twin_api_handle(handle), &address);
    if (code == 0)
        *ptr = twin_api_pointer(address);
    return TWIN_LEAVE(code);
}

static int32_t check_params(const aclmdlRICondTaskParams *params, uint32_t flags)
{
    if ((uint32_t)params->type > ACL_MODEL_RI_COND_TYPE_SWITCH)
        return twin_fail(TWIN_ERR_PARAM,
                         "type is %d; it must be ACL_MODEL_RI_COND_TYPE_IF (0), _WHILE (1) or "
                         "_SWITCH (2)",
                         (int)params->type);
    if (flags != 0)
        return twin_fail(TWIN_ERR_PARAM, "flags is %#x; it is reserved and 0", flags);
    if (!params->handle || !params->modelRIArray)
        return twin_fail(TWIN_ERR_PARAM_NULL, "%s is NULL",
                         params->handle ? "params.modelRIArray" : "params.handle");
    return 0;
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRIAddCondTask);
    TWIN_NOT_NULL(stream);
    int32_t code = params.handle ? twin_conditional_guard(twin_api_handle(params.handle)) : 0;
    if (code == 0)
        code = twin_stream_guard(twin_api_handle(stream));
    if (code == 0)
        code = check_params(&params, flags);
    const twin_capture_choice choice = {.condition = twin_api_handle(params.handle),
                                        .type = (uint32_t)params.type,
                                        .count = params.size};
    if (code == 0)
        code = twin_capture_choose(twin_api_handle(stream), &choice, params.modelRIArray);
    return TWIN_LEAVE(code);
}
