/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that are run. */
#ifndef TWINRT_TOOLS_CC_PROCESS_H
#define TWINRT_TOOLS_CC_PROCESS_H

#include <stdbool.h>

#include "list.h"

/* Runs the command, which reports its errors. `what`: for the message. Returns 0, or -1. */
int cc_run(bool verbose, const struct cc_list *command, const char *what);
/* Without its output; whether it succeeds. */
bool cc_succeeds(const struct cc_list *command);

/* From here on a signal that would end this tool ends the command that runs, and no other one
 * starts, so that the tool can remove what it has made; */
void cc_catch_signals(void);
/* and this ends it by the signal, if there was one. */
void cc_raise_signal(void);

#endif
