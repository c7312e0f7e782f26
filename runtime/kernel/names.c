/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/names.h"

#include <stdbool.h>

#include "twinrt/kernel.h"

_Static_assert((int)TWK_OP_COUNT <= (int)NATIVE_OP_LOAD, "the vector unit's operations come first");

const char *twin_native_op_name(native_op op)
{
    static const char *const names[] = {
#define NATIVE_OP_TEXT(name, text) [NATIVE_OP_##name] = text,
        NATIVE_OP_LIST(NATIVE_OP_TEXT)
#undef NATIVE_OP_TEXT
    };
    const char *name = op >= NATIVE_OP_INSTRUCTION
                           ? twin_native_instruction_name(op - NATIVE_OP_INSTRUCTION)
                       : op < TWK_OP_COUNT    ? twin_native_vector_name(op)
                       : op < NATIVE_OP_NAMES ? names[op]
                                              : NULL;
    return name ? name : "an operation";
}

const native_words *twin_native_words(native_op op)
{
    static const native_words operations = {
        "twk_set_flag", "twk_wait_flag", "twk_cross_core_set_flag", "twk_cross_core_wait_flag",
        "twk_dcci",     "TWK_"};
    static const native_words instructions = {"set_flag",      "wait_flag", "ffts_cross_core_sync",
                                              "wait_flag_dev", "dcci",      "PIPE_"};
    const bool native = op < NATIVE_OP_INSTRUCTION && op != NATIVE_OP_POINTER_READ &&
                        op != NATIVE_OP_POINTER_WRITE; /* which only Ascend C has */
    return native ? &operations : &instructions;
}

const char *twin_native_pipe_name(uint32_t pipe)
{
    static const char *const names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return pipe < sizeof(names) / sizeof(names[0]) ? names[pipe] : "ALL";
}

const char *twin_native_buffer_name(uint32_t buffer)
{
    static const char *const names[] = {
        "UB", "L1", "L0A", "L0B", "L0C", "bias table", "fixpipe buffer", "sparse index buffer"};
    return buffer < sizeof(names) / sizeof(names[0]) ? names[buffer] : "no buffer";
}

const char *twin_native_type_name(uint32_t type)
{
    static const char *const names[] = {"INT8",   "INT16", "INT32", "UINT8", "UINT16",
                                        "UINT32", "FP16",  "FP32",  "BF16"};
    return type < sizeof(names) / sizeof(names[0]) ? names[type] : "no type";
}
