/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between global memory and buffers, and inside UB. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define UNIT 32u /* of offsets in UB and L1 */

typedef struct way {
    uint8_t pipe, buffer;
    native_op op;
} way;

static const way ways[] = {
    [TWK_WAY_GM_TO_UB] = {TWIN_PIPE_MTE2, TWK_UB, NATIVE_OP_LOAD},
    [TWK_WAY_UB_TO_GM] = {TWIN_PIPE_MTE3, TWK_UB, NATIVE_OP_STORE},
    [TWK_WAY_GM_TO_L1] = {TWIN_PIPE_MTE2, TWK_L1, NATIVE_OP_LOAD_L1},
    [TWK_WAY_UB_TO_UB] = {TWIN_PIPE_VECTOR, TWK_UB, NATIVE_OP_MOVE},
    [TWK_WAY_MATRIX_TO_L1] = {TWIN_PIPE_MTE2, TWK_L1, NATIVE_OP_LOAD_MATRIX},
};

static void NATIVE_COLD bad_rows(native_core *core, const twk_copy *copy, uint64_t wide)
{
    twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                       "%u rows of %u bytes, %llu in the buffer; their pitches are %llu in global "
                       "memory and %u in the buffer, and must be as much or more, in the buffer a "
                       "multiple of %u",
                       copy->rows, copy->bytes, (unsigned long long)wide,
                       (unsigned long long)copy->gm_pitch, copy->local_pitch, UNIT);
}

/* Bytes of a row in the buffer. */
static uint64_t check_rows(native_core *core, const twk_copy *copy)
{
    const uint64_t size = copy->left || copy->right ? twin_native_check_type(core, copy->type) : 1;
    const uint64_t wide = copy->bytes + ((uint64_t)copy->left + copy->right) * size;
    if (copy->rows > 1 &&
        (copy->gm_pitch < copy->bytes || copy->local_pitch < wide || copy->local_pitch % UNIT != 0))
        bad_rows(core, copy, wide);
    return wide;
}

/* The last row is in the buffer: then there are not many. */
static void check_last(native_core *core, const twk_copy *copy, uint32_t buffer, uint64_t wide)
{
    const uint64_t last = (uint64_t)(copy->rows - 1) * copy->local_pitch;
    (void)twin_native_local(core, buffer, copy->local + last, wide, UNIT);
}

static native_rows rows_of(const twk_copy *copy)
{
    return (native_rows){.address = copy->gm,
                         .pitch = copy->gm_pitch,
                         .rows = copy->rows,
                         .bytes = copy->bytes,
                         .bits = (copy->once ? TWIN_STEP_ONCE : 0) |
                                 (copy->atomic ? TWIN_STEP_ATOMIC : 0)};
}

static void load(native_core *core, native_op op, const twk_copy *copy, uint32_t buffer)
{
    const uint64_t wide = check_rows(core, copy);
    const uint32_t size = native_size_of(copy->type);
    uint32_t element = 0;
    if (wide > copy->bytes)
        twin_native_given(core, copy->type, &element, copy->fill);
    check_last(core, copy, buffer, wide);
    twin_native_check_global(core, op, copy->gm, copy->gm_pitch, copy->rows, copy->bytes, false);
    for (uint32_t row = 0; row < copy->rows; row++) {
        const uint64_t at = copy->local + (uint64_t)row * copy->local_pitch;
        unsigned char *local = twin_native_target(core, buffer, TWIN_PIPE_MTE2, op, at, wide, UNIT);
        if (copy->left && native_computes(core))
            twin_native_repeat(local, copy->left, size, &element);
        local += (size_t)copy->left * size;
        twin_native_global_read(core, TWIN_PIPE_MTE2, op, copy->gm + row * copy->gm_pitch,
                                copy->bytes, local);
        if (copy->right && native_computes(core))
            twin_native_repeat(local + copy->bytes, copy->right, size, &element);
    }
    twin_native_step(core, TWIN_PIPE_MTE2, TWIN_STEP_WORK, 0, core->run->call.core->mte_start);
    const native_rows rows = rows_of(copy);
    twin_native_global_step(core, TWIN_PIPE_MTE2, TWIN_STEP_READ, &rows);
}

static void check_atomic(native_core *core, native_op op, const twk_copy *copy)
{
    const uint32_t size = twin_native_check_type(core, copy->type);
    if (copy->type == TWK_UINT8 || copy->type == TWK_UINT16 || copy->type == TWK_UINT32)
        twin_native_bad_type(core, copy->type);
    if (copy->atomic > TWK_ATOMIC_MIN || copy->bytes % size != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "operation %u with %u bytes, elements have %u", copy->atomic,
                           copy->bytes, size);
    if (copy->gm % size != 0)
        twin_native_fail(core, TWIN_NATIVE_ALIGNMENT, &copy->gm,
                         "%s: global address 0x%llx is not a multiple of %u",
                         twin_native_op_name(op), (unsigned long long)copy->gm, size);
}

static void store(native_core *core, native_op op, const twk_copy *copy)
{
    check_last(core, copy, TWK_UB, check_rows(core, copy));
    if (copy->atomic)
        check_atomic(core, op, copy);
    twin_native_check_global(core, op, copy->gm, copy->gm_pitch, copy->rows, copy->bytes, true);
    for (uint32_t row = 0; row < copy->rows; row++)
        (void)twin_native_source(core, TWK_UB, TWIN_PIPE_MTE3, op,
                                 copy->local + (uint64_t)row * copy->local_pitch, copy->bytes,
                                 UNIT);
    const native_write write = {.address = copy->gm,
                                .pitch = copy->gm_pitch,
                                .rows = copy->rows,
                                .bytes = copy->bytes,
                                .atomic = copy->atomic,
                                .type = copy->type};
    unsigned char *data = twin_native_global_write(core, TWIN_PIPE_MTE3, op, &write);
    const unsigned char *local = core->buffer[TWK_UB] + copy->local;
    for (uint32_t row = 0; row < copy->rows && native_computes(core); row++)
        memcpy(data + (size_t)row * copy->bytes, local + (size_t)row * copy->local_pitch,
               copy->bytes);
    twin_native_step(core, TWIN_PIPE_MTE3, TWIN_STEP_WORK, 0, core->run->call.core->mte_start);
    const native_rows rows = rows_of(copy);
    twin_native_global_step(core, TWIN_PIPE_MTE3, TWIN_STEP_WRITE, &rows);
}

static void move(native_core *core, native_op op, const twk_copy *copy)
{
    const uint64_t a = copy->local, b = copy->other;
    const unsigned char *from =
        twin_native_source(core, TWK_UB, TWIN_PIPE_VECTOR, op, b, copy->bytes, UNIT);
    unsigned char *to =
        twin_native_target(core, TWK_UB, TWIN_PIPE_VECTOR, op, a, copy->bytes, UNIT);
    if (a < b + copy->bytes && b < a + copy->bytes)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "%u bytes at %u and %u overlap",
                           copy->bytes, copy->local, copy->other);
    if (native_computes(core))
        memcpy(to, from, copy->bytes);
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0,
                     properties->vector_start +
                         native_divide_up(copy->bytes, properties->vector_bytes));
}

static void read_matrix(native_core *core, native_op op, const twk_copy *copy, unsigned char *to)
{
    const uint64_t high = native_round_up(copy->rows, 16);
    const uint64_t columns = native_divide_up(copy->bytes, UNIT);
    unsigned char *row_data = twin_native_scratch(core);
    memset(row_data, 0, columns * UNIT);
    for (uint64_t row = 0; row < high; row++) {
        if (row < copy->rows)
            twin_native_global_read(core, TWIN_PIPE_MTE2, op, copy->gm + row * copy->gm_pitch,
                                    copy->bytes, row_data);
        else
            memset(row_data, 0, columns * UNIT);
        for (uint64_t column = 0; column < columns; column++)
            memcpy(to + (column * high + row) * UNIT, row_data + column * UNIT, UNIT);
    }
}

/* Its place among the writes of the block, for a kernel that is only timed. */
static void touch_matrix(native_core *core, native_op op, const twk_copy *copy)
{
    const uint64_t span = (copy->rows - 1) * copy->gm_pitch + copy->bytes;
    if (!twin_native_overlay_near(&core->run->memory, &core->block->writes, copy->gm, span))
        return;
    for (uint32_t row = 0; row < copy->rows; row++)
        twin_native_global_read(core, TWIN_PIPE_MTE2, op, copy->gm + row * copy->gm_pitch,
                                copy->bytes, NULL);
}

/* Rows become columns of fractals: 16 rows of 32 bytes each, one column of them after the other. */
static void load_matrix(native_core *core, native_op op, const twk_copy *copy)
{
    const uint32_t size = twin_native_check_type(core, copy->type);
    const uint64_t high = native_round_up(copy->rows, 16);
    const uint64_t columns = native_divide_up(copy->bytes, UNIT);
    if (copy->rows > 65535 || copy->bytes % size != 0 ||
        (copy->rows > 1 && copy->gm_pitch < copy->bytes))
        bad_rows(core, copy, copy->bytes);
    twin_native_check_global(core, op, copy->gm, copy->gm_pitch, copy->rows, copy->bytes, false);
    unsigned char *to = twin_native_target(core, TWK_L1, TWIN_PIPE_MTE2, op, copy->local,
                                           high * columns * UNIT, UNIT);
    const uint64_t room = twin_native_scratch_bytes(core);
    if (columns * UNIT > room)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION, "rows of %u bytes; the maximum is %llu",
                           copy->bytes, (unsigned long long)room);
    if (native_computes(core))
        read_matrix(core, op, copy, to);
    else
        touch_matrix(core, op, copy);
    twin_native_step(core, TWIN_PIPE_MTE2, TWIN_STEP_WORK, 0, core->run->call.core->mte_start);
    const native_rows rows = rows_of(copy);
    twin_native_global_step(core, TWIN_PIPE_MTE2, TWIN_STEP_READ, &rows);
}

void twin_native_copy_rows(native_core *core, native_op op, const twk_copy *copy)
{
    const way *one = &ways[copy->way];
    if (copy->rows == 0 || copy->bytes == 0)
        return;
    if (copy->way == TWK_WAY_UB_TO_GM)
        store(core, op, copy);
    else if (copy->way == TWK_WAY_UB_TO_UB)
        move(core, op, copy);
    else if (copy->way == TWK_WAY_MATRIX_TO_L1)
        load_matrix(core, op, copy);
    else
        load(core, op, copy, one->buffer);
}

void twin_native_copy(const twk_copy *copy)
{
    const way *one = &ways[copy->way <= TWK_WAY_MATRIX_TO_L1 ? copy->way : 0];
    const native_op op =
        copy->way == TWK_WAY_UB_TO_GM && copy->atomic ? NATIVE_OP_STORE_ATOMIC : one->op;
    native_core *core = twin_native_operation(one->pipe, op);
    if (copy->way > TWK_WAY_MATRIX_TO_L1)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL, "copy %u is invalid", copy->way);
    twin_native_copy_rows(core, op, copy);
}
