/* SPDX-License-Identifier: Apache-2.0 */
/* One wait of a thread of the host, and the list of all. */
#ifndef TWINRT_SIM_WAIT_WAIT_H
#define TWINRT_SIM_WAIT_WAIT_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "process/process.h"
#include "wait/queue_point.h"

struct sim_call;
struct sim_clock;

enum sim_wait_kind {
    SIM_WAIT_QUEUE_POINT, /* the point's work has retired */
    SIM_WAIT_TRANSFER,    /* the driver's own DMA; posted when the wait begins */
    SIM_WAIT_EVENT_ID,    /* a free event id on the device */
    SIM_WAIT_SHARED,      /* a record that another process made */
    SIM_WAIT_CALL,        /* a host function of the host-call queue is due */
    SIM_WAIT_TIME         /* the model has reached the deadline; ends with TWIN_E_TIMEOUT */
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
    struct sim_queue_point point; /* QUEUE_POINT; EVENT_ID: queue and epoch of the caller */
    twin_hw_device *device;       /* TRANSFER, EVENT_ID */
    struct twinsim_transfer transfer;
    const twin_signal *shared; /* SHARED: its record `number` */
    uint64_t number;
    struct sim_window windows[2];
    twin_call_queue *call_queue; /* CALL */
    /* CALL: by a thread of the runtime, for the next host function: such a wait does not drive,
     * does not time out, and is not part of a deadlock. */
    bool serves;
    bool for_room; /* MARK: the caller is to submit more */
    /* Out. */
    struct sim_call *call; /* CALL: what was taken */

    /* Private to leader.c; guarded by the model lock. */
    struct sim_wait *next, *prev;
    const struct sim_clock *thread; /* that waits */
    bool unaided;                   /* timeout_ns is TWIN_UNAIDED */
    uint64_t begin_ns;              /* the thread's clock at the call */
    uint64_t deadline_ns;           /* virtual, TWIN_FOREVER: none */
    uint64_t real_deadline_ns;      /* 0: not set */
    uint64_t warn_ns; /* real: when to report that it lasts long; 0: the model has not been idle */
    uint64_t look_ns; /* real: when to ask for interrupts; UINT64_MAX: never */
    uint64_t done_ns;
    uint32_t system_id;      /* of the waiting thread */
    twin_call_queue *within; /* whose call the waiting thread runs, of a thread of the runtime */
    twin_status status;
    atomic_int state;
    sem_t sem;
};

/* All waits, in the order in which they began. Guarded by the model lock. */
struct sim_waits {
    struct sim_wait *first;
    atomic_uint count;   /* written under the model lock */
    atomic_uint drivers; /* those of them that can drive */
};
extern struct sim_waits sim_waits;

/* Ends a wait; its thread may be gone afterwards. */
void sim_wait_finish(struct sim_wait *wait, twin_status status, uint64_t done_ns);
bool sim_wait_finished(const struct sim_wait *wait);
/* After a change outside a submission that a parked driver must reckon with. Takes the model
 * lock. */
void sim_drive_reconsider(void);

/* ---- interrupt.c: interrupts of waits, when a wait asks for them; leader.c acts on it ---- */

/* Real time of the first and of the next look of the calling thread's wait; UINT64_MAX: it does not
 * look. A wait for a transfer does not: it ends by itself, and the model may be in its memory. */
uint64_t sim_interrupt_first_look(enum sim_wait_kind kind);
uint64_t sim_interrupt_next_look(void);
/* No clock is read for a wait that does not look. */
bool sim_interrupt_look_due(uint64_t look_ns);
/* Sleeps until the post, at most until look_ns. True: posted. No lock held. */
bool sim_interrupt_sleep(sem_t *sem, uint64_t look_ns);
/* Asks. No lock held. */
bool sim_interrupt_asked(void);

#endif
