/* SPDX-License-Identifier: Apache-2.0 */
/* What the blocks of a kernel do, as the driver describes it to the model: a program of timed
 * operations for each core.
 *
 * The model knows no instruction set. When it kick-starts an AI-core task (STARS_SQE_AICORE) it
 * asks the driver through twinsim_bus.kernel what the blocks of that task do, and from then on
 * times it: dispatch to cores, their pipes, their shares of L2 and HBM. What the kernel does to
 * memory is the driver's: twinsim_bus.kernel_effect. Rules T-CORE-1 to T-CORE-19 in
 * sim/docs/timing.md.
 *
 * A core's step list is what its scalar unit walks, in order. An operation of the scalar unit takes
 * its time there; any other is put into the queue of its pipe at once. Each pipe works off its
 * queue in order, all pipes at the same time; flags and barriers order them. */
#ifndef TWINSIM_KERNEL_H
#define TWINSIM_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum twinsim_pipe {
    TWINSIM_PIPE_SCALAR, /* also walks the list */
    TWINSIM_PIPE_VECTOR,
    TWINSIM_PIPE_CUBE,
    TWINSIM_PIPE_MTE1, /* L1 to L0A, L0B */
    TWINSIM_PIPE_MTE2, /* global memory to L1 or UB */
    TWINSIM_PIPE_MTE3, /* UB to global memory */
    TWINSIM_PIPE_FIX,  /* L0C to global memory */
    TWINSIM_PIPE_COUNT
};

enum twinsim_op_kind {
    TWINSIM_OP_WORK,  /* `amount` cycles of the core clock */
    TWINSIM_OP_READ,  /* `amount` bytes of global memory, to the core */
    TWINSIM_OP_WRITE, /* `amount` bytes, from the core */
    TWINSIM_OP_SET,   /* flag `flag` counts one up */
    TWINSIM_OP_WAIT,  /* goes on once flag `flag` is not 0, and counts it one down */
    /* Of the scalar unit: it goes on once all pipes have done what was put into their queues. Of
     * another pipe: that pipe's earlier operations are done, as always in its queue. */
    TWINSIM_OP_BARRIER,
    TWINSIM_OP_CROSS_CORE_SET, /* mixed kernels: between the AIC and its AIVs. From the AIC: to each
                                  of them; from an AIV: to the AIC */
    TWINSIM_OP_CROSS_CORE_WAIT, /* waits for a CROSS_CORE_SET of that `flag`: an AIV for one of its
                                   AIC, the AIC for one of each AIV */
    TWINSIM_OP_FAULT            /* the kernel fails here; `amount`: enum twinsim_kernel_fault */
};

#define TWINSIM_FLAGS            512u /* flags of a core: 0 .. 511, 0 when a block begins */
#define TWINSIM_CROSS_CORE_FLAGS 16u  /* of CROSS_CORE_SET and _WAIT: 0 .. 15 */
#define TWINSIM_HIT_DEFAULT      0xffffu
#define TWINSIM_BYTES_MOST       ((uint64_t)1 << 48) /* of one operation; also the most cycles */

struct twinsim_op {
    uint8_t pipe;  /* enum twinsim_pipe */
    uint8_t kind;  /* enum twinsim_op_kind */
    uint16_t flag; /* SET, WAIT, CROSS_CORE_SET, CROSS_CORE_WAIT */
    uint16_t
        hit_permille;  /* READ, WRITE: share that L2 serves; TWINSIM_HIT_DEFAULT: the profile's */
    uint16_t reserved; /* 0 */
    uint64_t amount;   /* WORK: cycles; READ, WRITE: bytes; FAULT */
};

struct twinsim_step_list {
    const struct twinsim_op *ops; /* may be NULL when there are none */
    uint64_t count;
};

enum twinsim_kernel_fault {
    TWINSIM_KERNEL_GOOD,
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
    const struct twinsim_step_list *lists;
    /* Programs per block: 1, or in a mixed kernel 1 for the AIC and one for each of its AIVs.
     * `count` is that when all blocks are alike; else that times the number of blocks, block by
     * block. 0: the blocks do nothing. */
    uint64_t count;
    enum twinsim_kernel_fault fault; /* not GOOD: it fails at once, without a block */
    /* What it says at an operation that is an exception: not GOOD, POISON or LINK when that is
     * why. */
    enum twinsim_kernel_fault exception;
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
