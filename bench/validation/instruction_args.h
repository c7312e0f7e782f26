/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel in instruction_kernel.c. */
#ifndef BENCH_VALIDATION_INSTRUCTION_ARGS_H
#define BENCH_VALIDATION_INSTRUCTION_ARGS_H

#include <stdint.h>

#include "twinrt/kernel_image.h"

struct instruction_args {
    uint64_t zeros; /* in global memory */
    uint32_t bytes; /* of them: all of UB */
    twk_instruction instruction;
};

#endif
