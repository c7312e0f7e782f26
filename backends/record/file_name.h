/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a recording: who has it, and how a new file gets it. */
#ifndef TWINRT_RECORD_FILE_NAME_H
#define TWINRT_RECORD_FILE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* "%p" becomes the number of the process. False: it is too long, or empty. */
bool record_name_expand(const char *path, char *out, size_t room);
/* Whether another process writes the recording at `path`. A negative errno: what is there may not
 * be replaced. */
int record_name_taken(const char *path);
/* Gives the new file `temporary` its name, followed by the number of the process when another
 * process writes the file of that name; `path` becomes it. 0 or a negative errno. */
int record_name_give(char *path, size_t room, const char *temporary);

#endif
