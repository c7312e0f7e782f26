/* SPDX-License-Identifier: Apache-2.0 */
/* Does one instruction of the device's compiler, on operands that are 0. */
#include <twinrt/kernel.h>

#include "instruction_args.h"

TWK_VECTOR_KERNEL(instruction, struct instruction_args, args)
{
    twk_load(twk_ub_at(0), args->zeros, args->bytes);
    twk_barrier(TWK_ALL);
    (void)twk_slot->instruct(&args->instruction);
    twk_barrier(TWK_ALL);
}
