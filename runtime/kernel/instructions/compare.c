/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that compare elements, and that choose between them. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define REGISTER_BYTES 16u

/* ---- comparisons ----------------------------------------------------------------------------- */

/* A bit for each of `count` elements of a and b, or of a and the scalar. */
static void compare(native_core *core, uint32_t type, uint32_t relation, uint32_t count,
                    const unsigned char *a, const unsigned char *b, double scalar,
                    unsigned char *bits)
{
    const twk_vector call = {
        .type = (uint8_t)type, .mode = (uint8_t)relation, .count = count, .scalar = scalar};
    const native_operands on = {.call = &call,
                                .core = core,
                                .size = native_size_of(type),
                                .a = a,
                                .b = b,
                                .mask_out = bits};
    twin_native_compare(&on);
}

/* Elements of one repeat are compared; the register keeps the bits that the mask leaves out. */
static uint64_t to_register(native_core *core, const twk_instruction *instruction,
                            uint32_t relation)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    unsigned char room[2][NATIVE_LANES_MOST * 4] __attribute__((aligned(32)));
    unsigned char found[NATIVE_LANES_MOST / 8];
    native_lanes lanes;
    if (!twin_native_lanes_begin(&lanes, core, instruction, NATIVE_REPEAT_BYTES * 8 / bits, 1))
        return 0;
    if (lanes.repeats > 1) { /* in count mode */
        lanes.repeats = 1;
        lanes.last = lanes.chosen_count;
    }
    lanes.a = native_operand_of("src0", argument[0], bits, argument[4], argument[7]);
    lanes.b = native_operand_of("src1", argument[1], bits, argument[5], argument[8]);
    twin_native_lanes_check(&lanes, &lanes.a, NATIVE_BLOCK_BYTES);
    twin_native_lanes_check(&lanes, &lanes.b, NATIVE_BLOCK_BYTES);
    twin_native_lanes_note(&lanes, &lanes.a, false);
    twin_native_lanes_note(&lanes, &lanes.b, false);
    twin_native_lanes_time(&lanes, TWK_OP_COMPARE, type);
    if (!native_computes(core))
        return 0;
    const uint8_t *places;
    const uint32_t count = twin_native_lanes_chosen(&lanes, 0, &places);
    (void)twin_native_lanes_gather(&lanes, &lanes.a, 0, room[0]);
    (void)twin_native_lanes_gather(&lanes, &lanes.b, 0, room[1]);
    compare(core, type, relation, count, room[0], room[1], 0, found);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bit = UINT64_C(1) << places[i] % 64;
        uint64_t *word = &core->registers.compare[places[i] / 64];
        *word = found[i / 8] >> i % 8 & 1 ? *word | bit : *word & ~bit;
    }
    return 0;
}

/* All elements of each repeat are compared, whatever the mask; their bits follow on each other. */
static void to_memory(native_lanes *lanes, const twk_instruction *instruction, uint32_t relation,
                      double scalar)
{
    native_core *core = lanes->core;
    const uint64_t at = instruction->arguments[0];
    const uint32_t type = instruction->types[1], each = lanes->per_repeat / 8;
    const uint32_t bytes = lanes->repeats * each;
    unsigned char room[2][NATIVE_REPEAT_BYTES] __attribute__((aligned(32)));
    const bool two = lanes->b.bits > 0;
    unsigned char *dst = twin_native_lanes_local(core, "dst", at, bytes, NATIVE_BLOCK_BYTES);
    twin_native_lanes_check(lanes, &lanes->a, NATIVE_BLOCK_BYTES);
    twin_native_lanes_note(lanes, &lanes->a, false);
    if (two) {
        twin_native_lanes_check(lanes, &lanes->b, NATIVE_BLOCK_BYTES);
        twin_native_lanes_note(lanes, &lanes->b, false);
    }
    twin_native_hazard_write(core, TWK_UB, TWIN_PIPE_VECTOR, lanes->op, (uint32_t)at, bytes);
    twin_native_lanes_time(lanes, TWK_OP_COMPARE, type);
    for (uint32_t repeat = 0; repeat < lanes->repeats && native_computes(core); repeat++) {
        (void)twin_native_lanes_gather(lanes, &lanes->a, repeat, room[0]);
        if (two)
            (void)twin_native_lanes_gather(lanes, &lanes->b, repeat, room[1]);
        compare(core, type, relation, lanes->per_repeat, room[0], two ? room[1] : NULL, scalar,
                dst + (size_t)repeat * each);
    }
}

static uint64_t two_to_memory(native_core *core, const twk_instruction *instruction,
                              uint32_t relation)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t bits = native_bits_of(instruction->types[1]);
    native_lanes lanes;
    if (!twin_native_lanes_begin_all(&lanes, core, instruction, NATIVE_REPEAT_BYTES * 8 / bits,
                                     argument[3]))
        return 0;
    lanes.a = native_operand_of("src0", argument[1], bits, argument[5], argument[8]);
    lanes.b = native_operand_of("src1", argument[2], bits, argument[6], argument[9]);
    to_memory(&lanes, instruction, relation, 0);
    return 0;
}

static uint64_t scalar_to_memory(native_core *core, const twk_instruction *instruction,
                                 uint32_t relation)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[1], bits = native_bits_of(type);
    const uint32_t value = (uint32_t)argument[2];
    native_lanes lanes;
    if (!twin_native_lanes_begin_all(&lanes, core, instruction, NATIVE_REPEAT_BYTES * 8 / bits,
                                     argument[3]))
        return 0;
    lanes.a = native_operand_of("src", argument[1], bits, argument[5], argument[7]);
    to_memory(&lanes, instruction, relation, twin_native_number(type, &value));
    return 0;
}

#define COMPARE(suffix, relation)                                                                  \
    uint64_t twin_instruction_vcmp_##suffix(native_core *core, const twk_instruction *instruction) \
    {                                                                                              \
        return to_register(core, instruction, relation);                                           \
    }                                                                                              \
    uint64_t twin_instruction_vcmpv_##suffix(native_core *core,                                    \
                                             const twk_instruction *instruction)                   \
    {                                                                                              \
        return two_to_memory(core, instruction, relation);                                         \
    }                                                                                              \
    uint64_t twin_instruction_vcmpvs_##suffix(native_core *core,                                   \
                                              const twk_instruction *instruction)                  \
    {                                                                                              \
        return scalar_to_memory(core, instruction, relation);                                      \
    }
COMPARE(lt, TWK_LT)
COMPARE(le, TWK_LE)
COMPARE(eq, TWK_EQ)
COMPARE(ne, TWK_NE)
COMPARE(ge, TWK_GE)
COMPARE(gt, TWK_GT)

/* ---- the register ---------------------------------------------------------------------------- */

static void register_time(native_core *core)
{
    twin_native_step(core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0,
                     core->run->call.core->vector_start + 1u);
}

uint64_t twin_instruction_set_cmpmask(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    const uint64_t at = instruction->arguments[0];
    (void)twin_native_operation(TWIN_PIPE_VECTOR, op);
    const unsigned char *from =
        twin_native_lanes_local(core, "src", at, REGISTER_BYTES, NATIVE_BLOCK_BYTES);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)at, REGISTER_BYTES);
    register_time(core);
    if (native_computes(core))
        memcpy(core->registers.compare, from, REGISTER_BYTES);
    return 0;
}

uint64_t twin_instruction_get_cmpmask(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    const uint64_t at = instruction->arguments[0];
    (void)twin_native_operation(TWIN_PIPE_VECTOR, op);
    unsigned char *to =
        twin_native_lanes_local(core, "dst", at, REGISTER_BYTES, NATIVE_BLOCK_BYTES);
    twin_native_hazard_write(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)at, REGISTER_BYTES);
    register_time(core);
    if (native_computes(core))
        memcpy(to, core->registers.compare, REGISTER_BYTES);
    return 0;
}

/* ---- selection ------------------------------------------------------------------------------- */

/* Where bits of the choice are. Mode 0: in the register, the same ones for each repeat. Mode 1: in
 * UB at src1, the other choice is the element that the register begins with. Mode 2: in UB at the
 * address that the register begins with. */
enum { BY_REGISTER, BY_MEMORY_OR_SCALAR, BY_MEMORY, MODES };

typedef struct selection {
    uint32_t mode;
    const unsigned char *bits;
} selection;

static bool first_is_chosen(const native_lane_work *work, const selection *how, uint32_t i)
{
    const uint32_t number = native_lane_number(work, i);
    if (how->mode == BY_REGISTER) {
        const uint32_t lane = number % work->per_repeat;
        return (work->core->registers.compare[lane / 64] >> lane % 64 & 1) != 0;
    }
    return (how->bits[number / 8] >> number % 8 & 1) != 0;
}

#define SELECT_EACH(host)                                                                          \
    for (uint32_t i = 0; i < work->count; i++)                                                     \
    ((host *)(void *)work->dst)[i] =                                                               \
        first_is_chosen(work, how, i)      ? ((const host *)(const void *)work->a)[i]              \
        : how->mode == BY_MEMORY_OR_SCALAR ? (host)work->core->registers.compare[0]                \
                                           : ((const host *)(const void *)work->b)[i]

static void select_elements(const native_lane_work *work)
{
    const selection *how = work->how;
    if (work->per_repeat == NATIVE_LANES_MOST)
        SELECT_EACH(uint16_t);
    else
        SELECT_EACH(uint32_t);
}

uint64_t twin_instruction_vsel(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    native_lanes lanes;
    const bool any = twin_native_lanes_begin(&lanes, core, instruction,
                                             NATIVE_REPEAT_BYTES * 8 / bits, argument[3]);
    selection how = {.mode =
                         (uint32_t)(instruction->count > 10
                                        ? native_argument(core, instruction, 10, "mode", MODES - 1)
                                        : BY_REGISTER)};
    if (!any)
        return 0;
    lanes.dst = native_operand_of("dst", argument[0], bits, argument[4], argument[7]);
    lanes.a = native_operand_of("src0", argument[1], bits, argument[5], argument[8]);
    if (how.mode != BY_MEMORY_OR_SCALAR)
        lanes.b = native_operand_of("src1", argument[2], bits, argument[6], argument[9]);
    /* Without data the register does not say where the bits are. */
    if (how.mode == BY_MEMORY_OR_SCALAR || (how.mode == BY_MEMORY && native_computes(core))) {
        const uint64_t at =
            how.mode == BY_MEMORY ? (uint32_t)core->registers.compare[0] : argument[2];
        const uint32_t chosen =
            (lanes.repeats - 1) * lanes.per_repeat + lanes.chosen[lanes.last - 1] + 1u;
        const uint32_t bytes = (chosen + 7) / 8;
        how.bits = twin_native_lanes_local(core, "the mask of the selection", at, bytes,
                                           NATIVE_BLOCK_BYTES);
        twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, lanes.op, (uint32_t)at, bytes);
    }
    twin_native_lanes_run(&lanes, select_elements, &how);
    twin_native_lanes_time(&lanes, TWK_OP_SELECT, type);
    return 0;
}
