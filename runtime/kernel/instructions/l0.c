/* SPDX-License-Identifier: Apache-2.0 */
/* Fractals of 512 bytes: to L0A and L0B, and from global memory; turned on the way if wanted. */
#include <string.h>

#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/fractal.h"
#include "kernel/instructions/strips.h"
#include "twinrt/kernel.h"

#define UNIT    32u  /* L1: bytes to which offsets are multiples */
#define FRACTAL 512u /* bytes */

/* Where squares or fractals come from, one after the other, and where they go. */
typedef struct route {
    uint64_t from; /* of the first one */
    uint64_t from_step;
    uint64_t to;
    uint64_t to_step;
    uint64_t count;
    bool down; /* addresses of the source fall */
} route;

/* `start`, `repeat`, strides and the gap are the arguments from 2 on. Squares have `bytes`. */
static route route_of(native_core *core, const twk_instruction *instruction, uint64_t bytes,
                      uint32_t mode)
{
    const uint64_t start = native_argument16(core, instruction, 2, "start");
    const uint64_t stride = native_argument16(core, instruction, 4, "src_stride");
    const uint64_t gap = native_argument16(core, instruction, 5, "dst_gap");
    route r = {.from = instruction->arguments[1],
               .from_step = stride * bytes,
               .to = instruction->arguments[0],
               .to_step = (gap + 1) * FRACTAL,
               .count = native_argument(core, instruction, 3, "repeat", 255),
               .down = native_argument(core, instruction, mode, "address_mode", 1) != 0};
    if (r.down && r.count > 0 && (r.count - 1) * stride > start)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "start is %llu; %llu times down by %llu is before the matrix",
                           (unsigned long long)start, (unsigned long long)(r.count - 1),
                           (unsigned long long)stride);
    r.from += (r.down ? start - (r.count > 0 ? r.count - 1 : 0) * stride : start) * bytes;
    return r;
}

/* Squares of L1 that are read: the lowest first. */
static const unsigned char *read_squares(native_core *core, native_op op, const route *r,
                                         uint64_t bytes)
{
    return twin_native_read_pieces(core, TWK_L1, TWIN_PIPE_MTE1, op,
                                   &(native_pieces){r->from, bytes, r->from_step, r->count, UNIT});
}

/* The number of a square that is read, counted from the lowest. */
static uint64_t place(const route *r, uint64_t number)
{
    return r->down ? r->count - 1 - number : number;
}

static void check_local(native_core *core, const twk_instruction *instruction, uint32_t buffer)
{
    (void)native_argument_local(core, instruction, 0, buffer);
    (void)native_argument_local(core, instruction, 1, TWK_L1);
}

static void load_time(native_core *core, uint32_t buffer, uint64_t bytes)
{
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, TWIN_PIPE_MTE1, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         native_divide_up(bytes, buffer == TWK_L0A ? properties->l0a_load_bytes
                                                                   : properties->l0b_load_bytes));
}

/* ---- fractals as they are, or turned each ---------------------------------------------------- */

static uint64_t load(native_core *core, const twk_instruction *instruction, uint32_t buffer)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE1, op);
    check_local(core, instruction, buffer);
    const route r = route_of(core, instruction, FRACTAL, 8);
    const bool turned = native_argument(core, instruction, 7, "transpose", 1) != 0;
    if (turned && native_size_of(instruction->types[0]) != 2)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "transpose is 1; it is for elements of 2 bytes alone");
    if (r.count == 0)
        return 0;
    const unsigned char *from = read_squares(core, op, &r, FRACTAL);
    unsigned char *to =
        twin_native_write_pieces(core, buffer, TWIN_PIPE_MTE1, op,
                                 &(native_pieces){r.to, FRACTAL, r.to_step, r.count, FRACTAL});
    for (uint64_t i = 0; i < r.count && native_computes(core); i++) {
        const unsigned char *square = from + place(&r, i) * r.from_step;
        if (turned)
            twin_native_turn_fractal(to + i * r.to_step, square);
        else
            memcpy(to + i * r.to_step, square, FRACTAL);
    }
    load_time(core, buffer, r.count * FRACTAL);
    return 0;
}

uint64_t twin_instruction_load_cbuf_to_ca(native_core *core, const twk_instruction *instruction)
{
    return load(core, instruction, TWK_L0A);
}
uint64_t twin_instruction_load_cbuf_to_ca_s4(native_core *core, const twk_instruction *instruction)
{
    return load(core, instruction, TWK_L0A);
}
uint64_t twin_instruction_load_cbuf_to_cb(native_core *core, const twk_instruction *instruction)
{
    return load(core, instruction, TWK_L0B);
}
uint64_t twin_instruction_load_cbuf_to_cb_s4(native_core *core, const twk_instruction *instruction)
{
    return load(core, instruction, TWK_L0B);
}

/* ---- squares, turned ------------------------------------------------------------------------- */

/* A square: as many fractals side by side, or one below the other, as make its sides equal. */
typedef struct square {
    uint32_t bits; /* of an element */
    uint32_t side, fractals;
} square;

static uint32_t get_bits(const unsigned char *from, uint32_t bits, uint32_t index)
{
    uint32_t value = 0;
    if (bits == 4)
        return from[index / 2] >> index % 2 * 4 & 15u;
    memcpy(&value, from + (size_t)index * (bits / 8), bits / 8);
    return value;
}

static void put_bits(unsigned char *to, uint32_t bits, uint32_t index, uint32_t value)
{
    if (bits == 4)
        to[index / 2] =
            (unsigned char)((to[index / 2] & 0xf0u >> index % 2 * 4) | value << index % 2 * 4);
    else
        memcpy(to + (size_t)index * (bits / 8), &value, bits / 8);
}

/* Elements of 4 bytes: two fractals of 16 by 8 side by side; smaller ones: fractals of 16 rows, one
 * below the other. */
static uint32_t element_at(const square *s, uint32_t row, uint32_t column)
{
    return s->bits == 32 ? column / 8 * 128 + row * 8 + column % 8 : row * s->side + column;
}

static void turn_square(const square *s, unsigned char *to, uint64_t to_step,
                        const unsigned char *from)
{
    const uint32_t wide = FRACTAL * 8 / s->bits / 16; /* columns of a fractal */
    for (uint32_t row = 0; row < s->side; row++)
        for (uint32_t column = 0; column < s->side; column++) {
            /* Of 4 bytes, columns of the result are shared by its fractals, else rows are. */
            const uint32_t part = s->bits == 32 ? column / wide : row / 16;
            const uint32_t at =
                s->bits == 32 ? row * wide + column % wide : row % 16 * wide + column;
            put_bits(to + part * to_step, s->bits, at,
                     get_bits(from, s->bits, element_at(s, column, row)));
        }
}

static square square_of(uint32_t size)
{
    switch (size) {
    case 0:
        return (square){4, 64, 4};
    case 1:
        return (square){8, 32, 2};
    case 2:
        return (square){16, 16, 1};
    default:
        return (square){32, 16, 2};
    }
}

static uint64_t load_turned(native_core *core, const twk_instruction *instruction, uint32_t buffer)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE1, op);
    check_local(core, instruction, buffer);
    const square s = square_of(native_size_of(instruction->types[0]));
    const uint64_t bytes = (uint64_t)s.fractals * FRACTAL;
    const route r = route_of(core, instruction, bytes, 6);
    const uint64_t step =
        (native_argument16(core, instruction, 7, "dst_fractal_gap") + UINT64_C(1)) * FRACTAL;
    if (r.count == 0)
        return 0;
    const unsigned char *from = read_squares(core, op, &r, bytes);
    for (uint64_t i = 0; i < r.count; i++) {
        unsigned char *to = twin_native_write_pieces(
            core, buffer, TWIN_PIPE_MTE1, op,
            &(native_pieces){r.to + i * r.to_step, FRACTAL, step, s.fractals, FRACTAL});
        if (native_computes(core))
            turn_square(&s, to, step, from + place(&r, i) * r.from_step);
    }
    load_time(core, buffer, r.count * bytes);
    return 0;
}

uint64_t twin_instruction_load_cbuf_to_ca_transpose(native_core *core,
                                                    const twk_instruction *instruction)
{
    return load_turned(core, instruction, TWK_L0A);
}
uint64_t twin_instruction_load_cbuf_to_cb_transpose(native_core *core,
                                                    const twk_instruction *instruction)
{
    return load_turned(core, instruction, TWK_L0B);
}
uint64_t twin_instruction_load_cbuf_to_cb_transpose_s4(native_core *core,
                                                       const twk_instruction *instruction)
{
    return load_turned(core, instruction, TWK_L0B);
}

/* ---- sparse ---------------------------------------------------------------------------------- */

/* The source has the address of the index in its upper half: 128 bytes for each fractal, which go
 * to a buffer that only products read. */
uint64_t twin_instruction_load_cbuf_to_cb_sp(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE1, op);
    const uint64_t to = native_argument_local(core, instruction, 0, TWK_L0B);
    const uint64_t start = native_argument16(core, instruction, 2, "start");
    const uint64_t count = native_argument(core, instruction, 3, "repeat", 255);
    const uint64_t bytes = count * FRACTAL, part = bytes / NATIVE_INDEX_SHARE;
    const uint64_t from = (uint32_t)instruction->arguments[1] + start * FRACTAL;
    const uint64_t index = (instruction->arguments[1] >> 32) + start * FRACTAL / NATIVE_INDEX_SHARE;
    if (count == 0)
        return 0;
    const unsigned char *elements =
        twin_native_source(core, TWK_L1, TWIN_PIPE_MTE1, op, from, bytes, UNIT);
    const unsigned char *which =
        twin_native_source(core, TWK_L1, TWIN_PIPE_MTE1, op, index, part, UNIT);
    unsigned char *b = twin_native_target(core, TWK_L0B, TWIN_PIPE_MTE1, op, to, bytes, FRACTAL);
    unsigned char *kept = twin_native_target(core, NATIVE_INDEX, TWIN_PIPE_MTE1, op,
                                             to / NATIVE_INDEX_SHARE, part, 1);
    if (native_computes(core)) {
        memcpy(b, elements, bytes);
        memcpy(kept, which, part);
    }
    load_time(core, TWK_L0B, bytes + part);
    return 0;
}

/* ---- from global memory ---------------------------------------------------------------------- */

static uint64_t load_global(native_core *core, const twk_instruction *instruction, uint32_t buffer)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE2, op);
    (void)native_argument_local(core, instruction, 0, buffer);
    const route r = route_of(core, instruction, FRACTAL, 7);
    if (r.count == 0)
        return 0;
    twin_native_check_global(core, op, r.from, r.from_step, (uint32_t)r.count, FRACTAL, false);
    unsigned char *to = twin_native_write_pieces(
        core, buffer, TWIN_PIPE_MTE2, op,
        &(native_pieces){r.to, FRACTAL, r.to_step, r.count, buffer == TWK_L1 ? UNIT : FRACTAL});
    for (uint64_t i = 0; i < r.count; i++)
        twin_native_global_read(core, TWIN_PIPE_MTE2, op, r.from + place(&r, i) * r.from_step,
                                FRACTAL, to + i * r.to_step);
    twin_native_step(core, TWIN_PIPE_MTE2, TWIN_STEP_WORK, 0, core->run->call.core->mte_start);
    const native_rows rows = {.address = r.from,
                              .pitch = r.from_step < FRACTAL ? FRACTAL : r.from_step,
                              .rows = (uint32_t)r.count,
                              .bytes = FRACTAL};
    twin_native_global_step(core, TWIN_PIPE_MTE2, TWIN_STEP_READ, &rows);
    return 0;
}

#define TWIN_LOAD(name, buffer)                                                                    \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return load_global(core, instruction, buffer);                                             \
    }
TWIN_LOAD(load_gm_to_cbuf, TWK_L1)
TWIN_LOAD(load_gm_to_ca, TWK_L0A)
TWIN_LOAD(load_gm_to_cb, TWK_L0B)
TWIN_LOAD(load_gm_to_ca_s4, TWK_L0A)
TWIN_LOAD(load_gm_to_cb_s4, TWK_L0B)
#undef TWIN_LOAD
