/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels whose times are compared with published ones. What a document leaves to its author,
 * such as tiles and buffers, is an argument here. */
#include <twinrt/kernel.h>

#include "args.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- launches -------------------------------------------------------------------------------- */

TWK_VECTOR_KERNEL(empty, struct validation_args, args)
{
    (void)args;
}
TWK_CUBE_KERNEL(empty_cube, struct validation_args, args)
{
    (void)args;
}
TWK_CUBE_HALF(empty_mixed, struct validation_args, args)
{
    (void)args;
}
TWK_VECTOR_HALF(empty_mixed, struct validation_args, args)
{
    (void)args;
}
TWK_MIX_KERNEL(empty_mixed, struct validation_args, 2);

/* ---- one operation, again and again ---------------------------------------------------------- */

static void vector_once(const struct validation_args *args)
{
    const twk_type type = (twk_type)args->type;
    const twk_ub x = twk_ub_at(args->x), y = twk_ub_at(args->y), z = twk_ub_at(args->z);
    switch ((enum validation_op)args->op) {
    case OP_ADD:
        twk_add(type, z, x, y, args->count);
        break;
    case OP_MUL:
        twk_mul(type, z, x, y, args->count);
        break;
    case OP_DIV:
        twk_div(type, z, x, y, args->count);
        break;
    case OP_EXP:
        twk_exp(type, z, x, args->count);
        break;
    case OP_LN:
        twk_ln(type, z, x, args->count);
        break;
    case OP_SQRT:
        twk_sqrt(type, z, x, args->count);
        break;
    case OP_RECIPROCAL:
        twk_reciprocal(type, z, x, args->count);
        break;
    case OP_RSQRT:
        twk_rsqrt(type, z, x, args->count);
        break;
    case OP_MULS:
        twk_muls(type, z, x, 2, args->count);
        break;
    case OP_ADDS:
        twk_adds(type, z, x, 2, args->count);
        break;
    case OP_CAST:
        twk_cast(TWK_FP16, z, TWK_FP32, x, TWK_ROUND_EVEN, args->count);
        break;
    case OP_GATHER:
        twk_gather(type, z, x, y, args->count);
        break;
    case OP_MULADD:
        twk_muladd(type, z, x, y, args->count);
        break;
    case OP_SUM:
        twk_reduce_sum(type, z, x, args->count);
        break;
    case OP_MOVE:
        twk_move(z, x, args->bytes);
        break;
    case OP_LOAD:
        twk_load(z, args->a, args->bytes);
        break;
    case OP_STORE:
        twk_store(args->c, x, args->bytes);
        break;
    default:
        twk_stop("op is not an operation of a vector core");
    }
}

/* Writes what the operations read. */
static void fill(const struct validation_args *args)
{
    const uint32_t most = 60u << 10; /* bytes from x, y and z that operations may touch */
    const twk_ub at[] = {twk_ub_at(args->x), twk_ub_at(args->y), twk_ub_at(args->z)};
    for (uint32_t i = 0; i < 3; i++)
        twk_duplicate(TWK_UINT32, at[i], 0, smaller(most, twk_size(TWK_UB) - at[i].at) / 4);
    twk_barrier(TWK_ALL);
}

TWK_VECTOR_KERNEL(vector, struct validation_args, args)
{
    fill(args);
    for (uint32_t i = 0; i < args->repeat; i++)
        vector_once(args);
}

/* z = x + y by the scalar unit, element by element. */
TWK_VECTOR_KERNEL(scalar, struct validation_args, args)
{
    fill(args);
    for (uint32_t i = 0; i < args->repeat; i++)
        twk_put(TWK_FP16, twk_ub_at(args->z + 2 * (i % args->count)),
                twk_get(TWK_FP16, twk_ub_at(args->x + 2 * (i % args->count))) +
                    twk_get(TWK_FP16, twk_ub_at(args->y + 2 * (i % args->count))));
}

static void cube_once(const struct validation_args *args)
{
    const twk_type type = (twk_type)args->type;
    switch ((enum validation_op)args->op) {
    case OP_MMAD:
        twk_mmad(type, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), args->m, args->n, args->k,
                 true);
        break;
    case OP_LOAD_A:
        twk_load_a(type, twk_l0a_at(0), twk_matrix_at(0, args->m, args->k), 0, 0, args->m, args->k,
                   false);
        break;
    case OP_LOAD_B:
        twk_load_b(type, twk_l0b_at(0), twk_matrix_at(0, args->k, args->n), 0, 0, args->k, args->n,
                   false);
        break;
    case OP_STORE_RESULT:
        twk_store_result((twk_type)args->result, args->c,
                         (uint64_t)args->n * twk_bytes_of((twk_type)args->result), TWK_FP32,
                         twk_l0c_at(0), args->m, args->n, NULL);
        break;
    case OP_KEEP_RESULT:
        twk_keep_result((twk_type)args->result, twk_l1_at(0), TWK_FP32, twk_l0c_at(0), args->m,
                        args->n, NULL);
        break;
    case OP_LOAD_L1:
        twk_load_l1(twk_l1_at(0), args->a, args->bytes);
        break;
    default:
        twk_stop("op is not an operation of a cube core");
    }
}

TWK_CUBE_KERNEL(cube, struct validation_args, args)
{
    const twk_type type = (twk_type)args->type;
    twk_load_l1(twk_l1_at(0), args->a, twk_size(TWK_L1)); /* what the operations read */
    twk_barrier(TWK_ALL);
    twk_load_a(type, twk_l0a_at(0), twk_matrix_at(0, args->m, args->k), 0, 0, args->m, args->k,
               false);
    twk_load_b(type, twk_l0b_at(0), twk_matrix_at(0, args->k, args->n), 0, 0, args->k, args->n,
               false);
    twk_barrier(TWK_ALL);
    twk_mmad(type, twk_l0c_at(0), twk_l0a_at(0), twk_l0b_at(0), args->m, args->n, args->k, false);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->repeat; i++)
        cube_once(args);
}

/* ---- z = x + y in fp16 ------------------------------------------------------------------------
 * m rows of n, shared out by rows. One set of buffers: copies and additions take turns. Two: they
 * overlap. With `once` L2 does not keep what is read. */

static void add_tile(const struct validation_args *args, uint64_t first, uint32_t count,
                     uint32_t set, bool again)
{
    const twk_ub x = twk_ub_at(set ? args->x2 : args->x);
    const twk_ub y = twk_ub_at(set ? args->y2 : args->y);
    const twk_ub z = twk_ub_at(set ? args->z2 : args->z);
    const twk_rows rows = {1, count * 2, 0, 0, args->once};
    if (again) /* the sum that was in z has left */
        twk_wait_flag(TWK_MTE3, TWK_MTE2, set);
    twk_load_rows(x, args->a + first * 2, &rows);
    twk_load_rows(y, args->b + first * 2, &rows);
    twk_set_flag(TWK_MTE2, TWK_V, set);
    twk_wait_flag(TWK_MTE2, TWK_V, set);
    twk_add(TWK_FP16, z, x, y, count);
    twk_set_flag(TWK_V, TWK_MTE3, set);
    twk_wait_flag(TWK_V, TWK_MTE3, set);
    twk_store(args->c + first * 2, z, count * 2);
    twk_set_flag(TWK_MTE3, TWK_MTE2, set);
}

TWK_VECTOR_KERNEL(add, struct validation_args, args)
{
    const uint32_t block = twk_block(), rest = args->m % twk_blocks(),
                   each = args->m / twk_blocks();
    uint64_t first = ((uint64_t)each * block + smaller(block, rest)) * args->n;
    uint64_t left = (uint64_t)(each + (block < rest ? 1 : 0)) * args->n;
    uint32_t turn = 0;
    for (; left > 0; turn++) {
        const uint32_t count = left < args->tile ? (uint32_t)left : args->tile;
        add_tile(args, first, count, turn % args->sets, turn >= args->sets);
        first += count;
        left -= count;
    }
    for (uint32_t set = 0; set < smaller(turn, args->sets); set++)
        twk_wait_flag(TWK_MTE3, TWK_MTE2, set);
}

/* ---- copies in, nothing else ------------------------------------------------------------------
 * m rows of n halves, in tiles; `slices` parts of the columns, each read `passes` times. */

static void tile_to_ub(const struct validation_args *args, uint32_t row, uint32_t column,
                       uint32_t columns)
{
    const twk_rows rows = {args->tile_m, columns * 2, args->n * 2ull, args->tile_n * 2, 0};
    twk_load_rows(twk_ub_at(0), args->a + ((uint64_t)row * args->n + column) * 2, &rows);
}

static void tile_to_l1(const struct validation_args *args, uint32_t row, uint32_t column,
                       uint32_t columns)
{
    twk_load_matrix(TWK_FP16, twk_matrix_at(0, args->tile_m, columns),
                    args->a + ((uint64_t)row * args->n + column) * 2, args->n * 2ull);
}

typedef void (*tile_copy)(const struct validation_args *args, uint32_t row, uint32_t column,
                          uint32_t columns);

static void copy_rows(const struct validation_args *args, tile_copy copy, uint32_t first,
                      uint32_t rows, uint32_t slice)
{
    const uint32_t width = args->n / args->slices;
    const uint32_t begin = slice * width;
    const uint32_t end = slice + 1 == args->slices ? args->n : begin + width;
    for (uint32_t row = first; row < first + rows; row += args->tile_m)
        for (uint32_t column = begin; column < end; column += args->tile_n)
            copy(args, row, column, smaller(args->tile_n, end - column));
}

static void copy_all(const struct validation_args *args, tile_copy copy)
{
    const uint32_t blocks = twk_blocks(), share = args->m / blocks;
    for (uint32_t slice = 0; slice < args->slices; slice++)
        for (uint32_t pass = 0; pass < args->passes; pass++) {
            if (args->order == ORDER_OWN)
                copy_rows(args, copy, twk_block() * share, share, slice);
            else
                for (uint32_t part = 0; part < blocks; part++)
                    copy_rows(args, copy,
                              (args->order == ORDER_SAME ? part : (part + twk_block()) % blocks) *
                                  share,
                              share, slice);
        }
}

TWK_VECTOR_KERNEL(copy_in, struct validation_args, args)
{
    copy_all(args, tile_to_ub);
}
TWK_CUBE_KERNEL(copy_in_l1, struct validation_args, args)
{
    copy_all(args, tile_to_l1);
}
