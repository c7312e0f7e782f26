/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of two-dimensional blocks: rows at a pitch. */
#ifndef TWINRT_CORE_WORK_MEMCPY_2D_H
#define TWINRT_CORE_WORK_MEMCPY_2D_H

#include "core/work/memory.h"

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

#endif
