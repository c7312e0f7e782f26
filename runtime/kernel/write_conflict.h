/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that write the same bytes with no barrier in between: a board may leave either. */
#ifndef TWINRT_KERNEL_WRITE_CONFLICT_H
#define TWINRT_KERNEL_WRITE_CONFLICT_H

#include "kernel/memory.h"

typedef struct native_write_conflict {
    const native_write *first, *second; /* of two blocks, the lower one first */
    uint64_t begin, end;                /* of the bytes that both write */
} native_write_conflict;

/* Whether two blocks leave different bytes in one place, other than by atomic stores of one
 * operation and type; one such place. Very many writes are not looked at. */
bool twin_native_write_conflict_find(const native_memory *memory,
                                     native_write_conflict *out_conflict);

#endif
