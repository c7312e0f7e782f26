/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a kernel's blocks: the core describes a kernel in them, a backend passes them on,
 * and the model times them, by the rules T-CORE-14 to T-CORE-21 in sim/docs/timing.md. The seam and
 * the model share this header, so the names have the prefix of the product, and nothing of the
 * runtime is included.
 *
 * Recordings contain pipes and kinds by number: new ones go at the end. */
#ifndef TWINSIM_STEP_H
#define TWINSIM_STEP_H

#include <stdint.h>

typedef enum twin_pipe {
    TWIN_PIPE_SCALAR, /* also walks the list */
    TWIN_PIPE_VECTOR,
    TWIN_PIPE_CUBE,
    TWIN_PIPE_MTE1, /* between buffers of the core: L1 to L0A, L0B */
    TWIN_PIPE_MTE2, /* into the core: device memory to L1 or UB */
    TWIN_PIPE_MTE3, /* out of the core: UB to device memory */
    TWIN_PIPE_FIX,  /* cube results out of the core: L0C to device memory */
    TWIN_PIPE_COUNT
} twin_pipe;

typedef enum twin_step_kind {
    TWIN_STEP_WORK,  /* `amount` cycles of the core clock */
    TWIN_STEP_READ,  /* `amount` bytes of global memory, into the core */
    TWIN_STEP_WRITE, /* `amount` bytes, out of the core */
    TWIN_STEP_SET,   /* counts flag `flag` one up */
    TWIN_STEP_WAIT,  /* goes on once flag `flag` is not 0, and counts it one down */
    /* Of the scalar unit: goes on once all pipes have done what is in their queues. Of another
     * pipe: nothing, as that pipe's earlier steps are done. */
    TWIN_STEP_BARRIER,
    TWIN_STEP_CROSS_CORE_SET,  /* `amount`: TWIN_STEP_TO_… */
    TWIN_STEP_CROSS_CORE_WAIT, /* goes on once flag `flag` of the core is not 0, and counts it one
                                  down */
    TWIN_STEP_FAULT,           /* the kernel fails; `amount`: 1 exception, 2 trap, 3 time limit */
    /* Takes no time: what the pipe's steps before it have computed, `amount` of what `flag` says
     * (twin_count). The trace has it. */
    TWIN_STEP_COUNT
} twin_step_kind;

/* What a COUNT counts: operations on numbers of a type, in the order of TWK_INT8 ... TWK_UINT64;
 * of the vector unit cycles. A product with addition is two operations. */
typedef enum twin_count {
    TWIN_COUNT_INT8,
    TWIN_COUNT_INT16,
    TWIN_COUNT_INT32,
    TWIN_COUNT_UINT8,
    TWIN_COUNT_UINT16,
    TWIN_COUNT_UINT32,
    TWIN_COUNT_FP16,
    TWIN_COUNT_FP32,
    TWIN_COUNT_BF16,
    TWIN_COUNT_INT64,
    TWIN_COUNT_UINT64,
    TWIN_COUNT_INT4,
    TWIN_COUNT_HF32,        /* FP32 whose factors the cube cuts to 11 bits */
    TWIN_COUNT_BANK_CYCLES, /* that operands wait for each other in the banks of UB */
    TWIN_COUNT_KINDS
} twin_count;

#define TWIN_STEP_FLAGS            512u /* of SET and WAIT: 0 .. 511, 0 when a block begins */
#define TWIN_STEP_CROSS_CORE_FLAGS 16u
/* Flags of a pipe for another one, as kernels of the core number them:
 * (from * TWIN_PIPE_COUNT + to) * TWIN_STEP_FLAG_IDS + id. */
#define TWIN_STEP_FLAG_IDS 8u
/* Whose flag `flag` a CROSS_CORE_SET counts one up. */
#define TWIN_STEP_TO_BLOCK                                                                         \
    0u /* of a mixed block: the cube core that of each vector core; a vector
                                 core that of the cube core, once each of them has */
#define TWIN_STEP_TO_VECTORS 1u /* a vector core that of all of its mixed block, once each has */
#define TWIN_STEP_TO_LAUNCH  2u /* that of all cores of its kind in the launch, once each has */
#define TWIN_HIT_DEFAULT     0xffffu
#define TWIN_STEP_MOST       ((uint64_t)1 << 48) /* cycles or bytes of a step */

/* `flag` of READ and WRITE, a bit each. */
#define TWIN_STEP_IN_HOST 1u /* the bytes are in memory of the host */
#define TWIN_STEP_ONCE    2u /* L2 is not to keep them */
#define TWIN_STEP_ATOMIC  4u /* a WRITE that adds to what is there, or the like */
#define TWIN_STEP_BITS    7u /* all of them */

typedef struct twin_step {
    uint8_t pipe;          /* twin_pipe */
    uint8_t kind;          /* twin_step_kind */
    uint16_t flag;         /* SET, WAIT, CROSS_CORE_SET, CROSS_CORE_WAIT; READ, WRITE: bits;
                              COUNT: twin_count */
    uint16_t hit_permille; /* READ, WRITE: served by L2; TWIN_HIT_DEFAULT: as the device has it */
    uint16_t reserved;     /* 0 */
    uint64_t amount;
    uint64_t address;   /* READ, WRITE: of the first byte; 0: not given */
    uint32_t row_bytes; /* with an address: `amount` is a whole number of rows of so many bytes; 0:
                           it is one row */
    uint32_t pitch;     /* from row to row, `row_bytes` or more; 0 with one row */
} twin_step;

/* A step list: what the scalar unit of a core walks in one block, in order. A step of the scalar
 * unit takes its time there; any other is put into the queue of its pipe at once. Each pipe works
 * off its queue in order, all pipes at the same time; flags and barriers order them. */
typedef struct twin_steps {
    const twin_step *steps; /* may be NULL when there are none */
    uint64_t count;
} twin_steps;

#endif
