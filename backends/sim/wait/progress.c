/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setname_np, syscall */
#include "wait/progress.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wait/clock.h"
#include "wait/idle.h"
#include "wait/leader.h"
#include "wait/model_lock.h"
#include "wait/process_threads.h"
#include "wait/real_time.h"
#include "wait/hooks.h"
#include "wait/turns.h"
#include "wait/wait.h"
#include "wait/wall.h"

/* The first time the thread waits for what the setting says, the second time for a tenth of it,
 * then for half as long each time: times depend on real time already. */
#define PATIENCE_SHARE    10u
#define PATIENCE_LEAST_NS 2000000u
/* Looks during one patience: it acts at most so much later. */
#define LOOKS         8u
#define LOOK_LEAST_NS 1000000u
/* How often it looks whether the program has ended without a call of exit(). */
#define LAST_LOOK_NS 500000000u
/* How often it looks for what comes without a call of this process: stores to mapped memory that a
 * task waits for, records of other processes. */
#define OUTSIDE_LOOK_NS 2000000u

_Atomic uint32_t sim_progress_sleeps;
atomic_bool sim_progress_missing;
bool sim_progress_seen;
bool sim_progress_acts;

static _Atomic uint64_t setting_ns; /* 0: off */
static atomic_uint threads;         /* alive; a forked child has none */
static pid_t process;
/* A thread of another life than this one ends. Written under the model lock. */
static _Atomic uint32_t life;
static atomic_bool warned;
static struct sim_wait role; /* holds the driver's role, and is on no list */

static _Atomic uint32_t own_system_id;
/* As of the newest start: the thread outlives a stop, and a start writes sim_process beside it. */
static _Atomic(const twin_services *) core;
static atomic_bool open_memory;    /* host code may read device memory */
static atomic_bool memory_shared;  /* of sim_progress_share() */
static atomic_bool shared_outside; /* of sim_progress_share_outside() */
static atomic_bool by_wall;        /* TWINRT_CLOCK=wall */

uint32_t sim_progress_system_id(void)
{
    return atomic_load(&own_system_id);
}

/* The host, or another process, may see the effect of any work without a call. */
static bool all_visible(void)
{
    return atomic_load(&open_memory) || atomic_load(&memory_shared) || atomic_load(&shared_outside);
}

unsigned sim_progress_threads(void)
{
    return atomic_load(&threads);
}

void sim_progress_warn(const char *why)
{
    if (!atomic_exchange(&warned, true))
        sim_log(2, "%s; from now on the times of this run depend on real time", why);
}

/* ---- the model ------------------------------------------------------------------------------ */

static void say_why(const twin_queue *queue)
{
    char why[256];
    uint32_t device, stream;
    sim_work_names(queue, &device, &stream);
    snprintf(why, sizeof(why),
             "device %u, stream %u: the host can see work of the stream without a call, and no "
             "thread has called for %g s (TWINRT_PROGRESS), so the model runs without a caller",
             device, stream, (double)atomic_load(&setting_ns) / 1e9);
    sim_progress_warn(why);
}

static bool others_wait(void)
{
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        if (!wait->serves)
            return true;
    return false;
}

enum outcome {
    OTHERS, /* another thread moves the model, or may still call in time, or nothing visible is in
               flight */
    MOVED,  /* the host can see something new */
    HELD,   /* a host function runs and may hold the model for some time more */
    STALLED /* nothing moves before something changes */
};

struct watch {
    uint32_t born;        /* in that life */
    uint64_t patience_ns; /* real time without a call */
    uint64_t silent_ns;   /* so much of it has passed */
    uint64_t step_ns;     /* between two looks whether there was a call */
    uint64_t calls;       /* at the newest look */
    bool proven;          /* no thread can act before the host sees something */
    bool woken;           /* that was so before it slept */
    bool in_vain;         /* nothing came of that */
    uint64_t points;      /* of the order of threads, at the newest look */
};

/* One chunk, as the driver. False: it was the last. */
static bool run_chunk(const struct watch *watch, enum outcome *out)
{
    bool any;
    enum twinsim_stop stop = sim_drive_step(sim_next_deadline(), !watch->proven, &any);
    bool stalled = sim_drive_stands_still(stop, any);
    if (stop == TWINSIM_STOP_LIMIT)
        sim_expire_waits(twinsim_now(sim_process.sim));
    if (stop == TWINSIM_STOP_LIMIT && !any && atomic_load(&by_wall))
        return false; /* the rest is not due yet */
    if (!stalled) {
        *out = MOVED;
        return !sim_progress_seen && !others_wait() && sim_pending_work(all_visible());
    }
    *out = STALLED;
    uint64_t hold_ns = sim_call_queue_time_hold_locked();
    if (stop != TWINSIM_STOP_HELD || hold_ns == TWIN_FOREVER || hold_ns > sim_next_deadline())
        return false;
    *out = HELD;
    if (sim_call_queue_time_hold_end_locked() > sim_real_now())
        return false;
    sim_call_queue_expire_time_holds_locked(sim_real_now());
    return true;
}

/* ---- the thread ----------------------------------------------------------------------------- */

static bool is_over(const struct watch *watch)
{
    return atomic_load(&life) != watch->born;
}

static void set_patience(struct watch *watch, uint64_t ns)
{
    const uint64_t first_ns = atomic_load(&setting_ns);
    const uint64_t least_ns = first_ns < PATIENCE_LEAST_NS ? first_ns : PATIENCE_LEAST_NS;
    watch->patience_ns = ns < least_ns ? least_ns : ns;
    watch->step_ns = watch->patience_ns / LOOKS;
    if (watch->step_ns < LOOK_LEAST_NS)
        watch->step_ns = LOOK_LEAST_NS;
}

/* The program makes calls: looks get rarer, so that they cost nothing. */
static void look_later(struct watch *watch)
{
    const uint64_t longest_ns = atomic_load(&setting_ns) / LOOKS;
    if (watch->step_ns < longest_ns)
        watch->step_ns = 2 * watch->step_ns < longest_ns ? 2 * watch->step_ns : longest_ns;
}

/* This thread has no place in the order of threads: it ends the order before it acts, if the
 * program continues without a call. A program that sleeps does not need that. */
static bool leave_order(struct watch *watch)
{
    const twin_turn_ops *turns = sim_turn_ops();
    const uint64_t before = watch->points;
    watch->points = turns->points();
    if (watch->silent_ns < watch->patience_ns || watch->points == before ||
        !sim_pending_work(all_visible()))
        return false;
    turns->end("no thread has called for the time of TWINRT_PROGRESS, and the host can see work "
               "of the device without a call");
    return true;
}

/* Moves the model if that is due: when no thread can act, whatever the real time, or has called for
 * long. */
static enum outcome act(struct watch *watch)
{
    enum outcome outcome = OTHERS;
    if (sim_turns_on() && !leave_order(watch))
        return outcome;
    sim_model_lock_alone();
    const twin_queue *queue = sim_pending_work(all_visible());
    if (!queue || sim_drive_led() || is_over(watch)) {
        watch->silent_ns = 0;
        look_later(watch);
        sim_model_unlock();
        return outcome;
    }
    watch->proven = sim_idle_proven();
    if (!atomic_load(&by_wall) && !watch->proven && watch->silent_ns < watch->patience_ns) {
        sim_model_unlock();
        return outcome;
    }
    sim_drive_take_role(&role);
    sim_progress_acts = true;
    sim_progress_seen = false;
    const uint64_t before = twinsim_now(sim_process.sim);
    while (run_chunk(watch, &outcome))
        sim_model_yield();
    sim_progress_acts = false;
    watch->silent_ns = 0;
    if (!watch->proven && !atomic_load(&by_wall) &&
        (twinsim_now(sim_process.sim) != before || sim_progress_seen)) {
        const uint64_t first_ns = atomic_load(&setting_ns);
        say_why(queue);
        set_patience(watch, watch->patience_ns == first_ns ? first_ns / PATIENCE_SHARE
                                                           : watch->patience_ns / 2);
    }
    sim_drive_release_role();
    return outcome;
}

/* When the last thread of the program ends, so does the process: this thread and those of the
 * runtime do not keep it. */
static void end_with_program(void)
{
    const twin_services *services = atomic_load(&core);
    if (services->none_left && services->none_left(atomic_load(&threads)))
        exit(0);
}

/* Until woken, at most for `ns`; UINT64_MAX: without a limit. */
static void sleep_for(uint32_t sleeps, uint64_t ns)
{
    struct timespec time = sim_real_time(ns);
    syscall(SYS_futex, &sim_progress_sleeps, FUTEX_WAIT_PRIVATE, sleeps,
            ns == UINT64_MAX ? NULL : &time, NULL, 0);
}

static void wake_thread(void)
{
    syscall(SYS_futex, &sim_progress_sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void sim_progress_wake(void)
{
    if (atomic_exchange(&sim_progress_sleeps, SIM_PROGRESS_AWAKE) != SIM_PROGRESS_AWAKE)
        wake_thread();
}

static void announce_sleep(uint32_t sleeps)
{
    atomic_store_explicit(&sim_progress_sleeps, sleeps, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the one of a submission */
}

/* Whether a stalled model may go on without a call of this process. */
static bool comes_from_outside(void)
{
    return atomic_load(&memory_shared) ? sim_pending_work(true) != NULL
                                       : atomic_load(&sim_shared_count) != 0;
}

/* False: nothing has woken it, but it is time to look for what comes without a call. */
static bool sleep_until_woken(const struct watch *watch)
{
    uint32_t sleeps;
    if (is_over(watch))
        atomic_store(&sim_progress_sleeps, SIM_PROGRESS_AWAKE);
    while ((sleeps = atomic_load(&sim_progress_sleeps)) != SIM_PROGRESS_AWAKE) {
        const bool looks = sleeps == SIM_PROGRESS_STALLED && comes_from_outside();
        sleep_for(sleeps, looks ? OUTSIDE_LOOK_NS : LAST_LOOK_NS);
        sim_watch_answer();
        end_with_program();
        if (looks && atomic_load(&sim_progress_sleeps) == SIM_PROGRESS_STALLED)
            return false;
    }
    return true;
}

/* Whether no thread can act and none drives, as far as can be known without the model lock. */
static bool all_blocked(void)
{
    bool silent;
    return atomic_load_explicit(&sim_waits.drivers, memory_order_relaxed) == 0 &&
           sim_process_blocked(atomic_load_explicit(&sim_waits.count, memory_order_relaxed),
                               &silent);
}

void sim_progress_thread_blocked(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the one of announce_sleep() */
    if (__builtin_expect(atomic_load_explicit(&sim_progress_sleeps, memory_order_relaxed) ==
                             SIM_PROGRESS_LOOKS,
                         0) &&
        !sim_turns_on() && all_blocked())
        sim_progress_wake();
}

void sim_host_changed(void)
{
    sim_drive_submitted();
    sim_progress_thread_blocked();
}

/* Sleeps until the next look, or until no thread can act; and looks whether there was a call
 * meanwhile. */
static void await_look(struct watch *watch)
{
    const uint64_t begin_ns = sim_real_now();
    announce_sleep(SIM_PROGRESS_LOOKS);
    watch->woken = !watch->in_vain && !sim_turns_on() && all_blocked();
    if (!watch->woken)
        sleep_for(SIM_PROGRESS_LOOKS, watch->step_ns);
    atomic_store(&sim_progress_sleeps, SIM_PROGRESS_AWAKE);
    sim_watch_answer();
    end_with_program();
    const uint64_t calls = sim_clock_calls();
    if (calls == watch->calls) {
        watch->silent_ns += sim_real_now() - begin_ns;
    } else {
        watch->silent_ns = 0;
        look_later(watch);
    }
    watch->calls = calls;
}

/* TWINRT_PROGRESS=off under `twinrt run --timeout`: reports what threads wait for, and never runs
 * the model. */
static void only_answer(const struct watch *watch)
{
    while (!is_over(watch)) {
        sleep_for(SIM_PROGRESS_AWAKE, LAST_LOOK_NS);
        sim_watch_answer();
        end_with_program();
    }
}

static void *run(void *argument)
{
    struct watch watch = {.born = (uint32_t)(uintptr_t)argument, .calls = sim_clock_calls()};
    pthread_setname_np(pthread_self(), "twinrt-progress");
    atomic_store(&own_system_id, (uint32_t)gettid());
    const twin_services *services = atomic_load(&core);
    if (services->own_thread)
        services->own_thread();
    if (atomic_load(&setting_ns) == 0)
        only_answer(&watch);
    set_patience(&watch, atomic_load(&setting_ns));
    while (!is_over(&watch)) {
        await_look(&watch);
        enum outcome outcome = act(&watch);
        watch.in_vain = watch.woken && outcome == OTHERS;
        if (outcome == STALLED) {
            announce_sleep(SIM_PROGRESS_STALLED);
            watch.silent_ns = watch.proven ? 0 : watch.patience_ns;
            outcome = act(&watch); /* a change before that woke no thread */
            while (outcome == STALLED && !sleep_until_woken(&watch)) {
                watch.silent_ns = watch.patience_ns;
                outcome = act(&watch);
            }
            if (outcome != STALLED)
                atomic_store(&sim_progress_sleeps, SIM_PROGRESS_AWAKE);
        } else if (outcome != MOVED && !sim_pending_work(all_visible())) {
            announce_sleep(all_visible() ? SIM_PROGRESS_STALLED : SIM_PROGRESS_IDLE);
            if (sim_pending_work(all_visible()))
                atomic_store(&sim_progress_sleeps, SIM_PROGRESS_AWAKE);
            (void)sleep_until_woken(&watch);
            watch.calls = sim_clock_calls();
        }
    }
    while (atomic_load(&threads) == 0) /* it is counted once it has been created */
        sched_yield();
    atomic_fetch_sub(&threads, 1);
    return NULL;
}

/* The program's signals are for the program's threads; faults stay where they happen. */
static int start_thread(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&all, faults[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    void *born = (void *)(uintptr_t)atomic_load(&life);
    int error = sim_turns_on() ? sim_turn_ops()->create(&thread, &attributes, run, born)
                               : pthread_create(&thread, &attributes, run, born);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

void sim_progress_make(void)
{
    if (!atomic_exchange(&sim_progress_missing, false))
        return; /* another thread makes it */
    int error = start_thread();
    if (error == 0)
        atomic_fetch_add(&threads, 1);
    else
        sim_log(2,
                "cannot create the thread that runs the model without a caller: error %d; a "
                "program that waits without a call may wait for ever",
                error);
}

bool sim_progress_shares(void)
{
    return atomic_load_explicit(&memory_shared, memory_order_relaxed);
}

/* Work that is in flight has become visible. */
static void attend(void)
{
    if (atomic_load(&sim_progress_missing))
        sim_progress_make();
    else
        sim_progress_wake();
}

void sim_progress_share(bool shared)
{
    atomic_store(&memory_shared, shared);
    if (shared)
        attend();
}

void sim_progress_share_outside(void)
{
    atomic_store(&shared_outside, true);
    attend();
}

void sim_progress_begin(uint64_t patience_ns)
{
    if (process != getpid())
        atomic_store(&threads, 0);
    process = getpid();
    if (sim_wall() && patience_ns > PATIENCE_LEAST_NS)
        patience_ns = PATIENCE_LEAST_NS; /* due work is visible soon */
    atomic_store(&core, sim_process.services);
    atomic_store(&open_memory, sim_process.open_memory);
    atomic_store(&shared_outside, false);
    atomic_store(&by_wall, sim_wall());
    atomic_store(&setting_ns, patience_ns);
    atomic_store(&warned, false);
    atomic_store(&sim_progress_missing,
                 (patience_ns != 0 || sim_watch_needs_thread()) && !sim_drive_conducted());
}

void sim_progress_end(void)
{
    atomic_store(&sim_progress_missing, false);
    sim_model_lock_alone();
    atomic_fetch_add(&life, 1);
    sim_model_unlock();
    atomic_store(&sim_progress_sleeps, SIM_PROGRESS_AWAKE);
    wake_thread();
}
