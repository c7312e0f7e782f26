/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take turns (TWINRT_DETERMINISTIC): each public call is a scheduling point. */
#ifndef TWINRT_CORE_BACKEND_TURNS_H
#define TWINRT_CORE_BACKEND_TURNS_H

#include "seam/backend.h"

struct twin_host_time;

/* Puts the scheduling point in front of `table`'s host.enter, if threads take turns; otherwise
 * calls cost nothing more. NULL: nothing is known of host threads. Thread: init. */
void twin_turns_wrap(struct twin_backend *table, const struct twin_host_time *host_time);

#endif
