/* SPDX-License-Identifier: Apache-2.0 */
/* A report that CI collects. A regular file gets its name when it is complete, and an earlier file
 * of that name is removed first. Other files (a pipe, a terminal, a device) are written
 * directly. */
#ifndef TWINRT_TOOLS_REPORT_FILE_H
#define TWINRT_TOOLS_REPORT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct report_file {
    const char *path;         /* the caller's, outlives this */
    FILE *file;               /* NULL: not open */
    char temporary[PATH_MAX]; /* name until it is whole; empty: it is written in place */
};

/* Removes a regular file at `path` and checks that a new one can be made, or opens what is there
 * instead; a FIFO is opened once a process reads it. Makes the last folder of `path` if it is
 * missing. A file that cannot be removed from its folder is emptied. False: errno says why. */
bool report_file_prepare(struct report_file *file, const char *path);
/* The stream to write the report to. NULL: errno says why. */
FILE *report_file_open(struct report_file *file);
/* Closes it and gives it its name. `whole`: false: removes it. False: errno says why it is missing
 * or incomplete. */
bool report_file_close(struct report_file *file, bool whole);
/* Also for a file that was never opened. */
void report_file_free(struct report_file *file);

#endif
