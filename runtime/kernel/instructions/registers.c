/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/instructions/registers.h"

#include "kernel/core.h"

void twin_native_registers_begin(native_core *core)
{
    core->registers =
        (native_registers){.ctrl = core->run->call.saturate ? 0 : NATIVE_CTRL_NO_SATURATION,
                           .mask = {UINT64_MAX, UINT64_MAX},
                           .map_repeat = UINT64_C(1) << 16};
    if (core->units.used)
        core->units = (native_units){.used = false};
}
