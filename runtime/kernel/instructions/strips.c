/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/instructions/strips.h"

#include "kernel/access.h"

/* The fewest pieces of the same bytes. */
static native_pieces joined(native_core *core, uint32_t buffer, const native_pieces *pieces)
{
    native_pieces some = *pieces;
    const uint64_t span = (some.count - 1) * some.pitch + some.bytes;
    (void)twin_native_local(core, buffer, some.at, span, some.unit);
    if (some.pitch <= some.bytes) {
        some.bytes = span;
        some.count = 1;
    }
    return some;
}

const unsigned char *twin_native_read_pieces(native_core *core, uint32_t buffer, uint32_t pipe,
                                             native_op op, const native_pieces *pieces)
{
    const native_pieces some = joined(core, buffer, pieces);
    if (some.count == 1)
        twin_native_hazard_read(core, buffer, pipe, op, (uint32_t)some.at, (uint32_t)some.bytes);
    else
        twin_native_hazard_read_strips(core, buffer, pipe, op,
                                       &(native_strips){.at = (uint32_t)some.at,
                                                        .bytes = (uint32_t)some.bytes,
                                                        .pitch = (uint32_t)some.pitch,
                                                        .count = (uint32_t)some.count});
    return core->buffer[buffer] + some.at;
}

unsigned char *twin_native_write_pieces(native_core *core, uint32_t buffer, uint32_t pipe,
                                        native_op op, const native_pieces *pieces)
{
    const native_pieces some = joined(core, buffer, pieces);
    for (uint64_t i = 0; i < some.count; i++) {
        const uint32_t begin = (uint32_t)(some.at + i * some.pitch);
        native_hazard_add_range(core, &core->hazards, begin, begin + (uint32_t)some.bytes);
    }
    twin_native_hazard_note(core, buffer, pipe, op, true);
    return core->buffer[buffer] + some.at;
}
