/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a run, or of a part of one, in their order. */
#ifndef TWINRT_KERNEL_SCHEDULER_H
#define TWINRT_KERNEL_SCHEDULER_H

#include "kernel/core.h"

/* Runs blocks from next_block to end_block. false: no host memory. The run may have failed then. */
bool twin_native_run_blocks(twin_native_run *run);

/* A run of blocks `first` to `end` - 1 of another run: what they write and do, kept apart. It stops
 * early when `stop` is set. Ends with twin_native_end. NULL: no host memory. */
twin_native_run *twin_native_part_take(const twin_native_run *of, const twin_native_call *call,
                                       uint32_t first, uint32_t end, atomic_bool *stop);
/* Runs the blocks, on any thread. Sets `stop` if the part cannot be used: a block fails, waits for
 * blocks of other parts, or there is no host memory. */
void twin_native_part_run(twin_native_run *part);

#endif
