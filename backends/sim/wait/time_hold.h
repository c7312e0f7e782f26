/* SPDX-License-Identifier: Apache-2.0 */
/* Holds: while a thread of the runtime runs a host function, the model stays behind that thread's clock. What waits ask of
 * them; hostcall/host_call_queue.c has them. Thread: model, if nothing else is said. */
#ifndef TWINRT_SIM_WAIT_TIME_HOLD_H
#define TWINRT_SIM_WAIT_TIME_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"
#include "wait/wait.h"

/* The time before which the model stays; TWIN_FOREVER: none. */
uint64_t sim_channel_hold_locked(void);
/* The model has come as far as that hold lets it. Whose call has been answered: the device is told, and the hold is over. Returns
 * whether there was one. */
bool sim_channel_pass_locked(uint64_t hold_ns);
/* Whether a thread of the runtime has a function to run, or runs one that does not wait for the device. */
bool sim_channel_busy_locked(void);
/* When the first hold ends by itself, real time. */
uint64_t sim_channel_hold_end_locked(void);
void sim_channel_expire_holds_locked(uint64_t real_ns);
/* The calling thread waits inside a function that it runs: no hold on its account meanwhile. Returns the channel; NULL: it runs
 * none. */
twin_channel *sim_channel_suspend_locked(enum sim_wait_kind kind);
/* Its wait is over, and the function goes on at that time. */
void sim_channel_go_on_locked(twin_channel *channel, uint64_t at_ns);
/* It waits no more. Takes the model lock if there is anything to do. Thread: any. */
void sim_channel_resume(void);

#endif
