/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a kernel's source an operation is called, for messages. */
#ifndef TWINRT_KERNEL_SOURCE_LINE_H
#define TWINRT_KERNEL_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

#define NATIVE_FRAMES 32u

struct native_core;
struct twin_native_run;

/* Addresses of code of the kernel's object, the innermost first. */
typedef struct native_place {
    uintptr_t code[NATIVE_FRAMES];
    size_t count;
} native_place;

/* Where the kernel has called the operation that is under way. On the core's stack. */
void twin_native_place_take(const struct native_core *core, native_place *out_place);
/* Appends ", at FILE:LINE" to a text, if the line is known. Not on the core's stack, which may be
 * too small. */
void twin_native_place_append(const struct twin_native_run *run, const native_place *place,
                              char *text, size_t text_bytes);

#endif
