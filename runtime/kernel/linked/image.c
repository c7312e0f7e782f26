/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into every shared object of kernels: the record that the runtime looks for, and what
 * kernels call that is not an inline function. Compiled without -fsanitize-coverage, unlike the
 * kernels: the counter does not count itself. */
#include "twinrt/kernel.h"

#include <stdio.h>
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

TWK_HIDDEN void twk_print_values_(bool named, const char *format, uint32_t count,
                                  const uint64_t *values);
void twk_print_values_(bool named, const char *format, uint32_t count, const uint64_t *values)
{
    twk_slot->print_values(named, format, count, values);
}

/* Whether a kernel runs on this stack. */
static bool in_kernel(uintptr_t here)
{
    return twk_slot && here - twk_slot->stacks < twk_slot->stacks_bytes;
}

/* What assert() calls: the kernel fails, and the process lives. */
TWK_HIDDEN void __assert_fail(const char *expression, const char *file, unsigned line,
                              const char *function) __attribute__((noreturn));
TWK_HIDDEN void twk_assert_fail_(const char *expression) __attribute__((noreturn));
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    if (!in_kernel((uintptr_t)__builtin_frame_address(0))) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
        abort();
    }
    const uint64_t values[] = {(uintptr_t)file, line, (uintptr_t)function, (uintptr_t)expression};
    twk_print_values_(true, "[ASSERT] %s:%u: %s: Assertion `%s' failed.\n", 4, values);
    twk_assert_fail_(expression);
}

void twk_assert_fail_(const char *expression)
{
    char text[512];
    snprintf(text, sizeof(text), "assertion `%s' failed", expression);
    twk_stop(text);
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
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(!in_kernel(here), 0))
        return;
    twk_count *count = (twk_count *)((here | (TWK_STACK_BYTES - 1)) + 1) - 1;
    if (__builtin_expect(++count->blocks >= count->most, 0))
        twk_slot->spent();
}

/* ---- what twinrt-cc makes of sources in Ascend C --------------------------------------------- */

#define PIECE 64u /* bytes that a copy between spaces moves at once */

TWK_HIDDEN uint64_t twk_instruct_any_(const twk_instruction *instruction);
TWK_HIDDEN uint64_t twk_instruct_cube_(const twk_instruction *instruction);
TWK_HIDDEN uint64_t twk_instruct_vector_(const twk_instruction *instruction);
TWK_HIDDEN void twk_pointer_load_(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                                  uint64_t bytes, void *to);
TWK_HIDDEN void twk_pointer_store_(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                                   uint64_t bytes, const void *from);
TWK_HIDDEN void twk_pointer_move_(uint32_t space, uint32_t align, uint64_t address,
                                  uint32_t from_space, uint32_t from_align, uint64_t from,
                                  uint64_t bytes);
TWK_HIDDEN void twk_pointer_fill_(uint32_t space, uint32_t align, uint64_t address, uint8_t value,
                                  uint64_t bytes);
TWK_HIDDEN void *twk_core_variables_(const void *initial, uint64_t bytes);

uint64_t twk_instruct_any_(const twk_instruction *instruction)
{
    return twk_slot->instruct(instruction);
}

uint64_t twk_instruct_cube_(const twk_instruction *instruction)
{
    return twk_slot->instruct(instruction);
}

uint64_t twk_instruct_vector_(const twk_instruction *instruction)
{
    return twk_slot->instruct(instruction);
}

void twk_pointer_load_(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                       uint64_t bytes, void *to)
{
    twk_slot->load(space, type, align, address, bytes, to);
}

void twk_pointer_store_(uint32_t space, uint32_t type, uint32_t align, uint64_t address,
                        uint64_t bytes, const void *from)
{
    twk_slot->store(space, type, align, address, bytes, from);
}

/* Backwards where the ranges overlap and the target is the later one. */
void twk_pointer_move_(uint32_t space, uint32_t align, uint64_t address, uint32_t from_space,
                       uint32_t from_align, uint64_t from, uint64_t bytes)
{
    const bool backwards = space == from_space && address > from && address - from < bytes;
    unsigned char piece[PIECE];
    for (uint64_t done = 0; done < bytes;) {
        const uint64_t size = bytes - done < PIECE ? bytes - done : PIECE;
        const uint64_t at = backwards ? bytes - done - size : done;
        const uint32_t whole = (at & 7) == 0 ? 8 : 1; /* what alignment is left there */
        twk_slot->load(from_space, TWK_NO_TYPE, from_align < whole ? from_align : whole, from + at,
                       size, piece);
        twk_slot->store(space, TWK_NO_TYPE, align < whole ? align : whole, address + at, size,
                        piece);
        done += size;
    }
}

void twk_pointer_fill_(uint32_t space, uint32_t align, uint64_t address, uint8_t value,
                       uint64_t bytes)
{
    unsigned char piece[PIECE];
    for (uint32_t i = 0; i < PIECE; i++)
        piece[i] = value;
    for (uint64_t done = 0; done < bytes; done += PIECE)
        twk_slot->store(space, TWK_NO_TYPE, align, address + done,
                        bytes - done < PIECE ? bytes - done : PIECE, piece);
}

void *twk_core_variables_(const void *initial, uint64_t bytes)
{
    return twk_slot->core_variables(initial, bytes);
}
