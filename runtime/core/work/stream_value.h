/* SPDX-License-Identifier: Apache-2.0 */
/* Words of device memory that streams write and wait for. */
#ifndef TWINRT_CORE_WORK_STREAM_VALUE_H
#define TWINRT_CORE_WORK_STREAM_VALUE_H

#include <stdint.h>

#include "core/object/device.h"
#include "seam/types.h"

/* Queues a store of 8 bytes, or a wait until the word satisfies the relation, on a stream of the
 * current context (0: its default stream). The address is not 0. Thread: any; may block while the
 * queue is full. 107000: not aligned to 8 bytes, or no 8 bytes of an allocation of the stream's
 * device. 107002, 107003, 107017. 207000: the device has no such tasks. */
int32_t twin_value_write(uint64_t address, uint64_t value, uint64_t stream);
int32_t twin_value_wait_for(uint64_t address, uint64_t value, twin_relation relation,
                            uint64_t stream);

/* Whether `bytes` bytes (4 or 8) at a multiple of that are inside one allocation of the device,
 * or of host memory that it reaches there; `role` names the argument in the refusal. out_side may
 * be NULL. Takes no lock. Thread: any. 107000. */
int32_t twin_value_check_word(const char *role, uint64_t address, uint32_t bytes,
                              const twin_device *device, twin_side *out_side);

#endif
