/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/fiber.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif

#ifdef ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

/* ---- the switch ------------------------------------------------------------------------------ */

/* Keeps what a call keeps on the stack, the stack pointer in *from, and goes on where `to` was
 * kept. */
#if defined(__x86_64__)
void twin_native_switch(void **from, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl twin_native_switch\n"
        ".hidden twin_native_switch\n"
        ".type twin_native_switch, @function\n"
        "twin_native_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size twin_native_switch, .-twin_native_switch\n");
#define KEPT_WORDS 6u
/* At its first instruction a function finds its return address at the stack pointer, which is 8 off
 * a multiple of 16. */
static void *first_frame(unsigned char *top, void (*entry)(void))
{
    uint64_t *frame = (uint64_t *)(void *)(top - 32) - KEPT_WORDS;
    memset(frame, 0, 8 * (KEPT_WORDS + 4));
    frame[KEPT_WORDS] = (uintptr_t)entry;
    return frame;
}
#elif defined(__aarch64__)
void twin_native_switch(void **from, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl twin_native_switch\n"
        ".hidden twin_native_switch\n"
        ".type twin_native_switch, %function\n"
        "twin_native_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size twin_native_switch, .-twin_native_switch\n");
static void *first_frame(unsigned char *top, void (*entry)(void))
{
    uint64_t *frame = (uint64_t *)(void *)(top - 160);
    memset(frame, 0, 160);
    frame[11] = (uintptr_t)entry; /* x30 */
    return frame;
}
#else
#error "kernels run on x86-64 and AArch64 hosts: other hosts need a switch of stacks here"
#endif

/* ---- fibers ---------------------------------------------------------------------------------- */

#define STACKS_MOST 4096u

/* Stacks side by side in one range of addresses, which takes no memory until they are used. */
static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *stacks;       /* written once */
static uint32_t stack_count;        /* that there is room for */
static uint32_t stacks_used;        /* from the first on; guarded by stacks_lock */
static uint16_t spare[STACKS_MOST]; /* guarded by stacks_lock: among them, those released */
static uint32_t spare_count;        /* guarded by stacks_lock */

uintptr_t twin_native_fiber_region(uintptr_t *out_bytes)
{
    const size_t bytes = (size_t)TWK_STACK_BYTES;
    for (uint32_t count = STACKS_MOST; count >= 64 && !stacks; count /= 4) {
        unsigned char *map = mmap(NULL, (count + 1) * bytes, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map == MAP_FAILED)
            continue;
        stacks = (unsigned char *)(((uintptr_t)map + bytes - 1) & ~(uintptr_t)(bytes - 1));
        stack_count = count;
    }
    *out_bytes = stack_count * bytes;
    return (uintptr_t)stacks;
}

bool twin_native_fiber_make(native_fiber *fiber)
{
    const size_t bytes = (size_t)TWK_STACK_BYTES;
    uint32_t number = STACKS_MOST;
    pthread_mutex_lock(&stacks_lock);
    if (spare_count > 0)
        number = spare[--spare_count];
    else if (stacks_used < stack_count)
        number = stacks_used++;
    pthread_mutex_unlock(&stacks_lock);
    if (number == STACKS_MOST)
        return false;
    unsigned char *stack = stacks + number * bytes;
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    *fiber = (native_fiber){.stack = stack};
    if (mprotect(stack + guard, bytes - guard, PROT_READ | PROT_WRITE) == 0)
        return true;
    twin_native_fiber_free(fiber);
    return false;
}

void twin_native_fiber_free(native_fiber *fiber)
{
    if (!fiber->stack)
        return;
#ifdef THREAD_SANITIZER
    if (fiber->sanitizer)
        __tsan_destroy_fiber(fiber->sanitizer);
#endif
#ifdef ADDRESS_SANITIZER
    __asan_unpoison_memory_region(fiber->stack, TWK_STACK_BYTES);
#endif
    madvise(fiber->stack, (size_t)TWK_STACK_BYTES, MADV_DONTNEED);
    pthread_mutex_lock(&stacks_lock);
    spare[spare_count++] = (uint16_t)((size_t)(fiber->stack - stacks) / (size_t)TWK_STACK_BYTES);
    pthread_mutex_unlock(&stacks_lock);
    *fiber = (native_fiber){0};
}

void twin_native_fiber_reset(native_fiber *fiber, void (*entry)(void))
{
#ifdef ADDRESS_SANITIZER
    __asan_unpoison_memory_region(fiber->stack, TWK_STACK_BYTES);
    fiber->sanitizer = NULL;
#endif
#ifdef THREAD_SANITIZER
    if (fiber->sanitizer)
        __tsan_destroy_fiber(fiber->sanitizer);
    fiber->sanitizer = __tsan_create_fiber(0);
#endif
    fiber->at = first_frame((unsigned char *)native_fiber_head_of(fiber), entry);
}

void twin_native_fiber_resume(native_fiber_host *host, native_fiber *fiber)
{
#ifdef ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&host->sanitizer, fiber->stack, TWK_STACK_BYTES);
#endif
#ifdef THREAD_SANITIZER
    host->sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->sanitizer, 0);
#endif
    twin_native_switch(&host->at, fiber->at);
#ifdef ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(host->sanitizer, NULL, NULL);
#endif
}

void twin_native_fiber_leave(native_fiber_host *host, native_fiber *fiber)
{
#ifdef ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&fiber->sanitizer, host->stack, host->stack_bytes);
#endif
#ifdef THREAD_SANITIZER
    __tsan_switch_to_fiber(host->sanitizer, 0);
#endif
    twin_native_switch(&fiber->at, host->at);
    twin_native_fiber_arrived(host, fiber);
}

void twin_native_fiber_arrived(native_fiber_host *host, const native_fiber *fiber)
{
#ifdef ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fiber->sanitizer, &host->stack, &host->stack_bytes);
#else
    (void)host;
    (void)fiber;
#endif
}
