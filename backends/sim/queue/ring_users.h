/* SPDX-License-Identifier: Apache-2.0 */
/* What rings need from the owners of objects that their entries retain. */
#ifndef TWINRT_SIM_QUEUE_RING_USERS_H
#define TWINRT_SIM_QUEUE_RING_USERS_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

/* ---- model instances (graph/model_instance.c) ---- */

/* The ring closes: notes about its entries are dropped, and a run that it launched ends. */
void sim_instance_ring_closes(twin_queue *queue);
/* The queue that asked for the run under way in which `queue` takes part; NULL: there is none. */
twin_queue *sim_instance_launcher(twin_queue *queue);

/* ---- host calls (hostcall/host_call_queue.c) ---- */

/* Drops the calls of a queue that were not taken: all, or those the queue waits for. */
void sim_call_queue_forget_locked(const twin_queue *queue, bool all);

/* ---- events and notifies (signal/event.c) ---- */

/* "event 3" or "notify 3". */
const char *sim_event_noun(const twin_signal *signal);
uint32_t sim_event_name(const twin_signal *signal);

#endif
