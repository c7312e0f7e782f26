/* SPDX-License-Identifier: Apache-2.0 */
/* A poll: the model is moved up to the caller's clock, and the caller goes on. */
#include "chance.h"
#include "channel.h"
#include "clock.h"
#include "drive.h"
#include "stall.h"

/* The caller's clock is a time that has come: waits whose deadline lies before it have timed out. */
static void poll(void)
{
    sim_model_lock_alone();
    if (__builtin_expect(sim_channel_hold_locked() <= sim_clock.now_ns, 0)) {
        /* The model must not get there before a call that runs was answered. */
        sim_model_unlock();
        struct sim_wait wait = {.kind = SIM_WAIT_TIME, .wake = SIM_WAKE_POLL, .timeout_ns = 0};
        sim_drive_wait(&wait);
        return;
    }
    for (;;) {
        uint64_t deadline = sim_stall_deadline();
        uint64_t until = deadline < sim_clock.now_ns ? deadline : sim_clock.now_ns;
        bool any;
        enum twinsim_stop stop = sim_drive_step(until, false, &any);
        if (stop != TWINSIM_STOP_LIMIT && (stop != TWINSIM_STOP_IDLE || any))
            continue;
        if (deadline > sim_clock.now_ns)
            break;
        sim_stall_expire(deadline);
    }
    sim_model_unlock();
}

void sim_drive_poll(void)
{
    uint64_t nothing = 0;
    if (sim_paced_now() && sim_chance(TWIN_CHANCE_LOOKED, 0, &nothing))
        return;
    poll();
    if (!sim_paced_now())
        (void)sim_chance(TWIN_CHANCE_LOOKED, 0, &nothing);
}
