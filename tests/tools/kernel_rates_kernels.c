/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that give each pipe as much to do as their arguments say, one pipe after the other. */
#include <twinrt/kernel.h>

#include "kernel_rate_args.h"

TWK_VECTOR_KERNEL(vector_rate, struct rate_args, args)
{
    const twk_gm mine = args->x + (uint64_t)twk_block() * args->count * 4;
    twk_load(twk_ub_at(0), mine, args->count * 4);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->rounds; i++)
        twk_muls(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1.0F, args->count);
    twk_barrier(TWK_ALL);
    twk_store(mine, twk_ub_at(0), args->count * 4);
}

TWK_CUBE_KERNEL(cube_rate, struct rate_args, args)
{
    const uint32_t size = args->count;
    const uint32_t n = args->columns;
    const twk_matrix left = twk_matrix_at(0, size, size);
    const twk_matrix right = twk_matrix_at(size * size * 2, size, n);
    twk_load_matrix(TWK_FP16, left, args->x, size * 2ull);
    twk_load_matrix(TWK_FP16, right, args->x, n * 2ull);
    twk_barrier(TWK_ALL);
    twk_load_a(TWK_FP16, twk_l0a_at(0), left, 0, 0, size, size, false);
    twk_load_b(TWK_FP16, twk_l0b_at(0), right, 0, 0, size, n, false);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->rounds; i++)
        twk_mmad(TWK_FP16, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), size, n, size, false);
    twk_barrier(TWK_ALL);
    twk_store_result(TWK_FP16, args->x, n * 2ull, TWK_FP32, twk_l0c_at(0), size, n, NULL);
}

/* The cube core has nothing to do; each vector core as in vector_rate, on the same bytes. */
TWK_CUBE_HALF(mixed_rate, struct rate_args, args)
{
    (void)args;
}

TWK_VECTOR_HALF(mixed_rate, struct rate_args, args)
{
    twk_load(twk_ub_at(0), args->x, args->count * 4);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->rounds * (1 + twk_vector_index()); i++)
        twk_muls(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1.0F, args->count);
}

TWK_MIX_KERNEL(mixed_rate, struct rate_args, 2);
