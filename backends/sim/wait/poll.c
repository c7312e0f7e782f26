/* SPDX-License-Identifier: Apache-2.0 */
/* A poll: the model is moved up to the caller's clock, and the caller continues. */
#include "process/nondeterminism.h"
#include "wait/clock.h"
#include "wait/idle.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/hooks.h"
#include "wait/wait.h"

/* Waits until the calls before the caller's clock have been answered, and moves the model there. No
 * lock is held. */
static void await_answers(void)
{
    struct sim_wait wait = {.kind = SIM_WAIT_TIME, .wake = SIM_WAKE_POLL, .timeout_ns = 0};
    (void)sim_drive_wait(&wait);
}

/* The caller's clock is a time that has come: waits with an earlier deadline have timed out. False:
 * a call that runs may be answered before. The model lock is held. */
static bool reach_clock(void)
{
    for (;;) {
        uint64_t deadline = sim_next_deadline();
        uint64_t until = deadline < sim_clock.now_ns ? deadline : sim_clock.now_ns;
        bool any;
        enum twinsim_stop stop = sim_drive_step(until, false, &any);
        if (stop != TWINSIM_STOP_LIMIT && (stop != TWINSIM_STOP_IDLE || any))
            continue;
        if (__builtin_expect(sim_call_queue_time_hold_locked() <= until, 0)) {
            if (any)
                continue; /* answers, or calls: the hold is another one */
            return false;
        }
        if (stop == TWINSIM_STOP_LIMIT && twinsim_now(sim_process.sim) < until)
            continue; /* that was the last hold */
        if (deadline > sim_clock.now_ns)
            return true;
        sim_expire_waits(deadline);
    }
}

/* The model always reaches the caller's clock. If it stopped at a call that runs, the result would
 * depend on whether the thread of that call was faster. */
static void poll(void)
{
    sim_model_lock_alone();
    while (!reach_clock()) {
        sim_model_unlock();
        await_answers();
        sim_model_lock_alone();
    }
    sim_model_unlock();
}

void sim_drive_poll(void)
{
    sim_nd_act(TWIN_ND_LOOKED, true, poll);
}
