/* SPDX-License-Identifier: Apache-2.0 */
/* The decoders of instructions, one for each that the table calls built. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_DECODERS_H
#define TWINRT_KERNEL_INSTRUCTIONS_DECODERS_H

#include "kernel/core.h"
#include "twinrt/kernel_image.h"

/* What the instruction does, and its result, or 0. Its count and types are those of a form that is
 * built; values of arguments are as the kernel gave them. */
#define TWIN_DECODER(number, name)                                                                 \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction);
#include "instructions.inc"
#undef TWIN_DECODER

#endif
