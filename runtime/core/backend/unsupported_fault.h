/* SPDX-License-Identifier: Apache-2.0 */
/* The stubs of the ops about faults, for the table in unsupported_ops.c. */
#ifndef TWINRT_CORE_BACKEND_UNSUPPORTED_FAULT_H
#define TWINRT_CORE_BACKEND_UNSUPPORTED_FAULT_H

#include "seam/backend.h"

twin_status twin_unsupported_memory_errors(twin_hw_device *device, twin_memory_error *list,
                                           size_t room, size_t *out_count);
twin_status twin_unsupported_memory_repair(twin_hw_device *device, uint64_t address,
                                           uint64_t bytes);
twin_status twin_unsupported_fault_plant(const twin_fault *fault, uint32_t *out_number);
twin_status twin_unsupported_fault_remove(uint32_t number);
twin_status twin_unsupported_fault_struck(uint32_t number, uint64_t *out_times);

#endif
