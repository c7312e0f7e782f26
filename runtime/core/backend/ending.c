/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/backend/thread_state.h"
#include "core/base/log.h"

/* Real time. */
#define LEAVE_MS 1000u /* for calls of other threads to return */
#define STUCK_MS                                                                                   \
    1000u /* without processor time: the child waits for a lock that is never released */
#define WRITE_MS  30000u /* for the child in all */
#define END_MS    100u   /* for the child to remove what is not complete */
#define TRIES     3u     /* other threads may have been in the middle of a change at the fork */
#define NS_PER_MS 1000000u

/* System calls, as these functions may be interposed: the thread may be anywhere. */
static void sleep_ms(unsigned ms)
{
    const struct timespec time = {.tv_nsec = (long)ms * (long)NS_PER_MS};
    (void)syscall(SYS_nanosleep, &time, NULL);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)syscall(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * 1000u * NS_PER_MS + (uint64_t)now.tv_nsec;
}

/* Whether `child` has ended; *out_good: with status 0. */
static bool has_ended(pid_t child, bool *out_good)
{
    int status = 0;
    pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child)
        *out_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    else if (got < 0 && errno == ECHILD)
        *out_good = true; /* the program takes or ignores the ends of its children */
    return got == child || (got < 0 && errno == ECHILD);
}

static bool await(pid_t child)
{
    bool good = false;
    clockid_t used = 0;
    uint64_t seen = 0;
    unsigned idle = 0;
    bool known = clock_getcpuclockid(child, &used) == 0;
    for (unsigned ms = 0; ms < WRITE_MS && idle < STUCK_MS; ms++, idle++) {
        if (has_ended(child, &good))
            return good;
        sleep_ms(1);
        uint64_t now = known ? clock_ns(used) : 0;
        if (now != seen)
            idle = 0;
        seen = now;
    }
    kill(child, SIGTERM);
    for (unsigned ms = 0; ms < END_MS; ms++) {
        if (has_ended(child, &good))
            return false;
        sleep_ms(1);
    }
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return false;
}

/* Handlers of the program do not run here; what goes wrong ends this process quietly. */
static void prepare_child(void)
{
    static const int kept[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
    const struct rlimit no_dump = {0, 0};
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        sigdelset(&blocked, kept[i]);
        sigaction(kept[i], &plain, NULL);
    }
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    (void)setrlimit(RLIMIT_CORE, &no_dump);
}

/* No handlers of pthread_atfork(), which would take locks. */
static bool write_in_child(const struct twin_backend *ops)
{
    pid_t child = _Fork();
    if (child < 0)
        return false;
    if (child > 0)
        return await(child);
    prepare_child();
    _exit(ops->process.write(TWIN_WRITE_ALONE, 0) ? 0 : 1);
}

static void write_in_children(const struct twin_backend *ops)
{
    for (unsigned i = 0; i < TRIES; i++)
        if (write_in_child(ops))
            return;
    twin_log_text(TWIN_LOG_WARNING,
                  "the process ends inside a call, and the state it was left in could "
                  "not be written: the outputs of the end are missing");
}

void twin_ending_stop(const struct twin_backend *ops)
{
    if (twin_self.inside) {
        write_in_children(ops);
        return;
    }
    twin_threads_fence();
    for (unsigned ms = 0; ms < LEAVE_MS; ms++) {
        unsigned functions = 0;
        unsigned calls = twin_threads_inside(&functions);
        if (calls == 0 && functions == 0) {
            ops->process.stop();
            return;
        }
        if (ops->process.write(TWIN_WRITE_IF_STILL, calls))
            return;
        sleep_ms(1);
    }
    if (!ops->process.write(TWIN_WRITE_NOW, 0))
        write_in_children(ops);
}
