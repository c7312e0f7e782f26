/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of threads that run one at a time in the order of their clocks (TWINRT_DETERMINISTIC). */
#ifndef TWINRT_SIM_WAIT_TURNS_H
#define TWINRT_SIM_WAIT_TURNS_H

#include "process/process.h"
#include "seam/host_time.h"

struct sim_wait;

/* NULL: threads do not take turns. */
static inline const twin_turn_ops *sim_turn_ops(void)
{
    const twin_services *services = sim_process.services;
    return services && services->host_time ? services->host_time->turns : NULL;
}

/* Whether threads take turns: then no thread waits for another one in the backend. */
static inline bool sim_turns_on(void)
{
    const twin_turn_ops *ops = sim_turn_ops();
    return __builtin_expect(ops != NULL, 0) && ops->on();
}

/* Drives whenever it is this thread's turn, until the wait is finished (true), or until the order
 * of threads has ended (false). The model lock is held before and after, and not while other
 * threads run. */
bool sim_turns_wait(struct sim_wait *wait);
/* The wait has been finished; the thread runs from `clock_ns` on. Thread: model. */
void sim_turns_ended(const struct sim_wait *wait, uint64_t clock_ns);

#endif
