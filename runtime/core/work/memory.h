/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices, page-locked host memory, and copies and fills between all kinds of memory.
 *
 * The backend says where an address is; what it does not know is pageable host memory. The
 * direction of a copy follows from the addresses. Copies that touch pageable memory run while the
 * call lasts, those between device and page-locked memory run in stream order. */
#ifndef TWINRT_CORE_WORK_MEMORY_H
#define TWINRT_CORE_WORK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"

struct twin_stream;

/* Direction a caller names, with the public values. */
typedef enum twin_copy_kind {
    TWIN_COPY_HOST_TO_HOST,
    TWIN_COPY_HOST_TO_DEVICE,
    TWIN_COPY_DEVICE_TO_HOST,
    TWIN_COPY_DEVICE_TO_DEVICE,
    TWIN_COPY_DEFAULT,
    TWIN_COPY_HOST_TO_BUFFER_TO_DEVICE, /* the source is taken during the call */
    TWIN_COPY_KIND_COUNT
} twin_copy_kind;

/* Whether there is a current context, and, if `device` is given, whether it is of the device that
 * the user gives that number. 107000, 107002. */
int32_t twin_memory_check_context(const uint32_t *device);
/* Device memory of the current context's device; `bytes` are what is asked of the backend. 107002,
 * 207001. */
int32_t twin_memory_alloc(const twin_allocation *allocation, void **out_pointer);
/* Needs no context; never waits. 107000: not the start of a device allocation. */
int32_t twin_memory_free(void *pointer);
/* Page-locked host memory. 107002, 207001. */
int32_t twin_memory_alloc_host(const twin_allocation *allocation, void **out_pointer);
/* 107000: not the start of a page-locked allocation. */
int32_t twin_memory_free_host(void *pointer);
/* The same after all work of the current context's device. Nothing is freed when the wait for that
 * fails, whose code it is. 107002. Blocks. */
int32_t twin_memory_free_drained(void *pointer);
int32_t twin_memory_free_host_drained(void *pointer);
/* Bytes free and in all on the current device; classes as in the seam. 107002. */
int32_t twin_memory_space(uint32_t page_class, size_t *out_free, size_t *out_total);

/* A device, by the user's number, is about to use a range of another one's memory. 107000: not
 * inside an allocation of a device, or out of that device's reach; 107001; 107002. */
int32_t twin_memory_map_peer(void *pointer, uint64_t bytes, int32_t device);

/* Copies now. dst and src are not NULL, bytes > 0. Blocks.
 * 107000: more bytes than dst_bytes; ranges that overlap, leave their allocation or are not
 * there. */
int32_t twin_memory_copy(void *dst, size_t dst_bytes, const void *src, size_t bytes);
/* Copies in order of a stream (0: the default stream); see the top. May block.
 * 107000 also: a direction that contradicts a pageable side. 207000: both sides on the host. */
int32_t twin_memory_copy_async(void *dst, size_t dst_bytes, const void *src, size_t bytes,
                               twin_copy_kind kind, uint64_t stream);
/* Pins a stream of the current context whose tasks run on submission. NULL in `out_stream` on
 * failure. 107002, 107003, 107017, 207000. */
int32_t twin_memory_pin_active(uint64_t handle, struct twin_stream **out_stream);
/* Fills now, or in order of a stream; host memory is filled while the call lasts. The side is found
 * here. 107000: more bytes than dst_bytes; the range leaves its allocation or is not there. */
int32_t twin_memory_fill(const twin_fill *fill, size_t dst_bytes);
int32_t twin_memory_fill_async(const twin_fill *fill, size_t dst_bytes, uint64_t stream);

/* ---- copies of two-dimensional blocks, rows at a pitch ---- */

/* The most rows and bytes of a row that a call takes. */
#define TWIN_ROWS_HEIGHT_MOST 5242880u
#define TWIN_ROWS_WIDTH_MOST  5000000u

/* Copies now, between host and device. Blocks.
 * 107000: a block leaves its allocation, is too large, or has both sides on one side. */
int32_t twin_rows_copy(const twin_rows *rows);
/* In order of a stream (0: the default stream), as one task; with pageable host memory it waits for
 * the stream and copies at once. May block. 107000 also: a direction that contradicts a pageable
 * side. 207000: both sides on the host. 207001: no memory to describe so many rows to the
 * device. */
int32_t twin_rows_copy_async(const twin_rows *rows, twin_copy_kind kind, uint64_t stream);

/* ---- reduce.c: device memory combined with device memory ---- */

/* In order of a stream (0: the default stream). `element_bytes`: of one element.
 * 107000: a range leaves its allocation, is not device memory or not a whole number of elements;
 * the two overlap and are not the same. 107008: an address is not aligned to an element. 107002,
 * 107003, 107017, 207000. */
int32_t twin_reduce_async(const twin_reduce *reduce, uint32_t element_bytes, uint64_t stream);

#endif
