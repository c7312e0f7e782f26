/* SPDX-License-Identifier: Apache-2.0 */
/* What timeline.c noted, as timeline_draw.c reads it. Private to those two files. */
#ifndef TWINRT_SIM_TIMELINE_NOTES_H
#define TWINRT_SIM_TIMELINE_NOTES_H

#include <stddef.h>
#include <stdio.h>

#include "timeline.h"

#define TIMELINE_NONE UINT32_MAX

/* One public call, or one submission when `call` is NULL. */
struct timeline_note {
    const twin_call *call;
    uint64_t begin_ns; /* submission: the caller's time */
    uint64_t end_ns;   /* submission: the SQE number */
    uint32_t thread;
    union {
        int32_t code;
        uint32_t track;
    } u;
};

/* The life of one queue: records from `first_record` on with that device and SQ are its own. */
struct timeline_queue {
    uint32_t device;
    uint32_t sq;
    uint32_t stream_id;
    size_t first_record;
};

struct timeline_notes {
    struct timeline_note *notes; /* by thread, then in the order they were made */
    size_t note_count;
    const struct timeline_queue *queues; /* in the order they were named */
    size_t queue_count;
    uint64_t dropped; /* notes lost because memory was short */
};

/* Writes the whole JSON text to `file`. Returns 0, -ENOMEM, or -EIO when the stream failed. */
int timeline_draw(FILE *file, const struct timeline_notes *notes, const twinsim *sim,
                  const twinsim_profile *profile);

#endif
