/* SPDX-License-Identifier: Apache-2.0 */
/* Failed tasks: what the next drain returns, the notes about each, and how far a failure spreads.
 *
 * Queues of one context are a group. In a group that stops on failure the first failure drops all
 * work of all its queues in the instant of the failure, and is the status that they return from
 * then on, until the device is aborted. In any other group the tasks after a failed one continue.
 *
 * Locks: a group is guarded by the model lock; what a queue keeps, by the queue's. */
#ifndef TWINRT_SIM_QUEUE_FAILURE_H
#define TWINRT_SIM_QUEUE_FAILURE_H

#include "queue/queue.h"

struct sim_group {
    struct sim_group *next;
    uint32_t number; /* as in twin_queue_config */
    uint32_t queues; /* open ones; a group without is freed */
    bool stops;
    bool stopping;       /* has failed in this instant: its queues are still to be stopped */
    twin_status failure; /* that stopped it; TWIN_OK: none */
    char text[SIM_FAILURE_TEXT];
};

/* Whether a status is that of a failed task, and not of a wait that was given up. */
static inline bool sim_failure_is(twin_status status)
{
    return status != TWIN_OK && status != TWIN_E_TIMEOUT && !twin_wait_given_up(status) &&
           status != TWIN_E_ABORTED && status != TWIN_E_DEVICE_ABORTED;
}

/* The status for the classes and the status of a failure (enum stars_error, enum stars_status).
 * Thread: any. */
twin_status sim_failure_status(unsigned error, unsigned status);

/* The first failure since the last one reported, once; or the one that stopped the group, each
 * time. Thread: any. */
twin_status sim_failure_report(twin_queue *queue);

/* ---- for the driver of the model; the caller holds both locks ---- */

/* The queue becomes one of its group; of one that has stopped it takes no work. TWIN_E_NOMEM. */
twin_status sim_failure_join_locked(twin_queue *queue);
void sim_failure_leave_locked(twin_queue *queue);
/* The queue has not failed, has no notes, and takes work. */
void sim_failure_forget_locked(twin_queue *queue);
/* A task failed; `state` is NULL when it is not known any more. False: the tasks after it must not
 * run. */
bool sim_failure_note_locked(twin_queue *queue, const stars_cqe *cqe,
                             const struct sim_task_state *state, uint32_t thread);

/* ---- for the driver of the model; it holds no queue's lock ---- */

/* Stops the queues of groups that have failed since the last call, at most so many; the others the
 * next time. */
void sim_failure_stop_groups(uint32_t most);
/* All queues of the device take work again. */
void sim_failure_clear_groups(twin_hw_device *device);

#endif
