/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that the runtime has for itself. Areas are made once per device, when they are
 * first needed. */
#ifndef TWINRT_CORE_OBJECT_DEVICE_AREA_H
#define TWINRT_CORE_OBJECT_DEVICE_AREA_H

#include <stdint.h>

#include "core/object/device.h"

/* Memory of the device for the runtime; `what` is a literal that reports print. */
twin_status twin_device_alloc(twin_device *device, uint64_t bytes, const char *what,
                              uint64_t *out_address);

/* The area whose address is kept in `slot`, a field of the device: `bytes` of zeros at first.
 * `what` names it. The device is up and stays so. What the device says. Blocks. */
int32_t twin_device_area(twin_device *device, _Atomic uint64_t *slot, uint64_t bytes,
                         const char *what, uint64_t *out_address);
/* Gives all of them back: the device is going down. */
void twin_device_areas_free(twin_device *device);

/* Where cores that wait for each other meet. Blocks. */
int32_t twin_device_sync_address(twin_device *device, uint64_t *out_address);

#endif
