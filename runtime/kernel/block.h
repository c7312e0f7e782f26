/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: cores with stacks and buffers, on which a block of a run begins, waits for other blocks
 * and ends. A block that waits keeps what it has; another one begins elsewhere. */
#ifndef TWINRT_KERNEL_BLOCK_H
#define TWINRT_KERNEL_BLOCK_H

#include "kernel/core.h"

/* Room for a block of the run. NULL: no host memory, or too many stacks in use. */
native_block *twin_native_block_take(twin_native_run *run);
/* The block has ended, or the run has failed: its room is for another. */
void twin_native_block_give(native_block *block);
/* The run ends for good. */
void twin_native_block_leave(twin_native_run *run);
/* Frees what is not in use. */
void twin_native_block_trim(void);

/* Block `number` of the run begins; none of its cores has run yet. */
void twin_native_block_begin(native_block *block, uint32_t number);
/* Runs the cores in turns until each is done or waits for another block: a core that waits lets the
 * next one go on. Returns whether one of them did something. The run may have failed then. */
bool twin_native_block_run(native_block *block);
bool twin_native_block_done(const native_block *block);
/* All cores are done: their last steps, and what they have left behind. false: no host memory. The
 * run may have failed then. */
bool twin_native_block_end(native_block *block);

#endif
