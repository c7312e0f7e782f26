/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the kernels in core_cycles_kernels.c. */
#ifndef TWINRT_TESTS_SIM_CORE_CYCLES_H
#define TWINRT_TESTS_SIM_CORE_CYCLES_H

#include <stdint.h>

struct cycles_vector {
    uint32_t op, type, to; /* TWK_OP_…, twk_type */
    uint32_t dst, a, b;    /* offsets in UB */
    uint32_t count, rows;
};

enum cycles_what { CYCLES_LOAD_A, CYCLES_LOAD_B, CYCLES_PRODUCT, CYCLES_KEEP };
struct cycles_cube {
    uint32_t what, type;
    uint32_t m, n, k;
};

struct cycles_elements {
    uint32_t count, none;
};

#endif
