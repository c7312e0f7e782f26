/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that write a word of device memory, or wait until it fits. */
#include "core/work/stream_value.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

#define RELATIONS 4u /* with the values of twin_relation */

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtValueWrite);
    TWIN_NOT_NULL(devAddr);
    if (flag != 0)
        return TWIN_LEAVE(
            twin_fail(TWIN_ERR_PARAM, "flag is %u; it is reserved and must be 0", flag));
    return TWIN_LEAVE(twin_value_write(twin_api_handle(devAddr), value, twin_api_handle(stream)));
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtValueWait);
    TWIN_NOT_NULL(devAddr);
    if (flag >= RELATIONS)
        return TWIN_LEAVE(twin_fail(
            TWIN_ERR_PARAM,
            "flag is %u; it must be 0 (at least), 1 (equal), 2 (common bits) or 3 (common zeros)",
            flag));
    return TWIN_LEAVE(twin_value_wait_for(twin_api_handle(devAddr), value, (twin_relation)flag,
                                          twin_api_handle(stream)));
}
