/* SPDX-License-Identifier: Apache-2.0 */
/* The nondeterminism log: results of ops that depend on the order of threads. A recording stores
 * them, a replay returns them.
 *
 * In a replay one thread runs at a time, the model moves and sees doorbells only when
 * sim_host_see() and sim_host_move() say so, and an op has the result that it had in the
 * recording. */
#ifndef TWINRT_SIM_PROCESS_NONDETERMINISM_H
#define TWINRT_SIM_PROCESS_NONDETERMINISM_H

#include "process/process.h"

/* A replay moves the model. Set while no op runs, until the process stops. */
extern bool sim_replayed;

/* A run is being replayed. Its effects have separate entries in the recording, after that of the
 * run: each queue that stops, and ids that a thread waits for. Guarded by the model lock. */
enum sim_replay_step { SIM_REPLAY_NONE, SIM_REPLAY_RUN, SIM_REPLAY_PLACE };
extern enum sim_replay_step sim_replay_step;

static inline bool sim_replaying(void)
{
    return __builtin_expect(sim_replayed, 0);
}

/* A recording logs nondeterminism, or a replay returns it. */
static inline bool sim_nd_logged(void)
{
    return __builtin_expect(sim_process.nd != NULL, 0);
}

/* Logs *value, which an op has found. In a replay: true, and *value is the one in the recording. */
static inline bool sim_nd(twin_nd what, uint64_t which, uint64_t *value)
{
    return sim_nd_logged() && sim_process.nd(what, which, value);
}

/* In a replay alone: true, and *value is what the op found in the recording. */
static inline bool sim_nd_then(twin_nd what, uint64_t which, uint64_t *value)
{
    return sim_replaying() && sim_nd(what, which, value);
}

/* In a recording alone: logs what the op has found. */
static inline void sim_nd_found(twin_nd what, uint64_t which, uint64_t value)
{
    if (sim_nd_logged() && !sim_replaying())
        (void)sim_process.nd(what, which, &value);
}

/* A recording logs `what` after the act; a replay waits for that place before it. `omitted`: the
 * effects have entries themselves, so a replay that finds the place does not act. */
__attribute__((always_inline)) static inline void sim_nd_act(twin_nd what, bool omitted,
                                                             void (*act)(void))
{
    uint64_t nothing = 0;
    if (!(sim_nd_then(what, 0, &nothing) && omitted))
        act();
    sim_nd_found(what, 0, nothing);
}

/* A queue in `which`. */
static inline uint64_t sim_nd_queue(uint32_t device, uint32_t sq)
{
    return (uint64_t)device << 32 | sq;
}

/* The model looks at all doorbells, when it does that apart from its runs; true: it saw any.
 * Thread: model. */
bool sim_nd_look(void);
/* A run has ended, and may have changed the time of the model. Thread: model. */
void sim_nd_moved(bool changed);

void sim_replay_end(void);
/* twinsim_queue_watch(), logged where the device acts on it. In a replay it happens at its place in
 * the recording, not here. Thread: model. */
void sim_nd_watch(uint32_t device, uint32_t sq, uint64_t retired);
/* Moves the model on, within the run that is being repeated, until so many SQEs of the queue have
 * retired. No model lock is held. */
void sim_replay_until_retired(uint32_t device, uint32_t sq, uint64_t retired);

#endif
