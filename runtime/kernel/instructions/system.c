/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar unit's registers: where the core is, what it counts, how other instructions work. */
#include <string.h>

#include "kernel/cross_core.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/units.h"
#include "twinrt/kernel.h"

static native_registers *registers_of(native_core *core, const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_SCALAR, native_op_of(instruction));
    return &core->registers;
}

/* ---- where the core is ----------------------------------------------------------------------- */

#define TWIN_PLACE(name, value)                                                                    \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        (void)registers_of(core, instruction);                                                     \
        return value;                                                                              \
    }
TWIN_PLACE(get_block_idx, core->place.block)
TWIN_PLACE(get_block_num, core->place.blocks)
TWIN_PLACE(get_subblockid, core->place.vector)
TWIN_PLACE(get_subblockdim, core->place.vectors)
/* Code has no addresses on the model, and is there when it is needed. */
TWIN_PLACE(get_pc, 0)
TWIN_PLACE(get_icache_prl_st, 0)
#undef TWIN_PLACE

/* Its number in the launch: which core of the device it is, is not known while the kernel
 * computes. */
uint64_t twin_instruction_get_coreid(native_core *core, const twk_instruction *instruction)
{
    (void)registers_of(core, instruction);
    return (uint64_t)core->block->number * core->run->core_count + core->index;
}

/* Ticks of 50 MHz. Only the time of the scalar unit's own work is known while the kernel computes;
 * its clock is taken as 1.85 GHz. */
uint64_t twin_instruction_get_sys_cnt(native_core *core, const twk_instruction *instruction)
{
    enum { CYCLES_PER_TICK = 37 };
    (void)registers_of(core, instruction);
    return core->counted * core->run->call.core->scalar_block / CYCLES_PER_TICK;
}

/* ---- registers that are set and read --------------------------------------------------------- */

#define TWIN_SET(name, member)                                                                     \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        registers_of(core, instruction)->member = instruction->arguments[0];                       \
        return 0;                                                                                  \
    }
#define TWIN_GET(name, member)                                                                     \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return registers_of(core, instruction)->member;                                            \
    }
TWIN_SET(set_mov_pad_val, padding)
TWIN_SET(set_ffts_base_addr, ffts)
TWIN_GET(get_ffts_base_addr, ffts)
TWIN_SET(set_fmatrix, feature[0])
TWIN_SET(set_fmatrix_b, feature[1])
TWIN_SET(set_l1_3d_size, l1_boundary)
TWIN_SET(set_l3d_rpt, map_repeat)
TWIN_SET(set_padding, map_padding)
TWIN_SET(set_nd_para, nd)
TWIN_SET(set_quant_pre, quantize)
TWIN_GET(get_fpc, fixpipe)
TWIN_SET(set_lrelu_alpha, leak)
TWIN_SET(set_condition_flag, condition)
TWIN_GET(get_condition_flag, condition)
TWIN_SET(set_lpcnt, loops)
TWIN_GET(get_lpcnt, loops)
#undef TWIN_SET
#undef TWIN_GET

static uint64_t set_fill(native_core *core, const twk_instruction *instruction)
{
    registers_of(core, instruction)->fill = (uint32_t)instruction->arguments[0];
    return 0;
}
uint64_t twin_instruction_set_l0_set_value_h(native_core *core, const twk_instruction *instruction)
{
    return set_fill(core, instruction);
}
uint64_t twin_instruction_set_l0_set_value_bf16(native_core *core,
                                                const twk_instruction *instruction)
{
    return set_fill(core, instruction);
}
uint64_t twin_instruction_set_l0_set_value_ui(native_core *core, const twk_instruction *instruction)
{
    return set_fill(core, instruction);
}

/* Bit 63 empties all units of L0C. */
uint64_t twin_instruction_set_fpc(native_core *core, const twk_instruction *instruction)
{
    const uint64_t value = instruction->arguments[0];
    registers_of(core, instruction)->fixpipe = value & ~(UINT64_C(1) << 63);
    if (value >> 63)
        twin_native_units_reset(core);
    return 0;
}

/* ---- words of global memory past the data cache ---------------------------------------------- */

static uint64_t checked_offset(native_core *core, const twk_instruction *instruction,
                               uint32_t index)
{
    const uint64_t offset = instruction->arguments[index];
    if (offset != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "offset is %lld; it must be 0, as its unit is not documented",
                           (long long)offset);
    return instruction->arguments[index - 1];
}

static uint32_t word_size(uint32_t type)
{
    return type == TWK_INT64 || type == TWK_UINT64 ? 8 : native_size_of(type);
}

uint64_t twin_instruction_ld_dev(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)registers_of(core, instruction);
    const uint32_t type = instruction->types[0], size = word_size(type);
    const uint64_t address = checked_offset(core, instruction, 1);
    uint64_t value = 0;
    twin_native_word_read(core, op, size == 8 ? TWK_UINT32 : type, address, size, &value);
    return value;
}

/* Other blocks may see it, as they may what leaves the cache. */
uint64_t twin_instruction_st_dev(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)registers_of(core, instruction);
    const uint64_t address = checked_offset(core, instruction, 2);
    twin_native_word_write(core, op, address, word_size(instruction->types[0]),
                           &instruction->arguments[0]);
    twin_native_cache_clean_as(op, address, false);
    return 0;
}

/* ---- atomic stores --------------------------------------------------------------------------- */

/* The type of elements, or how: one field of CTRL. */
static uint64_t set_field(native_core *core, const twk_instruction *instruction, uint32_t at,
                          uint64_t mask, uint64_t value)
{
    native_registers *registers = registers_of(core, instruction);
    registers->ctrl = (registers->ctrl & ~(mask << at)) | (value & mask) << at;
    return 0;
}

#define TWIN_ATOMIC(name, at, mask, value)                                                         \
    uint64_t twin_instruction_##name(native_core *core, const twk_instruction *instruction)        \
    {                                                                                              \
        return set_field(core, instruction, at, mask, value);                                      \
    }
TWIN_ATOMIC(set_atomic_add, NATIVE_CTRL_ATOMIC_HOW, 3, 0)
TWIN_ATOMIC(set_atomic_max, NATIVE_CTRL_ATOMIC_HOW, 3, 1)
TWIN_ATOMIC(set_atomic_min, NATIVE_CTRL_ATOMIC_HOW, 3, 2)
TWIN_ATOMIC(set_atomic_none, NATIVE_CTRL_ATOMIC_TYPE, 0x1f, 0)
TWIN_ATOMIC(set_atomic_f32, NATIVE_CTRL_ATOMIC_TYPE, 7, 1)
TWIN_ATOMIC(set_atomic_f16, NATIVE_CTRL_ATOMIC_TYPE, 7, 2)
TWIN_ATOMIC(set_atomic_s16, NATIVE_CTRL_ATOMIC_TYPE, 7, 3)
TWIN_ATOMIC(set_atomic_s32, NATIVE_CTRL_ATOMIC_TYPE, 7, 4)
TWIN_ATOMIC(set_atomic_s8, NATIVE_CTRL_ATOMIC_TYPE, 7, 5)
TWIN_ATOMIC(set_atomic_bf16, NATIVE_CTRL_ATOMIC_TYPE, 7, 6)
#undef TWIN_ATOMIC

/* Of st_atomic alone: bits 0 to 2 the type, 3 and 4 how; or an argument each. */
uint64_t twin_instruction_set_st_atomic_cfg(native_core *core, const twk_instruction *instruction)
{
    const uint64_t value = instruction->count == 1
                               ? instruction->arguments[0]
                               : (instruction->arguments[0] & 7) | instruction->arguments[1] << 3;
    registers_of(core, instruction)->scalar_atomic = value & 0x1f;
    return 0;
}

uint64_t twin_instruction_get_st_atomic_cfg(native_core *core, const twk_instruction *instruction)
{
    return registers_of(core, instruction)->scalar_atomic;
}

/* A sum in global memory, past the data cache. */
uint64_t twin_instruction_st_atomic(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    const uint32_t config = registers_of(core, instruction)->scalar_atomic;
    const uint32_t type = instruction->types[0];
    const uint64_t address = instruction->arguments[1];
    if ((config & 7) == 0 || native_atomic_type_of(config) != type || config >> 3 != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "the configuration is %u; call set_st_atomic_cfg(ATOMIC_…, ATOMIC_SUM) "
                           "with the type of the value first",
                           config);
    twin_native_word_add(core, op, type, address, &instruction->arguments[0]);
    twin_native_cache_clean_as(op, address, false);
    return 0;
}

/* ---- ends ------------------------------------------------------------------------------------ */

uint64_t twin_instruction_trap(native_core *core, const twk_instruction *instruction)
{
    (void)registers_of(core, instruction);
    twin_native_fail(core, TWIN_NATIVE_TRAP, NULL, "trap");
}
