/* SPDX-License-Identifier: Apache-2.0 */
/* The overflow flags of a device: a few bytes of its memory that belong to the runtime. Kernels
 * would set them; programs read and clear them in stream order. They are made when first asked for,
 * and all zero then. */
#ifndef TWINRT_CORE_WORK_OVERFLOW_H
#define TWINRT_CORE_WORK_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/object/device.h"

#define TWIN_OVERFLOW_BYTES        512u /* of the flags */
#define TWIN_OVERFLOW_STATUS_BYTES 64u  /* of what a program reads */

/* Address of the current device's flags. 107002, 207001. Blocks when they are made. */
int32_t twin_overflow_address(uint64_t *out_address);
/* Whether the flags of the device that the backend counts as `hw_index` are at that address. */
bool twin_overflow_is(uint32_t hw_index, uint64_t address);
/* Queues a copy of the status to device memory at `destination`, or a clearing of all flags, on a
 * stream of the current context (0: the default stream). 107000: no device memory, or no room
 * there; 107002, 107003, 107017. */
int32_t twin_overflow_read(void *destination, uint64_t stream);
/* As read, to the address in the first 8 bytes at `pointer`, device memory too. They are read now.
 * Blocks. */
int32_t twin_overflow_read_indirect(const void *pointer, uint64_t stream);
int32_t twin_overflow_clear(uint64_t stream);

#endif
