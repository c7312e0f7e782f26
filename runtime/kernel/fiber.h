/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks on which cores run: switched to and left at will, in the middle of a kernel if need be. */
#ifndef TWINRT_KERNEL_FIBER_H
#define TWINRT_KERNEL_FIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "twinrt/kernel_image.h"

struct native_core;

/* At the end of each stack, which is TWK_STACK_BYTES long and aligned to that. */
typedef struct native_head {
    struct native_core *owner;
    uint64_t reserved;
    twk_count count; /* the last: what counts blocks looks here */
} native_head;

typedef struct native_fiber {
    unsigned char *stack; /* its lowest page cannot be touched; NULL: none yet */
    void *at;             /* its stack pointer while it does not run */
    void *sanitizer;      /* the sanitizer's handle of it */
} native_fiber;

/* The state of the code that resumes fibers. */
typedef struct native_fiber_host {
    void *at;
    void *sanitizer;
    const void *stack;
    size_t stack_bytes;
} native_fiber_host;

static inline native_head *native_fiber_head(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (native_head *)((here | (TWK_STACK_BYTES - 1)) + 1) - 1;
}
static inline native_head *native_fiber_head_of(const native_fiber *fiber)
{
    return (native_head *)(void *)(fiber->stack + TWK_STACK_BYTES) - 1;
}

/* The memory of all stacks; 0 bytes: no room. Once, before a fiber is made. */
uintptr_t twin_native_fiber_region(uintptr_t *out_bytes);
/* A stack. false: no memory, or too many. */
bool twin_native_fiber_make(native_fiber *fiber);
void twin_native_fiber_free(native_fiber *fiber);
/* The next resume calls `entry`, which must not return; whatever ran there is forgotten. */
void twin_native_fiber_reset(native_fiber *fiber, void (*entry)(void));
/* Runs the fiber until it leaves. */
void twin_native_fiber_resume(native_fiber_host *host, native_fiber *fiber);
/* The first thing that `entry` does. */
void twin_native_fiber_arrived(native_fiber_host *host, const native_fiber *fiber);
/* Back to the host that resumed the fiber, which is the one that runs. */
void twin_native_fiber_leave(native_fiber_host *host, native_fiber *fiber);

#endif
