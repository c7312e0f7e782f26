/* SPDX-License-Identifier: Apache-2.0 */
/* What devices are: numbers of their parts, and the ways to count them. The process counts the devices that are
 * visible to it; the machine counts them all, and its logical and physical numbers are the same here. */
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/device.h"

static int32_t attribute(const twin_device_traits *traits, aclrtDevAttr attribute, int64_t *value)
{
    switch (attribute) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        *value = traits->aic_cores;
        return 0;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = traits->aiv_cores;
        return 0;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)traits->memory_bytes;
        return 0;
    default:
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "attr is %d; the numbers of cores and the size of memory are known",
                         (int)attribute);
    }
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    TWIN_ENTER(LOCAL);
    if (!value)
        return TWIN_LEAVE(twin_api_null("value"));
    uint32_t count = 0;
    int32_t code = twin_device_count(&count);
    if (code == 0 && deviceId >= count)
        code = twin_fail(TWIN_ERR_PARAM, "device %u does not exist; %u visible, numbered from 0",
                         deviceId, count);
    twin_device *device = NULL;
    const twin_device_traits *traits = NULL;
    if (code == 0)
        code = twin_device_find((int32_t)deviceId, &device);
    if (code == 0)
        code = twin_device_traits_of(device, &traits);
    return TWIN_LEAVE(code != 0 ? code : attribute(traits, attr, value));
}

static int32_t machine_id(int32_t user, int32_t *out_id)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(user, &device);
    if (code == 0)
        *out_id = (int32_t)device->hw_index;
    return code;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
    TWIN_ENTER(LOCAL);
    if (!logicDevId)
        return TWIN_LEAVE(twin_api_null("logicDevId"));
    return TWIN_LEAVE(machine_id(userDevid, logicDevId));
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t *const phyDevId)
{
    TWIN_ENTER(LOCAL);
    if (!phyDevId)
        return TWIN_LEAVE(twin_api_null("phyDevId"));
    return TWIN_LEAVE(machine_id(userDevId, phyDevId));
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid)
{
    TWIN_ENTER(LOCAL);
    if (!userDevid)
        return TWIN_LEAVE(twin_api_null("userDevid"));
    return TWIN_LEAVE(twin_device_user_id(logicDevId, userDevid));
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t *const userDevId)
{
    TWIN_ENTER(LOCAL);
    if (!userDevId)
        return TWIN_LEAVE(twin_api_null("userDevId"));
    return TWIN_LEAVE(twin_device_user_id(phyDevId, userDevId));
}
