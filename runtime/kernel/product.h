/* SPDX-License-Identifier: Apache-2.0 */
/* What twk_mmad computes. */
#ifndef TWINRT_KERNEL_PRODUCT_H
#define TWINRT_KERNEL_PRODUCT_H

#include "kernel/core.h"
#include "twinrt/kernel.h"

/* A type of operands beside those of twk_type: INT4, two in a byte, the lower bits first. */
#define NATIVE_INT4 0xf4u

/* How operands become FP32. */
typedef enum native_cut {
    NATIVE_CUT_NONE,
    NATIVE_CUT_EVEN, /* to 11 bits of mantissa, to the nearest, of two to the even one */
    NATIVE_CUT_ZERO  /* the same, of two the smaller */
} native_cut;

/* Operands in L0A and L0B, and where in L0C their product goes. */
typedef struct native_factors {
    const unsigned char *a, *b;
    unsigned char *c;
    uint32_t per_unit; /* elements in 32 bytes */
    uint64_t a_units;  /* fractals from one row of fractals of A to the next; 0: A is a vector, k
                          elements side by side */
    native_cut cut;
} native_factors;

/* Elements of an operand at most: there is scratch for two of them. */
size_t twin_native_factor_room(const native_core *core);
void twin_native_product(native_core *core, const twk_product *product,
                         const native_factors *factors);

#endif
