/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/pool.h"

#include <string.h>

#include "acl/acl_rt.h"
#include "acl/acl_rt_memory_soma.h"
#include "api/entry.h"

_Static_assert((int)TWIN_POOL_FOLLOW_EVENTS == ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
                   (int)TWIN_POOL_OPPORTUNISTIC == ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC &&
                   (int)TWIN_POOL_ADD_WAITS == ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES &&
                   (int)TWIN_POOL_THRESHOLD == ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD &&
                   (int)TWIN_POOL_RESERVED == ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT &&
                   (int)TWIN_POOL_RESERVED_HIGH == ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH &&
                   (int)TWIN_POOL_USED == ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT &&
                   (int)TWIN_POOL_USED_HIGH == ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH,
               "the core has the public numbers");

static int32_t check_properties(const aclrtMemPoolProps *properties)
{
    static const unsigned char zeros[sizeof(properties->reserved)];
    if (properties->allocType != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return twin_fail(TWIN_ERR_ARG_VALUE,
                         "poolProps->allocType is %d; expected ACL_MEM_ALLOCATION_TYPE_PINNED (%d)",
                         (int)properties->allocType, (int)ACL_MEM_ALLOCATION_TYPE_PINNED);
    if (properties->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return twin_fail(TWIN_ERR_ARG_VALUE,
                         "poolProps->location.type is %d; expected ACL_MEM_LOCATION_TYPE_DEVICE "
                         "(%d)",
                         (int)properties->location.type, (int)ACL_MEM_LOCATION_TYPE_DEVICE);
    return memcmp(properties->reserved, zeros, sizeof(zeros)) == 0
               ? 0
               : twin_fail(TWIN_ERR_ARG_VALUE, "all bytes of poolProps->reserved must be 0");
}

aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtMemPoolCreate);
    TWIN_NOT_NULL(memPool, poolProps);
    uint64_t handle = 0;
    int32_t code = check_properties(poolProps);
    if (code == 0)
        code = twin_pool_create(poolProps->location.id, poolProps->maxSize, &handle);
    return TWIN_LEAVE(twin_api_give(code, &handle, memPool));
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
    TWIN_ENTER_BY_PART(CREATE, aclrtMemPoolDestroy);
    TWIN_NOT_NULL(memPool);
    return TWIN_LEAVE(twin_pool_destroy(twin_api_handle(memPool)));
}

/* Whether the value of the attribute has 32 bits; the others have 64. */
static bool is_switch(aclrtMemPoolAttr attr)
{
    return attr >= ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
           attr <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

/* Values of other attributes are not read: how long they are is unknown. */
static bool is_known(aclrtMemPoolAttr attr)
{
    return attr >= ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
           attr <= ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH;
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtMemPoolSetAttr);
    TWIN_NOT_NULL(memPool);
    TWIN_NOT_NULL_BELOW(value);
    uint64_t number = 0;
    uint32_t narrow = 0;
    if (is_switch(attr))
        memcpy(&narrow, value, sizeof(narrow));
    else if (is_known(attr))
        memcpy(&number, value, sizeof(number));
    return TWIN_LEAVE(twin_pool_set(twin_api_handle(memPool), (twin_pool_attr)attr,
                                    is_switch(attr) ? narrow != 0 : number));
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtMemPoolGetAttr);
    TWIN_NOT_NULL(memPool);
    TWIN_NOT_NULL_BELOW(value);
    uint64_t number = 0;
    const int32_t code = twin_pool_get(twin_api_handle(memPool), (twin_pool_attr)attr, &number);
    const uint32_t narrow = (uint32_t)number;
    if (code == 0 && is_switch(attr))
        memcpy(value, &narrow, sizeof(narrow));
    else if (code == 0)
        memcpy(value, &number, sizeof(number));
    return TWIN_LEAVE(code);
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtMemPoolMallocAsync);
    TWIN_NOT_NULL(ptr, memPool, stream);
    return TWIN_LEAVE(
        size == 0 ? ACL_SUCCESS
                  : twin_pool_alloc(twin_api_handle(memPool), size, twin_api_handle(stream), ptr));
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtMemPoolFreeAsync);
    TWIN_NOT_NULL(ptr);
    if (!stream)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_INTERNAL,
                                    "stream is NULL; memory of a pool is freed in a stream that "
                                    "was created, not in the default stream"));
    return TWIN_LEAVE(twin_pool_free(ptr, twin_api_handle(stream)));
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtMemPoolTrimTo);
    TWIN_NOT_NULL(memPool);
    return TWIN_LEAVE(twin_pool_trim(twin_api_handle(memPool), minBytesToKeep));
}
