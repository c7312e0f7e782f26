/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/managed.h"

#include <string.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/backend/registry.h"
#include "core/object/context.h"
#include "core/work/range.h"

/* Public values of attributes of an unset, or not uniform, place, and of the host. */
#define NO_PLACE   (-2)
#define HOST_PLACE (-1)

#define ACCESSORS_MOST 65u /* each device, and the host */

enum attribute {
    READ_MOSTLY = 1,
    PREFERRED,
    ACCESSED_BY,
    PREFERRED_TYPE,
    PREFERRED_ID,
    PREFETCHED,
    PREFETCHED_TYPE,
    PREFETCHED_ID
};

int32_t twin_managed_alloc(uint64_t bytes, void **out_pointer)
{
    TWIN_PINNED(context, context);
    uint64_t address = 0;
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    if (bytes > UINT64_MAX - TWIN_MANAGED_PAGE)
        return twin_fail(TWIN_ERR_NOMEM, "%llu bytes of managed memory", (unsigned long long)bytes);
    const uint64_t whole = (bytes + TWIN_MANAGED_PAGE - 1) / TWIN_MANAGED_PAGE * TWIN_MANAGED_PAGE;
    const twin_status status = twin_device_note(
        context->device, twin_ops()->managed.alloc(context->device->hw, whole, &address));
    if (status == TWIN_OK)
        *out_pointer = (void *)(uintptr_t)address;
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%llu bytes of managed memory",
                            (unsigned long long)bytes);
}

int32_t twin_managed_place(twin_place user, twin_place *out)
{
    twin_device *device = NULL;
    *out = user;
    switch (user.kind) {
    case TWIN_PLACE_NONE:
        return 0;
    case TWIN_PLACE_HOST:
        out->id = 0;
        return 0;
    case TWIN_PLACE_NUMA:
        if (user.id >= 0)
            return 0;
        return twin_fail(TWIN_ERR_PARAM, "location.id is %d; expected the number of a NUMA node",
                         user.id);
    case TWIN_PLACE_DEVICE:
        break;
    default:
        return twin_fail(TWIN_ERR_PARAM, "location.type is %d; expected 0 to 4", (int)user.kind);
    }
    const int32_t code = twin_device_find_argument(user.id, &device);
    if (code == 0)
        out->id = (int32_t)device->hw_index;
    return code;
}

/* Refuses what is not inside one allocation. */
static int32_t check_inside(const void *pointer, uint64_t bytes)
{
    const twin_memory_info info = twin_range_info(pointer);
    if (info.kind != TWIN_MEMORY_MANAGED)
        return twin_fail(TWIN_ERR_PARAM,
                         "%p is not managed memory; expected an address of aclrtMemAllocManaged",
                         pointer);
    return twin_range_check("range", pointer, bytes, &info);
}

int32_t twin_managed_check(const void *pointer, uint64_t bytes)
{
    const int32_t code = check_inside(pointer, bytes);
    if (code != 0)
        return code;
    if ((uint64_t)(uintptr_t)pointer % TWIN_MANAGED_PAGE == 0 && bytes % TWIN_MANAGED_PAGE == 0)
        return 0;
    return twin_fail(TWIN_ERR_PARAM,
                     "%llu bytes at %p are not whole pages; address and size must be multiples of "
                     "2 MiB",
                     (unsigned long long)bytes, pointer);
}

int32_t twin_managed_advise(const void *pointer, uint64_t bytes, twin_advice advice,
                            twin_place place)
{
    TWIN_PINNED(context, context);
    twin_place below = {TWIN_PLACE_NONE, 0};
    int32_t code = twin_managed_place(place, &below);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_managed_check(pointer, bytes);
    if (code == 0 && below.kind == TWIN_PLACE_NONE &&
        (advice == TWIN_ADVICE_PREFERRED || advice == TWIN_ADVICE_ACCESSED_BY))
        code = twin_fail(TWIN_ERR_PARAM, "location.type is 0; this advice needs a location");
    if (code != 0)
        return code;
    return twin_fail_status(
        twin_ops()->managed.advise((uint64_t)(uintptr_t)pointer, bytes, advice, below),
        TWIN_CODE_STREAM_TIMEOUT, "advice %d for %llu bytes at %p", (int)advice,
        (unsigned long long)bytes, pointer);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static int32_t id_of(twin_place place)
{
    int32_t id = NO_PLACE;
    if (place.kind == TWIN_PLACE_HOST)
        return HOST_PLACE;
    if (place.kind == TWIN_PLACE_NUMA)
        return place.id;
    return place.kind == TWIN_PLACE_DEVICE && twin_device_user_id(place.id, &id) == 0 ? id
                                                                                      : NO_PLACE;
}

static int32_t query(const void *pointer, uint64_t bytes, twin_managed_fact fact, twin_place *out,
                     size_t room)
{
    return twin_fail_status(
        twin_ops()->managed.query((uint64_t)(uintptr_t)pointer, bytes, fact, out, room),
        TWIN_CODE_STREAM_TIMEOUT, "%llu bytes at %p", (unsigned long long)bytes, pointer);
}

static int32_t accessors(const void *pointer, uint64_t bytes, int32_t *data, size_t count)
{
    twin_place places[ACCESSORS_MOST] = {{TWIN_PLACE_NONE, 0}};
    const int32_t code = query(pointer, bytes, TWIN_MANAGED_ACCESSED_BY, places, ACCESSORS_MOST);
    for (size_t i = 0; code == 0 && i < count; i++)
        data[i] = i < ACCESSORS_MOST ? id_of(places[i]) : NO_PLACE;
    return code;
}

static twin_managed_fact fact_of(uint32_t attribute)
{
    return attribute == READ_MOSTLY  ? TWIN_MANAGED_READ_MOSTLY
           : attribute >= PREFETCHED ? TWIN_MANAGED_PREFETCHED
                                     : TWIN_MANAGED_PREFERRED;
}

int32_t twin_managed_attribute(uint32_t attribute, const void *pointer, uint64_t bytes, void *data,
                               size_t data_bytes)
{
    const bool is_list = attribute == ACCESSED_BY;
    twin_place place = {TWIN_PLACE_NONE, 0};
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    if (data_bytes == 0 || data_bytes % sizeof(int32_t) != 0 ||
        (!is_list && data_bytes != sizeof(int32_t)))
        return twin_fail(TWIN_ERR_PARAM, "dataSize is %zu; expected %s4 for attribute %u",
                         data_bytes, is_list ? "a multiple of " : "", attribute);
    code = check_inside(pointer, bytes);
    if (code == 0 && is_list)
        return accessors(pointer, bytes, data, data_bytes / sizeof(int32_t));
    if (code == 0)
        code = query(pointer, bytes, fact_of(attribute), &place, 1);
    if (code != 0)
        return code;
    const bool is_type = attribute == PREFERRED_TYPE || attribute == PREFETCHED_TYPE;
    const int32_t value = attribute == READ_MOSTLY ? place.kind != TWIN_PLACE_NONE
                          : is_type                ? (int32_t)place.kind
                                                   : id_of(place);
    memcpy(data, &value, sizeof(value));
    return 0;
}
