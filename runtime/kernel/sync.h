/* SPDX-License-Identifier: Apache-2.0 */
/* What the scalar unit does, for operations and instructions: flags of a core, barriers, words of
 * global memory. */
#ifndef TWINRT_KERNEL_SYNC_H
#define TWINRT_KERNEL_SYNC_H

#include "kernel/core.h"

/* `from` and `to` are pipes of the core; the kernel fails if there are no such flags. */
void twin_native_flag_set(native_op op, uint32_t from, uint32_t to, uint32_t flag);
void twin_native_flag_wait(native_op op, uint32_t from, uint32_t to, uint32_t flag);
/* TWK_ALL: of all pipes. */
void twin_native_pipe_barrier(native_op op, uint32_t pipe);

/* An element of global memory, through the data cache. */
void twin_native_word_read(native_core *core, native_op op, uint32_t type, uint64_t address,
                           uint32_t size, void *out);
void twin_native_word_write(native_core *core, native_op op, uint64_t address, uint32_t size,
                            const void *value);

#endif
