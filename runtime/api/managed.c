/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: allocation, advice, attributes, prefetches. */
#define _GNU_SOURCE /* getcpu */
#include "core/work/managed.h"

#include <sched.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/base/alloc.h"
#include "core/callback/managed_prefetch.h"

#define FIRST_ATTRIBUTE ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY
#define LAST_ATTRIBUTE  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID

static int32_t check_positive(const char *name, uint64_t value)
{
    return value != 0 ? 0 : twin_fail(TWIN_ERR_ARG_VALUE, "%s is 0; expected 1 at least", name);
}

static twin_place place_of(aclrtMemManagedLocation location)
{
    twin_place place = {(twin_place_kind)location.type, location.id};
    unsigned cpu = 0;
    unsigned node = 0;
    if (location.type == ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT) {
        (void)getcpu(&cpu, &node);
        place = (twin_place){TWIN_PLACE_NUMA, (int32_t)node};
    }
    return place;
}

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtMemAllocManaged);
    TWIN_NOT_NULL(ptr);
    if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "flag is %u; expected ACL_RT_MEM_ATTACH_GLOBAL, 1", flag));
    if (size == 0)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "size is 0; expected 1 at least"));
    return TWIN_LEAVE(twin_managed_alloc(size, ptr));
}

aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size,
                               aclrtMemManagedAdviseType advise, aclrtMemManagedLocation location)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtMemManagedAdvise);
    TWIN_NOT_NULL(ptr);
    int32_t code = check_positive("size", size);
    if (code == 0 && (unsigned)advise >= TWIN_ADVICES)
        code = twin_fail(TWIN_ERR_PARAM, "advise is %d; expected 0 to %d", (int)advise,
                         TWIN_ADVICES - 1);
    return TWIN_LEAVE(
        code != 0 ? code : twin_managed_advise(ptr, size, (twin_advice)advise, place_of(location)));
}

static int32_t check_attribute(aclrtMemManagedRangeAttribute attribute)
{
    if (attribute >= FIRST_ATTRIBUTE && attribute <= LAST_ATTRIBUTE)
        return 0;
    return twin_fail(TWIN_ERR_PARAM, "attribute is %d; expected %d to %d", (int)attribute,
                     (int)FIRST_ATTRIBUTE, (int)LAST_ATTRIBUTE);
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void *ptr,
                                size_t size, void *data, size_t dataSize)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtMemManagedGetAttr);
    TWIN_NOT_NULL(ptr, data);
    int32_t code = check_positive("size", size);
    if (code == 0)
        code = check_attribute(attribute);
    return TWIN_LEAVE(
        code != 0 ? code : twin_managed_attribute((uint32_t)attribute, ptr, size, data, dataSize));
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes, size_t numAttributes,
                                 const void *ptr, size_t size, void **data, size_t *dataSizes)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtMemManagedGetAttrs);
    TWIN_NOT_NULL(ptr, attributes, data, dataSizes);
    int32_t code = check_positive("size", size);
    for (size_t i = 0; code == 0 && i < numAttributes; i++)
        code = check_attribute(attributes[i]);
    for (size_t i = 0; code == 0 && i < numAttributes; i++)
        code = data[i] ? twin_managed_attribute((uint32_t)attributes[i], ptr, size, data[i],
                                                dataSizes[i])
                       : twin_api_null("data[i]");
    return TWIN_LEAVE(code);
}

static int32_t check_flags(uint64_t flags)
{
    return flags == 0 ? 0
                      : twin_fail(TWIN_ERR_ARG_VALUE, "flags is %#llx; expected 0",
                                  (unsigned long long)flags);
}

aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size,
                                      aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtMemManagedPrefetchAsync);
    TWIN_NOT_NULL(ptr);
    int32_t code = check_positive("size", size);
    if (code == 0)
        code = check_flags(flags);
    const twin_prefetch range = {ptr, size, place_of(location)};
    return TWIN_LEAVE(code != 0 ? code : twin_managed_prefetch(&range, 1, twin_api_handle(stream)));
}

/* The runtime layer's checks of the indexes, in its order. */
static int32_t check_indexes(const void **ptrs, size_t count, const size_t *indexes, size_t places)
{
    if (indexes[0] != 0)
        return twin_fail(TWIN_ERR_PARAM, "prefetchLocIdxs[0] is %zu; the first must be 0",
                         indexes[0]);
    for (size_t i = 0; i < count; i++)
        if (!ptrs[i])
            return twin_fail(TWIN_ERR_PARAM_NULL, "ptrs[%zu] is NULL; it must point to something",
                             i);
    for (size_t i = 0; i < places; i++)
        if (indexes[i] >= count || (i > 0 && indexes[i] <= indexes[i - 1]))
            return twin_fail(TWIN_ERR_PARAM_RELATION,
                             "prefetchLocIdxs[%zu] is %zu; they must rise and stay below count, "
                             "%zu",
                             i, indexes[i], count);
    return 0;
}

aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes, size_t count,
                                           aclrtMemManagedLocation *prefetchLocs,
                                           size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                           uint64_t flags, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtMemManagedPrefetchBatchAsync);
    TWIN_NOT_NULL(ptrs, sizes, prefetchLocs, prefetchLocIdxs);
    int32_t code = check_positive("count", count);
    if (code == 0)
        code = check_positive("numPrefetchLocs", numPrefetchLocs);
    if (code == 0)
        code = check_flags(flags);
    if (code == 0 && count < numPrefetchLocs)
        code = twin_fail(TWIN_ERR_ARG_RELATION, "count is %zu, less than numPrefetchLocs, %zu",
                         count, numPrefetchLocs);
    if (code == 0)
        code = check_indexes(ptrs, count, prefetchLocIdxs, numPrefetchLocs);
    twin_prefetch *list = code == 0 ? twin_regrow(NULL, count, sizeof(*list)) : NULL;
    if (code == 0 && !list)
        code = twin_fail(TWIN_ERR_NOMEM, "no memory for %zu ranges to prefetch", count);
    for (size_t i = 0, place = 0; code == 0 && i < count; i++) {
        if (place + 1 < numPrefetchLocs && prefetchLocIdxs[place + 1] == i)
            place++;
        list[i] = (twin_prefetch){ptrs[i], sizes[i], place_of(prefetchLocs[place])};
    }
    if (code == 0)
        code = twin_managed_prefetch(list, count, twin_api_handle(stream));
    twin_free(list);
    return TWIN_LEAVE(code);
}
