/* SPDX-License-Identifier: Apache-2.0 */
/* What timeline.c noted, as timeline_writer.c reads it. Private to those two files and their
 * test. */
#ifndef TWINRT_SIM_OBSERVE_TIMELINE_NOTES_H
#define TWINRT_SIM_OBSERVE_TIMELINE_NOTES_H

#include <stddef.h>
#include <stdio.h>

#include "observe/timeline.h"

#define TIMELINE_NONE UINT32_MAX

/* One public call; when `call` is NULL a wait inside a call, or a submission. */
struct timeline_note {
    const twin_call *call;
    uint64_t begin_ns; /* submission: the caller's time */
    uint64_t end_ns;   /* submission: the SQE number */
    uint64_t done_ns;  /* this and the following: of a wait, as in timeline_wait */
    uint64_t number;
    uint32_t thread;
    uint8_t cause;
    uint8_t wake;
    bool failed;
    bool wait;
    union {
        int32_t code;
        uint32_t track;
    } u;
};

struct timeline_notes {
    struct timeline_note *notes; /* by thread, then in the order they were made */
    size_t note_count;
    size_t words;                        /* of 64 bits, that they took so far */
    const struct timeline_queue *queues; /* in the order they were named */
    size_t queue_count;
    uint64_t dropped; /* notes lost for lack of memory */
};

/* Lays all notes out by thread, each thread's in the order it made them; out->notes is the caller's
 * to free. Returns 0 or -ENOMEM. Thread: model, with no other thread inside the notes. */
int timeline_gather(struct timeline_notes *out);

/* Writes the whole JSON text to `file`. Returns 0, -ENOMEM, or the negative errno of a write that
 * failed. */
int timeline_draw(FILE *file, const struct timeline_notes *notes, const twinsim *sim,
                  const twinsim_profile *profile);

#endif
