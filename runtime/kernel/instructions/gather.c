/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that pick elements or blocks of UB: by offsets, and by masks. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "twinrt/kernel.h"

#define OFFSET_BITS 32u

/* ---- by offsets ------------------------------------------------------------------------------ */

/* The pieces of `size` bytes at base + offset: found, noted and copied to `to`. */
static void pick(const native_lanes *lanes, const uint32_t *offsets, uint32_t count, uint64_t base,
                 uint32_t size, unsigned char *to)
{
    native_core *core = lanes->core;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t at = base + offsets[i];
        (void)twin_native_lanes_local(core, "an element of src", at, size, size);
        native_hazard_join_range(core, &core->hazards, (uint32_t)at, (uint32_t)at + size);
    }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, lanes->op, false);
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * size, core->buffer[TWK_UB] + base + offsets[i], size);
}

uint64_t twin_instruction_vgather(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    const uint32_t per_repeat = NATIVE_REPEAT_BYTES * 8 / bits;
    uint32_t offsets[NATIVE_LANES_MOST] = {0};
    unsigned char found[NATIVE_REPEAT_BYTES];
    native_lanes lanes;
    if (!twin_native_lanes_begin(&lanes, core, instruction, per_repeat, argument[4]))
        return 0;
    lanes.dst = native_operand_of("dst", argument[0], bits, 1, argument[3]);
    lanes.a = native_operand_of("offsets", argument[1], OFFSET_BITS, 1,
                                per_repeat * OFFSET_BITS / 8 / NATIVE_BLOCK_BYTES);
    twin_native_lanes_check(&lanes, &lanes.dst, NATIVE_BLOCK_BYTES);
    twin_native_lanes_check(&lanes, &lanes.a, NATIVE_BLOCK_BYTES);
    twin_native_lanes_note(&lanes, &lanes.a, false);
    twin_native_lanes_time(&lanes, TWK_OP_GATHER, type);
    for (uint32_t repeat = 0; repeat < lanes.repeats && native_computes(core); repeat++) {
        const uint32_t count =
            twin_native_lanes_gather(&lanes, &lanes.a, repeat, (unsigned char *)offsets);
        pick(&lanes, offsets, count, (uint32_t)argument[2], bits / 8, found);
        twin_native_lanes_scatter(&lanes, &lanes.dst, repeat, found);
    }
    twin_native_lanes_note(&lanes, &lanes.dst, true);
    return 0;
}

/* Each of 8 offsets of a repeat is that of a block. Masks do not matter. */
uint64_t twin_instruction_vgatherb(native_core *core, const twk_instruction *instruction)
{
    enum { BLOCKS = NATIVE_REPEAT_BYTES / NATIVE_BLOCK_BYTES };
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    unsigned char found[NATIVE_REPEAT_BYTES];
    native_lanes lanes;
    if (!twin_native_lanes_begin_all(&lanes, core, instruction, NATIVE_REPEAT_BYTES * 8 / bits,
                                     argument[5]))
        return 0;
    lanes.dst = native_operand_of("dst", argument[0], bits, argument[4], argument[3]);
    twin_native_lanes_check(&lanes, &lanes.dst, NATIVE_BLOCK_BYTES);
    const uint32_t bytes = lanes.repeats * BLOCKS * 4;
    const unsigned char *offsets =
        twin_native_lanes_local(core, "offsets", argument[1], bytes, NATIVE_BLOCK_BYTES);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, lanes.op, (uint32_t)argument[1], bytes);
    twin_native_lanes_time(&lanes, TWK_OP_GATHER, TWK_FP32);
    for (uint32_t repeat = 0; repeat < lanes.repeats && native_computes(core); repeat++) {
        uint32_t at[BLOCKS];
        memcpy(at, offsets + (size_t)repeat * sizeof(at), sizeof(at));
        pick(&lanes, at, BLOCKS, (uint32_t)argument[2], NATIVE_BLOCK_BYTES, found);
        twin_native_lanes_scatter(&lanes, &lanes.dst, repeat, found);
    }
    twin_native_lanes_note(&lanes, &lanes.dst, true);
    return 0;
}

/* ---- by masks -------------------------------------------------------------------------------- */

/* Repeats of `count` elements: 256 bytes, or as many as the mask counts. Those that are kept follow
 * on each other in dst. */
typedef struct picking {
    native_core *core;
    native_op op;
    uint64_t dst, src, bits;
    uint32_t repeats, count, size, pattern;
    uint64_t block, repeat, bits_repeat; /* distances in bytes */
} picking;

static uint64_t place_of(const picking *p, uint32_t repeat, uint32_t i)
{
    const uint32_t in_block = NATIVE_BLOCK_BYTES / p->size;
    return p->src + repeat * p->repeat + i / in_block * p->block +
           (uint64_t)(i % in_block) * p->size;
}

/* Patterns: 1 even and 2 odd elements; 3 to 6 one of four; 7 all. */
static bool fixed_keeps(uint32_t pattern, uint32_t i)
{
    return pattern == 7 || (pattern < 3 ? i % 2 == pattern - 1 : i % 4 == pattern - 3);
}

static bool keeps(const picking *p, uint32_t repeat, uint32_t i)
{
    if (p->pattern > 0)
        return fixed_keeps(p->pattern, i);
    const unsigned char *bits = p->core->buffer[TWK_UB] + p->bits + repeat * p->bits_repeat;
    return (bits[i / 8] >> i % 8 & 1) != 0;
}

static void note_sources(const picking *p)
{
    native_core *core = p->core;
    const uint32_t in_block = NATIVE_BLOCK_BYTES / p->size, bits_bytes = (p->count + 7) / 8;
    const uint64_t end = place_of(p, p->repeats - 1, p->count - 1) + p->size;
    (void)twin_native_lanes_local(core, "src0", p->src, end - p->src, NATIVE_BLOCK_BYTES);
    for (uint32_t repeat = 0; repeat < (p->repeat == 0 ? 1 : p->repeats); repeat++)
        for (uint32_t i = 0; i < p->count; i += in_block) {
            const uint32_t left = p->count - i, part = left < in_block ? left : in_block;
            const uint32_t at = (uint32_t)place_of(p, repeat, i);
            native_hazard_join_range(core, &core->hazards, at, at + part * p->size);
        }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, p->op, false);
    if (p->pattern > 0)
        return;
    (void)twin_native_lanes_local(
        core, "src1", p->bits, (p->repeats - 1) * p->bits_repeat + bits_bytes, NATIVE_BLOCK_BYTES);
    for (uint32_t repeat = 0; repeat < (p->bits_repeat == 0 ? 1 : p->repeats); repeat++) {
        const uint32_t at = (uint32_t)(p->bits + repeat * p->bits_repeat);
        native_hazard_join_range(core, &core->hazards, at, at + bits_bytes);
    }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, p->op, false);
}

static uint64_t count_kept(const picking *p)
{
    uint64_t kept = 0;
    for (uint32_t repeat = 0; repeat < p->repeats; repeat++)
        for (uint32_t i = 0; i < p->count; i++)
            kept += keeps(p, repeat, i);
    return kept;
}

static void copy_kept(const picking *p)
{
    unsigned char *ub = p->core->buffer[TWK_UB], *to = ub + p->dst;
    for (uint32_t repeat = 0; repeat < p->repeats; repeat++)
        for (uint32_t i = 0; i < p->count; i++)
            if (keeps(p, repeat, i)) {
                memmove(to, ub + place_of(p, repeat, i), p->size);
                to += p->size;
            }
}

uint64_t twin_instruction_vreducev2(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    native_registers *registers = &core->registers;
    picking p = {.core = core,
                 .op = native_op_of(instruction),
                 .dst = argument[0],
                 .src = argument[1],
                 .bits = argument[2],
                 .repeats = (uint16_t)argument[3],
                 .size = native_bits_of(instruction->types[0]) / 8,
                 .block = (uint64_t)(uint8_t)argument[4] * NATIVE_BLOCK_BYTES,
                 .repeat = (uint64_t)(uint16_t)argument[6] * NATIVE_BLOCK_BYTES,
                 .bits_repeat = (uint64_t)(uint8_t)argument[7] * NATIVE_BLOCK_BYTES};
    (void)twin_native_operation(TWIN_PIPE_VECTOR, p.op);
    p.pattern = (uint32_t)native_argument(core, instruction, 5, "pattern_mode", 7);
    const bool counted = (registers->ctrl & NATIVE_CTRL_COUNT) != 0;
    const uint64_t count = counted ? registers->mask[0] : NATIVE_REPEAT_BYTES / p.size;
    registers->kept = 0;
    registers->kept_unknown = false;
    if (p.repeats == 0 || count == 0)
        return 0;
    if (count > NATIVE_COUNT_MOST || count * p.repeats > NATIVE_COUNT_MOST)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "%u repeats of %llu elements; the maximum is %llu elements", p.repeats,
                           (unsigned long long)count, (unsigned long long)NATIVE_COUNT_MOST);
    p.count = (uint32_t)count;
    note_sources(&p);
    twin_native_vector_fit(
        core, 10, p.repeats * native_divide_up((uint64_t)p.count * p.size, NATIVE_REPEAT_BYTES),
        14);
    registers->kept_unknown = p.pattern == 0 && !native_computes(core);
    if (registers->kept_unknown)
        return 0;
    registers->kept = count_kept(&p);
    const uint64_t bytes = registers->kept * p.size;
    (void)twin_native_lanes_local(core, "dst", p.dst, bytes, NATIVE_BLOCK_BYTES);
    twin_native_hazard_write(core, TWK_UB, TWIN_PIPE_VECTOR, p.op, (uint32_t)p.dst,
                             (uint32_t)bytes);
    if (native_computes(core))
        copy_kept(&p);
    return 0;
}
