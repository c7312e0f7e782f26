/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that fill UB, and blocks of it. */
#include "machine.h"

/* ---- making ---------------------------------------------------------------------------------- */

static void make_fill(const machine *m, program *p)
{
    static const uint8_t types[] = {TWK_FP16,  TWK_FP32,   TWK_BF16,  TWK_INT16,
                                    TWK_INT32, TWK_UINT16, TWK_UINT32};
    const uint32_t type = types[random_below(7)], repeat = random_repeat(m, 256 / bytes_of(type));
    const strides d = random_strides(8);
    twk_instruction *in = record(p, TWK_INSTRUCTION_VECTOR_DUP, type,
                                 is_float(type) ? type : TWK_NO_TYPE, TWK_NO_TYPE);
    argument(in, random_place(reach_of(d, 8, repeat), 32));
    argument(in, random_element(type) & (((uint64_t)1 << bytes_of(type) * 8) - 1));
    argument(in, m->count_mode ? random_below(256) : repeat);
    argument(in, d.block);
    argument(in, 1);
    argument(in, d.repeat);
    argument(in, 0);
}

static void make_broadcast(program *p)
{
    const uint32_t type = random_below(2) ? TWK_UINT16 : TWK_UINT32, repeat = random_below(8);
    const strides d = random_strides(8), used = {d.block ? d.block : 1, d.repeat};
    const uint64_t bytes = (uint64_t)repeat * 8 * bytes_of(type);
    const uint64_t dst = random_place(reach_of(used, 8, repeat), 32);
    twk_instruction *in = record(p, TWK_INSTRUCTION_VBRCB, type, type, TWK_NO_TYPE);
    argument(in, dst);
    argument(in, random_source(bytes, true, dst, dst + reach_of(used, 8, repeat)));
    argument(in, d.block);
    argument(in, d.repeat);
    argument(in, repeat);
}

static void make(const machine *m, program *p)
{
    switch (random_below(2)) {
    case 0:
        make_fill(m, p);
        break;
    default:
        make_broadcast(p);
    }
}

/* ---- the reference --------------------------------------------------------------------------- */

static void refer_fill(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type), lanes = 256 / size;
    for (uint32_t repeat = 0; repeat < repeats_of(m, lanes, (uint32_t)g[2]); repeat++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            if (is_active(m, lanes, repeat, lane))
                put_bytes(
                    m, type,
                    place(g[0], (uint32_t)g[3], (uint32_t)g[5], 32 / size, size * 8, repeat, lane),
                    &g[1]);
}

static void refer_broadcast(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    const uint32_t type = in->types[0], size = bytes_of(type);
    const uint32_t block_stride = g[2] ? (uint32_t)g[2] : 1;
    for (uint32_t i = 0; i < g[4] * 8; i++)
        for (uint32_t j = 0; j < 32 / size; j++) {
            uint32_t element;
            memcpy(&element, m->ub + g[1] + (size_t)i * size, size);
            put_bytes(m, type, g[0] + i / 8 * g[3] * 32 + i % 8 * block_stride * 32 + j * size,
                      &element);
        }
}

static bool refer(machine *m, const twk_instruction *in)
{
    switch (in->number) {
    case TWK_INSTRUCTION_VECTOR_DUP:
        refer_fill(m, in);
        return true;
    case TWK_INSTRUCTION_VBRCB:
        refer_broadcast(m, in);
        return true;
    default:
        return false;
    }
}

const group fill_group = {"filled", make, refer};
