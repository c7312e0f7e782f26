/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplies numbers in place. */
#include <twinrt/kernel.h>

#include "args.h"

#define TILE 8192u /* floats */

TWK_VECTOR_KERNEL(scale, struct scale_args, args)
{
    const twk_ub x = twk_ub_at(0);
    for (uint32_t first = twk_block() * TILE; first < args->count; first += twk_blocks() * TILE) {
        const uint32_t count = args->count - first < TILE ? args->count - first : TILE;
        twk_load(x, args->numbers + first * 4ull, count * 4);
        twk_set_flag(TWK_MTE2, TWK_V, 0);
        twk_wait_flag(TWK_MTE2, TWK_V, 0);
        twk_muls(TWK_FP32, x, x, args->factor, count);
        twk_set_flag(TWK_V, TWK_MTE3, 0);
        twk_wait_flag(TWK_V, TWK_MTE3, 0);
        twk_store(args->numbers + first * 4ull, x, count * 4);
        twk_set_flag(TWK_MTE3, TWK_MTE2, 0);
        twk_wait_flag(TWK_MTE3, TWK_MTE2, 0);
    }
}
