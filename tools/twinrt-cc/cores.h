/* SPDX-License-Identifier: Apache-2.0 */
/* Which cores kernels run on: as they declare it, or as their instructions say. */
#ifndef TWINRT_TOOLS_CC_CORES_H
#define TWINRT_TOOLS_CC_CORES_H

#include "unit.h"

/* What a kernel runs on. */
struct cc_placed {
    bool cube, vector;
    unsigned cubes, vectors; /* of a block, if both */
};

/* For kernel `i` of the host's pass. */
struct cc_sides {
    struct ir_kernel *kernel[PASSES]; /* in each pass; NULL: it is not there */
    struct cc_placed placed;
};

/* After all passes: finds the cores of kernels that do not declare them, and warns of those that
 * seem to be mixed. Returns 0, or -1 with a message. */
int cc_look_again(struct unit *unit);

/* Kernel `i` of the host's pass. Returns 0, or -1 with a message. */
int cc_match(const struct unit *unit, size_t i, struct cc_sides *out);

#endif
