/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernels. */
#ifndef EXAMPLES_REDUCTION_ARGS_H
#define EXAMPLES_REDUCTION_ARGS_H

#include <stdint.h>

/* Where a sum goes: partial_sums leaves one for each block, atomic_sum adds all to one. */
struct sum_args {
    uint64_t from; /* device memory: `count` floats */
    uint64_t to;
    uint32_t count;
};

#endif
