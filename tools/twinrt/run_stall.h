/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt run --stall-after`: sees whether anything moves in the processes of a run, and ends those in which nothing does. */
#ifndef TWINRT_TOOLS_RUN_STALL_H
#define TWINRT_TOOLS_RUN_STALL_H

#include <stdbool.h>

struct run_stall;

/* Makes the memory that the processes share with the tool and names it in the environment. `seconds`: how long nothing may
 * move. NULL, with a message. */
struct run_stall *run_stall_new(unsigned seconds);
void run_stall_free(struct run_stall *stall);

/* Looks once; call it about every RUN_STALL_STEP_MS. True: it ends processes, or has ended some. */
#define RUN_STALL_STEP_MS 250
bool run_stall_look(struct run_stall *stall);

#endif
