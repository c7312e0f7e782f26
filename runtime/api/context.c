/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/context.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    TWIN_ENTER(DEVICE);
    TWIN_NOT_NULL(context);
    uint64_t handle = 0;
    return TWIN_LEAVE(
        twin_api_give(twin_context_create_explicit(deviceId, &handle), &handle, context));
}

aclError aclrtDestroyContext(aclrtContext context)
{
    TWIN_ENTER(DEVICE);
    TWIN_NOT_NULL(context);
    return TWIN_LEAVE(twin_context_destroy(twin_api_handle(context)));
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(context);
    return TWIN_LEAVE(twin_context_set_current(twin_api_handle(context)));
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(context);
    twin_context *current = NULL;
    int32_t code = twin_context_current(&current);
    if (code == 0)
        *context = twin_api_pointer(twin_self.context);
    return TWIN_LEAVE(code);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(stream);
    twin_context *current = NULL;
    int32_t code = twin_context_current(&current);
    if (code == 0)
        *stream =
            twin_api_pointer(atomic_load_explicit(&current->default_stream, memory_order_relaxed));
    return TWIN_LEAVE(code);
}
