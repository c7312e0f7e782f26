/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/matrix.c launches: a product of square matrices on the cube, tile by tile, with two
 * sets of buffers in L1 and in L0. */
#include "matrix_kernel.h"

#include <twinrt/kernel.h>

#define LEFT_BYTES  (TILE_M * PANEL * 2u)
#define RIGHT_BYTES (PANEL * TILE_N * 2u)

static twk_matrix left_panel(uint32_t set)
{
    return twk_matrix_at(set * LEFT_BYTES, TILE_M, PANEL);
}

static twk_matrix right_panel(uint32_t set)
{
    return twk_matrix_at(2 * LEFT_BYTES + set * RIGHT_BYTES, PANEL, TILE_N);
}

static void multiply_panel(uint32_t set, uint32_t panel)
{
    for (uint32_t slice = 0; slice < PANEL / SLICE; slice++) {
        const uint32_t half = slice % 2;
        const twk_l0a a = twk_l0a_at(half * (TILE_M * SLICE * 2u));
        const twk_l0b b = twk_l0b_at(half * (SLICE * TILE_N * 2u));
        twk_wait_flag(TWK_M, TWK_MTE1, half); /* the cube is done with what was there */
        twk_load_a(TWK_FP16, a, left_panel(set), 0, slice * SLICE, TILE_M, SLICE, false);
        twk_load_b(TWK_FP16, b, right_panel(set), slice * SLICE, 0, SLICE, TILE_N, false);
        twk_set_flag(TWK_MTE1, TWK_M, half);
        twk_wait_flag(TWK_MTE1, TWK_M, half);
        twk_mmad(TWK_FP16, twk_l0c_at(0), a, b, TILE_M, TILE_N, SLICE, panel + slice > 0);
        twk_set_flag(TWK_M, TWK_MTE1, half);
    }
}

/* `turn` counts panels from the block's first. */
static void multiply_tile(const struct square_args *args, uint64_t row, uint64_t column,
                          uint32_t *turn)
{
    const uint64_t pitch = (uint64_t)args->size * 2;
    for (uint32_t panel = 0; panel < args->size / PANEL; panel++) {
        const uint32_t set = (*turn)++ % 2;
        twk_wait_flag(TWK_MTE1, TWK_MTE2, set); /* what was there has been used up */
        twk_load_matrix(TWK_FP16, left_panel(set), args->a + row * pitch + panel * PANEL * 2ull,
                        pitch);
        twk_load_matrix(TWK_FP16, right_panel(set), args->b + panel * PANEL * pitch + column * 2,
                        pitch);
        twk_set_flag(TWK_MTE2, TWK_MTE1, set);
        twk_wait_flag(TWK_MTE2, TWK_MTE1, set);
        multiply_panel(set, panel);
        twk_set_flag(TWK_MTE1, TWK_MTE2, set);
    }
    twk_set_flag(TWK_M, TWK_FIX, 0);
    twk_wait_flag(TWK_M, TWK_FIX, 0);
    twk_store_result(TWK_FP16, args->c + row * pitch + column * 2, pitch, TWK_FP32, twk_l0c_at(0),
                     TILE_M, TILE_N, NULL);
    twk_set_flag(TWK_FIX, TWK_M, 0);
    twk_wait_flag(TWK_FIX, TWK_M, 0); /* before L0C is used again */
}

TWK_CUBE_KERNEL(square, struct square_args, args)
{
    const uint32_t across = args->size / TILE_N, tiles = args->size / TILE_M * across;
    uint32_t turn = 0;
    for (uint32_t set = 0; set < 2; set++) { /* all buffers are free */
        twk_set_flag(TWK_MTE1, TWK_MTE2, set);
        twk_set_flag(TWK_M, TWK_MTE1, set);
    }
    for (uint32_t tile = twk_block(); tile < tiles; tile += twk_blocks())
        multiply_tile(args, (uint64_t)(tile / across) * TILE_M, (uint64_t)(tile % across) * TILE_N,
                      &turn);
    for (uint32_t set = 0; set < 2; set++) {
        twk_wait_flag(TWK_MTE1, TWK_MTE2, set);
        twk_wait_flag(TWK_M, TWK_MTE1, set);
    }
}
