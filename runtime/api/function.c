/* SPDX-License-Identifier: Apache-2.0 */
/* What a function of a kernel image is. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/binary.h"
#include "core/context.h"
#include "core/device_area.h"
#include "core/image.h"

static bool is_cpu(const twin_function *function)
{
    return function->kernel->type == TWIN_KERNEL_AICPU;
}

/* The other outputs are untouched when the call fails. */
static int32_t function_address(twin_function *function, void **aic, void **aiv)
{
    if (is_cpu(function))
        return twin_fail(TWIN_ERR_PARAM, "a CPU kernel has no address on the AI cores");
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    uint64_t image = 0;
    code = twin_binary_place(function->binary, context->device, &image);
    twin_context_unpin(context);
    if (code != 0)
        return code;
    const twin_kernel_code *codes = function->kernel->code;
    *aic = codes[TWIN_HALF_CUBE].present ? twin_api_pointer(image + codes[TWIN_HALF_CUBE].offset)
                                         : NULL;
    *aiv = codes[TWIN_HALF_VECTOR].present
               ? twin_api_pointer(image + codes[TWIN_HALF_VECTOR].offset)
               : NULL;
    return 0;
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    TWIN_ENTER(LOCAL);
    if (!funcHandle || !aicAddr || !aivAddr)
        return TWIN_LEAVE(twin_api_null(!funcHandle ? "funcHandle"
                                        : !aicAddr  ? "aicAddr"
                                                    : "aivAddr"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(funcHandle), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    code = function_address(function, aicAddr, aivAddr);
    twin_function_unpin(function);
    return TWIN_LEAVE(code);
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
    TWIN_ENTER(LOCAL);
    if (!funcHandle || !aicSize || !aivSize)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM_NULL, "%s is NULL",
                                    !funcHandle ? "funcHandle"
                                    : !aicSize  ? "aicSize"
                                                : "aivSize"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(funcHandle), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    *aicSize = function->kernel->code[TWIN_HALF_CUBE].bytes;
    *aivSize = function->kernel->code[TWIN_HALF_VECTOR].bytes;
    twin_function_unpin(function);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    TWIN_ENTER(LOCAL);
    if (!funcHandle || !name)
        return TWIN_LEAVE(twin_api_null(!funcHandle ? "funcHandle" : "name"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(funcHandle), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    const size_t bytes = strlen(function->kernel->name) + 1;
    if (maxLen < bytes)
        code = twin_fail(TWIN_ERR_PARAM, "maxLen is %u; the name of the kernel needs %zu bytes",
                         maxLen, bytes);
    else
        memcpy(name, function->kernel->name, bytes);
    twin_function_unpin(function);
    return TWIN_LEAVE(code);
}

static int32_t function_attribute(const twin_kernel *kernel, aclrtFuncAttribute which,
                                  int64_t *value)
{
    switch (which) {
    case ACL_FUNC_ATTR_KERNEL_TYPE:
        *value = kernel->type;
        return 0;
    case ACL_FUNC_ATTR_KERNEL_RATIO:
        if (kernel->type == TWIN_KERNEL_AICPU)
            return twin_fail(TWIN_ERR_PARAM, "a CPU kernel has no ratio of blocks");
        *value = (int64_t)kernel->cube_ratio << 16 | kernel->vector_ratio;
        return 0;
    case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
        *value = kernel->batch;
        return 0;
    default:
        return twin_fail(TWIN_ERR_PARAM, "%d is no attribute of a function; there are 1, 2 and 3",
                         (int)which);
    }
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
                                   int64_t *attrValue)
{
    TWIN_ENTER(LOCAL);
    if (!funcHandle || !attrValue)
        return TWIN_LEAVE(twin_api_null(!funcHandle ? "funcHandle" : "attrValue"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(funcHandle), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    code = function_attribute(function->kernel, attrType, attrValue);
    twin_function_unpin(function);
    return TWIN_LEAVE(code);
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    TWIN_ENTER(LOCAL);
    if (!funcHandle || !binHandle)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM_NULL, "%s is NULL", !funcHandle ? "funcHandle" : "binHandle"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(funcHandle), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    *binHandle = twin_api_pointer(function->binary_handle);
    twin_function_unpin(function);
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* The kernel says what its parameters are. */
static int32_t check_params(const twin_kernel *kernel)
{
    if (kernel->type == TWIN_KERNEL_AICPU)
        return twin_fail(TWIN_ERR_UNSUPPORTED, "a CPU kernel does not tell its parameters");
    if (!kernel->has_params)
        return twin_fail(TWIN_ERR_PARAM,
                         "kernel \"%s\" has no list of its parameters in its metadata",
                         kernel->name);
    return 0;
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
    TWIN_ENTER(LOCAL);
    if (!func || !paramCount)
        return TWIN_LEAVE(twin_api_null(!func ? "func" : "paramCount"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(func), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    code = check_params(function->kernel);
    if (code == 0)
        *paramCount = function->kernel->param_count;
    twin_function_unpin(function);
    return TWIN_LEAVE(code);
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize)
{
    TWIN_ENTER(LOCAL);
    if (!func || (!paramOffset && !paramSize))
        return TWIN_LEAVE(twin_api_null(!func ? "func" : "paramOffset and paramSize"));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(func), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    const twin_kernel *kernel = function->kernel;
    code = check_params(kernel);
    if (code == 0 && paramIndex >= kernel->param_count)
        code = twin_fail(TWIN_ERR_PARAM, "paramIndex is %zu; kernel \"%s\" has %u parameters",
                         paramIndex, kernel->name, kernel->param_count);
    if (code == 0 && paramOffset)
        *paramOffset = kernel->params[paramIndex].offset;
    if (code == 0 && paramSize)
        *paramSize = kernel->params[paramIndex].bytes;
    twin_function_unpin(function);
    return TWIN_LEAVE(code);
}

/* Only kernels of the SIMT parts have a share of the buffer that a launch chooses. */
aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
    TWIN_ENTER(LOCAL);
    if (!func || !dynamicUbufSize)
        return TWIN_LEAVE(twin_api_null(!func ? "func" : "dynamicUbufSize"));
    if (flags != 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#x; it is reserved and must be 0", flags));
    twin_function *function = NULL;
    int32_t code = twin_function_pin(twin_api_handle(func), &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    *dynamicUbufSize = 0;
    twin_function_unpin(function);
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* Programs register such symbols through the compiler's start-up code, which this library has no part in: none is. */
aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    TWIN_ENTER(LOCAL);
    if (!symbol || !funcHandle)
        return TWIN_LEAVE(twin_api_null(!symbol ? "symbol" : "funcHandle"));
    return TWIN_LEAVE(twin_fail(TWIN_ERR_NO_KERNEL_SYMBOL,
                                "%p was not registered as the symbol of a kernel", symbol));
}

aclError aclrtGetHardwareSyncAddr(void **addr)
{
    TWIN_ENTER(LOCAL);
    if (!addr)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM_NULL, "addr is NULL; it must be a place for an "
                                                         "address"));
    twin_context *context = NULL;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return TWIN_LEAVE(code);
    uint64_t address = 0;
    code = twin_device_sync_address(context->device, &address);
    twin_context_unpin(context);
    if (code == 0)
        *addr = twin_api_pointer(address);
    return TWIN_LEAVE(code);
}
