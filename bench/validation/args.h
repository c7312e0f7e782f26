/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments that all kernels of this folder share, and their names on the command line. */
#ifndef BENCH_VALIDATION_ARGS_H
#define BENCH_VALIDATION_ARGS_H

#include <stdint.h>

/* X(name): `name=NUMBER` on the command line. Which kernel uses which is said there. */
#define VALIDATION_KEYS(X)                                                                         \
    X(blocks)                                                                                      \
    X(repeat)                                                                                      \
    X(type)                                                                                        \
    X(op)                                                                                          \
    X(m)                                                                                           \
    X(n)                                                                                           \
    X(k)                                                                                           \
    X(count)                                                                                       \
    X(bytes)                                                                                       \
    X(rows)                                                                                        \
    X(pitch)                                                                                       \
    X(tile)                                                                                        \
    X(tile_m)                                                                                      \
    X(tile_n)                                                                                      \
    X(sets)                                                                                        \
    X(once)                                                                                        \
    X(x)                                                                                           \
    X(y)                                                                                           \
    X(z)                                                                                           \
    X(x2)                                                                                          \
    X(y2)                                                                                          \
    X(z2)                                                                                          \
    X(passes)                                                                                      \
    X(slices)                                                                                      \
    X(order)                                                                                       \
    X(base_m)                                                                                      \
    X(base_n)                                                                                      \
    X(base_k)                                                                                      \
    X(step_a)                                                                                      \
    X(step_b)                                                                                      \
    X(sets_l1)                                                                                     \
    X(sets_l0)                                                                                     \
    X(single_m)                                                                                    \
    X(single_n)                                                                                    \
    X(swizzle)                                                                                     \
    X(turned)                                                                                      \
    X(chunk)                                                                                       \
    X(layout_b)                                                                                    \
    X(result)                                                                                      \
    X(device)                                                                                      \
    X(streams)                                                                                     \
    X(total)

struct validation_args {
    uint64_t a, b, c; /* device memory: two inputs and a result */
#define VALIDATION_FIELD_(name) uint32_t name;
    VALIDATION_KEYS(VALIDATION_FIELD_)
#undef VALIDATION_FIELD_
};

/* Values of `op`: one vector operation, or one operation of a cube core. */
enum validation_op {
    OP_ADD,
    OP_MUL,
    OP_DIV,
    OP_EXP,
    OP_LN,
    OP_SQRT,
    OP_RECIPROCAL,
    OP_RSQRT,
    OP_MULS,
    OP_ADDS,
    OP_CAST,
    OP_GATHER,
    OP_MULADD,
    OP_SUM,
    OP_MMAD,
    OP_LOAD_A,
    OP_LOAD_B,
    OP_STORE_RESULT,
    OP_KEEP_RESULT,
    OP_LOAD,
    OP_STORE,
    OP_LOAD_L1,
    OP_MOVE
};

/* Values of `order` of `copy_in`: what a block reads. */
enum validation_order {
    ORDER_OWN,     /* its share of the rows */
    ORDER_SAME,    /* all rows, every block in the same order */
    ORDER_ROTATED, /* all rows, each block beginning with its own share */
    ORDER_LAST
};

/* Values of `layout_b` of `product`: how the right matrix is stored. */
enum validation_layout {
    LAYOUT_ROWS,     /* k rows of n */
    LAYOUT_COLUMNS,  /* n rows of k */
    LAYOUT_FRACTALS, /* columns of 16, each k rows of 16 */
    LAYOUT_LAST
};

#endif
