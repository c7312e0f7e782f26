/* SPDX-License-Identifier: Apache-2.0 */
#include "core/inject/fault_injection.h"

#include <stdio.h>

#include "core/backend/error.h"
#include "core/backend/fault_file.h"
#include "core/backend/ops.h"
#include "core/backend/registry.h"
#include "core/base/alloc.h"

#define MESSAGE_BYTES 1400

int32_t twin_fault_inject(const twin_fault *fault, uint32_t *out_number)
{
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    return twin_fail_status(twin_ops()->fault.inject(fault, out_number), TWIN_CODE_STREAM_TIMEOUT,
                            "the fault cannot be injected");
}

int32_t twin_fault_remove(uint32_t number)
{
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    return twin_fail_status(twin_ops()->fault.remove(number), TWIN_CODE_STREAM_TIMEOUT,
                            "no fault %u is injected", number);
}

int32_t twin_fault_triggered(uint32_t number, uint64_t *out_times)
{
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    return twin_fail_status(twin_ops()->fault.triggered(number, out_times),
                            TWIN_CODE_STREAM_TIMEOUT, "no fault %u is injected", number);
}

int32_t twin_fault_load(const char *path)
{
    char message[MESSAGE_BYTES] = "";
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    twin_status status = twin_fault_file_load(twin_ops(), path, message, sizeof(message));
    if (status == TWIN_E_UNAVAILABLE)
        return twin_fail(TWIN_ERR_INVALID_FILE, "%s", message);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%s", message);
}

int32_t twin_memory_errors(twin_device *device, twin_memory_error *list, size_t room,
                           size_t *out_count)
{
    *out_count = 0;
    twin_lock_take(&device->lock);
    twin_status status = TWIN_OK;
    if (device->state == TWIN_DEVICE_UP)
        status = twin_ops()->memory.errors(device->hw, list, room, out_count);
    twin_lock_drop(&device->lock);
    if (status == TWIN_E_UNSUPPORTED)
        return 0;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u", device->id);
}

int32_t twin_memory_repair(twin_device *device, uint64_t address, uint64_t bytes)
{
    twin_status status = TWIN_E_INVALID;
    twin_lock_take(&device->lock);
    if (device->state == TWIN_DEVICE_UP)
        status = twin_ops()->memory.repair(device->hw, address, bytes);
    twin_lock_drop(&device->lock);
    if (status == TWIN_E_INVALID || status == TWIN_E_UNSUPPORTED)
        return twin_fail(TWIN_ERR_PARAM, "device %u has no error of memory at 0x%llx (%llu bytes)",
                         device->id, (unsigned long long)address, (unsigned long long)bytes);
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u", device->id);
}
