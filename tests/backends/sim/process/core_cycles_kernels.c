/* SPDX-License-Identifier: Apache-2.0 */
/* The small kernels that produce the published cycles. */
#include "core_cycles.h"

#include <twinrt/kernel.h>

/* One instruction of the vector unit. */
TWK_VECTOR_KERNEL(vector, struct cycles_vector, args)
{
    twk_vector vector = TWK_ZERO_;
    for (uint32_t i = 0; args->op == TWK_OP_GATHER && i < args->count; i++)
        twk_put(TWK_UINT32, twk_ub_at(args->b + i * 4), i * 4);
    vector.op = (uint8_t)args->op;
    vector.type = (uint8_t)args->type;
    vector.to = (uint8_t)args->to;
    vector.dst = args->dst;
    vector.a = args->a;
    vector.b = args->b;
    vector.count = args->count;
    vector.rows = args->rows;
    vector.pitch = args->count;
    vector.scalar = 1;
    twk_slot->vector(&vector);
}

/* Loads of the cube's operands, a product, and its way out of L0C. */
TWK_CUBE_KERNEL(cube, struct cycles_cube, args)
{
    const twk_type type = (twk_type)args->type;
    const twk_matrix a = twk_matrix_at(0, args->m, args->k);
    const twk_matrix b = twk_matrix_at(262144, args->k, args->n);
    const twk_type sums = type == TWK_INT8 ? TWK_INT32 : TWK_FP32;
    if (args->what == CYCLES_LOAD_A)
        twk_load_a(type, twk_l0a_at(0), a, 0, 0, args->m, args->k, false);
    else if (args->what == CYCLES_LOAD_B)
        twk_load_b(type, twk_l0b_at(0), b, 0, 0, args->k, args->n, false);
    else if (args->what == CYCLES_PRODUCT)
        twk_mmad(type, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), args->m, args->n, args->k,
                 false);
    else
        twk_keep_result(sums, twk_l1_at(0), sums, twk_l0c_at(0), args->m, args->n, NULL);
}

/* Element by element, without the vector unit. */
TWK_VECTOR_KERNEL(elements, struct cycles_elements, args)
{
    for (uint32_t at = 0; at < args->count * 2; at += 2)
        twk_put(TWK_FP16, twk_ub_at(65536 + at),
                twk_get(TWK_FP16, twk_ub_at(at)) + twk_get(TWK_FP16, twk_ub_at(32768 + at)));
}
