/* SPDX-License-Identifier: Apache-2.0 */
#include "wait/process_threads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "process/process.h"
#include "seam/host_time.h"
#include "seam/sanitizer.h"
#include "wait/clock.h"

/* Threads that make no calls: ThreadSanitizer has one. It has two in a process forked by one that
 * had never created a thread, once it creates one; nothing is proven there. */
static unsigned sanitizer_threads(void)
{
    return twin_under_thread_sanitizer() ? 1 : 0;
}

unsigned sim_process_threads(void)
{
    struct stat tasks;
    const unsigned ours = sanitizer_threads() + sim_progress_threads();
    if (stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 + ours)
        return (unsigned)tasks.st_nlink - 2 - ours;
    return __libc_single_threaded ? 1 : 0;
}

bool sim_process_read_task(unsigned task, const char *name, char *text, size_t bytes)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%u/%s", task, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, bytes - 1) : 0;
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Whether the first thread has called pthread_exit(): it is counted until the process ends, and
 * acts no more. */
static bool first_thread_ended(void)
{
    char text[512];
    if (!sim_process_read_task((unsigned)getpid(), "stat", text, sizeof(text)))
        return false;
    /* "number (name) state ...": the name may contain anything. */
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

static bool has_handler(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 &&
           ((action.sa_flags & SA_SIGINFO) != 0 ||
            (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN));
}

/* Faults, which the runtime itself handles. */
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
/* Signals of a user or a terminal, and those that a running thread gets by its own write. */
static const int user_signals[] = {SIGINT,  SIGTERM, SIGQUIT, SIGHUP,   SIGTSTP, SIGTTIN,
                                   SIGTTOU, SIGCONT, SIGPIPE, SIGWINCH, SIGXFSZ};

static bool contains(const int *numbers, size_t count, int number)
{
    size_t i = 0;
    while (i < count && numbers[i] != number)
        i++;
    return i < count;
}

/* Of signals that a timer, a child process or another thread may send. */
static bool any_handler(bool with_user_signals)
{
    for (int number = 1; number <= SIGRTMAX; number++)
        if (!contains(faults, sizeof(faults) / sizeof(faults[0]), number) &&
            (with_user_signals ||
             !contains(user_signals, sizeof(user_signals) / sizeof(user_signals[0]), number)) &&
            has_handler(number))
            return true;
    return false;
}

/* One without a signal handler ends the process, or nothing. */
bool sim_process_timer_may_act(void)
{
    static const struct {
        __itimer_which_t which;
        int number;
    } kinds[] = {{ITIMER_REAL, SIGALRM}, {ITIMER_VIRTUAL, SIGVTALRM}, {ITIMER_PROF, SIGPROF}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct itimerval timer;
        if (getitimer(kinds[i].which, &timer) != 0 ||
            ((timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0) &&
             has_handler(kinds[i].number)))
            return true;
    }
    const int file = open("/proc/self/timers", O_RDONLY | O_CLOEXEC); /* those of timer_create() */
    if (file < 0)
        return any_handler(true);
    char byte;
    const ssize_t length = read(file, &byte, 1);
    close(file);
    return length != 0;
}

struct blocked {
    uint32_t threads;
    uint32_t on_host; /* of them, in waits of the C library */
    uint64_t core_stamp;
    uint64_t host_stamp;
};

static struct blocked read_blocked(void)
{
    const twin_services *services = sim_process.services;
    struct blocked blocked = {0};
    if (services && services->blocked)
        blocked.threads += services->blocked(&blocked.core_stamp);
    if (services && services->host_time)
        blocked.on_host = services->host_time->blocked(&blocked.host_stamp);
    blocked.threads += blocked.on_host;
    return blocked;
}

/* A handler may post a semaphore. The runtime's functions are not for handlers, so a wait in the
 * runtime is not ended so. */
bool sim_process_handler_may_act(void)
{
    return read_blocked().on_host != 0 && any_handler(false);
}

/* Whether these are all. */
static bool are_all(unsigned blocked, unsigned threads, unsigned attached)
{
    if (threads == 0 ||
        threads + sanitizer_threads() < attached) /* the system does not say, or not the truth */
        return false;
    return threads <= blocked || (threads == blocked + 1 && first_thread_ended());
}

bool sim_process_blocked(unsigned waiting, bool *out_silent)
{
    const struct blocked before = read_blocked();
    const unsigned blocked = waiting + before.threads;
    const unsigned attached = atomic_load(&sim_attached_count);
    *out_silent = sim_process.services && sim_process.services->host_time;
    if (blocked < attached)
        return false; /* an attached thread runs */
    const unsigned threads = sim_process_threads();
    const bool all = are_all(blocked, threads, attached);
    *out_silent = *out_silent || threads == 0 || threads > attached;
    if (!all || sim_process_timer_may_act() || sim_process_handler_may_act())
        return false;
    const struct blocked after = read_blocked();
    return after.threads == before.threads && after.core_stamp == before.core_stamp &&
           after.host_stamp == before.host_stamp;
}
