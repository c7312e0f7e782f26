/* SPDX-License-Identifier: Apache-2.0 */
/* What twk_mmad computes. */
#ifndef TWINRT_KERNEL_PRODUCT_H
#define TWINRT_KERNEL_PRODUCT_H

#include "kernel/core.h"
#include "twinrt/kernel.h"

/* The product of operands in L0A and L0B goes to L0C. per_unit: elements in 32 bytes. scratch: two
 * times `room` floats, each as many as either operand has elements. */
void twin_native_product(native_core *core, const twk_product *product, uint32_t per_unit,
                         const unsigned char *a, const unsigned char *b, unsigned char *c,
                         float *scratch, size_t room);

#endif
