/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that convert elements to another type. The last letter of a name is the rounding: r
 * to nearest, a to nearest with ties away from 0, f down, c up, z to 0, o to odd. */
#include <math.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

/* ---- one element ----------------------------------------------------------------------------- */

/* 64 bits as the double that rounds to each shorter format as the integer does: bits that do not
 * fit leave the last one set. */
static double wide_number(int64_t value)
{
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const int extra = size >> 53 ? 11 - __builtin_clzll(size) : 0;
    const uint64_t rest = size & ((UINT64_C(1) << extra) - 1);
    const double number = ldexp((double)(size >> extra | (rest != 0)), extra);
    return value < 0 ? -number : number;
}

static int64_t wide_integer(double value, uint32_t mode)
{
    const double whole = twin_native_whole(value, mode);
    return isnan(whole)        ? 0
           : whole >= 0x1p63   ? INT64_MAX
           : whole < -(0x1p63) ? INT64_MIN
                               : (int64_t)whole;
}

/* A number as an element; a floating one that is too large is an overflow. */
static void store(native_core *core, uint32_t type, void *to, double value, uint32_t mode)
{
    bool overflow = false;
    twin_native_store(type, to, value, mode, &overflow);
    core->run->overflowed = core->run->overflowed || overflow;
    if (!native_vector_saturates(core, type))
        return;
    const double stored = twin_native_number(type, to);
    if (!isfinite(stored))
        twin_native_store(type, to, twin_native_saturated(type, stored), TWK_ROUND_EVEN, &overflow);
}

/* ---- conversions ----------------------------------------------------------------------------- */

typedef struct conversion {
    uint8_t to, from, mode;
} conversion;

static double wide_or_nibble(const conversion *how, const unsigned char *from, uint32_t i)
{
    int64_t wide;
    if (how->from == TWK_NO_TYPE)
        return from[i] & 8 ? (double)from[i] - 16 : (double)from[i];
    if (how->from != TWK_INT64)
        return twin_native_number(how->from, from + (size_t)i * native_size_of(how->from));
    memcpy(&wide, from + (size_t)i * sizeof(wide), sizeof(wide));
    return wide_number(wide);
}

/* Where one of the types has 4 or 64 bits. */
static void convert_rare(const native_lane_work *work)
{
    const conversion *how = work->how;
    for (uint32_t i = 0; i < work->count; i++) {
        const double value = wide_or_nibble(how, work->a, i);
        if (how->to == TWK_INT64) {
            const int64_t wide = wide_integer(value, how->mode);
            memcpy(work->dst + (size_t)i * sizeof(wide), &wide, sizeof(wide));
        } else if (how->to == TWK_NO_TYPE) {
            const double whole = twin_native_whole(value, how->mode);
            work->dst[i] = (unsigned char)(isnan(whole) ? 0
                                           : whole < -8 ? 8
                                           : whole > 7  ? 7
                                                        : (int)whole & 15);
        } else {
            store(work->core, how->to, work->dst + (size_t)i * native_size_of(how->to), value,
                  how->mode);
        }
    }
}

/* To integers of at most 32 bits: the low bits are kept (bit 59 of CTRL). */
static void convert_truncating(const native_lane_work *work)
{
    const conversion *how = work->how;
    const uint32_t size = how->to == TWK_NO_TYPE ? 1 : native_size_of(how->to);
    for (uint32_t i = 0; i < work->count; i++) {
        int64_t wide;
        if (how->from == TWK_INT64)
            memcpy(&wide, work->a + (size_t)i * sizeof(wide), sizeof(wide));
        else
            wide = wide_integer(wide_or_nibble(how, work->a, i), how->mode);
        memcpy(work->dst + (size_t)i * size, &wide, size);
        if (how->to == TWK_NO_TYPE)
            work->dst[i] &= 15;
    }
}

static void convert_common(const native_lane_work *work)
{
    const conversion *how = work->how;
    const twk_vector call = {
        .type = how->from, .to = how->to, .mode = how->mode, .count = work->count};
    const native_operands on = {.call = &call,
                                .core = work->core,
                                .size = native_size_of(how->from),
                                .dst = work->dst,
                                .a = work->a};
    twin_native_cast(&on);
}

static uint32_t bits_of(uint32_t type)
{
    return type == TWK_NO_TYPE ? 4 : native_bits_of(type);
}

/* dst, src, repeat, strides; the mask has an element of the wider type for each bit. */
static bool begin(native_lanes *lanes, native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t to = bits_of(instruction->types[0]), from = bits_of(instruction->types[1]);
    const uint32_t wider = to > from ? to : from;
    const bool any = twin_native_lanes_begin(lanes, core, instruction,
                                             NATIVE_REPEAT_BYTES * 8 / wider, argument[2]);
    lanes->dst = native_operand_of("dst", argument[0], to, argument[3], argument[5]);
    lanes->a = native_operand_of("src", argument[1], from, argument[4], argument[6]);
    return any;
}

static uint64_t convert(native_core *core, const twk_instruction *instruction, uint32_t mode)
{
    const conversion how = {instruction->types[0], instruction->types[1], (uint8_t)mode};
    native_lanes lanes;
    if (!begin(&lanes, core, instruction))
        return 0;
    const bool truncates = (core->registers.ctrl & NATIVE_CTRL_TRUNCATION) && how.to != TWK_INT64 &&
                           !native_is_float(how.to);
    const bool rare = how.to == TWK_NO_TYPE || how.from == TWK_NO_TYPE || how.to == TWK_INT64 ||
                      how.from == TWK_INT64;
    twin_native_lanes_run(&lanes,
                          truncates ? convert_truncating
                          : rare    ? convert_rare
                                    : convert_common,
                          &how);
    twin_native_lanes_time(&lanes, TWK_OP_CAST, how.to);
    return 0;
}

#define CONVERT(name, mode)                                                                        \
    uint64_t twin_instruction_vconv_##name(native_core *core, const twk_instruction *instruction)  \
    {                                                                                              \
        return convert(core, instruction, mode);                                                   \
    }
#define CONVERT_ROUNDED(name)                                                                      \
    CONVERT(name##a, TWK_ROUND_AWAY)                                                               \
    CONVERT(name##c, TWK_ROUND_CEIL)                                                               \
    CONVERT(name##f, TWK_ROUND_FLOOR)                                                              \
    CONVERT(name##r, TWK_ROUND_EVEN)                                                               \
    CONVERT(name##z, TWK_ROUND_TRUNC)

CONVERT(bf162f32, TWK_ROUND_EVEN)
CONVERT_ROUNDED(bf162s32)
CONVERT(f162f32, TWK_ROUND_EVEN)
CONVERT_ROUNDED(f162s16)
CONVERT_ROUNDED(f162s32)
CONVERT(f162s4, TWK_ROUND_EVEN)
CONVERT_ROUNDED(f162s4)
CONVERT(f162s8, TWK_ROUND_EVEN)
CONVERT_ROUNDED(f162s8)
CONVERT(f162u8, TWK_ROUND_EVEN)
CONVERT_ROUNDED(f162u8)
CONVERT_ROUNDED(f322bf16)
CONVERT(f322f16, TWK_ROUND_EVEN)
CONVERT_ROUNDED(f322f16)
CONVERT(f322f16o, TWK_ROUND_ODD)
CONVERT_ROUNDED(f322f32)
CONVERT_ROUNDED(f322s16)
CONVERT_ROUNDED(f322s32)
CONVERT_ROUNDED(f322s64)
CONVERT(s162f16, TWK_ROUND_EVEN)
CONVERT_ROUNDED(s162f16)
CONVERT(s162f32, TWK_ROUND_EVEN)
CONVERT(s322f32, TWK_ROUND_EVEN)
CONVERT_ROUNDED(s322f32)
CONVERT(s322s16, TWK_ROUND_EVEN)
CONVERT(s322s64, TWK_ROUND_EVEN)
CONVERT(s42f16, TWK_ROUND_EVEN)
CONVERT_ROUNDED(s642f32)
CONVERT(s642s32, TWK_ROUND_EVEN)
CONVERT(s82f16, TWK_ROUND_EVEN)
CONVERT(u82f16, TWK_ROUND_EVEN)

/* ---- with a scale ---------------------------------------------------------------------------- */

/* What DEQSCALE has for INT16 to 8 bits: a scale in FP32, of which 10 bits of the fraction count;
 * an offset of 9 bits; whether the result is signed. */
static unsigned char requantized(uint64_t parameters, double value)
{
    const double scale = (double)twin_bits_float((uint32_t)parameters & 0xffffe000u);
    const int32_t field = (int32_t)(parameters >> 37 & 0x1ff);
    const double offset = field & 0x100 ? field - 0x200 : field;
    const bool is_signed = (parameters >> 46 & 1) != 0;
    unsigned char element;
    bool overflow = false;
    twin_native_store(is_signed ? TWK_INT8 : TWK_UINT8, &element, value * scale + offset,
                      TWK_ROUND_EVEN, &overflow);
    return element;
}

typedef struct requantization {
    const unsigned char *table; /* parameters for each element of a block; NULL: the register */
    int sum;                    /* 1 or -1: of a and b, or of their difference; 0: a alone */
} requantization;

static void requantize(const native_lane_work *work)
{
    const requantization *how = work->how;
    const int16_t *a = (const int16_t *)(const void *)work->a;
    const int16_t *b = (const int16_t *)(const void *)work->b;
    for (uint32_t i = 0; i < work->count; i++) {
        uint64_t parameters = work->core->registers.dequantize;
        if (how->table)
            memcpy(&parameters, how->table + (size_t)(native_lane_number(work, i) % 16) * 8, 8);
        const int32_t sum = b ? a[i] + how->sum * b[i] : a[i];
        work->dst[i] = requantized(parameters, b && sum < 0 ? 0 : sum);
    }
}

/* The half of each block of the destination that the 16 results of a block go to. */
static void use_half(native_lanes *lanes, bool high)
{
    lanes->dst.block_lanes = 16;
    lanes->dst.offset = high ? 16 : 0;
}

static const unsigned char *table_of(native_core *core, native_op op)
{
    const uint64_t at = (core->registers.dequantize & 0x3fff) * NATIVE_BLOCK_BYTES;
    const unsigned char *table =
        twin_native_lanes_local(core, "the table of DEQSCALE", at, 128, NATIVE_BLOCK_BYTES);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, op, (uint32_t)at, 128);
    return table;
}

static uint64_t to_half(native_core *core, const twk_instruction *instruction, bool high,
                        bool by_table)
{
    native_lanes lanes;
    if (!begin(&lanes, core, instruction))
        return 0;
    const requantization how = {.table = by_table ? table_of(core, lanes.op) : NULL};
    use_half(&lanes, high);
    twin_native_lanes_run(&lanes, requantize, &how);
    twin_native_lanes_time(&lanes, TWK_OP_CAST, TWK_INT16);
    return 0;
}

uint64_t twin_instruction_vconv_deqs162b8h(native_core *core, const twk_instruction *instruction)
{
    return to_half(core, instruction, true, false);
}
uint64_t twin_instruction_vconv_deqs162b8l(native_core *core, const twk_instruction *instruction)
{
    return to_half(core, instruction, false, false);
}
uint64_t twin_instruction_vconv_vdeqs162b8h(native_core *core, const twk_instruction *instruction)
{
    return to_half(core, instruction, true, true);
}
uint64_t twin_instruction_vconv_vdeqs162b8l(native_core *core, const twk_instruction *instruction)
{
    return to_half(core, instruction, false, true);
}

/* INT32 times the FP16 that DEQSCALE ends with, rounded once. */
static void scale(const native_lane_work *work)
{
    const int32_t *a = (const int32_t *)(const void *)work->a;
    const double by = (double)twin_half_float((uint16_t)work->core->registers.dequantize);
    for (uint32_t i = 0; i < work->count; i++)
        store(work->core, TWK_FP16, work->dst + (size_t)i * 2, a[i] * by, TWK_ROUND_EVEN);
}

uint64_t twin_instruction_vconv_deq(native_core *core, const twk_instruction *instruction)
{
    native_lanes lanes;
    if (!begin(&lanes, core, instruction))
        return 0;
    twin_native_lanes_run(&lanes, scale, NULL);
    twin_native_lanes_time(&lanes, TWK_OP_CAST, TWK_FP16);
    return 0;
}

uint64_t twin_instruction_set_deqscale(native_core *core, const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_SCALAR, native_op_of(instruction));
    core->registers.dequantize = instruction->arguments[0];
    return 0;
}

/* ---- computed and converted ------------------------------------------------------------------ */

/* a + sum b, negative results 0; or a b. Each is done in FP32, or exactly of integers, and rounded
 * to the nearest element. */
typedef struct fusion {
    uint8_t to, from;
    int sum; /* 0: the product */
} fusion;

static void compute_and_convert(const native_lane_work *work)
{
    const fusion *how = work->how;
    const uint32_t from = native_size_of(how->from), to = native_size_of(how->to);
    for (uint32_t i = 0; i < work->count; i++) {
        const double a = twin_native_number(how->from, work->a + (size_t)i * from);
        const double b = twin_native_number(how->from, work->b + (size_t)i * from);
        double result = (double)(float)(how->sum == 0 ? a * b : a + how->sum * b);
        if (how->sum != 0 && result <= 0)
            result = 0;
        store(work->core, how->to, work->dst + (size_t)i * to, result, TWK_ROUND_EVEN);
    }
}

static void begin_two(native_lanes *lanes, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t to = native_bits_of(instruction->types[0]);
    const uint32_t from = native_bits_of(instruction->types[1]);
    lanes->dst = native_operand_of("dst", argument[0], to, argument[4], argument[7]);
    lanes->a = native_operand_of("src0", argument[1], from, argument[5], argument[8]);
    lanes->b = native_operand_of("src1", argument[2], from, argument[6], argument[9]);
}

static uint64_t fused(native_core *core, const twk_instruction *instruction, int sum)
{
    const fusion how = {instruction->types[0], instruction->types[1], sum};
    native_lanes lanes;
    const bool any = twin_native_lanes_begin(&lanes, core, instruction,
                                             NATIVE_REPEAT_BYTES * 8 / native_bits_of(how.from),
                                             instruction->arguments[3]);
    if (instruction->count > 10 && native_argument_bool(instruction, 10))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "store_high_half must be false");
    if (!any)
        return 0;
    begin_two(&lanes, instruction);
    twin_native_lanes_run(&lanes, compute_and_convert, &how);
    twin_native_lanes_time(&lanes, sum == 0 ? TWK_OP_MUL : TWK_OP_ADD, how.from);
    return 0;
}

#define FUSED(name, sum)                                                                           \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return fused(core, instruction, sum);                                                      \
    }
FUSED(vaddreluconv_f162s8, 1)
FUSED(vaddreluconv_f322f16, 1)
FUSED(vaddreluconv_s162s8, 1)
FUSED(vsubreluconv_f162s8, -1)
FUSED(vsubreluconv_f322f16, -1)
FUSED(vsubreluconv_s162s8, -1)
FUSED(vmulconv_f162s8, 0)
FUSED(vmulconv_f162u8, 0)

uint64_t twin_instruction_vaddreluconv_vdeqs162b8(native_core *core,
                                                  const twk_instruction *instruction)
{
    native_lanes lanes;
    if (!twin_native_lanes_begin(&lanes, core, instruction, NATIVE_LANES_MOST,
                                 instruction->arguments[3]))
        return 0;
    const requantization how = {.table = table_of(core, lanes.op), .sum = 1};
    begin_two(&lanes, instruction);
    use_half(&lanes, native_argument_bool(instruction, 10));
    twin_native_lanes_run(&lanes, requantize, &how);
    twin_native_lanes_time(&lanes, TWK_OP_ADD, TWK_INT16);
    return 0;
}
