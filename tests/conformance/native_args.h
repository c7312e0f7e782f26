/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the kernels in native_kernels.c, as the tests give them. Addresses are of device
 * memory. */
#ifndef TWINRT_CONFORMANCE_NATIVE_ARGS_H
#define TWINRT_CONFORMANCE_NATIVE_ARGS_H

#include <stdint.h>

enum { NATIVE_TILE = 4096, NATIVE_ROW = 16, NATIVE_SQUARE = 64 };

/* add: z = x + y, floats; `single` 1: without a second set of buffers. */
struct native_add {
    uint64_t x, y, z;
    uint32_t count; /* a multiple of NATIVE_TILE */
    uint32_t single;
};

/* places: each block writes a row of NATIVE_ROW words at its number. */
struct native_places {
    uint64_t rows;
};

/* echo: writes what it was given. */
struct native_echo {
    uint64_t to;
    uint32_t number;
    uint16_t half;
    uint8_t byte;
    uint64_t pointer; /* 0, or a word of global memory that is written too */
};

/* work: so many vector instructions, one after the other. */
struct native_work {
    uint32_t times;
    uint32_t elements; /* floats */
};

/* published: a small kernel whose time a document states. */
enum native_figure { NATIVE_SUMS, NATIVE_PIECES };
struct native_published {
    uint64_t from; /* NATIVE_PIECES: 128 bytes of each piece, one after the other */
    uint32_t figure, times;
};
/* published_cube: so many products of 128 by 256 by 64. */
struct native_products {
    uint32_t times, none;
};

/* meet: in each round one block, another each time, works for a while, then all blocks meet; and
 * each takes the word of the next block and adds 1. Words begin with 100 times the block's
 * number. */
struct native_meet {
    uint64_t rows; /* NATIVE_MEET words of even rounds, and of odd ones */
    uint32_t rounds;
    uint32_t times; /* vector instructions of NATIVE_TILE floats */
    uint32_t away;  /* the block with this number less 1 stays away from the last round */
    uint32_t none;
};
enum { NATIVE_MEET = 8192 };

/* product: c = a * b, fp16 to fp32, by cube and vector cores of a mixed block: the vector cores
 * then add 1. */
struct native_product {
    uint64_t a, b, c; /* NATIVE_SQUARE by NATIVE_SQUARE, one after the other for each block */
};

/* wrong: what a kernel must not do. */
enum native_fault {
    NATIVE_TRAP,
    NATIVE_FAR,          /* an invalid address */
    NATIVE_PAST,         /* just past the end of an allocation */
    NATIVE_BUFFER,       /* past the end of UB */
    NATIVE_CRASH,        /* a wild pointer */
    NATIVE_LOOP,         /* for ever */
    NATIVE_STUCK,        /* a flag that nothing sets */
    NATIVE_STUCK_SCALAR, /* one for which its own code waits */
    NATIVE_POLL,         /* for ever for a word of memory */
    NATIVE_DEEP,         /* operations until its stack is full */
    NATIVE_FORGET,       /* a flag that is not set where one is needed */
    NATIVE_FAULTS
};
struct native_wrong {
    uint64_t memory; /* NATIVE_TILE words */
    uint32_t what;
    uint32_t block; /* that does it */
};

/* square: of a number, in fp16. */
struct native_square {
    uint64_t to;
    uint32_t number;
};

/* count: adds 1 to a variable of the shared object and writes it. */
struct native_count {
    uint64_t to;
};

#endif
