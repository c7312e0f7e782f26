/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels print: texts of native kernels, and formats with values, as Ascend C has them. */
#ifndef TWINRT_KERNEL_PRINT_H
#define TWINRT_KERNEL_PRINT_H

#include <stdarg.h>

#include "kernel/core.h"

#define NATIVE_PRINT_MOST (1u << 20) /* bytes that a core of a block prints */

/* A text that grows. Ended by free(at). */
typedef struct native_text {
    char *at; /* NULL: empty */
    size_t length, room;
    bool no_memory; /* what was added since is not in it */
} native_text;

void twin_native_text_add(native_text *text, const char *bytes, size_t length);
void twin_native_text_format(native_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The values of a format: integers extended to 64 bits, bits of FP32, and strings. */
typedef struct native_values {
    const uint64_t *list;
    uint64_t count;
    /* Appends the string that value `index` is. false: it is none. */
    bool (*string)(const struct native_values *values, uint64_t index, native_text *out);
    void *user;
} native_values;

/* The text of a format of C. Integers print all of their 64 bits. A conversion that is not known,
 * or has no value, is printed as it is; a character of 0 is left out. Ends early in a text that is
 * longer than a core prints. false: a string is none. */
bool twin_native_text_values(native_text *text, const char *format, const native_values *values);
/* A string in global memory, or on the stack or in the object of the kernel. false: none is
 * there. */
bool twin_native_text_string(native_text *text, native_core *core, uint64_t address);
/* On the output of the program. The text is freed. */
void twin_native_print_out(native_core *core, native_text *text);

/* Constants of the kernel's object, which pointers to global memory may name. NULL: the bytes are
 * not there. */
const void *twin_native_constant(native_core *core, uint64_t address, uint64_t bytes);

/* The operations, as the table has them. */
void twin_native_print(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
void twin_native_print_values(bool named, const char *format, uint32_t count,
                              const uint64_t *values);

#endif
