/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of wait looks at. A check ends the wait, by sim_wait_finish(), if what it waits for is there, or never
 * comes. Thread: model. */
#ifndef TWINRT_SIM_WAIT_KINDS_H
#define TWINRT_SIM_WAIT_KINDS_H

#include <stdbool.h>

#include "wait/wait.h"

void sim_check_queue_point(struct sim_wait *wait); /* queue/queue_wait.c */
void sim_check_event_id(struct sim_wait *wait);    /* queue/queue_wait.c */
void sim_check_transfer(struct sim_wait *wait);    /* memory/memory.c */
void sim_check_shared(struct sim_wait *wait);      /* signal/ipc.c */
void sim_check_call(struct sim_wait *wait);        /* hostcall/host_call_queue.c */

/* A transfer begins, as its wait does. TWIN_E_DEVICE (explained). memory/memory.c. */
twin_status sim_post_transfer(struct sim_wait *wait);

/* A wait came or went: the model is to stop where one of those that are left may end. queue/queue_wait.c. */
void sim_watch_for(const struct sim_wait *wait);
/* Somebody waits for a hardware id: task states are looked at, which others may hold on to until then. Set by checks. */
extern bool sim_id_wanted;

#endif
