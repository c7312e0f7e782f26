/* SPDX-License-Identifier: Apache-2.0 */
/* Shows `twinrt run` whether this process moves, and reports when the tool asks (seam/run_page.h). Without the tool nothing
 * happens here. */
#ifndef TWINRT_SIM_PROCESS_RUN_WATCH_H
#define TWINRT_SIM_PROCESS_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Takes a slot of the page at `path`, if there is one; "": none. Thread: init. */
void sim_watch_begin(const char *path);
void sim_watch_end(void);
#endif
