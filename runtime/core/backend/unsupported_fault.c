/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/unsupported_fault.h"

twin_status twin_unsupported_memory_errors(twin_hw_device *device, twin_memory_error *list,
                                           size_t room, size_t *out_count)
{
    (void)device;
    (void)list;
    (void)room;
    (void)out_count;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_memory_repair(twin_hw_device *device, uint64_t address, uint64_t bytes)
{
    (void)device;
    (void)address;
    (void)bytes;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_fault_plant(const twin_fault *fault, uint32_t *out_number)
{
    (void)fault;
    (void)out_number;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_fault_remove(uint32_t number)
{
    (void)number;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_fault_struck(uint32_t number, uint64_t *out_times)
{
    (void)number;
    (void)out_times;
    return TWIN_E_UNSUPPORTED;
}
