/* SPDX-License-Identifier: Apache-2.0 */
/* A report that CI collects: a regular file has its name once it is whole, and no earlier one has the name meanwhile. What is not a
 * regular file (a pipe, a terminal, a device) is written directly. */
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

/* Removes a regular file at `path` and sees whether a new one can be made, or opens what is there instead; a FIFO is opened once
 * a process reads it. Makes the last folder of `path` if it is missing. A file that cannot be removed from its folder is emptied. False: errno says why. */
bool report_file_prepare(struct report_file *file, const char *path);
/* What the report is to be written to. NULL: errno says why. */
FILE *report_file_open(struct report_file *file);
/* Closes it and gives it its name. `whole`: false: there is to be none. False: errno says why it is not there in full. */
bool report_file_close(struct report_file *file, bool whole);
/* When it is not needed any more, also if it was never opened. */
void report_file_free(struct report_file *file);

#endif
