/* SPDX-License-Identifier: Apache-2.0 */
/* Ways in which the kernel "wrong" goes wrong, in its block 1. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_WRONG_H
#define TWINRT_TESTS_UNIT_KERNEL_WRONG_H

#include <stdint.h>

enum {
    GOOD_LOOP,
    GOOD_SUM,
    WRONG_ADDRESS,
    WRONG_STORE,
    WRONG_ROW,
    WRONG_BUFFER,
    WRONG_CORE,
    WRONG_PIPE,
    WRONG_OFFSET,
    WRONG_ALIGNMENT,
    WRONG_OVERLAP,
    WRONG_FLAG,
    WRONG_CROSS_CORE,
    WRONG_PITCH,
    WRONG_TRAP,
    WRONG_ASSERT,
    WRONG_WAIT,
    WRONG_WAIT_PIPE,
    WRONG_LOOP,
    WRONG_POLL,
    WRONG_POINTER,
    WRONG_DIVISION,
    WRONG_RECURSION,
    WRONG_FRAME,
    WRONG_DEEP_GET,
    WRONG_DEEP_VECTOR,
    WRONG_DEEP_PRINT,
    WRONG_DEEP_TRAP,
    WRONG_COUNT,
    WRONG_TYPE
};

/* At most so many turns of GOOD_SUM. */
#define WRONG_TURNS 2048

typedef struct wrong_args {
    uint32_t how;
    uint32_t turns;
} wrong_args;

#endif
