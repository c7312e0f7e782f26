/* SPDX-License-Identifier: Apache-2.0 */
#include "run_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/config.h"
#include "tool.h"

#define HOST_LIBRARY "libtwinrt-host.so"

/* Puts `entry` before what the variable has. Returns 0, or -1 with a message. */
static int prepend(const char *variable, const char *entry)
{
    const char *present = getenv(variable);
    size_t bytes = strlen(entry) + (present ? strlen(present) : 0) + 2;
    char *value = malloc(bytes);
    int result = -1;
    if (value) {
        (void)snprintf(value, bytes, "%s%s%s", entry, present && *present ? ":" : "",
                       present ? present : "");
        result = setenv(variable, value, 1);
        free(value);
    }
    if (result != 0)
        fprintf(stderr, "twinrt: %s: out of memory\n", variable);
    return result;
}

int run_library_path(void)
{
    char folder[PATH_MAX];
    return twin_tool_library(folder, sizeof(folder), "%s", "") == 0
               ? prepend("LD_LIBRARY_PATH", folder)
               : -1;
}

int run_preload(void)
{
    char path[PATH_MAX];
    if (strcmp(twin_setting(TWIN_SETTING_HOST_TIME), "calls") == 0)
        return 0;
    if (twin_tool_library(path, sizeof(path), "/" HOST_LIBRARY) != 0)
        return -1;
    if (access(path, R_OK) != 0)
        return 0;
    /* The loader splits LD_PRELOAD there; the bare name is found by LD_LIBRARY_PATH. */
    if (prepend("LD_PRELOAD", strpbrk(path, " :") ? HOST_LIBRARY : path) != 0)
        return -1;
    /* A shared AddressSanitizer runtime refuses to start after another library. This one replaces
     * no allocator, and what the program's user says comes later and so holds. */
    return prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
}

void run_program(char **program, int failed)
{
    execvp(program[0], program);
    int error = errno;
    fprintf(stderr, "twinrt: %s: %s\n", program[0], strerror(error));
    if (failed >= 0 && write(failed, "", 1) != 1)
        perror("twinrt: write");
    _exit(error == ENOENT ? TWIN_TOOL_NOT_FOUND : TWIN_TOOL_NO_EXEC);
}

/* The next signal; SIGCHLD at the latest when the child has ended. 0: none came in `left_ns`;
 * UINT64_MAX: no limit. */
static int next_signal(const sigset_t *signals, uint64_t left_ns, siginfo_t *out_info)
{
    const struct timespec left = {.tv_nsec = (long)left_ns};
    int number = left_ns != UINT64_MAX ? sigtimedwait(signals, out_info, &left)
                                       : sigwaitinfo(signals, out_info);
    return number < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : number;
}

/* Looks at the processes when a step has passed, however many signals come: each orphan of the run
 * that ends is one. Gives the rest of the step. */
static uint64_t look_in_time(struct run_watch *watch, pid_t child, struct timespec *looked,
                             bool *ended)
{
    const uint64_t step_ns = RUN_WATCH_STEP_MS * UINT64_C(1000000);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t passed_ns = (uint64_t)(now.tv_sec - looked->tv_sec) * 1000000000u +
                               (uint64_t)now.tv_nsec - (uint64_t)looked->tv_nsec;
    if (passed_ns < step_ns)
        return step_ns - passed_ns;
    *ended = run_watch_look(watch, (int32_t)child) || *ended;
    *looked = now;
    return step_ns;
}

/* Passes signals on to the child until it ends. What a terminal sends has reached the child
 * already. */
static struct run_end wait_for(pid_t child, const sigset_t *signals, struct run_watch *watch)
{
    struct run_end end = {.ran = true, .status = TWIN_TOOL_RUN_FAILED};
    int status = 0;
    struct timespec looked;
    clock_gettime(CLOCK_MONOTONIC, &looked);
    for (;;) {
        siginfo_t info;
        const uint64_t left_ns =
            watch ? look_in_time(watch, child, &looked, &end.ended) : UINT64_MAX;
        int number = next_signal(signals, left_ns, &info);
        if (number < 0) {
            perror("twinrt: sigwaitinfo");
            return end;
        }
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            (void)kill(child, number);
        /* Processes whose parent has ended are the tool's children too. */
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0 && ended != child)
            if (watch)
                run_watch_gone(watch, (int32_t)ended);
        if (ended < 0) {
            perror("twinrt: waitpid");
            return end;
        }
        if (ended == child)
            break;
    }
    if (watch && run_watch_timed_out(watch))
        run_watch_end_rest(watch);
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = watch && run_watch_timed_out(watch) ? TWIN_TOOL_TIMED_OUT
                 : end.ended                         ? TWIN_TOOL_STALLED
                 : end.signal                        ? 128 + end.signal
                                                     : WEXITSTATUS(status);
    return end;
}

struct run_end run_and_wait(char **program, struct run_watch *watch)
{
    struct run_end end = {.status = TWIN_TOOL_RUN_FAILED};
    int ends[2];
    char byte;
    sigset_t signals;
    sigset_t mask;
    struct sigaction child_ended;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGQUIT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    /* where SIGCHLD is ignored, the status of a child is lost */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &child_ended);

    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror("twinrt: pipe");
        return end;
    }
    fflush(NULL);
    const pid_t tool = getpid();
    pid_t child = fork();
    if (child == 0) {
        /* Killed with SIGKILL, the tool takes the program with it, as if it were the program. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != tool)
            _exit(TWIN_TOOL_RUN_FAILED);
        sigaction(SIGCHLD, &child_ended, NULL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        run_program(program, ends[1]);
    }
    (void)close(ends[1]);
    if (child < 0)
        perror("twinrt: fork");
    else
        end = wait_for(child, &signals, watch);
    end.ran = child > 0 && read(ends[0], &byte, 1) == 0;
    (void)close(ends[0]);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return end;
}

void run_end_by(int number)
{
    sigset_t only;
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    (void)prctl(PR_SET_DUMPABLE, 0); /* where cores go to a program, the limit does not count */
    (void)signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    (void)sigprocmask(SIG_UNBLOCK, &only, NULL);
    (void)raise(number);
    _exit(128 + number);
}
