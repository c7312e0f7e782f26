/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

static void show(const struct cc_list *command)
{
    for (size_t i = 0; i < command->count; i++)
        fprintf(stderr, "%s%s", i > 0 ? " " : "", command->words[i]);
    fputc('\n', stderr);
}

static const int caught[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static volatile sig_atomic_t ended_by; /* 0: no signal */
static volatile pid_t child;           /* 0: none runs */

static void end_child(int number)
{
    ended_by = number;
    if (child > 0)
        (void)kill(child, number);
}

void cc_catch_signals(void)
{
    for (size_t i = 0; i < CAUGHT; i++) {
        struct sigaction action = {.sa_handler = end_child};
        struct sigaction before;
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(caught[i], &action, NULL);
    }
}

void cc_raise_signal(void)
{
    if (!ended_by)
        return;
    signal(ended_by, SIG_DFL);
    raise(ended_by);
}

/* Starts the command: a signal comes before, or ends it. Returns 0, or an errno. */
static int start(const struct cc_list *command, const posix_spawn_file_actions_t *files)
{
    posix_spawnattr_t attributes;
    sigset_t held, before;
    pid_t started = 0;
    sigemptyset(&held);
    for (size_t i = 0; i < CAUGHT; i++)
        sigaddset(&held, caught[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error = ended_by ? EINTR
                               : posix_spawnp(&started, command->words[0], files, &attributes,
                                              command->words, environ);
    posix_spawnattr_destroy(&attributes);
    child = error == 0 ? started : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Runs the command and gives its status; silent: without its output. Returns 0, or an errno. */
static int execute(const struct cc_list *command, bool silent, int *status)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int file = STDOUT_FILENO; silent && file <= STDERR_FILENO; file++)
        posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0);
    const int error = start(command, &files);
    posix_spawn_file_actions_destroy(&files);
    if (error == 0)
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            continue;
    child = 0;
    return error;
}

int cc_run(bool verbose, const struct cc_list *command, const char *what)
{
    if (verbose)
        show(command);
    int status = 0;
    const int error = execute(command, false, &status);
    if (ended_by)
        return -1;
    if (error != 0)
        return cc_error("%s: %s cannot be run: %s; set CC or CXX, or give --cc or --cxx", what,
                        command->words[0], strerror(error));
    if (WIFSIGNALED(status))
        return cc_error("%s: %s was ended by signal %d", what, command->words[0], WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? 0 : cc_error("%s: %s failed", what, command->words[0]);
}

bool cc_succeeds(const struct cc_list *command)
{
    int status = 0;
    return execute(command, true, &status) == 0 && status == 0;
}
