/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of global memory in the layout of L1; buffers that are filled; the bias table, the
 * fixpipe buffer and L0C from L1. */
#include <string.h>

#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/strips.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define BLOCK   32u  /* bytes of a row of a fractal */
#define FRACTAL 512u /* bytes */

/* ---- matrices -------------------------------------------------------------------------------- */

/* Rows of d elements become columns of blocks. */
typedef struct matrices {
    uint64_t count, rows, bytes; /* of a row */
    uint64_t gm, gm_pitch, gm_stride;
    uint64_t to, block_pitch, row_pitch, stride; /* in L1 */
    uint64_t columns;                            /* blocks of a row */
} matrices;

static matrices matrices_of(native_core *core, const twk_instruction *instruction, uint32_t size)
{
    const uint64_t d = native_argument16(core, instruction, 5, "d");
    return (matrices){
        .count = native_argument(core, instruction, 3, "nd_count", 4095),
        .rows = native_argument(core, instruction, 4, "n", 16384),
        .bytes = d * size,
        .gm = instruction->arguments[1],
        .gm_pitch = (uint64_t)native_argument16(core, instruction, 7, "src_d") * size,
        .gm_stride = (uint64_t)native_argument16(core, instruction, 6, "src_nd_stride") * size,
        .to = native_argument_local(core, instruction, 0, TWK_L1),
        .block_pitch = native_argument(core, instruction, 8, "dst_c0_stride", 16384) * BLOCK,
        .row_pitch = native_argument(core, instruction, 9, "dst_n_stride", 16384) * BLOCK,
        .stride = (uint64_t)native_argument16(core, instruction, 10, "dst_nd_stride") * size,
        .columns = native_divide_up(d * size, BLOCK)};
}

/* Where blocks go: all side by side, or column by column. */
static void note_blocks(native_core *core, native_op op, const matrices *m, uint64_t to)
{
    const bool dense = m->row_pitch == BLOCK && m->block_pitch == m->rows * BLOCK;
    const uint64_t span = (m->rows - 1) * m->row_pitch + (m->columns - 1) * m->block_pitch + BLOCK;
    (void)twin_native_local(core, TWK_L1, to, span, BLOCK);
    if (dense) {
        twin_native_hazard_write(core, TWK_L1, TWIN_PIPE_MTE2, op, (uint32_t)to, (uint32_t)span);
        return;
    }
    for (uint64_t column = 0; column < m->columns; column++)
        (void)twin_native_write_pieces(
            core, TWK_L1, TWIN_PIPE_MTE2, op,
            &(native_pieces){to + column * m->block_pitch, BLOCK, m->row_pitch, m->rows, BLOCK});
}

static void read_matrix(native_core *core, native_op op, const matrices *m, uint64_t gm,
                        unsigned char *to)
{
    unsigned char *row_data = twin_native_scratch(core);
    memset(row_data, 0, m->columns * BLOCK);
    for (uint64_t row = 0; row < m->rows; row++) {
        twin_native_global_read(core, TWIN_PIPE_MTE2, op, gm + row * m->gm_pitch,
                                (uint32_t)m->bytes, row_data);
        for (uint64_t column = 0; column < m->columns; column++)
            memcpy(to + row * m->row_pitch + column * m->block_pitch, row_data + column * BLOCK,
                   BLOCK);
    }
}

/* Its place among the writes of the block, for a kernel that is only timed. */
static void touch_matrix(native_core *core, native_op op, const matrices *m, uint64_t gm)
{
    if (!twin_native_overlay_near(&core->run->memory, &core->block->writes, gm,
                                  (m->rows - 1) * m->gm_pitch + m->bytes))
        return;
    for (uint64_t row = 0; row < m->rows; row++)
        twin_native_global_read(core, TWIN_PIPE_MTE2, op, gm + row * m->gm_pitch,
                                (uint32_t)m->bytes, NULL);
}

static uint64_t load_matrices(native_core *core, const twk_instruction *instruction, uint32_t size)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE2, op);
    const matrices m = matrices_of(core, instruction, size);
    if (m.count == 0 || m.rows == 0 || m.bytes == 0)
        return 0;
    twin_native_step(core, TWIN_PIPE_MTE2, TWIN_STEP_WORK, 0, core->run->call.core->mte_start);
    for (uint64_t i = 0; i < m.count; i++) {
        const uint64_t gm = m.gm + i * m.gm_stride, to = m.to + i * m.stride;
        twin_native_check_global(core, op, gm, m.gm_pitch, (uint32_t)m.rows, (uint32_t)m.bytes,
                                 false);
        note_blocks(core, op, &m, to);
        if (native_computes(core))
            read_matrix(core, op, &m, gm, core->buffer[TWK_L1] + to);
        else
            touch_matrix(core, op, &m, gm);
        const native_rows rows = {.address = gm,
                                  .pitch = m.gm_pitch < m.bytes ? m.bytes : m.gm_pitch,
                                  .rows = (uint32_t)m.rows,
                                  .bytes = (uint32_t)m.bytes};
        twin_native_global_step(core, TWIN_PIPE_MTE2, TWIN_STEP_READ, &rows);
    }
    return 0;
}

uint64_t twin_instruction_copy_gm_to_cbuf_multi_nd2nz_b8(native_core *core,
                                                         const twk_instruction *instruction)
{
    return load_matrices(core, instruction, 1);
}
uint64_t twin_instruction_copy_gm_to_cbuf_multi_nd2nz_b16(native_core *core,
                                                          const twk_instruction *instruction)
{
    return load_matrices(core, instruction, 2);
}
uint64_t twin_instruction_copy_gm_to_cbuf_multi_nd2nz_b32s(native_core *core,
                                                           const twk_instruction *instruction)
{
    return load_matrices(core, instruction, 4);
}

/* ---- buffers that are filled ----------------------------------------------------------------- */

typedef struct filled {
    uint32_t buffer, pipe, block;
} filled;

/* Bits 0 to 14 are how often, 16 to 30 how many blocks, 32 to 46 the gap after them in blocks. */
static uint64_t fill(native_core *core, const twk_instruction *instruction, const filled *place,
                     uint64_t config, uint32_t value)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(place->pipe, op);
    const uint32_t size = twin_native_check_type(core, instruction->types[0]);
    const uint64_t count = config & 0x7fff, blocks = config >> 16 & 0x7fff;
    const uint64_t gap = config >> 32 & 0x7fff;
    if (count == 0 || blocks == 0)
        return 0;
    const native_pieces pieces = {.at = native_argument_local(core, instruction, 0, place->buffer),
                                  .bytes = blocks * place->block,
                                  .pitch = (blocks + gap) * place->block,
                                  .count = count,
                                  .unit = place->block};
    unsigned char *to = twin_native_write_pieces(core, place->buffer, place->pipe, op, &pieces);
    for (uint64_t i = 0; i < count && native_computes(core); i++)
        twin_native_repeat(to + i * pieces.pitch, (uint32_t)(pieces.bytes / size), size, &value);
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, place->pipe, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         native_divide_up(count * pieces.bytes, place->buffer == TWK_L0A
                                                                    ? properties->l0a_load_bytes
                                                                    : properties->l0b_load_bytes));
    return 0;
}

static const filled in_l1 = {TWK_L1, TWIN_PIPE_MTE2, BLOCK};
static const filled in_l0a = {TWK_L0A, TWIN_PIPE_MTE1, FRACTAL};
static const filled in_l0b = {TWK_L0B, TWIN_PIPE_MTE1, FRACTAL};

#define TWIN_FILL(name, place)                                                                     \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return fill(core, instruction, &(place), instruction->arguments[1],                        \
                    (uint32_t)instruction->arguments[2]);                                          \
    }
TWIN_FILL(create_cbuf_matrix, in_l1)
TWIN_FILL(create_cbuf_matrix_bf16, in_l1)
TWIN_FILL(create_cbuf_matrix_h, in_l1)
TWIN_FILL(create_cbuf_matrix_ui, in_l1)
TWIN_FILL(create_ca_matrix, in_l0a)
TWIN_FILL(create_ca_matrix_bf16, in_l0a)
TWIN_FILL(create_ca_matrix_h, in_l0a)
TWIN_FILL(create_ca_matrix_ui, in_l0a)
TWIN_FILL(create_cb_matrix, in_l0b)
TWIN_FILL(create_cb_matrix_bf16, in_l0b)
TWIN_FILL(create_cb_matrix_h, in_l0b)
TWIN_FILL(create_cb_matrix_ui, in_l0b)
#undef TWIN_FILL

#define TWIN_FILL(name, place)                                                                     \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return fill(core, instruction, &(place), instruction->arguments[1], core->registers.fill); \
    }
TWIN_FILL(set_l1_2d, in_l1)
TWIN_FILL(set_l0a_2d, in_l0a)
TWIN_FILL(set_l0b_2d, in_l0b)
#undef TWIN_FILL

/* ---- from L1 to other buffers ---------------------------------------------------------------- */

typedef struct moved {
    uint32_t buffer, pipe;
    uint64_t to;
    uint32_t first;  /* argument of the number of bursts, which is before three others */
    uint32_t unit;   /* bytes of a unit of their length; `to` is a multiple of it */
    uint64_t to_gap; /* bytes of a unit of a gap at the target; at the source 32 */
    bool heads;      /* gaps are from the beginning of a burst to that of the next */
    bool open;       /* FP16 becomes FP32 */
} moved;

static void move_burst(const moved *how, unsigned char *to, const unsigned char *from,
                       uint64_t bytes)
{
    if (!how->open) {
        memcpy(to, from, bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes / 2; i++) {
        const float value = (float)twin_native_number(TWK_FP16, from + i * 2);
        memcpy(to + i * 4, &value, sizeof(value));
    }
}

static uint64_t move(native_core *core, const twk_instruction *instruction, const moved *how)
{
    const native_op op = native_op_of(instruction);
    const uint64_t count = native_argument(core, instruction, how->first, "burst_count", 4095);
    const uint64_t length = native_argument16(core, instruction, how->first + 1, "burst_length");
    const uint64_t src_gap = native_argument16(core, instruction, how->first + 2, "src_gap");
    const uint64_t dst_gap = native_argument16(core, instruction, how->first + 3, "dst_gap");
    if (count == 0 || length == 0)
        return 0;
    const uint64_t read = length * how->unit, written = read * (how->open ? 2 : 1);
    const native_pieces from = {.at = native_argument_local(core, instruction, 1, TWK_L1),
                                .bytes = read,
                                .pitch = (how->heads ? 0 : read) + src_gap * BLOCK,
                                .count = count,
                                .unit = BLOCK};
    const native_pieces to = {.at = how->to,
                              .bytes = written,
                              .pitch = (how->heads ? 0 : written) + dst_gap * how->to_gap,
                              .count = count,
                              .unit = how->unit};
    const unsigned char *source = twin_native_read_pieces(core, TWK_L1, how->pipe, op, &from);
    unsigned char *target = twin_native_write_pieces(core, how->buffer, how->pipe, op, &to);
    for (uint64_t i = 0; i < count && native_computes(core); i++)
        move_burst(how, target + i * to.pitch, source + i * from.pitch, from.bytes);
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, how->pipe, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         native_divide_up(count * to.bytes, properties->l0b_load_bytes));
    return 0;
}

/* Bursts are counted in 64 bytes of L1. */
uint64_t twin_instruction_copy_cbuf_to_bt(native_core *core, const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_MTE1, native_op_of(instruction));
    return move(core, instruction,
                &(moved){.buffer = NATIVE_BT,
                         .pipe = TWIN_PIPE_MTE1,
                         .to = native_argument_local(core, instruction, 0, NATIVE_BT),
                         .first = 3,
                         .unit = 64,
                         .to_gap = 64,
                         .open = native_argument(core, instruction, 2, "convert", 1) != 0});
}

/* Bursts are counted in 128 bytes. */
uint64_t twin_instruction_copy_cbuf_to_fbuf(native_core *core, const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_FIX, native_op_of(instruction));
    return move(core, instruction,
                &(moved){.buffer = NATIVE_FB,
                         .pipe = TWIN_PIPE_FIX,
                         .to = native_argument_local(core, instruction, 0, NATIVE_FB),
                         .first = 2,
                         .unit = 128,
                         .to_gap = 128,
                         .heads = true});
}
