/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: queues that were opened disabled and filled, and run together when a queue launches
 * them.
 *
 * A run is, in the launching queue: wait for the instance's `idle` notify; clear its `end` notify;
 * COND entries that set the heads of the head queues to 0 and enable them; wait for `end`; record
 * `idle`. So runs of one instance follow each other, in whatever queue they are launched. The end
 * of the instance is a record of `end` in one of its queues.
 *
 * A run that is interrupted records `idle` exactly once: it owns `idle` from the instant its wait
 * passes, which is before that entry retires, until its record is made. Entries that have not begun
 * become entries that do nothing.
 *
 * Entries of a deferred queue are rung for when the instance is sealed. They and their task states
 * stay until the ring is closed. Locks: model lock, queue->lock, instance->lock. */
#ifndef TWINRT_SIM_GRAPH_MODEL_INSTANCE_H
#define TWINRT_SIM_GRAPH_MODEL_INSTANCE_H

#include "queue/queue.h"
#include "queue/ring_users.h"

/* ---- for model_instance_work.c, with the queue's lock ---- */

/* Notes where the instance ends; returns the notify that is recorded there. */
uint32_t sim_instance_end_at(twin_hw_instance *instance, twin_queue *queue, uint64_t place);

#endif
