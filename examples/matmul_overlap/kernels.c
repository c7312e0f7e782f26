/* SPDX-License-Identifier: Apache-2.0 */
/* A tiled product of matrices. A block computes TILE_N columns of the result. Its columns of b stay
 * in L1, all of them, and panels of a come in beside them, one after the other. What the cube
 * multiplies are slices of these, in L0A and L0B; products are added up in L0C.
 *
 * With one set of buffers a panel comes in when the one before has been used up. With two sets MTE2
 * brings the next panel while MTE1 brings slices of this one to the cube, which multiplies one
 * while the next is on its way. */
#include <twinrt/kernel.h>

#include "args.h"

#define PANEL_BYTES (TILE_M * PANEL * 2u)
#define RIGHT_BYTES (SLICE * TILE_N * 2u)
#define SLICES      (PANEL / SLICE)

static twk_matrix left_panel(uint32_t set)
{
    return twk_matrix_at(set * PANEL_BYTES, TILE_M, PANEL);
}

static twk_matrix right_slice(uint32_t number)
{
    return twk_matrix_at(2 * PANEL_BYTES + number * RIGHT_BYTES, SLICE, TILE_N);
}

/* All of the block's columns of b. */
static void load_right(const struct matmul_args *args, uint32_t column)
{
    for (uint32_t slice = 0; slice < args->k / SLICE; slice++)
        twk_load_matrix(TWK_FP16, right_slice(slice),
                        args->b + ((uint64_t)slice * SLICE * args->n + column) * 2, args->n * 2ull);
}

/* One slice of a panel with the slice of b that belongs to it. */
static void multiply_slice(const struct matmul_args *args, twk_matrix left, uint32_t panel,
                           uint32_t slice)
{
    const uint32_t set = slice % args->sets;
    const twk_l0a a = twk_l0a_at(set * (TILE_M * SLICE * 2u));
    const twk_l0b b = twk_l0b_at(set * RIGHT_BYTES);
    twk_wait_flag(TWK_M, TWK_MTE1, set); /* the cube is done with what was there */
    twk_load_a(TWK_FP16, a, left, 0, slice * SLICE, TILE_M, SLICE, false);
    twk_load_b(TWK_FP16, b, right_slice(panel * SLICES + slice), 0, 0, SLICE, TILE_N, false);
    twk_set_flag(TWK_MTE1, TWK_M, set);
    twk_wait_flag(TWK_MTE1, TWK_M, set);
    twk_mmad(TWK_FP16, twk_l0c_at(0), a, b, TILE_M, TILE_N, SLICE, panel + slice > 0);
    twk_set_flag(TWK_M, TWK_MTE1, set);
}

/* One panel of TILE_M rows. `turn` counts panels from the block's first. */
static void multiply_panel(const struct matmul_args *args, uint32_t row, uint32_t panel,
                           uint32_t turn)
{
    /* The program gives 1 or 2 sets. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const uint32_t set = turn % args->sets;
    twk_wait_flag(TWK_MTE1, TWK_MTE2, set); /* what was there has been used up */
    twk_load_matrix(TWK_FP16, left_panel(set),
                    args->a + ((uint64_t)row * args->k + (uint64_t)panel * PANEL) * 2,
                    args->k * 2ull);
    twk_set_flag(TWK_MTE2, TWK_MTE1, set);
    twk_wait_flag(TWK_MTE2, TWK_MTE1, set);
    for (uint32_t slice = 0; slice < SLICES; slice++)
        multiply_slice(args, left_panel(set), panel, slice);
    twk_set_flag(TWK_MTE1, TWK_MTE2, set);
}

static void store_tile(const struct matmul_args *args, uint32_t row, uint32_t column)
{
    twk_set_flag(TWK_M, TWK_FIX, 0);
    twk_wait_flag(TWK_M, TWK_FIX, 0);
    twk_store_result(TWK_FP16, args->c + ((uint64_t)row * args->n + column) * 2, args->n * 2ull,
                     TWK_FP32, twk_l0c_at(0), TILE_M, TILE_N, NULL);
    twk_set_flag(TWK_FIX, TWK_M, 0);
    twk_wait_flag(TWK_FIX, TWK_M, 0); /* before L0C is used again */
}

TWK_CUBE_KERNEL(matmul, struct matmul_args, args)
{
    for (uint32_t set = 0; set < args->sets; set++) { /* all buffers are free */
        twk_set_flag(TWK_MTE1, TWK_MTE2, set);
        twk_set_flag(TWK_M, TWK_MTE1, set);
    }
    uint32_t turn = 0;
    for (uint32_t column = twk_block() * TILE_N; column < args->n;
         column += twk_blocks() * TILE_N) {
        load_right(args, column); /* panels of a come after them in the queue */
        for (uint32_t row = 0; row < args->m; row += TILE_M) {
            for (uint32_t panel = 0; panel < args->k / PANEL; panel++)
                multiply_panel(args, row, panel, turn++);
            store_tile(args, row, column);
        }
        twk_barrier(TWK_ALL); /* before other columns take the place of these */
    }
    for (uint32_t set = 0; set < args->sets; set++) {
        twk_wait_flag(TWK_MTE1, TWK_MTE2, set);
        twk_wait_flag(TWK_M, TWK_MTE1, set);
    }
}
