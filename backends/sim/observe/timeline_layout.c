/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/timeline_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LANE_DEPTH     8u
#define NOT_FROM_QUEUE UINT16_MAX

struct lane {
    size_t open[LANE_DEPTH]; /* slices, outermost first */
    unsigned depth;
};

/* Where to find the task or table slice of SQE `number` on a track. */
struct timeline_anchor {
    uint64_t number;
    size_t slice;
    uint32_t track;
};

/* ---- tracks and slices ---------------------------------------------------------------------- */

/* Which stream track each SQ has at the moment, while the records are walked in their order. */
struct queue_map {
    uint32_t *tracks; /* by device, then SQ */
    size_t sqs;       /* of one device */
};

static size_t larger_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int queue_map_make(struct queue_map *map, const struct timeline_layout *layout)
{
    size_t devices = 1;
    size_t sqs = 1;
    for (size_t i = 0; i < layout->notes->queue_count; i++) {
        devices = larger_of(devices, layout->notes->queues[i].device + (size_t)1);
        sqs = larger_of(sqs, layout->notes->queues[i].sq + (size_t)1);
    }
    for (size_t i = 0; i < layout->record_count; i++) {
        const struct twinsim_trace_record *record = &layout->records[i];
        if (record->sq == NOT_FROM_QUEUE)
            continue;
        devices = larger_of(devices, record->device + (size_t)1);
        sqs = larger_of(sqs, record->sq + (size_t)1);
        if (record->phase != TWINSIM_PHASE_PARK || record->waker_sq == UINT32_MAX)
            continue;
        devices = larger_of(devices, record->waker_device + (size_t)1);
        sqs = larger_of(sqs, record->waker_sq + (size_t)1);
    }
    map->sqs = sqs;
    map->tracks = malloc(devices * sqs * sizeof(*map->tracks));
    if (!map->tracks)
        return -ENOMEM;
    memset(map->tracks, 0xff, devices * sqs * sizeof(*map->tracks));
    return 0;
}

static uint32_t *queue_slot(struct queue_map *map, uint32_t device, uint32_t sq)
{
    return &map->tracks[device * map->sqs + sq];
}

/* What a queue has, and what its blocks do on cores. */
static bool is_held(const struct twinsim_trace_record *record)
{
    return record->phase == TWINSIM_PHASE_OCCUPY || record->phase == TWINSIM_PHASE_SHARE ||
           record->phase == TWINSIM_PHASE_BLOCK || record->phase == TWINSIM_PHASE_START ||
           record->phase == TWINSIM_PHASE_PIPE;
}

static int add_slice(struct timeline_layout *layout, size_t record, uint32_t track)
{
    if (track == TIMELINE_NONE)
        return -ENOMEM;
    layout->slices[layout->slice_count++] =
        (struct timeline_slice){.record = record, .track = track};
    return 0;
}

static int place_record(struct timeline_layout *layout, struct queue_map *map, size_t index)
{
    const struct twinsim_trace_record *record = &layout->records[index];
    bool moves = record->engine != TWINSIM_ENGINE_NONE && record->engine < TWINSIM_ENGINE_AIC &&
                 (record->phase == TWINSIM_PHASE_SETUP || record->phase == TWINSIM_PHASE_TRANSFER);
    if (record->phase == TWINSIM_PHASE_LINK)
        return 0;
    if (record->sq == NOT_FROM_QUEUE)
        return add_slice(layout, index, timeline_engine_track(layout, record));

    uint32_t *slot = queue_slot(map, record->device, record->sq);
    if (*slot == TIMELINE_NONE)
        *slot = timeline_track_add(layout, &(struct timeline_track){.device = record->device,
                                                                    .number = record->sq,
                                                                    .sq = record->sq});
    layout->record_track[index] = *slot;
    if (is_held(record))
        return add_slice(layout, index, timeline_held_track(layout, record));
    if (record->phase == TWINSIM_PHASE_PARK && record->waker_sq != UINT32_MAX)
        layout->waker_track[index] = *queue_slot(map, record->waker_device, record->waker_sq);
    int error = 0;
    if (record->phase != TWINSIM_PHASE_DOORBELL)
        error = add_slice(layout, index, *slot);
    if (!error && moves)
        error = add_slice(layout, index, timeline_engine_track(layout, record));
    return error;
}

static int place_records(struct timeline_layout *layout)
{
    struct queue_map map;
    int error = queue_map_make(&map, layout);
    for (size_t i = 0; i < layout->notes->queue_count && !error; i++) {
        const struct timeline_queue *queue = &layout->notes->queues[i];
        if (timeline_track_add(layout, &(struct timeline_track){.device = queue->device,
                                                                .number = queue->stream_id,
                                                                .sq = queue->sq,
                                                                .named = true}) == TIMELINE_NONE)
            error = -ENOMEM;
    }
    size_t next_queue = 0;
    for (size_t i = 0; i < layout->record_count && !error; i++) {
        for (; next_queue < layout->notes->queue_count &&
               layout->notes->queues[next_queue].first_record <= i;
             next_queue++) {
            const struct timeline_queue *queue = &layout->notes->queues[next_queue];
            *queue_slot(&map, queue->device, queue->sq) = (uint32_t)next_queue;
        }
        error = place_record(layout, &map, i);
    }
    free(map.tracks);
    return error;
}

/* qsort has no context argument that C11 knows; drawing is done by one thread at a time. */
static const struct twinsim_trace_record *sort_records;

static int compare_slices(const void *left, const void *right)
{
    const struct timeline_slice *a = left;
    const struct timeline_slice *b = right;
    const struct twinsim_trace_record *ra = &sort_records[a->record];
    const struct twinsim_trace_record *rb = &sort_records[b->record];
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (ra->begin_ns != rb->begin_ns)
        return ra->begin_ns < rb->begin_ns ? -1 : 1;
    if (ra->end_ns != rb->end_ns)
        return ra->end_ns > rb->end_ns ? -1 : 1;
    bool whole_a = ra->phase == TWINSIM_PHASE_TASK;
    bool whole_b = rb->phase == TWINSIM_PHASE_TASK;
    if (whole_a != whole_b)
        return whole_a ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* Whether the slice may go on the lane: under a slice of its own SQE, or alone. */
static bool lane_takes(const struct timeline_layout *layout, struct lane *lane,
                       const struct timeline_slice *slice, bool *out_own)
{
    const struct twinsim_trace_record *record = &layout->records[slice->record];
    while (lane->depth > 0) {
        const struct twinsim_trace_record *top =
            &layout->records[layout->slices[lane->open[lane->depth - 1]].record];
        bool own =
            top->number == record->number && top->sq == record->sq && top->device == record->device;
        bool point_at_end = record->begin_ns == record->end_ns && top->end_ns == record->begin_ns;
        if (top->end_ns > record->begin_ns || (point_at_end && own)) {
            *out_own = own && top->end_ns >= record->end_ns && lane->depth < LANE_DEPTH;
            return *out_own;
        }
        lane->depth--;
    }
    *out_own = false;
    return true;
}

static int assign_lanes(struct timeline_layout *layout)
{
    struct lane *lanes = NULL;
    uint32_t room = 0;
    struct timeline_track *track = NULL;
    for (size_t i = 0; i < layout->slice_count; i++) {
        struct timeline_slice *slice = &layout->slices[i];
        if (track != &layout->tracks[slice->track]) {
            track = &layout->tracks[slice->track];
            track->lanes = 0;
        }
        uint32_t chosen = TIMELINE_NONE;
        for (uint32_t l = 0; l < track->lanes; l++) {
            bool own;
            bool takes = lane_takes(layout, &lanes[l], slice, &own);
            if (takes && (own || chosen == TIMELINE_NONE))
                chosen = l;
            if (own)
                break;
        }
        if (chosen == TIMELINE_NONE) {
            if (track->lanes == room) {
                room = room ? room * 2 : 8;
                struct lane *larger = realloc(lanes, room * sizeof(*larger));
                if (!larger) {
                    free(lanes);
                    return -ENOMEM;
                }
                lanes = larger;
            }
            chosen = track->lanes++;
            lanes[chosen].depth = 0;
        }
        slice->lane = chosen;
        lanes[chosen].open[lanes[chosen].depth++] = i;
    }
    free(lanes);

    uint32_t tid = 1;
    for (size_t i = 0; i < layout->track_count; i++) {
        layout->tracks[i].first_tid = tid;
        tid += layout->tracks[i].lanes ? layout->tracks[i].lanes : 1;
    }
    return 0;
}

uint32_t timeline_slice_pid(const struct timeline_layout *layout,
                            const struct timeline_slice *slice)
{
    const struct timeline_track *track = &layout->tracks[slice->track];
    return TIMELINE_PID(track->device, track->group);
}

uint32_t timeline_slice_tid(const struct timeline_layout *layout,
                            const struct timeline_slice *slice)
{
    return layout->tracks[slice->track].first_tid + slice->lane;
}

/* ---- arrows --------------------------------------------------------------------------------- */

static int compare_anchors(const void *left, const void *right)
{
    const struct timeline_anchor *a = left;
    const struct timeline_anchor *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->slice < b->slice ? -1 : a->slice > b->slice;
}

static void collect_anchors(struct timeline_layout *layout)
{
    for (size_t i = 0; i < layout->slice_count; i++) {
        const struct twinsim_trace_record *record = &layout->records[layout->slices[i].record];
        if (layout->tracks[layout->slices[i].track].group != TIMELINE_STREAMS)
            continue;
        if (record->phase == TWINSIM_PHASE_TASK || record->phase == TWINSIM_PHASE_TABLE)
            layout->anchors[layout->anchor_count++] = (struct timeline_anchor){
                .number = record->number, .slice = i, .track = layout->slices[i].track};
    }
    qsort(layout->anchors, layout->anchor_count, sizeof(*layout->anchors), compare_anchors);
}

const struct timeline_slice *timeline_find_anchor(const struct timeline_layout *layout,
                                                  uint32_t track, uint64_t number, uint8_t phase,
                                                  uint64_t until_ns)
{
    size_t low = 0;
    size_t high = layout->anchor_count;
    const struct timeline_anchor key = {.number = number, .slice = 0, .track = track};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_anchors(&layout->anchors[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct timeline_slice *best = NULL;
    for (size_t i = low; i < layout->anchor_count && layout->anchors[i].track == track &&
                         layout->anchors[i].number == number;
         i++) {
        const struct timeline_slice *slice = &layout->slices[layout->anchors[i].slice];
        const struct twinsim_trace_record *record = &layout->records[slice->record];
        if (record->phase == phase && record->begin_ns <= until_ns)
            best = slice;
    }
    return best;
}

uint32_t timeline_slice_id(const struct timeline_layout *layout, const struct timeline_slice *slice)
{
    const struct twinsim_trace_record *record = &layout->records[slice->record];
    if (record->id != TIMELINE_NONE || record->phase != TWINSIM_PHASE_TASK)
        return record->id;
    /* a whole task has no id of its own: its access to the table has */
    const struct timeline_slice *table =
        timeline_find_anchor(layout, slice->track, record->number, TWINSIM_PHASE_TABLE, UINT64_MAX);
    return table ? layout->records[table->record].id : TIMELINE_NONE;
}

/* A viewer ties an arrow's end to the slice that is open then: not yet closed, so before its end. */
static uint64_t last_inside(uint64_t begin_ns, uint64_t end_ns, uint64_t wanted_ns)
{
    uint64_t last = end_ns > begin_ns ? end_ns - 1 : begin_ns;
    return wanted_ns < begin_ns ? begin_ns : wanted_ns > last ? last : wanted_ns;
}

static void add_flow(struct timeline_layout *layout, enum timeline_flow flow, uint64_t from_ns,
                     uint32_t from_pid, uint32_t from_tid, uint64_t to_ns, uint32_t to_pid,
                     uint32_t to_tid)
{
    size_t number = ++layout->flow_count;
    layout->events[layout->event_count++] = (struct timeline_event){.kind = TIMELINE_FLOW_START,
                                                                    .at_ns = from_ns,
                                                                    .index = number,
                                                                    .pid = from_pid,
                                                                    .tid = from_tid,
                                                                    .flow = flow};
    layout->events[layout->event_count++] = (struct timeline_event){.kind = TIMELINE_FLOW_END,
                                                                    .at_ns = to_ns,
                                                                    .index = number,
                                                                    .pid = to_pid,
                                                                    .tid = to_tid,
                                                                    .flow = flow};
}

/* From the record that ended a park to the wait it ended. */
static void add_wake_flow(struct timeline_layout *layout, const struct timeline_slice *park)
{
    const struct twinsim_trace_record *record = &layout->records[park->record];
    uint32_t waker = layout->waker_track[park->record];
    if (waker == TIMELINE_NONE)
        return;
    const struct timeline_slice *from = timeline_find_anchor(layout, waker, record->waker_number,
                                                             TWINSIM_PHASE_TABLE, record->end_ns);
    if (!from)
        from = timeline_find_anchor(layout, waker, record->waker_number, TWINSIM_PHASE_TASK,
                                    record->end_ns);
    if (!from)
        return;
    const struct twinsim_trace_record *origin = &layout->records[from->record];
    uint64_t to_ns = record->end_ns;
    const struct timeline_slice *task =
        timeline_find_anchor(layout, park->track, record->number, TWINSIM_PHASE_TASK, to_ns);
    if (!task || layout->records[task->record].end_ns <= to_ns || task->lane != park->lane)
        to_ns = last_inside(record->begin_ns, record->end_ns, to_ns);
    uint64_t from_ns = last_inside(origin->begin_ns, origin->end_ns, to_ns);
    if (from_ns > to_ns)
        return;
    add_flow(layout, TIMELINE_FLOW_WAKE, from_ns, timeline_slice_pid(layout, from),
             timeline_slice_tid(layout, from), to_ns, timeline_slice_pid(layout, park),
             timeline_slice_tid(layout, park));
}

/* From the end of the work to where its reader goes on. */
static void add_data_flow(struct timeline_layout *layout, const struct timeline_arrow *arrow)
{
    const struct timeline_slice *from = &layout->slices[arrow->from];
    const struct timeline_slice *to = &layout->slices[arrow->to];
    const struct twinsim_trace_record *work = &layout->records[from->record];
    const struct twinsim_trace_record *reader = &layout->records[to->record];
    const uint64_t from_ns = last_inside(work->begin_ns, work->end_ns, work->end_ns);
    const uint64_t to_ns = last_inside(reader->begin_ns, reader->end_ns, work->end_ns);
    if (from_ns <= to_ns)
        add_flow(layout, TIMELINE_FLOW_DATA, from_ns, timeline_slice_pid(layout, from),
                 timeline_slice_tid(layout, from), to_ns, timeline_slice_pid(layout, to),
                 timeline_slice_tid(layout, to));
}

/* From the call that submitted to the task. `next` is the next call that the thread ended: a call is
 * noted when it ends, so it stands behind the submissions inside it. NULL: there is none. */
static void add_submit_flow(struct timeline_layout *layout, const struct timeline_note *submit,
                            const struct timeline_note *next)
{
    const struct timeline_note *call = NULL;
    if (next && next->begin_ns <= submit->begin_ns && next->end_ns >= submit->begin_ns)
        call = next;
    const struct timeline_slice *task = timeline_find_anchor(
        layout, submit->u.track, submit->end_ns, TWINSIM_PHASE_TASK, UINT64_MAX);
    if (!call || !task)
        return;
    uint64_t from_ns = last_inside(call->begin_ns, call->end_ns, submit->begin_ns);
    uint64_t to_ns = layout->records[task->record].begin_ns;
    if (from_ns <= to_ns)
        add_flow(layout, TIMELINE_FLOW_SUBMIT, from_ns, TIMELINE_HOST_PID, submit->thread + 1,
                 to_ns, timeline_slice_pid(layout, task), timeline_slice_tid(layout, task));
}

/* From the doorbell to the first task it rang for. */
static void add_bell(struct timeline_layout *layout, size_t index)
{
    const struct timeline_bell *bell = &layout->bells[index];
    const struct timeline_track *track = &layout->tracks[bell->track];
    uint32_t pid = TIMELINE_PID(track->device, TIMELINE_DOORBELLS);
    if (!bell->seen)
        return;
    layout->events[layout->event_count++] =
        (struct timeline_event){.kind = TIMELINE_BELL,
                                .at_ns = bell->begin_ns,
                                .length_ns = bell->seen_ns - bell->begin_ns,
                                .index = index,
                                .pid = pid,
                                .tid = track->first_tid};
    const struct timeline_slice *task =
        timeline_find_anchor(layout, bell->track, bell->number, TWINSIM_PHASE_TASK, UINT64_MAX);
    if (!task)
        return;
    uint64_t to_ns = layout->records[task->record].begin_ns;
    uint64_t from_ns = last_inside(bell->begin_ns, bell->seen_ns, to_ns);
    if (from_ns <= to_ns)
        add_flow(layout, TIMELINE_FLOW_BELL, from_ns, pid, track->first_tid, to_ns,
                 timeline_slice_pid(layout, task), timeline_slice_tid(layout, task));
}

/* ---- events in order of time ---------------------------------------------------------------- */

static int compare_events(const void *left, const void *right)
{
    const struct timeline_event *a = left;
    const struct timeline_event *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    /* slices before the arrows that end in them, an arrow's start before its end */
    unsigned rank_a = a->kind == TIMELINE_FLOW_END ? 2 : a->kind == TIMELINE_FLOW_START;
    unsigned rank_b = b->kind == TIMELINE_FLOW_END ? 2 : b->kind == TIMELINE_FLOW_START;
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == TIMELINE_CALL && a->tid == b->tid && a->length_ns != b->length_ns)
        return a->length_ns > b->length_ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void collect_events(struct timeline_layout *layout)
{
    for (size_t i = 0; i < layout->slice_count; i++) {
        const struct twinsim_trace_record *record = &layout->records[layout->slices[i].record];
        layout->events[layout->event_count++] =
            (struct timeline_event){.kind = TIMELINE_SLICE,
                                    .at_ns = record->begin_ns,
                                    .length_ns = record->end_ns - record->begin_ns,
                                    .index = i};
        if (record->phase == TWINSIM_PHASE_PARK)
            add_wake_flow(layout, &layout->slices[i]);
    }
    for (size_t i = 0; i < layout->record_count; i++) {
        const struct twinsim_trace_record *record = &layout->records[i];
        if (record->phase != TWINSIM_PHASE_DOORBELL || layout->record_track[i] == TIMELINE_NONE)
            continue;
        const struct timeline_slice place = {
            .record = i, .track = layout->record_track[i], .lane = 0};
        layout->events[layout->event_count++] =
            (struct timeline_event){.kind = TIMELINE_INSTANT,
                                    .at_ns = record->begin_ns,
                                    .index = i,
                                    .pid = timeline_slice_pid(layout, &place),
                                    .tid = timeline_slice_tid(layout, &place)};
    }
    const struct timeline_note *next = NULL;
    for (size_t i = layout->notes->note_count; i-- > 0;) {
        const struct timeline_note *note = &layout->notes->notes[i];
        if (next && next->thread != note->thread)
            next = NULL;
        if (note->wait) {
            layout->events[layout->event_count++] =
                (struct timeline_event){.kind = TIMELINE_HOST_WAIT,
                                        .at_ns = note->begin_ns,
                                        .length_ns = note->end_ns - note->begin_ns,
                                        .index = i,
                                        .tid = note->thread + 1};
            continue;
        }
        if (!note->call) {
            add_submit_flow(layout, note, next);
            continue;
        }
        next = note;
        layout->events[layout->event_count++] =
            (struct timeline_event){.kind = TIMELINE_CALL,
                                    .at_ns = note->begin_ns,
                                    .length_ns = note->end_ns - note->begin_ns,
                                    .index = i,
                                    .tid = note->thread + 1};
    }
    for (size_t i = 0; i < layout->bell_count; i++)
        add_bell(layout, i);
    for (size_t i = 0; i < layout->data_count; i++)
        add_data_flow(layout, &layout->data[i]);
    for (size_t i = 0; i < layout->sample_count; i++)
        layout->events[layout->event_count++] = (struct timeline_event){
            .kind = TIMELINE_SAMPLE,
            .at_ns = layout->samples[i].at_ns,
            .index = i,
            .pid = TIMELINE_PID(layout->samples[i].device, TIMELINE_CURVES)};
    qsort(layout->events, layout->event_count, sizeof(*layout->events), compare_events);
}

int timeline_layout_make(struct timeline_layout *layout, const struct timeline_notes *notes,
                         const twinsim *sim)
{
    memset(layout, 0, sizeof(*layout));
    memset(layout->unit_hash, 0xff, sizeof(layout->unit_hash));
    layout->notes = notes;
    layout->records = twinsim_trace(sim, &layout->record_count);
    if (!layout->records && layout->record_count > 0)
        return -ENOMEM;

    size_t count = layout->record_count + 1;
    layout->record_track = malloc(count * sizeof(*layout->record_track));
    layout->waker_track = malloc(count * sizeof(*layout->waker_track));
    layout->slices = calloc(2 * count, sizeof(*layout->slices));
    layout->anchors = calloc(count, sizeof(*layout->anchors));
    if (!layout->record_track || !layout->waker_track || !layout->slices || !layout->anchors)
        return -ENOMEM;
    memset(layout->record_track, 0xff, count * sizeof(*layout->record_track));
    memset(layout->waker_track, 0xff, count * sizeof(*layout->waker_track));

    int error = place_records(layout);
    if (error)
        return error;
    sort_records = layout->records;
    qsort(layout->slices, layout->slice_count, sizeof(*layout->slices), compare_slices);
    error = assign_lanes(layout);
    if (error)
        return error;
    collect_anchors(layout);
    error = timeline_bells_make(layout);
    if (!error)
        error = timeline_counters_make(layout);
    if (!error)
        error = timeline_data_make(layout);
    if (error)
        return error;
    /* a slice, a second one on its engine, both ends of an arrow; a call, both ends of an arrow; a doorbell, the same */
    layout->events = calloc(4 * count + 2 * notes->note_count + 3 * layout->bell_count +
                                layout->sample_count + 2 * layout->data_count,
                            sizeof(*layout->events));
    if (!layout->events)
        return -ENOMEM;
    collect_events(layout);
    return 0;
}

void timeline_layout_free(struct timeline_layout *layout)
{
    free(layout->record_track);
    free(layout->waker_track);
    free(layout->tracks);
    free(layout->slices);
    free(layout->anchors);
    free(layout->bells);
    free(layout->record_bell);
    free(layout->samples);
    free(layout->data);
    free(layout->events);
    memset(layout, 0, sizeof(*layout));
}
