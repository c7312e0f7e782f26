/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/instructions/units.h"

#include <string.h>

#include "kernel/access.h"

/* Flags of a pipe to itself, which kernels do not have. */
#define FILLED  ((TWIN_PIPE_CUBE * NATIVE_PIPES + TWIN_PIPE_CUBE) * NATIVE_IDS)
#define EMPTIED ((TWIN_PIPE_FIX * NATIVE_PIPES + TWIN_PIPE_FIX) * NATIVE_IDS)

/* The units of a piece: [first, end). */
typedef struct range {
    uint32_t first, end;
} range;

static uint32_t unit_of(uint64_t at)
{
    const uint64_t unit = at / NATIVE_UNIT_BYTES;
    return unit < NATIVE_UNITS ? (uint32_t)unit : NATIVE_UNITS;
}

static range units_of(const native_pieces *pieces, uint64_t number)
{
    const uint64_t at = pieces->at + number * pieces->pitch;
    return (range){unit_of(at), unit_of(at + pieces->bytes + NATIVE_UNIT_BYTES - 1)};
}

/* The pipe waits until the other side has done it `number` times. */
static void wait_for(native_core *core, native_unit_side *side, uint32_t number, uint32_t pipe,
                     uint32_t flag)
{
    for (; side->seen < number; side->seen++)
        twin_native_step(core, pipe, TWIN_STEP_WAIT, flag, 0);
    if (number > 0)
        twin_native_hazard_join(core, pipe, &side->clock);
}

static uint32_t let_know(native_core *core, native_unit_side *side, uint32_t pipe, uint32_t flag)
{
    core->units.used = true;
    side->clock = twin_native_hazard_release(core, pipe);
    twin_native_step(core, pipe, TWIN_STEP_SET, flag, 0);
    return ++side->done;
}

static void NATIVE_COLD stuck(native_core *core, uint32_t unit, const char *why)
{
    twin_native_refuse(core, TWIN_NATIVE_STUCK,
                       "it waits for ever for the unit flag of L0C bytes %u to %u: %s",
                       unit * NATIVE_UNIT_BYTES, (unit + 1) * NATIVE_UNIT_BYTES - 1, why);
}

static void check_mode(native_core *core, uint32_t mode)
{
    if (mode == 1)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "unit_flag is 1, which is reserved; it must be 0, 2 or 3");
}

void twin_native_units_fill(native_core *core, uint32_t mode, const native_pieces *pieces)
{
    native_units *units = &core->units;
    uint32_t newest = 0;
    check_mode(core, mode);
    for (uint64_t piece = 0; piece < pieces->count && mode >= 2; piece++) {
        const range r = units_of(pieces, piece);
        for (uint32_t i = r.first; i < r.end; i++) {
            if (units->filled[i] != 0)
                stuck(core, i,
                      "a product has set it, and no copy out of L0C with unit flag 3 came after");
            newest = units->emptied[i] > newest ? units->emptied[i] : newest;
        }
    }
    wait_for(core, &units->empties, newest, TWIN_PIPE_CUBE, EMPTIED);
}

void twin_native_units_filled(native_core *core, uint32_t mode, const native_pieces *pieces)
{
    native_units *units = &core->units;
    if (mode != 3)
        return;
    const uint32_t number = let_know(core, &units->fills, TWIN_PIPE_CUBE, FILLED);
    for (uint64_t piece = 0; piece < pieces->count; piece++) {
        const range r = units_of(pieces, piece);
        for (uint32_t i = r.first; i < r.end; i++)
            units->filled[i] = number;
    }
}

void twin_native_units_empty(native_core *core, uint32_t mode, const native_pieces *pieces)
{
    native_units *units = &core->units;
    uint32_t newest = 0;
    check_mode(core, mode);
    for (uint64_t piece = 0; piece < pieces->count && mode >= 2; piece++) {
        const range r = units_of(pieces, piece);
        for (uint32_t i = r.first; i < r.end; i++) {
            if (units->filled[i] == 0)
                stuck(core, i, "no product with unit flag 3 has set it");
            newest = units->filled[i] > newest ? units->filled[i] : newest;
        }
    }
    wait_for(core, &units->fills, newest, TWIN_PIPE_FIX, FILLED);
}

void twin_native_units_emptied(native_core *core, uint32_t mode, const native_pieces *pieces)
{
    native_units *units = &core->units;
    if (mode != 3)
        return;
    const uint32_t number = let_know(core, &units->empties, TWIN_PIPE_FIX, EMPTIED);
    for (uint64_t piece = 0; piece < pieces->count; piece++) {
        const range r = units_of(pieces, piece);
        for (uint32_t i = r.first; i < r.end; i++) {
            units->filled[i] = 0;
            units->emptied[i] = number;
        }
    }
}

void twin_native_units_reset(native_core *core)
{
    memset(core->units.filled, 0, sizeof(core->units.filled));
}
