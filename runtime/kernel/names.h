/* SPDX-License-Identifier: Apache-2.0 */
/* What things are called in messages. */
#ifndef TWINRT_KERNEL_NAMES_H
#define TWINRT_KERNEL_NAMES_H

#include <stdint.h>

/* Number of an operation, in reports. Kept in bytes. */
typedef uint8_t native_op;
const char *twin_native_op_name(native_op op);

/* Operations of the vector unit have the numbers of TWK_OP_…; these come behind them. */
enum {
    NATIVE_OP_LOAD = 64,
    NATIVE_OP_LOAD_L1,
    NATIVE_OP_LOAD_MATRIX,
    NATIVE_OP_STORE,
    NATIVE_OP_STORE_ATOMIC,
    NATIVE_OP_MOVE,
    NATIVE_OP_LOAD_A,
    NATIVE_OP_LOAD_B,
    NATIVE_OP_MMAD,
    NATIVE_OP_STORE_RESULT,
    NATIVE_OP_KEEP_RESULT,
    NATIVE_OP_MOVE_RESULT,
    NATIVE_OP_GET,
    NATIVE_OP_PUT,
    NATIVE_OP_GM_GET,
    NATIVE_OP_GM_PUT,
    NATIVE_OP_GM_WORD,
    NATIVE_OP_GM_SET_WORD,
    NATIVE_OP_SET_FLAG,
    NATIVE_OP_WAIT_FLAG,
    NATIVE_OP_BARRIER,
    NATIVE_OP_CROSS_CORE_SET,
    NATIVE_OP_CROSS_CORE_WAIT,
    NATIVE_OP_PRINT,
    NATIVE_OP_STOP,
    NATIVE_OP_NAMES
};

const char *twin_native_pipe_name(uint32_t pipe);
const char *twin_native_buffer_name(uint32_t buffer);
const char *twin_native_type_name(uint32_t type);

#endif
