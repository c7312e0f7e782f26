/* SPDX-License-Identifier: Apache-2.0 */
#include "run_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for the tool's end: a byte from run_guardian_dismiss(), or none. */
static void guard(int file, void (*act)(void *context), void *context)
{
    char byte;
    ssize_t got;
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    do {
        got = read(file, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 0)
        act(context);
}

struct run_guardian run_guardian_start(void (*act)(void *context), void *context)
{
    struct run_guardian guardian = {.process = -1, .file = -1};
    int ends[2];
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return guardian;
    guardian.process = (int)fork();
    if (guardian.process == 0) {
        (void)close(ends[1]);
        /* Whoever reads the tool's output to its end does not wait for this process. */
        const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int stream = 0; nothing >= 0 && stream <= 2; stream++)
            (void)dup2(nothing, stream);
        guard(ends[0], act, context);
        _exit(0);
    }
    (void)close(ends[0]);
    guardian.file = ends[1];
    return guardian;
}

void run_guardian_dismiss(const struct run_guardian *guardian)
{
    struct sigaction before;
    if (guardian->file < 0)
        return;
    /* the process may have been killed */
    (void)sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &before);
    if (guardian->process > 0 && write(guardian->file, "", 1) == 1)
        while (waitpid(guardian->process, NULL, 0) < 0 && errno == EINTR)
            continue;
    (void)sigaction(SIGPIPE, &before, NULL);
    (void)close(guardian->file);
}
