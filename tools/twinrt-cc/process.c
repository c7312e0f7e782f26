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

/* Runs the command and gives its status; silent: without its output. Returns 0, or an errno. */
static int execute(const struct cc_list *command, bool silent, int *status)
{
    /* As system(3): an interrupt ends the compiler, and this tool cleans up. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before[2];
    sigaction(SIGINT, &ignore, &before[0]);
    sigaction(SIGQUIT, &ignore, &before[1]);
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    if (before[0].sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGINT);
    if (before[1].sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int file = STDOUT_FILENO; silent && file <= STDERR_FILENO; file++)
        posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int error =
        posix_spawnp(&child, command->words[0], &files, &attributes, command->words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error == 0)
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            continue;
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGQUIT, &before[1], NULL);
    return error;
}

int cc_run(bool verbose, const struct cc_list *command, const char *what)
{
    if (verbose)
        show(command);
    int status = 0;
    const int error = execute(command, false, &status);
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
