/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with one mistake each, in the line that names it. */
#include <assert.h>
#include <twinrt/kernel.h>

#include "kernel_lines_header.h"

struct mistake_args {
    uint64_t x;
    uint32_t nothing, one;
};

static void fill(uint32_t at)
{
    twk_duplicate(TWK_FP32, twk_ub_at(at), 1.0, 400); // mistake: fill
    twk_barrier(TWK_ALL);
}

TWK_VECTOR_KERNEL(no_flag, struct mistake_args, args)
{
    twk_load(twk_ub_at(0), args->x, 160);
    twk_adds(TWK_FP32, twk_ub_at(1024), twk_ub_at(0), 1.0, 40); // mistake: no_flag
}

TWK_VECTOR_KERNEL(wrong_buffer, struct mistake_args, args)
{
    for (uint32_t i = 0; i < 2; i++) {
        twk_load(twk_ub_at(i * 256), args->x, 160);
        twk_set_flag(TWK_MTE2, TWK_V, i);
    }
    twk_wait_flag(TWK_MTE2, TWK_V, 0);
    twk_adds(TWK_FP32, twk_ub_at(1024), twk_ub_at(256), 1.0, 40); // mistake: wrong_buffer
    twk_wait_flag(TWK_MTE2, TWK_V, 1);
}

TWK_VECTOR_KERNEL(header, struct mistake_args, args)
{
    twk_load(twk_ub_at(0), args->x, 160);
    add_in_header(twk_ub_at(0)); // call: header
}

TWK_VECTOR_KERNEL(unwritten, struct mistake_args, args)
{
    fill(0);
    twk_store(args->x, twk_ub_at(4096), 160); // mistake: unwritten
}

TWK_VECTOR_KERNEL(too_long, struct mistake_args, args)
{
    (void)args;
    fill(191 * 1024);
}

TWK_VECTOR_KERNEL(misaligned, struct mistake_args, args)
{
    fill(0);
    const twk_gm odd = args->x + 2;
    twk_store_atomic(TWK_ATOMIC_ADD, TWK_FP32, odd, twk_ub_at(0), 4); // mistake: misaligned
}

TWK_VECTOR_KERNEL(outside, struct mistake_args, args)
{
    twk_load(twk_ub_at(0), args->x + (1ull << 40), 160); // mistake: outside
}

TWK_VECTOR_KERNEL(asserted, struct mistake_args, args)
{
    twk_assert(args->nothing == 1); // mistake: asserted
}

TWK_VECTOR_KERNEL(plain_assert, struct mistake_args, args)
{
    assert(args->nothing == 2); // mistake: plain_assert
}

TWK_VECTOR_KERNEL(divided, struct mistake_args, args)
{
    volatile int zero = (int)args->nothing;
    volatile int result = 7 / zero; // mistake: divided
    (void)result;
}

TWK_VECTOR_KERNEL(never_set, struct mistake_args, args)
{
    (void)args;
    twk_wait_flag(TWK_MTE2, TWK_V, 3); // mistake: never_set
    twk_wait_flag(TWK_MTE2, TWK_V, 1);
}

TWK_VECTOR_KERNEL(wild, struct mistake_args, args)
{
    *(volatile int *)(uintptr_t)args->nothing = 1; // mistake: wild
}
