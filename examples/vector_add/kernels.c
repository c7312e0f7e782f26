/* SPDX-License-Identifier: Apache-2.0 */
/* z = x + y, tile by tile: while the vector unit adds one tile, the next is on its way in and the
 * one before on its way out. */
#include <twinrt/kernel.h>

#include "args.h"

#define TILE  8192u /* floats */
#define BYTES (TILE * 4u)

TWK_VECTOR_KERNEL(vector_add, struct add_args, args)
{
    const uint32_t tiles = (args->count + TILE - 1) / TILE;
    uint32_t turn = 0;
    for (uint32_t tile = twk_block(); tile < tiles; tile += twk_blocks(), turn++) {
        const uint32_t first = tile * TILE;
        const uint32_t count = args->count - first < TILE ? args->count - first : TILE;
        const uint32_t set = turn % 2; /* two sets of buffers, and a flag for each */
        const twk_ub x = twk_ub_at(set * 2 * BYTES);
        const twk_ub y = twk_ub_at(set * 2 * BYTES + BYTES);

        if (turn >= 2) /* the sum that was in x has left */
            twk_wait_flag(TWK_MTE3, TWK_MTE2, set);
        twk_load(x, args->x + first * 4ull, count * 4);
        twk_load(y, args->y + first * 4ull, count * 4);
        twk_set_flag(TWK_MTE2, TWK_V, set);

        twk_wait_flag(TWK_MTE2, TWK_V, set);
        twk_add(TWK_FP32, x, x, y, count);
        twk_set_flag(TWK_V, TWK_MTE3, set);

        twk_wait_flag(TWK_V, TWK_MTE3, set);
        twk_store(args->z + first * 4ull, x, count * 4);
        twk_set_flag(TWK_MTE3, TWK_MTE2, set);
    }
    for (uint32_t left = turn < 2 ? turn : 2; left > 0; left--)
        twk_wait_flag(TWK_MTE3, TWK_MTE2, (turn - left) % 2);
}
