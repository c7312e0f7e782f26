/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of instructions: values outside of their documented range fail the kernel, with a text
 * that names the argument. */
#ifndef TWINRT_KERNEL_INSTRUCTIONS_ARGUMENT_H
#define TWINRT_KERNEL_INSTRUCTIONS_ARGUMENT_H

#include "kernel/access.h"
#include "twinrt/kernel_image.h"

static inline native_op native_op_of(const twk_instruction *instruction)
{
    return (native_op)(NATIVE_OP_INSTRUCTION + instruction->number);
}

void twin_native_bad_argument(native_core *core, const char *name, uint64_t value, uint64_t least,
                              uint64_t most) __attribute__((cold, noreturn));

/* An unsigned argument. `core` is ready for the operation of the instruction. */
static inline uint64_t native_argument(native_core *core, const twk_instruction *instruction,
                                       uint32_t index, const char *name, uint64_t most)
{
    const uint64_t value = instruction->arguments[index];
    if (__builtin_expect(value > most, 0))
        twin_native_bad_argument(core, name, value, 0, most);
    return value;
}

static inline uint32_t native_argument16(native_core *core, const twk_instruction *instruction,
                                         uint32_t index, const char *name)
{
    return (uint32_t)native_argument(core, instruction, index, name, UINT16_MAX);
}

static inline bool native_argument_bool(const twk_instruction *instruction, uint32_t index)
{
    return (instruction->arguments[index] & 1) != 0;
}

/* An address in a buffer: no sum of it and what follows wraps. */
static inline uint32_t native_argument_local(native_core *core, const twk_instruction *instruction,
                                             uint32_t index, uint32_t buffer)
{
    const uint64_t address = instruction->arguments[index];
    if (__builtin_expect(address > core->size[buffer], 0))
        (void)twin_native_local(core, buffer, address, 1, 1);
    return (uint32_t)address;
}

#endif
