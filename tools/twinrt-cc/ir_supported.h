/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels call: where, and whether the runtime has it. */
#ifndef TWINRT_TOOLS_CC_IR_SUPPORTED_H
#define TWINRT_TOOLS_CC_IR_SUPPORTED_H

#include "ir_kernel.h"

/* "file:line" where the kernel first calls a function: `room` bytes at `out`; "" if it is not
 * known. */
void ir_place_of_call(struct ir_module *module, const struct ir_kernel *kernel,
                      const char *function, char *out, size_t room);

/* Reports each instruction that the kernel uses and the runtime does not have. Returns 0, or -1. */
int ir_check_supported(struct ir_module *module, struct ir_kernel *kernel);

#endif
