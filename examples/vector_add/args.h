/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel. */
#ifndef EXAMPLES_VECTOR_ADD_ARGS_H
#define EXAMPLES_VECTOR_ADD_ARGS_H

#include <stdint.h>

struct add_args {
    uint64_t x, y, z; /* device memory: `count` floats each */
    uint32_t count;
};

#endif
