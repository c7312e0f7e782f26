/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/turns.h"

#include "wait/idle.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/hooks.h"
#include "wait/process_threads.h"
#include "wait/wait.h"

void sim_turns_ended(const struct sim_wait *wait, uint64_t clock_ns)
{
    const twin_turn_ops *ops = sim_turn_ops();
    if (__builtin_expect(ops != NULL, 0))
        ops->ended(wait->system_id, clock_ns);
}

/* Whether a thread that is not in the order, a timer or another process may act while this thread
 * drives. */
static bool others_may_act(void)
{
    uint32_t known =
        sim_turn_ops()
            ->threads(); /* before the system counts: a thread that ends meanwhile is one less */
    unsigned threads = sim_process_threads();
    return threads == 0 || threads > known || sim_process_timer_may_act() ||
           sim_process_handler_may_act() || sim_shared_outlook() != SIM_OUTLOOK_NONE;
}

/* With nothing left to do on the device. Returns whether it may have, now. */
static bool resolve(struct sim_wait *self, twin_turn *turn)
{
    uint64_t deadline = sim_next_deadline();
    uint64_t limit = deadline < turn->until_ns ? deadline : turn->until_ns;
    if (sim_call_queue_time_hold_locked() != TWIN_FOREVER &&
        sim_call_queue_time_hold_locked() <= limit) {
        if (turn->ready)
            return false; /* the function runs before that, or the thread that it waits for */
        sim_call_queue_expire_time_holds_locked(sim_call_queue_time_hold_end_locked());
        return true;
    }
    if (self->serves) {
        turn->stuck = turn->until_ns == TWIN_FOREVER;
        turn->reached_ns = turn->stuck ? turn->reached_ns : turn->until_ns;
        return false;
    }
    if (others_may_act()) {
        sim_idle_park(self->look_ns);
        return false;
    }
    if (sim_drive_pass_limits(limit))
        return true;
    if (turn->until_ns == TWIN_FOREVER || deadline <= turn->until_ns)
        sim_idle_resolve();
    else
        turn->reached_ns = turn->until_ns;
    return false;
}

/* Moves the model until a wait is finished, or up to turn->until_ns. The model lock is held. */
static void drive(struct sim_wait *self, twin_turn *turn)
{
    const unsigned waits = sim_waits.count;
    bool goes_on = true;
    turn->stuck = false;
    while (goes_on && sim_waits.count == waits) {
        uint64_t deadline = sim_next_deadline();
        uint64_t limit = deadline < turn->until_ns ? deadline : turn->until_ns;
        bool any;
        enum twinsim_stop stop = sim_drive_step(limit, true, &any);
        if (stop == TWINSIM_STOP_LIMIT)
            sim_expire_waits(twinsim_now(sim_process.sim));
        else if (sim_drive_stands_still(stop, any))
            goes_on = resolve(self, turn);
    }
    if (turn->ready && sim_waits.count == waits && !goes_on)
        turn->reached_ns = turn->until_ns; /* that thread continues in any case */
    uint64_t now = twinsim_now(sim_process.sim);
    if (turn->reached_ns < now)
        turn->reached_ns = now;
}

bool sim_turns_wait(struct sim_wait *wait)
{
    const twin_turn_ops *ops = sim_turn_ops();
    twin_turn turn = {.serves = wait->serves,
                      .reached_ns = sim_process.sim ? twinsim_now(sim_process.sim) : 0};
    bool on = true;
    while (on && !sim_wait_finished(wait)) {
        sim_model_unlock();
        ops->wait(&turn);
        sim_model_lock_alone();
        on = ops->on();
        if (on && !sim_wait_finished(wait) && sim_process.sim)
            drive(wait, &turn);
        if (!sim_wait_finished(wait) && ops->threads() == 1 &&
            sim_interrupt_look_due(wait->look_ns))
            sim_drive_look(wait);
    }
    ops->done();
    return sim_wait_finished(wait);
}
