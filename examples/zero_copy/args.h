/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the kernel. */
#ifndef EXAMPLES_ZERO_COPY_ARGS_H
#define EXAMPLES_ZERO_COPY_ARGS_H

#include <stdint.h>

struct scale_args {
    uint64_t numbers; /* floats, read and written in place */
    uint32_t count;
    float factor;
};

#endif
