/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to and from memory of the program, which may not be there: the copy fails, and the process
 * gets no signal. */
#ifndef TWINRT_SIM_MEMORY_GUARDED_COPY_H
#define TWINRT_SIM_MEMORY_GUARDED_COPY_H

#include <stdbool.h>
#include <stdint.h>

/* As memmove. False: a page of a side is missing, or does not have the right; a part of the bytes
 * may have been copied. Thread: any. */
bool sim_guarded_copy(void *to, const void *from, uint64_t bytes);

/* Puts handlers of SIGSEGV and SIGBUS in place, which end such copies, and hand all other faults to
 * `report` and then to the handlers before them. Thread: init. */
void sim_guarded_copy_install(void (*report)(uint64_t address));
/* Restores the earlier handlers unless others were installed since. */
void sim_guarded_copy_remove(void);

#endif
