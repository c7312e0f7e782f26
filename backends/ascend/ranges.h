/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses are memory of the vendor's runtime: what the process has allocated through this backend. */
#ifndef TWINRT_ASCEND_RANGES_H
#define TWINRT_ASCEND_RANGES_H

#include "seam/backend.h"

/* Takes note of an allocation. False: host memory is out. Thread: any. */
bool ascend_range_add(const twin_memory_info *info);
/* Takes it away again; device memory is GONE then, until something else lies there. False: `base` begins none of that
 * kind. Thread: any. */
bool ascend_range_remove(uint64_t base, twin_memory_kind kind, twin_memory_info *out_info);
/* Classifies an address. Takes no lock. Thread: any. */
void ascend_range_find(uint64_t address, twin_memory_info *out_info);
/* The same for all of a device that goes down: how many allocations it had left. Thread: any. */
uint32_t ascend_ranges_forget(uint32_t device, uint64_t *out_bytes);
/* Forgets everything. Thread: init. */
void ascend_ranges_clear(void);

#endif
