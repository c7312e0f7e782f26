/* SPDX-License-Identifier: Apache-2.0 */
/* The floating point environment of a thread: the plain one while kernels run, the thread's own
 * before and after. */
#ifndef TWINRT_KERNEL_ROUNDING_H
#define TWINRT_KERNEL_ROUNDING_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

/* On x86-64 the fenv functions load and store the whole x87 unit, which is more than an empty
 * kernel costs otherwise. Most threads have that unit as every function finds it: then two control
 * words are all there is to it. */
#if defined(__x86_64__)
#define NATIVE_X87_PLAIN 0x37fu  /* control word: all masked, to nearest, 64 bits */
#define NATIVE_X87_STATE 0x38bfu /* status word: exceptions, and the top of its stack */
#define NATIVE_SSE_PLAIN                                                                           \
    0x1f80u /* MXCSR: all masked, to nearest, no exception, denormal numbers as they are */

typedef struct native_rounding {
    bool whole; /* all of `environment`; else `sse` alone */
    uint32_t sse;
    fenv_t environment;
} native_rounding;

static inline bool native_x87_plain(void)
{
    uint16_t control, status;
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control), "=am"(status));
    return control == NATIVE_X87_PLAIN && (status & NATIVE_X87_STATE) == 0;
}

static inline void native_rounding_plain(native_rounding *out)
{
    out->whole = !native_x87_plain();
    if (__builtin_expect(out->whole, 0)) {
        fegetenv(&out->environment);
        fesetenv(FE_DFL_ENV);
        return;
    }
    out->sse = __builtin_ia32_stmxcsr();
    if (out->sse != NATIVE_SSE_PLAIN)
        __builtin_ia32_ldmxcsr(NATIVE_SSE_PLAIN);
}

static inline void native_rounding_restore(const native_rounding *kept)
{
    if (__builtin_expect(kept->whole, 0)) {
        fesetenv(&kept->environment);
        return;
    }
    if (__builtin_expect(!native_x87_plain(), 0)) /* the kernel's doing */
        __asm__ volatile("fninit");
    __builtin_ia32_ldmxcsr(kept->sse);
}
#else
typedef struct native_rounding {
    fenv_t environment;
} native_rounding;

static inline void native_rounding_plain(native_rounding *out)
{
    fegetenv(&out->environment);
    fesetenv(FE_DFL_ENV);
}

static inline void native_rounding_restore(const native_rounding *kept)
{
    fesetenv(&kept->environment);
}
#endif

#endif
