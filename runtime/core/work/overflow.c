/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/overflow.h"

#include "core/backend/error.h"
#include "core/object/context.h"
#include "core/object/device_area.h"
#include "core/object/stream.h"
#include "core/work/memory.h"
#include "core/work/range.h"

int32_t twin_overflow_address(uint64_t *out_address)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    twin_device *device = context->device;
    return twin_device_area(device, &device->overflow, TWIN_OVERFLOW_BYTES, "overflow flags",
                            out_address);
}

/* Whether the stream is of the current context, and in no capture. */
static int32_t check_stream(uint64_t handle)
{
    TWIN_PINNED(stream, stream);
    const int32_t code = twin_stream_pin_own(handle, &stream);
    return code != 0 ? code : twin_stream_check_not_captured(stream);
}

/* The flags, for work on a stream of the current context that is in no capture. */
static int32_t address_for(uint64_t stream, void **out_flags)
{
    uint64_t address = 0;
    int32_t code = check_stream(stream);
    if (code == 0)
        code = twin_overflow_address(&address);
    *out_flags = (void *)(uintptr_t)address;
    return code;
}

static int32_t check_device_memory(const char *role, const void *pointer)
{
    if (twin_range_info(pointer).kind == TWIN_MEMORY_DEVICE)
        return 0;
    return twin_fail(TWIN_ERR_PARAM,
                     "%s, %p, is not device memory; expected an address of aclrtMalloc", role,
                     pointer);
}

int32_t twin_overflow_read(void *destination, uint64_t stream)
{
    void *flags = NULL;
    int32_t code = address_for(stream, &flags);
    if (code == 0)
        code = check_device_memory("the destination of the overflow status", destination);
    return code != 0 ? code
                     : twin_memory_copy_async(destination, TWIN_OVERFLOW_STATUS_BYTES, flags,
                                              TWIN_OVERFLOW_STATUS_BYTES,
                                              TWIN_COPY_DEVICE_TO_DEVICE, stream);
}

int32_t twin_overflow_read_indirect(const void *pointer, uint64_t stream)
{
    void *destination = NULL;
    int32_t code = check_stream(stream);
    if (code == 0)
        code = check_device_memory("the buffer with the address of the status", pointer);
    if (code == 0)
        code = twin_memory_copy(&destination, sizeof(destination), pointer, sizeof(destination));
    return code != 0 ? code : twin_overflow_read(destination, stream);
}

int32_t twin_overflow_clear(uint64_t stream)
{
    void *flags = NULL;
    int32_t code = twin_stream_check_named(stream);
    if (code == 0)
        code = address_for(stream, &flags);
    const twin_fill fill = {.dst = (uint64_t)(uintptr_t)flags, .bytes = TWIN_OVERFLOW_BYTES};
    return code != 0 ? code : twin_memory_fill_async(&fill, TWIN_OVERFLOW_BYTES, stream);
}

bool twin_overflow_is(uint32_t hw_index, uint64_t address)
{
    const twin_device *device = twin_device_of_hardware(hw_index);
    return device && atomic_load_explicit(&device->overflow, memory_order_relaxed) == address;
}
