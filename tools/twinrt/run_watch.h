/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a run share with `twinrt run`: whether any uses the runtime, and for
 * --stall-after whether anything moves; ends runs that take too long (--timeout). */
#ifndef TWINRT_TOOLS_RUN_WATCH_H
#define TWINRT_TOOLS_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct run_watch;

/* Makes the memory that the processes share with the tool and names it in the environment.
 * `seconds`: how long nothing may move; `timeout_s`: how long the run may take; 0: any time. NULL,
 * with a message. */
struct run_watch *run_watch_new(unsigned seconds, unsigned timeout_s);
void run_watch_free(struct run_watch *watch);
/* Whether a process of the run has started a device, or has tried to. */
bool run_watch_used(const struct run_watch *watch);

/* Looks once; call it about every RUN_WATCH_STEP_MS. `program`: the child. True: it ends processes,
 * or has ended some. */
#define RUN_WATCH_STEP_MS 250
bool run_watch_look(struct run_watch *watch, int32_t program);
/* Whether the run has been ended as it took too long. */
bool run_watch_timed_out(const struct run_watch *watch);
/* `own`: a child of the tool that does not belong to the run. */
void run_watch_leave_out(struct run_watch *watch, int32_t own);
/* That child has ended and was waited for: its number may be another process's. */
void run_watch_gone(struct run_watch *watch, int32_t id);
/* The program has ended, and the run took too long: ends its remaining processes. */
void run_watch_end_rest(const struct run_watch *watch);

#endif
