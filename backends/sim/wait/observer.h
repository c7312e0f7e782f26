/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of calls and waits of host threads; observe/ stores them. */
#ifndef TWINRT_SIM_WAIT_OBSERVER_H
#define TWINRT_SIM_WAIT_OBSERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/types.h"

struct sim_wait;

/* Why a thread waited. */
enum sim_host_cause {
    SIM_HOST_QUEUE,  /* work of a stream: synchronisation, an event */
    SIM_HOST_RING,   /* room in a stream's ring */
    SIM_HOST_ID,     /* a hardware id for an event */
    SIM_HOST_COPY,   /* a synchronous copy or fill */
    SIM_HOST_SHARED, /* a record that another process made */
    SIM_HOST_CALL,   /* the next host function */
    SIM_HOST_CAUSES
};

/* Whether waits of host threads are reported. */
extern atomic_bool sim_observe_waits;
/* A host thread waited. Called by that thread, when sim_observe_waits. */
void sim_observe_waited(const struct sim_wait *wait, uint64_t end_ns);

/* Notes a public call of host thread `thread_number` (small numbers of the driver; they name the
 * tracks). `call` is static data and is kept by address. Thread: any; lock free. */
void sim_timeline_call(unsigned thread_number, const twin_call *call, uint64_t begin_ns,
                       uint64_t end_ns, int32_t code);

#endif
