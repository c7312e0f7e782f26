/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of repeats, blocks and pairs. */
#include "machine.h"

enum { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum { SUM, MAX, MIN };

/* ---- making ---------------------------------------------------------------------------------- */

static const uint16_t of_groups[] = {TWK_INSTRUCTION_VCGADD, TWK_INSTRUCTION_VCGMAX,
                                     TWK_INSTRUCTION_VCGMIN, TWK_INSTRUCTION_VCPADD};
static const uint16_t of_all[] = {TWK_INSTRUCTION_VCADD, TWK_INSTRUCTION_VCMAX,
                                  TWK_INSTRUCTION_VCMIN};

/* Bytes that a repeat leaves. */
static uint32_t left(uint32_t number, uint32_t type, uint64_t last)
{
    const uint32_t size = bytes_of(type);
    if (number == TWK_INSTRUCTION_VCADD)
        return size;
    if (number == TWK_INSTRUCTION_VCMAX || number == TWK_INSTRUCTION_VCMIN)
        return last == ONLY_VALUE ? size : last == ONLY_INDEX ? 4 : 2 * size;
    return number == TWK_INSTRUCTION_VCPADD ? 128 : 8 * size;
}

static void make(const machine *m, program *p)
{
    const uint32_t type = random_below(2) ? TWK_FP16 : TWK_FP32;
    const bool groups = random_below(2) == 0;
    const uint32_t number = groups ? of_groups[random_below(4)] : of_all[random_below(3)];
    const uint64_t last = number == TWK_INSTRUCTION_VCADD ? random_below(2) : random_below(4);
    const uint32_t repeat = random_repeat(m, 256 / bytes_of(type)),
                   bytes = left(number, type, last);
    const uint32_t pitch = random_below(4);
    const strides a = random_strides(8);
    const uint64_t reach = ((uint64_t)repeat * pitch + 1) * bytes;
    const uint64_t dst = random_place(reach, bytes < 32 ? bytes : 32);
    twk_instruction *in = record(p, number, type, type, TWK_NO_TYPE);
    argument(in, dst);
    argument(in, random_source(reach_of(a, 8, repeat), true, dst, dst + reach));
    argument(in, m->count_mode ? random_below(256) : repeat);
    argument(in, pitch);
    argument(in, a.block);
    argument(in, a.repeat);
    if (!groups)
        argument(in, last);
    const uint32_t result = random_below(3);
    if (result == 1 && number == TWK_INSTRUCTION_VCADD)
        (void)record(p, TWK_INSTRUCTION_GET_ACC_VAL, NO_TYPES);
    if (result == 1 && !groups && number != TWK_INSTRUCTION_VCADD)
        (void)record(p, TWK_INSTRUCTION_GET_MAX_MIN_CNT, NO_TYPES);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* An element with its place; -1: the mask leaves it out. */
typedef struct item {
    double value;
    int place;
} item;

static double rounded(const machine *m, uint32_t type, double value)
{
    const double result = slow_round((twk_type)type, value);
    if (type == TWK_FP32 || !m->saturate || isfinite(result))
        return result;
    return isnan(result) ? 0 : copysign(65504, result);
}

/* NaN is beyond all numbers; of equal ones the first counts. */
static bool wins(uint32_t how, double a, double b)
{
    if (isnan(a))
        return !isnan(b);
    return !isnan(b) && (how == MAX ? a > b : a < b);
}

/* The halves of a power of two, each reduced. */
static item reduced(const machine *m, uint32_t type, uint32_t how, const item *items,
                    uint32_t count)
{
    if (count == 1)
        return items[0];
    const item a = reduced(m, type, how, items, count / 2);
    const item b = reduced(m, type, how, items + count / 2, count / 2);
    if (a.place < 0 || b.place < 0)
        return a.place < 0 ? b : a;
    if (how != SUM)
        return wins(how, b.value, a.value) ? b : a;
    return (item){rounded(m, type, (double)((float)a.value + (float)b.value)), a.place};
}

static void open_repeat(const machine *m, const twk_instruction *in, uint32_t repeat, item *items)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type), lanes = 256 / size;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint64_t at =
            place(g[1], (uint32_t)g[4], (uint32_t)g[5], 32 / size, size * 8, repeat, lane);
        items[lane] = (item){0, -1};
        if (is_active(m, lanes, repeat, lane))
            items[lane] = (item){element(m, type, at), (int)lane};
    }
}

static void put_float(machine *m, uint32_t type, uint64_t at, double value)
{
    const bool saturate = m->saturate;
    m->saturate = false; /* a sum is saturated, an element is not */
    put(m, type, at, value);
    m->saturate = saturate;
}

static uint64_t bits_of_value(uint32_t type, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    return type == TWK_FP32 ? bits : slow_to_short(value, 5);
}

static void refer_groups(machine *m, const twk_instruction *in, uint32_t how, uint32_t span)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type), lanes = 256 / size;
    for (uint32_t repeat = 0; repeat < repeats_of(m, lanes, (uint32_t)g[2]); repeat++) {
        item items[128];
        open_repeat(m, in, repeat, items);
        for (uint32_t i = 0; i < lanes / span; i++) {
            const item found = reduced(m, type, how, items + (size_t)i * span, span);
            if (found.place >= 0)
                put_float(m, type, g[0] + ((uint64_t)repeat * g[3] * (lanes / span) + i) * size,
                          found.value);
        }
    }
}

static void put_extreme(machine *m, uint32_t type, uint64_t order, uint64_t at, item found)
{
    const uint32_t size = bytes_of(type), index = (uint32_t)found.place;
    if (order == ONLY_INDEX) {
        put_bytes(m, TWK_UINT32, at, &index);
        return;
    }
    put_float(m, type, at + (order == INDEX_VALUE ? size : 0), found.value);
    if (order != ONLY_VALUE)
        put_bytes(m, size == 2 ? TWK_UINT16 : TWK_UINT32, at + (order == INDEX_VALUE ? 0 : size),
                  &index);
}

static void refer_all(machine *m, const twk_instruction *in, uint32_t how)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], lanes = 256 / bytes_of(type);
    item total = {0, -1};
    for (uint32_t repeat = 0; repeat < repeats_of(m, lanes, (uint32_t)g[2]); repeat++) {
        item items[128];
        open_repeat(m, in, repeat, items);
        item found = reduced(m, type, how, items, lanes);
        if (found.place < 0)
            continue;
        const uint64_t at = g[0] + (uint64_t)repeat * g[3] * left(in->number, type, g[6]);
        if (how != SUM)
            put_extreme(m, type, g[6], at, found);
        else if (g[6] == 0)
            put_float(m, type, at, found.value);
        found.place += (int)(repeat * lanes);
        const item pair[2] = {total, found};
        total = reduced(m, type, how, pair, 2);
    }
    if (total.place < 0)
        return;
    const uint64_t bits = bits_of_value(type, total.value);
    if (how == SUM && g[6] != 0) {
        m->sum = bits;
        m->sum_is_nan = isnan(total.value);
    } else if (how != SUM) {
        m->extreme = (uint64_t)total.place << 32 | bits;
        m->extreme_is_nan = isnan(total.value);
    }
}

static bool refer(machine *m, const twk_instruction *in)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (in->number == of_groups[i])
            refer_groups(m, in, i, 32 / bytes_of(in->types[0]));
        else if (in->number == of_all[i])
            refer_all(m, in, i);
        else
            continue;
        return true;
    }
    switch (in->number) {
    case TWK_INSTRUCTION_VCPADD:
        refer_groups(m, in, SUM, 2);
        return true;
    case TWK_INSTRUCTION_GET_ACC_VAL:
        m->result = m->sum;
        m->any_result = m->sum_is_nan;
        return true;
    case TWK_INSTRUCTION_GET_MAX_MIN_CNT:
        m->result = m->extreme;
        m->any_result = m->extreme_is_nan;
        return true;
    default:
        return false;
    }
}

const group reduce_group = {"reductions", make, refer};
