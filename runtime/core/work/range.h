/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the memory that copies, fills and reductions name. Roles in texts: "destination", "source". */
#ifndef TWINRT_CORE_WORK_RANGE_H
#define TWINRT_CORE_WORK_RANGE_H

#include "core/object/device.h"
#include "core/work/memory.h"

/* Where an address lies; what the backend does not know is pageable host memory. */
twin_memory_info twin_range_info(const void *pointer);
/* 107000: nothing is allocated there any more. */
int32_t twin_range_check_alive(const char *role, const void *pointer, const twin_memory_info *info);
/* 107000: it is not there, or leaves its allocation. */
int32_t twin_range_check(const char *role, const void *pointer, size_t bytes,
                         const twin_memory_info *info);
/* 107000: more bytes than the destination has. */
int32_t twin_range_check_room(size_t bytes, size_t dst_bytes);
/* 107000: the two overlap. */
int32_t twin_range_check_overlap(const void *dst, const void *src, size_t bytes);
/* 107000: the memory is on two devices, and the one that copies does not reach both. */
int32_t twin_range_check_peer(const twin_device *device, const twin_memory_info *dst,
                              const twin_memory_info *src);
/* 107000: it is memory of a device that the stream's device does not reach. */
int32_t twin_range_check_owner(const char *role, const twin_memory_info *info,
                               const twin_device *device);
/* 107000, 207000: a direction that an asynchronous copy cannot have. */
int32_t twin_range_check_kind(const twin_memory_info *dst, const twin_memory_info *src,
                              twin_copy_kind kind);

#endif
