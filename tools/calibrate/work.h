/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a recording: what is asked of the device again, and when each part of it happened. */
#ifndef TWINRT_CALIBRATE_WORK_H
#define TWINRT_CALIBRATE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/reader.h"
#include "replay/replay.h"

#define CALIBRATE_NONE UINT32_MAX

struct calibrate_op {
    const struct twin_record_entry *entry;
    size_t index; /* of the entry */
    uint64_t
        place; /* sequence number by which it is asked for: of waits for other threads that of their
                  end */
    struct replay_times times; /* as recorded */
    bool work;                 /* it queues tasks */
    bool blocks;               /* the caller sleeps until the device is done */
    bool stamped;              /* its end is that of a timed event after it */
    uint32_t queue;            /* of work and waits for queues; 0: none */
    uint32_t object;           /* signal or host-call queue; 0: none */
};

/* How long public calls took, without the sleeps in them. */
struct calibrate_cost {
    uint32_t cost; /* twin_cost; TWIN_COST_COUNT: something in it failed */
    uint64_t ns;
};

struct calibrate_work {
    const twin_recording *recording;
    const char *path;
    struct calibrate_op *ops; /* by `place` */
    size_t count;
    struct replay_trial_op *asked; /* the same ops, for a trial */
    struct replay *plan;           /* of the trials; NULL: of no ops */
    struct calibrate_cost *costs;
    size_t cost_count;
    uint64_t left_out; /* ops that cannot be asked for again */
    uint32_t devices;
    uint32_t queues, signals, call_queues, threads; /* highest numbers */
    bool one_clock;                                 /* callers' clocks are the device's */
};

/* False: out of memory. */
bool calibrate_work_load(const twin_recording *recording, const char *path,
                         struct calibrate_work *out);
void calibrate_work_free(struct calibrate_work *work);

#endif
