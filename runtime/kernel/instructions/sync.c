/* SPDX-License-Identifier: Apache-2.0 */
/* Order: flags between pipes and between cores, barriers, the data cache. */
#include "kernel/sync.h"

#include "kernel/cross_core.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "twinrt/kernel.h"

/* The core's pipe for a pipe_t; TWK_ALL: all of them. */
static uint32_t pipe_of(native_core *core, const twk_instruction *instruction, uint32_t index)
{
    enum { NONE = 0xff };
    static const uint8_t pipes[] = {
        TWIN_PIPE_SCALAR, TWIN_PIPE_VECTOR, TWIN_PIPE_CUBE, TWIN_PIPE_MTE1, TWIN_PIPE_MTE2,
        TWIN_PIPE_MTE3,   TWK_ALL,          NONE,           NONE,           NONE,
        TWIN_PIPE_FIX};
    const uint64_t value = instruction->arguments[index];
    const uint32_t pipe = value < sizeof(pipes) ? pipes[value] : NONE;
    if (__builtin_expect(pipe == NONE, 0)) {
        core->op = native_op_of(instruction);
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "this core has no pipe %llu",
                           (unsigned long long)value);
    }
    return pipe;
}

static uint32_t one_pipe(native_core *core, const twk_instruction *instruction, uint32_t index)
{
    const uint32_t pipe = pipe_of(core, instruction, index);
    if (__builtin_expect(pipe == TWK_ALL, 0)) {
        core->op = native_op_of(instruction);
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "PIPE_ALL is not one pipe");
    }
    return pipe;
}

static uint32_t cut(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

uint64_t twin_instruction_set_flag(native_core *core, const twk_instruction *instruction)
{
    twin_native_flag_set(native_op_of(instruction), one_pipe(core, instruction, 0),
                         one_pipe(core, instruction, 1), cut(instruction->arguments[2]));
    return 0;
}

uint64_t twin_instruction_wait_flag(native_core *core, const twk_instruction *instruction)
{
    twin_native_flag_wait(native_op_of(instruction), one_pipe(core, instruction, 0),
                          one_pipe(core, instruction, 1), cut(instruction->arguments[2]));
    return 0;
}

uint64_t twin_instruction_pipe_barrier(native_core *core, const twk_instruction *instruction)
{
    twin_native_pipe_barrier(native_op_of(instruction), pipe_of(core, instruction, 0));
    return 0;
}

/* What the scalar unit wrote is in order for other units anyway; its cache is another matter. */
uint64_t twin_instruction_dsb(native_core *core, const twk_instruction *instruction)
{
    (void)core;
    (void)twin_native_operation(TWIN_PIPE_SCALAR, native_op_of(instruction));
    return 0;
}

/* Bits 4 and 5 are the mode, bits 8 to 11 the flag. */
uint64_t twin_instruction_ffts_cross_core_sync(native_core *core,
                                               const twk_instruction *instruction)
{
    const uint64_t config = instruction->arguments[1];
    twin_native_cross_core_set_as(native_op_of(instruction), config >> 4 & 3,
                                  one_pipe(core, instruction, 0), config >> 8 & 15);
    return 0;
}

uint64_t twin_instruction_wait_flag_dev(native_core *core, const twk_instruction *instruction)
{
    (void)core;
    twin_native_cross_core_wait_as(native_op_of(instruction), TWIN_PIPE_SCALAR,
                                   cut(instruction->arguments[0]));
    return 0;
}

/* ---- caches ---------------------------------------------------------------------------------- */

/* Of global memory: cleans, and what is read later is read anew. */
uint64_t twin_instruction_dcci(native_core *core, const twk_instruction *instruction)
{
    (void)core;
    twin_native_cache_clean_as(native_op_of(instruction), instruction->arguments[0],
                               instruction->arguments[1] != 0);
    return 0;
}

static uint64_t hint(const twk_instruction *instruction)
{
    (void)twin_native_operation(TWIN_PIPE_SCALAR, native_op_of(instruction));
    return 0;
}

/* Hints: nothing depends on them but time, which the model does not take from them. */
uint64_t twin_instruction_dc_preload(native_core *core, const twk_instruction *instruction)
{
    (void)core;
    return hint(instruction);
}
uint64_t twin_instruction_preload(native_core *core, const twk_instruction *instruction)
{
    (void)core;
    return hint(instruction);
}
