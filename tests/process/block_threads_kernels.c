/* SPDX-License-Identifier: Apache-2.0 */
/* Long kernels: blocks that say which thread of the host runs them, and blocks that read what they
 * are given. */
#include <twinrt/kernel.h>
#include <unistd.h>

#include "block_threads.h"

static void work(uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++)
        twk_duplicate(TWK_FP32, twk_ub_at(0), i, 16384);
    twk_barrier(TWK_ALL);
}

TWK_VECTOR_KERNEL(which_thread, struct which_args, args)
{
    work(args->rounds);
    twk_gm_put(TWK_INT32, args->threads + (uint64_t)twk_block() * 4, (double)gettid());
}

TWK_VECTOR_KERNEL(reach, struct reach_args, args)
{
    if (twk_block() <= 1)
        work(args->rounds);
    if (twk_block() == 1)
        twk_load(twk_ub_at(0), args->first, 64);
    else if (twk_block() > 1)
        twk_load(twk_ub_at(0), args->other + (uint64_t)twk_block() * 64, 64);
}
