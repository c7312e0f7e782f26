/* SPDX-License-Identifier: Apache-2.0 */
/* Registers: masks, modes, scales, the register of comparisons. */
#include "machine.h"

static void make(const machine *m, program *p)
{
    const uint32_t which = random_below(2);
    (void)m;
    if (which == 0) {
        twk_instruction *in = record(p, TWK_INSTRUCTION_SET_CMPMASK, NO_TYPES);
        argument(in, random_place(16, 32));
    }
    twk_instruction *in = record(p, TWK_INSTRUCTION_GET_CMPMASK, NO_TYPES);
    argument(in, random_place(16, 32));
}

static bool refer(machine *m, const twk_instruction *in)
{
    const uint64_t *g = in->arguments;
    switch (in->number) {
    case TWK_INSTRUCTION_SET_CTRL:
        m->saturate = (g[0] >> 48 & 1) == 0;
        m->count_mode = (g[0] >> 56 & 1) != 0;
        m->truncate = (g[0] >> 59 & 1) != 0;
        return true;
    case TWK_INSTRUCTION_SET_MASK_COUNT:
        m->count_mode = true;
        return true;
    case TWK_INSTRUCTION_SET_MASK_NORM:
        m->count_mode = false;
        return true;
    case TWK_INSTRUCTION_SET_VECTOR_MASK:
        m->mask[1] = g[0];
        m->mask[0] = g[1];
        return true;
    case TWK_INSTRUCTION_SET_DEQSCALE:
        m->dequantize = g[0];
        return true;
    case TWK_INSTRUCTION_SET_CMPMASK:
        memcpy(m->compare, m->ub + g[0], sizeof(m->compare));
        return true;
    case TWK_INSTRUCTION_GET_CMPMASK:
        memcpy(m->ub + g[0], m->compare, sizeof(m->compare));
        memset(m->kind + g[0], TWK_UINT8, sizeof(m->compare));
        return true;
    case TWK_INSTRUCTION_SET_VA_REG_SB:
        memcpy(m->va[g[0]], g + 1, sizeof(m->va[0]));
        return true;
    default:
        return false;
    }
}

const group registers_group = {"registers", make, refer};
