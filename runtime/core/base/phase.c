/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/phase.h"

_Atomic twin_phase twin_backend_phase;
_Atomic uint32_t twin_backend_start_count;
_Atomic pid_t twin_backend_process;
_Atomic bool twin_backend_is_forked;
