/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a run share with `twinrt run`: whether any uses the runtime, and for --stall-after whether anything moves. */
#ifndef TWINRT_TOOLS_RUN_STALL_H
#define TWINRT_TOOLS_RUN_STALL_H

#include <stdbool.h>

struct run_stall;

/* Makes the memory that the processes share with the tool and names it in the environment. `seconds`: how long nothing may
 * move; 0: any time. NULL, with a message. */
struct run_stall *run_stall_new(unsigned seconds);
void run_stall_free(struct run_stall *stall);
/* Whether a process of the run has started a device, or has tried to. */
bool run_stall_used(const struct run_stall *stall);

/* Looks once; call it about every RUN_STALL_STEP_MS. True: it ends processes, or has ended some. */
#define RUN_STALL_STEP_MS 250
bool run_stall_look(struct run_stall *stall);

#endif
