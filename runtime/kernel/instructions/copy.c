/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of bursts: between global memory, UB and L1. A burst is `burst_length` bytes or blocks,
 * and gaps are from the end of one to the beginning of the next. */
#include <string.h>

#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/strips.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define BLOCK       32u      /* bytes: unit of gaps in buffers, and of aligned copies in all */
#define BURSTS_MOST 4095u    /* of a copy */
#define BYTES_MOST  2097151u /* of a burst that is not counted in blocks */

/* Where the arguments of all these are. */
enum { DST, SRC, SID, BURST_COUNT, BURST_LENGTH };

/* One burst, where they follow on each other. */
static twk_copy joined(twk_copy copy)
{
    const uint64_t bytes = (uint64_t)copy.rows * copy.bytes;
    if (copy.gm_pitch != copy.bytes || copy.local_pitch != copy.bytes || bytes > UINT32_MAX)
        return copy;
    copy.rows = copy.rows > 0;
    copy.bytes = (uint32_t)bytes;
    return copy;
}

/* Global memory is at argument `gm`, the buffer at the other one. */
static twk_copy blocks(native_core *core, const twk_instruction *instruction, uint8_t way,
                       uint32_t gm, uint32_t buffer)
{
    const uint32_t local_gap = gm == SRC ? 6 : 5, gm_gap = gm == SRC ? 5 : 6;
    const uint32_t bytes =
        native_argument16(core, instruction, BURST_LENGTH, "burst_length") * BLOCK;
    return (twk_copy){
        .way = way,
        .local = native_argument_local(core, instruction, gm == SRC ? DST : SRC, buffer),
        .gm = instruction->arguments[gm],
        .rows =
            (uint32_t)native_argument(core, instruction, BURST_COUNT, "burst_count", BURSTS_MOST),
        .bytes = bytes,
        .gm_pitch = bytes + (uint64_t)BLOCK * native_argument16(core, instruction, gm_gap,
                                                                gm == SRC ? "src_gap" : "dst_gap"),
        .local_pitch = bytes + BLOCK * native_argument16(core, instruction, local_gap,
                                                         gm == SRC ? "dst_gap" : "src_gap")};
}

/* What CTRL says of stores. */
static void set_atomic(const native_core *core, twk_copy *copy)
{
    copy->atomic = (uint8_t)native_atomic(&core->registers);
    copy->type = (uint8_t)native_atomic_type(&core->registers);
}

uint64_t twin_instruction_copy_gm_to_ubuf(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE2, op);
    const twk_copy copy = joined(blocks(core, instruction, TWK_WAY_GM_TO_UB, SRC, TWK_UB));
    twin_native_copy_rows(core, op, &copy);
    return 0;
}

uint64_t twin_instruction_copy_ubuf_to_gm(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE3, op);
    twk_copy copy = joined(blocks(core, instruction, TWK_WAY_UB_TO_GM, DST, TWK_UB));
    set_atomic(core, &copy);
    twin_native_copy_rows(core, op, &copy);
    return 0;
}

uint64_t twin_instruction_copy_gm_to_cbuf(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE2, op);
    if (instruction->arguments[7] != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "padding is %llu; the model has PAD_NONE (0) alone",
                           (unsigned long long)instruction->arguments[7]);
    const twk_copy copy = joined(blocks(core, instruction, TWK_WAY_GM_TO_L1, SRC, TWK_L1));
    twin_native_copy_rows(core, op, &copy);
    return 0;
}

uint64_t twin_instruction_copy_cbuf_to_gm(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE3, op);
    const twk_copy copy = joined(blocks(core, instruction, TWK_WAY_UB_TO_GM, DST, TWK_L1));
    if (native_atomic(&core->registers) != TWK_ATOMIC_NONE)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "atomic stores are from UB and L0C; set_atomic_none comes first");
    if (copy.rows == 0 || copy.bytes == 0)
        return 0;
    const native_rows rows = {
        .address = copy.gm, .pitch = copy.gm_pitch, .rows = copy.rows, .bytes = copy.bytes};
    const native_write write = {
        .address = copy.gm, .pitch = copy.gm_pitch, .rows = copy.rows, .bytes = copy.bytes};
    twin_native_check_global(core, op, copy.gm, copy.gm_pitch, copy.rows, copy.bytes, true);
    const unsigned char *from = twin_native_read_pieces(
        core, TWK_L1, TWIN_PIPE_MTE3, op,
        &(native_pieces){copy.local, copy.bytes, copy.local_pitch, copy.rows, BLOCK});
    unsigned char *to = twin_native_global_write(core, TWIN_PIPE_MTE3, op, &write);
    for (uint32_t row = 0; row < copy.rows && native_computes(core); row++)
        memcpy(to + (size_t)row * copy.bytes, from + (size_t)row * copy.local_pitch, copy.bytes);
    twin_native_step(core, TWIN_PIPE_MTE3, TWIN_STEP_WORK, 0, core->run->call.core->mte_start);
    twin_native_global_step(core, TWIN_PIPE_MTE3, TWIN_STEP_WRITE, &rows);
    return 0;
}

/* ---- inside UB ------------------------------------------------------------------------------- */

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

uint64_t twin_instruction_copy_ubuf_to_ubuf(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_VECTOR, op);
    const uint64_t to = native_argument_local(core, instruction, DST, TWK_UB);
    const uint64_t from = native_argument_local(core, instruction, SRC, TWK_UB);
    uint64_t rows = native_argument(core, instruction, BURST_COUNT, "burst_count", BURSTS_MOST);
    uint64_t bytes =
        (uint64_t)BLOCK * native_argument16(core, instruction, BURST_LENGTH, "burst_length");
    const uint64_t from_pitch =
        bytes + (uint64_t)BLOCK * native_argument16(core, instruction, 5, "src_gap");
    const uint64_t to_pitch =
        bytes + (uint64_t)BLOCK * native_argument16(core, instruction, 6, "dst_gap");
    if (rows == 0 || bytes == 0)
        return 0;
    const uint64_t all = rows * bytes;
    if (from_pitch == bytes && to_pitch == bytes) {
        rows = 1;
        bytes = all;
    }
    const uint64_t from_bytes = (rows - 1) * from_pitch + bytes;
    const uint64_t to_bytes = (rows - 1) * to_pitch + bytes;
    (void)twin_native_local(core, TWK_UB, from, from_bytes, BLOCK);
    (void)twin_native_local(core, TWK_UB, to, to_bytes, BLOCK);
    /* Each byte onto itself is what reused tiles come to. */
    const bool itself = from == to && from_pitch == to_pitch;
    if (!itself && overlap(from, from_bytes, to, to_bytes))
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "bytes %llu to %llu of UB go to %llu to %llu, which overlap",
                           (unsigned long long)from, (unsigned long long)(from + from_bytes - 1),
                           (unsigned long long)to, (unsigned long long)(to + to_bytes - 1));
    for (uint64_t row = 0; row < rows; row++) {
        const unsigned char *source = twin_native_source(core, TWK_UB, TWIN_PIPE_VECTOR, op,
                                                         from + row * from_pitch, bytes, BLOCK);
        unsigned char *target = twin_native_target(core, TWK_UB, TWIN_PIPE_VECTOR, op,
                                                   to + row * to_pitch, bytes, BLOCK);
        if (native_computes(core) && !itself)
            memcpy(target, source, bytes);
    }
    const twin_core_properties *properties = core->run->call.core;
    twin_native_step(core, TWIN_PIPE_VECTOR, TWIN_STEP_WORK, 0,
                     properties->vector_start + native_divide_up(all, properties->vector_bytes));
    return 0;
}

/* ---- bursts of any length -------------------------------------------------------------------- */

static const uint8_t types_of_size[] = {[1] = TWK_UINT8, [2] = TWK_UINT16, [4] = TWK_UINT32};

/* In UB each burst begins a block. */
static twk_copy bytes_of(native_core *core, const twk_instruction *instruction, uint8_t way,
                         uint32_t gm, uint32_t padding)
{
    const uint32_t local_gap = gm == SRC ? 8 : 7, gm_gap = gm == SRC ? 7 : 8;
    const uint32_t bytes =
        (uint32_t)native_argument(core, instruction, BURST_LENGTH, "burst_length", BYTES_MOST);
    const uint64_t wide = native_round_up((uint64_t)bytes + padding, BLOCK);
    /* What is larger is not in UB. */
    const uint64_t gap = native_argument(core, instruction, local_gap,
                                         gm == SRC ? "dst_gap" : "src_gap", core->size[TWK_UB]);
    return (twk_copy){
        .way = way,
        .local = native_argument_local(core, instruction, gm == SRC ? DST : SRC, TWK_UB),
        .gm = instruction->arguments[gm],
        .rows =
            (uint32_t)native_argument(core, instruction, BURST_COUNT, "burst_count", BURSTS_MOST),
        .bytes = bytes,
        .gm_pitch = bytes + native_argument(core, instruction, gm_gap,
                                            gm == SRC ? "src_gap" : "dst_gap", UINT32_MAX),
        .local_pitch = (uint32_t)(wide + gap * BLOCK)};
}

/* What fills up the last block of each burst where no padding is requested: its first element, as
 * the manual of DataCopyPad has it. */
static void fill_up(native_core *core, native_op op, const twk_copy *copy, uint32_t size)
{
    const uint32_t rest = (uint32_t)(native_round_up(copy->bytes, BLOCK) - copy->bytes);
    for (uint32_t row = 0; row < copy->rows && rest > 0; row++) {
        const uint64_t at = copy->local + (uint64_t)row * copy->local_pitch;
        unsigned char *to =
            twin_native_target(core, TWK_UB, TWIN_PIPE_MTE2, op, at + copy->bytes, rest, 1);
        const unsigned char *first = core->buffer[TWK_UB] + at;
        for (uint32_t i = 0; i < rest && native_computes(core); i++)
            to[i] = first[(copy->bytes + i) % size];
    }
}

static uint64_t load_bytes(native_core *core, const twk_instruction *instruction, uint32_t size)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE2, op);
    const uint32_t left =
        (uint32_t)native_argument(core, instruction, 5, "left_padding", BLOCK / size);
    const uint32_t right =
        (uint32_t)native_argument(core, instruction, 6, "right_padding", BLOCK / size);
    twk_copy copy = bytes_of(core, instruction, TWK_WAY_GM_TO_UB, SRC, (left + right) * size);
    const bool padded = left > 0 || right > 0;
    if (padded && copy.bytes % size != 0)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "burst_length is %u; with padding it must be a multiple of %u",
                           copy.bytes, size);
    if (padded) {
        const uint32_t used = copy.bytes + (left + right) * size;
        const uint32_t rest = (uint32_t)(native_round_up(used, BLOCK) - used);
        const uint64_t value = core->registers.padding & (UINT64_MAX >> (64 - size * 8));
        copy.type = types_of_size[size];
        copy.left = left;
        copy.right = right + rest / size;
        copy.fill = (double)value;
    } else {
        copy = joined(copy);
    }
    twin_native_copy_rows(core, op, &copy);
    if (!padded && copy.bytes > 0)
        fill_up(core, op, &copy, size);
    return 0;
}

/* The arguments for padding have no meaning. */
static uint64_t store_bytes(native_core *core, const twk_instruction *instruction)
{
    const native_op op = native_op_of(instruction);
    (void)twin_native_operation(TWIN_PIPE_MTE3, op);
    twk_copy copy = joined(bytes_of(core, instruction, TWK_WAY_UB_TO_GM, DST, 0));
    set_atomic(core, &copy);
    twin_native_copy_rows(core, op, &copy);
    return 0;
}

uint64_t twin_instruction_copy_gm_to_ubuf_align_b8(native_core *core,
                                                   const twk_instruction *instruction)
{
    return load_bytes(core, instruction, 1);
}
uint64_t twin_instruction_copy_gm_to_ubuf_align_b16(native_core *core,
                                                    const twk_instruction *instruction)
{
    return load_bytes(core, instruction, 2);
}
uint64_t twin_instruction_copy_gm_to_ubuf_align_b32(native_core *core,
                                                    const twk_instruction *instruction)
{
    return load_bytes(core, instruction, 4);
}
uint64_t twin_instruction_copy_ubuf_to_gm_align_b8(native_core *core,
                                                   const twk_instruction *instruction)
{
    return store_bytes(core, instruction);
}
uint64_t twin_instruction_copy_ubuf_to_gm_align_b16(native_core *core,
                                                    const twk_instruction *instruction)
{
    return store_bytes(core, instruction);
}
uint64_t twin_instruction_copy_ubuf_to_gm_align_b32(native_core *core,
                                                    const twk_instruction *instruction)
{
    return store_bytes(core, instruction);
}
