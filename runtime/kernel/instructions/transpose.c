/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that transpose: 16 x 16 elements of 16 bits, and blocks at 16 addresses. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "twinrt/kernel.h"

#define SIDE   16u
#define PART   16u /* bytes: a half of a block */
#define SQUARE (SIDE * SIDE * 2)

uint64_t twin_instruction_vtranspose(native_core *core, const twk_instruction *instruction)
{
    const uint64_t to = instruction->arguments[0], from = instruction->arguments[1];
    const native_op op = native_op_of(instruction);
    uint16_t square[SIDE][SIDE], transposed[SIDE][SIDE];
    (void)twin_native_operation(TWIN_PIPE_VECTOR, op);
    unsigned char *dst = twin_native_lanes_local(core, "dst", to, SQUARE, NATIVE_BLOCK_BYTES);
    const unsigned char *src =
        twin_native_lanes_local(core, "src", from, SQUARE, NATIVE_BLOCK_BYTES);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)from, SQUARE);
    twin_native_hazard_write(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)to, SQUARE);
    twin_native_vector_fit(core, 0, SQUARE / NATIVE_REPEAT_BYTES, 1);
    if (!native_computes(core))
        return 0;
    memcpy(square, src, sizeof(square));
    for (uint32_t row = 0; row < SIDE; row++)
        for (uint32_t column = 0; column < SIDE; column++)
            transposed[column][row] = square[row][column];
    memcpy(dst, transposed, sizeof(transposed));
    return 0;
}

/* ---- blocks at addresses --------------------------------------------------------------------- */

static uint32_t va_register(native_core *core, const twk_instruction *instruction, uint32_t index,
                            const char *name, uint32_t most)
{
    return (uint32_t)native_argument(core, instruction, index, name, most);
}

uint64_t twin_instruction_set_va_reg_sb(native_core *core, const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_SCALAR, native_op_of(instruction));
    const uint32_t number = va_register(core, instruction, 0, "registers", NATIVE_VA_REGISTERS - 1);
    memcpy(core->registers.va[number], instruction->arguments + 1,
           sizeof(core->registers.va[number]));
    return 0;
}

/* 16 blocks of dst and of src, at the addresses of two registers each; all of them move from repeat
 * to repeat. Of bytes a half of each block is used. */
typedef struct exchange {
    native_core *core;
    native_op op;
    uint64_t dst[SIDE], src[SIDE];
    uint32_t repeats, bytes; /* of a block that are used */
    uint64_t dst_pitch, src_pitch;
    uint64_t first; /* repeat number of the first: a single one is one further */
} exchange;

static void find_blocks(const exchange *e, const char *name, const uint64_t *blocks, uint64_t pitch,
                        bool write)
{
    native_core *core = e->core;
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t repeat = 0; repeat < (pitch ? e->repeats : 1); repeat++) {
            const uint64_t at = blocks[i] + (e->first + repeat) * pitch;
            (void)twin_native_lanes_local(core, name, at, e->bytes,
                                          e->bytes < NATIVE_BLOCK_BYTES ? PART
                                                                        : NATIVE_BLOCK_BYTES);
            native_hazard_join_range(core, &core->hazards, (uint32_t)at, (uint32_t)at + e->bytes);
        }
    twin_native_hazard_note(core, TWK_UB, TWIN_PIPE_VECTOR, e->op, write);
}

/* Element i of each of the 16 blocks of src: together they are block i of dst; of 32 bits, where a
 * block has 8, blocks 2 i and 2 i + 1. */
static void exchange_repeat(const exchange *e, uint32_t size, uint64_t repeat)
{
    unsigned char from[SIDE][NATIVE_BLOCK_BYTES], to[SIDE * NATIVE_BLOCK_BYTES];
    unsigned char *ub = e->core->buffer[TWK_UB];
    const uint32_t elements = e->bytes / size;
    for (uint32_t i = 0; i < SIDE; i++)
        memcpy(from[i], ub + e->src[i] + repeat * e->src_pitch, e->bytes);
    for (uint32_t element = 0; element < elements; element++)
        for (uint32_t block = 0; block < SIDE; block++)
            memcpy(to + (size_t)(element * SIDE + block) * size, from[block] + element * size,
                   size);
    for (uint32_t i = 0; i < SIDE; i++)
        memcpy(ub + e->dst[i] + repeat * e->dst_pitch, to + (size_t)i * e->bytes, e->bytes);
}

static uint64_t exchange_blocks(native_core *core, const twk_instruction *instruction,
                                uint32_t size)
{
    const uint64_t *argument = instruction->arguments;
    exchange e = {.core = core, .op = native_op_of(instruction)};
    (void)twin_native_operation(TWIN_PIPE_VECTOR, e.op);
    const uint32_t dst = va_register(core, instruction, 0, "dst", NATIVE_VA_REGISTERS - 2);
    const uint32_t src = va_register(core, instruction, 1, "src", NATIVE_VA_REGISTERS - 2);
    e.bytes = size == 1 ? PART : NATIVE_BLOCK_BYTES;
    for (uint32_t i = 0; i < SIDE; i++) {
        e.dst[i] = core->registers.va[dst + i / NATIVE_VA_ADDRESSES][i % NATIVE_VA_ADDRESSES];
        e.src[i] = core->registers.va[src + i / NATIVE_VA_ADDRESSES][i % NATIVE_VA_ADDRESSES];
        if ((e.dst[i] | e.src[i]) % NATIVE_BLOCK_BYTES != 0 || (e.dst[i] | e.src[i]) > UINT32_MAX)
            twin_native_refuse(core, TWIN_NATIVE_ALIGNMENT,
                               "block %u is at %llu of dst and %llu of src; both must be multiples "
                               "of %u in UB",
                               i, (unsigned long long)e.dst[i], (unsigned long long)e.src[i],
                               NATIVE_BLOCK_BYTES);
        e.dst[i] += size == 1 && native_argument_bool(instruction, 5) ? PART : 0;
        e.src[i] += size == 1 && native_argument_bool(instruction, 6) ? PART : 0;
    }
    e.repeats = (uint8_t)argument[2];
    e.first = e.repeats == 1;
    e.dst_pitch = (uint64_t)(uint16_t)argument[3] * NATIVE_BLOCK_BYTES;
    e.src_pitch = (uint64_t)(uint16_t)argument[4] * NATIVE_BLOCK_BYTES;
    if (e.repeats == 0)
        return 0;
    find_blocks(&e, "src", e.src, e.src_pitch, false);
    find_blocks(&e, "dst", e.dst, e.dst_pitch, true);
    twin_native_vector_fit(core, 0, (uint64_t)e.repeats * SQUARE / NATIVE_REPEAT_BYTES, 1);
    for (uint32_t repeat = 0; repeat < e.repeats && native_computes(core); repeat++)
        exchange_repeat(&e, size, e.first + repeat);
    return 0;
}

uint64_t twin_instruction_scatter_vnchwconv_b8(native_core *core,
                                               const twk_instruction *instruction)
{
    return exchange_blocks(core, instruction, 1);
}

uint64_t twin_instruction_scatter_vnchwconv_b16(native_core *core,
                                                const twk_instruction *instruction)
{
    return exchange_blocks(core, instruction, 2);
}

uint64_t twin_instruction_scatter_vnchwconv_b32(native_core *core,
                                                const twk_instruction *instruction)
{
    return exchange_blocks(core, instruction, 4);
}
