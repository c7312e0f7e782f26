/* SPDX-License-Identifier: Apache-2.0 */
/* What the scalar unit does, for operations and instructions: flags of a core, barriers. */
#ifndef TWINRT_KERNEL_SYNC_H
#define TWINRT_KERNEL_SYNC_H

#include "kernel/core.h"

/* `from` and `to` are pipes of the core; the kernel fails if there are no such flags. */
void twin_native_flag_set(native_op op, uint32_t from, uint32_t to, uint32_t flag);
void twin_native_flag_wait(native_op op, uint32_t from, uint32_t to, uint32_t flag);
/* TWK_ALL: of all pipes. */
void twin_native_pipe_barrier(native_op op, uint32_t pipe);

#endif
