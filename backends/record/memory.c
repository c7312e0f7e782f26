/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "ops.h"

twin_status record_memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    struct record_call call;
    struct twin_record_MEMORY_COPY *f = RECORD_BEGIN(&call, MEMORY_COPY, 0);
    f->device = device->index;
    f->dst = copy->dst;
    f->src = copy->src;
    f->bytes = copy->bytes;
    record_called(&call);
    uint64_t seq = call.seq;
    twin_status status = record_below.memory.copy(device->inner, copy);
    record_returned(&call, status);
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, copy->src, copy->bytes, copy->bytes, 1);
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
    uint64_t seq = call.seq;
    twin_status status = record_below.memory.copy_rows(device->inner, rows);
    record_returned(&call, status);
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, rows->src, rows->width, rows->src_pitch, rows->height);
    return status;
}

/* Writes the entry after the call, as its size depends on the number of errors. The call is short
 * and does not wait. */
twin_status record_memory_errors(twin_hw_device *device, twin_memory_error *list, size_t room,
                                 size_t *out_count)
{
    twin_status status = record_below.memory.errors(device->inner, list, room, out_count);
    size_t filled = status != TWIN_OK ? 0 : *out_count < room ? *out_count : room;
    struct record_call call;
    struct twin_record_MEMORY_ERRORS *f =
        RECORD_BEGIN(&call, MEMORY_ERRORS, filled * sizeof(struct twin_record_range));
    f->device = device->index;
    f->room = room;
    f->returned = (uint32_t)filled;
    f->out_count = status == TWIN_OK ? *out_count : 0;
    struct twin_record_range *ranges = (struct twin_record_range *)(void *)(f + 1);
    for (size_t i = 0; i < filled && record_kept(&call); i++)
        ranges[i] = (struct twin_record_range){
            .address = list[i].address, .bytes = list[i].bytes, .link = list[i].link};
    record_called(&call);
    record_returned(&call, status);
    return status;
}
