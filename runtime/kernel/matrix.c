/* SPDX-License-Identifier: Apache-2.0 */
/* The cube: operands from L1, products, results. */
#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/product.h"
#include "twinrt/kernel.h"

#define UNIT    32u    /* bytes of a row of a fractal */
#define EDGE    16u    /* rows of a fractal */
#define FRACTAL 512u   /* bytes, with elements of any size */
#define RESULT  1024u  /* bytes of 16 x 16 results */
#define MOST    65535u /* rows and columns */

/* ---- room to work ---------------------------------------------------------------------------- */

/* What L0A or L0B holds, from elements of half a byte on. */
size_t twin_native_factor_room(const native_core *core)
{
    const twin_core_properties *properties = core->run->call.core;
    return 2 * (size_t)(properties->l0a_bytes > properties->l0b_bytes ? properties->l0a_bytes
                                                                      : properties->l0b_bytes);
}

uint64_t twin_native_scratch_bytes(const native_core *core)
{
    return twin_native_factor_room(core) * 2 * sizeof(float);
}

void *twin_native_scratch(native_core *core)
{
    twin_native_run *run = core->run;
    if (!run->scratch)
        run->scratch = malloc(twin_native_scratch_bytes(core));
    if (!run->scratch)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    return run->scratch;
}

/* ---- L1 to L0A, L0B -------------------------------------------------------------------------- */

typedef struct part {
    const unsigned char *from; /* the matrix in L1 */
    unsigned char *to;
    uint32_t size, per_unit; /* bytes of an element, elements in 32 bytes */
    uint64_t high;           /* rows of the matrix in L1, filled up */
    uint32_t row, column;
    uint32_t edge, k; /* of the part: rows of A or columns of B, and the common length */
    bool along;       /* k runs along the rows of the matrix */
} part;

/* Both L0A and L0B hold fractals of 16 edges, each with 32 bytes of k. In L0A fractals of k are
 * side by side, row by row of fractals; in L0B those of the edge do. */
static uint64_t fractal_at(const part *p, bool right, uint32_t edge, uint32_t k)
{
    const uint64_t across = native_divide_up(p->k, p->per_unit);
    const uint64_t edges = native_divide_up(p->edge, EDGE);
    return right ? (k / p->per_unit * edges + edge / EDGE) * FRACTAL
                 : (edge / EDGE * across + k / p->per_unit) * FRACTAL;
}

static void copy_along(const part *p, bool right)
{
    for (uint32_t edge = 0; edge < p->edge; edge++)
        for (uint32_t k = 0; k < p->k; k += p->per_unit) {
            const uint64_t column = (p->column + k) / p->per_unit;
            const uint32_t left = p->k - k < p->per_unit ? p->k - k : p->per_unit;
            memcpy(p->to + fractal_at(p, right, edge, k) + (uint64_t)(edge % EDGE) * UNIT,
                   p->from + (column * p->high + p->row + edge) * UNIT, (size_t)left * p->size);
        }
}

/* Elements side by side go to rows of a fractal. */
static void spread(unsigned char *to, const unsigned char *from, uint32_t count, uint32_t size)
{
    if (size == 2)
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + i * UNIT, from + i * 2, 2);
    else if (size == 4)
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + i * UNIT, from + i * 4, 4);
    else
        for (uint32_t i = 0; i < count; i++)
            to[i * UNIT] = from[i];
}

static void copy_across(const part *p, bool right)
{
    const uint32_t most = p->per_unit < EDGE ? p->per_unit : EDGE;
    for (uint32_t k = 0; k < p->k; k++)
        for (uint32_t edge = 0; edge < p->edge; edge += most) {
            const uint64_t column = p->column + edge;
            const uint32_t left = p->edge - edge;
            spread(p->to + fractal_at(p, right, edge, k) + (uint64_t)(edge % EDGE) * UNIT +
                       (uint64_t)(k % p->per_unit) * p->size,
                   p->from + (column / p->per_unit * p->high + p->row + k) * UNIT +
                       column % p->per_unit * p->size,
                   left < most ? left : most, p->size);
        }
}

static void copy_part(const part *p, bool right, uint64_t bytes)
{
    if (p->edge % EDGE != 0 || p->k % p->per_unit != 0)
        memset(p->to, 0, bytes);
    if (p->along)
        copy_along(p, right);
    else
        copy_across(p, right);
}

void twin_native_feed(const twk_feed *feed)
{
    const native_op op = feed->right ? NATIVE_OP_LOAD_B : NATIVE_OP_LOAD_A;
    const uint32_t buffer = feed->right ? TWK_L0B : TWK_L0A;
    native_core *core = twin_native_operation(TWIN_PIPE_MTE1, op);
    part p = {.size = twin_native_check_type(core, feed->type)};
    p.per_unit = UNIT / p.size;
    p.high = native_round_up(feed->rows, EDGE);
    p.row = feed->row;
    p.column = feed->column;
    p.edge = feed->right ? feed->width : feed->height;
    p.k = feed->right ? feed->height : feed->width;
    p.along = feed->right ? feed->transposed != 0 : feed->transposed == 0;
    const uint64_t rows = p.along ? p.edge : p.k, columns = p.along ? p.k : p.edge;
    if (p.edge == 0 || p.k == 0)
        return;
    if (feed->rows > MOST || feed->columns > MOST || p.row + rows > feed->rows ||
        p.column + columns > feed->columns || p.row % EDGE != 0 || p.column % p.per_unit != 0)
        twin_native_refuse(
            core, TWIN_NATIVE_OPERATION,
            "a part of %llu by %llu at row %u, column %u of a matrix of %u by %u; it "
            "must be inside, and begin at multiples of %u and %u",
            (unsigned long long)rows, (unsigned long long)columns, p.row, p.column, feed->rows,
            feed->columns, EDGE, p.per_unit);
    const uint64_t first = p.column / p.per_unit;
    const uint64_t last = (p.column + columns - 1) / p.per_unit;
    p.from = twin_native_local(core, TWK_L1, feed->from,
                               p.high * native_divide_up(feed->columns, p.per_unit) * UNIT, UNIT);
    twin_native_hazard_read_strips(
        core, TWK_L1, TWIN_PIPE_MTE1, op,
        &(native_strips){.at = (uint32_t)(feed->from + (first * p.high + p.row) * UNIT),
                         .bytes = (uint32_t)(native_round_up(rows, EDGE) * UNIT),
                         .pitch = (uint32_t)(p.high * UNIT),
                         .count = (uint32_t)(last - first + 1)});
    const uint64_t bytes = native_round_up(p.edge, EDGE) * native_divide_up(p.k, p.per_unit) * UNIT;
    p.to = twin_native_target(core, buffer, TWIN_PIPE_MTE1, op, feed->to, bytes, FRACTAL);
    if (native_computes(core))
        copy_part(&p, feed->right != 0, bytes);
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, TWIN_PIPE_MTE1, TWIN_STEP_WORK, 0,
                     properties->mte_start +
                         native_divide_up(bytes, feed->right ? properties->l0b_load_bytes
                                                             : properties->l0a_load_bytes));
}

/* ---- products -------------------------------------------------------------------------------- */

static uint32_t step_of(native_core *core, const twk_product *product)
{
    const twin_core_properties *properties = core->run->call.core;
    switch (product->type) {
    case TWK_INT8:
        return properties->cube_k_int8;
    case TWK_FP16:
    case TWK_BF16:
        return properties->cube_k_fp16;
    case TWK_FP32:
        if (properties->cube_k_fp32 != 0)
            return properties->cube_k_fp32;
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "the cube of this part has no FP32");
    default:
        twin_native_bad_type(core, product->type);
    }
}

void twin_native_multiply(const twk_product *product)
{
    const native_op op = NATIVE_OP_MMAD;
    native_core *core = twin_native_operation(TWIN_PIPE_CUBE, op);
    const uint32_t size = twin_native_check_type(core, product->type);
    const uint32_t step = step_of(core, product), per_unit = UNIT / size;
    const uint32_t m = product->m, n = product->n, k = product->k;
    if (m == 0 || n == 0 || k == 0)
        return;
    if (m > MOST || n > MOST || k > MOST)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "%u by %u by %u; the maximum is %u", m, n,
                           k, MOST);
    const uint64_t wide_m = native_round_up(m, EDGE), wide_n = native_round_up(n, EDGE);
    const uint64_t units = native_divide_up(k, per_unit) * UNIT;
    const unsigned char *a_from =
        twin_native_source(core, TWK_L0A, TWIN_PIPE_CUBE, op, product->a, wide_m * units, FRACTAL);
    const unsigned char *b_from =
        twin_native_source(core, TWK_L0B, TWIN_PIPE_CUBE, op, product->b, wide_n * units, FRACTAL);
    if (product->accumulate)
        (void)twin_native_source(core, TWK_L0C, TWIN_PIPE_CUBE, op, product->c, wide_m * wide_n * 4,
                                 RESULT);
    unsigned char *to = twin_native_target(core, TWK_L0C, TWIN_PIPE_CUBE, op, product->c,
                                           wide_m * wide_n * 4, RESULT);
    if (native_computes(core))
        twin_native_product(core, product,
                            &(native_factors){.a = a_from,
                                              .b = b_from,
                                              .c = to,
                                              .per_unit = per_unit,
                                              .a_units = native_divide_up(k, per_unit)});
    twin_native_step(core, TWIN_PIPE_CUBE, TWIN_STEP_WORK, 0,
                     core->run->call.core->cube_start +
                         wide_m / EDGE * (wide_n / EDGE) * native_divide_up(k, step));
    native_count(core, TWIN_PIPE_CUBE, product->type, 2ull * m * n * k);
}
