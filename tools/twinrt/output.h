/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands write: files, and what they print. */
#ifndef TWINRT_TOOLS_OUTPUT_H
#define TWINRT_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A file to write; a new one gets the permissions `mode` without the bits of the umask. NULL: errno
 * says why. */
FILE *output_create(const char *path, mode_t mode);
/* Whether output_create() could make a file beside `path` and give it that name. False: errno says
 * why not. Leaves nothing. */
bool output_is_possible(const char *path);
/* Whether two paths are names of one regular file, or will be: one that is not there yet is known
 * by its folder and name. */
bool output_is_same_file(const char *a, const char *b);
/* Writes out what was printed. False, with a message: some of it is lost. */
bool output_flush(void);

#endif
