/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of cache maintenance: numbers that a program gives to tasks which invalidate caches, so
 * that streams of the device can wait for the newest one of a number. */
#ifndef TWINRT_CORE_WORK_CACHE_BARRIER_H
#define TWINRT_CORE_WORK_CACHE_BARRIER_H

#include <stdint.h>

#include "seam/types.h"

/* Queues the maintenance and, after it, the barrier `id`. As twin_maintain_async(); 207001, 207007:
 * no event is left for a new number. */
int32_t twin_cache_barrier_set(const twin_maintenance *maintenance, uint32_t id, uint64_t stream);
/* Lets the stream (0: the default stream) wait for the newest task of the number on its device.
 * 107000: none was queued since the device was set. 107002, 107003, 107017. */
int32_t twin_cache_barrier_wait(uint32_t id, uint64_t stream);

#endif
