/* SPDX-License-Identifier: Apache-2.0 */
#include "host/fake_runtime.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 20

const twin_host_time *twinrt_host_time(void);

static _Thread_local twin_host_moment moment;
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));
static _Thread_local fake_thread *self;
static atomic_uint changes;

static void host_advance(uint64_t ns)
{
    moment.at_ns += ns;
}

static twin_host_moment *host_self(void)
{
    moment.system_id = (uint32_t)syscall(SYS_gettid);
    return &moment;
}

static void host_follow(const twin_host_moment *other)
{
    if (moment.at_ns < other->at_ns)
        moment.at_ns = other->at_ns;
}

static void host_changed(void)
{
    atomic_fetch_add(&changes, 1);
}

static void hold(int number)
{
    (void)number;
    int error = errno;
    atomic_store(&self->held, true);
    while (!atomic_load(&self->go_on))
        syscall(SYS_sched_yield);
    errno = error;
}

void fake_start(void)
{
    static const struct twin_host_ops ops = {
        .advance = host_advance, .self = host_self, .follow = host_follow, .changed = host_changed};
    twinrt_host_time()->bind(&ops, &inside);
    struct sigaction action = {.sa_handler = hold, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
}

uint64_t fake_clock(void)
{
    return moment.at_ns;
}

void fake_clock_set(uint64_t at_ns)
{
    moment.at_ns = at_ns;
}

void fake_inside(bool now)
{
    inside = now;
}

unsigned fake_changes(void)
{
    return atomic_load(&changes);
}

unsigned fake_blocked(void)
{
    uint64_t stamp;
    return twinrt_host_time()->blocked(&stamp);
}

uint64_t fake_stamp(void)
{
    uint64_t stamp;
    (void)twinrt_host_time()->blocked(&stamp);
    return stamp;
}

struct search {
    uint32_t system_id;
    twin_host_thread found;
    unsigned count;
};

static void look(void *context, const twin_host_thread *thread)
{
    struct search *search = context;
    search->count++;
    if (thread->system_id == search->system_id && thread->blocked_in)
        search->found = *thread;
}

bool fake_find(uint32_t system_id, twin_host_thread *out_thread)
{
    struct search search = {.system_id = system_id};
    twinrt_host_time()->threads(look, &search);
    *out_thread = search.found;
    return search.found.blocked_in != NULL;
}

unsigned fake_listed(void)
{
    struct search search = {0};
    twinrt_host_time()->threads(look, &search);
    return search.count;
}

static int64_t real_now(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

#define WAIT_UNTIL(condition)                                                                      \
    for (int64_t limit = real_now() + LIMIT_S; !(condition); syscall(SYS_sched_yield))             \
        if (real_now() > limit)                                                                    \
            return false;                                                                          \
    return true

bool fake_blocked_becomes(unsigned count)
{
    WAIT_UNTIL(fake_blocked() == count);
}

bool fake_changes_become(unsigned count)
{
    WAIT_UNTIL(fake_changes() == count);
}

static bool lists(uint32_t system_id, const char *blocked_in)
{
    twin_host_thread thread;
    return fake_find(system_id, &thread) && strcmp(thread.blocked_in, blocked_in) == 0;
}

bool fake_lists(uint32_t system_id, const char *blocked_in)
{
    WAIT_UNTIL(lists(system_id, blocked_in));
}

bool fake_stage_becomes(atomic_int *stage, int at_least)
{
    WAIT_UNTIL(atomic_load(stage) >= at_least);
}

static bool is_set(atomic_bool *flag)
{
    WAIT_UNTIL(atomic_load(flag));
}

static void *run(void *argument)
{
    self = argument;
    if (self->clock != 0)
        moment.at_ns = self->clock;
    atomic_store(&self->system_id, (uint32_t)syscall(SYS_gettid));
    self->run(self->argument);
    return NULL;
}

static bool runs(fake_thread *thread)
{
    WAIT_UNTIL(atomic_load(&thread->system_id) != 0);
}

void fake_thread_start(fake_thread *thread)
{
    atomic_store(&thread->system_id, 0);
    atomic_store(&thread->stage, 0);
    atomic_store(&thread->held, false);
    atomic_store(&thread->go_on, false);
    pthread_create(&thread->thread, NULL, run, thread);
    (void)runs(thread);
}

void fake_thread_end(fake_thread *thread)
{
    uint64_t before = moment.at_ns;
    pthread_join(thread->thread, NULL);
    moment.at_ns = before;
}

bool fake_hold(fake_thread *thread)
{
    pthread_kill(thread->thread, SIGUSR1);
    return is_set(&thread->held);
}

void fake_release(fake_thread *thread)
{
    atomic_store(&thread->go_on, true);
}
