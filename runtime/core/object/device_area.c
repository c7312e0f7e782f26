/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/device_area.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"

#define SYNC_BYTES 4096u

twin_status twin_device_alloc(twin_device *device, uint64_t bytes, const char *what,
                              uint64_t *out_address)
{
    const twin_allocation allocation = {
        .bytes = bytes, .module = TWIN_MODULE_RUNTIME, .what = what};
    return twin_device_note(device, twin_ops()->memory.alloc(device->hw, &allocation, out_address));
}

int32_t twin_device_area(twin_device *device, _Atomic uint64_t *slot, uint64_t bytes,
                         const char *what, uint64_t *out_address)
{
    const struct twin_backend *ops = twin_ops();
    uint64_t address = atomic_load_explicit(slot, memory_order_acquire);
    if (address != 0) {
        *out_address = address;
        return 0;
    }
    twin_status status = twin_device_alloc(device, bytes, what, &address);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "device %u has no room for its %s", device->id, what);
    const twin_fill fill = {.dst = address, .bytes = bytes, .value = 0};
    status = twin_device_note(device, ops->memory.fill(device->hw, &fill));
    if (status != TWIN_OK) {
        ops->memory.free(address);
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT,
                                "the %s of device %u cannot be cleared", what, device->id);
    }
    uint64_t present = 0;
    if (!atomic_compare_exchange_strong_explicit(slot, &present, address, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        ops->memory.free(address); /* another thread was faster */
        address = present;
    }
    *out_address = address;
    return 0;
}

static void free_slot(_Atomic uint64_t *slot)
{
    const uint64_t address = atomic_exchange_explicit(slot, 0, memory_order_acq_rel);
    if (address != 0)
        twin_ops()->memory.free(address);
}

void twin_device_areas_free(twin_device *device)
{
    free_slot(&device->overflow);
    free_slot(&device->sync);
}

int32_t twin_device_sync_address(twin_device *device, uint64_t *out_address)
{
    return twin_device_area(device, &device->sync, SYNC_BYTES, "memory of core synchronisation",
                            out_address);
}
