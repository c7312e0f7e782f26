/* SPDX-License-Identifier: Apache-2.0 */
/* Equal pieces of a buffer that an instruction reads or writes: they are there, else the kernel
 * fails, and are noted as read or written. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_STRIPS_H
#define TWINRT_KERNEL_INSTRUCTIONS_STRIPS_H

#include "kernel/core.h"

/* Sums and products of these are at most 2^62. */
typedef struct native_pieces {
    uint64_t at, bytes;    /* of the first one */
    uint64_t pitch, count; /* from one to the next */
    uint32_t unit;         /* `at` is a multiple of it */
} native_pieces;

/* Host memory of the first one. count and bytes are not 0. */
const unsigned char *twin_native_read_pieces(native_core *core, uint32_t buffer, uint32_t pipe,
                                             native_op op, const native_pieces *pieces);
unsigned char *twin_native_write_pieces(native_core *core, uint32_t buffer, uint32_t pipe,
                                        native_op op, const native_pieces *pieces);

#endif
