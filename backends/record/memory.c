/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "ops.h"

twin_status record_memory_alloc(twin_hw_device *device, uint64_t bytes, twin_page_policy pages,
                                uint64_t *out_address)
{
    struct record_call call;
    struct twin_record_MEMORY_ALLOC *f = RECORD_BEGIN(&call, MEMORY_ALLOC, 0);
    f->device = device->index;
    f->pages = (uint32_t)pages;
    f->bytes = bytes;
    record_called(&call);
    twin_status status = record_below.memory.alloc(device->inner, bytes, pages, out_address);
    if (status == TWIN_OK)
        f->out_address = *out_address;
    record_returned(&call, status);
    return status;
}

twin_status record_memory_free(uint64_t address)
{
    struct record_call call;
    struct twin_record_MEMORY_FREE *f = RECORD_BEGIN(&call, MEMORY_FREE, 0);
    f->address = address;
    record_called(&call);
    twin_status status = record_below.memory.free(address);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_host_alloc(uint64_t bytes, void **out_pointer)
{
    struct record_call call;
    struct twin_record_MEMORY_HOST_ALLOC *f = RECORD_BEGIN(&call, MEMORY_HOST_ALLOC, 0);
    f->bytes = bytes;
    record_called(&call);
    twin_status status = record_below.memory.host_alloc(bytes, out_pointer);
    if (status == TWIN_OK)
        f->out_address = (uint64_t)(uintptr_t)*out_pointer;
    record_returned(&call, status);
    return status;
}

twin_status record_memory_host_free(void *pointer)
{
    struct record_call call;
    struct twin_record_MEMORY_HOST_FREE *f = RECORD_BEGIN(&call, MEMORY_HOST_FREE, 0);
    f->address = (uint64_t)(uintptr_t)pointer;
    record_called(&call);
    twin_status status = record_below.memory.host_free(pointer);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                                uint64_t *out_total)
{
    struct record_call call;
    struct twin_record_MEMORY_SPACE *f = RECORD_BEGIN(&call, MEMORY_SPACE, 0);
    f->device = device->index;
    f->page_class = page_class;
    record_called(&call);
    twin_status status = record_below.memory.space(device->inner, page_class, out_free, out_total);
    if (status == TWIN_OK) {
        f->out_free = *out_free;
        f->out_total = *out_total;
    }
    record_returned(&call, status);
    return status;
}

twin_status record_memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    struct record_call call;
    struct twin_record_MEMORY_COPY *f = RECORD_BEGIN(&call, MEMORY_COPY, 0);
    f->device = device->index;
    f->dst = copy->dst;
    f->src = copy->src;
    f->bytes = copy->bytes;
    record_called(&call);
    uint64_t seq = call.entry->begin_seq;
    twin_status status = record_below.memory.copy(device->inner, copy);
    record_returned(&call, status);
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, copy->src, copy->bytes, copy->bytes, 1);
    return status;
}

twin_status record_memory_fill(twin_hw_device *device, const twin_fill *fill)
{
    struct record_call call;
    struct twin_record_MEMORY_FILL *f = RECORD_BEGIN(&call, MEMORY_FILL, 0);
    f->device = device->index;
    f->value = fill->value;
    f->dst = fill->dst;
    f->bytes = fill->bytes;
    record_called(&call);
    twin_status status = record_below.memory.fill(device->inner, fill);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_copy_rows(twin_hw_device *device, const twin_rows *rows)
{
    struct record_call call;
    struct twin_record_MEMORY_COPY_ROWS *f = RECORD_BEGIN(&call, MEMORY_COPY_ROWS, 0);
    f->device = device->index;
    f->dst = rows->dst;
    f->src = rows->src;
    f->dst_pitch = rows->dst_pitch;
    f->src_pitch = rows->src_pitch;
    f->width = rows->width;
    f->height = rows->height;
    record_called(&call);
    uint64_t seq = call.entry->begin_seq;
    twin_status status = record_below.memory.copy_rows(device->inner, rows);
    record_returned(&call, status);
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, rows->src, rows->width, rows->src_pitch, rows->height);
    return status;
}

/* How many are told is known afterwards, so the entry is made then: the call is short and asks for what is known. */
twin_status record_memory_errors(twin_hw_device *device, twin_memory_error *list, size_t room,
                                 size_t *out_count)
{
    twin_status status = record_below.memory.errors(device->inner, list, room, out_count);
    size_t told = status != TWIN_OK ? 0 : *out_count < room ? *out_count : room;
    struct record_call call;
    struct twin_record_MEMORY_ERRORS *f =
        RECORD_BEGIN(&call, MEMORY_ERRORS, told * sizeof(struct twin_record_range));
    f->device = device->index;
    f->room = room;
    f->told = (uint32_t)told;
    f->out_count = status == TWIN_OK ? *out_count : 0;
    struct twin_record_range *ranges = (struct twin_record_range *)(void *)(f + 1);
    for (size_t i = 0; i < told && record_kept(&call); i++)
        ranges[i] = (struct twin_record_range){
            .address = list[i].address, .bytes = list[i].bytes, .link = list[i].link};
    record_called(&call);
    record_returned(&call, status);
    return status;
}

twin_status record_memory_repair(twin_hw_device *device, uint64_t address, uint64_t bytes)
{
    struct record_call call;
    struct twin_record_MEMORY_REPAIR *f = RECORD_BEGIN(&call, MEMORY_REPAIR, 0);
    f->device = device->index;
    f->address = address;
    f->bytes = bytes;
    record_called(&call);
    twin_status status = record_below.memory.repair(device->inner, address, bytes);
    record_returned(&call, status);
    return status;
}
