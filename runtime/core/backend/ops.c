/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/ops.h"

_Atomic(const struct twin_backend *) twin_ops_present = &twin_unsupported_ops;
_Atomic bool twin_ops_traced;
_Atomic uint32_t twin_parts_present;
