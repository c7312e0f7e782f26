/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that is registered with a device. The registration belongs to the device of
 * the context that made it and ends with that device at the latest; each device has its own. */
#ifndef TWINRT_CORE_WORK_HOST_MEMORY_H
#define TWINRT_CORE_WORK_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/types.h"

struct twin_device;

/* Registers the range of `wanted`, whose `site` is filled in. *out_address: where the device
 * reaches it, 0: nowhere. 107000: not memory of the host, not aligned, page-locked already; 107002;
 * 207000; 207001; 507910: overlaps a range that is registered with the same device. */
int32_t twin_host_register(const twin_pin *wanted, uint64_t *out_address);
/* Ends the registration with the current device; tasks that still use the range fail. 107002;
 * 507911: not the begin of a range that is registered with it. */
int32_t twin_host_unregister(void *pointer);
/* Where the current device reaches a byte of a range that is registered with it. 107000: there is
 * none that is mapped; 107002. */
int32_t twin_host_device_address(const void *pointer, uint64_t *out_address);
/* Where the host reaches the byte at a device's address of a registered range; 0: it is none. */
uint64_t twin_host_address_of(uint64_t device_address);
/* Whether an engine of a device, both by public number, reaches mapped memory. 107000: no such
 * engine; 107001; 107002. */
int32_t twin_host_mappable(uint32_t device, uint32_t engine, bool *out_mappable);

/* Ends the registrations of a device that is about to be closed; `hw` is the backend's. */
void twin_host_forget(const struct twin_device *device, twin_hw_device *hw);

#endif
