/* SPDX-License-Identifier: Apache-2.0 */
/* The process of `twinrt run`: its libraries, its signals, its end. */
#ifndef TWINRT_TOOLS_RUN_PROCESS_H
#define TWINRT_TOOLS_RUN_PROCESS_H

#include <stdbool.h>

#include "run_watch.h"

/* Puts the libraries of this runtime before others (LD_LIBRARY_PATH). Returns 0, or -1 with a
 * message. */
int run_library_path(void);
/* Has libtwinrt-host.so loaded first, if it is installed (LD_PRELOAD). Returns 0, or -1 with a
 * message. */
int run_preload(void);

/* Replaces this process by the program. `failed`: gets a byte if it cannot be run; -1: none. */
_Noreturn void run_program(char **program, int failed);

/* How a program ended. */
struct run_end {
    bool ran;   /* there was a program */
    int status; /* as the tool reports it: its own, 128 + signal, or TWIN_TOOL_* */
    int signal; /* what ended it; 0: it exited */
    bool ended; /* the tool ended processes: status says why */
};

/* Runs the program as a child and passes signals on. `watch`: NULL, without limits. */
struct run_end run_and_wait(char **program, struct run_watch *watch);

/* Ends this process by the signal that ended the program, without a second core file. */
_Noreturn void run_end_by(int number);

#endif
