/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions by their numbers, and reads and writes through pointers. */
#include "kernel_rig.h"

#include "twinrt/kernel_instructions.h"

/* ---- instructions ---------------------------------------------------------------------------- */

typedef struct instruct_args {
    twk_instruction instruction;
} instruct_args;

TWK_VECTOR_KERNEL(instruct, instruct_args, args)
{
    (void)twk_slot->instruct(&args->instruction);
}

static void refused(const twk_instruction *instruction, const char *part)
{
    rig_fail("instruct", 1, instruction, sizeof(*instruction), TWIN_NATIVE_OPERATION, part);
}

#define NO_TYPES                                                                                   \
    {                                                                                              \
        TWK_NO_TYPE, TWK_NO_TYPE, TWK_NO_TYPE, TWK_NO_TYPE                                         \
    }

static void test_missing(void)
{
    /* The registers of the image preprocessor, which the model does not have. */
    const twk_instruction missing = {
        .number = TWK_INSTRUCTION_SET_AIPP_SPR_0, .count = 1, .types = NO_TYPES};
    refused(&missing, "instruction set_aipp_spr_0 is not supported");
}

static void test_unknown(void)
{
    twk_instruction unknown = {.number = 0, .types = NO_TYPES};
    refused(&unknown, "instruction 0 is not known");
    unknown.number = TWK_INSTRUCTIONS;
    refused(&unknown, "is not known");
    unknown.number = UINT16_MAX;
    refused(&unknown, "instruction 65535 is not known");
}

static void test_forms(void)
{
    twk_instruction wrong = {.number = TWK_INSTRUCTION_VADD,
                             .count = 9,
                             .types = {TWK_FP16, TWK_FP16, TWK_FP16, TWK_NO_TYPE}};
    refused(&wrong, "instruction vadd has no form with 9 arguments, FP16, FP16, FP16");
    wrong.count = 10;
    wrong.types[2] = TWK_UINT64;
    refused(&wrong, "instruction vadd has no form with 10 arguments, FP16, FP16, UINT64");
}

/* ---- pointers -------------------------------------------------------------------------------- */

typedef struct pointer_args {
    uint32_t space, type, align, bytes;
    uint64_t from, to;
} pointer_args;

/* Bytes of UB that are 0, 1, 2, ...; then some go from one place to another. */
TWK_VECTOR_KERNEL(move, pointer_args, args)
{
    unsigned char bytes[256];
    for (uint32_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)i;
    twk_slot->store(TWK_SPACE_UB, TWK_NO_TYPE, 1, 0, sizeof(bytes), bytes);
    twk_slot->load(args->space, args->type, args->align, args->from, args->bytes, bytes);
    twk_slot->store(args->space, args->type, args->align, args->to, args->bytes, bytes);
    twk_slot->load(args->space, args->type, args->align, args->to, args->bytes, bytes);
    twk_slot->store(TWK_SPACE_GM, TWK_NO_TYPE, 1, RIG_BASE + 0x1000, args->bytes, bytes);
}

static void test_spaces(void)
{
    unsigned char expected[200];
    pointer_args args = {.space = TWK_SPACE_UB, .type = TWK_NO_TYPE, .align = 1, .bytes = 200};
    args.from = 13;
    args.to = 300;
    for (uint32_t i = 0; i < sizeof(expected); i++)
        expected[i] = (unsigned char)(13 + i);
    rig_do("move", 1, &args, sizeof(args));
    CU_ASSERT_EQUAL(memcmp(rig_host(RIG_BASE + 0x1000), expected, sizeof(expected)), 0);

    memset(rig_memory, 0, 0x2000);
    memcpy(rig_host(RIG_BASE + 5), expected, sizeof(expected));
    args.space = TWK_SPACE_GM;
    args.from = RIG_BASE + 5;
    args.to = RIG_BASE + 0x801;
    rig_do("move", 1, &args, sizeof(args));
    CU_ASSERT_EQUAL(memcmp(rig_host(RIG_BASE + 0x801), expected, sizeof(expected)), 0);
    CU_ASSERT_EQUAL(memcmp(rig_host(RIG_BASE + 0x1000), expected, sizeof(expected)), 0);
}

static void test_bad_pointers(void)
{
    pointer_args args = {
        .space = TWK_SPACE_UB, .type = TWK_FP32, .align = 4, .bytes = 4, .from = 2, .to = 64};
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_ALIGNMENT,
             "a read through a pointer: offset 2 in UB is not a multiple of 4");
    args.from = 192 << 10;
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_BUFFER, "a read through a pointer");
    args.from = UINT64_MAX - 3;
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_BUFFER, "a read through a pointer");
    args.from = 0;
    args.to = (192 << 10) - 4;
    args.bytes = 8;
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_BUFFER, "a write through a pointer");
    args.space = TWK_SPACE_GM;
    args.from = RIG_BASE + 2;
    args.bytes = 4;
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_ALIGNMENT, "is not a multiple of 4");
    args.from = 64; /* an offset in UB, taken for an address */
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_ADDRESS, "a read through a pointer");
    args.space = TWK_SPACE_L1;
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION,
             "the scalar unit cannot access L1");
    args.space = UINT32_MAX;
    rig_fail("move", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION,
             "the scalar unit cannot access this address space");
}

/* An access takes the time of twk_get, and one of 24 bytes that of three. */
TWK_VECTOR_KERNEL(read_once, pointer_args, args)
{
    unsigned char bytes[24];
    twk_put(TWK_FP32, twk_ub_at(0), 1);
    twk_slot->load(TWK_SPACE_UB, TWK_NO_TYPE, 4, 0, args->bytes, bytes);
}

static uint64_t scalar_cycles(uint32_t bytes)
{
    const pointer_args args = {.bytes = bytes};
    rig_begin("read_once", 1, &args, sizeof(args));
    uint64_t cycles = 0;
    for (uint64_t i = 0; i < rig_work.lists[0].count; i++)
        if (rig_work.lists[0].steps[i].kind == TWIN_STEP_WORK)
            cycles += rig_work.lists[0].steps[i].amount;
    twin_native_end(rig_run);
    return cycles;
}

static void test_time(void)
{
    CU_ASSERT_EQUAL(scalar_cycles(24) - scalar_cycles(4), 2 * rig_core.scalar_access);
    CU_ASSERT_EQUAL(scalar_cycles(8), scalar_cycles(4));
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"an instruction without a decoder fails the kernel, by its name", test_missing},
        {"numbers that are not those of instructions fail the kernel", test_unknown},
        {"arguments that no form has fail the kernel", test_forms},
        {"bytes go from and to UB and global memory through pointers", test_spaces},
        {"pointers out of bounds, unaligned, or into other buffers fail the kernel",
         test_bad_pointers},
        {"accesses through pointers take the time of words", test_time},
    };
    return twin_run_suite("kernel_instruct", tests, TWIN_COUNT(tests), argc, argv);
}
