/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that write the same bytes: nothing orders blocks, so a board may leave either. */
#ifndef TWINRT_KERNEL_CLASH_H
#define TWINRT_KERNEL_CLASH_H

#include "kernel/memory.h"

typedef struct native_clash {
    const native_write *first, *second; /* of two blocks, the lower one first */
    uint64_t begin, end;                /* of the bytes that both write */
} native_clash;

/* Whether two blocks leave different bytes in one place, other than by atomic stores of one operation and type; one such
 * place. Very many writes are not looked at. */
bool twin_native_clash_find(const native_memory *memory, native_clash *out_clash);

#endif
