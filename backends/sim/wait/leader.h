/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits, simulates: the one place where the model moves.
 *
 * One waiting thread is the driver. It runs the model in chunks; after each it reads CQEs, wakes waiters whose
 * target was met (each on its own semaphore), and lets in threads that want the model lock. When its own target is
 * met it hands the role to the oldest waiter. With nothing left to simulate it times waiters out (all
 * attached threads wait: at once; else in real time) or reports a deadlock, or parks until somebody submits. */
#ifndef TWINRT_SIM_WAIT_LEADER_H
#define TWINRT_SIM_WAIT_LEADER_H

#include <semaphore.h>
#include <stdatomic.h>

#include "process/process.h"
#include "queue/queue.h"

/* The model lock, first in rank. A driver gives way to whoever asks for it. An op that takes it meets the model by chance
 * where it is just then, unless what it does under the lock is not told (`alone`). */
void sim_model_lock(void);
void sim_model_lock_alone(void);
void sim_model_unlock(void);
/* False: the lock was not free in that time. */
bool sim_model_lock_within(uint64_t real_ns);
/* The caller, who holds the lock, is the driver from now on. */
void sim_model_lock_as_driver(void);
/* In a forked child, where nobody holds it: without devices nobody waits either. */
void sim_model_forked(void);
/* Whether nobody drives, or the driver has nothing to do, and at least `waiting` threads wait. Thread: model. */
bool sim_drive_still(unsigned waiting);

enum sim_wait_kind {
    SIM_WAIT_MARK,     /* the mark's work has retired */
    SIM_WAIT_TRANSFER, /* the driver's own DMA; posted when the wait begins */
    SIM_WAIT_EVENT_ID, /* a free event id on the device */
    SIM_WAIT_SHARED,   /* a record that another process made */
    SIM_WAIT_CALL,     /* a host function of the channel is due */
    SIM_WAIT_TIME      /* the model has reached the deadline; ends with TWIN_E_TIMEOUT */
};

/* Host memory that a transfer may reach while it runs. */
struct sim_window {
    struct sim_window *next;
    uint64_t address;
    uint64_t bytes; /* 0: none */
};

struct sim_wait {
    /* Filled in by the caller. */
    enum sim_wait_kind kind;
    enum sim_wake wake;
    uint64_t timeout_ns;
    struct sim_mark mark;   /* MARK; EVENT_ID: queue and epoch of the one who wants the id */
    twin_hw_device *device; /* TRANSFER, EVENT_ID */
    struct twinsim_transfer transfer;
    const twin_signal *shared; /* SHARED: its record `number` */
    uint64_t number;
    struct sim_window windows[2];
    twin_channel *channel; /* CALL */
    bool for_room;         /* MARK: the caller wants to submit more */
    /* Out. */
    struct sim_call *call; /* CALL: what was taken */

    /* Private to leader.c; guarded by the model lock. */
    struct sim_wait *next;
    struct sim_wait **link;
    const struct sim_clock *thread; /* that waits */
    bool unaided;                   /* timeout_ns is TWIN_UNAIDED */
    uint64_t begin_ns;              /* the thread's clock at the call */
    uint64_t deadline_ns;           /* virtual, TWIN_FOREVER: none */
    uint64_t real_deadline_ns;      /* 0: not set */
    uint64_t warn_ns; /* real: when to report that it lasts long; 0: it has not stood still */
    uint64_t look_ns; /* real: when to ask for interrupts; UINT64_MAX: never */
    uint64_t done_ns;
    uint32_t system_id;   /* of the waiting thread */
    twin_channel *within; /* whose call the waiting thread runs, of a thread of the runtime */
    twin_status status;
    atomic_int state;
    sem_t sem;
};

/* Blocks until the condition holds, moves the caller's clock, and says how it ended:
 * TWIN_OK, TWIN_E_TIMEOUT, TWIN_E_DEADLOCK (explained), TWIN_E_ADDRESS (a transfer failed), TWIN_E_CLOSED (the channel), or why
 * the mark's work
 * was dropped (sim_mark_reason), TWIN_E_INTERRUPTED. */
twin_status sim_drive_wait(struct sim_wait *wait);
/* Runs the model up to the caller's clock. */
void sim_drive_poll(void);
/* Whether somebody lets the threads run one at a time (twin_services.waiting). */
bool sim_drive_conducted(void);
/* Takes the wait off the list, lets the program say whether it goes on, and ends it or puts it back. Thread: model; the lock is not held
 * meanwhile. */
void sim_drive_look(struct sim_wait *wait);
/* Whether no thread is inside a chunk: then counters and CQEs agree. Reads after the counter it qualifies. */
bool sim_drive_settled(void);

/* After a doorbell: wakes a driver that has parked. No lock; a system call only when there is one. */
void sim_drive_submitted(void);
/* After a change outside a submission that a parked driver must reckon with. Takes the model lock. */
void sim_drive_reconsider(void);
/* After work was dropped: looks at every waiter again. Thread: model. */
void sim_drive_check_locked(void);

#endif
