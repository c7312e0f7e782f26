/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a run share with `twinrt run`: whether any uses the runtime, and for --stall-after whether anything moves;
 * ends runs that take too long (--timeout). */
#ifndef TWINRT_TOOLS_RUN_STALL_H
#define TWINRT_TOOLS_RUN_STALL_H

#include <stdbool.h>
#include <stdint.h>

struct run_stall;

/* Makes the memory that the processes share with the tool and names it in the environment. `seconds`: how long nothing may
 * move; `timeout_s`: how long the run may take; 0: any time. NULL, with a message. */
struct run_stall *run_stall_new(unsigned seconds, unsigned timeout_s);
void run_stall_free(struct run_stall *stall);
/* Whether a process of the run has started a device, or has tried to. */
bool run_stall_used(const struct run_stall *stall);

/* Looks once; call it about every RUN_STALL_STEP_MS. `program`: the child. True: it ends processes, or has ended some. */
#define RUN_STALL_STEP_MS 250
bool run_stall_look(struct run_stall *stall, int32_t program);
/* Whether the run has been ended as it took too long. */
bool run_stall_timed_out(const struct run_stall *stall);

#endif
