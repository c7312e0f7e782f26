/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices may reach the memory of which others. Access has one direction, belongs to the
 * device that was given it, and ends when that device is released. Thread: any. */
#ifndef TWINRT_CORE_OBJECT_PEER_H
#define TWINRT_CORE_OBJECT_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/object/device.h"

/* Whether device `id` could be given access to `peer`. 100000: the same device; 107001. */
int32_t twin_peer_can(int32_t id, int32_t peer, bool *out_can);
/* Gives the current context's device access to the memory of `peer`, or takes it back; doing either
 * twice changes nothing. 107002; 100000: the same device; 107001; 207000: nothing connects them. */
int32_t twin_peer_change_current(int32_t peer, bool enable);
/* The same for `device`, whatever context is current. 107002: it is not open; otherwise as
 * above. */
int32_t twin_peer_change(twin_device *device, int32_t peer, bool enable);
/* Whether device `id` has access to `peer`. 107000: no such devices. */
int32_t twin_peer_status(int32_t id, int32_t peer, bool *out_enabled);

/* Whether work of an open device may touch memory of the device that the backend counts as
 * `hw_index`. */
static inline bool twin_peer_allows(const twin_device *device, uint32_t hw_index)
{
    if (device->hw_index == hw_index)
        return true;
    uint64_t peers = atomic_load_explicit(&device->peers, memory_order_relaxed);
    return (peers >> hw_index & 1) != 0;
}

#endif
