/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: device memory combined with device memory in stream order. */
#ifndef TWINRT_CORE_WORK_REDUCE_H
#define TWINRT_CORE_WORK_REDUCE_H

#include "seam/types.h"

/* In order of a stream (0: the default stream). `element_bytes`: of one element.
 * 107000: a range leaves its allocation, is not device memory or not a whole number of elements;
 * the two overlap and are not the same. 107008: an address is not aligned to an element. 107002,
 * 107003, 107017, 207000. */
int32_t twin_reduce_async(const twin_reduce *reduce, uint32_t element_bytes, uint64_t stream);

#endif
