/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when nothing is left to simulate: waits time out, a deadlock is declared if it is
 * proven, or the driver parks. Part of leader.c, like poll.c and progress.c: functions are called
 * with the model lock held unless they say otherwise. */
#ifndef TWINRT_SIM_WAIT_IDLE_H
#define TWINRT_SIM_WAIT_IDLE_H

#include "wait/leader.h"

/* ---- leader.c ---- */

/* One chunk; then counters, CQEs and calls agree again. Held: some thread runs, so time does not
 * jump (HOST-5). *out_any: something came of it. */
enum twinsim_stop sim_drive_step(uint64_t until_ns, bool held, bool *out_any);
/* Nothing came of such a step, and no event is left that may happen now. */
static inline bool sim_drive_stands_still(enum twinsim_stop stop, bool any)
{
    return (stop == TWINSIM_STOP_IDLE || stop == TWINSIM_STOP_HELD) && !any;
}
/* A step past time limits of waits on the device, at most to `until_ns`. True: it changed
 * something. */
bool sim_drive_pass_limits(uint64_t until_ns);
/* After the model moved: ends the waits whose condition holds now. True: something has changed. */
bool sim_drive_settle(void);
/* Threads are moved up to this time at their next call (HOST-4). It is never taken back. */
void sim_drive_publish(uint64_t time_ns);
/* Whether a thread leads, or was asked to. */
bool sim_drive_led(void);
/* The caller, who has the model lock, leads from here on, as no other thread does. */
void sim_drive_take_role(struct sim_wait *wait);
/* The driver stops leading and releases the model lock. */
void sim_drive_release_role(void);
/* ---- idle.c ---- */

/* Thread: any, no lock. */
void sim_idle_init(void);
/* Wakes a driver that has parked. No lock needed. */
void sim_idle_wake(void);
/* Whether the driver has parked. */
bool sim_idle_parked(void);
/* The model has moved. */
void sim_idle_end(void);

/* The nearest virtual deadline; TWIN_FOREVER: none. */
uint64_t sim_next_deadline(void);
/* Times out the waits whose virtual deadline has come. */
void sim_expire_waits(uint64_t now_ns);
/* The driver waits in real time until a thread submits, attaches or detaches, or for the first
 * deadline, at most until look_ns. */
void sim_idle_park(uint64_t look_ns);
/* True: a proof that nothing outside the model can act before a wait ends: no thread of the
 * process, no timer, no other process. */
bool sim_idle_proven(void);
/* The model is idle: ends the waits that only wait for work that the device can finish without the
 * host. True: there were some. */
bool sim_idle_end_unaided(void);
/* That is proven, and nothing was submitted before: time jumps, or it is a deadlock. */
void sim_idle_resolve(void);
/* TWINRT_CLOCK=wall: the driver sleeps until the next event or deadline is due, a thread submits,
 * or look_ns. */
void sim_idle_await_time(uint64_t look_ns);
/* The driver sleeps until a call that holds the model is answered, or has had its real time, at
 * most until look_ns. */
void sim_idle_await_answer(uint64_t look_ns);

#endif
