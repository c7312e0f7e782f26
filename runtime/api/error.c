/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/acl_rt.h"
#include "api/entry.h"

const char *aclGetRecentErrMsg(void)
{
    TWIN_ENTER_HOST(LOCAL);
    const char *text = twin_messages_take();
    (void)TWIN_LEAVE(ACL_SUCCESS);
    return text;
}

static int32_t refuse_level(aclrtLastErrLevel level)
{
    return twin_fail(TWIN_ERR_ARG_VALUE, "level is %d; only ACL_RT_THREAD_LEVEL (0) is known",
                     (int)level);
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    TWIN_ENTER_HOST(LOCAL);
    if (level != ACL_RT_THREAD_LEVEL)
        return TWIN_LEAVE(refuse_level(level));
    return TWIN_LEAVE(twin_self.last_error);
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    TWIN_ENTER_HOST(LOCAL);
    if (level != ACL_RT_THREAD_LEVEL)
        return TWIN_LEAVE(refuse_level(level));
    int32_t code = twin_self.last_error;
    twin_self.last_error = ACL_SUCCESS;
    return TWIN_LEAVE(code);
}
