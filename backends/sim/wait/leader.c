/* SPDX-License-Identifier: Apache-2.0 */
/* Leader/followers: the thread that drives the model, one chunk, one wait. idle.c acts when nothing
 * is left to simulate, poll.c has polls, progress.c progress without a caller. */
#include "wait/leader.h"

#include <sys/single_threaded.h>
#include <utlist.h>

#include "process/nondeterminism.h"
#include "wait/clock.h"
#include "wait/idle.h"
#include "wait/hooks.h"
#include "wait/model_lock.h"
#include "wait/observer.h"
#include "wait/progress.h"
#include "wait/real_time.h"
#include "wait/deadlock_report.h"
#include "wait/turns.h"
#include "wait/wait.h"
#include "wait/wall.h"

/* Events per chunk: few when other threads may need the lock, many for a thread that is alone. */
#define CHUNK_SHARED   2048u
#define CHUNK_ALONE    65536u
#define CHUNK_PROGRESS 64u /* it stops once the host can see something */

enum { WAITING, LEADING, LOOKING, FINISHED };

struct sim_waits sim_waits;

/* Guarded by the model lock. */
static struct sim_wait *driver; /* the thread that leads, or was asked to and has not begun */
static bool driver_there;

/* Nonzero while a thread runs the model and reads CQEs. */
static atomic_int running;

bool sim_drive_still(unsigned waiting)
{
    return (!driver || sim_idle_parked()) && sim_waits.count >= waiting;
}

bool sim_drive_settled(void)
{
    /* A thread that saw a counter raised by a chunk sees here that the chunk runs, or all its
     * results. */
    return atomic_load_explicit(&running, memory_order_acquire) == 0;
}

/* ---- the list of waits ---------------------------------------------------------------------- */

bool sim_drive_conducted(void)
{
    return __builtin_expect(sim_process.services && sim_process.services->waiting, 0);
}

/* Service waits never lead: other threads cause what they wait for. No wait does when threads run
 * one at a time: each leads in its turn. */
static void promote_follower(void)
{
    driver_there = false;
    driver = sim_drive_conducted() || sim_turns_on() ? NULL : sim_waits.first;
    while (driver && driver->serves)
        driver = driver->next;
    if (!driver)
        return;
    atomic_store_explicit(&driver->state, LEADING, memory_order_release);
    sem_post(&driver->sem);
}

static void count_wait(const struct sim_wait *wait, int change)
{
    unsigned count = atomic_load_explicit(&sim_waits.count, memory_order_relaxed);
    atomic_store_explicit(&sim_waits.count, count + (unsigned)change, memory_order_relaxed);
    if (__builtin_expect(wait->serves, 0))
        return;
    unsigned drivers = atomic_load_explicit(&sim_waits.drivers, memory_order_relaxed);
    atomic_store_explicit(&sim_waits.drivers, drivers + (unsigned)change, memory_order_relaxed);
}

static void delist(struct sim_wait *wait)
{
    DL_DELETE(sim_waits.first, wait);
    count_wait(wait, -1);
    sim_watch_for(wait);
}

/* The clock of a thread after its wait. */
static uint64_t clock_after(const struct sim_wait *wait)
{
    if (wait->done_ns <= wait->begin_ns)
        return wait->begin_ns; /* work that was complete at the call costs no wake-up */
    if (twin_wait_given_up(wait->status) || wait->status == TWIN_E_ABORTED ||
        wait->status == TWIN_E_DEVICE_ABORTED)
        return wait->done_ns;
    return wait->done_ns + sim_process.limits.wake_ns[wait->wake];
}

void sim_wait_finish(struct sim_wait *wait, twin_status status, uint64_t done_ns)
{
    wait->status = status;
    wait->done_ns = done_ns;
    delist(wait);
    if (__builtin_expect(wait->within != NULL, 0))
        sim_call_queue_continue_locked(wait->within, clock_after(wait));

    if (wait == driver) {
        atomic_store_explicit(&wait->state, FINISHED, memory_order_release);
        if (driver_there)
            sim_idle_wake();
        else
            promote_follower(); /* it was posted when it was asked to lead; it sees FINISHED then */
        return;
    }
    sim_turns_ended(wait, clock_after(wait));
    /* release: the waiter reads status and time; after the post it may be gone */
    atomic_store_explicit(&wait->state, FINISHED, memory_order_release);
    sem_post(&wait->sem);
}

bool sim_wait_finished(const struct sim_wait *wait)
{
    return atomic_load_explicit(&wait->state, memory_order_relaxed) == FINISHED;
}

/* By kind. */
static void (*const checks[])(struct sim_wait *wait) = {
    [SIM_WAIT_QUEUE_POINT] = sim_check_queue_point,
    [SIM_WAIT_TRANSFER] = sim_check_transfer,
    [SIM_WAIT_EVENT_ID] = sim_check_event_id,
    [SIM_WAIT_SHARED] = sim_check_shared,
    [SIM_WAIT_CALL] = sim_check_call,
    [SIM_WAIT_TIME] = NULL, /* its deadline ends it */
};

bool sim_id_wanted;

static void check(struct sim_wait *wait)
{
    if (checks[wait->kind])
        checks[wait->kind](wait);
}

/* After the model moved: CQEs, calls, ids, waiters. Returns whether there was anything to do. */
static bool settle(void)
{
    const bool any = sim_settle_devices();
    unsigned before = sim_waits.count;
    sim_id_wanted = false;
    struct sim_wait *wait, *next;
    DL_FOREACH_SAFE(sim_waits.first, wait, next)
        check(wait);
    if (sim_id_wanted && !sim_replaying())
        sim_nd_moved(true); /* the replay does it no sooner than here */
    return any || sim_waits.count != before;
}

bool sim_drive_settle(void)
{
    bool any = settle();
    /* before the chunk ends: threads that see its results move up to its time */
    sim_drive_publish(twinsim_now(sim_process.sim));
    atomic_store_explicit(&running, 0, memory_order_release);
    return any;
}

void sim_drive_publish(uint64_t time_ns)
{
    if (time_ns > atomic_load_explicit(&sim_model_now, memory_order_relaxed))
        atomic_store_explicit(&sim_model_now, time_ns, memory_order_release);
}

enum twinsim_stop sim_drive_step(uint64_t until_ns, bool held, bool *out_any)
{
    until_ns = sim_wall_limit(until_ns);
    held = held && !sim_wall(); /* there time passes without it */
    /* A call that runs may be answered at the time of its thread: the model waits there. */
    uint64_t hold = sim_call_queue_time_hold_locked();
    bool held_up = hold <= until_ns && hold != TWIN_FOREVER;
    if (hold <= until_ns)
        until_ns = hold > 0 ? hold - 1 : 0;
    uint64_t before = twinsim_now(sim_process.sim);
    uint64_t events = twinsim_events_now(sim_process.sim);
    uint32_t chunk = atomic_load_explicit(&sim_attached_count, memory_order_relaxed) > 1
                         ? CHUNK_SHARED
                         : CHUNK_ALONE;
    if (__builtin_expect(sim_progress_acts, 0))
        chunk = CHUNK_PROGRESS;
    bool seen = sim_nd_look();
    /* Counters that the chunk raises are released after this store. */
    atomic_store_explicit(&running, 1, memory_order_seq_cst);
    enum twinsim_stop stop = held ? twinsim_run_held(sim_process.sim, until_ns, chunk)
                                  : twinsim_run(sim_process.sim, until_ns, chunk);
    uint64_t now = twinsim_now(sim_process.sim);
    if (sim_nd_logged())
        sim_nd_moved(seen || now != before || twinsim_events_now(sim_process.sim) != events);
    bool any = sim_drive_settle();
    if (__builtin_expect(held_up, 0) &&
        (stop == TWINSIM_STOP_LIMIT || stop == TWINSIM_STOP_HELD || stop == TWINSIM_STOP_IDLE))
        any = sim_call_queue_pass_time_hold_locked(hold) || any;
    if (any || now != before)
        sim_idle_end();
    *out_any = any;
    if (__builtin_expect(stop == TWINSIM_STOP_KERNEL, 0))
        sim_kernel_describe_locked();
    return stop;
}

void sim_drive_check_locked(void)
{
    if (sim_process.sim)
        (void)settle();
    sim_idle_wake();
}

/* Whether the model waits for the answer of a call, and no deadline comes before that. */
static bool call_holds(void)
{
    uint64_t hold = sim_call_queue_time_hold_locked();
    return hold != TWIN_FOREVER && hold <= sim_next_deadline();
}

bool sim_drive_pass_limits(uint64_t until_ns)
{
    bool any;
    uint64_t before = twinsim_now(sim_process.sim);
    (void)sim_drive_step(until_ns, false, &any);
    return any || twinsim_now(sim_process.sim) != before;
}

/* Only the model can act. What was submitted before the last thread blocked is seen first; then
 * time jumps, or it is a deadlock. */
static enum twinsim_stop pass_idle(void)
{
    bool any;
    enum twinsim_stop stop = sim_drive_step(sim_next_deadline(), true, &any);
    if (!sim_drive_stands_still(stop, any))
        return stop;
    if (stop == TWINSIM_STOP_HELD)
        return sim_drive_step(sim_next_deadline(), false, &any);
    sim_idle_resolve();
    return stop;
}

/* Called with the model lock, as the driver; returns when `self` is finished, or is to look for
 * interrupts. */
static void drive(struct sim_wait *self)
{
    while (!sim_wait_finished(self) && !sim_interrupt_look_due(self->look_ns)) {
        bool any;
        enum twinsim_stop stop = sim_drive_step(sim_next_deadline(), true, &any);
        const bool stalled = sim_drive_stands_still(stop, any);
        if (stalled && sim_drive_conducted() && self->serves) {
            sim_wait_finish(self, TWIN_E_DEADLOCK, twinsim_now(sim_process.sim));
        } else if (stalled && call_holds()) {
            sim_idle_await_answer(self->look_ns);
        } else if (stop == TWINSIM_STOP_LIMIT && !any && sim_wall()) {
            sim_idle_await_time(self->look_ns);
        } else if (stop == TWINSIM_STOP_IDLE && stalled && sim_idle_end_unaided()) {
            continue;
        } else if (stalled && !sim_idle_proven()) {
            sim_idle_park(self->look_ns);
        } else if (stalled) {
            stop = pass_idle();
        }
        if (stop == TWINSIM_STOP_LIMIT)
            sim_expire_waits(twinsim_now(sim_process.sim));
        if (!sim_wait_finished(self))
            sim_model_yield();
    }
}

/* ---- one wait ------------------------------------------------------------------------------- */

static void enlist(struct sim_wait *wait)
{
    DL_APPEND(sim_waits.first, wait);
    count_wait(wait, 1);
    sim_watch_for(wait);
}

void sim_drive_release_role(void)
{
    promote_follower();
    sim_model_pause();
}

/* The end of a wait's time as the driver. One that goes to look for interrupts is off the list, as
 * long as it does. */
static void step_down(struct sim_wait *wait)
{
    if (!sim_wait_finished(wait)) {
        atomic_store_explicit(&wait->state, LOOKING, memory_order_relaxed);
        delist(wait);
    }
    sim_drive_release_role();
}

bool sim_drive_led(void)
{
    return driver != NULL;
}

void sim_drive_take_role(struct sim_wait *wait)
{
    driver = wait;
    driver_there = true;
    sim_model_lock_as_driver();
}

/* The model lock is held and no thread leads. */
static void lead(struct sim_wait *wait)
{
    sim_drive_take_role(wait);
    drive(wait);
    step_down(wait);
}

/* Another thread leads and the model lock is not held. */
static void follow(struct sim_wait *wait)
{
    bool posted = sim_interrupt_sleep(&wait->sem, wait->look_ns);
    if (posted && atomic_load_explicit(&wait->state, memory_order_acquire) != LEADING)
        return; /* finished, or a post that was for an earlier role */
    sim_model_continue();
    if (driver == wait) {
        driver_there = true;
        drive(wait);
        step_down(wait);
        return;
    }
    if (!posted && atomic_load_explicit(&wait->state, memory_order_relaxed) == WAITING) {
        atomic_store_explicit(&wait->state, LOOKING, memory_order_relaxed);
        delist(wait);
    }
    sim_model_pause();
}

/* Asks the program whether the wait is to end. No lock is held, and the wait is off the list:
 * the program may make calls, and other threads count this one as running. Returns with the model
 * lock. */
static void look(struct sim_wait *wait)
{
    bool interrupted = sim_interrupt_asked();
    sim_model_lock_alone();
    wait->look_ns = sim_interrupt_next_look();
    if (interrupted) {
        wait->status = TWIN_E_INTERRUPTED;
        wait->done_ns = twinsim_now(sim_process.sim);
        if (wait->within)
            sim_call_queue_continue_locked(wait->within, clock_after(wait));
        atomic_store_explicit(&wait->state, FINISHED, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&wait->state, WAITING, memory_order_relaxed);
    enlist(wait);
    check(wait);
}

void sim_drive_look(struct sim_wait *wait)
{
    atomic_store_explicit(&wait->state, LOOKING, memory_order_relaxed);
    delist(wait);
    sim_model_unlock();
    look(wait);
}

/* Drives, or waits while another thread does, until the wait is finished. The model lock is held,
 * and not at the end. */
static void take_part(struct sim_wait *wait)
{
    for (;;) {
        if (!driver) {
            lead(wait);
        } else {
            sim_idle_wake(); /* perhaps all threads wait now */
            sim_model_unlock();
            do {
                follow(wait);
            } while (atomic_load_explicit(&wait->state, memory_order_acquire) == WAITING);
        }
        if (atomic_load_explicit(&wait->state, memory_order_acquire) == FINISHED)
            return;
        look(wait);
        if (sim_wait_finished(wait)) {
            sim_model_unlock();
            return;
        }
    }
}

static void log_end(const struct sim_wait *wait)
{
    uint64_t woke = wait->status == TWIN_E_TIMEOUT       ? TWIN_WOKE_TIMEOUT
                    : wait->status == TWIN_E_DEADLOCK    ? TWIN_WOKE_DEADLOCK
                    : wait->status == TWIN_E_INTERRUPTED ? TWIN_WOKE_INTERRUPTED
                                                         : TWIN_WOKE_DONE;
    (void)sim_nd(TWIN_ND_WOKE, 0, &woke);
}

/* Returns when the wait ended in the recording. No other thread looks at one that was given up, as
 * what it waited for may have come soon after. The model lock is held. */
static void repeat(struct sim_wait *wait, uint64_t outlook)
{
    static const twin_status given_up[] = {[TWIN_WOKE_TIMEOUT] = TWIN_E_TIMEOUT,
                                           [TWIN_WOKE_DEADLOCK] = TWIN_E_DEADLOCK,
                                           [TWIN_WOKE_INTERRUPTED] = TWIN_E_INTERRUPTED};
    bool gives_up = outlook > TWIN_WOKE_DONE && outlook <= TWIN_WOKE_INTERRUPTED;
    if (gives_up)
        sim_wait_finish(wait, given_up[outlook],
                        outlook == TWIN_WOKE_TIMEOUT ? wait->deadline_ns : wait->begin_ns);
    sim_model_unlock();
    (void)sim_nd(TWIN_ND_WOKE, 0, &outlook);
    sim_model_lock_alone();
}

static inline void allow_cancel(bool cancellable, int before)
{
    if (cancellable)
        pthread_setcancelstate(before, NULL);
}

twin_status sim_drive_wait(struct sim_wait *wait)
{
    /* A thread cancelled in here would leave its wait on the list, and others without a driver. A
     * single thread cannot be cancelled, and no other waits for a driver. */
    const bool cancellable = !__libc_single_threaded;
    int cancel = PTHREAD_CANCEL_ENABLE;
    if (cancellable)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    wait->system_id = sim_clock.system_id;
    sim_clock.work += wait->kind != SIM_WAIT_TIME; /* those are parts of polls */
    wait->thread = &sim_clock;
    wait->begin_ns = sim_clock.now_ns;
    wait->unaided = wait->timeout_ns == TWIN_UNAIDED;
    wait->deadline_ns = sim_time_sum(sim_clock.now_ns + wait->unaided, wait->timeout_ns);
    wait->real_deadline_ns = wait->warn_ns = 0;
    wait->look_ns = UINT64_MAX;
    wait->status = TWIN_OK;
    atomic_init(&wait->state, WAITING);
    sem_init(&wait->sem, 0, 0);

    uint64_t outlook = TWIN_WOKE_DONE;
    bool repeated = sim_replaying() && sim_process.services->outlook(&outlook);
    if (wait->kind == SIM_WAIT_QUEUE_POINT)
        sim_model_lock_alone(); /* what it waits for does not depend on when it began */
    else
        sim_model_lock();
    twin_status status = wait->kind == SIM_WAIT_TRANSFER ? sim_post_transfer(wait) : TWIN_OK;
    if (status != TWIN_OK) {
        sim_model_unlock();
        sem_destroy(&wait->sem);
        allow_cancel(cancellable, cancel);
        return status;
    }
    wait->within = sim_call_queue_suspend_locked(wait->kind);
    enlist(wait);
    if (outlook == TWIN_WOKE_DONE)
        check(wait);
    if (repeated)
        repeat(wait, outlook);
    else if (!sim_wait_finished(wait) && sim_drive_conducted()) {
        sim_model_unlock();
        sim_process.services->waiting();
        sim_model_lock_alone();
    }
    if (__builtin_expect(sim_turns_on(), 0) && !sim_wait_finished(wait)) {
        wait->look_ns = sim_interrupt_first_look(wait->kind);
        (void)sim_turns_wait(wait);
    }
    if (sim_wait_finished(wait)) {
        sim_model_unlock();
    } else if (wait->serves && !sim_drive_conducted()) {
        sim_idle_wake(); /* perhaps all threads wait now */
        sim_model_unlock();
        sim_progress_thread_blocked();
        (void)sim_interrupt_sleep(&wait->sem, UINT64_MAX);
        (void)atomic_load_explicit(&wait->state, memory_order_acquire); /* its outcome is written */
    } else {
        wait->look_ns = sim_interrupt_first_look(wait->kind);
        take_part(wait);
    }
    sem_destroy(&wait->sem);
    if (!sim_replaying() && sim_nd_logged())
        log_end(wait);
    sim_clock_raise(clock_after(wait));
    if (__builtin_expect(atomic_load_explicit(&sim_observe_waits, memory_order_relaxed), 0))
        sim_observe_waited(wait, sim_clock.now_ns);
    sim_call_queue_resume();
    if (wait->status == TWIN_E_DEADLOCK)
        sim_deadlock_explain();
    else if (wait->status == TWIN_E_INTERRUPTED)
        sim_explain("the program interrupted the wait");
    allow_cancel(cancellable, cancel);
    return wait->status;
}
