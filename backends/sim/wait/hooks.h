/* SPDX-License-Identifier: Apache-2.0 */
/* What the wait layer asks of the other folders. Thread: model, unless stated otherwise. */
#ifndef TWINRT_SIM_WAIT_HOOKS_H
#define TWINRT_SIM_WAIT_HOOKS_H

#include <stdatomic.h>

#include "wait/wait.h"

/* ---- checks of waits, by kind: each ends the wait, by sim_wait_finish(), if what it waits for is
 * there, or never comes ---- */

void sim_check_queue_point(struct sim_wait *wait); /* queue/queue_wait.c */
void sim_check_event_id(struct sim_wait *wait);    /* queue/queue_wait.c */
void sim_check_transfer(struct sim_wait *wait);    /* memory/memory.c */
void sim_check_shared(struct sim_wait *wait);      /* signal/ipc.c */
void sim_check_call(struct sim_wait *wait);        /* hostcall/host_call_queue.c */
/* A transfer begins, as its wait does. TWIN_E_DEVICE (explained). memory/memory.c. */
twin_status sim_post_transfer(struct sim_wait *wait);
/* A wait came or went: the model is to stop where one of those that are left may end.
 * queue/queue_wait.c. */
void sim_watch_for(const struct sim_wait *wait);
/* A thread waits for a hardware id: task states are released, which others may retain until then.
 * Set by checks. */
extern bool sim_id_wanted;

/* ---- whenever the model has moved ---- */

/* Reads completion queues, stops groups of failed queues, delivers host calls, frees ids, passes
 * records of other processes on. True: something changed. settle.c. */
bool sim_settle_devices(void);
/* The model has stopped because it needs the description of a kernel: gets it, with the lock
 * released meanwhile, or waits for the thread that describes it. queue/kernel.c. */
void sim_kernel_describe_locked(void);

/* ---- work of queues (queue/work_state.c) ---- */

/* A number that changes when a thread submits, a task retires, a queue is opened anew, or a thread
 * comes. */
uint64_t sim_work_stamp(void);
/* A number that changes when a task begins or ends. */
uint64_t sim_tasks_stamp(void);
/* A queue with work in flight that the host can see without a call, `all`: any work; NULL: there is
 * none. Takes no lock. */
const twin_queue *sim_pending_work(bool all);
/* Whether a task waits for a word of registered memory that another process may store to. Thread:
 * model. */
bool sim_work_polls_outside(void);
uint32_t sim_work_sq(const twin_queue *queue);
/* Its stream and device, for messages. */
void sim_work_names(const twin_queue *queue, uint32_t *out_device, uint32_t *out_stream);

/* ---- failed tasks (queue/failure.c) ---- */

/* Why an access is refused, for the report of the task that fails of it, with an address that the
 * device cannot reach or with an exception. Thread: model. */
void sim_failure_because(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What is asked for will be asked for again: no message about it now, and no cause. Guarded by the
 * model lock. */
extern bool sim_silent;
/* As twinsim_bus.failed: what was given in this instant is of the task at the head of the queue. */
void sim_failure_claim(void *context, uint32_t device, uint32_t sq);
/* What was given is of the kernel at the head of the queue; of no task. The model lock is held. */
void sim_failure_of_kernel(uint32_t device, uint32_t sq);
void sim_failure_drop_cause(void);

/* ---- other processes (signal/ipc.c) ---- */

/* Shared signals of the process; with none the rest need not be asked. Thread: any. */
extern atomic_uint sim_shared_count;
/* The waits that only another process can end, in a model that has stopped. */
enum sim_outlook {
    SIM_OUTLOOK_NONE,   /* there are none */
    SIM_OUTLOOK_BROKEN, /* there are, and each process that could end one died and left it open */
    SIM_OUTLOOK_CLOSED, /* the others have closed it; one that has the key may come */
    SIM_OUTLOOK_GOOD    /* another process can end one, or may come to do it */
};
enum sim_outlook sim_shared_outlook(void);
/* As host.see, of what other processes did. False: there is no such signal. The model lock is
 * held. */
bool sim_shared_see(twin_seen what, uint32_t device, uint32_t which, uint64_t number);

/* ---- time holds (hostcall/host_call_queue.c): while a thread of the runtime runs a host function,
 * the model stays before that thread's clock ---- */

/* The time before which the model stays; TWIN_FOREVER: none. */
uint64_t sim_call_queue_time_hold_locked(void);
/* The model has reached that hold. If its call has been answered, the device receives the answer
 * and the hold ends. True: it has been. */
bool sim_call_queue_pass_time_hold_locked(uint64_t hold_ns);
/* Whether a thread of the runtime has a function to run, or runs one that does not wait for the
 * device. */
bool sim_call_queue_busy_locked(void);
/* When the first hold expires, real time. */
uint64_t sim_call_queue_time_hold_end_locked(void);
void sim_call_queue_expire_time_holds_locked(uint64_t real_ns);
/* The calling thread waits inside a function that it runs, which holds no time meanwhile. Returns
 * its host-call queue; NULL: it runs none. */
twin_call_queue *sim_call_queue_suspend_locked(enum sim_wait_kind kind);
/* Its wait has ended, and the function continues at that time. */
void sim_call_queue_continue_locked(twin_call_queue *call_queue, uint64_t at_ns);
/* The same after the wait. Takes the model lock if there is anything to do. Thread: any. */
void sim_call_queue_resume(void);

/* ---- `twinrt run` (run_watch.c): it looks whether this process makes progress, and may
 * ask what its threads wait for (seam/run_page.h); without the tool these do nothing ---- */

/* Takes a slot of the page at `path`, if there is one; "": none. Thread: init. */
void sim_watch_begin(const char *path);
void sim_watch_end(void);
/* Whether the tool may ask while no thread waits for the device (--timeout). Thread: init. */
bool sim_watch_needs_thread(void);
/* Reports if the tool has asked for it. Takes the model lock then. Thread: that of progress. */
void sim_watch_answer(void);
/* When a driver that is to sleep until `wake_ns`, real time, has to look; wake_ns without the
 * tool. */
uint64_t sim_watch_until(uint64_t wake_ns);
/* The driver has slept until then without being woken. */
void sim_watch_look(void);
/* A report names the place that a thread called from, at `offset` of the file mapped there. With
 * the model lock. */
void sim_watch_site(uint32_t thread, uint64_t address, uint64_t offset);

#endif
