/* SPDX-License-Identifier: Apache-2.0 */
/* What rings need from the owners of objects that their entries retain. */
#ifndef TWINRT_SIM_QUEUE_RING_USERS_H
#define TWINRT_SIM_QUEUE_RING_USERS_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

struct sim_call;
struct sim_ids;
struct sim_task_state;

/* ---- model instances (graph/model_instance.c) ---- */

/* The ring closes: notes about its entries are dropped, and a run that it launched ends. */
void sim_instance_ring_closes(twin_queue *queue);
/* The queue that asked for the run under way in which `queue` takes part; NULL: there is none. */
twin_queue *sim_instance_launcher(twin_queue *queue);
/* Whether a run of the instance of a deferred queue is under way, or queued. Takes locks. */
bool sim_instance_runs(twin_queue *queue);
/* The queue must end its current task, which may be a run of an instance: that ends, or never
 * begins. Whether the entry at its head is still to be stopped. Thread: model, with the queue's
 * lock. */
bool sim_instance_leave_run(twin_queue *queue);
/* An entry of a run failed in the launching queue: the run ends. Thread: model, with the queue's
 * lock. */
void sim_instance_run_failed(twin_queue *launcher, twin_hw_instance *instance);

/* ---- host calls (hostcall/host_call_queue.c) ---- */

/* Drops the calls of a queue that were not taken: all, or those the queue waits for. */
void sim_call_queue_forget_locked(const twin_queue *queue, bool all);
/* Releases a call whose message will not come; the queue's lock is held. */
void sim_call_queue_release(struct sim_call *call);

/* ---- events and notifies (signal/event.c) ---- */

/* "event 3" or "notify 3". */
const char *sim_event_noun(const twin_signal *signal);
uint32_t sim_event_name(const twin_signal *signal);
/* The task state's work has retired or was dropped: releases what it held. With the queue's
 * lock. */
void sim_event_release(const twin_queue *queue, const struct sim_task_state *state);
/* Whether the task state keeps a hardware id from being free. With the queue's lock. */
bool sim_event_keeps_id(const twin_queue *queue, const struct sim_task_state *state,
                        const struct sim_ids *ids, uint32_t id);
/* A CQE gave the time of a record. With the queue's lock. */
void sim_event_stamp(const struct sim_task_state *state, uint64_t time_ns);

#endif
