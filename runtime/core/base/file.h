/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in memory. */
#ifndef TWINRT_CORE_BASE_FILE_H
#define TWINRT_CORE_BASE_FILE_H

#include <stddef.h>

typedef struct twin_file {
    char *text; /* a NUL follows its last byte; the caller frees it with twin_free() */
    size_t bytes;
    char why[96]; /* of a failure: the reason, to follow the name of the file */
} twin_file;

/* Reads a regular file of up to `most` bytes. 0, or an errno: then `text` is NULL and `why` is
 * set. */
int twin_file_read(const char *path, size_t most, twin_file *out);

#endif
