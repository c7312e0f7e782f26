/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

/* ---- random ---------------------------------------------------------------------------------- */

uint32_t random_below(uint32_t end)
{
    return (uint32_t)(random_bits() >> 32) % end;
}

static uint64_t small(uint32_t type)
{
    const double value = (double)random_below(64) - 32;
    if (!is_float(type))
        return (uint64_t)(int64_t)value;
    const double part = value + (random_below(2) ? (double)random_below(16) / 16 : 0);
    const float single = (float)part;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    return type == TWK_FP32 ? bits : slow_to_short(part, type == TWK_FP16 ? 5 : 8);
}

static uint64_t limit(uint32_t type)
{
    static const uint16_t halves[] = {0x0000, 0x8000, 0x7bff, 0xfbff, 0x0001,
                                      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00};
    static const uint32_t singles[] = {0,          0x80000000, 0x7f7fffff, 0xff7fffff, 1,
                                       0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000};
    static const uint64_t integers[] = {
        0,          1,          UINT64_MAX, 0x7f,   0x80,       0x7fff,    0x8000,
        0x7fffffff, 0x80000000, 0xff,       0xffff, 0xffffffff, INT64_MAX, (uint64_t)INT64_MIN};
    if (type == TWK_FP16)
        return halves[random_below(10)];
    if (type == TWK_FP32 || type == TWK_BF16)
        return singles[random_below(10)] >> (type == TWK_BF16 ? 16 : 0);
    return integers[random_below(14)];
}

uint64_t random_element(uint32_t type)
{
    const uint32_t kind = random_below(16);
    return kind < 9 ? small(type) : kind < 12 ? limit(type) : random_bits();
}

/* ---- elements -------------------------------------------------------------------------------- */

double element_of_bits(uint32_t type, uint64_t bits)
{
    return slow_get((twk_type)type, &bits, 0);
}

double element(const machine *m, uint32_t type, uint64_t at)
{
    return slow_get((twk_type)type, m->ub + at, 0);
}

void put_bytes(machine *m, uint32_t type, uint64_t at, const void *from)
{
    const uint32_t size = bytes_of(type);
    memcpy(m->ub + at, from, size);
    memset(m->kind + at, (int)type, size);
}

void put(machine *m, uint32_t type, uint64_t at, double value)
{
    static const double largest[] = {
        [TWK_FP16] = 65504.0, [TWK_FP32] = 0x1.fffffep127, [TWK_BF16] = 0x1.fep127};
    if (!is_float(type)) {
        const int64_t whole = (int64_t)value;
        put_bytes(m, type, at, &whole);
        return;
    }
    double rounded = slow_round((twk_type)type, value);
    if (m->saturate && type != TWK_FP32)
        rounded = isnan(rounded) ? 0 : isinf(rounded) ? copysign(largest[type], rounded) : rounded;
    const float single = (float)rounded;
    const uint16_t bits = slow_to_short(rounded, type == TWK_FP16 ? 5 : 8);
    put_bytes(m, type, at, type == TWK_FP32 ? (const void *)&single : (const void *)&bits);
}

/* ---- repeats --------------------------------------------------------------------------------- */

uint32_t repeats_of(const machine *m, uint32_t lanes, uint32_t repeat)
{
    return m->count_mode ? (uint32_t)((m->mask[0] + lanes - 1) / lanes) : repeat;
}

bool is_active(const machine *m, uint32_t lanes, uint32_t repeat, uint32_t lane)
{
    if (m->count_mode)
        return (uint64_t)repeat * lanes + lane < m->mask[0];
    return (m->mask[lane / 64] >> lane % 64 & 1) != 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

twk_instruction *record(program *p, uint32_t number, uint32_t first, uint32_t second,
                        uint32_t third)
{
    twk_instruction *in = &p->list[p->count++];
    *in =
        (twk_instruction){.number = (uint16_t)number,
                          .types = {(uint8_t)first, (uint8_t)second, (uint8_t)third, TWK_NO_TYPE}};
    return in;
}

void argument(twk_instruction *in, uint64_t value)
{
    in->arguments[in->count++] = value;
}

strides random_strides(uint32_t blocks)
{
    const uint32_t kind = random_below(8);
    if (kind < 4)
        return (strides){1, blocks};
    if (kind < 5)
        return (strides){1, blocks + random_below(4)};
    if (kind < 6)
        return (strides){random_below(3), random_below(3)};
    return (strides){random_below(4), random_below(3 * blocks)};
}

uint64_t random_place(uint64_t bytes, uint32_t unit)
{
    return (uint64_t)random_below((uint32_t)((WINDOW - bytes) / unit) + 1) * unit;
}

bool random_failed;

uint64_t random_source(uint64_t bytes, bool apart, uint64_t dst, uint64_t dst_end)
{
    for (uint32_t attempt = 0;; attempt++) {
        const uint64_t at = random_place(bytes, 32);
        random_failed = random_failed || attempt == 100;
        if (!apart || at >= dst_end || at + bytes <= dst || attempt == 100)
            return at;
    }
}

uint32_t random_repeat(const machine *m, uint32_t lanes)
{
    const uint32_t kind = random_below(8);
    const uint32_t given = kind < 1 ? 0 : kind < 6 ? 1 + random_below(4) : 1 + random_below(20);
    return m->count_mode ? repeats_of(m, lanes, 0) : given;
}
