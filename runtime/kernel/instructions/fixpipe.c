/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way out of L0C: converted, and as rows or in the layout of L1. */
#include <math.h>
#include <string.h>

#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/strips.h"
#include "kernel/instructions/units.h"
#include "kernel/loops.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define BLOCK   32u
#define EDGE    16u   /* columns of a fractal of L0C */
#define ROW     64u   /* bytes of a row of one */
#define FRACTAL 1024u /* bytes of 16 x 16 results */

/* QuantMode_t of the device's compiler. */
enum {
    NO_QUANT = 0,
    F32_TO_F16 = 1,
    VECTOR_REQ8 = 2,
    REQ8 = 3,
    VECTOR_DEQF16 = 4,
    DEQF16 = 5,
    VECTOR_SHIFT_S16 = 12,
    SHIFT_S16 = 13,
    F32_TO_BF16 = 16,
    VECTOR_QF32_B8 = 23,
    QF32_B8 = 24
};

/* An instruction. */
typedef struct fixpipe {
    native_op op;
    uint32_t from, type; /* of what L0C holds, and of what leaves it */
    uint32_t size;       /* bytes of the latter */
    uint32_t m, n;
    uint64_t src, dst;
    uint64_t src_pitch;  /* bytes from one column of fractals to the next */
    uint64_t dst_stride; /* in elements or blocks */
    uint32_t unit_flag, quant;
    bool relu, split, rows;
    uint64_t matrices, src_matrix, dst_matrix; /* number, and bytes from one to the next */
} fixpipe;

/* ---- the instruction ------------------------------------------------------------------------- */

/* All arguments, or packed in two words. */
static fixpipe fixpipe_of(native_core *core, const twk_instruction *instruction)
{
    fixpipe f = {.op = native_op_of(instruction),
                 .type = instruction->types[0],
                 .from = instruction->types[1],
                 .dst = instruction->arguments[0],
                 .src = instruction->arguments[1],
                 .matrices = 1};
    uint64_t relu;
    if (instruction->count == 4) {
        const uint64_t xm = instruction->arguments[2], xt = instruction->arguments[3];
        f.n = xm >> 4 & 0xfff;
        f.m = xm >> 16 & 0xffff;
        f.dst_stride = xm >> 32;
        f.src_pitch = (xt & 0xffff) * ROW;
        f.unit_flag = xt >> 32 & 3;
        f.quant = xt >> 34 & 0x1f;
        relu = xt >> 39 & 7;
        f.split = (xt >> 42 & 1) != 0;
        f.rows = (xt >> 43 & 1) != 0;
    } else {
        f.n = (uint32_t)native_argument(core, instruction, 3, "n", 4095);
        f.m = native_argument16(core, instruction, 4, "m");
        f.dst_stride = native_argument(core, instruction, 5, "dst_stride", UINT32_MAX);
        f.src_pitch = (uint64_t)native_argument16(core, instruction, 6, "src_stride") * ROW;
        f.unit_flag = (uint32_t)native_argument(core, instruction, 7, "unit_flag", 3);
        f.quant = (uint32_t)native_argument(core, instruction, 8, "quant", 31);
        relu = instruction->arguments[9];
        f.split = native_argument_bool(instruction, 10);
        f.rows = native_argument_bool(instruction, 11);
    }
    if (relu > 1)
        twin_native_bad_argument(core, "relu", relu, 0, 1);
    f.relu = relu != 0;
    f.size = twin_native_check_type(core, f.type);
    return f;
}

static bool is_vector(uint32_t quant)
{
    return quant == VECTOR_SHIFT_S16 || quant == VECTOR_REQ8 || quant == VECTOR_DEQF16 ||
           quant == VECTOR_QF32_B8;
}

static bool makes(const fixpipe *f)
{
    const bool bytes = f->type == TWK_INT8 || f->type == TWK_UINT8;
    switch (f->quant) {
    case NO_QUANT:
        return f->type == f->from;
    case F32_TO_F16:
        return f->from == TWK_FP32 && f->type == TWK_FP16;
    case F32_TO_BF16:
        return f->from == TWK_FP32 && f->type == TWK_BF16;
    case VECTOR_QF32_B8:
    case QF32_B8:
        return f->from == TWK_FP32 && bytes;
    case VECTOR_DEQF16:
    case DEQF16:
        return f->from == TWK_INT32 && f->type == TWK_FP16;
    case VECTOR_REQ8:
    case REQ8:
        return f->from == TWK_INT32 && bytes;
    case VECTOR_SHIFT_S16:
    case SHIFT_S16:
        return f->from == TWK_INT32 && f->type == TWK_INT16;
    default:
        return false;
    }
}

static void check(native_core *core, const fixpipe *f, bool global)
{
    if (!makes(f))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "quant %u makes no %s from %s", f->quant,
                           twin_native_type_name(f->type), twin_native_type_name(f->from));
    if (f->split && (f->rows || !global || f->type != TWK_FP32))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "channel_split is 1; it is for FP32 in fractals to global memory");
    if (f->rows && !global)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "nz_to_nd is 1; rows go to global memory alone");
    const uint32_t unit = f->rows ? 1 : f->split ? 8 : EDGE;
    if (f->n % unit != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "n is %u; it must be a multiple of %u",
                           f->n, unit);
    if (f->rows && f->m > 8192)
        twin_native_bad_argument(core, "m", f->m, 0, 8192);
}

/* Bits 0 to 15 of ND_PARA are how many matrices, then their strides: in fractals, and elements. */
static void take_matrices(native_core *core, fixpipe *f)
{
    const uint64_t nd = core->registers.nd;
    if (!f->rows)
        return;
    f->matrices = nd & 0xffff;
    if (f->matrices == 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "nz_to_nd is 1 and set_nd_para counts 0 matrices; it must count 1 or "
                           "more");
    f->src_matrix = (nd >> 16 & 0xffff) * FRACTAL;
    f->dst_matrix = (nd >> 32 & 0xffff) * f->size;
}

/* ---- conversion ------------------------------------------------------------------------------ */

/* Parameters of a column, or of all. */
typedef struct scaling {
    float factor;
    int32_t offset;
    uint32_t shift;   /* 0: none */
    uint32_t shorter; /* shift of conversions to INT16, which have no bit for it */
    bool is_signed;
} scaling;

/* Bits 0 to 31 are a float of which 10 bits of the mantissa count; 32 to 35 a shift less 1, if bit
 * 36 is set; 37 to 45 an offset; bit 46 whether bytes are signed. */
static scaling scaling_of(uint64_t word)
{
    return (scaling){.factor = twin_bits_float((uint32_t)word & 0xffffe000u),
                     .offset = (int32_t)((word >> 37 & 0x1ff) ^ 0x100) - 0x100,
                     .shift = word >> 36 & 1 ? (uint32_t)(word >> 32 & 15) + 1 : 0,
                     .shorter = (uint32_t)(word >> 32 & 15) + 1,
                     .is_signed = (word >> 46 & 1) != 0};
}

/* Scalings of 16 columns. */
static void take_scalings(const native_core *core, const fixpipe *f, uint32_t column,
                          uint32_t count, scaling out[EDGE])
{
    const uint64_t at = (core->registers.fixpipe >> 8 & 0xff) * 128 + (uint64_t)column * 8;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = core->registers.quantize;
        if (is_vector(f->quant))
            memcpy(&word, core->buffer[NATIVE_FB] + at + (size_t)i * 8, sizeof(word));
        out[i] = scaling_of(word);
    }
}

static float clipped(float value, float least, float most)
{
    return isnan(value) ? 0 : value < least ? least : value > most ? most : value;
}

static int16_t shifted(uint32_t bits, uint32_t shift)
{
    const int32_t whole = (int32_t)bits >> shift;
    return (int16_t)(whole < INT16_MIN ? INT16_MIN : whole > INT16_MAX ? INT16_MAX : whole);
}

/* What is multiplied: a number as it is, or shifted and cut off to 16 bits. */
static float scaled(const fixpipe *f, const scaling *by, uint32_t bits)
{
    float value = twin_bits_float(bits);
    if (f->from == TWK_INT32)
        value = (float)(by->shift > 0 ? shifted(bits, by->shift) : (int32_t)bits);
    return f->relu && value < 0 ? 0 : value * by->factor;
}

static unsigned char to_byte(const fixpipe *f, const scaling *by, uint32_t bits)
{
    const int32_t whole = (int32_t)rintf(clipped(scaled(f, by, bits), -256, 255)) + by->offset;
    const int32_t least = by->is_signed ? -128 : 0, most = by->is_signed ? 127 : 255;
    return (unsigned char)(whole < least ? least : whole > most ? most : whole);
}

/* The nearest FP16 or BF16; what is too large for it as CTRL has it. */
static uint16_t to_half(native_core *core, const fixpipe *f, float value)
{
    const uint16_t infinite = f->type == TWK_FP16 ? 0x7c00u : 0x7f80u;
    const uint16_t half = f->type == TWK_FP16 ? twin_float_half(value) : twin_float_bfloat16(value);
    if (__builtin_expect((half & infinite) != infinite, 1))
        return half;
    core->run->overflowed = core->run->overflowed || isfinite(value);
    if (!native_saturates(core))
        return half;
    return (half & 0x7fffu) > infinite ? 0 : (uint16_t)((half & 0x8000u) + infinite - 1);
}

/* `count` results side by side. */
static void convert(native_core *core, const fixpipe *f, const scaling by[EDGE],
                    const unsigned char *from, uint32_t count, unsigned char *to)
{
    uint32_t bits[EDGE];
    uint16_t halves[EDGE];
    memcpy(bits, from, count * sizeof(*bits));
    if (f->relu && f->from == f->type && f->quant == NO_QUANT)
        for (uint32_t i = 0; i < count; i++)
            bits[i] = bits[i] >> 31 ? 0 : bits[i];
    switch (f->quant) {
    case NO_QUANT:
        memcpy(to, bits, count * sizeof(*bits));
        return;
    case F32_TO_F16:
    case F32_TO_BF16:
        for (uint32_t i = 0; i < count; i++)
            halves[i] = f->relu && bits[i] >> 31 ? 0 : to_half(core, f, twin_bits_float(bits[i]));
        memcpy(to, halves, count * sizeof(*halves));
        return;
    case DEQF16:
    case VECTOR_DEQF16:
        for (uint32_t i = 0; i < count; i++)
            halves[i] = to_half(core, f, scaled(f, &by[i], bits[i]));
        memcpy(to, halves, count * sizeof(*halves));
        return;
    case SHIFT_S16:
    case VECTOR_SHIFT_S16:
        for (uint32_t i = 0; i < count; i++)
            halves[i] = f->relu && bits[i] >> 31 ? 0 : (uint16_t)shifted(bits[i], by[i].shorter);
        memcpy(to, halves, count * sizeof(*halves));
        return;
    default:
        for (uint32_t i = 0; i < count; i++)
            to[i] = to_byte(f, &by[i], bits[i]);
    }
}

/* ---- where results go ------------------------------------------------------------------------ */

/* Some columns: groups of `group` columns, each with its rows. */
typedef struct sink {
    unsigned char *at;
    uint64_t group_pitch, row_pitch;
    uint32_t first, columns, group;
} sink;

static void convert_all(native_core *core, const fixpipe *f, const unsigned char *from,
                        const sink *out)
{
    scaling by[EDGE];
    const uint32_t step = out->group < EDGE ? out->group : EDGE;
    for (uint32_t column = 0; column < out->columns; column += step) {
        const uint32_t left = out->columns - column, count = left < step ? left : step;
        const uint32_t of = out->first + column;
        const unsigned char *source = from + of / EDGE * f->src_pitch + (uint64_t)(of % EDGE) * 4;
        unsigned char *to = out->at + column / out->group * out->group_pitch +
                            (uint64_t)(column % out->group) * f->size;
        take_scalings(core, f, of, count, by);
        for (uint32_t row = 0; row < f->m; row++)
            convert(core, f, by, source + (size_t)row * ROW, count, to + row * out->row_pitch);
    }
}

/* Groups become rows of global memory, each with `bytes`. */
static unsigned char *to_global(native_core *core, const fixpipe *f, uint64_t address,
                                uint64_t pitch, uint32_t rows, uint64_t bytes)
{
    const uint32_t atomic = native_atomic(&core->registers);
    const uint32_t type = native_atomic_type(&core->registers);
    if (rows > 1 && pitch < bytes)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "rows of %llu bytes, %llu from one to the next",
                           (unsigned long long)bytes, (unsigned long long)pitch);
    if (atomic > TWK_ATOMIC_MIN || (atomic && type != f->type))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "results are %s, and atomic stores are of %s",
                           twin_native_type_name(f->type), twin_native_type_name(type));
    if (atomic && (address % f->size != 0 || pitch % f->size != 0))
        twin_native_fail(core, TWIN_NATIVE_ALIGNMENT, &address,
                         "%s: global address 0x%llx and pitch %llu are not multiples of %u",
                         twin_native_op_name(f->op), (unsigned long long)address,
                         (unsigned long long)pitch, f->size);
    twin_native_check_global(core, f->op, address, pitch, rows, (uint32_t)bytes, true);
    twin_native_global_step(core, TWIN_PIPE_FIX, TWIN_STEP_WRITE,
                            &(native_rows){.address = address,
                                           .pitch = pitch,
                                           .rows = rows,
                                           .bytes = (uint32_t)bytes,
                                           .bits = atomic ? TWIN_STEP_ATOMIC : 0});
    return twin_native_global_write(core, TWIN_PIPE_FIX, f->op,
                                    &(native_write){.address = address,
                                                    .pitch = pitch,
                                                    .rows = rows,
                                                    .bytes = (uint32_t)bytes,
                                                    .atomic = (uint8_t)atomic,
                                                    .type = (uint8_t)type});
}

static void put_rows(native_core *core, const fixpipe *f, const unsigned char *from, uint64_t dst)
{
    const uint64_t bytes = (uint64_t)f->n * f->size;
    const sink out = {.at = to_global(core, f, dst, f->dst_stride * f->size, f->m, bytes),
                      .row_pitch = bytes,
                      .columns = f->n,
                      .group = f->n};
    if (native_computes(core))
        convert_all(core, f, from, &out);
}

/* Columns [first, first + columns) as fractals of `group` columns. */
static void put_fractals(native_core *core, const fixpipe *f, const unsigned char *from,
                         bool global, uint32_t first, uint32_t columns, uint32_t group)
{
    if (columns == 0)
        return;
    const uint64_t bytes = (uint64_t)f->m * group * f->size, pitch = f->dst_stride * BLOCK;
    const uint64_t dst = f->dst + first / group * pitch;
    sink out = {
        .row_pitch = (uint64_t)group * f->size, .first = first, .columns = columns, .group = group};
    if (global) {
        out.at = to_global(core, f, dst, pitch, columns / group, bytes);
        out.group_pitch = bytes;
    } else {
        out.at =
            twin_native_write_pieces(core, TWK_L1, TWIN_PIPE_FIX, f->op,
                                     &(native_pieces){dst, bytes, pitch, columns / group, BLOCK});
        out.group_pitch = pitch;
    }
    if (native_computes(core))
        convert_all(core, f, from, &out);
}

/* Of bytes two fractals are one of 32 columns; one that is left over remains as it is. */
static void put_layout(native_core *core, const fixpipe *f, const unsigned char *from, bool global)
{
    const uint32_t group = f->split ? 8 : f->size == 1 ? 2 * EDGE : EDGE;
    const uint32_t merged = f->n / group * group;
    put_fractals(core, f, from, global, 0, merged, group);
    if (merged == f->n)
        return;
    /* Its place is that of the next pair. */
    fixpipe rest = *f;
    rest.dst =
        f->dst + merged / group * f->dst_stride * BLOCK - merged / EDGE * f->dst_stride * BLOCK;
    put_fractals(core, &rest, from, global, merged, f->n - merged, EDGE);
}

/* Columns of fractals that are read. */
static native_pieces columns_of(const fixpipe *f, uint64_t matrix)
{
    return (native_pieces){.at = f->src + matrix * f->src_matrix,
                           .bytes = (uint64_t)f->m * ROW,
                           .pitch = f->src_pitch,
                           .count = native_divide_up(f->n, EDGE),
                           .unit = ROW};
}

static uint64_t move_out(native_core *core, const twk_instruction *instruction, bool global)
{
    (void)twin_native_operation(TWIN_PIPE_FIX, native_op_of(instruction));
    fixpipe f = fixpipe_of(core, instruction);
    check(core, &f, global);
    take_matrices(core, &f);
    (void)native_argument_local(core, instruction, 1, TWK_L0C);
    if (!global)
        (void)native_argument_local(core, instruction, 0, TWK_L1);
    if (f.m == 0 || f.n == 0 || f.matrices == 0)
        return 0;
    if (is_vector(f.quant))
        (void)twin_native_source(core, NATIVE_FB, TWIN_PIPE_FIX, f.op,
                                 (core->registers.fixpipe >> 8 & 0xff) * 128, (uint64_t)f.n * 8, 1);
    for (uint64_t matrix = 0; matrix < f.matrices; matrix++) {
        const native_pieces columns = columns_of(&f, matrix);
        (void)twin_native_local(core, TWK_L0C, columns.at,
                                (columns.count - 1) * columns.pitch + columns.bytes, ROW);
        twin_native_units_empty(core, f.unit_flag, &columns);
    }
    const twin_core_properties *properties = core->run->call.core;
    const uint64_t held = native_round_up(f.m, EDGE) * native_round_up(f.n, EDGE) * 4;
    twin_native_step(core, TWIN_PIPE_FIX, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         (global ? 0 : native_divide_up(held, properties->l0c_read_bytes)));
    for (uint64_t matrix = 0; matrix < f.matrices; matrix++) {
        const native_pieces columns = columns_of(&f, matrix);
        const unsigned char *from =
            twin_native_read_pieces(core, TWK_L0C, TWIN_PIPE_FIX, f.op, &columns);
        if (f.rows)
            put_rows(core, &f, from, f.dst + matrix * f.dst_matrix);
        else
            put_layout(core, &f, from, global);
        twin_native_units_emptied(core, f.unit_flag, &columns);
    }
    return 0;
}

uint64_t twin_instruction_copy_matrix_cc_to_gm(native_core *core,
                                               const twk_instruction *instruction)
{
    return move_out(core, instruction, true);
}

uint64_t twin_instruction_copy_matrix_cc_to_cbuf(native_core *core,
                                                 const twk_instruction *instruction)
{
    return move_out(core, instruction, false);
}
