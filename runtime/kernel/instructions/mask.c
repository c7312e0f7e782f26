/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the vector unit that the scalar unit sets and reads: masks, modes. */
#include "kernel/access.h"
#include "kernel/instructions/decoders.h"
#include "twinrt/kernel.h"

/* The scalar unit, before it sets or reads a register. */
static native_registers *registers(native_core *core, const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_SCALAR,
                                (native_op)(NATIVE_OP_INSTRUCTION + instruction->number));
    return &core->registers;
}

uint64_t twin_instruction_get_ctrl(native_core *core, const twk_instruction *instruction)
{
    return registers(core, instruction)->ctrl;
}

uint64_t twin_instruction_set_ctrl(native_core *core, const twk_instruction *instruction)
{
    const uint64_t value = instruction->arguments[0];
    native_registers *of = registers(core, instruction);
    if (value & ~NATIVE_CTRL_BITS)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "bit %d of CTRL is not supported, it must be 0; bits 6 to 10, 46 to 48, "
                           "51, 56 and 59 are",
                           __builtin_ctzll(value & ~NATIVE_CTRL_BITS));
    of->ctrl = value;
    return 0;
}

uint64_t twin_instruction_set_mask_count(native_core *core, const twk_instruction *instruction)
{
    registers(core, instruction)->ctrl |= NATIVE_CTRL_COUNT;
    return 0;
}

uint64_t twin_instruction_set_mask_norm(native_core *core, const twk_instruction *instruction)
{
    registers(core, instruction)->ctrl &= ~NATIVE_CTRL_COUNT;
    return 0;
}

uint64_t twin_instruction_set_vector_mask(native_core *core, const twk_instruction *instruction)
{
    native_registers *of = registers(core, instruction);
    of->mask[1] = instruction->arguments[0];
    of->mask[0] = instruction->arguments[1];
    return 0;
}
