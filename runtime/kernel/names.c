/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/names.h"

#include "twinrt/kernel.h"

_Static_assert((int)TWK_OP_COUNT <= (int)NATIVE_OP_LOAD, "names of the vector unit come first");

static const char *const op_names[] = {
    [TWK_OP_ADD] = "twk_add",
    [TWK_OP_SUB] = "twk_sub",
    [TWK_OP_MUL] = "twk_mul",
    [TWK_OP_DIV] = "twk_div",
    [TWK_OP_MAX] = "twk_max",
    [TWK_OP_MIN] = "twk_min",
    [TWK_OP_AND] = "twk_and",
    [TWK_OP_OR] = "twk_or",
    [TWK_OP_XOR] = "twk_xor",
    [TWK_OP_ABS] = "twk_abs",
    [TWK_OP_EXP] = "twk_exp",
    [TWK_OP_LN] = "twk_ln",
    [TWK_OP_SQRT] = "twk_sqrt",
    [TWK_OP_RSQRT] = "twk_rsqrt",
    [TWK_OP_RECIPROCAL] = "twk_reciprocal",
    [TWK_OP_RELU] = "twk_relu",
    [TWK_OP_NOT] = "twk_not",
    [TWK_OP_ADDS] = "twk_adds",
    [TWK_OP_MULS] = "twk_muls",
    [TWK_OP_MAXS] = "twk_maxs",
    [TWK_OP_MINS] = "twk_mins",
    [TWK_OP_SHL] = "twk_shift_left",
    [TWK_OP_SHR] = "twk_shift_right",
    [TWK_OP_AXPY] = "twk_axpy",
    [TWK_OP_MULADD] = "twk_muladd",
    [TWK_OP_COMPARE] = "twk_compare",
    [TWK_OP_COMPARES] = "twk_compares",
    [TWK_OP_SELECT] = "twk_select",
    [TWK_OP_SELECTS] = "twk_selects",
    [TWK_OP_CAST] = "twk_cast",
    [TWK_OP_DUPLICATE] = "twk_duplicate",
    [TWK_OP_INDEX] = "twk_index",
    [TWK_OP_GATHER] = "twk_gather",
    [TWK_OP_REDUCE_SUM] = "twk_reduce_sum",
    [TWK_OP_REDUCE_MAX] = "twk_reduce_max",
    [TWK_OP_REDUCE_MIN] = "twk_reduce_min",
    [TWK_OP_ROW_ADD] = "twk_rows_add",
    [TWK_OP_ROW_SUB] = "twk_rows_sub",
    [TWK_OP_ROW_MUL] = "twk_rows_mul",
    [TWK_OP_ROW_DIV] = "twk_rows_div",
    [NATIVE_OP_LOAD] = "twk_load",
    [NATIVE_OP_LOAD_L1] = "twk_load_l1",
    [NATIVE_OP_LOAD_MATRIX] = "twk_load_matrix",
    [NATIVE_OP_STORE] = "twk_store",
    [NATIVE_OP_STORE_ATOMIC] = "twk_store_atomic",
    [NATIVE_OP_MOVE] = "twk_move",
    [NATIVE_OP_LOAD_A] = "twk_load_a",
    [NATIVE_OP_LOAD_B] = "twk_load_b",
    [NATIVE_OP_MMAD] = "twk_mmad",
    [NATIVE_OP_STORE_RESULT] = "twk_store_result",
    [NATIVE_OP_KEEP_RESULT] = "twk_keep_result",
    [NATIVE_OP_MOVE_RESULT] = "twk_move_result",
    [NATIVE_OP_GET] = "twk_get",
    [NATIVE_OP_PUT] = "twk_put",
    [NATIVE_OP_GM_GET] = "twk_gm_get",
    [NATIVE_OP_GM_PUT] = "twk_gm_put",
    [NATIVE_OP_GM_WORD] = "twk_gm_word",
    [NATIVE_OP_GM_SET_WORD] = "twk_gm_set_word",
    [NATIVE_OP_SET_FLAG] = "twk_set_flag",
    [NATIVE_OP_WAIT_FLAG] = "twk_wait_flag",
    [NATIVE_OP_BARRIER] = "twk_barrier",
    [NATIVE_OP_CROSS_CORE_SET] = "twk_cross_core_set_flag",
    [NATIVE_OP_CROSS_CORE_WAIT] = "twk_cross_core_wait_flag",
    [NATIVE_OP_PRINT] = "twk_printf",
    [NATIVE_OP_STOP] = "twk_stop",
};

const char *twin_native_op_name(native_op op)
{
    const char *name = op < NATIVE_OP_NAMES ? op_names[op] : NULL;
    return name ? name : "an operation";
}

const char *twin_native_pipe_name(uint32_t pipe)
{
    static const char *const names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return pipe < sizeof(names) / sizeof(names[0]) ? names[pipe] : "ALL";
}

const char *twin_native_buffer_name(uint32_t buffer)
{
    static const char *const names[] = {"UB", "L1", "L0A", "L0B", "L0C"};
    return buffer < sizeof(names) / sizeof(names[0]) ? names[buffer] : "no buffer";
}

const char *twin_native_type_name(uint32_t type)
{
    static const char *const names[] = {"INT8",   "INT16", "INT32", "UINT8", "UINT16",
                                        "UINT32", "FP16",  "FP32",  "BF16"};
    return type < sizeof(names) / sizeof(names[0]) ? names[type] : "no type";
}
