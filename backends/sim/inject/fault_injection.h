/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection, and the memory errors that come of them. The model keeps them; those injected
 * before it is built wait here. */
#ifndef TWINRT_SIM_INJECT_FAULT_INJECTION_H
#define TWINRT_SIM_INJECT_FAULT_INJECTION_H

#include "seam/types.h"

/* The ops; see struct twin_fault_ops. */
twin_status sim_inject_fault(const twin_fault *fault, uint32_t *out_number);
twin_status sim_inject_remove(uint32_t number);
twin_status sim_inject_triggered(uint32_t number, uint64_t *out_times);
/* See struct twin_memory_ops. */
twin_status sim_inject_errors(twin_hw_device *device, twin_memory_error *list, size_t room,
                              size_t *out_count);
twin_status sim_inject_repair(twin_hw_device *device, uint64_t address, uint64_t bytes);

/* The model has just been created: injects the faults that were waiting for it. Thread: model. */
twin_status sim_inject_begin(void);

#endif
