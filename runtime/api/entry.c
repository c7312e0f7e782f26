/* SPDX-License-Identifier: Apache-2.0 */
#include "api/entry.h"

#include <string.h>

#include "core/backend/registry.h"

#define NS_PER_MS UINT64_C(1000000)

int32_t(twin_api_null)(const char *name)
{
    return twin_fail(TWIN_ERR_ARG_NULL, "%s is NULL; it must point to something", name);
}

int32_t(twin_api_null_below)(const char *name)
{
    return twin_fail(TWIN_ERR_PARAM_NULL, "%s is NULL; it must point to something", name);
}

int32_t twin_api_refuse_forked(void)
{
    return twin_backend_need();
}

int32_t twin_api_unsupported(const twin_call *call, const char *reason)
{
    (void)twin_call_enter(call, NULL);
    return twin_call_leave(twin_fail(TWIN_ERR_UNSUPPORTED, "%s", reason));
}

int32_t twin_api_refuse_by_part(uint32_t parts)
{
    uint32_t present = atomic_load_explicit(&twin_parts_present, memory_order_relaxed);
    if (present == 0) {
        int32_t code = twin_backend_need();
        if (code != 0)
            return code;
        present = atomic_load_explicit(&twin_parts_present, memory_order_relaxed);
    }
    if ((present & parts) != 0)
        return 0;
    char part[TWIN_PARTS_BYTES], offered[TWIN_PARTS_BYTES];
    twin_soc_list_parts(present, part);
    twin_soc_list_parts(parts, offered);
    part[strcspn(part, " ")] = '\0';
    return twin_fail(TWIN_ERR_UNSUPPORTED,
                     "the device is of part %s, which does not offer this function; parts that "
                     "do: %s",
                     part, offered);
}

int32_t twin_api_timeout(int32_t timeout_ms, uint64_t *out_timeout_ns)
{
    if (timeout_ms < -1 || timeout_ms == 0)
        return twin_fail(TWIN_ERR_TIMEOUT_VALUE,
                         "timeout is %d; it must be -1 (no limit) or above 0, in milliseconds",
                         timeout_ms);
    *out_timeout_ns = timeout_ms == -1 ? TWIN_FOREVER : (uint64_t)timeout_ms * NS_PER_MS;
    return 0;
}
