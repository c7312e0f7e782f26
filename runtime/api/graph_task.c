/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of model instances: looking at them and changing them. */
#include "core/model_instance/instance_task.h"

#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/launch_config.h"
#include "core/model_instance/model_instance.h"

#define RELATIONS 4u /* with the values of twin_relation */
#define US_PER_S  1000000u

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks, uint32_t *numTasks)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRIGetTasksByStream);
    TWIN_NOT_NULL_BELOW(stream, numTasks);
    return TWIN_LEAVE(twin_instance_task_list(twin_api_handle(stream), tasks, numTasks));
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRITaskGetType);
    TWIN_NOT_NULL_BELOW(task, type);
    twin_instance_task_kind kind = TWIN_SHOWN_OTHER;
    const int32_t code = twin_instance_task_get_kind(twin_api_handle(task), &kind);
    if (code == 0)
        *type = (aclmdlRITaskType)kind;
    return TWIN_LEAVE(code);
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRITaskGetSeqId);
    TWIN_NOT_NULL_BELOW(task, id);
    return TWIN_LEAVE(twin_instance_task_get_number(twin_api_handle(task), id));
}

static void show_kernel(const twin_instance_task_view *view, aclmdlRITaskParams *params)
{
    const twin_launch_view *launch = &view->launch;
    params->taskGrp = twin_api_pointer(view->group);
    params->kernelTaskParams = (aclmdlRIKernelTaskParams){
        .funcHandle = twin_api_pointer(launch->function),
        .args = (void *)(uintptr_t)launch->args,
        .isHostArgs = launch->on_host,
        .argsSize = launch->args_bytes,
        .numBlocks = launch->blocks,
    };
}

static void show(const twin_instance_task_view *view, aclmdlRITaskParams *params)
{
    void *event = twin_api_pointer(view->event);
    void *address = twin_api_pointer(view->value.address);
    memset(params, 0, sizeof(*params));
    params->type = (aclmdlRITaskType)view->kind;
    switch (params->type) {
    case ACL_MODEL_RI_TASK_KERNEL:
        show_kernel(view, params);
        break;
    case ACL_MODEL_RI_TASK_EVENT_RECORD:
        params->eventRecordTaskParams =
            (aclmdlRIEventRecordTaskParams){.event = event, .eventFlag = view->event_flags};
        break;
    case ACL_MODEL_RI_TASK_EVENT_WAIT:
        params->eventWaitTaskParams =
            (aclmdlRIEventWaitTaskParams){.event = event, .eventFlag = view->event_flags};
        break;
    case ACL_MODEL_RI_TASK_EVENT_RESET:
        params->eventResetTaskParams =
            (aclmdlRIEventResetTaskParams){.event = event, .eventFlag = view->event_flags};
        break;
    case ACL_MODEL_RI_TASK_VALUE_WRITE:
        params->valueWriteTaskParams =
            (aclmdlRIValueWriteTaskParams){.devAddr = address, .value = view->value.value};
        break;
    default:
        params->valueWaitTaskParams = (aclmdlRIValueWaitTaskParams){
            .devAddr = address, .value = view->value.value, .flag = (uint32_t)view->value.relation};
        break;
    }
}

aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRITaskGetParams);
    TWIN_NOT_NULL_BELOW(task, params);
    twin_instance_task_view view;
    const int32_t code = twin_instance_task_look(twin_api_handle(task), true, &view);
    if (code == 0)
        show(&view, params);
    return TWIN_LEAVE(code);
}

static int32_t show_attribute(const twin_launch_view *launch, aclrtLaunchKernelAttrId id,
                              aclrtLaunchKernelAttrValue *value)
{
    switch (id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
        value->schemMode = launch->batch ? 1 : 0;
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
        value->dynUBufSize = 0;
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
        value->isDataDump = launch->dump ? 1 : 0;
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
        value->timeout = (uint16_t)(launch->timeout_us / US_PER_S);
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
        value->timeoutUs.timeoutLow = (uint32_t)launch->timeout_us;
        value->timeoutUs.timeoutHigh = (uint32_t)(launch->timeout_us >> 32);
        return 0;
    default:
        return twin_fail(TWIN_ERR_PARAM,
                         "attrId is %d; SCHEM_MODE, DYN_UBUF_SIZE, DATA_DUMP, TIMEOUT and "
                         "TIMEOUT_US can be asked for",
                         (int)id);
    }
}

aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task, aclrtLaunchKernelAttrId attrId,
                                        aclrtLaunchKernelAttrValue *attrValue)
{
    TWIN_ENTER_BY_PART(LOCAL, aclmdlRIKernelTaskGetAttribute);
    TWIN_NOT_NULL(task, attrValue);
    twin_instance_task_view view;
    int32_t code = twin_instance_task_look(twin_api_handle(task), false, &view);
    if (code == 0 && view.kind != TWIN_SHOWN_KERNEL)
        code = twin_fail(TWIN_ERR_PARAM, "the task is no kernel; see aclmdlRITaskGetType");
    return TWIN_LEAVE(code != 0 ? code : show_attribute(&view.launch, attrId, attrValue));
}

/* Change --------------------------------------------------------------------------------------- */

static int32_t set_kernel(uint64_t task, const aclmdlRITaskParams *params)
{
    const aclmdlRIKernelTaskParams *kernel = &params->kernelTaskParams;
    int32_t code = 0;
    twin_launch_config config;
    if (!kernel->funcHandle)
        code = twin_api_null_below("params->kernelTaskParams.funcHandle");
    else if (!kernel->args)
        code = twin_api_null_below("params->kernelTaskParams.args");
    else if (kernel->argsSize == 0)
        code = twin_fail(TWIN_ERR_PARAM, "params->kernelTaskParams.argsSize is 0; it must be at "
                                         "least 1");
    else
        code = twin_api_launch_config(kernel->cfg, &config);
    if (code != 0)
        return twin_instance_task_refuse(task, code);
    twin_launch_args args = {.bytes = kernel->argsSize};
    if (kernel->isHostArgs != 0)
        args.host = kernel->args;
    else
        args.device = twin_api_handle(kernel->args);
    return twin_instance_task_set_kernel(task, twin_api_handle(kernel->funcHandle),
                                         kernel->numBlocks, &config, &args);
}

static int32_t set_value(uint64_t task, const aclmdlRITaskParams *params)
{
    const bool writes = params->type == ACL_MODEL_RI_TASK_VALUE_WRITE;
    const aclmdlRIValueWriteTaskParams *write = &params->valueWriteTaskParams;
    const aclmdlRIValueWaitTaskParams *wait = &params->valueWaitTaskParams;
    if (params->opInfoPtr || params->opInfoSize != 0)
        return twin_instance_task_refuse(
            task, twin_fail(TWIN_ERR_PARAM, "params->opInfoPtr and opInfoSize are of kernels; "
                                            "they must be NULL and 0"));
    if (!writes && wait->flag >= RELATIONS)
        return twin_instance_task_refuse(
            task, twin_fail(TWIN_ERR_PARAM, "params->valueWaitTaskParams.flag is %u; it is 0 to 3",
                            wait->flag));
    const twin_value_wait value = {.address =
                                       twin_api_handle(writes ? write->devAddr : wait->devAddr),
                                   .value = writes ? write->value : wait->value,
                                   .relation = writes ? TWIN_VALUE_GEQ : (twin_relation)wait->flag};
    return twin_instance_task_set_value(task, writes ? TWIN_TASK_WRITE_VALUE : TWIN_TASK_WAIT_VALUE,
                                        value);
}

static int32_t set(uint64_t task, const aclmdlRITaskParams *params)
{
    if (params->taskGrp)
        return twin_instance_task_refuse(task,
                                         twin_fail(TWIN_ERR_PARAM, "params->taskGrp must be NULL"));
    switch (params->type) {
    case ACL_MODEL_RI_TASK_KERNEL:
        return set_kernel(task, params);
    case ACL_MODEL_RI_TASK_VALUE_WRITE:
    case ACL_MODEL_RI_TASK_VALUE_WAIT:
        return set_value(task, params);
    default:
        return twin_instance_task_refuse(
            task, twin_fail(TWIN_ERR_PARAM,
                            "params->type is %d; ACL_MODEL_RI_TASK_KERNEL (1), _VALUE_WRITE (5) "
                            "and _VALUE_WAIT (6) can be set",
                            (int)params->type));
    }
}

aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRITaskSetParams);
    TWIN_NOT_NULL_BELOW(task, params);
    return TWIN_LEAVE(set(twin_api_handle(task), params));
}

aclError aclmdlRITaskDisable(aclmdlRITask task)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRITaskDisable);
    TWIN_NOT_NULL_BELOW(task);
    return TWIN_LEAVE(twin_instance_task_disable(twin_api_handle(task)));
}

aclError aclmdlRIUpdate(aclmdlRI modelRI)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRIUpdate);
    TWIN_NOT_NULL_BELOW(modelRI);
    return TWIN_LEAVE(twin_instance_update(twin_api_handle(modelRI)));
}

/* Print ---------------------------------------------------------------------------------------- */

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRIDebugPrint);
    TWIN_NOT_NULL(modelRI);
    return TWIN_LEAVE(twin_instance_print(twin_api_handle(modelRI)));
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclmdlRIDebugJsonPrint);
    TWIN_NOT_NULL(modelRI, path);
    if (flags > ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "flags is %u; it is ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY (0) or "
                                    "_VERBOSE (1)",
                                    flags));
    return TWIN_LEAVE(twin_instance_print_json(twin_api_handle(modelRI), path,
                                               flags == ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE));
}

/* Tasks that change tasks ---------------------------------------------------------------------- */

static int32_t check_update_info(const aclrtTaskUpdateInfo *info)
{
    const aclrtAicAivTaskUpdateAttr *kernel = &info->val.aicAivTaskAttr;
    const aclrtRandomTaskUpdateAttr *random = &info->val.randomTaskAttr;
    switch (info->id) {
    case ACL_RT_UPDATE_RANDOM_TASK:
        if (!random->srcAddr)
            return twin_api_null_below("info->val.randomTaskAttr.srcAddr");
        return random->size == sizeof(aclrtRandomNumTaskInfo)
                   ? 0
                   : twin_fail(TWIN_ERR_PARAM_RELATION,
                               "info->val.randomTaskAttr.size is %zu; it must be that of "
                               "aclrtRandomNumTaskInfo, %zu",
                               random->size, sizeof(aclrtRandomNumTaskInfo));
    case ACL_RT_UPDATE_AIC_AIV_TASK:
        return kernel->binHandle && kernel->funcEntryAddr && kernel->blockDimAddr
                   ? 0
                   : twin_api_null_below("a member of info->val.aicAivTaskAttr");
    default:
        return twin_fail(TWIN_ERR_PARAM,
                         "info->id is %d; it is ACL_RT_UPDATE_RANDOM_TASK (1) or "
                         "ACL_RT_UPDATE_AIC_AIV_TASK (2)",
                         (int)info->id);
    }
}

/* The stream that is to change a task of another one. */
static int32_t check_updating_stream(uint64_t stream_handle)
{
    TWIN_PINNED(stream, stream);
    int32_t code = twin_stream_pin_own(stream_handle, &stream);
    if (code == 0 && twin_stream_is_bound(stream))
        code =
            twin_fail(TWIN_ERR_PARAM_RELATION,
                      "stream %u is bound to a model instance and cannot change tasks", stream->id);
    return code == 0 ? twin_stream_check_not_captured(stream) : code;
}

aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo *info,
                              aclrtStream execStream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtTaskUpdateAsync);
    TWIN_NOT_NULL(info);
    TWIN_NOT_NULL_BELOW(taskStream);
    (void)taskId;
    TWIN_PINNED(stream, stream);
    int32_t code = check_update_info(info);
    if (code == 0)
        code = twin_stream_pin(twin_api_handle(taskStream), &stream);
    if (code == 0)
        code = check_updating_stream(twin_api_handle(execStream));
    if (code == 0)
        code = twin_stream_check_not_captured(stream);
    if (code == 0)
        code = twin_fail(TWIN_ERR_UNSUPPORTED, "%s", TWIN_WHY_TASK_UPDATE);
    return TWIN_LEAVE(code);
}
