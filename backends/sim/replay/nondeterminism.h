/* SPDX-License-Identifier: Apache-2.0 */
/* The nondeterminism log: what ops find that only the order of threads decides. A recording keeps it, a replay hands it out again.
 *
 * Then one thread runs at a time, the model moves and sees doorbells only when sim_pace_see() and sim_pace_move() say so, and
 * an op finds what it found then. */
#ifndef TWINRT_SIM_REPLAY_NONDETERMINISM_H
#define TWINRT_SIM_REPLAY_NONDETERMINISM_H

#include "process/process.h"

/* The model is moved by whoever runs a record again. Set while no op runs, until the process stops. */
extern bool sim_paced;

/* A run is being repeated. What may come of it has places of its own in the record, behind that of the run: each queue that stops,
 * and ids that somebody waits for. Guarded by the model lock. */
enum sim_repeats { SIM_REPEATS_NOTHING, SIM_REPEATS_RUN, SIM_REPEATS_PLACE };
extern enum sim_repeats sim_pace_repeats;

static inline bool sim_paced_now(void)
{
    return __builtin_expect(sim_paced, 0);
}

/* A recording logs nondeterminism, or a replay hands it out. */
static inline bool sim_nd_logged(void)
{
    return __builtin_expect(sim_process.services && sim_process.services->nd, 0);
}

/* An op has found *value, or is to find it. True: it was then, and *value is what it was. */
static inline bool sim_nd(twin_nd what, uint64_t which, uint64_t *value)
{
    return sim_nd_logged() && sim_process.services->nd(what, which, value);
}

/* A queue in `which`. */
static inline uint64_t sim_nd_queue(uint32_t device, uint32_t sq)
{
    return (uint64_t)device << 32 | sq;
}

/* The model looks at all doorbells, when it does that apart from its runs; true: it saw any. Thread: model. */
bool sim_pace_look(void);
/* A run has ended, and may have changed where the model stands. Thread: model. */
void sim_pace_moved(bool changed);

twin_status sim_pace_begin(void);
void sim_pace_end(void);
twin_status sim_pace_see(twin_seen what, uint32_t device, uint32_t sq, uint64_t number);
/* twinsim_queue_watch(), told where the device acts on it. In a replay it comes at its place in the recording, not here.
 * Thread: model. */
void sim_pace_watch(uint32_t device, uint32_t sq, uint64_t retired);
twin_status sim_pace_move(uint64_t at_ns, uint64_t events);
/* Moves the model on, within the run that is being repeated, until so many SQEs of the queue have retired. No model lock is
 * held. */
void sim_pace_until_retired(uint32_t device, uint32_t sq, uint64_t retired);

#endif
