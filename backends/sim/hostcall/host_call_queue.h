/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of host functions on their way from queues to the threads that run them.
 *
 * A call belongs to its SQE's task state until the device's message comes, then to the host-call
 * queue until it is taken, then to the taker until it answers. A host-call queue lives as long as
 * its creator or any call needs it.
 *
 * Time holds. While a thread of the runtime runs a function, the model stays before that thread's
 * clock, so that the answer is never late: calls of a function have exact times although it runs on
 * another thread. The device receives an answer when the model has reached the hold, however early
 * it was given in real time, and several in the order of their holds: what is scheduled first is
 * served first (T-TIM-3). A function that takes long in real time loses its hold, as it may wait
 * for what the model would do next. */
#ifndef TWINRT_SIM_HOSTCALL_HOST_CALL_QUEUE_H
#define TWINRT_SIM_HOSTCALL_HOST_CALL_QUEUE_H

#include "process/process.h"
#include "queue/queue.h"
#include "queue/ring_users.h"
#include "wait/hooks.h"

struct sim_call {
    struct sim_call *next, *prev; /* in its host-call queue */
    twin_call_queue *call_queue;
    twin_queue *queue;
    uint64_t number; /* of the SQE */
    uint64_t posted_ns;
    uint64_t hold_ns;   /* answered: the time that the model was to stay before */
    uint64_t answer_ns; /* answered: when the device sees it */
    uint32_t epoch;     /* of the queue */
    twin_host_call call;
};

struct twin_call_queue {
    twin_hw_device *device;
    uint16_t group; /* as SQEs name it */
    bool service;
    atomic_uint references; /* the creator's and one for each call */

    /* Guarded by the model lock. */
    bool closed;
    struct sim_call *first;
    struct sim_call *running;  /* taken, not answered */
    struct sim_call *answered; /* during a hold, oldest first: the device sees it at the hold */
    struct twin_call_queue *next, *prev;
    /* Of a service host-call queue. */
    uint64_t clock_ns;     /* of its thread when it took or answered last */
    uint64_t hold_ns;      /* the model stays before this time; TWIN_FOREVER: no hold */
    uint64_t hold_real_ns; /* when the hold expires */
};

/* ---- for the driver of the model; thread: model ---- */

/* Takes in the device's messages. Returns whether there were any. */
bool sim_call_queue_deliver_locked(void);
/* The next call for a thread whose clock is `now_ns`; NULL: none is due. */
struct sim_call *sim_call_queue_pop_locked(twin_call_queue *call_queue, uint64_t now_ns);
/* What has become of the call at the head of a queue, for reports. */
const char *sim_call_queue_state_locked(const twin_queue *queue);

/* For a model that is paced: the first hold whose call has been answered, TWIN_FOREVER: none,
 * whatever else runs; and sends that answer to the device. */
uint64_t sim_call_queue_answered_locked(void);
void sim_call_queue_pass_answered_locked(void);
#endif
