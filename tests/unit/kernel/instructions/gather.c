/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that are picked by offsets and by masks, and blocks that are transposed. */
#include "machine.h"

/* ---- making ---------------------------------------------------------------------------------- */

/* Offsets in UB, which stay there: put by instructions of their own. */
static void put_offsets(const machine *m, program *p, uint64_t at, uint32_t count, uint32_t base,
                        uint32_t unit)
{
    (void)record(p, TWK_INSTRUCTION_SET_MASK_NORM, NO_TYPES);
    for (uint32_t i = 0; i < 2; i++) { /* even and odd ones differ */
        twk_instruction *in = record(p, TWK_INSTRUCTION_SET_VECTOR_MASK, NO_TYPES);
        argument(in, 0);
        argument(in, i == 0 ? UINT64_MAX : random_bits());
        in = record(p, TWK_INSTRUCTION_VECTOR_DUP, TWK_UINT32, TWK_NO_TYPE, TWK_NO_TYPE);
        const uint64_t arguments[] = {at,
                                      random_below((WINDOW - base - unit) / unit + 1) * unit,
                                      (count * 4 + 255) / 256,
                                      1,
                                      1,
                                      8,
                                      0};
        for (uint32_t j = 0; j < 7; j++)
            argument(in, arguments[j]);
    }
    if (m->count_mode)
        (void)record(p, TWK_INSTRUCTION_SET_MASK_COUNT, NO_TYPES);
    twk_instruction *in = record(p, TWK_INSTRUCTION_SET_VECTOR_MASK, NO_TYPES);
    argument(in, m->mask[1]);
    argument(in, m->mask[0]);
}

static void make_gather(const machine *m, program *p, bool blocks)
{
    const uint32_t type = random_below(2) ? TWK_UINT16 : TWK_UINT32, lanes = 256 / bytes_of(type);
    const uint32_t repeat = blocks ? random_below(9) : random_repeat(m, lanes);
    const strides d = {blocks ? random_below(4) : 1, random_below(20)};
    const uint32_t count = repeat * (blocks ? 8 : lanes), unit = blocks ? 32 : bytes_of(type);
    const uint32_t base = random_below(100) * 32;
    const uint64_t bytes = ((uint64_t)count * 4 + 255) / 256 * 256;
    const uint64_t dst = random_place(reach_of(d, 8, repeat), 32);
    const uint64_t offsets = random_source(bytes, true, dst, dst + reach_of(d, 8, repeat));
    if (count > 0)
        put_offsets(m, p, offsets, count, base, unit);
    twk_instruction *in = record(p, blocks ? TWK_INSTRUCTION_VGATHERB : TWK_INSTRUCTION_VGATHER,
                                 type, TWK_UINT32, TWK_NO_TYPE);
    argument(in, dst);
    argument(in, offsets);
    argument(in, base);
    argument(in, d.repeat);
    if (blocks)
        argument(in, d.block);
    argument(in, m->count_mode && !blocks ? random_below(256) : repeat);
}

static void make_pick(const machine *m, program *p)
{
    const uint32_t type = random_below(2) ? TWK_UINT16 : TWK_UINT32, size = bytes_of(type);
    const uint32_t count = m->count_mode ? (uint32_t)m->mask[0] : 256 / size;
    const uint32_t repeat = random_below(4), pattern = random_below(8);
    const uint32_t blocks = (count * size + 31) / 32 + (count == 0);
    const strides a = random_strides(blocks);
    const uint32_t bits_pitch = random_below(3);
    const uint64_t reach = reach_of(a, blocks, repeat), bits = 1000 / 8 + 64 + bits_pitch * 96u;
    if (reach > WINDOW || (uint64_t)count * repeat * size > WINDOW / 2) {
        random_failed = true;
        return;
    }
    const bool in_place = a.block == 1 && a.repeat == blocks && random_below(4) == 0;
    const uint64_t most = (uint64_t)count * repeat * size;
    uint64_t dst, src;
    for (uint32_t attempt = 0;; attempt++) {
        dst = random_place(most, 32);
        src = random_place(reach, 32);
        if (in_place)
            dst = src;
        if (in_place || dst >= src + reach || src >= dst + most)
            break;
        if (attempt == 100) {
            random_failed = true;
            return;
        }
    }
    const uint64_t mask = random_source(bits, true, dst, dst + most);
    twk_instruction *in = record(p, TWK_INSTRUCTION_VREDUCEV2, type, type, type);
    argument(in, dst);
    argument(in, src);
    argument(in, mask);
    argument(in, repeat);
    argument(in, a.block);
    argument(in, pattern);
    argument(in, a.repeat);
    argument(in, bits_pitch);
    if (random_below(2))
        (void)record(p, TWK_INSTRUCTION_GET_RSVD_CNT, NO_TYPES);
}

static void make_transpose(program *p)
{
    const uint32_t type = random_below(2) ? TWK_INT16 : TWK_UINT16;
    twk_instruction *in = record(p, TWK_INSTRUCTION_VTRANSPOSE, type, type, TWK_NO_TYPE);
    argument(in, random_place(512, 32));
    argument(in, random_place(512, 32));
}

/* 16 blocks at places of their own: those of dst in the first half of the window, those of src in
 * the other; or each at its place in one square. */
static void make_exchange(program *p)
{
    static const uint16_t numbers[] = {TWK_INSTRUCTION_SCATTER_VNCHWCONV_B8,
                                       TWK_INSTRUCTION_SCATTER_VNCHWCONV_B16,
                                       TWK_INSTRUCTION_SCATTER_VNCHWCONV_B32};
    const uint32_t which = random_below(3), repeat = random_below(6);
    const uint32_t first = random_below(4) * 2, second = (first + 2 + random_below(3) * 2) % 8;
    const uint32_t order = 1 + 2 * random_below(16); /* odd: another one for each block */
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t number = (i < 2 ? first : second) + i % 2;
        twk_instruction *in = record(p, TWK_INSTRUCTION_SET_VA_REG_SB, NO_TYPES);
        argument(in, number);
        for (uint32_t j = 0; j < 8; j++)
            argument(in, (i < 2 ? 0 : WINDOW / 2) + (i % 2 * 8 + j) * order % 32 * 256);
    }
    twk_instruction *in = record(p, numbers[which], NO_TYPES);
    argument(in, first);
    argument(in, second);
    argument(in, repeat);
    argument(in, random_below(4));
    argument(in, random_below(4));
    if (which == 0) {
        argument(in, random_below(2));
        argument(in, random_below(2));
    }
}

static void make(const machine *m, program *p)
{
    switch (random_below(5)) {
    case 0:
        make_gather(m, p, false);
        break;
    case 1:
        make_gather(m, p, true);
        break;
    case 2:
        make_pick(m, p);
        break;
    case 3:
        make_transpose(p);
        break;
    default:
        make_exchange(p);
    }
}

/* ---- the reference --------------------------------------------------------------------------- */

static uint32_t offset_at(const machine *m, uint64_t at)
{
    uint32_t offset;
    memcpy(&offset, m->ub + at, sizeof(offset));
    return offset;
}

static void refer_gather(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type), lanes = 256 / size;
    for (uint32_t repeat = 0; repeat < repeats_of(m, lanes, (uint32_t)g[4]); repeat++) {
        uint8_t found[256];
        for (uint32_t lane = 0; lane < lanes; lane++)
            if (is_active(m, lanes, repeat, lane))
                memcpy(found + lane * size,
                       m->ub + g[2] + offset_at(m, g[1] + (repeat * lanes + lane) * 4u), size);
        for (uint32_t lane = 0; lane < lanes; lane++)
            if (is_active(m, lanes, repeat, lane))
                put_bytes(m, type, g[0] + repeat * g[3] * 32 + lane * size, found + lane * size);
    }
}

static void refer_gather_blocks(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    for (uint32_t repeat = 0; repeat < g[5]; repeat++) {
        uint8_t found[8][32];
        for (uint32_t i = 0; i < 8; i++)
            memcpy(found[i], m->ub + g[2] + offset_at(m, g[1] + (repeat * 8 + i) * 4u), 32);
        for (uint32_t i = 0; i < 8; i++)
            for (uint32_t j = 0; j < 32; j++)
                put_bytes(m, TWK_UINT8, g[0] + repeat * g[3] * 32 + i * g[4] * 32 + j,
                          &found[i][j]);
    }
}

static void refer_pick(machine *m, const twk_instruction *in)
{
    static const char *const patterns[] = {"",     "1010", "0101", "1000",
                                           "0100", "0010", "0001", "1111"};
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type);
    const uint64_t count = m->count_mode ? m->mask[0] : 256 / size;
    m->kept = 0;
    for (uint32_t repeat = 0; repeat < g[3]; repeat++)
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t bits = m->ub[g[2] + repeat * g[7] * 32 + i / 8];
            if (g[5] == 0 ? !(bits >> i % 8 & 1) : patterns[g[5]][i % 4] == '0')
                continue;
            uint8_t found[4];
            memcpy(found,
                   m->ub +
                       place(g[1], (uint32_t)g[4], (uint32_t)g[6], 32 / size, size * 8, repeat, i),
                   size);
            put_bytes(m, type, g[0] + m->kept++ * size, found);
        }
}

static void refer_transpose(machine *m, const twk_instruction *in)
{
    uint16_t square[256];
    memcpy(square, m->ub + in->arguments[1], sizeof(square));
    for (uint32_t i = 0; i < 256; i++)
        put_bytes(m, TWK_UINT16, in->arguments[0] + i * 2u, &square[i % 16 * 16 + i / 16]);
}

static uint64_t address(const machine *m, uint64_t number, uint32_t block)
{
    return m->va[number + block / 8][block % 8];
}

static void refer_exchange(machine *m, const twk_instruction *in, uint32_t size)
{
    const uint64_t *g = in->arguments;
    for (uint32_t repeat = 0; repeat < g[2]; repeat++) {
        const uint64_t turn = g[2] == 1 ? 1 : repeat;
        uint8_t from[16][32];
        for (uint32_t i = 0; i < 16; i++)
            memcpy(from[i], m->ub + address(m, g[1], i) + turn * g[4] * 32, 32);
        for (uint32_t e = 0; e < (size == 1 ? 16 : 32 / size); e++)
            for (uint32_t i = 0; i < 16; i++) {
                const uint8_t *element = from[i] + (e + (size == 1 && g[6] ? 16 : 0)) * size;
                /* 16 elements follow on each other; 8 of 32 bits fill a block. */
                const uint32_t block = size == 4 ? 2 * e + i / 8 : e;
                const uint32_t at = (size == 4 ? i % 8 : i) * size + (size == 1 && g[5] ? 16 : 0);
                const uint32_t type = size == 1 ? TWK_UINT8 : size == 2 ? TWK_UINT16 : TWK_UINT32;
                put_bytes(m, type, address(m, g[0], block) + turn * g[3] * 32 + at, element);
            }
    }
}

static bool refer(machine *m, const twk_instruction *in)
{
    switch (in->number) {
    case TWK_INSTRUCTION_VGATHER:
        refer_gather(m, in);
        return true;
    case TWK_INSTRUCTION_VGATHERB:
        refer_gather_blocks(m, in);
        return true;
    case TWK_INSTRUCTION_VREDUCEV2:
        refer_pick(m, in);
        return true;
    case TWK_INSTRUCTION_GET_RSVD_CNT:
        m->result = m->kept;
        return true;
    case TWK_INSTRUCTION_VTRANSPOSE:
        refer_transpose(m, in);
        return true;
    case TWK_INSTRUCTION_SCATTER_VNCHWCONV_B8:
        refer_exchange(m, in, 1);
        return true;
    case TWK_INSTRUCTION_SCATTER_VNCHWCONV_B16:
        refer_exchange(m, in, 2);
        return true;
    case TWK_INSTRUCTION_SCATTER_VNCHWCONV_B32:
        refer_exchange(m, in, 4);
        return true;
    default:
        return false;
    }
}

const group gather_group = {"picked and transposed", make, refer};
