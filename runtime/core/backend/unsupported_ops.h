/* SPDX-License-Identifier: Apache-2.0 */
/* A typed stub for each op of the seam, so that no caller tests a slot for NULL. */
#ifndef TWINRT_CORE_BACKEND_UNSUPPORTED_OPS_H
#define TWINRT_CORE_BACKEND_UNSUPPORTED_OPS_H

#include "seam/backend.h"

/* Every slot filled: status ops answer TWIN_E_UNSUPPORTED, the others do nothing. */
extern const struct twin_backend twin_unsupported_ops;
/* Puts those stubs into the empty slots of `table`. */
void twin_fill_unsupported_ops(struct twin_backend *table);

#endif
