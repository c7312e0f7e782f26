/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons and selections. */
#include "machine.h"

enum { LT, LE, EQ, NE, GE, GT };
static const uint16_t to_register[] = {TWK_INSTRUCTION_VCMP_LT, TWK_INSTRUCTION_VCMP_LE,
                                       TWK_INSTRUCTION_VCMP_EQ, TWK_INSTRUCTION_VCMP_NE,
                                       TWK_INSTRUCTION_VCMP_GE, TWK_INSTRUCTION_VCMP_GT};
static const uint16_t of_two[] = {TWK_INSTRUCTION_VCMPV_LT, TWK_INSTRUCTION_VCMPV_LE,
                                  TWK_INSTRUCTION_VCMPV_EQ, TWK_INSTRUCTION_VCMPV_NE,
                                  TWK_INSTRUCTION_VCMPV_GE, TWK_INSTRUCTION_VCMPV_GT};
static const uint16_t of_scalar[] = {TWK_INSTRUCTION_VCMPVS_LT, TWK_INSTRUCTION_VCMPVS_LE,
                                     TWK_INSTRUCTION_VCMPVS_EQ, TWK_INSTRUCTION_VCMPVS_NE,
                                     TWK_INSTRUCTION_VCMPVS_GE, TWK_INSTRUCTION_VCMPVS_GT};

/* ---- making ---------------------------------------------------------------------------------- */

static void add_strides(twk_instruction *in, strides d, strides a, strides b, bool two)
{
    argument(in, d.block);
    argument(in, a.block);
    if (two)
        argument(in, b.block);
    argument(in, d.repeat);
    argument(in, a.repeat);
    if (two)
        argument(in, b.repeat);
}

static void make_compare(program *p, uint32_t form, uint32_t type)
{
    const uint32_t relation = random_below(6);
    const strides d = random_strides(8), a = random_strides(8), b = random_strides(8);
    const uint32_t repeat = random_below(6);
    const uint64_t bytes = (uint64_t)repeat * 32 / bytes_of(type);
    twk_instruction *in;
    if (form == 0) {
        in = record(p, to_register[relation], type, type, TWK_NO_TYPE);
        argument(in, random_place(reach_of(a, 8, 1), 32));
    } else {
        in = record(p, form == 1 ? of_two[relation] : of_scalar[relation], TWK_UINT8, type,
                    form == 1 || is_float(type) ? type : TWK_NO_TYPE);
        argument(in, random_place(bytes, 32));
        argument(in, random_place(reach_of(a, 8, repeat), 32));
    }
    if (form == 2)
        argument(in, random_element(type) & (((uint64_t)1 << bytes_of(type) * 8) - 1));
    else
        argument(in, random_place(reach_of(b, 8, form == 0 ? 1 : repeat), 32));
    argument(in, repeat);
    add_strides(in, d, a, b, form != 2);
}

/* Puts an element into the register of comparisons, as it is done on a board. */
static void set_register(const machine *m, program *p, uint32_t value)
{
    const uint64_t at = random_place(32, 32);
    (void)record(p, TWK_INSTRUCTION_SET_MASK_NORM, NO_TYPES);
    twk_instruction *in = record(p, TWK_INSTRUCTION_SET_VECTOR_MASK, NO_TYPES);
    argument(in, 0);
    argument(in, 0xff);
    in = record(p, TWK_INSTRUCTION_VECTOR_DUP, TWK_UINT32, TWK_NO_TYPE, TWK_NO_TYPE);
    const uint64_t arguments[] = {at, value, 1, 1, 1, 8, 0};
    for (uint32_t i = 0; i < 7; i++)
        argument(in, arguments[i]);
    in = record(p, TWK_INSTRUCTION_SET_CMPMASK, NO_TYPES);
    argument(in, at);
    if (m->count_mode)
        (void)record(p, TWK_INSTRUCTION_SET_MASK_COUNT, NO_TYPES);
    in = record(p, TWK_INSTRUCTION_SET_VECTOR_MASK, NO_TYPES);
    argument(in, m->mask[1]);
    argument(in, m->mask[0]);
}

static void make_select(const machine *m, program *p, uint32_t type)
{
    const uint32_t mode = random_below(4), lanes = 256 / bytes_of(type); /* 3: none is given */
    const uint32_t repeat = random_repeat(m, lanes);
    const strides d = random_strides(8), a = random_strides(8), b = random_strides(8);
    const uint64_t bits = ((uint64_t)repeat * lanes + 7) / 8;
    const uint64_t end = reach_of(d, 8, repeat);
    uint64_t mask, dst;
    do { /* the bits of the choice stay as they are */
        mask = random_place(bits, 32);
        dst = random_place(end, 32);
    } while (mode != 0 && mode != 3 && dst < mask + bits && mask < dst + end);
    if (mode == 1)
        set_register(m, p, (uint32_t)random_element(type));
    else if (mode == 2)
        set_register(m, p, (uint32_t)mask);
    static const uint8_t others[] = {TWK_UINT8, TWK_UINT16, TWK_UINT32, TWK_UINT64};
    twk_instruction *in =
        record(p, TWK_INSTRUCTION_VSEL, type, type, mode == 1 ? others[random_below(4)] : type);
    argument(in, dst);
    argument(in, random_place(reach_of(a, 8, repeat), 32));
    argument(in, mode == 1 ? mask : random_place(reach_of(b, 8, repeat), 32));
    argument(in, m->count_mode ? random_below(256) : repeat);
    add_strides(in, d, a, b, true);
    if (mode < 3)
        argument(in, mode);
}

static void make(const machine *m, program *p)
{
    const uint32_t form = random_below(5);
    const uint32_t type = random_below(2) ? TWK_FP16 : TWK_FP32;
    if (form < 3)
        make_compare(p, form, type);
    else
        make_select(m, p, type);
}

/* ---- the reference --------------------------------------------------------------------------- */

static bool holds(uint32_t relation, double a, double b)
{
    switch (relation) {
    case LT:
        return a < b;
    case LE:
        return a <= b;
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case GE:
        return a >= b;
    default:
        return a > b;
    }
}

static void set_bit(uint8_t *bytes, uint32_t bit, bool value)
{
    bytes[bit / 8] = (uint8_t)((bytes[bit / 8] & ~(1u << bit % 8)) | (uint32_t)value << bit % 8);
}

static bool get_bit(const uint8_t *bytes, uint32_t bit)
{
    return (bytes[bit / 8] >> bit % 8 & 1) != 0;
}

static double at(const machine *m, uint32_t type, uint64_t address, uint64_t block,
                 uint64_t repeats, uint32_t repeat, uint32_t lane)
{
    return element(m, type,
                   place(address, (uint32_t)block, (uint32_t)repeats, 32 / bytes_of(type),
                         bytes_of(type) * 8, repeat, lane));
}

static void refer_register(machine *m, const twk_instruction *in, uint32_t relation)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], lanes = 256 / bytes_of(type);
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (is_active(m, lanes, 0, lane))
            set_bit(m->compare, lane,
                    holds(relation, at(m, type, g[0], g[4], g[7], 0, lane),
                          at(m, type, g[1], g[5], g[8], 0, lane)));
}

static void refer_memory(machine *m, const twk_instruction *in, uint32_t relation, bool two)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[1], lanes = 256 / bytes_of(type);
    for (uint32_t repeat = 0; repeat < g[3]; repeat++) {
        uint8_t bits[16];
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const double a = at(m, type, g[1], g[5], two ? g[8] : g[7], repeat, lane);
            const double b =
                two ? at(m, type, g[2], g[6], g[9], repeat, lane) : element_of_bits(type, g[2]);
            set_bit(bits, lane, holds(relation, a, b));
        }
        memcpy(m->ub + g[0] + repeat * (lanes / 8), bits, lanes / 8);
        memset(m->kind + g[0] + repeat * (lanes / 8), TWK_UINT8, lanes / 8);
    }
}

static void refer_select(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const uint64_t mode = in->count > 10 ? g[10] : 0;
    const uint32_t type = in->types[0], size = bytes_of(type), lanes = 256 / size;
    const uint32_t in_block = 32 / size, bits = size * 8;
    uint32_t first;
    memcpy(&first, m->compare, sizeof(first));
    const uint8_t *choice = mode == 0 ? m->compare : m->ub + (mode == 1 ? g[2] : first);
    for (uint32_t repeat = 0; repeat < repeats_of(m, lanes, (uint32_t)g[3]); repeat++) {
        uint8_t found[256];
        for (uint32_t lane = 0; lane < lanes; lane++) {
            if (!is_active(m, lanes, repeat, lane))
                continue;
            const uint64_t a =
                place(g[1], (uint32_t)g[5], (uint32_t)g[8], in_block, bits, repeat, lane);
            const uint64_t b =
                place(g[2], (uint32_t)g[6], (uint32_t)g[9], in_block, bits, repeat, lane);
            const bool chosen = get_bit(choice, mode == 0 ? lane : repeat * lanes + lane);
            memcpy(found + lane * size,
                   chosen      ? m->ub + a
                   : mode == 1 ? m->compare
                               : m->ub + b,
                   size);
        }
        for (uint32_t lane = 0; lane < lanes; lane++)
            if (is_active(m, lanes, repeat, lane))
                put_bytes(m, type,
                          place(g[0], (uint32_t)g[4], (uint32_t)g[7], in_block, bits, repeat, lane),
                          found + lane * size);
    }
}

static bool refer(machine *m, const twk_instruction *in)
{
    for (uint32_t relation = LT; relation <= GT; relation++) {
        if (in->number == to_register[relation])
            refer_register(m, in, relation);
        else if (in->number == of_two[relation])
            refer_memory(m, in, relation, true);
        else if (in->number == of_scalar[relation])
            refer_memory(m, in, relation, false);
        else
            continue;
        return true;
    }
    if (in->number != TWK_INSTRUCTION_VSEL)
        return false;
    refer_select(m, in);
    return true;
}

const group compare_group = {"comparisons", make, refer};
