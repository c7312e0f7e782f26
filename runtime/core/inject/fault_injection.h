/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection, and memory that has failed. */
#ifndef TWINRT_CORE_INJECT_FAULT_INJECTION_H
#define TWINRT_CORE_INJECT_FAULT_INJECTION_H

#include "core/object/device.h"

/* Injects a fault; with a stream or device it is as the backend counts. 107000, 207000, 207001. */
int32_t twin_fault_inject(const twin_fault *fault, uint32_t *out_number);
/* 0: all. 107000: there is no such fault. */
int32_t twin_fault_remove(uint32_t number);
int32_t twin_fault_triggered(uint32_t number, uint64_t *out_times);
/* Injects all that a file describes, or nothing. 100003, 107000, 207000, 207001. */
int32_t twin_fault_load(const char *path);

/* Ranges of an open device's memory that have failed, as twin_memory_ops.errors. None where a
 * backend knows of none. */
int32_t twin_memory_errors(twin_device *device, twin_memory_error *list, size_t room,
                           size_t *out_count);
/* As twin_memory_ops.repair. 107000. */
int32_t twin_memory_repair(twin_device *device, uint64_t address, uint64_t bytes);

#endif
