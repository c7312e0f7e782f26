/* SPDX-License-Identifier: Apache-2.0 */
/* A sum in two ways: two kernels, the second over what the first one's blocks left, or one kernel
 * whose blocks add to global memory. */
#include <twinrt/kernel.h>

#include "args.h"

#define TILE  16384u /* floats */
#define BYTES (TILE * 4u)

/* Adds up what this block has of the numbers; the sum is at `sum`. Two tiles are on their way in
 * turn. */
static void add_up(const struct sum_args *args, twk_ub sum)
{
    const twk_ub part = twk_ub_at(2 * BYTES + 32);
    const uint32_t tiles = (args->count + TILE - 1) / TILE;
    uint32_t turn = 0;
    twk_duplicate(TWK_FP32, sum, 0, 1);
    for (uint32_t tile = twk_block(); tile < tiles; tile += twk_blocks(), turn++) {
        const uint32_t first = tile * TILE;
        const uint32_t count = args->count - first < TILE ? args->count - first : TILE;
        const uint32_t set = turn % 2;
        const twk_ub numbers = twk_ub_at(set * BYTES);
        if (turn >= 2)
            twk_wait_flag(TWK_V, TWK_MTE2, set);
        twk_load(numbers, args->from + first * 4ull, count * 4);
        twk_set_flag(TWK_MTE2, TWK_V, set);
        twk_wait_flag(TWK_MTE2, TWK_V, set);
        twk_reduce_sum(TWK_FP32, part, numbers, count);
        twk_add(TWK_FP32, sum, sum, part, 1);
        twk_set_flag(TWK_V, TWK_MTE2, set);
    }
    for (uint32_t left = turn < 2 ? turn : 2; left > 0; left--)
        twk_wait_flag(TWK_V, TWK_MTE2, (turn - left) % 2);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
}

TWK_VECTOR_KERNEL(partial_sums, struct sum_args, args)
{
    const twk_ub sum = twk_ub_at(2 * BYTES);
    add_up(args, sum);
    twk_store(args->to + twk_block() * 4ull, sum, 4);
}

TWK_VECTOR_KERNEL(atomic_sum, struct sum_args, args)
{
    const twk_ub sum = twk_ub_at(2 * BYTES);
    add_up(args, sum);
    twk_store_atomic(TWK_ATOMIC_ADD, TWK_FP32, args->to, sum, 1);
}
