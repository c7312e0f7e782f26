/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel. */
#ifndef EXAMPLES_GRAPH_UPDATE_ARGS_H
#define EXAMPLES_GRAPH_UPDATE_ARGS_H

#include <stdint.h>

struct step_args {
    uint64_t sum, step; /* device memory: `count` floats each, at most 8192 */
    uint32_t count;
};

#endif
