/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/launch.c launches: kernels that do nothing, without arguments and with some. */
#include <twinrt/kernel.h>

struct pointers {
    twk_gm x, y, z;
    uint32_t count;
};

TWK_VECTOR_KERNEL(empty, twk_none, args) {}
TWK_VECTOR_KERNEL(pointers, struct pointers, args) {}
