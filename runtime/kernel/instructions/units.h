/* SPDX-License-Identifier: Apache-2.0 */
/* Unit flags: a product fills units of L0C, and the fixpipe empties them, each waiting for the
 * other without flags of the kernel. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_UNITS_H
#define TWINRT_KERNEL_INSTRUCTIONS_UNITS_H

#include "kernel/instructions/strips.h"

/* `mode`: 0 without unit flags; 2 waits for them; 3 changes them in the end too. The pieces are in
 * L0C. */
void twin_native_units_fill(native_core *core, uint32_t mode, const native_pieces *pieces);
void twin_native_units_filled(native_core *core, uint32_t mode, const native_pieces *pieces);
void twin_native_units_empty(native_core *core, uint32_t mode, const native_pieces *pieces);
void twin_native_units_emptied(native_core *core, uint32_t mode, const native_pieces *pieces);
/* All units are empty. */
void twin_native_units_reset(native_core *core);

#endif
