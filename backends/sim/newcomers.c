/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* gettid */
#include "newcomers.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

/* Real time that a thread which does not run gets for its first call. */
#define QUIET_NS 500000000ull
/* The same for one that runs: it may have much to do before, but it may also never call. */
#define BUSY_NS 10000000000ull
/* Between two looks at threads that run. */
#define LOOK_NS 10000000ull

/* Threads that never call: the thread sanitizer has one. */
#if defined(__SANITIZE_THREAD__)
#define STRANGERS 1u
#else
#define STRANGERS 0u
#endif

/* Threads of this process; 0 when the system does not say. */
static unsigned thread_count(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 + STRANGERS
               ? (unsigned)tasks.st_nlink - 2 - STRANGERS
               : 0;
}

/* Whether the thread runs, could run, or waits for a disk. */
static bool is_busy(const char *thread)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", thread);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    /* "number (name) state ...": the name may hold anything. */
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'R' || name_end[2] == 'D');
}

struct others {
    uint64_t who; /* a sum over the ids of all threads: another one when some have come or gone */
    bool busy;    /* one of them at least */
};

static struct others look_at_others(void)
{
    struct others others = {0};
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return others;
    const long self = gettid();
    const struct dirent *entry;
    while ((entry = readdir(tasks))) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread == 0) /* "." and ".." */
            continue;
        others.who += (uint64_t)thread * 0x9e3779b97f4a7c15u ^ (uint64_t)thread << 17;
        others.busy = others.busy || (thread != self && is_busy(entry->d_name));
    }
    closedir(tasks);
    return others;
}

uint64_t sim_newcomers_until(uint64_t now_ns)
{
    static uint64_t known_others;
    static unsigned known_callers;
    static uint64_t seen_ns;  /* these threads, for the first time */
    static uint64_t quiet_ns; /* since when none of them runs */
    static bool given_up;
    if (thread_count() <= atomic_load(&sim_attached_count))
        return 0;
    const unsigned callers = sim_clock_threads();
    const struct others others = look_at_others();
    if (others.who != known_others || callers != known_callers) {
        known_others = others.who;
        known_callers = callers;
        seen_ns = quiet_ns = now_ns;
        given_up = false;
    }
    if (given_up)
        return 0;
    if (others.busy)
        quiet_ns = now_ns;
    uint64_t until = quiet_ns + QUIET_NS;
    if (until > seen_ns + BUSY_NS)
        until = seen_ns + BUSY_NS;
    given_up = now_ns >= until;
    if (given_up)
        return 0;
    return until < now_ns + LOOK_NS ? until : now_ns + LOOK_NS;
}
