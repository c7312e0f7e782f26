/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a run: all that descend from the tool. */
#ifndef TWINRT_TOOLS_RUN_FAMILY_H
#define TWINRT_TOOLS_RUN_FAMILY_H

#include <stdint.h>

enum run_kin {
    RUN_GONE,     /* there is no such process */
    RUN_STRANGER, /* it does not descend from the tool */
    RUN_MEMBER
};

/* *out_began: of a member, when it began, in ticks since the system began. */
enum run_kin run_family_kin(int32_t id, uint64_t *out_began);
/* Sends the signal if the process still is the one that began then. */
void run_family_signal(int32_t id, uint64_t began, int number);
/* Sends the signal to all but `own` and those that have ended. Gives how many there are. */
unsigned run_family_signal_all(int32_t own, int number);
/* What the processor did for all but `own`, with children that they have waited for, and time in
 * which their threads could have run and others did. */
uint64_t run_family_used_ns(int32_t own);

#endif
