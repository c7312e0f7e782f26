/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_SIM_WAIT_OUTLOOK_H
#define TWINRT_SIM_WAIT_OUTLOOK_H

#include "wait/wait.h"

/* How the waits that only somebody elsewhere can end look, in a model that stands still. */
enum sim_outlook {
    SIM_OUTLOOK_NONE, /* there are none */
    SIM_OUTLOOK_GOOD, /* another process can end one, or may come to do it */
    SIM_OUTLOOK_BAD   /* there are, but no other process is left */
};
/* signal/ipc.c. Thread: model. */
enum sim_outlook sim_shared_outlook(const struct sim_wait *host_waits);

#endif
