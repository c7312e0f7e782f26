/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a device's cores: how many a program is to use, for a device, a stream, or a thread
 * that uses a stream's share. Of a thread: the stream in use on it, else the device, else all cores
 * there are. They are advice for those who choose a number of blocks:
 * docs/decisions/0019-core-shares.md. */
#ifndef TWINRT_CORE_OBJECT_RESOURCE_LIMIT_H
#define TWINRT_CORE_OBJECT_RESOURCE_LIMIT_H

#include <stdint.h>

#include "core/object/device.h"

/* Of a device that is up. 107001, 507033: it is not up. Set and get: 107000 for an unknown kind or
 * more cores than there are. A device that is initialized again has no share set. Thread: any. */
int32_t twin_cores_set_device(int32_t device_id, uint32_t kind, uint32_t cores);
int32_t twin_cores_of_device(int32_t device_id, uint32_t kind, uint32_t *out_cores);
int32_t twin_cores_reset_device(int32_t device_id);

/* Of a stream; 0: the current context's default stream. 107000 as above, 107002, 107017. */
int32_t twin_cores_set_stream(uint64_t stream, uint32_t kind, uint32_t cores);
int32_t twin_cores_of_stream(uint64_t stream, uint32_t kind, uint32_t *out_cores);
int32_t twin_cores_reset_stream(uint64_t stream);

/* The calling thread uses that stream's share from now on, instead of another's. 107002, 107017. */
int32_t twin_cores_use(uint64_t stream);
/* No more; does nothing when it uses another's or none. 107002, 107017. */
int32_t twin_cores_unuse(uint64_t stream);
/* What the calling thread is to use. 107000, 107002. */
int32_t twin_cores_of_thread(uint32_t kind, uint32_t *out_cores);

#endif
