/* SPDX-License-Identifier: Apache-2.0 */
/* TWINRT_CLOCK=wall: device time is real time since the start of the backend (decision 28).
 *
 * The model never runs past that time: a driver sleeps until the next event is due, and time does
 * not jump. A thread's clock is the real time at its newest call, so calls and wake-ups cost what
 * they really take, and the profile's host costs are 0. Holds of host functions are left out: their
 * threads spend the time for real. */
#ifndef TWINRT_SIM_WAIT_WALL_H
#define TWINRT_SIM_WAIT_WALL_H

#include "process/process.h"
#include "wait/real_time.h"

static inline bool sim_wall(void)
{
    return __builtin_expect(sim_process.wall_began_ns != 0, 0);
}

/* Device time now. */
static inline uint64_t sim_wall_now(void)
{
    return sim_real_now() - sim_process.wall_began_ns;
}

/* How far the model may run that is to run to `until_ns`. */
static inline uint64_t sim_wall_limit(uint64_t until_ns)
{
    const uint64_t now_ns = sim_wall() ? sim_wall_now() : UINT64_MAX;
    return until_ns < now_ns ? until_ns : now_ns;
}

/* Real time (monotonic) of that device time; UINT64_MAX: it does not come. */
static inline uint64_t sim_wall_real(uint64_t at_ns)
{
    return sim_time_sum(at_ns, sim_process.wall_began_ns);
}

#endif
