/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers: plug-ins between the core and a backend. `backend-<name>.so` is loaded when the setting
 * that belongs to it is given, and exports this entry instead of a backend's. The core puts
 * `op_failure` (TWINRT_FAIL_OPS) on the backend, and `record` (TWINRT_RECORD) on that, so that a
 * recording has what the core saw. */
#ifndef TWINRT_SEAM_WRAPPER_H
#define TWINRT_SEAM_WRAPPER_H

#include "seam/backend.h"

/* A table for the core to use in place of `below`, which has a function in every slot and lives as
 * long as the process; so has the answer. It has the name of `below`, answers for every op as the
 * seam says, and may be asked for again with another `below`, when the process runs on no table.
 * Handles are the wrapper's own to give. Thread: init. */
typedef const struct twin_backend *(*twin_wrapper_entry_fn)(const struct twin_backend *below);
#define TWIN_WRAPPER_ENTRY "twin_wrapper_entry"

#endif
