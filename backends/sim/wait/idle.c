/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/idle.h"

#include <utlist.h>

#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/hooks.h"
#include "wait/process_threads.h"
#include "wait/progress.h"
#include "wait/real_time.h"
#include "wait/deadlock_report.h"
#include "wait/wait.h"
#include "wait/wall.h"

/* A wait without progress is reported after this real time, and repeatedly. */
#define WARN_AFTER_NS 5000000000ull
#define WARN_AGAIN_NS 60000000000ull
/* Reports after which any two are WARN_AGAIN_NS apart. */
#define REPORTS_FREE 5u
/* Steps in which an idle driver looks for what other processes did: a part of the time it is
 * idle. */
#define LOOK_SHARE    4u
#define LOOK_LEAST_NS 50000u
#define LOOK_MOST_NS  5000000u
/* Between two looks for threads that block or end without a call: doubled each time. */
#define RECHECK_LEAST_NS 50000u
#define RECHECK_MOST_NS  50000000u
/* Time-outs in a row of threads that ask for host functions while others wait without a limit; from
 * then on each takes its real time. */
#define ASKING_ROUNDS 1000u

/* Guarded by the model lock. */
static uint64_t idle_began_ns; /* real; 0: the model is not stalled */
static unsigned reports;
static uint64_t next_report_ns; /* real: not before */
static uint64_t limit_ns; /* virtual: the time limit of a parked wait that time is not to jump to */
static uint64_t limit_real_ns; /* when it passes in real time */
static bool recheck;           /* threads may block or end without a call of this backend */
static uint64_t recheck_ns = RECHECK_LEAST_NS; /* real time to the next look for them */
/* Guarded by the model lock: time-outs of none but threads that ask for host functions, since the
 * stamp changed. */
static struct {
    uint64_t stamp;
    unsigned rounds;
} asking;

/* The driver sleeps on park_sem until a thread submits. */
static atomic_int parked;
static sem_t park_sem;
static pthread_once_t park_once = PTHREAD_ONCE_INIT;

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void park_init(void)
{
    sem_init(&park_sem, 0, 0);
}

void sim_idle_init(void)
{
    pthread_once(&park_once, park_init);
}

void sim_idle_wake(void)
{
    if (atomic_exchange(&parked, 0) != 0)
        sem_post(&park_sem);
    sim_progress_changed();
}

bool sim_idle_parked(void)
{
    return atomic_load(&parked) != 0;
}

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* only atomics are ordered by the fences here */
#endif

void sim_drive_submitted(void)
{
    /* Pairs with the fence in park(): either the driver sees the doorbell, or we see that it
     * parks. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&parked, memory_order_relaxed) != 0)
        sim_idle_wake();
    else
        sim_progress_changed();
}

void sim_drive_reconsider(void)
{
    sim_model_lock_alone();
    sim_idle_wake();
    sim_model_unlock();
}

void sim_idle_end(void)
{
    idle_began_ns = 0;
    recheck_ns = RECHECK_LEAST_NS;
}

uint64_t sim_next_deadline(void)
{
    uint64_t nearest = TWIN_FOREVER;
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        nearest = earlier(nearest, wait->deadline_ns);
    return nearest;
}

static void time_out(struct sim_wait *wait)
{
    /* Other threads do not see that a poll waited: they see how far the model has moved. */
    if (wait->kind != SIM_WAIT_TIME)
        sim_drive_publish(wait->deadline_ns);
    sim_wait_finish(wait, TWIN_E_TIMEOUT, wait->deadline_ns);
}

void sim_expire_waits(uint64_t now_ns)
{
    struct sim_wait *wait, *next;
    DL_FOREACH_SAFE(sim_waits.first, wait, next)
        if (wait->deadline_ns <= now_ns)
            time_out(wait);
}

static void expire_real(uint64_t real_ns)
{
    struct sim_wait *wait, *next;
    DL_FOREACH_SAFE(sim_waits.first, wait, next)
        if (wait->real_deadline_ns != 0 && wait->real_deadline_ns <= real_ns)
            time_out(wait);
}

/* Sets the instants in real time at which waits time out that time does not jump to. A wait never
 * lasts longer than on a board, and shorter where the model has moved on. Returns the first,
 * UINT64_MAX: there is none. */
static uint64_t set_real_deadlines(uint64_t real_ns)
{
    uint64_t now = twinsim_now(sim_process.sim);
    uint64_t first = UINT64_MAX;
    uint64_t nearest = TWIN_FOREVER;
    for (struct sim_wait *wait = sim_waits.first; wait; wait = wait->next) {
        if (wait->deadline_ns == TWIN_FOREVER)
            continue;
        uint64_t reached = now > wait->begin_ns ? now : wait->begin_ns;
        uint64_t left = wait->deadline_ns > reached ? wait->deadline_ns - reached : 0;
        uint64_t at = sim_time_sum(real_ns, left);
        if (wait->real_deadline_ns == 0 || at < wait->real_deadline_ns)
            wait->real_deadline_ns = at;
        first = earlier(first, wait->real_deadline_ns);
        nearest = earlier(nearest, wait->deadline_ns);
    }
    /* What holds the model before the nearest deadline is the time limit of a parked wait. */
    uint64_t next = twinsim_next(sim_process.sim);
    if (next == TWINSIM_NEVER || next > nearest) {
        limit_ns = 0;
        return first;
    }
    uint64_t at = sim_time_sum(real_ns, next > now ? next - now : 0);
    if (limit_ns != next || at < limit_real_ns)
        limit_real_ns = at;
    limit_ns = next;
    return earlier(limit_real_ns, first);
}

/* Sleeps on park_sem until wake_at, real time, unless a thread has cleared `parked` by then; resets
 * both. True: a thread has. */
static bool sleep_parked(uint64_t wake_at)
{
    bool woken;
    uint64_t until;
    do {
        until = sim_watch_until(wake_at);
        sim_model_pause();
        woken = sim_interrupt_sleep(&park_sem, until);
        sim_model_continue();
        if (!woken)
            sim_watch_look();
    } while (!woken && until < wake_at);
    if (atomic_exchange(&parked, 0) != 0)
        return false;
    if (!woken)
        while (sem_wait(&park_sem) != 0) /* the post that came just then */
            continue;
    return true;
}

/* When to look again for what other processes did, or what was stored to mapped memory. */
static uint64_t next_look(uint64_t real_ns)
{
    if (sim_shared_outlook() == SIM_OUTLOOK_NONE && !sim_progress_shares())
        return UINT64_MAX;
    uint64_t step_ns = (real_ns - idle_began_ns) / LOOK_SHARE;
    return real_ns + (step_ns < LOOK_LEAST_NS  ? LOOK_LEAST_NS
                      : step_ns > LOOK_MOST_NS ? LOOK_MOST_NS
                                               : step_ns);
}

/* The time limit of a parked wait, if it has passed by then: it comes before those of threads,
 * which may have passed as well while nothing of this process ran, and what it leads to may be what
 * they wait for. Returns whether the model has moved. */
static bool pass_limit(uint64_t real_ns)
{
    if (limit_ns == 0 || limit_real_ns > real_ns)
        return false;
    return sim_drive_pass_limits(earlier(limit_ns, sim_next_deadline()));
}

/* The driver sleeps until wake_at, and no longer than to its next look for threads that may block
 * without a call. */
static void sleep_until_recheck(uint64_t now, uint64_t wake_at)
{
    const uint64_t recheck_at = recheck ? now + recheck_ns : UINT64_MAX;
    if (sleep_parked(earlier(recheck_at, wake_at)))
        recheck_ns = RECHECK_LEAST_NS;
    else if (recheck)
        recheck_ns = recheck_ns < RECHECK_MOST_NS / 2 ? recheck_ns * 2 : RECHECK_MOST_NS;
}

static bool is_endless(const struct sim_wait *wait)
{
    return wait->deadline_ns == TWIN_FOREVER && !wait->serves;
}

/* When the first of the endless waits is to be reported; UINT64_MAX: there is none. */
static uint64_t report_due(uint64_t now)
{
    uint64_t due = UINT64_MAX;
    for (struct sim_wait *wait = sim_waits.first; wait; wait = wait->next) {
        if (!is_endless(wait))
            continue;
        if (wait->warn_ns == 0)
            wait->warn_ns = now + WARN_AFTER_NS;
        due = earlier(due, wait->warn_ns);
    }
    return due < next_report_ns ? next_report_ns : due;
}

static void report_long_wait(uint64_t now)
{
    sim_report_waits(SIM_REPORT_LONG_WAIT);
    if (++reports >= REPORTS_FREE)
        next_report_ns = now + WARN_AGAIN_NS;
    for (struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        wait->warn_ns = now + WARN_AGAIN_NS;
}

void sim_idle_park(uint64_t look_ns)
{
    atomic_store_explicit(&parked, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with sim_drive_submitted() */
    bool any;
    enum twinsim_stop stop = sim_drive_step(sim_next_deadline(), true, &any);
    uint64_t now = sim_real_now();
    if (idle_began_ns == 0)
        idle_began_ns = now;
    const uint64_t warn_at = report_due(now);
    if (!sim_drive_stands_still(stop, any)) {
        if (atomic_exchange(&parked, 0) == 0)
            while (sem_wait(&park_sem) != 0)
                continue;
        return;
    }
    const uint64_t wake_at = earlier(set_real_deadlines(now), warn_at);
    sleep_until_recheck(now, earlier(wake_at, earlier(next_look(now), look_ns)));
    now = sim_real_now();
    if (!pass_limit(now))
        expire_real(now);
    if (now >= warn_at && sim_waits.first)
        report_long_wait(now);
}

static bool is_unaided(const struct sim_wait *wait)
{
    return wait->unaided;
}

/* Reports why, and ends these waits. */
static void give_up(enum sim_report_kind why, bool (*ends)(const struct sim_wait *wait))
{
    sim_report_waits(why);
    const uint64_t now = twinsim_now(sim_process.sim);
    struct sim_wait *wait, *next;
    DL_FOREACH_SAFE(sim_waits.first, wait, next)
        if (ends(wait))
            sim_wait_finish(wait, TWIN_E_DEADLOCK, now);
}

bool sim_idle_end_unaided(void)
{
    bool any = false;
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        any = any || wait->unaided;
    if (!any || sim_call_queue_busy_locked())
        return false;
    give_up(SIM_REPORT_DROPPED, is_unaided);
    return true;
}

/* Whether some waits have no limit, and all others ask for host functions. */
static bool only_askers_have_limits(void)
{
    bool endless = false;
    bool other = false;
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next) {
        endless = endless || is_endless(wait);
        other = other || (wait->deadline_ns != TWIN_FOREVER && wait->kind != SIM_WAIT_CALL);
    }
    return endless && !other;
}

static void count_time_out(void)
{
    const uint64_t stamp = sim_work_stamp();
    if (stamp != asking.stamp || !only_askers_have_limits())
        asking.rounds = 0;
    asking.stamp = stamp;
    asking.rounds++;
}

/* Whether time jumps only for threads that ask for host functions, again and again. What they will
 * do is not known; until then time passes as on a board. */
static bool asked_in_vain(void)
{
    return asking.rounds >= ASKING_ROUNDS && sim_next_deadline() != TWIN_FOREVER &&
           asking.stamp == sim_work_stamp() && only_askers_have_limits();
}

bool sim_idle_proven(void)
{
    const enum sim_outlook others = sim_shared_outlook();
    recheck = false;
    if (sim_drive_conducted())
        return others != SIM_OUTLOOK_GOOD;
    if (sim_wall() && sim_next_deadline() != TWIN_FOREVER)
        return false; /* a deadline comes in real time */
    return others <= SIM_OUTLOOK_BROKEN && sim_process_blocked(sim_waits.count, &recheck) &&
           !asked_in_vain() && !(sim_progress_shares() && sim_work_polls_outside());
}

void sim_idle_resolve(void)
{
    const uint64_t deadline = sim_next_deadline();
    if (deadline == TWIN_FOREVER) {
        give_up(SIM_REPORT_DEADLOCK, is_endless);
        return;
    }
    count_time_out();
    sim_expire_waits(deadline);
}

void sim_idle_await_time(uint64_t look_ns)
{
    atomic_store_explicit(&parked, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with sim_drive_submitted() */
    bool any;
    (void)sim_drive_step(sim_next_deadline(), false, &any);
    const uint64_t due = sim_wall_real(earlier(twinsim_next(sim_process.sim), sim_next_deadline()));
    (void)sleep_parked(any ? 0 : earlier(due, look_ns));
}

void sim_idle_await_answer(uint64_t look_ns)
{
    uint64_t end = sim_call_queue_time_hold_end_locked();
    if (sim_drive_conducted()) { /* its thread runs after this one */
        sim_call_queue_expire_time_holds_locked(end);
        return;
    }
    atomic_store(&parked, 1);
    sleep_parked(earlier(look_ns, end));
    sim_call_queue_expire_time_holds_locked(sim_real_now());
}
