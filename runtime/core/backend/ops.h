/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the backend below. */
#ifndef TWINRT_CORE_BACKEND_OPS_H
#define TWINRT_CORE_BACKEND_OPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

/* The present table: a table of stubs before the start and after the end, never NULL. Written by
 * registry.c alone. Release/acquire: the table is complete before it is seen. */
extern _Atomic(const struct twin_backend *) twin_ops_present;
/* Set before the table is published. */
extern _Atomic bool twin_ops_traced;
/* The parts whose functions are offered, TWIN_PART_... of base/soc.h: the device's part, or all
 * where what is below decides. 0: not known, as no backend has started. Relaxed: a call that needs
 * to know it starts the backend. */
extern _Atomic uint32_t twin_parts_present;

static inline const struct twin_backend *twin_ops(void)
{
    return atomic_load_explicit(&twin_ops_present, memory_order_acquire);
}

/* unsupported_ops.c: a typed stub for each op of the seam, so that no caller tests a slot for NULL.
 * Every slot is filled: status ops answer TWIN_E_UNSUPPORTED, the others do nothing. */
extern const struct twin_backend twin_unsupported_ops;
/* Puts those stubs into the empty slots of `table`. */
void twin_fill_unsupported_ops(struct twin_backend *table);

#endif
