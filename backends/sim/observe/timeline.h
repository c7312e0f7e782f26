/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline file: host calls, streams, engines and waits of one process in the trace event
 * format that Perfetto and chrome://tracing open.
 *
 * The driver notes calls, submissions and queues while the program runs; the model keeps its own
 * trace entries. Nothing is drawn before sim_timeline_write(). Notes are kept for the life of the
 * process, like the model's entries, so a file written later holds all that an earlier one held.
 *
 * A file depends on the program, the profile and the seed alone: it holds no process id, address,
 * host name or wall time. */
#ifndef TWINRT_SIM_OBSERVE_TIMELINE_H
#define TWINRT_SIM_OBSERVE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"
#include "twinsim.h"

/* For comparisons of qsort and bsearch. */
static inline int sim_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Says that from now on SQ `sq` of `device` serves stream `stream_id`; called right after
 * twinsim_queue_open(). Returns the number of the track its tasks go to, for sim_timeline_submit();
 * UINT32_MAX when out of memory (its tasks then appear under the number of the SQ).
 * Thread: model. */
uint32_t sim_timeline_name_queue(const twinsim *sim, uint32_t device, uint32_t sq,
                                 uint32_t stream_id);

/* The life of one queue: entries of the trace with that device and SQ, from `first_entry` on, are
 * about it. */
struct timeline_queue {
    uint32_t device;
    uint32_t sq;
    uint32_t stream_id;
    size_t first_entry;
};
/* All of them, in the order in which they were named. Thread: model. */
const struct timeline_queue *sim_timeline_queues(size_t *out_count);

/* Notes that the thread put SQE `number` (counted from 1 on its queue) into the ring of `track` at
 * time at_ns of its own clock: the file then has an arrow from the call that encloses at_ns to the
 * task. Thread: any; lock free. */
void sim_timeline_submit(unsigned thread_number, uint32_t track, uint64_t number, uint64_t at_ns);

/* A host thread waited inside a call. */
struct timeline_wait {
    uint64_t begin_ns;
    uint64_t end_ns;  /* when it went on */
    uint64_t done_ns; /* when the awaited instant was */
    uint64_t number;  /* of the SQE, or of the transfer, below 2^48 */
    uint32_t track;   /* of the stream; of a transfer: the device; UINT32_MAX: neither */
    uint8_t cause;    /* enum sim_host_cause */
    uint8_t wake;     /* enum sim_wake */
    bool failed;
};
/* Notes it, by that thread, before the call ends. Thread: any; lock free. */
void sim_timeline_wait(unsigned thread_number, const struct timeline_wait *wait);

/* Writes the file: a private temporary file beside `path`, then renamed. `profile` names the
 * parameters of the phases. Only a regular file is ever replaced: a symbolic link, device
 * or pipe at `path` is refused. Returns 0 or a negative errno. Thread: model, with no other thread
 * inside the notes above. */
int sim_timeline_write(const char *path, const twinsim *sim, const twinsim_profile *profile);

#endif
