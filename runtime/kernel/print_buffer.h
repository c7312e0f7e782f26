/* SPDX-License-Identifier: Apache-2.0 */
/* Where the headers of Ascend C put what a kernel prints: TWK_PRINT_BUFFER, which is in no device's
 * memory. Each core has its own piece there while it runs a block, at each of its addresses. */
#ifndef TWINRT_KERNEL_PRINT_BUFFER_H
#define TWINRT_KERNEL_PRINT_BUFFER_H

#include "kernel/core.h"

static inline bool native_is_printed(uint64_t address)
{
    return address - TWK_PRINT_BUFFER < TWK_PRINT_BUFFER_BYTES;
}

/* The bytes of the core's piece; the kernel fails if they are not all in there. */
unsigned char *twin_native_print_bytes(native_core *core, native_op op, uint64_t address,
                                       uint64_t bytes);
/* For a core that has bytes there: prints what has come since. The kernel fails if it is not what
 * the headers write. */
void twin_native_print_take(native_core *core);
/* The block has ended: nothing may be left. */
void twin_native_print_end(native_core *core);

#endif
