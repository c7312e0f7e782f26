/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of arguments for launches. */
#include "core/work/kernel_args.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

/* The outer layer knows a size of 0 as well as a NULL. */
static int32_t refuse_size(const char *name)
{
    return twin_fail(TWIN_ERR_ARG_VALUE, "%s is 0; it must be more", name);
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(funcHandle, argsHandle);
    twin_kernel_args *args = NULL;
    int32_t code = twin_args_begin(twin_api_handle(funcHandle), &args);
    if (code == 0)
        *argsHandle = args;
    return TWIN_LEAVE(code);
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
                                      void *userHostMem, size_t actualArgsSize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(funcHandle, argsHandle, userHostMem);
    if (actualArgsSize == 0)
        return TWIN_LEAVE(refuse_size("actualArgsSize"));
    return TWIN_LEAVE(
        twin_args_begin_at(twin_api_handle(funcHandle), argsHandle, userHostMem, actualArgsSize));
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(funcHandle, memSize);
    size_t unused = 0;
    int32_t code = twin_args_room(twin_api_handle(funcHandle), 0, &unused);
    if (code == 0)
        *memSize = sizeof(twin_kernel_args);
    return TWIN_LEAVE(code);
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
                                   size_t *actualArgsSize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(funcHandle, actualArgsSize);
    return TWIN_LEAVE(twin_args_room(twin_api_handle(funcHandle), userArgsSize, actualArgsSize));
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                               aclrtParamHandle *paramHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(argsHandle, param, paramHandle);
    if (paramSize == 0)
        return TWIN_LEAVE(refuse_size("paramSize"));
    twin_kernel_args *args = NULL;
    twin_arg *arg = NULL;
    int32_t code = twin_args_find(argsHandle, &args);
    if (code == 0)
        code = twin_args_append(args, param, paramSize, &arg);
    if (code == 0)
        *paramHandle = arg;
    return TWIN_LEAVE(code);
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(argsHandle, paramHandle);
    twin_kernel_args *args = NULL;
    twin_arg *arg = NULL;
    int32_t code = twin_args_find(argsHandle, &args);
    if (code == 0)
        code = twin_args_placeholder(args, &arg);
    if (code == 0)
        *paramHandle = arg;
    return TWIN_LEAVE(code);
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(argsHandle, paramHandle, bufferAddr);
    if (dataSize == 0)
        return TWIN_LEAVE(refuse_size("dataSize"));
    twin_kernel_args *args = NULL;
    int32_t code = twin_args_find(argsHandle, &args);
    if (code == 0)
        code = twin_args_data(args, paramHandle, dataSize, bufferAddr);
    return TWIN_LEAVE(code);
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                   void *param, size_t paramSize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(argsHandle, paramHandle, param);
    if (paramSize == 0)
        return TWIN_LEAVE(refuse_size("paramSize"));
    twin_kernel_args *args = NULL;
    int32_t code = twin_args_find(argsHandle, &args);
    if (code == 0)
        code = twin_args_update(args, paramHandle, param, paramSize);
    return TWIN_LEAVE(code);
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(argsHandle);
    twin_kernel_args *args = NULL;
    int32_t code = twin_args_find(argsHandle, &args);
    return TWIN_LEAVE(code != 0 ? code : twin_args_finalize(args));
}
