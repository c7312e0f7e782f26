/* SPDX-License-Identifier: Apache-2.0 */
/* The waiting thread drives the simulation (leader/followers): the one place where the model moves.
 *
 * One waiting thread is the driver. It runs the model in chunks; after each it reads CQEs, wakes
 * waiters whose target was met (each on its own semaphore), and yields to threads that wait for the
 * model lock. When its own target is met it passes the role to the oldest waiter. With nothing left
 * to simulate it times waiters out (all attached threads wait: at once; else in real time) or
 * reports a deadlock, or parks until a thread submits. */
#ifndef TWINRT_SIM_WAIT_LEADER_H
#define TWINRT_SIM_WAIT_LEADER_H

#include <stdbool.h>

#include "process/process.h"
#include "wait/wait.h"

/* Whether no thread drives, or the driver has nothing to do, and at least `waiting` threads wait.
 * Thread: model. */
bool sim_drive_still(unsigned waiting);

/* Blocks until the condition holds, moves the caller's clock, and says how it ended:
 * TWIN_OK, TWIN_E_TIMEOUT, TWIN_E_DEADLOCK (explained), TWIN_E_ADDRESS (a transfer failed),
 * TWIN_E_CLOSED (the host-call queue), or why the point's work
 * was dropped (sim_point_reason), TWIN_E_INTERRUPTED. */
twin_status sim_drive_wait(struct sim_wait *wait);
/* Runs the model up to the caller's clock. */
void sim_drive_poll(void);
/* Whether a replay lets the threads run one at a time (twin_services.waiting). */
bool sim_drive_conducted(void);
/* Takes the wait off the list, asks the program whether to continue, and ends the wait or puts it
 * back. Thread: model; the lock is released meanwhile. */
void sim_drive_look(struct sim_wait *wait);
/* Whether no thread is inside a chunk: then counters and CQEs agree. Reads after the counter it
 * qualifies. */
bool sim_drive_settled(void);

/* After a doorbell: wakes a driver that has parked. No lock; a system call only when there is
 * one. */
void sim_drive_submitted(void);
/* After work was dropped: looks at every waiter again. Thread: model. */
void sim_drive_check_locked(void);

#endif
