/* SPDX-License-Identifier: Apache-2.0 */
/* Products of the cube. */
#include <string.h>

#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/strips.h"
#include "kernel/instructions/units.h"
#include "kernel/product.h"
#include "twinrt/kernel.h"

#define UNIT    32u   /* bytes of a row of a fractal */
#define EDGE    16u   /* rows of a fractal */
#define FRACTAL 512u  /* bytes */
#define RESULT  1024u /* bytes of 16 x 16 results */
#define MOST    4095u /* rows and columns */

/* A product as the instruction gives it. */
typedef struct mad {
    uint32_t type;
    uint32_t m, k, n;
    uint32_t unit_flag;
    bool aligned;   /* rows of fractals of A end at 16 elements: FP32 */
    bool from_bias; /* C begins with the bias table */
    bool from_zero;
    uint64_t a, b, c, bias;
} mad;

static uint32_t step_of(native_core *core, uint32_t type)
{
    const twin_core_properties *properties = core->run->call.core;
    switch (type) {
    case NATIVE_INT4:
        return 2 * properties->cube_k_int8;
    case TWK_INT8:
        return properties->cube_k_int8;
    case TWK_FP32:
        if (properties->cube_k_fp32 != 0)
            return properties->cube_k_fp32;
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "the cube of this part has no FP32");
    default:
        return properties->cube_k_fp16;
    }
}

/* Bits 46 and 47 of CTRL. */
static native_cut cut_of(const native_core *core, const mad *p)
{
    const uint64_t ctrl = core->registers.ctrl;
    if (p->type != TWK_FP32 || (ctrl & NATIVE_CTRL_HF32) == 0)
        return NATIVE_CUT_NONE;
    return ctrl & NATIVE_CTRL_HF32_ZERO ? NATIVE_CUT_ZERO : NATIVE_CUT_EVEN;
}

/* Each row of C begins with the table. */
static void lay_bias(native_core *core, native_op op, const mad *p, uint64_t wide_m)
{
    const unsigned char *bias =
        twin_native_source(core, NATIVE_BT, TWIN_PIPE_CUBE, op, p->bias, (uint64_t)p->n * 4, 64);
    unsigned char *c = core->buffer[TWK_L0C] + p->c;
    for (uint32_t column = 0; column < p->n && native_computes(core); column += EDGE) {
        const uint32_t left = p->n - column, count = left < EDGE ? left : EDGE;
        unsigned char *to = c + column * wide_m * 4;
        for (uint32_t row = 0; row < p->m; row++)
            memcpy(to + (size_t)row * EDGE * 4, bias + (size_t)column * 4, (size_t)count * 4);
    }
}

/* With one row A is a vector: its k elements are side by side. */
static const unsigned char *left_operand(native_core *core, native_op op, const mad *p,
                                         uint32_t per_unit, native_factors *factors)
{
    const uint64_t units = native_divide_up(p->k, per_unit);
    uint64_t bytes = native_divide_up((uint64_t)p->k * UNIT, per_unit);
    if (p->m > 1) {
        factors->a_units = p->aligned && p->type == TWK_FP32 ? native_round_up(units, 2) : units;
        bytes = ((native_divide_up(p->m, EDGE) - 1) * factors->a_units + units) * FRACTAL;
    }
    return twin_native_source(core, TWK_L0A, TWIN_PIPE_CUBE, op, p->a, bytes, FRACTAL);
}

/* per_unit: elements in 32 bytes. */
static uint64_t multiply(native_core *core, native_op op, const mad *p, uint32_t per_unit)
{
    if (p->m == 0 || p->k == 0 || p->n == 0)
        return 0;
    const uint64_t wide_m = native_round_up(p->m, EDGE), wide_n = native_round_up(p->n, EDGE);
    const uint64_t held = wide_m * wide_n * 4;
    const native_pieces units = {.at = p->c, .bytes = held, .count = 1};
    native_factors factors = {.per_unit = per_unit, .cut = cut_of(core, p)};
    factors.a = left_operand(core, op, p, per_unit, &factors);
    factors.b = twin_native_source(core, TWK_L0B, TWIN_PIPE_CUBE, op, p->b,
                                   native_divide_up(p->k, per_unit) * UNIT * wide_n, FRACTAL);
    (void)twin_native_local(core, TWK_L0C, p->c, held, RESULT);
    twin_native_units_fill(core, p->unit_flag, &units);
    if (!p->from_zero && !p->from_bias)
        (void)twin_native_source(core, TWK_L0C, TWIN_PIPE_CUBE, op, p->c, held, RESULT);
    factors.c = twin_native_target(core, TWK_L0C, TWIN_PIPE_CUBE, op, p->c, held, RESULT);
    if (!p->from_zero && p->from_bias)
        lay_bias(core, op, p, wide_m);
    const twk_product product = {.type = (uint8_t)p->type,
                                 .accumulate = p->from_zero ? 0 : 1,
                                 .m = p->m,
                                 .n = p->n,
                                 .k = p->k};
    if (native_computes(core))
        twin_native_product(core, &product, &factors);
    const uint64_t steps = native_divide_up(p->k, step_of(core, p->type));
    twin_native_step(core, TWIN_PIPE_CUBE, TWIN_STEP_WORK, 0,
                     core->run->call.core->cube_start +
                         wide_m / EDGE * (wide_n / EDGE) *
                             (factors.cut ? native_divide_up(steps, 2) : steps));
    native_count(core, TWIN_PIPE_CUBE,
                 factors.cut              ? (uint32_t)TWIN_COUNT_HF32
                 : p->type == NATIVE_INT4 ? (uint32_t)TWIN_COUNT_INT4
                                          : p->type,
                 2ull * p->m * p->n * p->k);
    twin_native_units_filled(core, p->unit_flag, &units);
    return 0;
}

/* `first`: argument of the sizes; `flag`: of the unit flag, after which comes the alignment of k.
 * The last two say how C begins. The address of C has that of the bias table in its upper half. */
static mad mad_of(native_core *core, const twk_instruction *instruction, uint32_t type,
                  uint32_t first, uint32_t flag)
{
    const uint64_t c = instruction->arguments[0];
    const uint32_t last = instruction->count - 2u;
    return (mad){.type = type,
                 .m = (uint32_t)native_argument(core, instruction, first, "m", MOST),
                 .k = (uint32_t)native_argument(core, instruction, first + 1, "k", MOST),
                 .n = (uint32_t)native_argument(core, instruction, first + 2, "n", MOST),
                 .unit_flag = (uint32_t)native_argument(core, instruction, flag, "unit_flag", 3),
                 .aligned = native_argument_bool(instruction, flag + 1),
                 .from_bias = native_argument_bool(instruction, last),
                 .from_zero = native_argument_bool(instruction, last + 1),
                 .a = instruction->arguments[1],
                 .b = instruction->arguments[2],
                 .c = (uint32_t)c,
                 .bias = c >> 32};
}

/* Offsets of the operands: no public document says what they do. */
static void refuse_offsets(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    if ((argument[6] | argument[7] | argument[10]) != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "feature_offset is %llu, mask_offset %llu, weight_offset %llu; they "
                           "must be 0, as their effect is not documented",
                           (unsigned long long)argument[6], (unsigned long long)argument[7],
                           (unsigned long long)argument[10]);
}

/* Without more, with the address of the bias table, or with offsets. */
static mad mad_form(native_core *core, const twk_instruction *instruction, uint32_t type)
{
    if (instruction->count == 10)
        return mad_of(core, instruction, type, 3, 6);
    if (instruction->count == 13) {
        refuse_offsets(core, instruction);
        return mad_of(core, instruction, type, 3, 8);
    }
    mad p = mad_of(core, instruction, type, 4, 7);
    p.bias = instruction->arguments[3];
    return p;
}

uint64_t twin_instruction_mad(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_CUBE, op);
    const uint32_t type = instruction->types[1];
    const uint32_t size = twin_native_check_type(core, type);
    const mad p = mad_form(core, instruction, type);
    return multiply(core, op, &p, UNIT / size);
}

/* ---- sparse right operands ------------------------------------------------------------------- */

/* Of four elements of k the right operand has two, and for each the index says which: the first is
 * one of the first three, the second of the last three. Both have fractals of 16 columns, with 32
 * elements, or 2 bits for each of them. */
static void multiply_sparse(const native_core *core, const mad *p, uint64_t wide_m, uint64_t wide_n)
{
    const unsigned char *a = core->buffer[TWK_L0A] + p->a, *b = core->buffer[TWK_L0B] + p->b;
    const unsigned char *index = core->buffer[NATIVE_INDEX] + p->b / NATIVE_INDEX_SHARE;
    unsigned char *c = core->buffer[TWK_L0C] + p->c;
    const uint64_t units = native_divide_up(p->k, UNIT);
    for (uint32_t column = 0; column < p->n; column++)
        for (uint32_t row = 0; row < p->m; row++) {
            unsigned char *at = c + (column / EDGE * wide_m + row) * EDGE * 4 + column % EDGE * 4;
            uint32_t sum = 0;
            if (!p->from_zero)
                memcpy(&sum, at, sizeof(sum));
            for (uint32_t i = 0; i < p->k / 2; i++) {
                const uint64_t fractal = i / UNIT * (wide_n / EDGE) + column / EDGE;
                const uint64_t in = column % EDGE * UNIT + i % UNIT;
                const uint32_t which =
                    index[fractal * FRACTAL / NATIVE_INDEX_SHARE + in / 4] >> in % 4 * 2 & 3u;
                const uint32_t chosen = which + i % 2 < 4 ? which + i % 2 : 3;
                const uint32_t k = i / 2 * 4 + chosen;
                const unsigned char left =
                    a[(row / EDGE * units + k / UNIT) * FRACTAL + row % EDGE * UNIT + k % UNIT];
                sum += (uint32_t)((int8_t)left * (int8_t)b[fractal * FRACTAL + in]);
            }
            memcpy(at, &sum, sizeof(sum));
        }
}

uint64_t twin_instruction_mad_sp(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_CUBE, op);
    mad p = mad_of(core, instruction, TWK_INT8, 3, 6);
    p.aligned = false;
    if (p.k % 4 != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "k is %u; it must be a multiple of 4 for a sparse operand", p.k);
    if (p.m == 0 || p.k == 0 || p.n == 0)
        return 0;
    const uint64_t wide_m = native_round_up(p.m, EDGE), wide_n = native_round_up(p.n, EDGE);
    const uint64_t held = wide_m * wide_n * 4;
    const uint64_t right = native_divide_up(p.k / 2, UNIT) * UNIT * wide_n;
    const native_pieces units = {.at = p.c, .bytes = held, .count = 1};
    (void)twin_native_source(core, TWK_L0A, TWIN_PIPE_CUBE, op, p.a,
                             native_divide_up(p.k, UNIT) * UNIT * wide_m, FRACTAL);
    (void)twin_native_source(core, TWK_L0B, TWIN_PIPE_CUBE, op, p.b, right, FRACTAL);
    (void)twin_native_source(core, NATIVE_INDEX, TWIN_PIPE_CUBE, op, p.b / NATIVE_INDEX_SHARE,
                             right / NATIVE_INDEX_SHARE, 1);
    (void)twin_native_local(core, TWK_L0C, p.c, held, RESULT);
    twin_native_units_fill(core, p.unit_flag, &units);
    if (!p.from_zero && !p.from_bias)
        (void)twin_native_source(core, TWK_L0C, TWIN_PIPE_CUBE, op, p.c, held, RESULT);
    (void)twin_native_target(core, TWK_L0C, TWIN_PIPE_CUBE, op, p.c, held, RESULT);
    if (!p.from_zero && p.from_bias)
        lay_bias(core, op, &p, wide_m);
    if (native_computes(core))
        multiply_sparse(core, &p, wide_m, wide_n);
    twin_native_step(core, TWIN_PIPE_CUBE, TWIN_STEP_WORK, 0,
                     core->run->call.core->cube_start +
                         wide_m / EDGE * (wide_n / EDGE) *
                             native_divide_up(p.k / 2, step_of(core, TWK_INT8)));
    twin_native_units_filled(core, p.unit_flag, &units);
    return 0;
}

/* ---- INT4 ------------------------------------------------------------------------------------ */

uint64_t twin_instruction_mad_s4(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_CUBE, op);
    const mad p = mad_form(core, instruction, NATIVE_INT4);
    if (p.k % 2 != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "k is %u; it must be even for INT4", p.k);
    return multiply(core, op, &p, 2 * UNIT);
}
