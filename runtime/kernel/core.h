/* SPDX-License-Identifier: Apache-2.0 */
/* What a run consists of: the bench on which it runs, the cores of the block under way, and what
 * they share. */
#ifndef TWINRT_KERNEL_CORE_H
#define TWINRT_KERNEL_CORE_H

#include <stdatomic.h>

#include "kernel/run.h"

#include "kernel/fiber.h"
#include "kernel/memory.h"
#include "kernel/overlay.h"
#include "kernel/names.h"
#include "kernel/hazard.h"
#include "kernel/polled.h"
#include "kernel/reads.h"
#include "kernel/source_line.h"
#include "kernel/steps.h"
#include "kernel/instructions/registers.h"

#define NATIVE_CORES            4u  /* of a block: a cube core and at most three vector cores */
#define NATIVE_LINE_BYTES       64u /* of the scalar unit's data cache */
#define NATIVE_CROSS_CORE_FLAGS TWIN_STEP_CROSS_CORE_FLAGS

struct native_block;

/* Buffers of cube cores that only instructions of Ascend C use; after those of twk_buffer. */
enum native_buffer { NATIVE_BT = 5, NATIVE_FB, NATIVE_INDEX };
#define NATIVE_BT_BYTES    1024u /* bias table */
#define NATIVE_FB_BYTES    2048u /* parameters of the fixpipe */
#define NATIVE_INDEX_SHARE 4u    /* of L0B: which of four elements a sparse operand has */

/* A core of a block that has begun. */
typedef struct native_core {
    twk_place place;
    struct twin_native_run *run;
    struct native_block *block;
    native_fiber fiber;
    void (*body)(const void *args);
    uint32_t index;  /* in its block */
    bool has_cube;   /* L1, L0A, L0B, L0C; M, MTE1, FIX */
    bool has_vector; /* UB; V, MTE3 */
    bool done;
    bool full; /* its stack, when it called `op` */
    uint32_t waits_flag;
    uint32_t size[NATIVE_BUFFERS]; /* 0: it has none */
    unsigned char *buffer[NATIVE_BUFFERS];
    native_op op;     /* its newest operation */
    uint64_t counted; /* basic blocks that are in the steps */
    uint32_t printed; /* bytes of text */
    native_steps steps;
    native_hazards hazards;
    native_registers registers;
    native_poll poll;
    void *variables; /* that the core has for itself */
    size_t variables_room;
    bool variables_set;    /* in this block */
    unsigned char *prints; /* what headers of Ascend C print into (print_buffer.h); NULL: never */
    bool prints_begun;     /* in this block */
    uint32_t prints_shape; /* dimensions that the next tensor has; 0: none are given */
    uint32_t prints_dimensions[8];
    native_units units;
    uint64_t counts[2][TWIN_COUNT_KINDS]; /* of the vector unit, of the cube; if the run counts */
} native_core;

/* A flag between cores, as each core of a block has it (cross_core.h). */
typedef struct native_cross_core_flag {
    uint32_t received[NATIVE_CORES]; /* not waited for yet */
    native_clock clock[NATIVE_CORES];
    uint32_t barrier[NATIVE_CORES]; /* of the launch, that set it last; 0: a core of the block */
    uint32_t set[NATIVE_CORES];     /* to the other kind of core of the block, not received yet */
    uint32_t vector_set[NATIVE_CORES]; /* to all vector cores of the block */
    native_clock set_clock[NATIVE_CORES];
} native_cross_core_flag;

/* A wait for a barrier of the launch. */
typedef struct native_barrier_wait {
    uint32_t barrier;
    uint32_t pipe, time; /* what comes after it comes after this time of the pipe's clock */
} native_barrier_wait;

/* A block that has begun and not ended. */
typedef struct native_block {
    struct native_block *next; /* in the list of free ones */
    struct twin_native_run *run;
    uint32_t number;
    native_core cores[NATIVE_CORES];
    bool cross_core_used; /* a flag between cores was set */
    native_cross_core_flag cross_core_flags[NATIVE_CROSS_CORE_FLAGS];
    native_overlay writes;
    native_reads reads;
    size_t reads_open; /* the first so many come before a barrier that has passed */
    size_t written;    /* of the writes, before its newest set for a barrier of the launch */
    size_t clean;      /* the first so many are in no data cache */
    size_t *late;      /* writes of the run that no set has released */
    size_t late_count, late_room;
    size_t late_clean;          /* of these, in no data cache: a set may release them */
    native_barrier_wait *waits; /* the newest last */
    size_t wait_count, wait_room;
    void *buffers; /* of all cores, one mapping */
    size_t buffers_bytes;
    twin_core_properties buffers_for; /* sizes it was made for */
} native_block;

/* For a flag: how often each core of a kind has set it for the next barriers of the launch. */
typedef struct native_barrier {
    uint32_t *set;    /* by block, and vector core in it; NULL: never used */
    uint32_t present; /* cores that have */
} native_barrier;

/* Everything a run needs that is worth keeping for the next. */
typedef struct twin_native_run {
    struct twin_native_run *next; /* in the list of free ones */
    twin_native_call call;        /* args: the copy below; reach, print, hazard: while begin runs */
    unsigned char *args;
    size_t args_room;
    uint32_t core_count;  /* of a block */
    native_block **begun; /* blocks that have not ended, in their order */
    size_t begun_count, begun_room;
    native_block *spare;             /* one that has ended, for the next that begins; NULL: none */
    uint32_t first_block, end_block; /* that it runs: all, or a part of those of another run */
    uint32_t next_block;             /* that begins */
    atomic_bool *stop;               /* of a part: it need not go on; NULL: it is no part */
    native_barrier barriers[2][NATIVE_CROSS_CORE_FLAGS]; /* of cube cores, of vector cores */
    bool met;                                            /* one of these was used */
    uint32_t barrier;                                    /* the newest; 0: none yet */
    bool polled;            /* a core has waited for a write of others */
    bool hidden;            /* blocks have ended, and no block sees all of what they wrote */
    uint32_t poll_releases; /* how often cores that poll went on with nothing new */
    float *scratch;         /* for matrices; NULL until needed */
    native_memory memory;
    uint64_t constants_begin, constants_end; /* a part of the kernel's object; 0: none known */
    bool notes_reads;                        /* they are compared with writes at the end */
    native_reads reads;                      /* of blocks that have ended */
    native_step_lists lists;
    native_reported reported;
    native_fiber_host host_fiber;
    native_core *running; /* NULL: none */
    bool overflowed;
    twin_native_failure failure;
    char failure_text[832];
    native_place failure_place;
    bool named;                   /* a debugger is attached: the thread has the core's name */
    char thread_name[16];         /* and this one otherwise */
    struct native_report *report; /* that the running core waits for; NULL: none */
    char crash[96];               /* what the signal handler found */
    uintptr_t crash_code;         /* and the instruction */
    uint64_t crash_address;
} twin_native_run;

/* The core that calls: found by its stack. */
static inline native_core *native_self(void)
{
    return native_fiber_head()->owner;
}

/* The kernel fails in `core`. Does not return. `address`: NULL, or of global memory. The text says
 * what, the rest of the line says where. */
void twin_native_fail(native_core *core, twin_native_fault fault, const uint64_t *address,
                      const char *format, ...) __attribute__((noreturn, format(printf, 4, 5)));
/* The same in the operation that the core does, whose name comes first in the text; not for an
 * address. */
void twin_native_refuse(native_core *core, twin_native_fault fault, const char *format, ...)
    __attribute__((cold, noreturn, format(printf, 3, 4)));
/* The kernel has failed in `core`, which does not run. */
void twin_native_fail_core(native_core *core, twin_native_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The launch itself is wrong: no core has begun. */
void twin_native_fail_run(struct twin_native_run *run, twin_native_fault fault, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));
/* `amount` of TWIN_STEP_FAULT. */
uint64_t twin_native_fault_step(twin_native_fault fault);
/* Other cores run, of this block and others. */
void twin_native_wait(native_core *core);
/* The core's stack is full in the operation: the kernel fails, as above, and needs no more of the
 * stack for it. */
void twin_native_fail_full(native_core *core, native_op op) __attribute__((noreturn));
/* ", cube core" and the like in a mixed block, else "". */
static inline const char *twin_native_core_name(const native_core *core)
{
    static const char *const names[] = {", cube core", ", vector core 0", ", vector core 1",
                                        ", vector core 2"};
    return core->run->core_count > 1 ? names[core->index] : "";
}

/* Whether copies and operations have their effect. */
static inline bool native_computes(const native_core *core)
{
    return !core->run->call.timing_only;
}

/* Whether results that are infinite or NaN become numbers. */
static inline bool native_saturates(const native_core *core)
{
    return (core->registers.ctrl & NATIVE_CTRL_NO_SATURATION) == 0;
}
/* The same of the vector unit, which does so with 16 bits alone. */
static inline bool native_vector_saturates(const native_core *core, uint32_t type)
{
    return (type == TWK_FP16 || type == TWK_BF16) && native_saturates(core);
}

/* The pipe has computed something. */
static inline void native_count(native_core *core, twin_pipe pipe, uint32_t what, uint64_t amount)
{
    if (__builtin_expect(core->run->call.counts, 0))
        core->counts[pipe == TWIN_PIPE_CUBE][what] += amount;
}

/* Bytes of an element; 0: no type. */
static inline uint32_t native_size_of(uint32_t type)
{
    static const uint8_t sizes[] = {1, 2, 4, 1, 2, 4, 2, 4, 2};
    return type < sizeof(sizes) ? sizes[type] : 0;
}

#define NATIVE_COLD __attribute__((cold, noinline))

/* The core that calls `op`, with the stack that operations need; else the kernel fails. They run in
 * functions of the process, where a full stack could not be repaired: some hold locks. */
#define NATIVE_STACK_LEAST ((uintptr_t)24 << 10)

static inline native_core *native_caller(native_op op)
{
    native_core *core = native_self();
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(here - (uintptr_t)core->fiber.stack < NATIVE_STACK_LEAST, 0))
        twin_native_fail_full(core, op);
    return core;
}

#endif
