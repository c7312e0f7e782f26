/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, the vector unit and the cube, as kernels call them. Included by twinrt/kernel.h. */
#ifndef TWINRT_KERNEL_OPS_H
#define TWINRT_KERNEL_OPS_H

#include "twinrt/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 64 bits as 32; what is larger becomes UINT32_MAX, which no operation takes. No branch and no
 * call: those are counted. */
#define TWK_CUT_(wide) ((uint32_t)((wide) | (0 - (uint64_t)((wide) >> 32 != 0))))

/* ---- copies: MTE2 in, MTE3 out --------------------------------------------------------------- */

static inline void twk_copy_(uint8_t way, uint32_t local, twk_gm gm, uint32_t bytes)
{
    twk_copy copy = TWK_ZERO_;
    copy.way      = way;
    copy.local    = local;
    copy.gm       = gm;
    copy.rows     = 1;
    copy.bytes    = bytes;
    twk_slot->copy(&copy);
}
/* Any number of bytes, from and to any address. */
static inline void twk_load(twk_ub dst, twk_gm src, uint32_t bytes)
{
    twk_copy_(TWK_WAY_GM_TO_UB, dst.at, src, bytes);
}
static inline void twk_store(twk_gm dst, twk_ub src, uint32_t bytes)
{
    twk_copy_(TWK_WAY_UB_TO_GM, src.at, dst, bytes);
}
static inline void twk_load_l1(twk_l1 dst, twk_gm src, uint32_t bytes)
{
    twk_copy_(TWK_WAY_GM_TO_L1, dst.at, src, bytes);
}
/* Inside UB; an operation of the vector unit. The ranges do not overlap. */
static inline void twk_move(twk_ub dst, twk_ub src, uint32_t bytes)
{
    twk_copy copy = TWK_ZERO_;
    copy.way      = TWK_WAY_UB_TO_UB;
    copy.local    = dst.at;
    copy.other    = src.at;
    copy.rows     = 1;
    copy.bytes    = bytes;
    twk_slot->copy(&copy);
}

/* Rows of `bytes` bytes, `gm_pitch` bytes apart in global memory and `pitch` apart in the
 * buffer. */
typedef struct twk_rows {
    uint32_t rows;
    uint32_t bytes;
    uint64_t gm_pitch; /* `bytes` or more */
    uint32_t pitch;    /* a multiple of 32, and room for a row with its padding */
    uint32_t once;     /* 1: L2 is not to keep them, as nothing will use them soon */
} twk_rows;

static inline void twk_copy_rows_(uint8_t way, uint32_t local, twk_gm gm, const twk_rows *rows)
{
    twk_copy copy    = TWK_ZERO_;
    copy.way         = way;
    copy.local       = local;
    copy.gm          = gm;
    copy.rows        = rows->rows;
    copy.bytes       = rows->bytes;
    copy.gm_pitch    = rows->gm_pitch;
    copy.local_pitch = rows->pitch;
    copy.once        = (uint8_t)(rows->once != 0);
    twk_slot->copy(&copy);
}
static inline void twk_load_rows(twk_ub dst, twk_gm src, const twk_rows *rows)
{
    twk_copy_rows_(TWK_WAY_GM_TO_UB, dst.at, src, rows);
}
static inline void twk_store_rows(twk_gm dst, twk_ub src, const twk_rows *rows)
{
    twk_copy_rows_(TWK_WAY_UB_TO_GM, src.at, dst, rows);
}
static inline void twk_load_l1_rows(twk_l1 dst, twk_gm src, const twk_rows *rows)
{
    twk_copy_rows_(TWK_WAY_GM_TO_L1, dst.at, src, rows);
}
/* As twk_load_rows, and each row in UB gets `left` elements of `fill` before it and `right` after
 * it. */
static inline void twk_load_padded(twk_type type, twk_ub dst, twk_gm src, const twk_rows *rows,
                                   uint32_t left, uint32_t right, double fill)
{
    twk_copy copy    = TWK_ZERO_;
    copy.way         = TWK_WAY_GM_TO_UB;
    copy.type        = (uint8_t)type;
    copy.local       = dst.at;
    copy.gm          = src;
    copy.rows        = rows->rows;
    copy.bytes       = rows->bytes;
    copy.gm_pitch    = rows->gm_pitch;
    copy.local_pitch = rows->pitch;
    copy.once        = (uint8_t)(rows->once != 0);
    copy.left        = left;
    copy.right       = right;
    copy.fill        = fill;
    twk_slot->copy(&copy);
}
/* Each element of global memory becomes its sum with the one from UB, or the larger or smaller of
 * the two. It happens at the kernel's end, in the order of blocks: results are the same every time.
 * FP32, FP16, BF16, INT32, INT16, INT8. */
static inline void twk_store_atomic(twk_atomic how, twk_type type, twk_gm dst, twk_ub src,
                                    uint32_t count)
{
    const uint64_t bytes = (uint64_t)count * twk_bytes_of(type);
    twk_copy copy        = TWK_ZERO_;
    copy.way             = TWK_WAY_UB_TO_GM;
    copy.atomic          = (uint8_t)how;
    copy.type            = (uint8_t)type;
    copy.local           = src.at;
    copy.gm              = dst;
    copy.rows            = 1;
    copy.bytes           = TWK_CUT_(bytes);
    twk_slot->copy(&copy);
}

/* ---- vector unit ----------------------------------------------------------------------------- */

static inline void twk_vector_(uint8_t op, twk_type type, uint32_t dst, uint32_t a, uint32_t b,
                               uint32_t count, double scalar)
{
    twk_vector vector = TWK_ZERO_;
    vector.op         = op;
    vector.type       = (uint8_t)type;
    vector.dst        = dst;
    vector.a          = a;
    vector.b          = b;
    vector.count      = count;
    vector.scalar     = scalar;
    twk_slot->vector(&vector);
}
#define TWK_BINARY_(name, op)                                                                      \
    static inline void name(twk_type type, twk_ub dst, twk_ub a, twk_ub b, uint32_t count)         \
    {                                                                                              \
        twk_vector_(op, type, dst.at, a.at, b.at, count, 0);                                       \
    }
#define TWK_UNARY_(name, op)                                                                       \
    static inline void name(twk_type type, twk_ub dst, twk_ub a, uint32_t count)                   \
    {                                                                                              \
        twk_vector_(op, type, dst.at, a.at, 0, count, 0);                                          \
    }
#define TWK_SCALAR_(name, op)                                                                      \
    static inline void name(twk_type type, twk_ub dst, twk_ub a, double scalar, uint32_t count)    \
    {                                                                                              \
        twk_vector_(op, type, dst.at, a.at, 0, count, scalar);                                     \
    }
/* dst may be a or b. FP16, FP32, BF16, INT16, INT32; no overlap otherwise. */
TWK_BINARY_(twk_add, TWK_OP_ADD)
TWK_BINARY_(twk_sub, TWK_OP_SUB)
TWK_BINARY_(twk_mul, TWK_OP_MUL)
TWK_BINARY_(twk_max, TWK_OP_MAX)
TWK_BINARY_(twk_min, TWK_OP_MIN)
TWK_SCALAR_(twk_adds, TWK_OP_ADDS)
TWK_SCALAR_(twk_muls, TWK_OP_MULS)
TWK_SCALAR_(twk_maxs, TWK_OP_MAXS)
TWK_SCALAR_(twk_mins, TWK_OP_MINS)
/* FP16, FP32, BF16. */
TWK_BINARY_(twk_div, TWK_OP_DIV)
TWK_UNARY_(twk_abs, TWK_OP_ABS)
TWK_UNARY_(twk_exp, TWK_OP_EXP)
TWK_UNARY_(twk_ln, TWK_OP_LN)
TWK_UNARY_(twk_sqrt, TWK_OP_SQRT)
TWK_UNARY_(twk_rsqrt, TWK_OP_RSQRT)
TWK_UNARY_(twk_reciprocal, TWK_OP_RECIPROCAL)
TWK_UNARY_(twk_relu, TWK_OP_RELU)      /* INT32 too */
TWK_SCALAR_(twk_axpy, TWK_OP_AXPY)     /* dst += a * scalar */
TWK_BINARY_(twk_muladd, TWK_OP_MULADD) /* dst += a * b */
/* Integer types; shifts of 16 and 32 bits, by less than these. */
TWK_BINARY_(twk_and, TWK_OP_AND)
TWK_BINARY_(twk_or, TWK_OP_OR)
TWK_BINARY_(twk_xor, TWK_OP_XOR)
TWK_UNARY_(twk_not, TWK_OP_NOT)
static inline void twk_shift_left(twk_type type, twk_ub dst, twk_ub a, uint32_t bits,
                                  uint32_t count)
{
    twk_vector_(TWK_OP_SHL, type, dst.at, a.at, 0, count, bits);
}
/* Of signed types the sign moves in. */
static inline void twk_shift_right(twk_type type, twk_ub dst, twk_ub a, uint32_t bits,
                                   uint32_t count)
{
    twk_vector_(TWK_OP_SHR, type, dst.at, a.at, 0, count, bits);
}
/* Any type. */
static inline void twk_duplicate(twk_type type, twk_ub dst, double value, uint32_t count)
{
    twk_vector_(TWK_OP_DUPLICATE, type, dst.at, 0, 0, count, value);
}
/* first, first + 1, ... FP16, FP32, INT16, INT32. */
static inline void twk_index(twk_type type, twk_ub dst, double first, uint32_t count)
{
    twk_vector_(TWK_OP_INDEX, type, dst.at, 0, 0, count, first);
}
/* dst[i] = the element `offsets[i]` bytes after src; offsets are UINT32. Types of 16 and 32 bits.
 * dst overlaps none. */
static inline void twk_gather(twk_type type, twk_ub dst, twk_ub src, twk_ub offsets, uint32_t count)
{
    twk_vector_(TWK_OP_GATHER, type, dst.at, src.at, offsets.at, count, 0);
}

/* Masks: bit i of the bytes at `mask`, lowest bit first, is 1 where a[i] is in the relation to
 * b[i], or to the number. Bits past the last element, up to a whole byte, become 0. FP16, FP32,
 * BF16, INT16, INT32. */
static inline void twk_compare(twk_type type, twk_ub mask, twk_ub a, twk_relation relation,
                               twk_ub b, uint32_t count)
{
    twk_vector vector = TWK_ZERO_;
    vector.op         = TWK_OP_COMPARE;
    vector.type       = (uint8_t)type;
    vector.mode       = (uint8_t)relation;
    vector.mask       = mask.at;
    vector.a          = a.at;
    vector.b          = b.at;
    vector.count      = count;
    twk_slot->vector(&vector);
}
static inline void twk_compares(twk_type type, twk_ub mask, twk_ub a, twk_relation relation,
                                double scalar, uint32_t count)
{
    twk_vector vector = TWK_ZERO_;
    vector.op         = TWK_OP_COMPARES;
    vector.type       = (uint8_t)type;
    vector.mode       = (uint8_t)relation;
    vector.mask       = mask.at;
    vector.a          = a.at;
    vector.count      = count;
    vector.scalar     = scalar;
    twk_slot->vector(&vector);
}
/* dst[i] = bit i of the mask ? a[i] : b[i], or the number. Types of 16 and 32 bits. */
static inline void twk_select(twk_type type, twk_ub dst, twk_ub mask, twk_ub a, twk_ub b,
                              uint32_t count)
{
    twk_vector vector = TWK_ZERO_;
    vector.op         = TWK_OP_SELECT;
    vector.type       = (uint8_t)type;
    vector.dst        = dst.at;
    vector.mask       = mask.at;
    vector.a          = a.at;
    vector.b          = b.at;
    vector.count      = count;
    twk_slot->vector(&vector);
}
static inline void twk_selects(twk_type type, twk_ub dst, twk_ub mask, twk_ub a, double scalar,
                               uint32_t count)
{
    twk_vector vector = TWK_ZERO_;
    vector.op         = TWK_OP_SELECTS;
    vector.type       = (uint8_t)type;
    vector.dst        = dst.at;
    vector.mask       = mask.at;
    vector.a          = a.at;
    vector.count      = count;
    vector.scalar     = scalar;
    twk_slot->vector(&vector);
}
/* Any two types. Numbers that an integer type cannot hold become its nearest one, NaN becomes 0.
 * dst overlaps a only where both begin alike and dst's elements are no larger. */
static inline void twk_cast(twk_type to, twk_ub dst, twk_type from, twk_ub a, twk_round rounding,
                            uint32_t count)
{
    twk_vector vector = TWK_ZERO_;
    vector.op         = TWK_OP_CAST;
    vector.type       = (uint8_t)from;
    vector.to         = (uint8_t)to;
    vector.mode       = (uint8_t)rounding;
    vector.dst        = dst.at;
    vector.a          = a.at;
    vector.count      = count;
    twk_slot->vector(&vector);
}

/* One element at dst from all of a: as a binary tree, whose shape is in the manual. FP16, FP32,
 * BF16, INT32. */
TWK_UNARY_(twk_reduce_sum, TWK_OP_REDUCE_SUM)
TWK_UNARY_(twk_reduce_max, TWK_OP_REDUCE_MAX)
TWK_UNARY_(twk_reduce_min, TWK_OP_REDUCE_MIN)

/* Rows of `columns` elements, `pitch` elements apart. */
typedef struct twk_grid {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
} twk_grid;

static inline void twk_grid_(uint8_t op, twk_type type, uint32_t dst, uint32_t a, uint32_t b,
                             const twk_grid *grid)
{
    twk_vector vector = TWK_ZERO_;
    if (grid->rows == 0)
        return;
    vector.op    = op;
    vector.type  = (uint8_t)type;
    vector.dst   = dst;
    vector.a     = a;
    vector.b     = b;
    vector.count = grid->columns;
    vector.rows  = grid->rows;
    vector.pitch = grid->pitch;
    twk_slot->vector(&vector);
}
/* dst[row] from each row of a, as twk_reduce_sum, twk_reduce_max and twk_reduce_min do it; the
 * results are side by side. */
#define TWK_ROWS_(name, op)                                                                        \
    static inline void name(twk_type type, twk_ub dst, twk_ub a, const twk_grid *grid)             \
    {                                                                                              \
        twk_grid_(op, type, dst.at, a.at, 0, grid);                                                \
    }
TWK_ROWS_(twk_reduce_rows_sum, TWK_OP_REDUCE_SUM)
TWK_ROWS_(twk_reduce_rows_max, TWK_OP_REDUCE_MAX)
TWK_ROWS_(twk_reduce_rows_min, TWK_OP_REDUCE_MIN)
/* Row r of dst = row r of a (op) element r of b, for each column. FP16, FP32, BF16. */
#define TWK_ROWS_BY_(name, op)                                                                     \
    static inline void name(twk_type type, twk_ub dst, twk_ub a, twk_ub b, const twk_grid *grid)   \
    {                                                                                              \
        twk_grid_(op, type, dst.at, a.at, b.at, grid);                                             \
    }
TWK_ROWS_BY_(twk_rows_add, TWK_OP_ROW_ADD)
TWK_ROWS_BY_(twk_rows_sub, TWK_OP_ROW_SUB)
TWK_ROWS_BY_(twk_rows_mul, TWK_OP_ROW_MUL)
TWK_ROWS_BY_(twk_rows_div, TWK_OP_ROW_DIV)

/* ---- matrices -------------------------------------------------------------------------------- */

/* A matrix in L1, in the layout of the cube: the manual draws it. */
typedef struct twk_matrix {
    twk_l1 at;
    uint32_t rows, columns;
} twk_matrix;

static inline uint32_t twk_round_up_(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}
/* Room that a matrix takes in L1, a part of one in L0A or L0B, and a result in L0C. */
static inline uint32_t twk_matrix_bytes(twk_type type, uint32_t rows, uint32_t columns)
{
    const uint32_t size = twk_bytes_of(type);
    return twk_round_up_(rows, 16) * twk_round_up_(columns, 32 / size) * size;
}
static inline uint32_t twk_feed_bytes(twk_type type, uint32_t edge, uint32_t k)
{
    return twk_matrix_bytes(type, edge, k);
}
static inline uint32_t twk_result_bytes(uint32_t m, uint32_t n)
{
    return twk_round_up_(m, 16) * twk_round_up_(n, 16) * 4;
}
static inline twk_matrix twk_matrix_at(uint32_t at, uint32_t rows, uint32_t columns)
{
    twk_matrix matrix;
    matrix.at      = twk_l1_at(at);
    matrix.rows    = rows;
    matrix.columns = columns;
    return matrix;
}
/* MTE2: rows of global memory, `pitch` bytes apart, become a matrix in L1; what fills it up is
 * 0. */
static inline void twk_load_matrix(twk_type type, twk_matrix dst, twk_gm src, uint64_t pitch)
{
    const uint64_t bytes = (uint64_t)dst.columns * twk_bytes_of(type);
    twk_copy copy        = TWK_ZERO_;
    copy.way             = TWK_WAY_MATRIX_TO_L1;
    copy.type            = (uint8_t)type;
    copy.local           = dst.at.at;
    copy.gm              = src;
    copy.rows            = dst.rows;
    copy.bytes           = TWK_CUT_(bytes);
    copy.gm_pitch        = pitch;
    twk_slot->copy(&copy);
}
/* MTE1: the part of `from` that begins at (row, column) becomes the left operand, m by k.
 * Transposed: the part is k by m. row is a multiple of 16, column of the elements in 32 bytes. */
static inline void twk_load_a(twk_type type, twk_l0a dst, twk_matrix from, uint32_t row,
                              uint32_t column, uint32_t m, uint32_t k, bool transposed)
{
    twk_feed feed   = TWK_ZERO_;
    feed.right      = 0;
    feed.type       = (uint8_t)type;
    feed.transposed = transposed ? 1 : 0;
    feed.to         = dst.at;
    feed.from       = from.at.at;
    feed.rows       = from.rows;
    feed.columns    = from.columns;
    feed.row        = row;
    feed.column     = column;
    feed.height     = m;
    feed.width      = k;
    twk_slot->feed(&feed);
}
/* The right operand, k by n. Transposed: the part of `from` is n by k. */
static inline void twk_load_b(twk_type type, twk_l0b dst, twk_matrix from, uint32_t row,
                              uint32_t column, uint32_t k, uint32_t n, bool transposed)
{
    twk_feed feed   = TWK_ZERO_;
    feed.right      = 1;
    feed.type       = (uint8_t)type;
    feed.transposed = transposed ? 1 : 0;
    feed.to         = dst.at;
    feed.from       = from.at.at;
    feed.rows       = from.rows;
    feed.columns    = from.columns;
    feed.row        = row;
    feed.column     = column;
    feed.height     = k;
    feed.width      = n;
    twk_slot->feed(&feed);
}
/* M: c = a * b, or c += a * b. FP16, BF16 and FP32 give FP32, INT8 gives INT32. */
static inline void twk_mmad(twk_type type, twk_l0c c, twk_l0a a, twk_l0b b, uint32_t m, uint32_t n,
                            uint32_t k, bool accumulate)
{
    twk_product product = TWK_ZERO_;
    product.type        = (uint8_t)type;
    product.accumulate  = accumulate ? 1 : 0;
    product.c           = c.at;
    product.a           = a.at;
    product.b           = b.at;
    product.m           = m;
    product.n           = n;
    product.k           = k;
    twk_slot->multiply(&product);
}

/* How a result changes on its way out of L0C. All 0: not at all. */
typedef struct twk_finish {
    bool relu;
    twk_atomic atomic; /* to global memory */
    float scale;       /* INT32 to FP16 or INT8: each is multiplied by it; 0: by 1 */
} twk_finish;

static inline void twk_result_(uint8_t target, twk_type from, twk_type type, uint32_t c, uint32_t m,
                               uint32_t n, uint32_t local, twk_gm gm, uint64_t pitch,
                               const twk_finish *finish)
{
    twk_result result = TWK_ZERO_;
    result.target     = target;
    result.from       = (uint8_t)from;
    result.type       = (uint8_t)type;
    result.c          = c;
    result.m          = m;
    result.n          = n;
    result.local      = local;
    result.gm         = gm;
    result.pitch      = pitch;
    if (finish) {
        result.relu   = finish->relu ? 1 : 0;
        result.atomic = (uint8_t)finish->atomic;
        result.scale  = finish->scale;
    }
    twk_slot->result(&result);
}
/* FIX: the result at c, m by n, to rows of global memory, `pitch` bytes apart. `from` is what L0C
 * holds, FP32 or INT32; FP32 becomes FP32, FP16 or BF16, INT32 becomes INT32, FP16 or INT8. finish
 * may be NULL. */
static inline void twk_store_result(twk_type type, twk_gm dst, uint64_t pitch, twk_type from,
                                    twk_l0c c, uint32_t m, uint32_t n, const twk_finish *finish)
{
    twk_result_(TWK_TO_GM, from, type, c.at, m, n, 0, dst, pitch, finish);
}
/* FIX: to a matrix in L1, m by n. */
static inline void twk_keep_result(twk_type type, twk_l1 dst, twk_type from, twk_l0c c, uint32_t m,
                                   uint32_t n, const twk_finish *finish)
{
    twk_result_(TWK_TO_L1, from, type, c.at, m, n, dst.at, 0, 0, finish);
}
/* FIX: to rows of UB, `pitch` bytes apart, where cube and vector unit are one core. */
static inline void twk_move_result(twk_type type, twk_ub dst, uint32_t pitch, twk_type from,
                                   twk_l0c c, uint32_t m, uint32_t n, const twk_finish *finish)
{
    twk_result_(TWK_TO_UB, from, type, c.at, m, n, dst.at, 0, pitch, finish);
}

#undef TWK_BINARY_
#undef TWK_UNARY_
#undef TWK_SCALAR_
#undef TWK_ROWS_
#undef TWK_ROWS_BY_

#ifdef __cplusplus
}
#endif
#endif
