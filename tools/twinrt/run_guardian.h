/* SPDX-License-Identifier: Apache-2.0 */
/* A process that gives the files of a run their names, and removes temporary ones, when a signal ends the tool. */
#ifndef TWINRT_TOOLS_RUN_GUARDIAN_H
#define TWINRT_TOOLS_RUN_GUARDIAN_H

struct run_guardian {
    int process; /* -1: there is none */
    int file;    /* the tool's end of a pipe */
};

/* Starts it, in a session of its own, so that a signal to the tool's group does not end it. If this process ends without
 * run_guardian_dismiss(), it calls `act`. Without a process for it, files may keep their temporary names: no error. */
struct run_guardian run_guardian_start(void (*act)(void *context), void *context);
/* Ends it; `act` is not called. */
void run_guardian_dismiss(const struct run_guardian *guardian);

#endif
