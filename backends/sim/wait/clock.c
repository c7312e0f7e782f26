/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* gettid */
#include "wait/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

#include "process/process.h"
#include "process/nondeterminism.h"
#include "wait/wait.h"
#include "wait/observer.h"
#include "wait/wall.h"

_Thread_local struct sim_clock sim_clock = {.last_task = UINT32_MAX};
_Atomic uint64_t sim_model_now;
atomic_uint sim_attached_count;
static atomic_uint thread_count;
static atomic_uint attach_count;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_clock *attached; /* guarded by list_lock, like the next */
static uint64_t calls_of_detached;

void sim_clock_catch_up(void)
{
    if (sim_replaying()) {
        uint64_t then = 0;
        if (sim_nd(TWIN_ND_CLOCK, 0, &then))
            sim_clock_raise(then);
        return;
    }
    /* acquire: a thread that sees this time also sees what was done until then */
    uint64_t now = atomic_load_explicit(&sim_model_now, memory_order_acquire);
    if (sim_wall())
        now = sim_wall_now();
    if (sim_clock.now_ns >= now)
        return;
    sim_clock.now_ns = now;
    (void)sim_nd(TWIN_ND_CLOCK, 0, &now);
}

/* Only the thread itself writes it. */
static uint64_t calls_of(const struct sim_clock *clock)
{
    return __atomic_load_n(&clock->calls, __ATOMIC_RELAXED);
}

static void list(void)
{
    pthread_mutex_lock(&list_lock);
    calls_of_detached -= sim_clock.calls;
    DL_PREPEND(attached, &sim_clock);
    pthread_mutex_unlock(&list_lock);
}

static void delist(void)
{
    pthread_mutex_lock(&list_lock);
    calls_of_detached += sim_clock.calls;
    DL_DELETE(attached, &sim_clock);
    pthread_mutex_unlock(&list_lock);
}

void sim_clock_forked(void)
{
    pthread_mutex_init(&list_lock, NULL);
    attached = NULL;
    calls_of_detached = 0;
    atomic_store(&sim_attached_count, 0);
    atomic_store(&thread_count, 0);
    atomic_store(&attach_count, 0);
    sim_clock = (struct sim_clock){.last_task = UINT32_MAX};
}

void sim_clock_forget_others(void)
{
    pthread_mutex_init(&list_lock, NULL);
    attached = NULL;
    calls_of_detached = 0;
    if (sim_clock.attached)
        list();
}

uint64_t sim_clock_calls(void)
{
    pthread_mutex_lock(&list_lock);
    uint64_t sum = calls_of_detached;
    for (const struct sim_clock *clock = attached; clock; clock = clock->next)
        sum += calls_of(clock);
    pthread_mutex_unlock(&list_lock);
    return sum;
}

bool sim_clock_knows(uint32_t system_id)
{
    bool known = false;
    pthread_mutex_lock(&list_lock);
    for (const struct sim_clock *clock = attached; clock; clock = clock->next)
        known = known || clock->system_id == system_id;
    pthread_mutex_unlock(&list_lock);
    return known;
}

void sim_host_attach(void)
{
    if (sim_clock.attached)
        return;
    sim_clock.attached = true;
    if (!sim_clock.numbered) { /* a thread may come and go and stays the same thread */
        uint64_t before = atomic_fetch_add_explicit(&thread_count, 1, memory_order_relaxed);
        (void)sim_nd(TWIN_ND_THREAD, 0, &before);
        sim_clock.number = (unsigned)before;
        sim_clock.system_id = (uint32_t)gettid();
    }
    sim_clock.numbered = true;
    if (sim_process.services && sim_process.services->place)
        sim_clock.place = sim_process.services->place();
    list();
    atomic_fetch_add(&attach_count, 1);
    atomic_fetch_add(&sim_attached_count, 1);
    sim_clock_catch_up();
}

unsigned sim_clock_attachings(void)
{
    return atomic_load(&attach_count);
}

void sim_host_detach(void)
{
    if (!sim_clock.attached)
        return;
    sim_clock.attached = false;
    free(sim_clock.asked);
    sim_clock.asked = NULL;
    delist();
    atomic_fetch_sub(&sim_attached_count, 1);
    sim_drive_reconsider();
}

/* A function of the program that a call runs makes a call itself. */
static void push_call(void)
{
    if (sim_clock.depth < SIM_CALLS_NESTED)
        sim_clock.outer_began_ns[sim_clock.depth] = sim_clock.call_began_ns;
    sim_clock.depth++;
}

static void pop_call(void)
{
    sim_clock.depth--;
    if (sim_clock.depth < SIM_CALLS_NESTED)
        sim_clock.call_began_ns = sim_clock.outer_began_ns[sim_clock.depth];
    sim_clock.in_call = true;
}

/* When a call began is for the timeline alone. */
__attribute__((noinline)) static void note_begin(void)
{
    if (sim_clock.in_call)
        push_call();
    sim_clock.in_call = true;
    sim_clock.call_began_ns = sim_clock.now_ns;
}

void sim_host_enter(const twin_call *call)
{
    sim_clock_catch_up();
    if (__builtin_expect(sim_host_traced(), 0))
        note_begin();
    __atomic_store_n(&sim_clock.calls, sim_clock.calls + 1, __ATOMIC_RELAXED);
    sim_clock.now_ns += sim_process.limits.cost_ns[call->cost];
}

void sim_host_leave(const twin_call *call, int32_t code)
{
    uint64_t began_ns = sim_clock.call_began_ns;
    sim_clock.in_call = false;
    if (__builtin_expect(sim_clock.depth > 0, 0))
        pop_call();
    sim_timeline_call(sim_clock.number, call, began_ns, sim_clock.now_ns, code);
}

bool sim_host_traced(void)
{
    return sim_process.trace_path[0] != '\0';
}

uint64_t sim_host_now(void)
{
    return sim_clock.now_ns;
}

uint32_t sim_host_last_task(void)
{
    return sim_clock.last_task;
}

void sim_host_reach(uint64_t at_ns)
{
    sim_clock_raise(at_ns);
}

static void know_thread(void)
{
    if (sim_clock.system_id == 0)
        sim_clock.system_id = (uint32_t)gettid();
}

void sim_host_advance(uint64_t ns)
{
    static const twin_call sleep_row = {.name = "sleep", .cost = TWIN_COST_LOCAL};
    if (sim_wall())
        return; /* the sleep has taken its time */
    uint64_t began_ns = sim_clock.now_ns;
    know_thread();
    sim_clock.now_ns += ns > UINT64_MAX - sim_clock.now_ns ? UINT64_MAX - sim_clock.now_ns : ns;
    /* a separate slice for a thread that has a row, unless it is in a call */
    if (sim_host_traced() && sim_clock.numbered && !sim_clock.in_call)
        sim_timeline_call(sim_clock.number, &sleep_row, began_ns, sim_clock.now_ns, 0);
}

twin_host_moment *sim_host_self(void)
{
    know_thread();
    return &sim_clock.moment;
}

void sim_host_follow(const twin_host_moment *moment)
{
    sim_clock_raise(moment->at_ns);
}
