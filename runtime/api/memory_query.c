/* SPDX-License-Identifier: Apache-2.0 */
/* What an address is, and who has how much memory. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/work/memory_query.h"

static_assert(sizeof(((aclrtMemUsageInfo *)0)->name) == sizeof(((twin_memory_use *)0)->name),
              "names of owners");

/* Kinds that an address can be asked for. Memory of the media functions has no kind of its own:
 * there are none. */
#define MEMORY_TYPES (ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD)

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    static const aclrtMemLocationType types[] = {
        [TWIN_LOCATION_HOST] = ACL_MEM_LOCATION_TYPE_HOST,
        [TWIN_LOCATION_DEVICE] = ACL_MEM_LOCATION_TYPE_DEVICE,
        [TWIN_LOCATION_UNREGISTERED] = ACL_MEM_LOCATION_TYPE_UNREGISTERED,
        [TWIN_LOCATION_MANAGED] = ACL_MEM_LOCATION_TYPE_MANAGED,
    };
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(ptr, attributes);
    twin_memory_place place;
    const int32_t code = twin_memory_place_of(ptr, &place);
    if (code == 0)
        *attributes =
            (aclrtPtrAttributes){.location = {.id = place.device, .type = types[place.kind]},
                                 .pageSize = place.page_bytes};
    return TWIN_LEAVE(code);
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(ptr);
    if (!pbase && !psize)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "pbase and psize are both NULL"));
    uint64_t base = 0;
    uint64_t bytes = 0;
    const int32_t code = twin_memory_range_of(ptr, &base, &bytes);
    if (code == 0 && pbase)
        *pbase = (void *)(uintptr_t)base;
    if (code == 0 && psize)
        *psize = (size_t)bytes;
    return TWIN_LEAVE(code);
}

aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult,
                           uint32_t reserve)
{
    TWIN_ENTER(LOCAL);
    if (checkResult)
        *checkResult = 0;
    TWIN_NOT_NULL_BELOW(checkResult, addrList);
    if (reserve != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "reserve is %u; it must be 0", reserve));
    if (size == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "size is 0; give one address at least"));
    if ((memType & ~MEMORY_TYPES) != 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM,
                                    "memType is %#x; it may have the bits %#x: device, media and "
                                    "reserved memory",
                                    memType, MEMORY_TYPES));
    bool all = false;
    const int32_t code =
        twin_memory_check_types(addrList, size, (memType & ACL_RT_MEM_TYPE_DEV) != 0,
                                (memType & ACL_RT_MEM_TYPE_RSVD) != 0, &all);
    *checkResult = code == 0 && all ? 1 : 0;
    return TWIN_LEAVE(code);
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum,
                              size_t *outputNum)
{
    TWIN_ENTER_BY_PART(POLL, aclrtGetMemUsageInfo);
    TWIN_NOT_NULL(memUsageInfo, outputNum);
    *outputNum = 0;
    if (inputNum == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "inputNum is 0; ask for one owner at least"));
    twin_memory_use uses[TWIN_MODULES];
    size_t count = 0;
    const int32_t code = twin_memory_usage(
        deviceId, uses, inputNum < TWIN_MODULES ? inputNum : TWIN_MODULES, &count);
    for (size_t i = 0; i < count && code == 0; i++) {
        memUsageInfo[i] =
            (aclrtMemUsageInfo){.curMemSize = uses[i].bytes, .memPeakSize = uses[i].peak};
        memcpy(memUsageInfo[i].name, uses[i].name, sizeof(uses[i].name));
    }
    if (code == 0)
        *outputNum = count;
    return TWIN_LEAVE(code);
}
