/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that fill UB with an element, or with each of several. */
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/argument.h"
#include "kernel/instructions/decoders.h"
#include "kernel/instructions/lanes.h"
#include "kernel/number.h"
#include "twinrt/kernel.h"

#define BROADCAST 8u /* elements of the source in a repeat, a block each */

static void fill(const native_lane_work *work)
{
    const uint32_t size = NATIVE_REPEAT_BYTES / work->per_repeat;
    twin_native_repeat(work->dst, work->count, size, work->how);
}

uint64_t twin_instruction_vector_dup(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    const uint32_t element = (uint32_t)argument[1];
    native_lanes lanes;
    if (!twin_native_lanes_begin(&lanes, core, instruction, NATIVE_REPEAT_BYTES * 8 / bits,
                                 argument[2]))
        return 0;
    lanes.dst = native_operand_of("dst", argument[0], bits, argument[3], argument[5]);
    twin_native_lanes_run(&lanes, fill, &element);
    twin_native_lanes_time(&lanes, TWK_OP_DUPLICATE, type);
    return 0;
}

/* Each repeat takes the next 8 elements; each fills a block. Masks do not matter. */
uint64_t twin_instruction_vbrcb(native_core *core, const twk_instruction *instruction)
{
    const uint64_t *argument = instruction->arguments;
    const uint32_t type = instruction->types[0], bits = native_bits_of(type);
    const uint32_t size = bits / 8;
    native_lanes lanes;
    if (!twin_native_lanes_begin_all(&lanes, core, instruction, NATIVE_REPEAT_BYTES / size,
                                     argument[4]))
        return 0;
    const uint64_t block_stride = (uint16_t)argument[2];
    lanes.dst =
        native_operand_of("dst", argument[0], bits, block_stride ? block_stride : 1, argument[3]);
    const uint32_t taken = lanes.repeats * BROADCAST * size;
    const unsigned char *from =
        twin_native_lanes_local(core, "src", argument[1], taken, NATIVE_BLOCK_BYTES);
    twin_native_lanes_check(&lanes, &lanes.dst, NATIVE_BLOCK_BYTES);
    twin_native_hazard_read(core, TWK_UB, TWIN_PIPE_VECTOR, lanes.op, (uint32_t)argument[1], taken);
    twin_native_lanes_note(&lanes, &lanes.dst, true);
    twin_native_lanes_time(&lanes, TWK_OP_DUPLICATE, type);
    for (uint32_t repeat = 0; repeat < lanes.repeats && native_computes(core); repeat++) {
        unsigned char blocks[NATIVE_REPEAT_BYTES] __attribute__((aligned(32)));
        for (uint32_t i = 0; i < BROADCAST; i++) {
            uint32_t element = 0;
            memcpy(&element, from + (size_t)(repeat * BROADCAST + i) * size, size);
            twin_native_repeat(blocks + (size_t)i * NATIVE_BLOCK_BYTES, NATIVE_BLOCK_BYTES / size,
                               size, &element);
        }
        twin_native_lanes_scatter(&lanes, &lanes.dst, repeat, blocks);
    }
    return 0;
}
