/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/product.h"

#include <math.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/loops.h"
#include "kernel/number.h"

#define UNIT    32u  /* bytes of a row of a fractal */
#define EDGE    16u  /* rows of a fractal */
#define FRACTAL 512u /* bytes, with elements of any size */

/* Sums of so many products of INT8 are whole numbers that FP32 holds. */
#define EXACT_BYTES 1024u

#define ELEMENTS (FRACTAL * 2) /* of a fractal at most */

_Static_assert(NATIVE_TILE_COLUMNS == EDGE, "a column of fractals of L0C is a panel of tiles");

/* A product under way. */
typedef struct work {
    native_core *core;
    const twk_product *product;
    const native_loops *loops;
    const float *a; /* rows of `pitch` */
    const float *b; /* for each 16 columns `pitch` rows of 16 */
    unsigned char *c;
    size_t pitch; /* k, in whole units */
} work;

/* ---- operands as floats ---------------------------------------------------------------------- */

/* A fractal of any type. */
static void open_fractal(const work *w, const unsigned char *from, float *to)
{
    uint16_t halves[FRACTAL / 2];
    memcpy(halves, from, sizeof(halves));
    switch (w->product->type) {
    case TWK_FP32:
        memcpy(to, from, FRACTAL);
        break;
    case TWK_FP16:
        w->loops->open_halves(halves, FRACTAL / 2, to);
        break;
    case TWK_BF16:
        for (uint32_t i = 0; i < FRACTAL / 2; i++)
            to[i] = twin_bfloat16_float(halves[i]);
        break;
    case NATIVE_INT4:
        for (uint32_t i = 0; i < FRACTAL; i++) {
            to[i * 2] = (float)((int32_t)((from[i] & 15u) ^ 8u) - 8);
            to[i * 2 + 1] = (float)((int32_t)((from[i] >> 4) ^ 8u) - 8);
        }
        break;
    default: /* INT8 */
        for (uint32_t i = 0; i < FRACTAL; i++)
            to[i] = (float)(from[i] < 128 ? from[i] : from[i] - 256);
    }
}

/* Fractals side by side become rows. */
static void open_left(const work *w, uint64_t units, const native_factors *factors, float *to)
{
    float fractal[ELEMENTS];
    const uint32_t per_unit = factors->per_unit;
    for (uint32_t first = 0; first < w->product->m; first += EDGE)
        for (uint64_t unit = 0; unit < units; unit++) {
            const uint32_t left = w->product->m - first;
            open_fractal(w, factors->a + (first / EDGE * factors->a_units + unit) * FRACTAL,
                         fractal);
            for (uint32_t row = 0; row < EDGE && row < left; row++)
                memcpy(to + (first + row) * w->pitch + unit * per_unit, fractal + row * per_unit,
                       per_unit * sizeof(*to));
        }
}

/* A vector fills fractals one after the other. The last one may be there in part. */
static void open_vector(const work *w, uint32_t per_unit, const unsigned char *from, float *to)
{
    float fractal[ELEMENTS];
    unsigned char last[FRACTAL] = {0};
    for (uint32_t first = 0; first < w->product->k; first += per_unit * EDGE) {
        const uint32_t left = w->product->k - first;
        const uint32_t count = left < per_unit * EDGE ? left : per_unit * EDGE;
        memcpy(last, from + (size_t)first / per_unit * UNIT,
               native_divide_up((uint64_t)count * UNIT, per_unit));
        open_fractal(w, last, fractal);
        memcpy(to + first, fractal, count * sizeof(*to));
    }
    const uint32_t end = (uint32_t)w->pitch;
    for (uint32_t i = w->product->k; i < end; i++)
        to[i] = 0;
}

static void turn(const float *from, uint32_t per_unit, float *to)
{
    for (uint32_t i = 0; i < per_unit; i++)
        for (uint32_t column = 0; column < EDGE; column++)
            to[i * EDGE + column] = from[column * per_unit + i];
}

/* A fractal has 16 columns. */
static void open_right(const work *w, uint64_t units, uint32_t per_unit, const unsigned char *from,
                       float *to)
{
    float fractal[ELEMENTS];
    const uint64_t panels = native_divide_up(w->product->n, EDGE);
    for (uint64_t unit = 0; unit < units; unit++)
        for (uint64_t panel = 0; panel < panels; panel++, from += FRACTAL) {
            open_fractal(w, from, fractal);
            turn(fractal, per_unit, to + (panel * w->pitch + unit * per_unit) * EDGE);
        }
}

/* HF32 has the exponents of FP32 and 11 bits of mantissa. */
static void cut_floats(native_cut cut, float *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = twin_float_bits(at[i]);
        if ((bits & 0x7f800000u) == 0x7f800000u)
            continue;
        const uint32_t odd = cut == NATIVE_CUT_EVEN ? bits >> 12 & 1 : 0;
        bits = (bits + 0x7ffu + odd) & ~0xfffu;
        at[i] = twin_bits_float(bits);
    }
}

/* ---- results that are not numbers ------------------------------------------------------------ */

static bool from_numbers(const work *w, const native_tile *tile, uint32_t row, uint32_t column)
{
    bool numbers = !w->product->accumulate || isfinite(tile->from[row * EDGE + column]);
    for (uint32_t at = 0; at < tile->k; at++)
        numbers = numbers && isfinite(tile->a[row * tile->pitch + at]) &&
                  isfinite(tile->b[(size_t)at * EDGE + column]);
    return numbers;
}

/* As the vector unit does it: a NaN or infinity that comes from numbers is an overflow. Processors
 * do not agree about the bits of NaN. */
static void NATIVE_COLD repair_specials(const work *w, const native_tile *tile, uint32_t columns,
                                        float *sums)
{
    twin_native_run *run = w->core->run;
    for (uint32_t row = 0; row < tile->rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            float *sum = &sums[row * EDGE + column];
            if (isfinite(*sum))
                continue;
            run->overflowed = run->overflowed || from_numbers(w, tile, row, column);
            if (native_saturates(w->core))
                *sum = (float)twin_native_saturated(TWK_FP32, (double)*sum);
            else if (isnan(*sum))
                *sum = twin_bits_float(0x7fc00000u);
        }
}

/* ---- products -------------------------------------------------------------------------------- */

static void multiply_floats(const work *w, native_tile *tile, uint32_t columns, float *sums)
{
    tile->k = w->product->k;
    if (w->loops->multiply(tile, sums))
        repair_specials(w, tile, columns, sums);
}

/* Sums wrap. */
static void multiply_bytes(const work *w, native_tile *tile, void *sums)
{
    static const float zero[NATIVE_TILE_ROWS * EDGE];
    uint32_t all[NATIVE_TILE_ROWS * EDGE];
    float some[NATIVE_TILE_ROWS * EDGE];
    const uint32_t count = tile->rows * EDGE;
    memcpy(all, tile->from, count * sizeof(*all));
    tile->from = zero;
    for (uint32_t at = 0; at < w->product->k; at += EXACT_BYTES) {
        const uint32_t left = w->product->k - at;
        tile->k = left < EXACT_BYTES ? left : EXACT_BYTES;
        (void)w->loops->multiply(tile, some);
        for (uint32_t i = 0; i < count; i++)
            all[i] += (uint32_t)(int32_t)some[i];
        tile->a += EXACT_BYTES;
        tile->b += EXACT_BYTES * EDGE;
    }
    memcpy(sums, all, count * sizeof(*all));
}

/* L0C holds columns of 16 results. */
static void multiply_panel(const work *w, uint32_t panel)
{
    static const float zero[NATIVE_TILE_ROWS * EDGE];
    float sums[NATIVE_TILE_ROWS * EDGE];
    const uint32_t m = w->product->m, most = w->loops->tile_rows;
    const uint32_t left = w->product->n - panel * EDGE, columns = left < EDGE ? left : EDGE;
    float *to = (float *)(void *)w->c + panel * native_round_up(m, EDGE) * EDGE;
    for (uint32_t row = 0; row < m; row += most, to += most * EDGE) {
        native_tile tile = {.a = w->a + row * w->pitch,
                            .pitch = w->pitch,
                            .b = w->b + panel * w->pitch * EDGE,
                            .from = w->product->accumulate ? to : zero,
                            .rows = m - row < most ? m - row : most};
        if (w->product->type == TWK_INT8 || w->product->type == NATIVE_INT4)
            multiply_bytes(w, &tile, sums);
        else
            multiply_floats(w, &tile, columns, sums);
        for (uint32_t i = 0; i < tile.rows; i++)
            memcpy(to + i * EDGE, sums + i * EDGE, columns * sizeof(*to));
    }
}

void twin_native_product(native_core *core, const twk_product *product,
                         const native_factors *factors)
{
    const size_t room = twin_native_factor_room(core);
    float *left = twin_native_scratch(core), *right = left + room;
    const uint64_t units = native_divide_up(product->k, factors->per_unit);
    const work w = {.core = core,
                    .product = product,
                    .loops = twin_native_loops(0),
                    .a = left,
                    .b = right,
                    .c = factors->c,
                    .pitch = units * factors->per_unit};
    if (factors->a_units > 0)
        open_left(&w, units, factors, left);
    else
        open_vector(&w, factors->per_unit, factors->a, left);
    open_right(&w, units, factors->per_unit, factors->b, right);
    if (factors->cut != NATIVE_CUT_NONE) {
        cut_floats(factors->cut, left, product->m * w.pitch);
        cut_floats(factors->cut, right, native_round_up(product->n, EDGE) * w.pitch);
    }
    for (uint32_t panel = 0; panel * EDGE < product->n; panel++)
        multiply_panel(&w, panel);
}
