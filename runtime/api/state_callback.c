/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/state_callback.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

_Static_assert((int)TWIN_NEWS_SET_PRE == ACL_RT_DEVICE_STATE_SET_PRE &&
                   (int)TWIN_NEWS_RESET_POST == ACL_RT_DEVICE_STATE_RESET_POST &&
                   (int)TWIN_NEWS_CREATE_POST == ACL_RT_STREAM_STATE_CREATE_POST &&
                   (int)TWIN_NEWS_DESTROY_PRE == ACL_RT_STREAM_STATE_DESTROY_PRE &&
                   (int)TWIN_NEWS_ABORT_PRE == ACL_RT_DEVICE_TASK_ABORT_PRE &&
                   (int)TWIN_NEWS_ABORT_POST == ACL_RT_DEVICE_TASK_ABORT_POST,
               "the core has the public numbers");
_Static_assert(sizeof(aclrtDeviceState) == sizeof(uint32_t) &&
                   sizeof(aclrtStreamState) == sizeof(uint32_t) &&
                   sizeof(aclrtDeviceTaskAbortStage) == sizeof(uint32_t),
               "a state is passed like a number");

aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback,
                                     void *args)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(regName);
    return TWIN_LEAVE(twin_listen_devices(regName, (twin_device_listener)callback, args));
}

aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback,
                                     void *args)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(regName);
    return TWIN_LEAVE(twin_listen_streams(regName, (twin_stream_listener)callback, args));
}

aclError aclrtSetDeviceTaskAbortCallback(const char *regName, aclrtDeviceTaskAbortCallback callback,
                                         void *args)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtSetDeviceTaskAbortCallback);
    TWIN_NOT_NULL(regName);
    return TWIN_LEAVE(twin_listen_aborts(regName, (twin_abort_listener)callback, args));
}
