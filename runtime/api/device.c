/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/device.h"

#include "acl/acl_base_rt.h"
#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/context.h"
#include "core/object/stream.h"

aclError aclrtSetDevice(int32_t deviceId)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_device_set(deviceId));
}

aclError aclrtResetDevice(int32_t deviceId)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_device_reset(deviceId, false));
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_device_reset(deviceId, true));
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(deviceId);
    /* With a configured default device and no context this answers without bringing it up. */
    int32_t fallback = twin_context_default_device();
    if (twin_self.context == 0 && fallback >= 0) {
        *deviceId = fallback;
        return TWIN_LEAVE(ACL_SUCCESS);
    }
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code == 0)
        *deviceId = (int32_t)context->device->id;
    return TWIN_LEAVE(code);
}

/* All devices of a machine are alike in what is asked of device 0. */

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(runMode);
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code == 0)
        *runMode = properties->on_device ? ACL_DEVICE : ACL_HOST;
    return TWIN_LEAVE(code);
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(count);
    return TWIN_LEAVE(twin_device_count(count));
}

const char *aclrtGetSocName(void)
{
    TWIN_ENTER_HOST(LOCAL);
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    (void)TWIN_LEAVE(code);
    return code == 0 ? properties->soc_name : NULL;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(active);
    if (flags)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "flags is reserved and must be NULL"));
    bool is_active = false;
    int32_t code = twin_device_active(deviceId, &is_active);
    if (code == 0)
        *active = is_active ? 1 : 0;
    return TWIN_LEAVE(code);
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
    TWIN_ENTER(LOCAL);
    const twin_device_properties *properties = NULL;
    int32_t code = twin_device_find_properties(0, &properties);
    if (code == 0 && leastPriority)
        *leastPriority = (int32_t)properties->priority_count - 1;
    if (code == 0 && greatestPriority)
        *greatestPriority = 0;
    return TWIN_LEAVE(code);
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(deviceStatus);
    twin_device *device = NULL;
    int32_t code = twin_device_find(deviceId, &device);
    if (code == 0)
        *deviceStatus = atomic_load_explicit(&device->faulted, memory_order_relaxed)
                            ? ACL_RT_DEVICE_STATUS_ABNORMAL
                            : ACL_RT_DEVICE_STATUS_NORMAL;
    return TWIN_LEAVE(code);
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
    TWIN_ENTER(LOCAL);
    if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "tsId is %d; ACL_TS_ID_AICORE (0) and ACL_TS_ID_AIVECTOR (1) "
                                    "are known",
                                    (int)tsId));
    /* One scheduler serves the whole device, so that either choice means the same. */
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtSynchronizeDevice(void)
{
    TWIN_ENTER(WAIT);
    return TWIN_LEAVE(twin_stream_drain_all(TWIN_FOREVER));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    TWIN_ENTER(WAIT);
    uint64_t timeout_ns = 0;
    int32_t code = twin_api_timeout(timeout, &timeout_ns);
    return TWIN_LEAVE(code != 0 ? code : twin_stream_drain_all(timeout_ns));
}
