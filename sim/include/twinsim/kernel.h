/* SPDX-License-Identifier: Apache-2.0 */
/* What the blocks of a kernel do, as the driver describes it to the model: a list of timed steps
 * for each core.
 *
 * The model knows no instruction set. When it kick-starts an AI-core task (STARS_SQE_AICORE) it
 * asks the driver through twinsim_bus.kernel what the blocks of that task do, and from then on
 * times it: dispatch to cores, their pipes, their shares of L2 and HBM. What the kernel does to
 * memory is the driver's: twinsim_bus.kernel_effect. Rules T-CORE-1 to T-CORE-20 in
 * sim/docs/timing.md; twinsim/step.h says what a list of steps is. */
#ifndef TWINSIM_KERNEL_H
#define TWINSIM_KERNEL_H

#include <stdint.h>

#include "twinsim/ffts.h"
#include "twinsim/stars.h"
#include "twinsim/step.h"

#ifdef __cplusplus
extern "C" {
#endif

enum twinsim_kernel_fault {
    TWINSIM_KERNEL_GOOD,
    /* These three are amounts of TWIN_STEP_FAULT, too. */
    TWINSIM_KERNEL_EXCEPTION, /* error class exception, status STARS_STATUS_AICORE_EXCEPTION */
    TWINSIM_KERNEL_TRAP,      /* error class trap, the same status */
    TWINSIM_KERNEL_TIMEOUT,   /* error class timeout, status STARS_STATUS_AICORE_TIMEOUT */
    TWINSIM_KERNEL_BAD,       /* bad SQE: the driver knows no such kernel */
    TWINSIM_KERNEL_POISON,    /* error class exception, status STARS_STATUS_POISON */
    TWINSIM_KERNEL_LINK       /* the same, status STARS_STATUS_LINK */
};

/* A kernel as the driver describes it. What the pointers point to stays as it is until
 * twinsim_bus.kernel_end. */
struct twinsim_kernel {
    const twin_steps *lists;
    /* Step lists per block: 1, or in a mixed kernel 1 for the AIC and one for each of its AIVs.
     * `count` is that when all blocks are alike; else that times the number of blocks, block by
     * block. 0: the blocks do nothing. */
    uint64_t count;
    enum twinsim_kernel_fault fault; /* not GOOD: it fails at once, without a block */
    /* What it says at a step that is an exception: not GOOD, POISON or LINK when that is why. */
    enum twinsim_kernel_fault exception;
};

/* Which kernel: an AI-core SQE, or a context of the table of an FFTS+ one. */
struct twinsim_kernel_task {
    uint32_t device;
    uint32_t sq;
    uint64_t number; /* of the SQE among those of its queue, from 1 */
    const stars_sqe *sqe;
    const stars_ffts_context *ffts; /* NULL: the SQE is the kernel */
    uint32_t context;               /* its number in the table; else 0 */
    uint32_t thread;                /* that it works for; else 0 */
};

enum twinsim_kernel_answer {
    TWINSIM_KERNEL_READY, /* the description is there */
    TWINSIM_KERNEL_LATER  /* it comes with twinsim_kernel_give(); until then the model does not
                            run */
};

#ifdef __cplusplus
}
#endif
#endif
