/* SPDX-License-Identifier: Apache-2.0 */
/* Output files of a program. */
#ifndef TWINRT_TOOLS_OUTPUT_FILES_H
#define TWINRT_TOOLS_OUTPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct output_file {
    char *path;
    char *name; /* its final name */
};

struct output_files {
    struct output_file *items;
    size_t count;
};

/* The regular files that processes make of a name: "%p" in it is the number of any process, and "."
 * with such a number may follow it. Their final names lack `mark`, which is in the path once.
 * False: out of memory, `out` is empty. */
bool output_files_find(const char *name, const char *mark, struct output_files *out);
void output_files_free(struct output_files *files);

/* Removes a folder and the files in it. */
void output_files_remove(const char *folder);

#endif
