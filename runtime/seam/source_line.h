/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-in that reads debug information of kernels: apart from the runtime, for it needs
 * libdw. */
#ifndef TWINRT_SEAM_SOURCE_LINE_H
#define TWINRT_SEAM_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TWIN_SOURCE_LINE_PLUGIN "source-line.so"
#define TWIN_SOURCE_LINE_ENTRY  "twin_source_line_find"

/* The source line of the code at the offsets of a file, which call each other, the innermost first:
 * the innermost place in the source that was compiled, and the place in a header that it comes
 * through. One thread at a time. false: not known. */
typedef bool (*twin_source_line_fn)(const char *path, const uint64_t *offsets, size_t count,
                                    char *out, size_t out_bytes);

#endif
