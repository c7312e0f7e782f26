/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there whole or not at all, readable by its owner alone. */
#ifndef TWINRT_SIM_OBSERVE_ATOMIC_FILE_H
#define TWINRT_SIM_OBSERVE_ATOMIC_FILE_H

#include <stdio.h>
#include <sys/types.h>

/* Has `write` fill a private temporary file beside `name`, then renames it. "%p" in `name` is the
 * number of the process. Nothing but a regular file is ever replaced: a symbolic link, device or
 * pipe there is refused. `write` returns 0 or a negative errno. Returns the same. */
int sim_output_write(const char *name, int (*write)(FILE *file, void *context), void *context);

/* The process that names are made for: a forked child may write in its place. */
void sim_output_begin(pid_t process);
/* From now on a signal that ends the process removes the temporary file that is being written. */
void sim_output_remove_on_signals(void);
/* The reason of a failure, for a message. */
const char *sim_output_reason(int error);

#endif
