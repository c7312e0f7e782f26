/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/memory_query.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/lock.h"
#include "core/object/context.h"
#include "core/object/device.h"
#include "core/work/range.h"

static int32_t fail_gone(const void *pointer)
{
    return twin_fail(TWIN_ERR_PARAM, "nothing is allocated at %p: it was freed, or never was",
                     pointer);
}

static int32_t fail_mapped(const void *pointer)
{
    return twin_fail(TWIN_ERR_PARAM,
                     "%p is where a device reaches registered memory; ask for the address that was "
                     "registered",
                     pointer);
}

int32_t twin_memory_place_of(const void *pointer, twin_memory_place *out_place)
{
    const twin_memory_info info = twin_range_info(pointer);
    *out_place = (twin_memory_place){.kind = TWIN_LOCATION_UNREGISTERED};
    if (info.kind == TWIN_MEMORY_UNKNOWN)
        return 0;
    if (info.kind == TWIN_MEMORY_GONE)
        return fail_gone(pointer);
    if (info.kind == TWIN_MEMORY_MAPPED)
        return fail_mapped(pointer);
    out_place->page_bytes = info.page_bytes;
    out_place->kind = TWIN_LOCATION_HOST;
    if (info.kind == TWIN_MEMORY_MANAGED)
        out_place->kind = TWIN_LOCATION_MANAGED;
    if (info.kind == TWIN_MEMORY_MANAGED || info.kind == TWIN_MEMORY_HOST_PINNED ||
        info.kind == TWIN_MEMORY_REGISTERED)
        return 0;
    const twin_device *device = twin_device_of_hardware(info.device);
    if (!device)
        return twin_fail(TWIN_ERR_PARAM, "%p is memory of a device that is not visible", pointer);
    out_place->kind = TWIN_LOCATION_DEVICE;
    out_place->device = device->id;
    return 0;
}

int32_t twin_memory_range_of(const void *pointer, uint64_t *out_base, uint64_t *out_bytes)
{
    const twin_memory_info info = twin_range_info(pointer);
    if (info.kind == TWIN_MEMORY_GONE)
        return fail_gone(pointer);
    if (info.kind == TWIN_MEMORY_UNKNOWN)
        return twin_fail(TWIN_ERR_PARAM, "%p is not memory of the runtime", pointer);
    if (info.kind == TWIN_MEMORY_MAPPED)
        return fail_mapped(pointer);
    *out_base = info.base;
    *out_bytes = info.size_bytes;
    return 0;
}

int32_t twin_memory_check_types(void *const *list, uint32_t count, bool device, bool reserved,
                                bool *out_all)
{
    TWIN_PINNED(context, context);
    const int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    bool all = true;
    for (uint32_t i = 0; i < count && all; i++) {
        const twin_memory_info info = twin_range_info(list[i]);
        all = info.reserved || info.mapped ? reserved : device && info.kind == TWIN_MEMORY_DEVICE;
    }
    *out_all = all;
    return 0;
}

int32_t twin_memory_usage(int32_t id, twin_memory_use *list, size_t room, size_t *out_count)
{
    twin_device *device = NULL;
    int32_t code = twin_device_find(id, &device);
    TWIN_PINNED(context, context);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    *out_count = 0;
    TWIN_LOCKED(&device->lock);
    if (device->state != TWIN_DEVICE_UP)
        return 0;
    return twin_fail_status(twin_ops()->memory.usage(device->hw, list, room, out_count),
                            TWIN_CODE_STREAM_TIMEOUT, "the owners of memory of device %u",
                            device->id);
}
