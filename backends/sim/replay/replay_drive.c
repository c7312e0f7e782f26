/* SPDX-License-Identifier: Apache-2.0 */
/* The model moves as in the recording: the same looks at doorbells, each run as far as it came
 * then. */
#include "hostcall/host_call_queue.h"
#include "device/device.h"
#include "queue/failure.h"
#include "process/nondeterminism.h"
#include "wait/idle.h"
#include "wait/model_lock.h"
#include "wait/hooks.h"

#define EVENTS_AT_ONCE 65536u
/* Times beyond are none: the model adds to them. */
#define LATEST_NS (UINT64_MAX / 4)

bool sim_replayed;
enum sim_replay_step sim_replay_step;

static void saw(void *context, const struct twinsim_seen *what)
{
    bool *any = context;
    *any = true;
    sim_process.services->seen(TWIN_SEEN_WORK, what->device, what->sq, what->newest);
}

bool sim_nd_look(void)
{
    bool any = false;
    if (sim_nd_logged())
        twinsim_look(sim_process.sim, sim_process.services->seen ? saw : NULL, &any);
    return any;
}

/* Whether table entries will be cleared after a run. */
static bool ids_to_clean(void)
{
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_process.devices[i] &&
            atomic_load_explicit(&sim_process.devices[i]->events.dirty, memory_order_relaxed) != 0)
            return true;
    return false;
}

void sim_nd_moved(bool changed)
{
    if (sim_process.services->moved && (changed || ids_to_clean()))
        sim_process.services->moved(twinsim_now(sim_process.sim),
                                    twinsim_events_now(sim_process.sim));
}

twin_status sim_host_pace(void)
{
    if (!sim_nd_logged())
        return TWIN_E_UNSUPPORTED;
    sim_replayed = true;
    return TWIN_OK;
}

void sim_replay_end(void)
{
    sim_replayed = false;
}

void sim_nd_watch(uint32_t device, uint32_t sq, uint64_t retired)
{
    if (sim_replayed)
        return; /* the replay moves the model, and sets watches at their places */
    const bool acts = twinsim_queue_watch(sim_process.sim, device, sq, retired);
    if (acts && sim_nd_logged() && sim_process.services->seen)
        sim_process.services->seen(TWIN_SEEN_WATCH, device, sq, retired);
}

twin_status sim_host_see(twin_seen what, uint32_t device, uint32_t sq, uint64_t number)
{
    const struct twinsim_seen work = {.device = device, .sq = sq, .newest = number};
    bool good = true;
    if (!sim_replayed || !sim_process.sim)
        return TWIN_E_INVALID;
    sim_model_lock_alone();
    if (what > TWIN_SEEN_WATCH)
        good = sim_shared_see(what, device, sq, number);
    else if (what == TWIN_SEEN_WORK)
        good = twinsim_look_again(sim_process.sim, &work) == TWINSIM_OK;
    else
        (void)twinsim_queue_watch(sim_process.sim, device, sq, number);
    sim_model_unlock();
    if (good && sim_process.services->seen)
        sim_process.services->seen(what, device, sq, number);
    return good ? TWIN_OK : TWIN_E_INVALID;
}

/* As twinsim_run(). On the way the device receives answers, as in the recording: when the model
 * could not continue without them, before their holds. */
static enum twinsim_stop run_some(uint64_t until_ns, uint32_t events)
{
    uint64_t hold = sim_call_queue_answered_locked();
    if (hold > until_ns + 1)
        return twinsim_run(sim_process.sim, until_ns, events);
    enum twinsim_stop stop = twinsim_run(sim_process.sim, hold > 0 ? hold - 1 : 0, events);
    if (stop != TWINSIM_STOP_IDLE && (stop != TWINSIM_STOP_LIMIT || hold > until_ns))
        return stop;
    sim_call_queue_pass_answered_locked();
    return TWINSIM_STOP_CHUNK;
}

/* Everything before that time, then so many events at it. False: it does not get there. */
static bool run_to(uint64_t at_ns, uint64_t events)
{
    twinsim *sim = sim_process.sim;
    enum twinsim_stop stop = TWINSIM_STOP_CHUNK;
    if (twinsim_now(sim) > at_ns)
        return false;
    while (at_ns > 0 && twinsim_now(sim) < at_ns - 1 && stop != TWINSIM_STOP_IDLE &&
           stop != TWINSIM_STOP_KERNEL)
        stop = run_some(at_ns - 1, EVENTS_AT_ONCE);
    if (stop == TWINSIM_STOP_IDLE)
        stop = TWINSIM_STOP_CHUNK; /* an answer may be due right after */
    for (;;) {
        uint64_t now = twinsim_now(sim);
        uint64_t done = now == at_ns ? twinsim_events_now(sim) : 0;
        if (now == at_ns && done >= events)
            return done == events;
        if (stop == TWINSIM_STOP_IDLE || stop == TWINSIM_STOP_KERNEL)
            return false;
        uint64_t left = events - done;
        stop = run_some(at_ns, left == 0               ? 1u
                               : left < EVENTS_AT_ONCE ? (uint32_t)left
                                                       : EVENTS_AT_ONCE);
        if (stop == TWINSIM_STOP_LIMIT && events != 0 &&
            !(twinsim_now(sim) == at_ns && twinsim_events_now(sim) == events))
            return false;
    }
}

twin_status sim_host_move(uint64_t at_ns, uint64_t events)
{
    if (!sim_replayed || !sim_process.sim || at_ns > LATEST_NS)
        return TWIN_E_INVALID;
    sim_model_lock_alone();
    const bool stays =
        twinsim_now(sim_process.sim) == at_ns && twinsim_events_now(sim_process.sim) == events;
    sim_failure_stop_groups(stays ? 1 : UINT32_MAX);
    bool good = run_to(at_ns, events);
    sim_nd_moved(true);
    sim_replay_step = stays ? SIM_REPLAY_PLACE : SIM_REPLAY_RUN;
    (void)sim_drive_settle();
    sim_replay_step = SIM_REPLAY_NONE;
    struct twinsim_kernel_wanted wanted;
    if (twinsim_kernel_next(sim_process.sim, &wanted))
        sim_kernel_describe_locked();
    sim_model_unlock();
    return good ? TWIN_OK : TWIN_E_INVALID;
}

void sim_replay_until_retired(uint32_t device, uint32_t sq, uint64_t retired)
{
    sim_model_lock_alone();
    enum twinsim_stop stop = TWINSIM_STOP_CHUNK;
    while (twinsim_queue_retired(sim_process.sim, device, sq) < retired &&
           stop != TWINSIM_STOP_IDLE && stop != TWINSIM_STOP_KERNEL)
        stop = run_some(LATEST_NS, 1);
    sim_model_unlock();
}
