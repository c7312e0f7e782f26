/* SPDX-License-Identifier: Apache-2.0 */
#include "core/init.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

aclError aclInit(const char *configPath)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_init(configPath));
}

aclError aclFinalize(void)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_finalize());
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_finalize_reference(refCount));
}
