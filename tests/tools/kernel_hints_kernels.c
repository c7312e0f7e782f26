/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with one cause each for a hint of `twinrt kernel-report`, and one without any. */
#include <twinrt/kernel.h>

#include "kernel_hint_args.h"

#define TILE_MOST 32768u

static void work(const struct hint_args *args, uint32_t at)
{
    for (uint32_t i = 0; i < args->rounds; i++)
        twk_muls(TWK_FP32, twk_ub_at(at), twk_ub_at(at), 1.0F, args->bytes / 4);
}

static void pass(twk_pipe from, twk_pipe to, uint32_t flag)
{
    twk_set_flag(from, to, flag);
    twk_wait_flag(from, to, flag);
}

/* Tiles come in, are multiplied and go out, with `more` buffers, each with its own flags. */
TWK_VECTOR_KERNEL(buffers, struct hint_args, args)
{
    const uint32_t sets = args->more;
    const twk_gm mine = args->x + (uint64_t)twk_block() * args->tiles * args->bytes;
    for (uint32_t set = 0; set < sets; set++) {
        twk_set_flag(TWK_MTE3, TWK_V, set);
        twk_set_flag(TWK_V, TWK_MTE2, set);
    }
    for (uint32_t i = 0; i < args->tiles; i++) {
        const uint32_t set = i % sets;
        const uint32_t in = set * args->bytes, out = (sets + set) * args->bytes;
        const twk_gm at = mine + (uint64_t)i * args->bytes;
        twk_wait_flag(TWK_V, TWK_MTE2, set);
        twk_load(twk_ub_at(in), at, args->bytes);
        pass(TWK_MTE2, TWK_V, set);
        work(args, in);
        twk_wait_flag(TWK_MTE3, TWK_V, set);
        twk_adds(TWK_FP32, twk_ub_at(out), twk_ub_at(in), 0.0F, args->bytes / 4);
        twk_set_flag(TWK_V, TWK_MTE2, set);
        pass(TWK_V, TWK_MTE3, set);
        twk_store(at, twk_ub_at(out), args->bytes);
        twk_set_flag(TWK_MTE3, TWK_V, set);
    }
    for (uint32_t set = 0; set < sets; set++) {
        twk_wait_flag(TWK_MTE3, TWK_V, set);
        twk_wait_flag(TWK_V, TWK_MTE2, set);
    }
}

/* Pipes in turn. */
TWK_VECTOR_KERNEL(barriers, struct hint_args, args)
{
    const twk_gm mine = args->x + (uint64_t)twk_block() * args->tiles * args->bytes;
    for (uint32_t i = 0; i < args->tiles; i++) {
        twk_load(twk_ub_at(0), mine + (uint64_t)i * args->bytes, args->bytes);
        twk_barrier(TWK_ALL);
        work(args, 0);
        twk_barrier(TWK_ALL);
    }
}

/* Rows of `more` bytes, far from each other. */
TWK_VECTOR_KERNEL(rows, struct hint_args, args)
{
    const uint32_t count = args->bytes / args->more;
    const uint64_t pitch = 2048;
    const twk_rows rows = {
        .rows = count, .bytes = args->more, .gm_pitch = pitch, .pitch = args->more};
    const twk_gm mine = args->x + (uint64_t)twk_block() * args->tiles * count * pitch;
    for (uint32_t i = 0; i < args->tiles; i++)
        twk_load_rows(twk_ub_at(0), mine + (uint64_t)i * count * pitch, &rows);
}

/* Waits for the data after each `more` loads. */
TWK_VECTOR_KERNEL(latency, struct hint_args, args)
{
    const twk_gm mine = args->x + (uint64_t)twk_block() * args->tiles * args->bytes;
    for (uint32_t i = 0; i < args->tiles; i++) {
        twk_load(twk_ub_at(0), mine + (uint64_t)i * args->bytes, args->bytes);
        if ((i + 1) % args->more == 0)
            twk_barrier(TWK_ALL);
    }
}

/* Two operands `more` bytes from each other. */
TWK_VECTOR_KERNEL(banks, struct hint_args, args)
{
    for (uint32_t i = 0; i < args->rounds; i++)
        twk_add(TWK_FP32, twk_ub_at(4 * TILE_MOST), twk_ub_at(0), twk_ub_at(args->more),
                args->bytes / 4);
}

/* `more` bytes from the beginning of a sector. */
TWK_VECTOR_KERNEL(aligned, struct hint_args, args)
{
    const twk_gm mine = args->x + (uint64_t)twk_block() * args->tiles * args->bytes + args->more;
    for (uint32_t i = 0; i < args->tiles; i++)
        twk_load(twk_ub_at(0), mine + (uint64_t)i * args->bytes, args->bytes);
}

/* The last block does `more` times as much. */
TWK_VECTOR_KERNEL(uneven, struct hint_args, args)
{
    const uint32_t times = twk_block() + 1 == twk_blocks() ? args->more : 1;
    for (uint32_t i = 0; i < times; i++)
        work(args, 0);
}

/* Code of the kernel itself. */
TWK_VECTOR_KERNEL(scalar, struct hint_args, args)
{
    volatile uint32_t sum = 0;
    for (uint32_t i = 0; i < args->rounds; i++)
        sum += i;
    (void)sum;
}

/* All vector cores wait for block 0. */
TWK_VECTOR_KERNEL(meeting, struct hint_args, args)
{
    if (twk_block() == 0)
        work(args, 0);
    twk_sync_all(true);
    if (twk_block() != 0)
        twk_muls(TWK_FP32, twk_ub_at(0), twk_ub_at(0), 1.0F, args->bytes / 4);
}
