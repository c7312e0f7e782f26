/* SPDX-License-Identifier: Apache-2.0 */
/* c = a b, tile by tile: a tile of base_m by base_n results is added up in L0C over k, in slices of
 * base_k. Panels of step_a and step_b slices come to L1 at a time. L1 has sets_l1 sets of
 * buffers, L0A and L0B have sets_l0; with two sets copies and products overlap. L0C has one. */
#include <twinrt/kernel.h>

#include "args.h"

struct tile {
    uint32_t row, column, m, n;
};

/* Where a block is: slices and panels since its first one choose the set of buffers. */
struct progress {
    uint32_t slices, panels_a, panels_b;
};

static uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t parts(uint32_t whole, uint32_t part)
{
    return (whole + part - 1) / part;
}

static uint32_t panel_k(const struct validation_args *args, uint32_t k, uint32_t step)
{
    return at_most(args->base_k * step, args->k - k);
}

static twk_matrix panel_a(const struct validation_args *args, uint32_t set, uint32_t m, uint32_t k)
{
    const uint32_t bytes =
        twk_matrix_bytes((twk_type)args->type, args->base_m, args->base_k * args->step_a);
    return twk_matrix_at(set * bytes, m, k);
}

static twk_matrix panel_b(const struct validation_args *args, uint32_t set, uint32_t n, uint32_t k)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t at = 2 * twk_matrix_bytes(type, args->base_m, args->base_k * args->step_a);
    const uint32_t bytes = twk_matrix_bytes(type, args->base_n, args->base_k * args->step_b);
    const bool columns = args->layout_b == LAYOUT_COLUMNS;
    return twk_matrix_at(at + set * bytes, columns ? n : k, columns ? k : n);
}

static void load_panel_a(const struct validation_args *args, const struct tile *tile, uint32_t k,
                         uint32_t set)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t size = twk_bytes_of(type);
    twk_wait_flag(TWK_MTE1, TWK_MTE2, set);
    twk_load_matrix(type, panel_a(args, set, tile->m, panel_k(args, k, args->step_a)),
                    args->a + ((uint64_t)tile->row * args->k + k) * size, (uint64_t)args->k * size);
    twk_set_flag(TWK_MTE2, TWK_MTE1, set);
    twk_wait_flag(TWK_MTE2, TWK_MTE1, set);
}

static void load_panel_b(const struct validation_args *args, const struct tile *tile, uint32_t k,
                         uint32_t set)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t size = twk_bytes_of(type), depth = panel_k(args, k, args->step_b);
    const twk_matrix panel = panel_b(args, set, tile->n, depth);
    const bool columns = args->layout_b == LAYOUT_COLUMNS;
    twk_wait_flag(TWK_MTE1, TWK_MTE2, 2 + set);
    if (args->layout_b == LAYOUT_FRACTALS) {
        const twk_rows rows = {parts(tile->n, 16), depth * 32, args->k * 32ull, depth * 32, 0};
        twk_load_l1_rows(panel.at, args->b + (uint64_t)tile->column * args->k * size + k * 32ull,
                         &rows);
    } else {
        const uint64_t pitch = columns ? args->k : args->n;
        const uint64_t first = columns ? tile->column * pitch + k : k * pitch + tile->column;
        twk_load_matrix(type, panel, args->b + first * size, pitch * size);
    }
    twk_set_flag(TWK_MTE2, TWK_MTE1, 2 + set);
    twk_wait_flag(TWK_MTE2, TWK_MTE1, 2 + set);
}

static void multiply_slice(const struct validation_args *args, const struct tile *tile, uint32_t k,
                           const struct progress *at)
{
    const twk_type type = (twk_type)args->type;
    const uint32_t depth = at_most(args->base_k, args->k - k), set = at->slices % args->sets_l0;
    const uint32_t set_a = (at->panels_a - 1) % args->sets_l1,
                   set_b = (at->panels_b - 1) % args->sets_l1;
    const uint32_t in_a = k % (args->base_k * args->step_a),
                   in_b = k % (args->base_k * args->step_b);
    const twk_l0a a = twk_l0a_at(set * (twk_size(TWK_L0A) / 2));
    const twk_l0b b = twk_l0b_at(set * (twk_size(TWK_L0B) / 2));
    const bool columns = args->layout_b == LAYOUT_COLUMNS;
    twk_wait_flag(TWK_M, TWK_MTE1, set); /* the cube is done with what was there */
    twk_load_a(type, a, panel_a(args, set_a, tile->m, panel_k(args, k - in_a, args->step_a)), 0,
               in_a, tile->m, depth, false);
    twk_load_b(type, b, panel_b(args, set_b, tile->n, panel_k(args, k - in_b, args->step_b)),
               columns ? 0 : in_b, columns ? in_b : 0, depth, tile->n, columns);
    twk_set_flag(TWK_MTE1, TWK_M, set);
    twk_wait_flag(TWK_MTE1, TWK_M, set);
    twk_mmad(type, twk_l0c_at(0), a, b, tile->m, tile->n, depth, k > 0);
    twk_set_flag(TWK_M, TWK_MTE1, set);
}

static void store_tile(const struct validation_args *args, const struct tile *tile)
{
    const twk_type type = (twk_type)args->result;
    const uint32_t size = twk_bytes_of(type);
    twk_set_flag(TWK_M, TWK_FIX, 0);
    twk_wait_flag(TWK_M, TWK_FIX, 0);
    twk_store_result(type, args->c + ((uint64_t)tile->row * args->n + tile->column) * size,
                     (uint64_t)args->n * size, TWK_FP32, twk_l0c_at(0), tile->m, tile->n, NULL);
    twk_set_flag(TWK_FIX, TWK_M, 0);
}

static void multiply_tile(const struct validation_args *args, const struct tile *tile,
                          struct progress *at)
{
    const uint32_t slices = parts(args->k, args->base_k);
    twk_wait_flag(TWK_FIX, TWK_M, 0); /* before L0C is used again */
    for (uint32_t slice = 0; slice < slices; slice++, at->slices++) {
        const uint32_t k = slice * args->base_k;
        if (slice % args->step_b == 0)
            load_panel_b(args, tile, k, at->panels_b++ % args->sets_l1);
        if (slice % args->step_a == 0)
            load_panel_a(args, tile, k, at->panels_a++ % args->sets_l1);
        multiply_slice(args, tile, k, at);
        if ((slice + 1) % args->step_a == 0 || slice + 1 == slices)
            twk_set_flag(TWK_MTE1, TWK_MTE2, (at->panels_a - 1) % args->sets_l1);
        if ((slice + 1) % args->step_b == 0 || slice + 1 == slices)
            twk_set_flag(TWK_MTE1, TWK_MTE2, 2 + (at->panels_b - 1) % args->sets_l1);
    }
    store_tile(args, tile);
}

/* Each block has a rectangle of single_m by single_n, row by row of tiles or (order 0) column by
 * column. With `passes` the rows come in so many parts, all blocks in the same part. */
static void rectangle(const struct validation_args *args, uint32_t top, uint32_t left,
                      struct progress *at)
{
    const uint32_t high = at_most(args->single_m, args->m - top);
    const uint32_t wide = at_most(args->single_n, args->n - left);
    const uint32_t rows = parts(high, args->base_m), columns = parts(wide, args->base_n);
    for (uint32_t turn = 0; turn < rows * columns; turn++) {
        const uint32_t row = args->order ? turn / columns : turn % rows;
        const uint32_t column = args->order ? turn % columns : turn / rows;
        const struct tile tile = {top + row * args->base_m, left + column * args->base_n,
                                  at_most(args->base_m, high - row * args->base_m),
                                  at_most(args->base_n, wide - column * args->base_n)};
        multiply_tile(args, &tile, at);
    }
}

static void by_rectangles(const struct validation_args *args, struct progress *at)
{
    const uint32_t high = args->m / args->passes, across = parts(high, args->single_m);
    const uint32_t left = twk_block() / across * args->single_n;
    for (uint32_t pass = 0; pass < args->passes && left < args->n; pass++)
        rectangle(args, pass * high + twk_block() % across * args->single_m, left, at);
}

/* Tiles in bands of `swizzle` rows (with `turned` of columns), every second band backwards. */
static void band_tile(const struct validation_args *args, uint32_t turn, struct progress *at)
{
    const uint32_t rows = parts(args->m, args->base_m), columns = parts(args->n, args->base_n);
    const uint32_t wide = args->turned ? columns : rows, along = args->turned ? rows : columns;
    const uint32_t band = turn / (args->swizzle * along), in = turn % (args->swizzle * along);
    const uint32_t height = at_most(args->swizzle, wide - band * args->swizzle);
    const uint32_t first = band * args->swizzle + in % height;
    const uint32_t second = band % 2 ? along - 1 - in / height : in / height;
    const uint32_t row = (args->turned ? second : first) * args->base_m;
    const uint32_t column = (args->turned ? first : second) * args->base_n;
    const struct tile tile = {row, column, at_most(args->base_m, args->m - row),
                              at_most(args->base_n, args->n - column)};
    multiply_tile(args, &tile, at);
}

/* The blocks take turns, or each has `chunk` tiles in a row. */
static void by_bands(const struct validation_args *args, struct progress *at)
{
    const uint32_t tiles = parts(args->m, args->base_m) * parts(args->n, args->base_n);
    const uint32_t first = args->chunk ? twk_block() * args->chunk : twk_block();
    const uint32_t end = args->chunk ? at_most(first + args->chunk, tiles) : tiles;
    for (uint32_t turn = first; turn < end; turn += args->chunk ? 1 : twk_blocks())
        band_tile(args, turn, at);
}

TWK_CUBE_KERNEL(product, struct validation_args, args)
{
    struct progress at = {0, 0, 0};
    for (uint32_t set = 0; set < args->sets_l1; set++) { /* all buffers are free */
        twk_set_flag(TWK_MTE1, TWK_MTE2, set);
        twk_set_flag(TWK_MTE1, TWK_MTE2, 2 + set);
    }
    for (uint32_t set = 0; set < args->sets_l0; set++)
        twk_set_flag(TWK_M, TWK_MTE1, set);
    twk_set_flag(TWK_FIX, TWK_M, 0);
    if (args->swizzle)
        by_bands(args, &at);
    else
        by_rectangles(args, &at);
    for (uint32_t set = 0; set < args->sets_l1; set++) {
        twk_wait_flag(TWK_MTE1, TWK_MTE2, set);
        twk_wait_flag(TWK_MTE1, TWK_MTE2, 2 + set);
    }
    for (uint32_t set = 0; set < args->sets_l0; set++)
        twk_wait_flag(TWK_M, TWK_MTE1, set);
    twk_wait_flag(TWK_FIX, TWK_M, 0);
}
