/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks for failed tasks and what they can ask, and reports of memory errors. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/callback/exception_callback.h"
#include "core/image/binary.h"
#include "core/inject/fault_injection.h"

/* What the getters give when there is nothing to read from. */
#define NO_EXCEPTION UINT32_MAX

static int32_t refuse_callback(void)
{
    return twin_fail(TWIN_ERR_PARAM_NULL, "callback is NULL; it must be a function");
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(callback ? twin_failure_listen(callback) : refuse_callback());
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    TWIN_ENTER(LOCAL);
    if (!callback)
        return TWIN_LEAVE(refuse_callback());
    twin_failure_unlisten(callback);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    TWIN_ENTER(LOCAL);
    twin_failure_set_listener(callback);
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* The contents of `info`. False, with a message: it is NULL, or its callback has returned, or it
 * never was one. */
static bool read_exception(const aclrtExceptionInfo *info, aclrtExceptionInfo *out)
{
    if (!info)
        (void)twin_api_null("info");
    else if (!twin_failure_read(info, out))
        (void)twin_fail(
            TWIN_ERR_ARG_VALUE,
            "info is not what a callback is being given; it is valid until its callback "
            "returns");
    else
        return true;
    return false;
}

/* The same for the getters: NO_EXCEPTION on failure. */
static aclrtExceptionInfo read_or_none(const aclrtExceptionInfo *info)
{
    aclrtExceptionInfo known = {.task_id = NO_EXCEPTION,
                                .stream_id = NO_EXCEPTION,
                                .thread_id = NO_EXCEPTION,
                                .device_id = NO_EXCEPTION,
                                .code = NO_EXCEPTION};
    (void)read_exception(info, &known);
    return known;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    TWIN_ENTER_HOST(LOCAL);
    return (uint32_t)TWIN_LEAVE((int32_t)read_or_none(info).task_id);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    TWIN_ENTER_HOST(LOCAL);
    return (uint32_t)TWIN_LEAVE((int32_t)read_or_none(info).stream_id);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    TWIN_ENTER_HOST(LOCAL);
    return (uint32_t)TWIN_LEAVE((int32_t)read_or_none(info).thread_id);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    TWIN_ENTER_HOST(LOCAL);
    return (uint32_t)TWIN_LEAVE((int32_t)read_or_none(info).device_id);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    TWIN_ENTER_HOST(LOCAL);
    return (uint32_t)TWIN_LEAVE((int32_t)read_or_none(info).code);
}

static void refuse_kernel_question(const aclrtExceptionInfo *known, const char *what)
{
    (void)twin_fail(TWIN_ERR_PARAM, "task %u of stream %u is not a kernel and has no %s",
                    known->task_id, known->stream_id, what);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr,
                                       uint32_t *devArgsLen)
{
    TWIN_ENTER(LOCAL);
    aclrtExceptionInfo known;
    if (!read_exception(info, &known))
        return TWIN_LEAVE((int32_t)NO_EXCEPTION);
    TWIN_NOT_NULL(devArgsPtr, devArgsLen);
    if (!known.kernel) {
        refuse_kernel_question(&known, "arguments");
        return TWIN_LEAVE((int32_t)NO_EXCEPTION);
    }
    *devArgsPtr = twin_api_pointer(known.args);
    *devArgsLen = known.args_bytes;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
    TWIN_ENTER(LOCAL);
    aclrtExceptionInfo known;
    if (!read_exception(info, &known))
        return TWIN_LEAVE((int32_t)NO_EXCEPTION);
    TWIN_NOT_NULL(func);
    *func = NULL;
    if (!known.kernel) {
        refuse_kernel_question(&known, "function");
        return TWIN_LEAVE(ACL_ERROR_RT_PARAM_INVALID);
    }
    twin_function *function = NULL; /* dead when the program has unloaded its binary */
    const int32_t code = twin_function_pin(known.function, &function);
    if (code != 0)
        return TWIN_LEAVE(code);
    twin_function_unpin(function);
    *func = twin_api_pointer(known.function);
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
                                         aclrtOpExceptionCallback callback, void *userData)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(binHandle, callback);
    twin_binary *binary = NULL;
    const int32_t code = twin_binary_pin(twin_api_handle(binHandle), &binary);
    if (code != 0)
        return TWIN_LEAVE(code);
    twin_binary_listen(binary, (twin_binary_listener){.function = callback, .user = userData});
    twin_binary_unpin(binary);
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* ---- faults of memory and links -------------------------------------------------------------- */

/* As many as one question gives. */
#define ERRORS_MOST 128

static aclrtMemUceInfo public_error(const twin_memory_error *error)
{
    return (aclrtMemUceInfo){.addr = twin_api_pointer(error->address), .len = error->bytes};
}

/* The errors of memory, or of links. *out_others: there are some of the other kind. */
static int32_t read_errors(twin_device *device, bool link, twin_memory_error list[ERRORS_MOST],
                           size_t *out_count, bool *out_others)
{
    size_t count = 0;
    int32_t code = twin_memory_errors(device, list, ERRORS_MOST, &count);
    if (code != 0)
        return code;
    if (count > ERRORS_MOST)
        count = ERRORS_MOST;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].link == link)
            list[kept++] = list[i];
    *out_count = kept;
    *out_others = kept < count;
    return 0;
}

/* Repairs all errors of one kind. */
static int32_t repair_all(twin_device *device, bool link, size_t *out_count)
{
    twin_memory_error errors[ERRORS_MOST];
    bool others = false;
    *out_count = 0;
    int32_t code = read_errors(device, link, errors, out_count, &others);
    for (size_t i = 0; i < *out_count && code == 0; i++)
        code = twin_memory_repair(device, errors[i].address, errors[i].bytes);
    return code;
}

static int32_t find_device(int32_t id, twin_device **out_device, bool *out_up)
{
    int32_t code = twin_device_find(id, out_device);
    if (code != 0)
        return code;
    TWIN_LOCKED(&(*out_device)->lock);
    *out_up = (*out_device)->state == TWIN_DEVICE_UP;
    return 0;
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
    TWIN_ENTER_BY_PART(POLL, aclrtGetErrorVerbose);
    TWIN_NOT_NULL(errorInfo);
    twin_device *device = NULL;
    bool up = false;
    int32_t code = find_device(deviceId, &device, &up);
    if (code != 0)
        return TWIN_LEAVE(code);
    memset(errorInfo, 0, sizeof(*errorInfo));
    twin_memory_error errors[ERRORS_MOST];
    size_t count = 0;
    bool links = false;
    code = read_errors(device, false, errors, &count, &links);
    if (code != 0)
        return TWIN_LEAVE(code);
    bool faulted = up && atomic_load_explicit(&device->faulted, memory_order_relaxed);
    errorInfo->errorType = count > 0          ? ACL_RT_ERROR_MEMORY
                           : faulted || links ? ACL_RT_ERROR_OTHERS
                                              : ACL_RT_NO_ERROR;
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    aclrtMemUceInfoArray *detail = &errorInfo->detail.uceInfo;
    errorInfo->tryRepair = 1;
    errorInfo->hasDetail = 1;
    size_t first = count > ACL_RT_MEM_UCE_INFO_MAX_NUM ? count - ACL_RT_MEM_UCE_INFO_MAX_NUM : 0;
    for (size_t i = first; i < count; i++)
        detail->memUceInfoArray[detail->arraySize++] = public_error(&errors[i]);
    return TWIN_LEAVE(ACL_SUCCESS);
}

static int32_t repair_list(twin_device *device, const aclrtMemUceInfo *list, size_t count)
{
    int32_t code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = twin_memory_repair(device, twin_api_handle(list[i].addr), list[i].len);
    return code;
}

/* The ranges that the program hands back, or without them all there are. */
static int32_t repair_named(twin_device *device, const aclrtErrorInfo *info)
{
    const aclrtMemUceInfoArray *detail = &info->detail.uceInfo;
    if (info->hasDetail && detail->arraySize > ACL_RT_MEM_UCE_INFO_MAX_NUM)
        return twin_fail(TWIN_ERR_PARAM, "detail.uceInfo.arraySize is %zu; it must be %d at most",
                         detail->arraySize, ACL_RT_MEM_UCE_INFO_MAX_NUM);
    if (info->hasDetail && detail->arraySize > 0)
        return repair_list(device, detail->memUceInfoArray, detail->arraySize);
    size_t count = 0;
    const int32_t code = repair_all(device, false, &count);
    return code != 0 || count > 0
               ? code
               : twin_fail(TWIN_ERR_PARAM, "device %u has no memory error that could be repaired",
                           device->id);
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo)
{
    TWIN_ENTER_BY_PART(POLL, aclrtRepairError);
    TWIN_NOT_NULL(errorInfo);
    if (errorInfo->tryRepair == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "tryRepair is 0; nothing can be repaired"));
    if (errorInfo->errorType != ACL_RT_NO_ERROR && errorInfo->errorType != ACL_RT_ERROR_MEMORY)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "errorType is %d; only errors of memory can be repaired",
                                    (int)errorInfo->errorType));
    twin_device *device = NULL;
    bool up = false;
    int32_t code = find_device(deviceId, &device, &up);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (!up)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_SETUP, "device %d is not set", deviceId));
    if (errorInfo->errorType == ACL_RT_ERROR_MEMORY)
        return TWIN_LEAVE(repair_named(device, errorInfo));
    atomic_store_explicit(&device->faulted, false, memory_order_relaxed);
    size_t links = 0;
    return TWIN_LEAVE(repair_all(device, true, &links));
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize,
                            size_t *retSize)
{
    TWIN_ENTER_BY_PART(POLL, aclrtGetMemUceInfo);
    TWIN_NOT_NULL(memUceInfoArray, retSize);
    twin_device *device = NULL;
    bool up = false;
    int32_t code = find_device(deviceId, &device, &up);
    twin_memory_error errors[ERRORS_MOST];
    size_t count = 0;
    bool links = false;
    if (code == 0)
        code = read_errors(device, false, errors, &count, &links);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (count > arraySize)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "arraySize is %zu, and device %d has %zu errors of memory",
                                    arraySize, deviceId, count));
    for (size_t i = 0; i < count; i++)
        memUceInfoArray[i] = public_error(&errors[i]);
    *retSize = count;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize)
{
    TWIN_ENTER_BY_PART(POLL, aclrtMemUceRepair);
    TWIN_NOT_NULL(memUceInfoArray);
    if (arraySize > MAX_MEM_UCE_INFO_ARRAY_SIZE)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "arraySize is %zu; it must be %d at most",
                                    arraySize, MAX_MEM_UCE_INFO_ARRAY_SIZE));
    for (size_t i = 0; i < arraySize; i++)
        for (size_t k = 0; k < UCE_INFO_RESERVED_SIZE; k++)
            if (memUceInfoArray[i].reserved[k] != 0)
                return TWIN_LEAVE(
                    twin_fail(TWIN_ERR_ARG_VALUE, "memUceInfoArray[%zu].reserved must be 0", i));
    twin_device *device = NULL;
    bool up = false;
    int32_t code = find_device(deviceId, &device, &up);
    return TWIN_LEAVE(code == 0 ? repair_list(device, memUceInfoArray, arraySize) : code);
}
