/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory. */
#include "process.h"

#define PAGE_BYTES ((uint32_t)2 << 20)
#define FOREVER_MS (-1)

static aclrtMemManagedLocation location_of(twin_place place)
{
    return (aclrtMemManagedLocation){(aclrtMemManagedLocationType)place.kind, place.id};
}

twin_status ascend_managed_alloc(twin_hw_device *device, uint64_t bytes, uint64_t *out_address)
{
    void *pointer = NULL;
    if (!vendor.managed_alloc)
        return TWIN_E_UNSUPPORTED;
    const twin_status status = ASCEND_CALL(
        ascend_use_device(device), vendor.managed_alloc(&pointer, bytes, ACL_RT_MEM_ATTACH_GLOBAL));
    if (status != TWIN_OK)
        return status;
    const twin_memory_info info = {.kind = TWIN_MEMORY_MANAGED,
                                   .device = device->index,
                                   .base = (uint64_t)(uintptr_t)pointer,
                                   .size_bytes = bytes,
                                   .page_bytes = PAGE_BYTES};
    if (!ascend_range_add(&info)) {
        vendor.free_device(pointer);
        return TWIN_E_NOMEM;
    }
    *out_address = info.base;
    return TWIN_OK;
}

twin_status ascend_managed_advise(uint64_t address, uint64_t bytes, twin_advice advice,
                                  twin_place place)
{
    twin_hw_device *device = NULL;
    if (!vendor.managed_advise)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_retain_any(&device);
    if (status != TWIN_OK)
        return status;
    status = ascend_status(vendor.managed_advise(
        ascend_pointer(address), bytes, (aclrtMemManagedAdviseType)advice, location_of(place)));
    ascend_release_device(device);
    return status;
}

static twin_status attribute(uint64_t address, uint64_t bytes, aclrtMemManagedRangeAttribute which,
                             void *data, size_t data_bytes)
{
    return ascend_status(
        vendor.managed_attribute(which, ascend_pointer(address), bytes, data, data_bytes));
}

/* The vendor's list has the ids of all kinds of places: -1 the host, -2 none. */
static twin_status accessors(uint64_t address, uint64_t bytes, twin_place *out, size_t room)
{
    int32_t ids[ASCEND_DEVICES_MOST + 1];
    const size_t count = sizeof(ids) / sizeof(ids[0]);
    const twin_status status =
        attribute(address, bytes, ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ids, sizeof(ids));
    for (size_t i = 0; status == TWIN_OK && i < room; i++) {
        const int32_t id = i < count ? ids[i] : -2;
        out[i] = (twin_place){id == -1  ? TWIN_PLACE_HOST
                              : id >= 0 ? TWIN_PLACE_DEVICE
                                        : TWIN_PLACE_NONE,
                              id >= 0 ? id : 0};
    }
    return status;
}

twin_status ascend_managed_query(uint64_t address, uint64_t bytes, twin_managed_fact fact,
                                 twin_place *out, size_t room)
{
    const bool prefetched = fact == TWIN_MANAGED_PREFETCHED;
    int32_t value = 0;
    int32_t id = 0;
    twin_status status = TWIN_OK;
    if (!vendor.managed_attribute)
        return TWIN_E_UNSUPPORTED;
    if (fact == TWIN_MANAGED_ACCESSED_BY)
        return accessors(address, bytes, out, room);
    if (fact == TWIN_MANAGED_READ_MOSTLY) {
        status =
            attribute(address, bytes, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, &value, sizeof(value));
        *out = (twin_place){value != 0 ? TWIN_PLACE_HOST : TWIN_PLACE_NONE, 0};
        return status;
    }
    status = attribute(address, bytes,
                       prefetched ? ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE
                                  : ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
                       &value, sizeof(value));
    if (status == TWIN_OK && (value == TWIN_PLACE_DEVICE || value == TWIN_PLACE_NUMA))
        status = attribute(address, bytes,
                           prefetched ? ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID
                                      : ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID,
                           &id, sizeof(id));
    *out = (twin_place){(twin_place_kind)value, id};
    return status;
}

twin_status ascend_managed_move(twin_hw_device *device, uint64_t address, uint64_t bytes,
                                twin_place place)
{
    if (!vendor.managed_prefetch)
        return TWIN_E_UNSUPPORTED;
    const twin_status status = ASCEND_CALL(
        ascend_use_device(device),
        vendor.managed_prefetch(ascend_pointer(address), bytes, location_of(place), 0, NULL));
    return status == TWIN_OK ? ascend_status(vendor.sync_stream(NULL, FOREVER_MS)) : status;
}
