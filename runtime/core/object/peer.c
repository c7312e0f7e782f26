/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/peer.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"

static int32_t refuse_same(int32_t id)
{
    return twin_fail(TWIN_ERR_ARG_RELATION,
                     "both are device %d; a device always has access to its own memory", id);
}

int32_t twin_peer_can(int32_t id, int32_t peer, bool *out_can)
{
    if (id == peer)
        return refuse_same(id);
    twin_device *other = NULL;
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find(peer, &other);
    if (code == 0)
        code = twin_device_find_properties(id, &properties);
    if (code == 0)
        *out_can = properties->peer_link != TWIN_LINK_NONE;
    return code;
}

static int32_t set_peer(twin_device *device, const twin_device *other, bool enable)
{
    twin_status status =
        twin_device_note(device, twin_ops()->device.peer(device->hw, other->hw_index, enable));
    if (status == TWIN_E_UNSUPPORTED) /* it reaches the other anyway */
        return 0;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "device %u and the memory of %u",
                            device->id, other->id);
}

/* Changes what an open device may reach. */
static int32_t change(twin_device *device, int32_t peer, bool enable)
{
    twin_device *other = NULL;
    bool can = false;
    int32_t code = twin_peer_can((int32_t)device->id, peer, &can);
    if (code == 0 && !can)
        code = twin_fail(TWIN_ERR_UNSUPPORTED, "nothing connects device %u with device %d",
                         device->id, peer);
    if (code == 0)
        code = twin_device_find(peer, &other);
    if (code == 0)
        code = set_peer(device, other, enable);
    if (code == 0 && enable)
        atomic_fetch_or_explicit(&device->peers, UINT64_C(1) << other->hw_index,
                                 memory_order_relaxed);
    else if (code == 0)
        atomic_fetch_and_explicit(&device->peers, ~(UINT64_C(1) << other->hw_index),
                                  memory_order_relaxed);
    return code;
}

int32_t twin_peer_change_current(int32_t peer, bool enable)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    return code != 0 ? code : change(context->device, peer, enable);
}

int32_t twin_peer_change(twin_device *device, int32_t peer, bool enable)
{
    if (!twin_device_add_object(device, false))
        return twin_fail(TWIN_ERR_CONTEXT_NULL, "device %u is not open; call aclrtSetDevice first",
                         device->id);
    int32_t code = change(device, peer, enable);
    twin_device_drop_object(device);
    return code;
}

int32_t twin_peer_status(int32_t id, int32_t peer, bool *out_enabled)
{
    uint32_t count = 0;
    twin_device *device = NULL;
    twin_device *other = NULL;
    int32_t code = twin_device_count(&count);
    if (code != 0)
        return code;
    if (id < 0 || (uint32_t)id >= count || peer < 0 || (uint32_t)peer >= count)
        return twin_fail(TWIN_ERR_PARAM, "devices %d and %d; %u are visible, numbered from 0", id,
                         peer, count);
    code = twin_device_find(id, &device);
    if (code == 0)
        code = twin_device_find(peer, &other);
    if (code == 0)
        *out_enabled = device != other && twin_peer_allows(device, other->hw_index);
    return code;
}
