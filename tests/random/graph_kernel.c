/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of graph_program.c. */
#include <twinrt/kernel.h>

enum { BYTES = 64, WORDS = BYTES / 4 };

struct cells {
    twk_gm to, from;
};

/* to = ~(to ^ from) */
TWK_VECTOR_KERNEL(mix, struct cells, args)
{
    const twk_ub to = twk_ub_at(0), from = twk_ub_at(BYTES);
    twk_load(to, args->to, BYTES);
    twk_load(from, args->from, BYTES);
    twk_set_flag(TWK_MTE2, TWK_V, 0);
    twk_wait_flag(TWK_MTE2, TWK_V, 0);
    twk_xor(TWK_UINT32, to, to, from, WORDS);
    twk_not(TWK_UINT32, to, to, WORDS);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(args->to, to, BYTES);
}
