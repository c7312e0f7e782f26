/* SPDX-License-Identifier: Apache-2.0 */
/* The functional AI core: runs kernels that were compiled for the host, block by block, exact to
 * the bit, and reports what each pipe of each core had to do meanwhile.
 *
 * Life of an image:  dlopen -> twin_native_link -> runs -> twin_native_unlink -> dlclose
 * Life of a run:     twin_native_begin (in twin_launch.describe) -> twin_native_effect (in
 * twin_launch.effect, if it
 *                    comes to that) -> twin_native_end (in twin_launch.release)
 *
 * Blocks see memory as it was at `begin`, what they have written themselves, and what others wrote
 * before a barrier of the launch. Nothing is written before `effect`, which leaves the writes of
 * all blocks in the order of the barriers, and between these of the blocks.
 *
 * Kernels are code of the process: one that is wrong in ways which only the hardware would forgive
 * can harm it. Caught, and turned into a failure of the run: what the operations check (addresses,
 * buffers, alignment, flags), traps, waits that never end, kernels that run for too long if their
 * code counts blocks, and, on x86-64 and AArch64, faults of memory and arithmetic whose instruction
 * is in the kernel's own object.
 *
 * Include rule: this library knows twinrt/kernel.h and seam/, nothing else of ours. */
#ifndef TWINRT_KERNEL_RUN_H
#define TWINRT_KERNEL_RUN_H

#include <signal.h>

#include "twinrt/kernel_image.h"

#include "kernel/mark.h"
#include "seam/types.h"

/* ---- images ---------------------------------------------------------------------------------- */

/* Checks the record `twk_image` of a loaded object and gives its code the table of operations.
 * Thread: any, once per object; constructors of the object have run before. On failure `why` says
 * what is wrong in one line. TWIN_E_INVALID: no such record, or one made for a newer runtime.
 * TWIN_E_NOMEM. */
twin_status twin_native_link(const struct twk_image *image, char *why, size_t why_bytes);
/* No run is under way and none comes any more. */
void twin_native_unlink(const struct twk_image *image);

/* ---- runs ------------------------------------------------------------------------------------ */

typedef enum twin_native_fault {
    TWIN_NATIVE_GOOD,
    TWIN_NATIVE_ADDRESS,   /* global memory outside of allocations */
    TWIN_NATIVE_BUFFER,    /* outside of a buffer, or one that the core does not have */
    TWIN_NATIVE_ALIGNMENT, /* an offset or address that is not a multiple of what it must be */
    TWIN_NATIVE_OPERATION, /* a type, a size or an operation that this core does not do */
    TWIN_NATIVE_TRAP,      /* twk_trap, twk_stop, twk_assert */
    TWIN_NATIVE_CRASH, /* the kernel's own code met a fault: a wild pointer, a division by 0, its
                          stack */
    TWIN_NATIVE_STUCK, /* a wait that never ends */
    TWIN_NATIVE_TIME,  /* the kernel ran for cycles_most */
    TWIN_NATIVE_UNCOMPUTED, /* it depends on data that were not computed */
    TWIN_NATIVE_NOMEM       /* no host memory for the run */
} twin_native_fault;

/* A run's end, and why. The text stays until twin_native_end. */
typedef struct twin_native_failure {
    twin_native_fault fault;
    uint32_t block; /* the first that failed */
    uint32_t
        core; /* in its block: 0, or in a mixed block 0 for the cube core and 1 .. for the vector
                 cores */
    bool has_address;
    uint64_t address; /* of global memory, or of the instruction's access */
    const char *text; /* one line; names kernel, block, core, operation */
} twin_native_failure;

typedef struct twin_native_call {
    const twk_kernel_entry *kernel;
    /* As the launch has it: a kernel for vector cores runs with TWIN_CORES_CUBE where vector units
     * are no separate cores (!core->split). */
    twin_launch_cores cores;
    uint32_t blocks;           /* as twin_launch counts them; > 0 */
    uint32_t blocks_at_once;   /* that the device has cores for; 0: for any number */
    uint32_t vectors_per_cube; /* of a mixed block: vector cores of the part to a cube core */
    const void *args;          /* what the kernel's pointer points to; copied */
    size_t args_bytes;
    bool args_padded; /* fewer than kernel->args_bytes are right: the rest is padding, and 0 */
    const twin_core_properties *core;
    bool bf16;     /* properties.bf16 */
    bool saturate; /* overflows become the largest number, instead of infinity */
    /* Copies and operations are timed and not computed; global memory that they write is filled
     * with TWIN_NATIVE_MARK. Elements that the kernel puts itself are computed. */
    bool timing_only;
    /* Each step list ends with what the block has computed (TWIN_STEP_COUNT); same times. */
    bool counts;
    uint64_t
        cycles_most; /* scalar cycles of a core of a block, after which it has run for too long; 0:
                        no limit */
    /* The device ends kernels that run for too long: one that would never end is left to that, at
     * the time of the limit. Else such a kernel fails where it got to. */
    bool limited;
    const twin_reach *reach;
    /* Threads of the host that may run blocks, this one included; 0 or 1: only this one. Results,
     * times and reports do not depend on it. */
    uint32_t threads_most;
    /* Called on each further thread as the first thing and the last. May be NULL. */
    void (*thread)(bool begins);
    /* Called in the order in which blocks run, while the run is under way and on its thread. `text`
     * is what one call of twk_printf prints. Both may be NULL. */
    void (*print)(void *user, uint32_t block, uint32_t core, const char *text);
    /* What a missing flag, a flag left over and the like would do on a board: each kind once in a
     * run. The line names the kernel. */
    void (*hazard)(void *user, const char *text);
    /* The line of the source at the first of the addresses of code that has one, of a kernel's
     * object; the innermost first. false: none is known. May be NULL. */
    bool (*line)(void *user, const uintptr_t *code, size_t count, char *out, size_t out_bytes);
    void *user;
} twin_native_call;

typedef struct twin_native_run twin_native_run;

/* Runs all blocks and reports what their pipes do. No lock is needed or taken that others wait for;
 * several runs may be under way in several threads. Blocks: as long as the kernel computes.
 * `out_run` is always given, `out_work` stays until twin_native_end. A block that fails ends the
 * run: its steps end with TWIN_STEP_FAULT, so that the device finds the failure at its time, blocks
 * after it have no steps, and twin_native_failed has the reason. `call` and what it points to, but
 * for kernel and core, is not used after the call. TWIN_E_NOMEM: nothing was given. */
twin_status twin_native_begin(const twin_native_call *call, twin_native_run **out_run,
                              twin_launch_work *out_work);
/* Leaves in memory what the blocks wrote. Short, calls nothing but reach->at, once per run.
 * TWIN_E_KERNEL_EXCEPTION: memory that was there at `begin` is gone; the memory before it is
 * written. */
twin_status twin_native_effect(twin_native_run *run, const twin_reach *reach);
void twin_native_end(twin_native_run *run);

/* Valid until twin_native_end. fault GOOD: it has not failed; the other fields are 0 then. */
const twin_native_failure *twin_native_failed(const twin_native_run *run);
/* Whether a result of FP16, BF16 or FP32 was too large for its type; of atomic stores once they
 * have their effect. */
bool twin_native_overflowed(const twin_native_run *run);
/* Frees what ended runs have left for others: stacks, buffers, memory. At the end of the process,
 * or for tests. */
void twin_native_trim(void);

/* The table of operations that kernels call. NULL: no room for their stacks. */
const twk_ops *twin_native_ops(void);

/* Whether a signal handler is the one for faults of kernels, which calls the handler before it for
 * faults of other code. Thread: any. */
bool twin_native_passes_on(void (*handler)(int number, siginfo_t *info, void *context));

#endif
