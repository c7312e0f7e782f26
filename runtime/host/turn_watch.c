/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for its turn looks now and then whether the holder of the turn can go on at
 * all. What it finds decides no result of a call: it ends the order, which is reported. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "turn_state.h"

/* Real time for which the holder may sleep in a call that takes no turns, and compute without a
 * scheduling point. */
#define BLOCKED_NS  1000000000ull
#define COMPUTES_NS 30000000000ull

struct sight {
    char state;
    unsigned long long used; /* processor time */
};

static struct sight look_at(uint32_t system_id)
{
    char path[64];
    char text[512];
    struct sight sight = {0};
    snprintf(path, sizeof(path), "/proc/self/task/%u/stat", system_id);
    int file = (int)host_real.syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long length = file < 0 ? 0 : host_real.syscall(SYS_read, file, text, sizeof(text) - 1);
    if (file >= 0)
        host_real.syscall(SYS_close, file);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end =
        strrchr(text, ')'); /* "number (name) state ...": the name may hold anything */
    if (!name_end)
        return sight;
    unsigned long long user = 0;
    unsigned long long system = 0;
    if (sscanf(name_end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &sight.state,
               &user, &system) == 3)
        sight.used = user + system;
    return sight;
}

/* What the thread is blocked in, by the number of its system call. */
static const char *system_call(uint32_t system_id)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {{SYS_futex, "its own futex"},
                 {SYS_read, "read"},
                 {SYS_write, "write"},
                 {SYS_wait4, "wait4"},
                 {SYS_accept4, "accept4"},
                 {SYS_accept, "accept"},
                 {SYS_recvfrom, "recvfrom"},
                 {SYS_recvmsg, "recvmsg"},
                 {SYS_epoll_pwait, "epoll_wait"},
                 {SYS_ppoll, "poll"},
                 {SYS_pselect6, "select"},
#ifdef SYS_poll
                 {SYS_poll, "poll"},
                 {SYS_select, "select"},
                 {SYS_epoll_wait, "epoll_wait"},
#endif
                 {SYS_rt_sigtimedwait, "sigwait"}};
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", system_id);
    char text[32] = "";
    int file = (int)host_real.syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        long length = host_real.syscall(SYS_read, file, text, sizeof(text) - 1);
        text[length > 0 ? length : 0] = '\0';
        host_real.syscall(SYS_close, file);
    }
    char *end = text;
    long number = strtol(text, &end, 10);
    for (size_t i = 0; end != text && i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i].number == number)
            return calls[i].name;
    return "a system call";
}

/* Whether a thread would go on without the holder. */
static bool wanted_locked(void)
{
    for (const struct turn_thread *thread = turn_order.first; thread; thread = thread->next)
        if (thread->state == TURN_READY || thread->state == TURN_TIMED ||
            (thread->state == TURN_WAITS && !thread->serves))
            return true;
    return false;
}

void turn_watch_locked(void)
{
    static const struct turn_thread *seen;
    static uint64_t seen_point;
    static uint64_t since_ns;       /* at this point */
    static uint64_t still_since_ns; /* and in a sleep, without using the processor */
    static struct sight last;
    const struct turn_thread *holder = turn_order.holder;
    if (!holder || holder->system_id == 0 || holder->drives || !wanted_locked()) {
        seen = NULL;
        return;
    }
    uint64_t now = turn_real_now();
    struct sight sight = look_at(holder->system_id);
    if (seen != holder || seen_point != holder->point) {
        seen = holder;
        seen_point = holder->point;
        since_ns = still_since_ns = now;
    }
    if (sight.state != 'S' || last.state != 'S' || last.used != sight.used)
        still_since_ns = now;
    last = sight;
    char text[160];
    if (now - still_since_ns >= BLOCKED_NS) {
        snprintf(text, sizeof(text),
                 "thread %u has been blocked for 1 s in %s, which takes no turns",
                 holder->system_id, system_call(holder->system_id));
        turn_end_locked(text);
    } else if (now - since_ns >= COMPUTES_NS) {
        snprintf(text, sizeof(text),
                 "thread %u has computed for 30 s without a call while others wait for their turn",
                 holder->system_id);
        turn_end_locked(text);
    }
}

void turn_watch_pass_locked(const struct turn_thread *gone)
{
    if (turn_order.watcher && turn_order.watcher != gone && turn_order.watcher != turn_order.holder)
        return;
    turn_order.watcher = NULL;
    for (struct turn_thread *thread = turn_order.first; thread; thread = thread->next) {
        if (thread == gone || thread == turn_order.holder || thread->state == TURN_OVER ||
            thread->system_id == 0)
            continue;
        turn_order.watcher = thread;
        turn_rouse(thread);
        return;
    }
}
