/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of 32 that are sorted, and lists that are merged. */
#include "machine.h"

/* ---- making ---------------------------------------------------------------------------------- */

static void make_sort(program *p, uint32_t type)
{
    const uint32_t repeat = random_below(5);
    const uint64_t dst = random_place((uint64_t)repeat * 256, 32), end = dst + repeat * 256u;
    twk_instruction *in = record(p, TWK_INSTRUCTION_VBITSORT, type, type, TWK_UINT32);
    argument(in, dst);
    argument(in, random_source((uint64_t)repeat * 32 * bytes_of(type), true, dst, end));
    argument(in, random_source((uint64_t)repeat * 128, true, dst, end));
    argument(in, repeat);
}

static void make_merge(program *p, uint32_t type)
{
    static const uint8_t valid[] = {3, 7, 15};
    const bool often = random_below(3) == 0, packed = random_below(2) != 0;
    const uint32_t lists = often ? 4 : 2 + random_below(3);
    const uint32_t repeat = often ? random_below(4) : random_below(8) != 0;
    const uint32_t length = random_below(40);
    const bool stops = !often && random_below(2) != 0;
    uint64_t src[4], lengths[4], total = 0;
    for (uint32_t i = 0; i < 4; i++) {
        lengths[i] = often || random_below(2) ? length : random_below(60);
        total += i < lists ? lengths[i] : 0;
    }
    const uint64_t bytes = total * 8 * (repeat ? repeat : 1);
    const uint64_t dst = random_place(bytes, 32);
    const uint64_t together = random_source(bytes, true, dst, dst + bytes);
    for (uint32_t i = 0; i < 4; i++)
        src[i] = often       ? together + i * length * 8u
                 : i < lists ? random_source(lengths[i] * 8, true, dst, dst + bytes)
                             : 0;
    twk_instruction *in = record(p, TWK_INSTRUCTION_VMRGSORT4, type, type, TWK_NO_TYPE);
    argument(in, dst);
    for (uint32_t i = 0; i < 4; i++)
        argument(in, src[i]);
    if (packed) {
        argument(in, lengths[0] | lengths[1] << 16 | lengths[2] << 32 | lengths[3] << 48);
        argument(in, repeat | (uint64_t)valid[lists - 2] << 8 | (uint64_t)stops << 12);
    } else {
        argument(in, repeat);
        for (uint32_t i = 0; i < 4; i++)
            argument(in, lengths[i]);
        argument(in, stops);
        argument(in, valid[lists - 2]);
    }
    if (random_below(2) && repeat > 0)
        (void)record(p, TWK_INSTRUCTION_GET_VMS4_SR, NO_TYPES);
}

static void make(const machine *m, program *p)
{
    const uint32_t type = random_below(2) ? TWK_FP16 : TWK_FP32;
    (void)m;
    if (random_below(2))
        make_sort(p, type);
    else
        make_merge(p, type);
}

/* ---- the reference --------------------------------------------------------------------------- */

static bool before(double a, double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

/* How many elements come before number i: larger ones, and equal ones with a smaller number. */
static uint32_t rank_of(const double *values, uint32_t i)
{
    uint32_t rank = 0;
    for (uint32_t j = 0; j < 32; j++)
        rank += before(values[j], values[i]) || (j < i && !before(values[i], values[j]));
    return rank;
}

static void refer_sort(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type);
    for (uint32_t repeat = 0; repeat < g[3]; repeat++) {
        double values[32];
        for (uint32_t i = 0; i < 32; i++)
            values[i] = element(m, type, g[1] + (uint64_t)(repeat * 32 + i) * size);
        for (uint32_t i = 0; i < 32; i++) {
            const uint64_t to = g[0] + repeat * 256u + rank_of(values, i) * 8u;
            const uint64_t zero = 0;
            put_bytes(m, TWK_UINT64, to, &zero);
            put_bytes(m, type == TWK_FP32 ? TWK_UINT32 : TWK_UINT16, to,
                      m->ub + g[1] + (size_t)(repeat * 32 + i) * size);
            put_bytes(m, TWK_UINT32, to + 4, m->ub + g[2] + (size_t)(repeat * 32 + i) * 4);
        }
    }
}

static void refer_merge(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const bool packed = in->count < 12;
    const uint32_t valid = (uint32_t)(packed ? g[6] >> 8 & 15 : g[11]);
    const uint32_t repeats = (uint32_t)(packed ? g[6] & 255 : g[5]);
    const bool stops = (packed ? g[6] >> 12 & 1 : g[10]) != 0;
    uint32_t length[4], taken[4] = {0}, total = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t given = packed ? g[5] >> 16 * i & 0xffff : g[6 + i];
        length[i] = valid >> i & 1 ? (uint32_t)given : 0;
        total += length[i];
    }
    for (uint32_t repeat = 0; repeat < repeats; repeat++) {
        bool ended = false;
        memset(taken, 0, sizeof(taken));
        for (uint32_t done = 0; done < total && !ended; done++) {
            uint64_t best_at = 0;
            int best = -1;
            for (int i = 3; i >= 0; i--) {
                const uint64_t at = g[1 + i] + (uint64_t)repeat * total * 8 + taken[i] * 8u;
                if (taken[i] < length[i] && (best < 0 || !before(element(m, in->types[0], best_at),
                                                                 element(m, in->types[0], at)))) {
                    best = i;
                    best_at = at;
                }
            }
            put_bytes(m, TWK_UINT64, g[0] + ((uint64_t)repeat * total + done) * 8, m->ub + best_at);
            taken[best]++;
            ended = stops && taken[best] == length[best];
        }
    }
    if (repeats > 0)
        m->merged = taken[0] | (uint64_t)taken[1] << 16 | (uint64_t)taken[2] << 32 |
                    (uint64_t)taken[3] << 48;
}

static bool refer(machine *m, const twk_instruction *in)
{
    switch (in->number) {
    case TWK_INSTRUCTION_VBITSORT:
        refer_sort(m, in);
        return true;
    case TWK_INSTRUCTION_VMRGSORT4:
        refer_merge(m, in);
        return true;
    case TWK_INSTRUCTION_GET_VMS4_SR:
        m->result = m->merged;
        return true;
    default:
        return false;
    }
}

const group sort_group = {"sorted", make, refer};
