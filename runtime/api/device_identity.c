/* SPDX-License-Identifier: Apache-2.0 */
/* Which device is which: the ways to count them, their names on the bus and in the world, their
 * neighbours. The process counts the devices that are visible to it; the machine counts them all,
 * and its logical and physical numbers are the same here. */
#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/rt_names.h"
#include "core/object/device.h"

_Static_assert((uint64_t)TWIN_LINK_HCCS == ACL_RT_DEVS_TOPOLOGY_HCCS &&
                   (uint64_t)TWIN_LINK_PIX == ACL_RT_DEVS_TOPOLOGY_PIX &&
                   (uint64_t)TWIN_LINK_PHB == ACL_RT_DEVS_TOPOLOGY_PHB &&
                   (uint64_t)TWIN_LINK_SYS == ACL_RT_DEVS_TOPOLOGY_SYS &&
                   (uint64_t)TWIN_LINK_SIO == ACL_RT_DEVS_TOPOLOGY_SIO &&
                   (uint64_t)TWIN_LINK_HCCS_SWITCH == ACL_RT_DEVS_TOPOLOGY_HCCS_SW,
               "the seam has the public numbers");
_Static_assert(sizeof(((aclrtUuid *)0)->bytes) == sizeof(((twin_device_properties *)0)->uuid),
               "an identifier has 16 bytes");

static int32_t machine_id(int32_t user, int32_t *out_id)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find_argument(user, &device);
    return code != 0 ? code : twin_device_machine_id(device, out_id);
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(logicDevId);
    return TWIN_LEAVE(machine_id(userDevid, logicDevId));
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t *const phyDevId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(phyDevId);
    return TWIN_LEAVE(machine_id(userDevId, phyDevId));
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(userDevid);
    return TWIN_LEAVE(twin_device_user_id(logicDevId, userDevid));
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t *const userDevId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(userDevId);
    return TWIN_LEAVE(twin_device_user_id(phyDevId, userDevId));
}

/* These two say "logical" and mean the number as the user counts. */
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(logicDevId);
    return TWIN_LEAVE(twin_device_user_id(phyDevId, logicDevId));
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(phyDevId);
    return TWIN_LEAVE(machine_id(logicDevId, phyDevId));
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtDeviceGetUuid);
    TWIN_NOT_NULL(uuid);
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(deviceId, &properties);
    if (code == 0 && !properties->has_uuid)
        code = twin_fail(TWIN_ERR_UNSUPPORTED, "device %d has no identifier", deviceId);
    if (code == 0)
        memcpy(uuid->bytes, properties->uuid, sizeof(uuid->bytes));
    return TWIN_LEAVE(code);
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtDeviceGetPCIBusId);
    TWIN_NOT_NULL(pciBusId);
    if (deviceId < 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_DEVICE_ID, "device %d does not exist", deviceId));
    if (len < (int32_t)TWIN_PCI_BYTES)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "len is %d; the text takes %u bytes", len, TWIN_PCI_BYTES));
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(deviceId, &properties);
    if (code == 0 && !properties->pci_bus_id)
        code = twin_fail(TWIN_ERR_UNSUPPORTED, "device %d is on no PCI bus", deviceId);
    if (code == 0)
        memcpy(pciBusId, properties->pci_bus_id, TWIN_PCI_BYTES);
    return TWIN_LEAVE(code);
}

aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtDeviceGetByPCIBusId);
    TWIN_NOT_NULL(pciBusId, deviceId);
    uint32_t count = 0;
    int32_t code = twin_device_count(&count);
    for (uint32_t i = 0; code == 0 && i < count; i++) {
        const twin_device_properties *properties = NULL;
        code = twin_device_find_properties((int32_t)i, &properties);
        if (code == 0 && properties->pci_bus_id && strcmp(properties->pci_bus_id, pciBusId) == 0) {
            *deviceId = (int32_t)i;
            return TWIN_LEAVE(ACL_SUCCESS);
        }
    }
    if (code == 0)
        code =
            twin_fail(TWIN_ERR_PARAM, "no visible device is at \"%.32s\" on the PCI bus", pciBusId);
    return TWIN_LEAVE(code);
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    const twin_device_properties *properties = NULL;
    const twin_device_properties *other = NULL;
    int32_t code = twin_device_find_properties((int32_t)deviceId, &properties);
    if (code == 0)
        code = twin_device_find_properties((int32_t)otherDeviceId, &other);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (properties->peer_link == TWIN_LINK_NONE)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_UNSUPPORTED,
                                    "how devices %u and %u are connected is not known", deviceId,
                                    otherDeviceId));
    /* A device counts as linked with itself by the same kind, never across a switch. */
    bool same_by_switch =
        deviceId == otherDeviceId && properties->peer_link == TWIN_LINK_HCCS_SWITCH;
    *value = same_by_switch ? (uint64_t)TWIN_LINK_HCCS : (uint64_t)properties->peer_link;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(pid);
    *pid = (int32_t)getpid();
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* ---- the same for loaders of the runtime layer: a NULL is refused by that layer -------------- */

aclError rtGetDevicePhyIdByIndex(uint32_t devIndex, uint32_t *phyId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(phyId);
    return TWIN_LEAVE(machine_id((int32_t)devIndex, (int32_t *)phyId));
}

aclError rtGetLogicDevIdByUserDevId(const int32_t userDevId, int32_t *const logicDevId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(logicDevId);
    twin_device *device = NULL;
    int32_t code = twin_device_find(userDevId, &device);
    if (code == 0)
        code = twin_device_machine_id(device, logicDevId);
    return TWIN_LEAVE(code);
}

aclError rtDeviceGetBareTgid(uint32_t *pid)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL_BELOW(pid);
    *pid = (uint32_t)getpid();
    return TWIN_LEAVE(ACL_SUCCESS);
}
