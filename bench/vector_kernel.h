/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel of bench/vector.c. */
#ifndef TWIN_BENCH_VECTOR_KERNEL_H
#define TWIN_BENCH_VECTOR_KERNEL_H

#include <stdint.h>

enum { VECTOR_REPEATS = 128, VECTOR_TURNS = 2000 };

/* vadd of repeats of 256 bytes, `count` times. */
struct vector_args {
    uint32_t type;    /* TWK_FP32 or TWK_FP16 */
    uint32_t stride;  /* of repeats, in blocks of 32 bytes: 8 follow on each other */
    uint64_t mask[2]; /* of a repeat */
    uint32_t count;
};

#endif
