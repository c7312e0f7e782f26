/* SPDX-License-Identifier: Apache-2.0 */
/* What things are called in messages. */
#ifndef TWINRT_KERNEL_NAMES_H
#define TWINRT_KERNEL_NAMES_H

#include <stdint.h>

/* Number of an operation, in reports. */
typedef uint16_t native_op;
const char *twin_native_op_name(native_op op);

/* Operations of the vector unit have the numbers of TWK_OP_…; these come after them: X(name,
 * text). */
#define NATIVE_OP_LIST(X)                                                                          \
    X(LOAD, "twk_load")                                                                            \
    X(LOAD_L1, "twk_load_l1")                                                                      \
    X(LOAD_MATRIX, "twk_load_matrix")                                                              \
    X(STORE, "twk_store")                                                                          \
    X(STORE_ATOMIC, "twk_store_atomic")                                                            \
    X(MOVE, "twk_move")                                                                            \
    X(LOAD_A, "twk_load_a")                                                                        \
    X(LOAD_B, "twk_load_b")                                                                        \
    X(MMAD, "twk_mmad")                                                                            \
    X(STORE_RESULT, "twk_store_result")                                                            \
    X(KEEP_RESULT, "twk_keep_result")                                                              \
    X(MOVE_RESULT, "twk_move_result")                                                              \
    X(GET, "twk_get")                                                                              \
    X(PUT, "twk_put")                                                                              \
    X(GM_GET, "twk_gm_get")                                                                        \
    X(GM_PUT, "twk_gm_put")                                                                        \
    X(GM_WORD, "twk_gm_word")                                                                      \
    X(GM_SET_WORD, "twk_gm_set_word")                                                              \
    X(POINTER_READ, "a read through a pointer")                                                    \
    X(POINTER_WRITE, "a write through a pointer")                                                  \
    X(SET_FLAG, "twk_set_flag")                                                                    \
    X(WAIT_FLAG, "twk_wait_flag")                                                                  \
    X(BARRIER, "twk_barrier")                                                                      \
    X(CROSS_CORE_SET, "twk_cross_core_set_flag")                                                   \
    X(CROSS_CORE_WAIT, "twk_cross_core_wait_flag")                                                 \
    X(SYNC_ALL, "twk_sync_all")                                                                    \
    X(DCCI, "twk_dcci")                                                                            \
    X(PRINT, "twk_printf")                                                                         \
    X(STOP, "twk_stop")
enum {
    NATIVE_OP_VECTOR_LAST = 63,
#define NATIVE_OP_ENUM(name, text) NATIVE_OP_##name,
    NATIVE_OP_LIST(NATIVE_OP_ENUM)
#undef NATIVE_OP_ENUM
        NATIVE_OP_NAMES,
    NATIVE_OP_INSTRUCTION = 256 /* and the number of the instruction */
};

/* vector.c: of the vector unit. */
const char *twin_native_vector_name(native_op op);
/* instructions/instruct.c: as kernels write it. NULL: no such instruction. */
const char *twin_native_instruction_name(uint32_t number);
const char *twin_native_pipe_name(uint32_t pipe);
/* What puts pipes in order, as the author of the operation writes it. */
typedef struct native_words {
    const char *set, *wait; /* flags of a core; then those between cores */
    const char *cross_core_set, *cross_core_wait;
    const char *clean; /* of the data cache */
    const char *pipe;  /* before the name of a pipe */
} native_words;
const native_words *twin_native_words(native_op op);
const char *twin_native_buffer_name(uint32_t buffer);
const char *twin_native_type_name(uint32_t type);

#endif
