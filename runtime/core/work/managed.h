/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: one address for the host and all devices, pages that move to the one that uses
 * them.
 * Devices in places are those of the user. */
#ifndef TWINRT_CORE_WORK_MANAGED_H
#define TWINRT_CORE_WORK_MANAGED_H

#include <stddef.h>
#include <stdint.h>

#include "seam/managed.h"

#define TWIN_MANAGED_PAGE ((uint64_t)2 << 20)

/* Whole pages. 107002; 207000; 207001. */
int32_t twin_managed_alloc(uint64_t bytes, void **out_pointer);
/* 107000: no such device, not whole pages of one allocation, or a preferred place that is not where
 * pages are; 107002. */
int32_t twin_managed_advise(const void *pointer, uint64_t bytes, twin_advice advice,
                            twin_place place);
/* Writes the value of a public attribute, 1 to 8. 107000: data_bytes is not that of the attribute,
 * or not a range of one allocation. */
int32_t twin_managed_attribute(uint32_t attribute, const void *pointer, uint64_t bytes, void *data,
                               size_t data_bytes);

/* For those who move pages: the place with the backend's device. 107000: no such place. */
int32_t twin_managed_place(twin_place user, twin_place *out);
/* 107000: not whole pages of one allocation of managed memory. */
int32_t twin_managed_check(const void *pointer, uint64_t bytes);

#endif
