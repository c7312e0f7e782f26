/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/resource_limit.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

_Static_assert((int)TWIN_CORE_CUBE == ACL_RT_DEV_RES_CUBE_CORE &&
                   (int)TWIN_CORE_VECTOR == ACL_RT_DEV_RES_VECTOR_CORE,
               "the core has the public numbers");

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    return TWIN_LEAVE(twin_cores_of_device(deviceId, (uint32_t)type, value));
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_cores_set_device(deviceId, (uint32_t)type, value));
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_cores_reset_device(deviceId));
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    return TWIN_LEAVE(twin_cores_of_stream(twin_api_handle(stream), (uint32_t)type, value));
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_cores_set_stream(twin_api_handle(stream), (uint32_t)type, value));
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_cores_reset_stream(twin_api_handle(stream)));
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_cores_use(twin_api_handle(stream)));
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_cores_unuse(twin_api_handle(stream)));
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    return TWIN_LEAVE(twin_cores_of_thread((uint32_t)type, value));
}
