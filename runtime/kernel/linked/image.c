/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into every shared object of kernels: the record that the runtime looks for, and what
 * kernels call that is not an inline function. Compiled without -fsanitize-coverage, unlike the
 * kernels: the counter does not count itself. */
#include "twinrt/kernel.h"

#include <stdlib.h>

/* The linker gives both, where at least one kernel is linked. (It exports them too, unless
 * -z start-stop-visibility=hidden or a version script prevents that.) */
extern const twk_kernel_entry *const __start_twk_kernels[] TWK_HIDDEN __attribute__((weak));
extern const twk_kernel_entry *const __stop_twk_kernels[] TWK_HIDDEN __attribute__((weak));

extern const twk_variable_entry *const __start_twk_variables[] TWK_HIDDEN __attribute__((weak));
extern const twk_variable_entry *const __stop_twk_variables[] TWK_HIDDEN __attribute__((weak));

const twk_ops *twk_slot;

extern const struct twk_image twk_image __attribute__((visibility("default")));
const struct twk_image twk_image = {
    .magic = TWK_IMAGE_MAGIC,
    .size = sizeof(twk_image),
    .version = TWK_VERSION,
    .ops_bytes = sizeof(twk_ops),
    .begin = __start_twk_kernels,
    .end = __stop_twk_kernels,
    .ops = &twk_slot,
    .variables = __start_twk_variables,
    .variables_end = __stop_twk_variables,
};

void twk_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    twk_slot->print(format, args);
    va_end(args);
}

void twk_stop(const char *text)
{
    twk_slot->trap(text);
    abort();
}

/* Called by the compiler's order at each basic block: of a kernel, and of constructors and
 * destructors, which run on stacks of other people. */
void __sanitizer_cov_trace_pc(void);
TWK_HIDDEN void __sanitizer_cov_trace_pc(void)
{
    const twk_ops *ops = twk_slot;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(!ops || here - ops->stacks >= ops->stacks_bytes, 0))
        return;
    twk_count *count = (twk_count *)((here | (TWK_STACK_BYTES - 1)) + 1) - 1;
    if (__builtin_expect(++count->blocks >= count->most, 0))
        ops->spent();
}
