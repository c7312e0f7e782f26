/* SPDX-License-Identifier: Apache-2.0 */
/* Copies within devices whose addresses are in device memory, and cache maintenance. Descriptors
 * and base addresses are read when the task begins. */
#ifndef TWINRT_CORE_WORK_INDIRECT_H
#define TWINRT_CORE_WORK_INDIRECT_H

#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"

/* Writes a descriptor now; src, and dst unless it is 0, are not NULL, bytes > 0. dst 0: of cache
 * maintenance. Blocks. 107000: `at` is not device memory or not aligned; a side is not device
 * memory of one device; too many bytes. 107002, 207000. */
int32_t twin_descriptor_write(void *at, const twin_copy *copy);
/* Queues what the descriptor says, in order of a stream (0: the default stream). 107000, 107002,
 * 107003, 107017, 207000. */
int32_t twin_described_async(void *at, twin_range_op op, uint64_t stream);
/* Queues cache maintenance of a range of device memory. Codes as above. */
int32_t twin_maintain_async(const twin_maintenance *maintenance, uint64_t stream);
/* Queues a copy; `dst_bytes`: what the destination has from its base on. Codes as above. */
int32_t twin_copy_based_async(const twin_based_copy *copy, uint64_t dst_bytes, uint64_t stream);
/* Writes back or drops what the host's caches hold of a range of device or page-locked memory,
 * now. 107000, 107002, 207000. */
int32_t twin_maintain_now(void *pointer, size_t bytes, bool invalidate);
/* Queues random numbers; unless 0, random->params is device memory of 16 bytes, to which first and
 * second are written now. Codes as above. */
int32_t twin_random_async(const twin_random *random, uint64_t stream);

#endif
