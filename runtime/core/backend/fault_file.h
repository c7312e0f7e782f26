/* SPDX-License-Identifier: Apache-2.0 */
/* Files that describe faults; docs/faults.md says how they look. */
#ifndef TWINRT_CORE_BACKEND_FAULT_FILE_H
#define TWINRT_CORE_BACKEND_FAULT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "seam/backend.h"

#define TWIN_FAULT_FILE_MOST 256u /* faults */

typedef enum twin_fault_file_result {
    TWIN_FAULT_FILE_GOOD,
    TWIN_FAULT_FILE_UNREADABLE,
    TWIN_FAULT_FILE_BAD /* what it holds */
} twin_fault_file_result;

/* A fault of that kind that hits the first of whatever fits. */
void twin_fault_defaults(twin_fault *fault, twin_fault_kind kind);
/* Understands a text of `bytes` bytes with a NUL after them. On failure `message` says where and
 * what to do. */
twin_fault_file_result twin_fault_file_parse(const char *text, size_t bytes,
                                             twin_fault list[TWIN_FAULT_FILE_MOST],
                                             size_t *out_count, char *message, size_t room);
/* The same for a file; `message` begins with its path. */
twin_fault_file_result twin_fault_file_read(const char *path, twin_fault list[TWIN_FAULT_FILE_MOST],
                                            size_t *out_count, char *message, size_t room);
/* Injects all that a file describes on a table, or nothing. TWIN_OK, or `message` says why not. */
twin_status twin_fault_file_load(const struct twin_backend *table, const char *path, char *message,
                                 size_t room);

#endif
