/* SPDX-License-Identifier: Apache-2.0 */
/* sum += step, in one tile. */
#include <twinrt/kernel.h>

#include "args.h"

#define TILE 8192u /* floats */

TWK_VECTOR_KERNEL(add_step, struct step_args, args)
{
    const twk_ub sum = twk_ub_at(0);
    const twk_ub step = twk_ub_at(TILE * 4u);
    twk_load(sum, args->sum, args->count * 4);
    twk_load(step, args->step, args->count * 4);
    twk_set_flag(TWK_MTE2, TWK_V, 0);
    twk_wait_flag(TWK_MTE2, TWK_V, 0);
    twk_add(TWK_FP32, sum, sum, step, args->count);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(args->sum, sum, args->count * 4);
}
