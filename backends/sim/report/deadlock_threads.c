/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the process in reports: what each waits for, and where the program called. The
 * lines about threads outside the runtime describe them and prove nothing. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/device.h"
#include "process/site.h"
#include "report/threads.h"
#include "seam/host_time.h"
#include "signal/ipc.h"
#include "wait/clock.h"
#include "wait/hooks.h"
#include "wait/process_threads.h"
#include "wait/progress.h"
#include "wait/wait.h"

/* Threads outside the runtime that get a line. */
#define OUTSIDE_NAMED 16u

/* Module and offset. */
static void add_site(struct text *text, uint32_t thread, const void *site)
{
    char place[128];
    uintptr_t offset;
    sim_site_text(site, place, sizeof(place), &offset);
    if (place[0] == '\0')
        return;
    sim_text_add(text, ", called at %s", place);
    if (offset != 0)
        sim_watch_site(thread, (uintptr_t)site, offset);
}

/* One line of a file of the thread, without its end; "" : there is none. */
static void read_line(uint32_t thread, const char *name, char *line, size_t bytes)
{
    sim_process_read_task(thread, name, line, bytes);
    line[strcspn(line, "\n")] = '\0';
}

static void add_thread(struct text *text, uint32_t thread)
{
    char name[32];
    read_line(thread, "comm", name, sizeof(name));
    sim_text_add(text, "\n  thread %u%s%s%s: ", thread, name[0] ? " (" : "", name,
                 name[0] ? ")" : "");
}

static void add_awaited(struct text *text, const struct sim_wait *wait)
{
    char others[96];
    switch (wait->kind) {
    case SIM_WAIT_QUEUE_POINT:
        sim_text_add(text, "waits for %stask %llu of stream %u of device %u",
                     wait->for_room ? "room, until " : "", (unsigned long long)wait->point.number,
                     wait->point.queue->config.id, wait->point.queue->device->index);
        return;
    case SIM_WAIT_TRANSFER:
        sim_text_add(text, "waits for its copy");
        return;
    case SIM_WAIT_EVENT_ID:
        sim_text_add(text, "waits for a free event id of device %u", wait->device->index);
        return;
    case SIM_WAIT_SHARED:
        sim_shared_describe(wait->shared, others, sizeof(others));
        sim_text_add(text, "waits for event %u of device %u%s", wait->shared->config.name,
                     wait->shared->device->index, others);
        return;
    case SIM_WAIT_CALL:
        sim_text_add(text, wait->serves ? "of the runtime, waits for a host function"
                                        : "waits for a callback");
        return;
    case SIM_WAIT_TIME:
        sim_text_add(text, "polls");
        return;
    }
}

static void add_wait(struct text *text, const struct sim_wait *wait)
{
    const twin_call_place *place = wait->thread->place;
    add_thread(text, wait->thread->system_id);
    if (place && place->call && !wait->serves) {
        sim_text_add(text, "in %s", place->call->name);
        add_site(text, wait->thread->system_id, place->site);
        sim_text_add(text, ": ");
    }
    add_awaited(text, wait);
    if (wait->deadline_ns != TWIN_FOREVER)
        sim_text_add(text, ", with a time limit");
}

/* The state of a thread in libtwinrt-host.so. */
struct outside {
    uint32_t thread;
    twin_host_thread found;
};

static void take_thread(void *context, const twin_host_thread *thread)
{
    struct outside *outside = context;
    if (thread->system_id == outside->thread)
        outside->found = *thread;
}

/* The system call that the thread is in. */
static const char *call_name(uint32_t thread)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {
        {SYS_accept, "accept"},
        {SYS_accept4, "accept"},
        {SYS_clock_nanosleep, "a sleep"},
#ifdef SYS_epoll_wait
        {SYS_epoll_wait, "epoll_wait"},
#endif
        {SYS_epoll_pwait, "epoll_wait"},
        {SYS_futex, "a wait for another thread"},
        {SYS_nanosleep, "a sleep"},
#ifdef SYS_poll
        {SYS_poll, "poll"},
#endif
        {SYS_ppoll, "poll"},
        {SYS_pselect6, "select"},
        {SYS_read, "read"},
        {SYS_recvfrom, "recv"},
        {SYS_recvmsg, "recvmsg"},
        {SYS_rt_sigtimedwait, "a wait for a signal"},
        {SYS_wait4, "a wait for a process"},
        {SYS_waitid, "a wait for a process"},
    };
    static char other[40];
    char line[128];
    read_line(thread, "syscall", line, sizeof(line));
    if (strncmp(line, "running", 7) == 0)
        return "its own code";
    char *end;
    const long number = strtol(line, &end, 10);
    if (end == line)
        return "something unknown";
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i].number == number)
            return calls[i].name;
    (void)snprintf(other, sizeof(other), "system call %ld", number);
    return other;
}

static void add_outside(struct text *text, uint32_t thread, bool attached)
{
    const twin_services *services = sim_process.services;
    struct outside outside = {.thread = thread};
    if (services && services->host_time && services->host_time->threads)
        services->host_time->threads(take_thread, &outside);
    add_thread(text, thread);
    sim_text_add(text, "%s; in ",
                 attached ? "waits for nothing of the device" : "has made no call yet");
    if (!outside.found.blocked_in) {
        sim_text_add(text, "%s", call_name(thread));
        return;
    }
    sim_text_add(text, "%s", outside.found.blocked_in);
    add_site(text, thread, outside.found.call_site);
    if (outside.found.waits_for != 0)
        sim_text_add(text, ", for thread %u", outside.found.waits_for);
}

static bool is_waiting(uint32_t thread)
{
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        if (wait->thread->system_id == thread)
            return true;
    return false;
}

static void add_others(struct text *text)
{
    unsigned unknown = 0;
    unsigned lines = 0;
    unsigned more = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        const uint32_t thread = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (thread == 0 || is_waiting(thread) || thread == sim_progress_system_id())
            continue;
        const bool attached = sim_clock_knows(thread);
        unknown += !attached;
        if (lines++ < OUTSIDE_NAMED)
            add_outside(text, thread, attached);
        else
            more++;
    }
    if (tasks)
        closedir(tasks);
    else
        sim_text_add(text, "\n  other threads of the process are not known: /proc cannot be read");
    if (more > 0)
        sim_text_add(text, "\n  and %u more threads", more);
    if (unknown > 0 && more > 0)
        sim_text_add(text, "\n  %u of the process's threads have made no call yet", unknown);
}

void sim_deadlock_threads(struct text *text)
{
    for (const struct sim_wait *wait = sim_waits.first; wait; wait = wait->next)
        add_wait(text, wait);
    add_others(text);
}
