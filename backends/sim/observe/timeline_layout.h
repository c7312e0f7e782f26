/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline laid out: tracks, slices on them, arrows between slices, all events in order of
 * time. Private to the timeline files.
 *
 * A slice is a task, a phase of one, or a transfer on an engine. Viewers want the slices of one
 * track to nest, so every track has as many lanes as it takes: a slice nests only under a slice of
 * its own SQE, any other needs an empty lane. Lane 0 is the track's own row, the others say "(2)",
 * "(3)". */
#ifndef TWINRT_SIM_OBSERVE_TIMELINE_LAYOUT_H
#define TWINRT_SIM_OBSERVE_TIMELINE_LAYOUT_H

#include "observe/timeline_notes.h"
#include "process/process.h"

#define TIMELINE_HOST_PID 1u

/* Each is a separate process in the file, for each device. */
enum timeline_group {
    TIMELINE_STREAMS,
    TIMELINE_DOORBELLS, /* the streams' tracks again */
    TIMELINE_SLOTS,
    TIMELINE_CLASSES, /* a lane for each share */
    TIMELINE_ENGINES,
    TIMELINE_CORES,
    TIMELINE_CURVES, /* no tracks: links, slots in use */
    TIMELINE_GROUPS
};
#define TIMELINE_PID(device, group) (2u + TIMELINE_GROUPS * (device) + (uint32_t)(group))
/* Number of the track of an engine for those who wait for a channel. */
#define TIMELINE_WAITS UINT32_MAX

struct timeline_track {
    enum timeline_group group;
    uint32_t device;
    uint32_t number; /* stream id, slot, class, channel, core */
    uint32_t sq;     /* of a stream */
    uint32_t part;   /* of a core: 0, or 1 and a pipe */
    uint32_t next;   /* of those with the same hash */
    uint8_t engine_kind;
    bool named; /* the driver said which stream it is */
    uint32_t lanes;
    uint32_t first_tid; /* lane 0; the others follow */
};

/* A thread rang for SQE `number` and perhaps for some after it. */
struct timeline_doorbell {
    uint32_t track;
    uint32_t thread;
    uint64_t number;
    uint64_t rung_ns;
    uint64_t seen_ns;  /* by the device, if `seen` */
    uint64_t begin_ns; /* where it is drawn from */
    bool seen;
};
#define TIMELINE_NO_DOORBELL SIZE_MAX

/* From at_ns on a curve has this value. */
struct timeline_sample {
    uint32_t device;
    uint32_t link;
    uint64_t at_ns;
    uint64_t value;
    bool begins; /* while they are gathered */
};

struct timeline_slice {
    size_t entry;
    uint32_t track;
    uint32_t lane;
};

/* The row of the file that something is drawn in. */
struct timeline_place {
    uint32_t pid;
    uint32_t tid;
};

/* What an arrow means. */
enum timeline_flow {
    TIMELINE_FLOW_WAKE,     /* from a record to a wait */
    TIMELINE_FLOW_SUBMIT,   /* from a call to a task */
    TIMELINE_FLOW_DOORBELL, /* from a doorbell to its first task */
    TIMELINE_FLOW_DATA,     /* from work to that which waited for it in another stream */
    TIMELINE_FLOWS
};

/* Both ends are slices. */
struct timeline_arrow {
    size_t from, to;
};

enum timeline_event_kind {
    TIMELINE_SLICE,
    TIMELINE_CALL,
    TIMELINE_HOST_WAIT,
    TIMELINE_DOORBELL,
    TIMELINE_SAMPLE,
    TIMELINE_INSTANT,
    TIMELINE_FLOW_START,
    TIMELINE_FLOW_END
};

struct timeline_event {
    uint64_t at_ns;
    uint64_t length_ns;
    size_t index; /* slice, note, entry, or the flow's number */
    uint32_t pid; /* flows and instants */
    uint32_t tid;
    enum timeline_event_kind kind;
    enum timeline_flow flow;
};

struct timeline_layout {
    const struct timeline_notes *notes;
    const struct twinsim_trace_entry *entries;
    size_t entry_count;
    uint32_t *entry_track;               /* stream track of each entry, TIMELINE_NONE without */
    uint32_t *waker_track;               /* of each PARK entry */
    struct timeline_doorbell *doorbells; /* by track and number */
    size_t doorbell_count;
    size_t *entry_doorbell;          /* of each DOORBELL entry, or TIMELINE_NO_DOORBELL */
    struct timeline_sample *samples; /* by device, curve and time */
    size_t sample_count;
    struct timeline_track *tracks;
    uint32_t unit_hash[256]; /* tracks other than streams; TIMELINE_NONE: end */
    size_t track_count, track_room;
    struct timeline_slice *slices; /* sorted by track and begin once tracks are laid out */
    size_t slice_count;
    struct timeline_anchor *anchors;
    size_t anchor_count;
    struct timeline_arrow *data; /* by the stream and order of those that waited */
    size_t data_count;
    struct timeline_event *events;
    size_t event_count;
    size_t flow_count;
};

/* Lays everything out. Returns 0 or -ENOMEM; timeline_layout_free() is due in either case. */
int timeline_layout_make(struct timeline_layout *layout, const struct timeline_notes *notes,
                         const twinsim *sim);
void timeline_layout_free(struct timeline_layout *layout);

struct timeline_place timeline_place_of(const struct timeline_layout *layout,
                                        const struct timeline_slice *slice);

/* The event or notify id that the slice's SQE works on, TIMELINE_NONE when there is none. */
uint32_t timeline_slice_id(const struct timeline_layout *layout,
                           const struct timeline_slice *slice);

/* Private parts of timeline_layout_make(). All return 0 or -ENOMEM. */
int timeline_doorbells_make(struct timeline_layout *layout);
int timeline_counters_make(struct timeline_layout *layout);
int timeline_data_make(struct timeline_layout *layout);
/* The newest slice of that SQE and phase on a stream's track that began by `until_ns`; NULL: there
 * is none. */
const struct timeline_slice *timeline_find_anchor(const struct timeline_layout *layout,
                                                  uint32_t track, uint64_t number, uint8_t phase,
                                                  uint64_t until_ns);
/* How many elements of a sorted list come before the key. */
size_t timeline_lower_bound(const void *key, const void *list, size_t count, size_t bytes,
                            int (*compare)(const void *left, const void *right));
bool timeline_sample_is_slots(const struct timeline_sample *sample);

#endif
