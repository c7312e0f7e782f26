/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that compute each element of their destination from one element of each source. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "kernel/loops.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define CHUNK 256u /* stacks of kernels are small */

/* What is done: the operation, as the native ones are numbered, and then, perhaps, that negative
 * results become 0. */
typedef struct arithmetic {
    uint8_t op, time;
    bool relu;
    uint8_t type, from; /* of the result, of the sources */
    double scalar;
} arithmetic;

static uint32_t lanes_of(uint32_t type)
{
    return NATIVE_REPEAT_BYTES * 8 / native_bits_of(type);
}

static void compute_one(const native_lane_work *work, const arithmetic *how, uint32_t op,
                        const unsigned char *a, const unsigned char *b, unsigned char *dst,
                        uint32_t count);

/* dst += a b, or a and the scalar, in FP16: the product is rounded before it is added. */
static void add_rounded_product(const native_lane_work *work, const arithmetic *how,
                                const unsigned char *a, const unsigned char *b, unsigned char *dst,
                                uint32_t count)
{
    unsigned char product[CHUNK * 2] __attribute__((aligned(32)));
    for (uint32_t at = 0; at < count; at += CHUNK) {
        const uint32_t some = count - at < CHUNK ? count - at : CHUNK;
        const size_t offset = (size_t)at * 2;
        compute_one(work, how, b ? TWK_OP_MUL : TWK_OP_MULS, a + offset, b ? b + offset : NULL,
                    product, some);
        compute_one(work, how, TWK_OP_ADD, dst + offset, product, dst + offset, some);
    }
}

static void compute_one(const native_lane_work *work, const arithmetic *how, uint32_t op,
                        const unsigned char *a, const unsigned char *b, unsigned char *dst,
                        uint32_t count)
{
    if (how->type == TWK_FP16 && (op == TWK_OP_MULADD || op == TWK_OP_AXPY)) {
        add_rounded_product(work, how, a, b, dst, count);
        return;
    }
    const twk_vector call = {
        .op = (uint8_t)op, .type = how->type, .count = count, .scalar = how->scalar};
    const native_operands on = {.call = &call,
                                .core = work->core,
                                .size = native_size_of(how->type),
                                .dst = dst,
                                .a = a,
                                .b = b};
    if (native_is_float(how->type))
        twin_native_floats(&on);
    else
        twin_native_integers(&on);
}

static void compute(const native_lane_work *work)
{
    const arithmetic *how = work->how;
    compute_one(work, how, how->op, work->a, work->b, work->dst, work->count);
    if (how->relu)
        compute_one(work, how, TWK_OP_RELU, work->dst, NULL, work->dst, work->count);
}

/* dst = a dst + b, where the native operation adds to its destination. */
static void compute_into_product(const native_lane_work *work)
{
    unsigned char sum[CHUNK * 4] __attribute__((aligned(32)));
    const arithmetic *how = work->how;
    const uint32_t size = native_size_of(how->type);
    for (uint32_t at = 0; at < work->count; at += CHUNK) {
        const uint32_t count = work->count - at < CHUNK ? work->count - at : CHUNK;
        const size_t offset = (size_t)at * size;
        memcpy(sum, work->b + offset, (size_t)count * size);
        compute_one(work, how, how->op, work->a + offset, work->dst + offset, sum, count);
        if (how->relu)
            compute_one(work, how, TWK_OP_RELU, sum, NULL, sum, count);
        memcpy(work->dst + offset, sum, (size_t)count * size);
    }
}

/* Sources of FP16, a result of FP32. */
static void compute_wider(const native_lane_work *work)
{
    float a[CHUNK] __attribute__((aligned(32)));
    float b[CHUNK] __attribute__((aligned(32)));
    const native_loops *loops = twin_native_loops(0);
    for (uint32_t at = 0; at < work->count; at += CHUNK) {
        const uint32_t count = work->count - at < CHUNK ? work->count - at : CHUNK;
        loops->open_halves((const uint16_t *)(const void *)work->a + at, count, a);
        if (work->b)
            loops->open_halves((const uint16_t *)(const void *)work->b + at, count, b);
        compute_one(work, work->how, ((const arithmetic *)work->how)->op, (unsigned char *)a,
                    work->b ? (unsigned char *)b : NULL, work->dst + (size_t)at * 4, count);
    }
}

/* ---- parameters ------------------------------------------------------------------------------ */

static double scalar_of(uint32_t type, uint64_t argument)
{
    const uint32_t low = (uint32_t)argument;
    return twin_native_number(type, &low);
}

/* dst, src0, src1, repeat; distances of blocks, and of repeats, in the order of these. */
static uint64_t binary(native_core *core, const twk_instruction *instruction, arithmetic how,
                       native_lane_compute *computes, bool into)
{
    const uint64_t *argument = instruction->arguments;
    native_lanes lanes;
    how.type = instruction->types[0];
    how.from = instruction->types[1];
    if (!twin_native_lanes_begin(&lanes, core, instruction, lanes_of(how.type), argument[3]))
        return 0;
    lanes.dst =
        native_operand_of("dst", argument[0], native_bits_of(how.type), argument[4], argument[7]);
    lanes.a =
        native_operand_of("src0", argument[1], native_bits_of(how.from), argument[5], argument[8]);
    lanes.b =
        native_operand_of("src1", argument[2], native_bits_of(how.from), argument[6], argument[9]);
    lanes.reads_dst = into;
    twin_native_lanes_run(&lanes, how.from == how.type ? computes : compute_wider, &how);
    twin_native_lanes_time(&lanes, how.time, how.type);
    return 0;
}

/* dst, src, and perhaps a value; `next`: the argument after these. */
static uint64_t unary(native_core *core, const twk_instruction *instruction, arithmetic how,
                      uint32_t next, bool into)
{
    const uint64_t *argument = instruction->arguments;
    native_lanes lanes;
    how.type = instruction->types[0];
    how.from = instruction->types[1];
    if (!twin_native_lanes_begin(&lanes, core, instruction, lanes_of(how.type), argument[next]))
        return 0;
    lanes.dst = native_operand_of("dst", argument[0], native_bits_of(how.type), argument[next + 1],
                                  argument[next + 3]);
    lanes.a = native_operand_of("src", argument[1], native_bits_of(how.from), argument[next + 2],
                                argument[next + 4]);
    lanes.reads_dst = into;
    twin_native_lanes_run(&lanes, how.from == how.type ? compute : compute_wider, &how);
    twin_native_lanes_time(&lanes, how.time, how.type);
    return 0;
}

static uint64_t with_scalar(native_core *core, const twk_instruction *instruction, arithmetic how,
                            bool into)
{
    how.scalar = scalar_of(instruction->types[1], instruction->arguments[2]);
    return unary(core, instruction, how, 3, into);
}

#define BINARY(name, operation, relu)                                                              \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return binary(core, instruction, (arithmetic){operation, operation, relu, 0, 0, 0},        \
                      compute, false);                                                             \
    }
#define UNARY(name, operation)                                                                     \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return unary(core, instruction, (arithmetic){operation, operation, false, 0, 0, 0}, 2,     \
                     false);                                                                       \
    }
#define SCALAR(name, operation)                                                                    \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return with_scalar(core, instruction, (arithmetic){operation, operation, false, 0, 0, 0},  \
                           false);                                                                 \
    }

BINARY(vadd, TWK_OP_ADD, false)
BINARY(vsub, TWK_OP_SUB, false)
BINARY(vmul, TWK_OP_MUL, false)
BINARY(vdiv, TWK_OP_DIV, false)
BINARY(vmax, TWK_OP_MAX, false)
BINARY(vmin, TWK_OP_MIN, false)
BINARY(vand, TWK_OP_AND, false)
BINARY(vor, TWK_OP_OR, false)
BINARY(vaddrelu, TWK_OP_ADD, true)
BINARY(vsubrelu, TWK_OP_SUB, true)
UNARY(vabs, TWK_OP_ABS)
UNARY(vexp, TWK_OP_EXP)
UNARY(vln, TWK_OP_LN)
UNARY(vrec, TWK_OP_RECIPROCAL)
UNARY(vrsqrt, TWK_OP_RSQRT)
UNARY(vsqrt, TWK_OP_SQRT)
UNARY(vrelu, TWK_OP_RELU)
UNARY(vnot, TWK_OP_NOT)
SCALAR(vadds, TWK_OP_ADDS)
SCALAR(vmuls, TWK_OP_MULS)

uint64_t twin_instruction_vmla(native_core *core, const twk_instruction *instruction)
{
    return binary(core, instruction, (arithmetic){.op = TWK_OP_MULADD, .time = TWK_OP_MULADD},
                  compute, true);
}

uint64_t twin_instruction_vmadd(native_core *core, const twk_instruction *instruction)
{
    return binary(core, instruction, (arithmetic){.op = TWK_OP_MULADD, .time = TWK_OP_MULADD},
                  compute_into_product, true);
}

uint64_t twin_instruction_vmaddrelu(native_core *core, const twk_instruction *instruction)
{
    return binary(core, instruction,
                  (arithmetic){.op = TWK_OP_MULADD, .time = TWK_OP_MULADD, .relu = true},
                  compute_into_product, true);
}

uint64_t twin_instruction_vaxpy(native_core *core, const twk_instruction *instruction)
{
    return with_scalar(core, instruction, (arithmetic){.op = TWK_OP_AXPY, .time = TWK_OP_AXPY},
                       true);
}

uint64_t twin_instruction_vlrelu(native_core *core, const twk_instruction *instruction)
{
    return with_scalar(core, instruction,
                       (arithmetic){.op = NATIVE_VECTOR_LEAKY_RELU, .time = TWK_OP_MULS}, false);
}

/* The two modes that are the last parameters of some forms. */
static void check_modes(native_core *core, const twk_instruction *instruction)
{
    if (instruction->count > 8 && (instruction->arguments[8] | instruction->arguments[9]) != 0)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL,
                         "%s: repeat_stride_mode and stride_size_mode must be false",
                         twin_native_instruction_name(instruction->number));
}

uint64_t twin_instruction_vmaxs(native_core *core, const twk_instruction *instruction)
{
    check_modes(core, instruction);
    return with_scalar(core, instruction, (arithmetic){.op = TWK_OP_MAXS, .time = TWK_OP_MAXS},
                       false);
}

uint64_t twin_instruction_vmins(native_core *core, const twk_instruction *instruction)
{
    check_modes(core, instruction);
    return with_scalar(core, instruction, (arithmetic){.op = TWK_OP_MINS, .time = TWK_OP_MINS},
                       false);
}

/* ---- shifts, copies -------------------------------------------------------------------------- */

typedef struct shift {
    uint32_t type, by;
    bool left, round;
} shift;

/* To the right the last bit that goes may be added to the result. `by` may be as large as the
 * element has bits. */
static uint32_t shifted(const shift *how, int64_t value)
{
    if (how->left)
        return (uint32_t)((uint64_t)value << how->by);
    const int64_t carry = how->round && how->by > 0 ? value >> (how->by - 1) & 1 : 0;
    return (uint32_t)((value >> how->by) + carry);
}

#define SHIFT_EACH(host)                                                                           \
    for (uint32_t i = 0; i < work->count; i++)                                                     \
        ((host *)(void *)work->dst)[i] =                                                           \
            (host)shifted(how, ((const host *)(const void *)work->a)[i]);                          \
    break

static void compute_shift(const native_lane_work *work)
{
    const shift *how = work->how;
    switch (how->type) {
    case TWK_INT16:
        SHIFT_EACH(int16_t);
    case TWK_UINT16:
        SHIFT_EACH(uint16_t);
    case TWK_INT32:
        SHIFT_EACH(int32_t);
    default:
        SHIFT_EACH(uint32_t);
    }
}

static void compute_copy(const native_lane_work *work)
{
    const uint32_t size = NATIVE_REPEAT_BYTES / work->per_repeat;
    memmove(work->dst, work->a, (size_t)work->count * size);
}

static uint64_t move(native_core *core, const twk_instruction *instruction, uint32_t next,
                     native_lane_compute *computes, const void *how, uint32_t time)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    native_lanes lanes;
    if (!twin_native_lanes_begin(&lanes, core, instruction, lanes_of(type), argument[next]))
        return 0;
    lanes.dst = native_operand_of("dst", argument[0], bits, argument[next + 1], argument[next + 3]);
    lanes.a = native_operand_of("src", argument[1], bits, argument[next + 2], argument[next + 4]);
    twin_native_lanes_run(&lanes, computes, how);
    twin_native_lanes_time(&lanes, time, type);
    return 0;
}

static uint64_t shift_all(native_core *core, const twk_instruction *instruction, bool left,
                          bool round)
{
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    const uint64_t by = instruction->arguments[2];
    if (by > bits)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL,
                         "%s: distance is %lld; it must be 0 to %u",
                         twin_native_instruction_name(instruction->number), (long long)by, bits);
    const shift how = {.type = type, .by = (uint32_t)by, .left = left, .round = round};
    return move(core, instruction, 3, compute_shift, &how, left ? TWK_OP_SHL : TWK_OP_SHR);
}

uint64_t twin_instruction_vshl(native_core *core, const twk_instruction *instruction)
{
    return shift_all(core, instruction, true, false);
}

uint64_t twin_instruction_vshr(native_core *core, const twk_instruction *instruction)
{
    return shift_all(core, instruction, false, (instruction->arguments[8] & 1) != 0);
}

/* In count mode it is unlike all others: each of its repeats has as many elements as the mask
 * counts, in blocks that go on beyond eight. */
static uint64_t copy_counted(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    const uint64_t repeats = (uint16_t)argument[2], count = core->registers.mask[0];
    native_lanes lanes;
    if (!twin_native_lanes_begin(&lanes, core, instruction, lanes_of(type), 0) || repeats == 0)
        return 0;
    if (count * repeats > NATIVE_COUNT_MOST)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "%llu repeats of %llu elements; the maximum is %llu elements",
                           (unsigned long long)repeats, (unsigned long long)count,
                           (unsigned long long)NATIVE_COUNT_MOST);
    lanes.dst = native_operand_of("dst", argument[0], bits, argument[3], 0);
    lanes.a = native_operand_of("src", argument[1], bits, argument[4], 0);
    lanes.dst.repeat_stride = NATIVE_REPEAT_BYTES / NATIVE_BLOCK_BYTES * lanes.dst.block_stride;
    lanes.a.repeat_stride = NATIVE_REPEAT_BYTES / NATIVE_BLOCK_BYTES * lanes.a.block_stride;
    for (uint64_t repeat = 0; repeat < repeats; repeat++) {
        lanes.dst.at = argument[0] + repeat * (uint16_t)argument[5] * NATIVE_BLOCK_BYTES;
        lanes.a.at = argument[1] + repeat * (uint16_t)argument[6] * NATIVE_BLOCK_BYTES;
        twin_native_lanes_run(&lanes, compute_copy, NULL);
    }
    lanes.repeats *= (uint32_t)repeats;
    twin_native_lanes_time(&lanes, TWK_OP_DUPLICATE, type);
    return 0;
}

uint64_t twin_instruction_vcopy(native_core *core, const twk_instruction *instruction)
{
    if (core->registers.ctrl & NATIVE_CTRL_COUNT)
        return copy_counted(core, instruction);
    return move(core, instruction, 2, compute_copy, NULL, TWK_OP_DUPLICATE);
}
