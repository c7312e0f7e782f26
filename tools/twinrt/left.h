/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a program is to leave behind: which of them are there, and which are new. */
#ifndef TWINRT_TOOLS_LEFT_H
#define TWINRT_TOOLS_LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct left_file {
    char *path;
    struct stat status;
};

struct left_files {
    struct left_file *items;
    size_t count;
};

/* The regular files that processes make of a name: "%p" in it is the number of any process, and "." with such a number may
 * come behind it. False: memory is short, `out` is empty. */
bool left_find(const char *name, struct left_files *out);
/* Leaves in `now` what is not in `before`, or has changed since. */
void left_keep_new(struct left_files *now, const struct left_files *before);
void left_free(struct left_files *files);

/* Removes a folder and the files in it. */
void left_remove(const char *folder);

#endif
