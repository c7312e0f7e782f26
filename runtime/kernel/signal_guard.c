/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/signal_guard.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "kernel/core.h"

#define HANDLER_STACK ((size_t)1 << 16)
#define SIGNALS       4u

static const int signals[SIGNALS] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV};
static struct sigaction earlier[SIGNALS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t stack_key;
/* The thread's own. The model keeps the handler from asking for memory, on threads that never ran a
 * kernel. */
static _Thread_local twin_native_run *watched __attribute__((tls_model("initial-exec")));
static _Thread_local bool has_stack __attribute__((tls_model("initial-exec")));

/* ---- the interrupted code -------------------------------------------------------------------- */

static uintptr_t interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static uintptr_t stack_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return (uintptr_t)context->uc_mcontext.sp;
#endif
}

/* Returning from the handler goes on in `function`, on an empty stack of the core. */
static void go_on_in(ucontext_t *context, void (*function)(void), unsigned char *top)
{
#if defined(__x86_64__)
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)(top - 24); /* as after a call */
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x400;               /* the direction flag */
#else
    context->uc_mcontext.pc = (uintptr_t)function;
    context->uc_mcontext.sp = (uintptr_t)(top - 32);
    context->uc_mcontext.regs[29] = 0;
    context->uc_mcontext.regs[30] = 0;
#endif
}

typedef struct two_places {
    uintptr_t kernel, instruction;
    bool same;
} two_places;

static int look_at_object(struct dl_phdr_info *info, size_t size, void *user)
{
    two_places *places = user;
    bool kernel = false, instruction = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        kernel = kernel || (places->kernel >= begin && places->kernel < begin + part->p_memsz);
        instruction = instruction ||
                      (places->instruction >= begin && places->instruction < begin + part->p_memsz);
    }
    places->same = kernel && instruction;
    return kernel || instruction;
}

/* Whether the instruction is of the object that the kernel is of. It is code of the kernel that was
 * interrupted, or code that it called: nothing of the dynamic linker unless the kernel called that,
 * whose lock lets the same thread in. */
static bool is_of_kernel(const native_core *core, uintptr_t instruction)
{
    two_places places = {.kernel = (uintptr_t)core->body, .instruction = instruction};
    dl_iterate_phdr(look_at_object, &places);
    return places.same;
}

/* On the core's stack, which is empty: what ran there is over. */
static void landed(void)
{
    native_core *core = native_self();
    twin_native_run *run = core->run;
    run->failure_place = (native_place){.code = {run->crash_code}, .count = 1};
    twin_native_fail(core, TWIN_NATIVE_CRASH, &run->crash_address, "%s", run->crash);
}

static bool take(int number, const siginfo_t *info, ucontext_t *context)
{
    twin_native_run *run = watched;
    native_core *core = run ? run->running : NULL;
    if (!core || info->si_code <= 0) /* sent by a process */
        return false;
    const uintptr_t stack = stack_of(context), bottom = (uintptr_t)core->fiber.stack;
    const uintptr_t address = (uintptr_t)info->si_addr;
    if (stack - bottom > TWK_STACK_BYTES || !is_of_kernel(core, interrupted_at(context)))
        return false;
    const char *what = number == SIGFPE   ? "arithmetic fault (a division by 0) at"
                       : number == SIGILL ? "illegal instruction at"
                       : address - bottom < TWK_STACK_BYTES
                           ? "its stack of 256 KiB is full; it wanted"
                           : "its own code, not an operation, accessed";
    run->crash_address = address;
    run->crash_code = interrupted_at(context);
    snprintf(run->crash, sizeof(run->crash), "%s 0x%llx", what, (unsigned long long)address);
    run->running = NULL;
    go_on_in(context, landed, (unsigned char *)native_fiber_head_of(&core->fiber));
    return true;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    if (take(number, info, context))
        return;
    for (uint32_t i = 0; i < SIGNALS; i++) {
        if (signals[i] != number)
            continue;
        if (earlier[i].sa_flags & SA_SIGINFO) {
            earlier[i].sa_sigaction(number, info, context);
        } else if (earlier[i].sa_handler != SIG_DFL && earlier[i].sa_handler != SIG_IGN) {
            earlier[i].sa_handler(number);
        } else if (earlier[i].sa_handler == SIG_DFL || info->si_code > 0) {
            /* A fault happens again on return, and ends the process the plain way; what was sent is
             * sent again. */
            struct sigaction plain = {.sa_handler = SIG_DFL};
            sigaction(number, &plain, NULL);
            if (info->si_code <= 0)
                raise(number);
        }
    }
}

/* ---- handlers and their stacks --------------------------------------------------------------- */

static void drop_stack(void *stack)
{
    stack_t off = {.ss_flags = SS_DISABLE};
    stack_t present;
    if (sigaltstack(NULL, &present) == 0 && present.ss_sp == stack)
        sigaltstack(&off, NULL);
    munmap(stack, HANDLER_STACK);
}

static void install(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_signal;
    sigemptyset(&action.sa_mask);
    if (pthread_key_create(&stack_key, drop_stack) != 0)
        return;
    for (uint32_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &earlier[i]);
}

/* A handler cannot run on a stack that is full. */
static void give_stack(void)
{
    stack_t present;
    has_stack = true;
    if (sigaltstack(NULL, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0)
        return;
    void *stack = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return;
    const stack_t wanted = {.ss_sp = stack, .ss_size = HANDLER_STACK};
    if (sigaltstack(&wanted, NULL) != 0 || pthread_setspecific(stack_key, stack) != 0)
        munmap(stack, HANDLER_STACK);
}

bool twin_native_passes_on(void (*handler)(int number, siginfo_t *info, void *context))
{
    return handler == on_signal;
}

twin_native_run *twin_native_signal_guard(twin_native_run *run)
{
    twin_native_run *before = watched;
    pthread_once(&once, install);
    if (!has_stack)
        give_stack();
    watched = run;
    return before;
}
