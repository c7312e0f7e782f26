/* SPDX-License-Identifier: Apache-2.0 */
/* Flags between cores. Each core has 16, which count. What raises them is
 *
 *   in a mixed block: its cube core, those of its vector cores; all of its vector cores together,
 *   that of the cube core, or those of each of them;
 *   in the launch: all cores of a kind together, those of each of them. This is a barrier: what
 *   blocks wrote before their sets is what all blocks see from then on. */
#ifndef TWINRT_KERNEL_CROSS_CORE_H
#define TWINRT_KERNEL_CROSS_CORE_H

#include "kernel/core.h"

/* The operations, as the table has them. */
void twin_native_cross_core_set(uint32_t pipe, uint32_t flag);
void twin_native_cross_core_set_mode(uint32_t mode, uint32_t pipe, uint32_t flag);
void twin_native_cross_core_wait(uint32_t pipe, uint32_t flag);
void twin_native_sync_all(bool vectors_only);
void twin_native_cache_clean(uint64_t address, bool entire);

/* The same for operations of other names. */
void twin_native_cross_core_set_as(native_op op, uint32_t mode, uint32_t pipe, uint32_t flag);
void twin_native_cross_core_wait_as(native_op op, uint32_t pipe, uint32_t flag);
void twin_native_cache_clean_as(native_op op, uint64_t address, bool entire);

/* A block begins: no flag of its cores is raised. */
void twin_native_cross_core_begin(native_block *block);
/* A block has ended: reports flags that are left, and gives its writes to the run. false: no host
 * memory. */
bool twin_native_cross_core_end(native_block *block);
/* What all blocks have written so far is what all blocks see from now on. false: no host memory. */
bool twin_native_cross_core_show(twin_native_run *run);
/* No block can go on: the first core that waits fails. */
void twin_native_cross_core_stuck(twin_native_run *run);
/* All blocks have ended: reports barriers that not all cores have come to. */
void twin_native_cross_core_left(twin_native_run *run);
/* Frees what a run has used for barriers. */
void twin_native_cross_core_clear(twin_native_run *run);

#endif
