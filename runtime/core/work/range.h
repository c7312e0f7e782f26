/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the memory that copies, fills and reductions name. Roles in texts: "destination",
 * "source". */
#ifndef TWINRT_CORE_WORK_RANGE_H
#define TWINRT_CORE_WORK_RANGE_H

#include "core/object/device.h"
#include "core/work/memory.h"

/* Where an address is; what the backend does not know is pageable host memory. */
twin_memory_info twin_range_info(const void *pointer);
/* The same of a range: one that leaves the registered range in which it begins counts as pageable
 * memory. */
twin_memory_info twin_range_info_of(const void *pointer, size_t bytes);
/* Copies memory of the process; false if a page of it cannot be read, where a plain copy would
 * crash. */
bool twin_range_read(void *to, uint64_t from, uint64_t bytes);
/* Whether a copy takes it for memory of a device, as far as directions go. Managed memory is that
 * wherever its pages are. */
static inline bool twin_range_on_device(const twin_memory_info *info)
{
    return info->kind == TWIN_MEMORY_DEVICE || info->kind == TWIN_MEMORY_MANAGED;
}
/* The same for the descriptors of work. */
static inline twin_side twin_range_side(const twin_memory_info *info)
{
    return (twin_side){.kind = info->kind, .device = info->device};
}

/* Both sides of a copy, found once for all checks and for the backend. */
typedef struct twin_range_pair {
    const void *dst;
    const void *src;
    twin_memory_info to;
    twin_memory_info from;
} twin_range_pair;

void twin_range_find(twin_range_pair *pair, const void *dst, size_t dst_bytes, const void *src,
                     size_t src_bytes);
static inline twin_sides twin_range_sides(const twin_range_pair *pair)
{
    return (twin_sides){.dst = twin_range_side(&pair->to), .src = twin_range_side(&pair->from)};
}
/* 107000: it is not there, leaves its allocation, or is an address for tasks of a device alone. */
int32_t twin_range_check(const char *role, const void *pointer, size_t bytes,
                         const twin_memory_info *info);
/* The same of both sides. */
int32_t twin_range_check_both(const twin_range_pair *pair, size_t dst_bytes, size_t src_bytes);
/* 107000: more bytes than the destination has. */
int32_t twin_range_check_room(size_t bytes, size_t dst_bytes);
/* 107000: the two overlap. */
int32_t twin_range_check_overlap(const void *dst, const void *src, size_t bytes);
/* 107000: the memory is on two devices, and the one that copies does not reach both. */
int32_t twin_range_check_peer(const twin_device *device, const twin_range_pair *pair);
/* 107000: a side is memory of another process on another device, and the copy is not one between
 * devices that is asynchronous. */
int32_t twin_range_check_foreign(const twin_device *device, const twin_range_pair *pair,
                                 bool between_devices);
/* 107000: it is memory of a device that the stream's device does not reach. */
int32_t twin_range_check_owner(const char *role, const twin_memory_info *info,
                               const twin_device *device);
/* The same of both sides. */
int32_t twin_range_check_owners(const twin_range_pair *pair, const twin_device *device);
/* 107000, 207000: a side where nothing is allocated any more; a direction that an asynchronous copy
 * cannot have. */
int32_t twin_range_check_kind(const twin_range_pair *pair, twin_copy_kind kind);

#endif
