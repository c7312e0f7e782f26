/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: + - * / and the like. */
#include "machine.h"

enum {
    FLOATS = 1,
    INT16_32 = 2,
    INT32 = 4,
    BITS = 8,
    ANY_INTEGER = 16,
    COPIES = 32,
    MIXED = 64,
    HALF = 128
};
enum { BINARY, UNARY, SCALAR, SCALAR_MODES, SHIFT };

typedef struct kind {
    uint16_t number;
    uint8_t form, types;
    bool into; /* the destination is read, too */
} kind;

static const kind kinds[] = {{TWK_INSTRUCTION_VADD, BINARY, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VSUB, BINARY, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VMUL, BINARY, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VDIV, BINARY, FLOATS, false},
                             {TWK_INSTRUCTION_VMAX, BINARY, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VMIN, BINARY, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VAND, BINARY, BITS, false},
                             {TWK_INSTRUCTION_VOR, BINARY, BITS, false},
                             {TWK_INSTRUCTION_VADDRELU, BINARY, FLOATS, false},
                             {TWK_INSTRUCTION_VSUBRELU, BINARY, FLOATS, false},
                             {TWK_INSTRUCTION_VMADD, BINARY, FLOATS, true},
                             {TWK_INSTRUCTION_VMADDRELU, BINARY, FLOATS, true},
                             {TWK_INSTRUCTION_VMLA, BINARY, FLOATS | MIXED, true},
                             {TWK_INSTRUCTION_VABS, UNARY, FLOATS, false},
                             {TWK_INSTRUCTION_VREC, UNARY, FLOATS, false},
                             {TWK_INSTRUCTION_VSQRT, UNARY, FLOATS, false},
                             {TWK_INSTRUCTION_VRSQRT, UNARY, FLOATS, false},
                             {TWK_INSTRUCTION_VEXP, UNARY, HALF, false},
                             {TWK_INSTRUCTION_VLN, UNARY, HALF, false},
                             {TWK_INSTRUCTION_VRELU, UNARY, FLOATS | INT32, false},
                             {TWK_INSTRUCTION_VNOT, UNARY, BITS, false},
                             {TWK_INSTRUCTION_VCOPY, UNARY, COPIES, false},
                             {TWK_INSTRUCTION_VADDS, SCALAR, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VMULS, SCALAR, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VMAXS, SCALAR, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VMINS, SCALAR_MODES, FLOATS | INT16_32, false},
                             {TWK_INSTRUCTION_VLRELU, SCALAR, FLOATS, false},
                             {TWK_INSTRUCTION_VAXPY, SCALAR, FLOATS | MIXED, true},
                             {TWK_INSTRUCTION_VSHL, SHIFT, ANY_INTEGER, false},
                             {TWK_INSTRUCTION_VSHR, SHIFT, ANY_INTEGER, false}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static uint32_t random_type(uint32_t types)
{
    static const uint8_t of[][4] = {{TWK_FP16, TWK_FP32, TWK_FP16, TWK_FP32},
                                    {TWK_INT16, TWK_INT32, TWK_INT16, TWK_INT32},
                                    {TWK_INT32, TWK_INT32, TWK_INT32, TWK_INT32},
                                    {TWK_INT16, TWK_UINT16, TWK_INT16, TWK_UINT16},
                                    {TWK_INT16, TWK_UINT16, TWK_INT32, TWK_UINT32},
                                    {TWK_INT16, TWK_UINT16, TWK_INT32, TWK_UINT32},
                                    {0, 0, 0, 0},
                                    {TWK_FP16, TWK_FP16, TWK_FP16, TWK_FP16}};
    types &= (uint32_t)~MIXED;
    uint32_t which;
    do
        which = random_below(8);
    while ((types >> which & 1) == 0);
    return of[which][random_below(4)];
}

/* Bytes from the first to the last block of `rows` copies of `blocks` blocks. */
static uint64_t reach_of_rows(strides s, uint32_t blocks, uint32_t rows)
{
    return 32 * ((uint64_t)(blocks - 1) * s.block + (uint64_t)(rows - 1) * s.repeat + 1);
}

/* VCOPY in count mode: each row has as many elements as the mask counts. */
static void make_rows(const machine *m, program *p)
{
    const uint32_t type = random_below(2) ? TWK_UINT16 : TWK_UINT32;
    const uint32_t count = m->mask[0] > 0 ? (uint32_t)m->mask[0] : 1, size = bytes_of(type);
    const uint32_t blocks = (count * size + 31) / 32, rows = 1 + random_below(4);
    strides d = {1 + random_below(2), random_below(40)};
    strides a = {random_below(3), random_below(40)};
    if (d.repeat == 0 && rows > 1) /* rows onto each other */
        a = d;
    const uint64_t dst_bytes = reach_of_rows(d, blocks, rows);
    const uint64_t dst = random_place(dst_bytes, 32);
    const uint64_t src = random_source(reach_of_rows(a, blocks, rows), true, dst, dst + dst_bytes);
    twk_instruction *in = record(p, TWK_INSTRUCTION_VCOPY, type, type, TWK_NO_TYPE);
    const uint64_t list[] = {dst, src, rows, d.block, a.block, d.repeat, a.repeat};
    for (uint32_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        argument(in, list[i]);
}

static void make(const machine *m, program *p)
{
    const kind *k = &kinds[random_below(KINDS)];
    if (m->count_mode && k->number == TWK_INSTRUCTION_VCOPY) {
        make_rows(m, p);
        return;
    }
    uint32_t type = random_type(k->types), from = type;
    if ((k->types & MIXED) != 0 && random_below(3) == 0) {
        type = TWK_FP32;
        from = TWK_FP16;
    }
    const uint32_t lanes = 256 / bytes_of(type), blocks = lanes * bytes_of(from) / 32;
    const uint32_t repeat = random_repeat(m, lanes);
    const bool has_scalar = k->form == SCALAR || k->form == SCALAR_MODES;
    const strides d = random_strides(8);
    strides a = random_strides(blocks), b = random_strides(blocks);
    uint64_t dst = random_place(reach_of(d, 8, repeat), 32);
    const uint64_t end = dst + reach_of(d, 8, repeat);
    uint64_t src0 = random_source(reach_of(a, blocks, repeat), from != type, dst, end);
    uint64_t src1 = random_source(reach_of(b, blocks, repeat), from != type, dst, end);
    if (random_below(4) == 0 && from == type) { /* in place */
        a = d;
        src0 = dst;
    }
    if (random_below(8) == 0 && from == type) {
        b = d;
        src1 = dst;
    }
    const uint32_t third = k->form == BINARY || (has_scalar && is_float(from)) ? from : TWK_NO_TYPE;
    twk_instruction *in = record(p, k->number, type, from, third);
    argument(in, dst);
    argument(in, src0);
    if (k->form == BINARY) {
        argument(in, src1);
    } else if (k->form == SHIFT) {
        argument(in, random_below(bytes_of(type) * 8 + 1));
    } else if (has_scalar) {
        uint64_t value = random_element(from);
        value = type == TWK_INT32   ? (uint64_t)(int64_t)(int32_t)value
                : type == TWK_INT16 ? (uint64_t)(int64_t)(int16_t)value
                                    : value & (((uint64_t)1 << bytes_of(from) * 8) - 1);
        argument(in, value);
    }
    argument(in, m->count_mode ? random_below(256) : repeat);
    argument(in, d.block);
    argument(in, a.block);
    if (k->form == BINARY)
        argument(in, b.block);
    argument(in, d.repeat);
    argument(in, a.repeat);
    if (k->form == BINARY)
        argument(in, b.repeat);
    if (k->form == SCALAR_MODES) {
        argument(in, 0);
        argument(in, 0);
    }
    if (k->number == TWK_INSTRUCTION_VSHR)
        argument(in, random_below(2));
}

/* ---- the reference --------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
}

static double smaller(double a, double b)
{
    return isnan(a) ? a : isnan(b) ? b : a < b ? a : b;
}

static double relu(double x)
{
    return isnan(x) || x > 0 ? x : 0;
}

/* The product is rounded to the type of the sum before it is added. */
static double sum_of_product(const machine *m, uint32_t type, double a, double b, double c)
{
    double product = (double)((float)a * (float)b);
    if (type == TWK_FP16) {
        product = slow_round(TWK_FP16, product);
        if (m->saturate && !isfinite(product))
            product = isnan(product) ? 0 : copysign(65504, product);
    }
    return (double)((float)c + (float)product);
}

/* FP16 values are exact in FP32, where each operation is rounded once; so the double of that
 * operation on FP16 values, rounded once, is the same. */
static double of_floats(const machine *m, const twk_instruction *in, double a, double b, double d)
{
    const uint32_t number = in->number, type = in->types[1] == TWK_FP16 ? in->types[0] : TWK_FP32;
    const float x = (float)a, y = (float)b;
    switch (number) {
    case TWK_INSTRUCTION_VADD:
    case TWK_INSTRUCTION_VADDS:
        return (double)(x + y);
    case TWK_INSTRUCTION_VSUB:
        return (double)(x - y);
    case TWK_INSTRUCTION_VMUL:
    case TWK_INSTRUCTION_VMULS:
        return (double)(x * y);
    case TWK_INSTRUCTION_VDIV:
        return (double)(x / y);
    case TWK_INSTRUCTION_VMAX:
    case TWK_INSTRUCTION_VMAXS:
        return larger(a, b);
    case TWK_INSTRUCTION_VMIN:
    case TWK_INSTRUCTION_VMINS:
        return smaller(a, b);
    case TWK_INSTRUCTION_VADDRELU:
        return relu((double)(x + y));
    case TWK_INSTRUCTION_VSUBRELU:
        return relu((double)(x - y));
    case TWK_INSTRUCTION_VMADD:
        return sum_of_product(m, type, a, d, b);
    case TWK_INSTRUCTION_VMADDRELU:
        return relu(sum_of_product(m, type, a, d, b));
    case TWK_INSTRUCTION_VMLA:
    case TWK_INSTRUCTION_VAXPY:
        return sum_of_product(m, type, a, b, d);
    case TWK_INSTRUCTION_VABS:
        return fabs(a);
    case TWK_INSTRUCTION_VREC:
        return (double)(1.0f / x);
    case TWK_INSTRUCTION_VSQRT:
        return (double)sqrtf(x);
    case TWK_INSTRUCTION_VRSQRT:
        return (double)(float)(1 / sqrt(a));
    case TWK_INSTRUCTION_VEXP:
        return (double)(float)exp(a);
    case TWK_INSTRUCTION_VLN:
        return (double)(float)log(a);
    case TWK_INSTRUCTION_VRELU:
        return relu(a);
    default: /* VLRELU */
        return a > 0 ? a : (double)(x * y);
    }
}

static int64_t right(int64_t value, uint32_t by, bool round)
{
    const int64_t divisor = (int64_t)1 << by;
    int64_t down = value / divisor;
    if (value % divisor < 0)
        down--;
    const int64_t rest = value - down * divisor;
    return down + (round && by > 0 && rest >= divisor / 2);
}

static int64_t of_integers(const twk_instruction *in, int64_t a, int64_t b)
{
    switch (in->number) {
    case TWK_INSTRUCTION_VADD:
    case TWK_INSTRUCTION_VADDS:
        return a + b;
    case TWK_INSTRUCTION_VSUB:
        return a - b;
    case TWK_INSTRUCTION_VMUL:
    case TWK_INSTRUCTION_VMULS:
        return a * b;
    case TWK_INSTRUCTION_VMAX:
    case TWK_INSTRUCTION_VMAXS:
        return a > b ? a : b;
    case TWK_INSTRUCTION_VMIN:
    case TWK_INSTRUCTION_VMINS:
        return a < b ? a : b;
    case TWK_INSTRUCTION_VAND:
        return a & b;
    case TWK_INSTRUCTION_VOR:
        return a | b;
    case TWK_INSTRUCTION_VNOT:
        return ~a;
    case TWK_INSTRUCTION_VRELU:
        return a > 0 ? a : 0;
    case TWK_INSTRUCTION_VSHL:
        return (int64_t)((uint64_t)a << b);
    case TWK_INSTRUCTION_VSHR:
        return right(a, (uint32_t)b, in->arguments[8] != 0);
    default: /* VCOPY */
        return a;
    }
}

/* An instruction under way. */
typedef struct decoded {
    const kind *kind;
    const twk_instruction *in;
    uint32_t type, from, lanes, repeats;
    const uint64_t *strides; /* of blocks, then of repeats */
    uint32_t operands;
    bool two, has_value;
} decoded;

static bool decode(const machine *m, const twk_instruction *in, decoded *d)
{
    *d = (decoded){.in = in, .type = in->types[0], .from = in->types[1]};
    for (uint32_t i = 0; i < KINDS && !d->kind; i++)
        d->kind = kinds[i].number == in->number ? &kinds[i] : NULL;
    if (!d->kind)
        return false;
    d->lanes = 256 / bytes_of(d->type);
    d->two = d->kind->form == BINARY;
    d->has_value = d->kind->form != UNARY && !d->two;
    d->strides = in->arguments + (d->two || d->has_value ? 4 : 3);
    d->operands = d->two ? 3 : 2;
    d->repeats = repeats_of(m, d->lanes, (uint32_t)d->strides[-1]);
    return true;
}

/* Where the element of a parameter is: 0 dst, 1 src or src0, 2 src1. */
static uint64_t at(const decoded *d, uint32_t parameter, uint32_t repeat, uint32_t lane)
{
    const uint32_t size = bytes_of(parameter == 0 ? d->type : d->from);
    return place(d->in->arguments[parameter], (uint32_t)d->strides[parameter],
                 (uint32_t)d->strides[d->operands + parameter], 32 / size, size * 8, repeat, lane);
}

static double second(const machine *m, const decoded *d, uint32_t repeat, uint32_t lane)
{
    if (d->two)
        return element(m, d->from, at(d, 2, repeat, lane));
    if (d->kind->form == SHIFT)
        return (double)d->in->arguments[2];
    return d->has_value ? element_of_bits(d->from, d->in->arguments[2]) : 0;
}

/* A repeat reads all of its elements before it writes one. */
static void refer_repeat(machine *m, const decoded *d, uint32_t repeat)
{
    double numbers[128];
    int64_t integers[128];
    for (uint32_t lane = 0; lane < d->lanes; lane++) {
        if (!is_active(m, d->lanes, repeat, lane))
            continue;
        const double x = element(m, d->from, at(d, 1, repeat, lane));
        const double y = second(m, d, repeat, lane);
        if (is_float(d->type))
            numbers[lane] = of_floats(m, d->in, x, y, element(m, d->type, at(d, 0, repeat, lane)));
        else
            integers[lane] = of_integers(d->in, (int64_t)x, (int64_t)y);
    }
    for (uint32_t lane = 0; lane < d->lanes; lane++) {
        if (!is_active(m, d->lanes, repeat, lane))
            continue;
        if (is_float(d->type))
            put(m, d->type, at(d, 0, repeat, lane), numbers[lane]);
        else
            put_bytes(m, d->type, at(d, 0, repeat, lane), &integers[lane]);
    }
}

static void refer_rows(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const uint32_t size = bytes_of(in->types[0]);
    for (uint64_t row = 0; row < g[2]; row++)
        for (uint64_t i = 0; i < m->mask[0]; i++) {
            const uint64_t block = i * size / 32, rest = i * size % 32;
            unsigned char bytes[4];
            memcpy(bytes, m->ub + g[1] + (row * g[6] + block * g[4]) * 32 + rest, size);
            put_bytes(m, in->types[0], g[0] + (row * g[5] + block * g[3]) * 32 + rest, bytes);
        }
}

static bool refer(machine *m, const twk_instruction *in)
{
    decoded d;
    if (m->count_mode && in->number == TWK_INSTRUCTION_VCOPY) {
        refer_rows(m, in);
        return true;
    }
    if (!decode(m, in, &d))
        return false;
    for (uint32_t repeat = 0; repeat < d.repeats; repeat++)
        refer_repeat(m, &d, repeat);
    return true;
}

const group arithmetic_group = {"arithmetic", make, refer};
