/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions, with every rounding, and with scales. */
#include "machine.h"

enum { NONE = ' ' };

/* A conversion without its rounding, and the number of each one that exists: 0: it does not. */
typedef struct kind {
    uint8_t to, from;
    uint16_t none, a, c, f, r, z, o;
} kind;

#define NUMBER(name) TWK_INSTRUCTION_VCONV_##name
#define ROUNDED(name)                                                                              \
    NUMBER(name##A), NUMBER(name##C), NUMBER(name##F), NUMBER(name##R), NUMBER(name##Z)
#define EXACT(name) NUMBER(name), 0, 0, 0, 0, 0, 0
static const kind kinds[] = {
    {TWK_FP32, TWK_BF16, EXACT(BF162F32)},
    {TWK_INT32, TWK_BF16, 0, ROUNDED(BF162S32), 0},
    {TWK_FP32, TWK_FP16, EXACT(F162F32)},
    {TWK_INT16, TWK_FP16, 0, ROUNDED(F162S16), 0},
    {TWK_INT32, TWK_FP16, 0, ROUNDED(F162S32), 0},
    {TWK_NO_TYPE, TWK_FP16, NUMBER(F162S4), ROUNDED(F162S4), 0},
    {TWK_INT8, TWK_FP16, NUMBER(F162S8), ROUNDED(F162S8), 0},
    {TWK_UINT8, TWK_FP16, NUMBER(F162U8), ROUNDED(F162U8), 0},
    {TWK_BF16, TWK_FP32, 0, ROUNDED(F322BF16), 0},
    {TWK_FP16, TWK_FP32, NUMBER(F322F16), ROUNDED(F322F16), NUMBER(F322F16O)},
    {TWK_FP32, TWK_FP32, 0, ROUNDED(F322F32), 0},
    {TWK_INT16, TWK_FP32, 0, ROUNDED(F322S16), 0},
    {TWK_INT32, TWK_FP32, 0, ROUNDED(F322S32), 0},
    {TWK_INT64, TWK_FP32, 0, ROUNDED(F322S64), 0},
    {TWK_FP16, TWK_INT16, NUMBER(S162F16), ROUNDED(S162F16), 0},
    {TWK_FP32, TWK_INT16, EXACT(S162F32)},
    {TWK_FP32, TWK_INT32, NUMBER(S322F32), ROUNDED(S322F32), 0},
    {TWK_INT16, TWK_INT32, EXACT(S322S16)},
    {TWK_INT64, TWK_INT32, EXACT(S322S64)},
    {TWK_FP16, TWK_NO_TYPE, EXACT(S42F16)},
    {TWK_FP32, TWK_INT64, 0, ROUNDED(S642F32), 0},
    {TWK_INT32, TWK_INT64, EXACT(S642S32)},
    {TWK_FP16, TWK_INT8, EXACT(S82F16)},
    {TWK_FP16, TWK_UINT8, EXACT(U82F16)},
    {TWK_FP16, TWK_INT32, EXACT(DEQ)},
    {TWK_INT8, TWK_INT16, EXACT(DEQS162B8H)},
    {TWK_INT8, TWK_INT16, EXACT(DEQS162B8L)},
    {TWK_UINT8, TWK_INT16, EXACT(VDEQS162B8H)},
    {TWK_UINT8, TWK_INT16, EXACT(VDEQS162B8L)}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

typedef struct fused {
    uint8_t to, from;
    int sum;
    uint16_t number;
} fused;
static const fused fusions[] = {{TWK_INT8, TWK_FP16, 1, TWK_INSTRUCTION_VADDRELUCONV_F162S8},
                                {TWK_FP16, TWK_FP32, 1, TWK_INSTRUCTION_VADDRELUCONV_F322F16},
                                {TWK_INT8, TWK_INT16, 1, TWK_INSTRUCTION_VADDRELUCONV_S162S8},
                                {TWK_INT8, TWK_FP16, -1, TWK_INSTRUCTION_VSUBRELUCONV_F162S8},
                                {TWK_FP16, TWK_FP32, -1, TWK_INSTRUCTION_VSUBRELUCONV_F322F16},
                                {TWK_INT8, TWK_INT16, -1, TWK_INSTRUCTION_VSUBRELUCONV_S162S8},
                                {TWK_INT8, TWK_FP16, 0, TWK_INSTRUCTION_VMULCONV_F162S8},
                                {TWK_UINT8, TWK_FP16, 0, TWK_INSTRUCTION_VMULCONV_F162U8},
                                {TWK_UINT8, TWK_INT16, 1, TWK_INSTRUCTION_VADDRELUCONV_VDEQS162B8}};
#define FUSIONS (sizeof(fusions) / sizeof(fusions[0]))

static bool is_requantization(uint32_t number)
{
    return number == NUMBER(DEQS162B8H) || number == NUMBER(DEQS162B8L) ||
           number == NUMBER(VDEQS162B8H) || number == NUMBER(VDEQS162B8L);
}

static bool by_table(uint32_t number)
{
    return number == NUMBER(VDEQS162B8H) || number == NUMBER(VDEQS162B8L) ||
           number == TWK_INSTRUCTION_VADDRELUCONV_VDEQS162B8;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* A table in UB that stays as it is, in DEQSCALE, among other bits. */
static void set_scale(program *p, uint64_t dst, uint64_t end)
{
    const uint64_t at = random_source(128, true, dst, end);
    twk_instruction *in = record(p, TWK_INSTRUCTION_SET_DEQSCALE, NO_TYPES);
    const float scale = (float)random_below(2000) / 256 * (random_below(4) ? 1 : -1);
    uint32_t bits;
    memcpy(&bits, &scale, sizeof(bits));
    argument(in, (bits & ~0x3fffull) | at / 32 | random_bits() << 32);
}

typedef struct shape {
    uint32_t lanes, repeat;
    uint32_t dst_blocks, blocks; /* in a repeat */
    strides d, a, b;
    uint64_t dst, end;
} shape;

static shape random_shape(const machine *m, uint32_t to, uint32_t from, bool halves)
{
    const uint32_t wider = bits_of(to) > bits_of(from) ? bits_of(to) : bits_of(from);
    shape s = {.lanes = 2048 / wider};
    s.repeat = random_repeat(m, s.lanes);
    s.dst_blocks = halves ? 8 : s.lanes * bits_of(to) / 256;
    s.blocks = s.lanes * bits_of(from) / 256;
    s.d = random_strides(s.dst_blocks);
    s.a = random_strides(s.blocks);
    s.b = random_strides(s.blocks);
    s.dst = random_place(reach_of(s.d, s.dst_blocks, s.repeat), 32);
    s.end = s.dst + reach_of(s.d, s.dst_blocks, s.repeat);
    return s;
}

static void make_fused(const machine *m, program *p)
{
    const fused *k = &fusions[random_below(FUSIONS)];
    const bool table = by_table(k->number);
    const shape s = random_shape(m, k->to, k->from, table);
    if (table)
        set_scale(p, s.dst, s.end);
    twk_instruction *in = record(p, k->number, k->to, k->from, k->from);
    argument(in, s.dst);
    argument(in, random_source(reach_of(s.a, s.blocks, s.repeat), true, s.dst, s.end));
    argument(in, random_source(reach_of(s.b, s.blocks, s.repeat), true, s.dst, s.end));
    argument(in, m->count_mode ? random_below(256) : s.repeat);
    const uint32_t last[] = {s.d.block, s.a.block, s.b.block, s.d.repeat, s.a.repeat, s.b.repeat};
    for (uint32_t i = 0; i < 6; i++)
        argument(in, last[i]);
    if (k->sum != 0)
        argument(in, table ? random_below(2) : 0);
}

static void make(const machine *m, program *p)
{
    if (random_below(4) == 0) {
        make_fused(m, p);
        return;
    }
    const kind *k = &kinds[random_below(KINDS)];
    const uint16_t numbers[] = {k->none, k->a, k->c, k->f, k->r, k->z, k->o};
    uint16_t number;
    do
        number = numbers[random_below(7)];
    while (number == 0);
    const bool halves = is_requantization(number);
    const shape s = random_shape(m, k->to, k->from, halves);
    if (halves || number == NUMBER(DEQ))
        set_scale(p, s.dst, s.end);
    twk_instruction *in = record(p, number, k->to, k->from, TWK_NO_TYPE);
    argument(in, s.dst);
    argument(in, random_source(reach_of(s.a, s.blocks, s.repeat), k->to != k->from, s.dst, s.end));
    argument(in, m->count_mode ? random_below(256) : s.repeat);
    argument(in, s.d.block);
    argument(in, s.a.block);
    argument(in, s.d.repeat);
    argument(in, s.a.repeat);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* Whole numbers, by the definition of each rounding. Exact for long double. */
static long double whole(long double value, char mode)
{
    const long double down = floorl(value), part = value - down;
    const bool odd = fmodl(down, 2) != 0;
    if (!(part > 0)) /* whole, infinite or NaN */
        return value;
    switch (mode) {
    case 'f':
        return down;
    case 'c':
        return down + 1;
    case 'z':
        return value < 0 ? down + 1 : down;
    case 'a':
        return part > 0.5L || (part == 0.5L && value > 0) ? down + 1 : down;
    case 'o':
        return odd ? down : down + 1;
    default:
        return part > 0.5L || (part == 0.5L && odd) ? down + 1 : down;
    }
}

static void put_integer(machine *m, uint32_t type, uint64_t at, long double value, char mode)
{
    static const int8_t bits[] = {
        [TWK_INT8] = 8, [TWK_INT16] = 16, [TWK_INT32] = 32, [TWK_UINT8] = 8, [TWK_INT64] = 64};
    const int width = type == TWK_NO_TYPE ? 4 : bits[type];
    const bool is_signed = type != TWK_UINT8;
    const long double most = ldexpl(1, is_signed ? width - 1 : width) - 1;
    const long double least = is_signed ? -ldexpl(1, width - 1) : 0;
    long double result = isnan(value) ? 0 : whole(value, mode);
    result = result < least ? least : result > most ? most : result;
    const int64_t integer = (int64_t)result;
    put_bytes(m, type, at, &integer);
}

/* The integer as two's complement, of which the low bits are kept; beyond 64 bits the nearest. */
static void put_low_bits(machine *m, uint32_t type, uint64_t at, long double value, char mode)
{
    if (type == TWK_INT64) {
        put_integer(m, type, at, value, mode);
        return;
    }
    const long double steps = ldexpl(1, (int)bits_of(type));
    long double result = isnan(value) ? 0 : whole(value, mode);
    result = fmaxl(-ldexpl(1, 63), fminl(ldexpl(1, 63) - 1, result));
    result -= floorl(result / steps) * steps;
    const uint64_t integer = (uint64_t)result;
    put_bytes(m, type, at, &integer);
}

/* The floating number of a format with `digits` binary digits, whose smallest is 2^smallest. */
static void put_rounded(machine *m, uint32_t type, uint64_t at, long double value, char mode)
{
    const int digits = type == TWK_FP32 ? 24 : type == TWK_FP16 ? 11 : 8;
    const int smallest = type == TWK_FP32 ? -149 : type == TWK_FP16 ? -24 : -133;
    const long double largest =
        type == TWK_FP16 ? 65504.0L : ldexpl(2 - ldexpl(1, 1 - digits), 127);
    int exponent = 0;
    long double result = value;
    if (isfinite(value) && value != 0) {
        (void)frexpl(value, &exponent);
        const int last = exponent - digits > smallest ? exponent - digits : smallest;
        result = ldexpl(whole(ldexpl(value, -last), mode), last);
        if (fabsl(result) > largest) {
            const bool inwards = mode == 'z' || mode == 'o' || (mode == 'f' && value > 0) ||
                                 (mode == 'c' && value < 0);
            result = copysignl(inwards ? largest : (long double)INFINITY, value);
        }
        if (result == 0)
            result = copysignl(0, value);
    }
    put(m, type, at, (double)result);
}

static long double source(const machine *m, uint32_t type, uint64_t at, uint32_t lane)
{
    int64_t wide;
    if (type == TWK_NO_TYPE) {
        const int low = m->ub[at] >> lane % 2 * 4 & 15;
        return low > 7 ? low - 16 : low;
    }
    if (type != TWK_INT64)
        return (long double)element(m, type, at);
    memcpy(&wide, m->ub + at, sizeof(wide));
    return (long double)wide;
}

/* The result of INT16 to 8 bits. */
static long double requantized(uint64_t parameters, long double value, bool *is_signed)
{
    const uint32_t bits = (uint32_t)parameters & ~(uint32_t)0x1fff;
    float scale;
    memcpy(&scale, &bits, sizeof(scale));
    int offset = (int)(parameters >> 37 & 511);
    offset = offset > 255 ? offset - 512 : offset;
    *is_signed = (parameters >> 46 & 1) != 0;
    /* The exact product and sum may need more than a long double has: a double in between is what
     * the model has. */
    return (long double)((double)value * (double)scale + offset);
}

typedef struct decoded {
    uint32_t number, to, from;
    char mode;
    int sum; /* of a fused one; 2: none */
    uint32_t lanes;
    bool halves, high;
} decoded;

static bool decode(const twk_instruction *in, decoded *d)
{
    static const char modes[] = {NONE, 'a', 'c', 'f', 'r', 'z', 'o'};
    *d = (decoded){.number = in->number, .sum = 2, .mode = NONE};
    for (uint32_t i = 0; i < FUSIONS; i++)
        if (fusions[i].number == in->number)
            d->sum = fusions[i].sum;
    bool known = d->sum != 2;
    for (uint32_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        const uint16_t numbers[] = {k->none, k->a, k->c, k->f, k->r, k->z, k->o};
        for (uint32_t j = 0; j < 7; j++)
            if (numbers[j] == in->number && numbers[j] != 0) {
                d->mode = modes[j];
                known = true;
            }
    }
    d->to = in->types[0];
    d->from = in->types[1];
    const uint32_t wider = bits_of(d->to) > bits_of(d->from) ? bits_of(d->to) : bits_of(d->from);
    d->lanes = 2048 / wider;
    d->halves =
        is_requantization(in->number) || in->number == TWK_INSTRUCTION_VADDRELUCONV_VDEQS162B8;
    d->high = in->number == NUMBER(DEQS162B8H) || in->number == NUMBER(VDEQS162B8H) ||
              (in->number == TWK_INSTRUCTION_VADDRELUCONV_VDEQS162B8 && in->arguments[10] != 0);
    return known;
}

static long double value_of(const machine *m, const decoded *d, long double a, long double b)
{
    if (d->number == NUMBER(DEQ))
        return a * (long double)slow_short((uint16_t)m->dequantize, 5);
    if (d->sum == 2)
        return a;
    const float result =
        (float)((double)a * (d->sum == 0 ? (double)b : 1) + (d->sum == 0 ? 0 : d->sum * (double)b));
    return d->sum != 0 && result <= 0 ? 0 : (long double)result;
}

static void put_result(machine *m, const decoded *d, uint64_t at, uint32_t lane, long double value)
{
    uint64_t parameters = m->dequantize;
    bool is_signed = true;
    if (d->halves) {
        if (by_table(d->number))
            memcpy(&parameters, m->ub + (m->dequantize & 0x3fff) * 32 + lane % 16 * 8, 8);
        value = requantized(parameters, value, &is_signed);
        put_integer(m, is_signed ? TWK_INT8 : TWK_UINT8, at, value, NONE);
    } else if (d->to == TWK_NO_TYPE) {
        const uint8_t before = m->ub[at];
        (m->truncate ? put_low_bits : put_integer)(m, d->to, at, value, d->mode);
        const uint8_t nibble = m->ub[at] & 15;
        m->ub[at] = (uint8_t)(lane % 2 ? (before & 15) | nibble << 4 : (before & 0xf0) | nibble);
    } else if (is_float(d->to)) {
        put_rounded(m, d->to, at,
                    d->to == d->from ? copysignl(whole(value, d->mode), value) : value, d->mode);
    } else {
        (m->truncate && d->sum == 2 ? put_low_bits : put_integer)(m, d->to, at, value, d->mode);
    }
}

static bool refer(machine *m, const twk_instruction *in)
{
    decoded d;
    if (!decode(in, &d))
        return false;
    const bool two = d.sum != 2;
    const uint64_t *g = in->arguments, *s = g + (two ? 4 : 3);
    const uint32_t n = two ? 3 : 2;
    const uint32_t in_dst = d.halves ? 16 : 256 / bits_of(d.to), in_src = 256 / bits_of(d.from);
    for (uint32_t repeat = 0; repeat < repeats_of(m, d.lanes, (uint32_t)s[-1]); repeat++) {
        long double found[128];
        for (uint32_t lane = 0; lane < d.lanes; lane++) {
            const uint64_t a = place(g[1], (uint32_t)s[1], (uint32_t)s[n + 1], in_src,
                                     bits_of(d.from), repeat, lane);
            const uint64_t b = two ? place(g[2], (uint32_t)s[2], (uint32_t)s[n + 2], in_src,
                                           bits_of(d.from), repeat, lane)
                                   : a;
            if (is_active(m, d.lanes, repeat, lane))
                found[lane] =
                    value_of(m, &d, source(m, d.from, a, lane), source(m, d.from, b, lane));
        }
        for (uint32_t lane = 0; lane < d.lanes; lane++)
            if (is_active(m, d.lanes, repeat, lane))
                put_result(m, &d,
                           place(g[0], (uint32_t)s[0], (uint32_t)s[n], in_dst, bits_of(d.to),
                                 repeat, lane) +
                               (d.halves && d.high ? 16 : 0),
                           lane, found[lane]);
    }
    return true;
}

const group convert_group = {"conversions", make, refer};
