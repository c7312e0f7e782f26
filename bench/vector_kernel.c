/* SPDX-License-Identifier: Apache-2.0 */
/* What bench/vector.c launches: additions by the vector unit, as instructions. */
#include "vector_kernel.h"

#include <twinrt/kernel.h>
#include <twinrt/kernel_instructions.h>

TWK_VECTOR_KERNEL(add, struct vector_args, args)
{
    const uint32_t bytes = VECTOR_REPEATS * 256u * (args->stride / 8);
    const uint8_t type = (uint8_t)args->type;
    const twk_instruction mask = {.number = TWK_INSTRUCTION_SET_VECTOR_MASK,
                                  .count = 2,
                                  .types = {TWK_NO_TYPE, TWK_NO_TYPE, TWK_NO_TYPE, TWK_NO_TYPE},
                                  .arguments = {args->mask[1], args->mask[0]}};
    const twk_instruction add = {.number = TWK_INSTRUCTION_VADD,
                                 .count = 10,
                                 .types = {type, type, type, TWK_NO_TYPE},
                                 .arguments = {2 * bytes, 0, bytes, VECTOR_REPEATS, 1, 1, 1,
                                               args->stride, args->stride, args->stride}};
    twk_duplicate(TWK_FP32, twk_ub_at(0), 0, 2 * bytes / 4);
    (void)twk_slot->instruct(&mask);
    for (uint32_t i = 0; i < args->count; i++)
        (void)twk_slot->instruct(&add);
}
