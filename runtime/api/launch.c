/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels. */
#include "api/launch_config.h"

#include "api/entry.h"
#include "core/work/kernel_args.h"

#define US_PER_S 1000000u

/* By the calls whose outer layer looks at it. */
static int32_t refuse_no_blocks(void)
{
    return twin_fail(TWIN_ERR_ARG_VALUE, "numBlocks is 0; it must be 1 or more");
}

static int32_t refuse_no_bytes(void)
{
    return twin_fail(TWIN_ERR_PARAM, "argsSize is 0; it must be at least 1");
}

static int32_t refuse_switch(const char *name, unsigned value)
{
    return twin_fail(TWIN_ERR_PARAM, "attribute %s is %u; it is 0 or 1", name, value);
}

/* Unknown attributes are skipped, as in the catalogue. */
static int32_t take_attribute(const aclrtLaunchKernelAttr *attr, twin_launch_config *out,
                              unsigned *timeouts)
{
    switch (attr->id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
        if (attr->value.schemMode > 1)
            return refuse_switch("SCHEM_MODE", attr->value.schemMode);
        out->schedule_given = true;
        out->batch = attr->value.schemMode == 1;
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
        out->guarded = attr->value.isBlockTaskPrefetch == 1;
        return attr->value.isBlockTaskPrefetch > 1
                   ? refuse_switch("BLOCK_TASK_PREFETCH", attr->value.isBlockTaskPrefetch)
                   : 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
        out->dump = attr->value.isDataDump == 1;
        return attr->value.isDataDump > 1 ? refuse_switch("DATA_DUMP", attr->value.isDataDump) : 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
        return attr->value.enableProfiling > 1
                   ? refuse_switch("ENABLE_PROFILING", attr->value.enableProfiling)
                   : 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
        ++*timeouts;
        out->timeout_given = true;
        out->timeout_us = (uint64_t)attr->value.timeout * US_PER_S;
        return 0;
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
        ++*timeouts;
        out->timeout_given = true;
        out->timeout_us =
            (uint64_t)attr->value.timeoutUs.timeoutHigh << 32 | attr->value.timeoutUs.timeoutLow;
        return 0;
    default:
        return 0;
    }
}

int32_t twin_api_launch_config(const aclrtLaunchKernelCfg *cfg, twin_launch_config *out)
{
    *out = (twin_launch_config){0};
    if (!cfg)
        return 0;
    if (!cfg->attrs)
        return twin_fail(TWIN_ERR_PARAM_NULL,
                         "cfg->attrs is NULL; without attributes give NULL for cfg");
    unsigned timeouts = 0;
    int32_t code = 0;
    for (size_t i = 0; i < cfg->numAttrs && code == 0; i++)
        code = take_attribute(&cfg->attrs[i], out, &timeouts);
    if (code == 0 && timeouts > 1)
        code = twin_fail(TWIN_ERR_PARAM_RELATION,
                         "TIMEOUT and TIMEOUT_US are given together; give one of them");
    return code;
}

static int32_t launch(void *function, uint32_t blocks, const aclrtLaunchKernelCfg *cfg,
                      const twin_launch_args *args, aclrtStream stream)
{
    twin_launch_config config;
    const int32_t code = twin_api_launch_config(cfg, &config);
    return code != 0 ? code
                     : twin_launch_kernel(twin_api_handle(function), blocks, &config, args,
                                          twin_api_handle(stream));
}

static int32_t launch_in_place(void *function, uint32_t blocks, const void *data, size_t bytes,
                               const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    if (!function || !data)
        return twin_api_null(!function ? "funcHandle" : "argsData");
    if (bytes == 0)
        return refuse_no_bytes();
    const twin_launch_args args = {.device = twin_api_handle(data), .bytes = bytes};
    return launch(function, blocks, cfg, &args, stream);
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                           size_t argsSize, aclrtStream stream)
{
    TWIN_ENTER(LAUNCH);
    return TWIN_LEAVE(launch_in_place(funcHandle, numBlocks, argsData, argsSize, NULL, stream));
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                             size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
    TWIN_ENTER(LAUNCH);
    /* A bad handle is reported before wrong arguments. */
    const int32_t code =
        argsData && argsSize != 0 ? 0 : twin_function_guard(twin_api_handle(funcHandle));
    return TWIN_LEAVE(
        code != 0 ? code : launch_in_place(funcHandle, numBlocks, argsData, argsSize, cfg, stream));
}

static int32_t launch_list(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream,
                           const aclrtLaunchKernelCfg *cfg, void *handle)
{
    twin_kernel_args *list = NULL;
    int32_t code = twin_args_find(handle, &list);
    if (code != 0)
        return code;
    if (!list->finalized)
        return twin_fail(TWIN_ERR_PARAM,
                         "the list of arguments is not finalized; call aclrtKernelArgsFinalize");
    twin_code_place places[TWIN_ARGS_MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->args[i].placeholder)
            places[count++] = (twin_code_place){list->args[i].offset, list->args[i].data_offset};
    const twin_launch_args args = {
        .host = list->values, .bytes = list->used, .places = places, .place_count = count};
    return launch(function, blocks, cfg, &args, stream);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                     aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                     aclrtArgsHandle argsHandle, void *reserve)
{
    TWIN_ENTER(LAUNCH);
    TWIN_NOT_NULL(funcHandle, argsHandle);
    if (numBlocks == 0)
        return TWIN_LEAVE(refuse_no_blocks());
    if (reserve)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "reserve must be NULL"));
    return TWIN_LEAVE(launch_list(funcHandle, numBlocks, stream, cfg, argsHandle));
}

_Static_assert(sizeof(twin_code_place) == sizeof(aclrtPlaceHolderInfo), "one layout");

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                       aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                       void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolderArray,
                                       size_t placeHolderNum)
{
    TWIN_ENTER(LAUNCH);
    const int32_t code =
        hostArgs && argsSize != 0 ? 0 : twin_function_guard(twin_api_handle(funcHandle));
    if (code != 0)
        return TWIN_LEAVE(code);
    TWIN_NOT_NULL(funcHandle, hostArgs);
    if (argsSize == 0)
        return TWIN_LEAVE(refuse_no_bytes());
    if (placeHolderNum != 0 && !placeHolderArray)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM_NULL,
                                    "placeHolderArray is NULL, and placeHolderNum is %zu",
                                    placeHolderNum));
    const twin_launch_args args = {.host = hostArgs,
                                   .bytes = argsSize,
                                   .places =
                                       (const twin_code_place *)(const void *)placeHolderArray,
                                   .place_count = placeHolderNum};
    return TWIN_LEAVE(launch(funcHandle, numBlocks, cfg, &args, stream));
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
                                        aclrtLaunchKernelCfg *cfg, void **args)
{
    TWIN_ENTER(LAUNCH);
    TWIN_NOT_NULL(func);
    if (numBlocks == 0)
        return TWIN_LEAVE(refuse_no_blocks());
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(func), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    static void *const none[1];
    code = twin_args_check(function->kernel, args);
    const twin_launch_args all = {.values = args ? args : none,
                                  .bytes = (size_t)function->kernel->param_bytes};
    twin_function_unpin(function);
    return TWIN_LEAVE(code != 0 ? code : launch(func, numBlocks, cfg, &all, stream));
}
