/* SPDX-License-Identifier: Apache-2.0 */
/* The cube: operands from L1, products, results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define UNIT    32u    /* bytes of a row of a fractal */
#define EDGE    16u    /* rows of a fractal */
#define FRACTAL 512u   /* bytes, with elements of any size */
#define RESULT  1024u  /* bytes of 16 x 16 results */
#define MOST    65535u /* rows and columns */

/* ---- room to work ---------------------------------------------------------------------------- */

/* Operands as rows of FP32 or INT32, and the result: at most what L0A, L0B and L0C hold, from
 * elements of a byte on. */
static size_t part_floats(const native_core *core)
{
    const twin_core_properties *properties = core->run->call.core;
    const size_t operand = properties->l0a_bytes > properties->l0b_bytes ? properties->l0a_bytes
                                                                         : properties->l0b_bytes;
    const size_t result = properties->l0c_bytes / sizeof(float);
    return (operand > result ? operand : result) + 64;
}

uint64_t twin_native_scratch_bytes(const native_core *core)
{
    return part_floats(core) * 3 * sizeof(float);
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

static void copy_across(const part *p, bool right)
{
    for (uint32_t k = 0; k < p->k; k++)
        for (uint32_t edge = 0; edge < p->edge; edge++) {
            const uint64_t column = p->column + edge;
            memcpy(p->to + fractal_at(p, right, edge, k) + (uint64_t)(edge % EDGE) * UNIT +
                       (uint64_t)(k % p->per_unit) * p->size,
                   p->from + (column / p->per_unit * p->high + p->row + k) * UNIT +
                       column % p->per_unit * p->size,
                   p->size);
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
    for (uint64_t i = first; i <= last; i++)
        (void)twin_native_source(core, TWK_L1, TWIN_PIPE_MTE1, op,
                                 feed->from + (i * p.high + p.row) * UNIT,
                                 native_round_up(rows, EDGE) * UNIT, UNIT);
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

static void widen(uint32_t type, const unsigned char *from, uint32_t count, float *to)
{
    uint16_t bits[UNIT / 2];
    if (type == TWK_FP32) {
        memcpy(to, from, count * sizeof(float));
        return;
    }
    memcpy(bits, from, count * sizeof(*bits));
    for (uint32_t i = 0; i < count; i++)
        to[i] = type == TWK_FP16 ? twin_half_float(bits[i]) : twin_bfloat16_float(bits[i]);
}

/* Rows of A, m by k, and of B, k by n, from the fractals. */
static void open_floats(const twk_product *product, uint32_t size, const unsigned char *a_from,
                        const unsigned char *b_from, float *a, float *b)
{
    const uint32_t per_unit = UNIT / size, m = product->m, n = product->n, k = product->k;
    const uint64_t across = native_divide_up(k, per_unit), edges = native_divide_up(n, EDGE);
    float unit[UNIT];
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t at = 0; at < k; at += per_unit)
            widen(product->type,
                  a_from + (row / EDGE * across + at / per_unit) * FRACTAL +
                      (uint64_t)(row % EDGE) * UNIT,
                  k - at < per_unit ? k - at : per_unit, a + (size_t)row * k + at);
    for (uint32_t at = 0; at < k; at += per_unit)
        for (uint32_t column = 0; column < n; column++) {
            const uint32_t count = k - at < per_unit ? k - at : per_unit;
            widen(product->type,
                  b_from + (at / per_unit * edges + column / EDGE) * FRACTAL +
                      (uint64_t)(column % EDGE) * UNIT,
                  count, unit);
            for (uint32_t i = 0; i < count; i++)
                b[(size_t)(at + i) * n + column] = unit[i];
        }
}

static int32_t signed_byte(unsigned char byte)
{
    return byte < 128 ? byte : (int32_t)byte - 256;
}

static void open_bytes(const twk_product *product, const unsigned char *a_from,
                       const unsigned char *b_from, int32_t *a, int32_t *b)
{
    const uint32_t m = product->m, n = product->n, k = product->k;
    const uint64_t across = native_divide_up(k, UNIT), edges = native_divide_up(n, EDGE);
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t at = 0; at < k; at++)
            a[(size_t)row * k + at] =
                signed_byte(a_from[(row / EDGE * across + at / UNIT) * FRACTAL +
                                   (uint64_t)(row % EDGE) * UNIT + at % UNIT]);
    for (uint32_t at = 0; at < k; at++)
        for (uint32_t column = 0; column < n; column++)
            b[(size_t)at * n + column] =
                signed_byte(b_from[(at / UNIT * edges + column / EDGE) * FRACTAL +
                                   (uint64_t)(column % EDGE) * UNIT + at % UNIT]);
}

/* Each result takes its products one by one, k rising: every sum is rounded. */
static void multiply_floats(uint32_t m, uint32_t n, uint32_t k, const float *restrict a,
                            const float *restrict b, float *restrict c)
{
    for (uint32_t row = 0; row < m; row++) {
        float *restrict to = c + (size_t)row * n;
        for (uint32_t at = 0; at < k; at++) {
            const float left = a[(size_t)row * k + at];
            const float *restrict right = b + (size_t)at * n;
            for (uint32_t column = 0; column < n; column++)
                to[column] += left * right[column];
        }
    }
}

static void multiply_bytes(uint32_t m, uint32_t n, uint32_t k, const int32_t *restrict a,
                           const int32_t *restrict b, uint32_t *restrict c)
{
    for (uint32_t row = 0; row < m; row++) {
        uint32_t *restrict to = c + (size_t)row * n;
        for (uint32_t at = 0; at < k; at++) {
            const uint32_t left = (uint32_t)a[(size_t)row * k + at];
            const int32_t *restrict right = b + (size_t)at * n;
            for (uint32_t column = 0; column < n; column++)
                to[column] += left * (uint32_t)right[column];
        }
    }
}

/* Between L0C, columns of 16 x 16 results, and rows of n. */
static uint64_t result_at(uint64_t high, uint32_t row, uint32_t column)
{
    return (column / EDGE * high + row) * EDGE * 4 + (uint64_t)(column % EDGE) * 4;
}

static void open_result(const unsigned char *from, uint32_t m, uint32_t n, uint32_t *c)
{
    const uint64_t high = native_round_up(m, EDGE);
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t column = 0; column < n; column += EDGE)
            memcpy(c + (size_t)row * n + column, from + result_at(high, row, column),
                   4 * (size_t)(n - column < EDGE ? n - column : EDGE));
}

static void close_result(unsigned char *to, uint32_t m, uint32_t n, const uint32_t *c)
{
    const uint64_t high = native_round_up(m, EDGE);
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t column = 0; column < n; column += EDGE)
            memcpy(to + result_at(high, row, column), c + (size_t)row * n + column,
                   4 * (size_t)(n - column < EDGE ? n - column : EDGE));
}

/* Operands and sums of a product, as rows. */
typedef struct floats {
    const twk_product *product;
    const float *a, *b;
    float *c;
    const unsigned char *before; /* L0C, as it is until the sums are put there */
} floats;

static bool from_numbers(const floats *f, uint32_t row, uint32_t column)
{
    const uint32_t k = f->product->k, n = f->product->n;
    bool numbers = true;
    for (uint32_t at = 0; at < k; at++)
        numbers = numbers && isfinite(f->a[(size_t)row * k + at]) &&
                  isfinite(f->b[(size_t)at * n + column]);
    if (f->product->accumulate) {
        float before;
        memcpy(&before, f->before + result_at(native_round_up(f->product->m, EDGE), row, column),
               sizeof(before));
        numbers = numbers && isfinite(before);
    }
    return numbers;
}

/* As the vector unit does it: a NaN or infinity that comes from numbers is an overflow. */
static void NATIVE_COLD repair_specials(native_core *core, const floats *f)
{
    const uint32_t m = f->product->m, n = f->product->n;
    twin_native_run *run = core->run;
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t column = 0; column < n; column++) {
            float *sum = &f->c[(size_t)row * n + column];
            if (isfinite(*sum))
                continue;
            run->overflowed = run->overflowed || from_numbers(f, row, column);
            if (run->call.saturate)
                *sum = (float)twin_native_saturated(TWK_FP32, (double)*sum);
        }
}

static bool all_finite(const float *c, size_t count)
{
    uint32_t special = 0;
    for (size_t i = 0; i < count; i++)
        special |= (twin_float_bits(c[i]) & 0x7f800000u) == 0x7f800000u;
    return special == 0;
}

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

/* The product of L0A and L0B goes to L0C. */
static void compute_product(native_core *core, const twk_product *product,
                            const unsigned char *a_from, const unsigned char *b_from,
                            unsigned char *to)
{
    const uint32_t m = product->m, n = product->n, k = product->k;
    const size_t room = part_floats(core);
    float *a = twin_native_scratch(core), *b = a + room, *c = b + room;
    if (product->accumulate)
        open_result(to, m, n, (uint32_t *)(void *)c);
    else
        memset(c, 0, (size_t)m * n * sizeof(*c));
    if (product->type == TWK_INT8) {
        open_bytes(product, a_from, b_from, (int32_t *)(void *)a, (int32_t *)(void *)b);
        multiply_bytes(m, n, k, (const int32_t *)(const void *)a, (const int32_t *)(const void *)b,
                       (uint32_t *)(void *)c);
    } else {
        open_floats(product, native_size_of(product->type), a_from, b_from, a, b);
        multiply_floats(m, n, k, a, b, c);
        if (!all_finite(c, (size_t)m * n))
            repair_specials(core, &(floats){product, a, b, c, to});
    }
    close_result(to, m, n, (const uint32_t *)(const void *)c);
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
        compute_product(core, product, a_from, b_from, to);
    twin_native_step(core, TWIN_PIPE_CUBE, TWIN_STEP_WORK, 0,
                     core->run->call.core->cube_start +
                         wide_m / EDGE * (wide_n / EDGE) * native_divide_up(k, step));
}
