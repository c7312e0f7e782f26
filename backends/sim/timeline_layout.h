/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline laid out: tracks, slices on them, arrows between slices, all events in order of time.
 * Private to the timeline files.
 *
 * A slice is a task, a phase of one, or a transfer on an engine. Viewers want the slices of one track
 * to nest, so every track has as many lanes as it takes: a slice nests only under a slice of its own
 * SQE, any other needs an empty lane. Lane 0 is the track's own row, the others say "(2)", "(3)". */
#ifndef TWINRT_SIM_TIMELINE_LAYOUT_H
#define TWINRT_SIM_TIMELINE_LAYOUT_H

#include "timeline_notes.h"

#define TIMELINE_HOST_PID       1u
#define TIMELINE_STREAMS_PID(d) (2u + 2u * (d))
#define TIMELINE_ENGINES_PID(d) (3u + 2u * (d))

struct timeline_track {
    bool engine; /* else a stream */
    uint32_t device;
    uint32_t number; /* stream id, or the channel */
    uint32_t sq;     /* of a stream */
    uint8_t engine_kind;
    bool named; /* the driver said which stream it is */
    uint32_t lanes;
    uint32_t first_tid; /* lane 0; the others follow */
};

struct timeline_slice {
    size_t record;
    uint32_t track;
    uint32_t lane;
};

enum timeline_event_kind {
    TIMELINE_SLICE,
    TIMELINE_CALL,
    TIMELINE_INSTANT,
    TIMELINE_FLOW_START,
    TIMELINE_FLOW_END
};

struct timeline_event {
    uint64_t at_ns;
    uint64_t length_ns;
    size_t index; /* slice, note, record, or the flow's number */
    uint32_t pid; /* flows and instants */
    uint32_t tid;
    enum timeline_event_kind kind;
    bool wake; /* flow: from a record to a wait, else from a call to a task */
};

struct timeline_layout {
    const struct timeline_notes *notes;
    const struct twinsim_trace_record *records;
    size_t record_count;
    uint32_t *record_track; /* stream track of each record, TIMELINE_NONE without */
    uint32_t *waker_track;  /* of each PARK record */
    struct timeline_track *tracks;
    size_t track_count, track_room;
    struct timeline_slice *slices; /* sorted by track and begin once tracks are laid out */
    size_t slice_count;
    struct timeline_anchor *anchors;
    size_t anchor_count;
    struct timeline_event *events;
    size_t event_count;
    size_t flow_count;
};

/* Lays everything out. Returns 0 or -ENOMEM; timeline_layout_free() is due in either case. */
int timeline_layout_make(struct timeline_layout *layout, const struct timeline_notes *notes,
                         const twinsim *sim);
void timeline_layout_free(struct timeline_layout *layout);

uint32_t timeline_slice_pid(const struct timeline_layout *layout,
                            const struct timeline_slice *slice);
uint32_t timeline_slice_tid(const struct timeline_layout *layout,
                            const struct timeline_slice *slice);

/* The event or notify id that the slice's SQE works on, TIMELINE_NONE when there is none. */
uint32_t timeline_slice_id(const struct timeline_layout *layout,
                           const struct timeline_slice *slice);

#endif
