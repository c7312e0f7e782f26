/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the sources of native kernels, for messages. */
#ifndef TWINRT_CORE_IMAGE_SOURCE_LINE_H
#define TWINRT_CORE_IMAGE_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As `line` of twin_native_call. Reads debug information; false also if the plug-in that does so is
 * not installed. Thread: any. */
bool twin_source_line(void *user, const uintptr_t *code, size_t count, char *out, size_t out_bytes);

#endif
