/* SPDX-License-Identifier: Apache-2.0 */
/* A long kernel whose blocks say which thread of the host runs them. */
#include <twinrt/kernel.h>
#include <unistd.h>

#include "block_threads.h"

TWK_VECTOR_KERNEL(which_thread, struct which_args, args)
{
    for (uint32_t i = 0; i < args->rounds; i++)
        twk_duplicate(TWK_FP32, twk_ub_at(0), i, 16384);
    twk_barrier(TWK_ALL);
    twk_gm_put(TWK_INT32, args->threads + (uint64_t)twk_block() * 4, (double)gettid());
}
