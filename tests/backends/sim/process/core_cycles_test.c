/* SPDX-License-Identifier: Apache-2.0 */
/* The figures to which the AI cores of the profiles are calibrated: what a document says of an
 * instruction or a small kernel, against the cycles that the kernel's steps have on the core of the
 * profile. C1 to C23 name the figures in runtime/docs/decisions/0042-vector-cycles.md. */
#include <math.h>

#include "core_cycles.h"
#include "seam.h"
#include "unit/kernel/kernel_rig.h"

#define ALLOWED 0.05

/* Conflict-free places of operands in UB of the 910B, and those of usual kernels, which meet. */
#define FREE   0x20000, 0, 0x10100
#define MEET   0x8000, 0, 0x4000
#define SINGLE 64 /* elements of a repeat */
#define HALF   128

typedef struct figure {
    const char *id, *profile;
    double cycles; /* as published */
    const char *source;
    twin_pipe pipe;
    const char *kernel;
    union {
        struct cycles_vector vector;
        struct cycles_cube cube;
        struct cycles_elements elements;
    } args, less; /* less: what the figure is the difference to; all 0: none */
} figure;

#define VECTOR(...) ROWS(__VA_ARGS__, 0)
#define ROWS(...)                                                                                  \
    TWIN_PIPE_VECTOR, "vector",                                                                    \
    {                                                                                              \
        .vector = { __VA_ARGS__ }                                                                  \
    }
#define CUBE(...)                                                                                  \
    TWIN_PIPE_CUBE, "cube",                                                                        \
    {                                                                                              \
        .cube = { CYCLES_PRODUCT, __VA_ARGS__ }                                                    \
    }
#define FEED(...)                                                                                  \
    TWIN_PIPE_MTE1, "cube",                                                                        \
    {                                                                                              \
        .cube = { __VA_ARGS__ }                                                                    \
    }
#define KEEP(...)                                                                                  \
    TWIN_PIPE_FIX, "cube",                                                                         \
    {                                                                                              \
        .cube = { CYCLES_KEEP, __VA_ARGS__, 0 }                                                    \
    }
#define LESS(...) LESS_ROWS(__VA_ARGS__, 0)
#define LESS_ROWS(...)                                                                             \
    {                                                                                              \
        .vector = { __VA_ARGS__ }                                                                  \
    }
#define LESS_CUBE(...)                                                                             \
    {                                                                                              \
        .cube = { __VA_ARGS__ }                                                                    \
    }
#define NONE                                                                                       \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define GIB        1073741824.0
#define TICK       (0.02 * 1850) /* of the counter, in cycles */
#define A2         "910b1"       /* 1850 MHz, as the machine of the documents */
#define ADK_VECTOR "asc-devkit, table of vector instructions"
#define ADK_CUBE   "asc-devkit, table of cube instructions"
#define ADK_ADD    "asc-devkit, add_high_performance"
#define ADK_BANKS  "asc-devkit, bank_conflict_ub"
#define PTO        "pto-isa, cost model of a2a3"
#define PTO_A5     "pto-isa, cost model of a5"

static const figure figures[] = {
    {"C1", A2, 31 * 1, ADK_VECTOR, VECTOR(TWK_OP_ADDS, TWK_FP32, TWK_FP32, MEET, SINGLE * 32),
     LESS(TWK_OP_ADDS, TWK_FP32, TWK_FP32, MEET, SINGLE)},
    {"C1", A2, 31 * 1, ADK_VECTOR, VECTOR(TWK_OP_MULS, TWK_FP16, TWK_FP32, MEET, HALF * 32),
     LESS(TWK_OP_MULS, TWK_FP16, TWK_FP32, MEET, HALF)},
    {"C1", A2, 31 * 1, ADK_VECTOR, VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_ADD, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C2", A2, 88, ADK_BANKS, VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, FREE, 4096), NONE},
    {"C3", A2, 31 * 4, ADK_VECTOR, VECTOR(TWK_OP_EXP, TWK_FP16, TWK_FP32, FREE, HALF * 32),
     LESS(TWK_OP_EXP, TWK_FP16, TWK_FP32, FREE, HALF)},
    {"C3", A2, 31 * 2, ADK_VECTOR, VECTOR(TWK_OP_EXP, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_EXP, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C3", A2, 31 * 4, ADK_VECTOR, VECTOR(TWK_OP_LN, TWK_FP16, TWK_FP32, FREE, HALF * 32),
     LESS(TWK_OP_LN, TWK_FP16, TWK_FP32, FREE, HALF)},
    {"C3", A2, 31 * 2, ADK_VECTOR, VECTOR(TWK_OP_LN, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_LN, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C3", A2, 31 * 4, ADK_VECTOR, VECTOR(TWK_OP_SQRT, TWK_FP16, TWK_FP32, FREE, HALF * 32),
     LESS(TWK_OP_SQRT, TWK_FP16, TWK_FP32, FREE, HALF)},
    {"C3", A2, 31 * 2, ADK_VECTOR, VECTOR(TWK_OP_SQRT, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_SQRT, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C3", A2, 31 * 4, ADK_VECTOR, VECTOR(TWK_OP_DIV, TWK_FP16, TWK_FP32, FREE, HALF * 32),
     LESS(TWK_OP_DIV, TWK_FP16, TWK_FP32, FREE, HALF)},
    {"C3", A2, 31 * 2, ADK_VECTOR, VECTOR(TWK_OP_DIV, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_DIV, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C4", A2, 31 * 1, ADK_VECTOR, VECTOR(TWK_OP_RECIPROCAL, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_RECIPROCAL, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C4", A2, 31 * 1, ADK_VECTOR, VECTOR(TWK_OP_RSQRT, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_RSQRT, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C5", A2, 31 * 2, ADK_VECTOR, VECTOR(TWK_OP_MULADD, TWK_FP32, TWK_FP32, FREE, SINGLE * 32),
     LESS(TWK_OP_MULADD, TWK_FP32, TWK_FP32, FREE, SINGLE)},
    {"C5", A2, 31 * 4, ADK_VECTOR,
     VECTOR(TWK_OP_GATHER, TWK_FP32, TWK_FP32, 0x20000, 0, 0x10000, SINGLE * 32),
     LESS(TWK_OP_GATHER, TWK_FP32, TWK_FP32, 0x20000, 0, 0x10000, SINGLE)},
    {"C5", A2, 31 * 8, ADK_VECTOR,
     VECTOR(TWK_OP_GATHER, TWK_FP16, TWK_FP32, 0x20000, 0, 0x10000, HALF * 32),
     LESS(TWK_OP_GATHER, TWK_FP16, TWK_FP32, 0x20000, 0, 0x10000, HALF)},
    {"C5", A2, 63 * 7, ADK_VECTOR, ROWS(TWK_OP_REDUCE_SUM, TWK_FP32, TWK_FP32, FREE, SINGLE, 64),
     LESS_ROWS(TWK_OP_REDUCE_SUM, TWK_FP32, TWK_FP32, FREE, SINGLE, 1)},
    {"C6", A2, 10 + 2 * 1 + 14, PTO, VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 10 + 2 * 64 + 14, PTO, VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 10 + 2 * 1 + 14, PTO, VECTOR(TWK_OP_SUB, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 10 + 2 * 64 + 14, PTO, VECTOR(TWK_OP_SUB, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 10 + 2 * 1 + 14, PTO, VECTOR(TWK_OP_MAX, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 10 + 2 * 64 + 14, PTO, VECTOR(TWK_OP_MAX, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 10 + 2 * 1 + 14, PTO, VECTOR(TWK_OP_MIN, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 10 + 2 * 64 + 14, PTO, VECTOR(TWK_OP_MIN, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 10 + 2 * 1 + 15, PTO, VECTOR(TWK_OP_MUL, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 10 + 2 * 64 + 15, PTO, VECTOR(TWK_OP_MUL, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 11 + 4 * 1 + 19, PTO, VECTOR(TWK_OP_DIV, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 11 + 4 * 64 + 19, PTO, VECTOR(TWK_OP_DIV, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 13 + 2 * 1 + 18, PTO, VECTOR(TWK_OP_EXP, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 13 + 2 * 64 + 18, PTO, VECTOR(TWK_OP_EXP, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 13 + 2 * 1 + 20, PTO, VECTOR(TWK_OP_LN, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 13 + 2 * 64 + 20, PTO, VECTOR(TWK_OP_LN, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 14 + 2 * 1 + 25, PTO, VECTOR(TWK_OP_SQRT, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 14 + 2 * 64 + 25, PTO, VECTOR(TWK_OP_SQRT, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 11 + 1 * 1 + 15, PTO, VECTOR(TWK_OP_MULS, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 11 + 1 * 64 + 15, PTO, VECTOR(TWK_OP_MULS, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 13 + 1 * 1 + 18, PTO, VECTOR(TWK_OP_ADDS, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C6", A2, 13 + 1 * 64 + 18, PTO, VECTOR(TWK_OP_ADDS, TWK_FP32, TWK_FP32, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 14 + 2 * 64 + 18, PTO, VECTOR(TWK_OP_CAST, TWK_FP32, TWK_FP16, MEET, SINGLE * 64),
     NONE},
    {"C6", A2, 14 + 7 * 64 + 32, PTO, ROWS(TWK_OP_REDUCE_SUM, TWK_FP32, TWK_FP32, MEET, SINGLE, 64),
     NONE},
    {"C6", A2, 24 + 2, PTO, VECTOR(TWK_OP_GATHER, TWK_FP32, TWK_FP32, 0x20000, 0, 0x10000, SINGLE),
     NONE},
    {"C6", A2, 10 + 2 * 64 + 14 + 16, PTO,
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, MEET, SINGLE * 64 - 8), NONE},
    {"C7", A2, 128, ADK_CUBE, FEED(CYCLES_LOAD_A, TWK_FP16, 128, 0, 256),
     LESS_CUBE(CYCLES_LOAD_A, TWK_FP16, 128, 0, 128)},
    {"C7", A2, 256, ADK_CUBE, FEED(CYCLES_LOAD_B, TWK_FP16, 0, 128, 256),
     LESS_CUBE(CYCLES_LOAD_B, TWK_FP16, 0, 128, 128)},
    {"C8", A2, 256, ADK_CUBE, KEEP(TWK_FP16, 128, 256),
     LESS_CUBE(CYCLES_KEEP, TWK_FP16, 128, 128, 0)},
    {"C9", A2, 512, ADK_CUBE, CUBE(TWK_FP16, 128, 256, 128),
     LESS_CUBE(CYCLES_PRODUCT, TWK_FP16, 128, 256, 64)},
    {"C9", A2, 256, ADK_CUBE, CUBE(TWK_INT8, 128, 256, 128),
     LESS_CUBE(CYCLES_PRODUCT, TWK_INT8, 128, 256, 64)},
    {"C9", A2, 1024, ADK_CUBE, CUBE(TWK_FP32, 128, 256, 64),
     LESS_CUBE(CYCLES_PRODUCT, TWK_FP32, 128, 256, 32)},
    {"C9", "950", 4096, ADK_CUBE, CUBE(TWK_FP32, 128, 256, 64),
     LESS_CUBE(CYCLES_PRODUCT, TWK_FP32, 128, 256, 32)},
    {"C10", A2, 3076.4 * 1850 / 10923, "asc-devkit, matmul_basic_api_high_performance, case 8",
     CUBE(TWK_FP16, 128, 256, 64), NONE},
    /* GiB/s at 1850 MHz. */
    {"C15", A2, 65536 / (441 * GIB / 1850e6), PTO, FEED(CYCLES_LOAD_A, TWK_FP16, 128, 0, 256),
     LESS_CUBE(CYCLES_LOAD_A, TWK_FP16, 16, 0, 16)},
    {"C15", A2, 65536 / (220.5 * GIB / 1850e6), PTO, FEED(CYCLES_LOAD_B, TWK_FP16, 0, 128, 256),
     LESS_CUBE(CYCLES_LOAD_B, TWK_FP16, 0, 16, 16)},
    {"C18",
     A2,
     1000 * 34,
     ADK_ADD ", case 0",
     TWIN_PIPE_SCALAR,
     "elements",
     {.elements = {2000, 0}},
     {.elements = {1000, 0}}},
    /* Ticks of 20 ns for 1000 sums. */
    {"C19", A2, 2390 * TICK / 1000, ADK_BANKS ", scenario 1",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x20000, 0, 0x10100, 4096), NONE},
    {"C19", A2, 4167 * TICK / 1000, ADK_BANKS ", scenario 2",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x10000, 0, 0x4000, 4096), NONE},
    {"C19", A2, 4167 * TICK / 1000, ADK_BANKS ", scenario 3",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x14100, 0, 0x10000, 4096), NONE},
    {"C19", A2, 2389 * TICK / 1000, ADK_BANKS ", scenario 4",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x4000, 0, 0x10100, 4096), NONE},
    {"C19", A2, 2390 * TICK / 1000, ADK_BANKS ", scenario 6",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x10100, 0, 0x10100, 4096), NONE},
    /* Not fitted to: vector time over the number of sums of a core, 8192 x 8192 halfs. */
    {"case 1", A2, 761.65 * 1850 / (8192 * 8192 / 4096.0), ADK_ADD,
     VECTOR(TWK_OP_ADD, TWK_FP16, TWK_FP32, 0x10000, 0, 0x8000, 4096), NONE},
    {"case 2", A2, 15.885 * 1850 * 48 / (8192 * 8192 / 4096.0), ADK_ADD,
     VECTOR(TWK_OP_ADD, TWK_FP16, TWK_FP32, 0x10000, 0, 0x8000, 4096), NONE},
    {"case 5", A2, 12.846 * 1850 * 48 / (8192 * 8192 / 16384.0), ADK_ADD,
     VECTOR(TWK_OP_ADD, TWK_FP16, TWK_FP32, 0x10000, 0, 0x8000, 16384), NONE},
    {"case 6", A2, 6.954 * 1850 * 48 / (8192 * 8192 / 16256.0), ADK_ADD,
     VECTOR(TWK_OP_ADD, TWK_FP16, TWK_FP32, 0x20000, 0, 16256 * 2, 16256), NONE},
    /* Start-up, load, latency, one step, drain. A sum has three accesses of UB, two in a cycle. */
    {"C23", "950", 23 + 9 + 7 + 2 + 12, PTO_A5,
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C23", "950", 23 + 9 + 6 + 2 + 12, PTO_A5,
     VECTOR(TWK_OP_MAX, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C23", "950", 23 + 9 + 5 + 1 + 12, PTO_A5,
     VECTOR(TWK_OP_ABS, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C23", "950", 23 + 9 + 16 + 2 + 12, PTO_A5,
     VECTOR(TWK_OP_EXP, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C23", "950", 23 + 9 + 17 + 2 + 12, PTO_A5,
     VECTOR(TWK_OP_DIV, TWK_FP32, TWK_FP32, MEET, SINGLE), NONE},
    {"C23", "950", 55.07 + 1.247 * 32, PTO_A5 ", fit of a sum",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, MEET, SINGLE * 32), NONE},
    {"C23", "950", 62.66 + 1.967 * 32, PTO_A5 ", fit",
     VECTOR(TWK_OP_EXP, TWK_FP32, TWK_FP32, MEET, SINGLE * 32), NONE},
    {"C23", "950", 65.93 + 3.762 * 32, PTO_A5 ", fit",
     VECTOR(TWK_OP_EXP, TWK_FP16, TWK_FP32, MEET, HALF * 32), NONE},
    {"C23", "950", 128, "samples", FEED(CYCLES_LOAD_A, TWK_FP16, 128, 0, 256),
     LESS_CUBE(CYCLES_LOAD_A, TWK_FP16, 128, 0, 128)},
    {"C23", "950", 128, "samples", FEED(CYCLES_LOAD_B, TWK_FP16, 0, 128, 256),
     LESS_CUBE(CYCLES_LOAD_B, TWK_FP16, 0, 128, 128)},
};

/* Of the rules of the decision page alone: exact. */
static const figure rules[] = {
    {"three reads in one group", A2, 24 + 3 * 64, "",
     VECTOR(TWK_OP_MULADD, TWK_FP32, TWK_FP32, 0x8000, 0, 0x4000, 4096), NONE},
    {"a write in the bank of a read", A2, 24 + 2 * 64, "",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x4020, 0, 0x10100, 4096), NONE},
    {"a late write in the bank of the other read", A2, 24 + 2 * 64, "",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, 0x8200, 0, 0x4100, 4096), NONE},
    {"a result over its operand", A2, 26 + 64, "",
     VECTOR(TWK_OP_MULS, TWK_FP32, TWK_FP32, 0x4000, 0x4000, 0, 4096), NONE},
    {"a bank of another part", "910a", 12 + 128, "",
     VECTOR(TWK_OP_ADD, TWK_FP32, TWK_FP32, MEET, 4096), NONE},
    {"four accesses of a unit with registers", "950", 35 + 9 + 8 + 2 * 64, "",
     VECTOR(TWK_OP_MULADD, TWK_FP32, TWK_FP32, MEET, 4096), NONE},
};

static double cycles_of(const char *kernel, twin_pipe pipe, const void *args, size_t bytes)
{
    uint64_t cycles = 0;
    rig_begin(kernel, 1, args, bytes);
    const twin_native_failure *failure = twin_native_failed(rig_run);
    if (failure->fault != TWIN_NATIVE_GOOD)
        printf("\n    %s\n", failure->text);
    CU_ASSERT_EQUAL(failure->fault, TWIN_NATIVE_GOOD);
    for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
        const twin_step *step = &rig_work.lists[0].steps[i];
        if (step->pipe == pipe && step->kind == TWIN_STEP_WORK)
            cycles += step->amount;
    }
    twin_native_end(rig_run);
    return (double)cycles;
}

static bool take_core(const char *profile)
{
    const twin_device_properties *properties = NULL;
    seam_set("TWINRT_PROFILE", profile);
    SEAM_OK(seam_start());
    SEAM_OK(seam->process.describe(0, &properties));
    if (!properties)
        return false;
    rig_core = properties->core;
    seam->process.stop();
    seam_set("TWINRT_PROFILE", NULL);
    return true;
}

static void check_all(const figure *list, size_t count, double allowed)
{
    const char *profile = "";
    for (size_t i = 0; i < count; i++) {
        const figure *one = &list[i];
        if (strcmp(profile, one->profile) != 0 && !take_core(one->profile))
            return;
        profile = one->profile;
        double cycles = cycles_of(one->kernel, one->pipe, &one->args, sizeof(one->args));
        if (one->less.vector.op + one->less.vector.type + one->less.vector.count > 0)
            cycles -= cycles_of(one->kernel, one->pipe, &one->less, sizeof(one->less));
        const bool near = fabs(cycles - one->cycles) <= allowed * one->cycles;
        if (!near)
            printf("\n    %s on %s: %.1f cycles, not %.1f (%s), row %zu\n", one->id, one->profile,
                   cycles, one->cycles, one->source, i);
        CU_ASSERT(near);
    }
}

static void test_figures(void)
{
    check_all(figures, TWIN_COUNT(figures), ALLOWED);
}

static void test_rules(void)
{
    check_all(rules, TWIN_COUNT(rules), 0);
}

static const twin_test tests[] = {
    {"published cycles of instructions, to within 5 %", test_figures},
    {"accesses of UB take turns by bank and group", test_rules},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_core_cycles", tests, TWIN_COUNT(tests), argc, argv);
}
