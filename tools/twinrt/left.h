/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a program has left behind. */
#ifndef TWINRT_TOOLS_LEFT_H
#define TWINRT_TOOLS_LEFT_H

#include <stdbool.h>
#include <stddef.h>

struct left_file {
    char *path;
    char *name; /* what it is to be called */
};

struct left_files {
    struct left_file *items;
    size_t count;
};

/* The regular files that processes make of a name: "%p" in it is the number of any process, and "." with such a number may
 * come behind it. Their own names lack `mark`, which stands in the path once. False: out of memory, `out` is empty. */
bool left_find(const char *name, const char *mark, struct left_files *out);
void left_free(struct left_files *files);

/* Removes a folder and the files in it. */
void left_remove(const char *folder);

#endif
