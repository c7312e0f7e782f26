/* SPDX-License-Identifier: Apache-2.0 */
/* What a run consists of: the bench on which it runs, the cores of the block under way, and what
 * they share. */
#ifndef TWINRT_KERNEL_CORE_H
#define TWINRT_KERNEL_CORE_H

#include "kernel/run.h"

#include "kernel/fiber.h"
#include "kernel/memory.h"
#include "kernel/names.h"
#include "kernel/hazard.h"
#include "kernel/steps.h"

#define NATIVE_CORES            4u /* of a block: a cube core and at most three vector cores */
#define NATIVE_BUFFERS          5u /* as twk_buffer numbers them */
#define NATIVE_CROSS_CORE_FLAGS TWIN_STEP_CROSS_CORE_FLAGS

/* A core of the block that runs. */
typedef struct native_core {
    twk_place place;
    struct twin_native_run *run;
    native_fiber fiber;
    void (*body)(const void *args);
    uint32_t index;  /* in its block */
    bool has_cube;   /* L1, L0A, L0B, L0C; M, MTE1, FIX */
    bool has_vector; /* UB; V, MTE3 */
    bool done;
    bool full;  /* its stack, when it called `op` */
    bool waits; /* for a twk_cross_core_set_flag: `waits_flag` */
    uint32_t waits_flag;
    const char *waits_op;
    uint32_t size[NATIVE_BUFFERS]; /* 0: it has none */
    unsigned char *buffer[NATIVE_BUFFERS];
    uint8_t op;       /* native_op: its newest operation */
    uint64_t counted; /* basic blocks that are in the steps */
    uint32_t printed; /* bytes of text */
    native_steps steps;
    native_hazards hazards;
} native_core;

/* A flag between the cores of a mixed block: from the cube core to vector core i - 1 (to[i]), and
 * from that one back. */
typedef struct native_cross_core_flag {
    uint32_t to[NATIVE_CORES], back[NATIVE_CORES];
    native_clock to_clock[NATIVE_CORES], back_clock[NATIVE_CORES];
} native_cross_core_flag;

/* Everything a run needs that is worth keeping for the next. */
typedef struct twin_native_run {
    struct twin_native_run *next; /* in the list of free ones */
    twin_native_call call;        /* args: the copy below; reach, print, hazard: while begin runs */
    unsigned char *args;
    size_t args_room;
    uint32_t core_count; /* of a block */
    native_core cores[NATIVE_CORES];
    uint32_t block;       /* under way */
    bool cross_core_used; /* a twk_cross_core_set_flag of this block has been used */
    native_cross_core_flag cross_core_flags[NATIVE_CROSS_CORE_FLAGS];
    void *buffers; /* of all cores, one mapping */
    size_t buffers_bytes;
    twin_core_properties buffers_for; /* sizes it was made for */
    float *scratch;                   /* for matrices; NULL until needed */
    native_memory memory;
    native_step_lists lists;
    native_reported reported;
    void *host; /* stack pointer of the code that resumed the core that runs */
    native_fiber_host host_fiber;
    native_core *running; /* NULL: none */
    bool overflowed;
    twin_native_failure failure;
    char failure_text[512];
    char crash[96]; /* what the signal handler found */
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
/* The core waits until `waits` is false; others of its block run. */
void twin_native_wait(native_core *core);
/* The core's stack is full in the operation: the kernel fails, as above, and needs no more of the
 * stack for it. */
void twin_native_fail_full(native_core *core, uint8_t op) __attribute__((noreturn));
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

static inline native_core *native_caller(uint8_t op)
{
    native_core *core = native_self();
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(here - (uintptr_t)core->fiber.stack < NATIVE_STACK_LEAST, 0))
        twin_native_fail_full(core, op);
    return core;
}

#endif
