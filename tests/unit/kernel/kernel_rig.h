/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels that are linked into the test, on a core and a memory of the test's own. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_RIG_H
#define TWINRT_TESTS_UNIT_KERNEL_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run.h"
#include "support/cunit_main.h"
#include "twinrt/kernel.h"

extern const struct twk_image twk_image;

#define RIG_BASE  0x100000ull /* of device memory */
#define RIG_BYTES ((size_t)1 << 20)
#define RIG_LINES 64

/* The core of a 910B3, in numbers that are easy to reckon with. */
static twin_core_properties rig_core = {.ub_bytes = 192 << 10,
                                        .l1_bytes = 512 << 10,
                                        .l0a_bytes = 64 << 10,
                                        .l0b_bytes = 64 << 10,
                                        .l0c_bytes = 128 << 10,
                                        .split = true,
                                        .vector_bytes = 128,
                                        .cube_k_fp16 = 16,
                                        .cube_k_int8 = 32,
                                        .cube_k_fp32 = 4,
                                        .l0a_load_bytes = 512,
                                        .l0b_load_bytes = 256,
                                        .l0c_read_bytes = 256,
                                        .vector_start = 10,
                                        .cube_start = 20,
                                        .mte_start = 30,
                                        .scalar_block = 1,
                                        .scalar_access = 3,
                                        .ub_banks = 1};

static _Alignas(64) unsigned char rig_memory[RIG_BYTES];
static uint32_t rig_asked;      /* calls of reach->at */
static bool rig_gone;           /* the memory was freed */
static uint32_t rig_gone_after; /* so many questions were answered before, 0: it is not */
static twin_native_run *rig_run;
static twin_launch_work rig_work;
static bool rig_saturate, rig_no_bf16, rig_limited, rig_timing_only, rig_counts;
static uint64_t rig_cycles_most = 1000000;
static uint32_t rig_at_once = 40; /* blocks that the device has cores for */
static uint32_t rig_threads_most = 1;
static void (*rig_thread)(bool begins);
/* What was printed and reported. */
static char rig_printed[RIG_LINES][256], rig_hazards[RIG_LINES][512];
static uint32_t rig_printed_count, rig_hazard_count;
/* Of all that was printed. */
static size_t rig_printed_bytes, rig_printed_lines, rig_longest_line;
static char rig_last_line[256];

static void *rig_at(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    (void)reach;
    (void)write;
    rig_asked++;
    rig_gone = rig_gone || (rig_gone_after > 0 && rig_asked > rig_gone_after);
    if (rig_gone || address < RIG_BASE || bytes > RIG_BYTES ||
        address - RIG_BASE > RIG_BYTES - bytes)
        return NULL;
    return rig_memory + (address - RIG_BASE);
}
static bool rig_exact;
static twin_reach rig_reach = {.at = rig_at};

static inline void rig_print(void *user, uint32_t block, uint32_t core, const char *text)
{
    const size_t length = strlen(text);
    (void)user;
    rig_printed_bytes += length;
    rig_printed_lines++;
    rig_longest_line = length > rig_longest_line ? length : rig_longest_line;
    snprintf(rig_last_line, sizeof(rig_last_line), "%u.%u %s", block, core, text);
    if (rig_printed_count < RIG_LINES)
        snprintf(rig_printed[rig_printed_count++], sizeof(rig_printed[0]), "%u.%u %s", block, core,
                 text);
}

static inline void rig_hazard(void *user, const char *text)
{
    (void)user;
    if (rig_hazard_count < RIG_LINES)
        snprintf(rig_hazards[rig_hazard_count++], sizeof(rig_hazards[0]), "%s", text);
}

static inline void *rig_host(uint64_t address)
{
    return rig_memory + (address - RIG_BASE);
}

/* Begins a run; `name` as the kernel's author gave it. */
static inline void rig_begin(const char *name, uint32_t blocks, const void *args, size_t args_bytes)
{
    const twk_kernel_entry *found = NULL;
    for (const twk_kernel_entry *const *at = twk_image.begin; at < twk_image.end; at++)
        if (strcmp((*at)->name, name) == 0)
            found = *at;
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    if (!found)
        __builtin_unreachable();
    rig_printed_count = rig_hazard_count = 0;
    rig_printed_bytes = rig_printed_lines = rig_longest_line = 0;
    rig_reach.exact = rig_exact;
    rig_gone = false;
    rig_asked = 0;
    const twin_native_call call = {.kernel = found,
                                   .cores = found->cores == TWK_CORES_MIXED ? TWIN_CORES_MIXED
                                            : found->cores == TWK_CORES_CUBE || !rig_core.split
                                                ? TWIN_CORES_CUBE
                                                : TWIN_CORES_VECTOR,
                                   .blocks = blocks,
                                   .blocks_at_once = rig_at_once,
                                   .vectors_per_cube = 2,
                                   .args = args,
                                   .args_bytes = args_bytes,
                                   .core = &rig_core,
                                   .bf16 = !rig_no_bf16,
                                   .saturate = rig_saturate,
                                   .timing_only = rig_timing_only,
                                   .cycles_most = rig_cycles_most,
                                   .limited = rig_limited,
                                   .counts = rig_counts,
                                   .reach = &rig_reach,
                                   .threads_most = rig_threads_most,
                                   .thread = rig_thread,
                                   .print = rig_print,
                                   .hazard = rig_hazard};
    char why[200] = "";
    CU_ASSERT_EQUAL_FATAL(twin_native_link(&twk_image, why, sizeof(why)), TWIN_OK);
    rig_run = NULL;
    CU_ASSERT_EQUAL_FATAL(twin_native_begin(&call, &rig_run, &rig_work), TWIN_OK);
}

/* A run that must be good, to its end: nothing failed, nothing is reported. */
static inline void rig_do(const char *name, uint32_t blocks, const void *args, size_t args_bytes)
{
    rig_begin(name, blocks, args, args_bytes);
    const twin_native_failure *failure = twin_native_failed(rig_run);
    if (failure->fault != TWIN_NATIVE_GOOD)
        printf("\n    %s\n", failure->text);
    CU_ASSERT_EQUAL(failure->fault, TWIN_NATIVE_GOOD);
    for (uint32_t i = 0; i < rig_hazard_count; i++)
        printf("\n    hazard: %s\n", rig_hazards[i]);
    CU_ASSERT_EQUAL(rig_hazard_count, 0);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_OK);
    twin_native_end(rig_run);
}

/* A run that fails with `fault` in the block; the text holds `part`. Ends it. */
static inline void rig_fail(const char *name, uint32_t blocks, const void *args, size_t args_bytes,
                            twin_native_fault fault, const char *part)
{
    rig_begin(name, blocks, args, args_bytes);
    const twin_native_failure *failure = twin_native_failed(rig_run);
    const char *text = failure->text ? failure->text : "(none)";
    if (failure->fault != fault || !strstr(text, part))
        printf("\n    fault %d, wanted %d with \"%s\": %s\n", (int)failure->fault, (int)fault, part,
               text);
    CU_ASSERT_EQUAL(failure->fault, fault);
    CU_ASSERT(strstr(text, part) != NULL);
    CU_ASSERT_EQUAL(twin_native_effect(rig_run, &rig_reach), TWIN_E_KERNEL_EXCEPTION);
    twin_native_end(rig_run);
}

#endif
