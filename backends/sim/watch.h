/* SPDX-License-Identifier: Apache-2.0 */
/* Shows `twinrt run --stall-after` whether this process moves (seam/stall_page.h). Without the tool nothing happens here. */
#ifndef TWINRT_SIM_WATCH_H
#define TWINRT_SIM_WATCH_H

#include <stdint.h>

/* Takes a slot of the page at `path`, if there is one; "": none. Thread: init. */
void sim_watch_begin(const char *path);
void sim_watch_end(void);

/* When a driver that is to sleep until `wake_ns`, real time, has to look. wake_ns: nobody watches. */
uint64_t sim_watch_until(uint64_t wake_ns);
/* The driver has slept until then and nobody woke it. With the model lock. */
void sim_watch_look(void);

#endif
