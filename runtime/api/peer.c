/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/peer.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/rt_names.h"
#include "core/work/memory.h"

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtDeviceCanAccessPeer);
    bool can = false;
    twin_device *device = NULL;
    int32_t code = twin_device_find_argument(deviceId, &device);
    if (code == 0)
        code = twin_device_find_argument(peerDeviceId, &device);
    if (code == 0)
        code = twin_peer_can(deviceId, peerDeviceId, &can);
    if (code == 0 && !canAccessPeer)
        code = twin_api_null_below("canAccessPeer");
    if (code == 0)
        *canAccessPeer = can ? 1 : 0;
    return TWIN_LEAVE(code);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtDeviceEnablePeerAccess);
    if (flags != 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_RESERVED, "flags is %#x; it is reserved and must be 0", flags));
    return TWIN_LEAVE(twin_peer_change_current(peerDeviceId, true));
}

aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId, uint64_t flags)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtMemP2PMap);
    TWIN_NOT_NULL(devPtr);
    if (size == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "size is 0; expected 1 at least"));
    if (flags != 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#llx; expected 0", (unsigned long long)flags));
    return TWIN_LEAVE(twin_memory_map_peer(devPtr, size, dstDevId));
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtDeviceDisablePeerAccess);
    return TWIN_LEAVE(twin_peer_change_current(peerDeviceId, false));
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(status);
    bool enabled = false;
    int32_t code = twin_peer_status(deviceId, peerDeviceId, &enabled);
    if (code == 0)
        *status = enabled ? 1 : 0;
    return TWIN_LEAVE(code);
}

/* The layer below counts the other device as the machine does. */
static int32_t change_access(uint32_t id, uint32_t physical, bool enable)
{
    twin_device *device = NULL;
    int32_t peer = 0;
    int32_t code = twin_device_find((int32_t)id, &device);
    if (code == 0 && physical >= TWIN_MAX_DEVICES)
        code = twin_fail(TWIN_ERR_PARAM, "phyIdSrc is %u; it must be below %u", physical,
                         TWIN_MAX_DEVICES);
    if (code == 0)
        code = twin_device_user_id((int32_t)physical, &peer);
    if (code == 0 && (uint32_t)peer == id)
        code = twin_fail(TWIN_ERR_PARAM_RELATION,
                         "both are device %u; a device always has access to its own memory", id);
    return code != 0 ? code : twin_peer_change(device, peer, enable);
}

aclError rtEnableP2P(uint32_t devIdDes, uint32_t phyIdSrc, uint32_t flag)
{
    (void)flag;
    TWIN_ENTER(CREATE);
    return TWIN_LEAVE(change_access(devIdDes, phyIdSrc, true));
}

aclError rtDisableP2P(uint32_t devIdDes, uint32_t phyIdSrc)
{
    TWIN_ENTER(CREATE);
    return TWIN_LEAVE(change_access(devIdDes, phyIdSrc, false));
}
