/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a run on several threads of the host: parts of the launch, joined in their order. */
#ifndef TWINRT_KERNEL_PARTS_H
#define TWINRT_KERNEL_PARTS_H

#include "kernel/core.h"

/* The run's first block has ended, no other has begun. Runs the others on several threads if that
 * is worth it; then next_block is end_block. Else, and whenever a block does what only one thread
 * may do, nothing has happened that can be seen: the caller runs them. */
void twin_native_parts_run(twin_native_run *run, const native_block *first);

#endif
