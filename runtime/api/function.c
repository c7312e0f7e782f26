/* SPDX-License-Identifier: Apache-2.0 */
/* What a function of a kernel image is. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/image/binary.h"
#include "core/image/image.h"
#include "core/object/context.h"
#include "core/object/device_area.h"
#include "core/work/kernel_args.h"

/* Asks a live function something; the answer goes into `out`. */
typedef int32_t function_question(twin_function *function, void *out);

static int32_t ask(const void *handle, function_question *question, void *out)
{
    TWIN_PINNED(function, function);
    int32_t code = twin_function_pin(twin_api_handle(handle), &function);
    return code != 0 ? code : question(function, out);
}

static bool is_cpu(const twin_function *function)
{
    return function->kernel->type == TWIN_KERNEL_AICPU;
}

typedef struct addresses {
    void *aic, *aiv;
} addresses;

static int32_t addresses_of(twin_function *function, void *out)
{
    addresses *found = out;
    if (is_cpu(function))
        return twin_fail(TWIN_ERR_PARAM, "a CPU kernel has no address on the AI cores");
    TWIN_PINNED(context, context);
    uint64_t image = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_binary_place(function->binary, context->device, &image);
    if (code != 0)
        return code;
    const twin_kernel_code *codes = function->kernel->code;
    for (unsigned half = 0; half < TWIN_HALF_COUNT; half++) {
        void **place = half == TWIN_HALF_CUBE ? &found->aic : &found->aiv;
        *place = codes[half].present ? twin_api_pointer(image + codes[half].offset) : NULL;
    }
    return 0;
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(funcHandle, aicAddr, aivAddr);
    addresses found;
    const int32_t code = ask(funcHandle, addresses_of, &found);
    if (code == 0) {
        *aicAddr = found.aic;
        *aivAddr = found.aiv;
    }
    return TWIN_LEAVE(code);
}

typedef struct sizes {
    size_t aic, aiv;
} sizes;

static int32_t sizes_of(twin_function *function, void *out)
{
    *(sizes *)out = (sizes){.aic = function->kernel->code[TWIN_HALF_CUBE].bytes,
                            .aiv = function->kernel->code[TWIN_HALF_VECTOR].bytes};
    return 0;
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtGetFunctionSize);
    const int32_t live = twin_function_guard(twin_api_handle(funcHandle));
    if (live != 0)
        return TWIN_LEAVE(live);
    TWIN_NOT_NULL_BELOW(funcHandle, aicSize, aivSize);
    sizes found;
    const int32_t code = ask(funcHandle, sizes_of, &found);
    if (code == 0) {
        *aicSize = found.aic;
        *aivSize = found.aiv;
    }
    return TWIN_LEAVE(code);
}

typedef struct name_room {
    char *at;
    uint32_t bytes;
} name_room;

static int32_t name_of(twin_function *function, void *out)
{
    const name_room *room = out;
    const size_t bytes = strlen(function->kernel->name) + 1;
    if (room->bytes < bytes)
        return twin_fail(TWIN_ERR_PARAM, "maxLen is %u; the name of the kernel needs %zu bytes",
                         room->bytes, bytes);
    memcpy(room->at, function->kernel->name, bytes);
    return 0;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(name);
    TWIN_NOT_NULL_BELOW(funcHandle);
    return TWIN_LEAVE(ask(funcHandle, name_of, &(name_room){.at = name, .bytes = maxLen}));
}

typedef struct attribute {
    aclrtFuncAttribute which;
    int64_t *value;
} attribute;

/* Two 16-bit numbers in the low 4 bytes, the vector's share first; the other bytes stay as they
 * are. The main half of a mixed kernel has the share 1. Kernels of one half alone have a share only
 * where their cores wait for each other. */
static void ratio_of(const twin_kernel *kernel, int64_t *value)
{
    uint16_t shares[TWIN_HALF_COUNT] = {0, 0};
    if (kernel->cube_ratio != 0 && kernel->vector_ratio != 0) {
        const uint16_t larger =
            kernel->cube_ratio > kernel->vector_ratio ? kernel->cube_ratio : kernel->vector_ratio;
        shares[TWIN_HALF_CUBE] = kernel->main == TWIN_HALF_CUBE ? 1 : larger;
        shares[TWIN_HALF_VECTOR] = kernel->main == TWIN_HALF_VECTOR ? 1 : larger;
    } else if (kernel->cross_core) {
        shares[kernel->type == TWIN_KERNEL_VECTOR ? TWIN_HALF_VECTOR : TWIN_HALF_CUBE] = 1;
    }
    const uint16_t parts[2] = {shares[TWIN_HALF_VECTOR], shares[TWIN_HALF_CUBE]};
    memcpy(value, parts, sizeof(parts));
}

static int32_t attribute_of(twin_function *function, void *out)
{
    const attribute *wanted = out;
    const twin_kernel *kernel = function->kernel;
    int64_t *value = wanted->value;
    switch (wanted->which) {
    case ACL_FUNC_ATTR_KERNEL_TYPE:
        *value = kernel->type;
        return 0;
    case ACL_FUNC_ATTR_KERNEL_RATIO:
        if (kernel->type == TWIN_KERNEL_AICPU)
            return twin_fail(TWIN_ERR_PARAM, "a CPU kernel has no ratio of blocks");
        ratio_of(kernel, value);
        return 0;
    case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
        *value = kernel->batch;
        return 0;
    default:
        return twin_fail(TWIN_ERR_PARAM, "attribute %d is invalid; expected 1, 2 or 3",
                         (int)wanted->which);
    }
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
                                   int64_t *attrValue)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(funcHandle, attrValue);
    return TWIN_LEAVE(
        ask(funcHandle, attribute_of, &(attribute){.which = attrType, .value = attrValue}));
}

static int32_t binary_of(twin_function *function, void *out)
{
    *(aclrtBinHandle *)out = twin_api_pointer(function->binary_handle);
    return 0;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
    TWIN_ENTER(LOCAL);
    const int32_t live = twin_function_guard(twin_api_handle(funcHandle));
    if (live != 0)
        return TWIN_LEAVE(live);
    TWIN_NOT_NULL_BELOW(funcHandle, binHandle);
    return TWIN_LEAVE(ask(funcHandle, binary_of, binHandle));
}

static int32_t param_count_of(twin_function *function, void *out)
{
    const int32_t code = twin_kernel_check_params(function->kernel);
    if (code == 0)
        *(size_t *)out = function->kernel->param_count;
    return code;
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(func, paramCount);
    return TWIN_LEAVE(ask(func, param_count_of, paramCount));
}

typedef struct param_place {
    size_t index;
    size_t *offset, *bytes; /* one may be NULL */
} param_place;

static int32_t param_of(twin_function *function, void *out)
{
    const param_place *wanted = out;
    const twin_kernel *kernel = function->kernel;
    const int32_t code = twin_kernel_check_params(kernel);
    if (code != 0)
        return code;
    if (wanted->index >= kernel->param_count)
        return twin_fail(TWIN_ERR_PARAM, "paramIndex is %zu; kernel \"%s\" has %u parameters",
                         wanted->index, kernel->name, kernel->param_count);
    if (wanted->offset)
        *wanted->offset = kernel->params[wanted->index].offset;
    if (wanted->bytes)
        *wanted->bytes = kernel->params[wanted->index].bytes;
    return 0;
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize)
{
    TWIN_ENTER(LOCAL);
    if (!func || (!paramOffset && !paramSize))
        return TWIN_LEAVE(twin_api_null(!func ? "func" : "paramOffset and paramSize"));
    return TWIN_LEAVE(
        ask(func, param_of,
            &(param_place){.index = paramIndex, .offset = paramOffset, .bytes = paramSize}));
}

/* Only kernels of the SIMT parts have a share of the buffer that a launch chooses. */
static int32_t no_share(twin_function *function, void *out)
{
    (void)function;
    *(size_t *)out = 0;
    return 0;
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(func, dynamicUbufSize);
    if (flags != 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#x; it is reserved and must be 0", flags));
    return TWIN_LEAVE(ask(func, no_share, dynamicUbufSize));
}

/* Programs register such symbols through the compiler's start-up code, which this library has no
 * part in: none is. */
aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtGetFuncBySymbol);
    TWIN_NOT_NULL(symbol, funcHandle);
    return TWIN_LEAVE(twin_fail(TWIN_ERR_NO_KERNEL_SYMBOL,
                                "%p was not registered as the symbol of a kernel", symbol));
}

aclError aclrtGetHardwareSyncAddr(void **addr)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtGetHardwareSyncAddr);
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
