/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/options.h"
#include "core/object/context.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

_Static_assert(ACL_OPT_ENABLE_KERNEL_EARLY_START == TWIN_OPTION_PROCESS_COUNT - 1 &&
                   ACL_OPT_ENABLE_DEBUG_KERNEL < TWIN_OPTION_CONTEXT_COUNT,
               "the core has the public numbers");

static int32_t check(aclSysParamOpt option, uint32_t count)
{
    if ((uint32_t)option < count)
        return 0;
    return twin_fail(TWIN_ERR_ARG_VALUE, "opt is %d; 0 to %u are known here", (int)option,
                     count - 1);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    TWIN_ENTER(LOCAL);
    int32_t code = check(opt, TWIN_OPTION_PROCESS_COUNT);
    if (code == 0)
        twin_option_set_process((uint32_t)opt, value);
    return TWIN_LEAVE(code);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    int32_t code = check(opt, TWIN_OPTION_PROCESS_COUNT);
    if (code == 0)
        *value = twin_option_of_process((uint32_t)opt);
    return TWIN_LEAVE(code);
}

#define DETERMINISTIC_MOST 3
#define SWITCH_MOST        1

static int32_t check_value(aclSysParamOpt option, int64_t value)
{
    const int64_t most = option == ACL_OPT_DETERMINISTIC ? DETERMINISTIC_MOST : SWITCH_MOST;
    if (value >= 0 && value <= most)
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "value is %lld; option %d takes 0 to %lld", (long long)value,
                     (int)option, (long long)most);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    TWIN_ENTER(LOCAL);
    int32_t code = check(opt, TWIN_OPTION_CONTEXT_COUNT);
    if (code == 0)
        code = check_value(opt, value);
    return TWIN_LEAVE(code != 0 ? code : twin_context_set_option((uint32_t)opt, value));
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(value);
    int32_t code = check(opt, TWIN_OPTION_CONTEXT_COUNT);
    return TWIN_LEAVE(code != 0 ? code : twin_context_option((uint32_t)opt, value));
}
