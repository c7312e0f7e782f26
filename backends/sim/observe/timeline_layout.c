/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/timeline_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "observe/sq_owner.h"

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

static uint32_t larger_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The devices that queues and entries name. */
static uint32_t count_devices(const struct timeline_layout *layout)
{
    uint32_t last = 0;
    for (size_t i = 0; i < layout->notes->queue_count; i++)
        last = larger_of(last, layout->notes->queues[i].device);
    for (size_t i = 0; i < layout->entry_count; i++) {
        const struct twinsim_trace_entry *entry = &layout->entries[i];
        last = larger_of(last, entry->device);
        if (entry->phase == TWINSIM_PHASE_PARK && entry->waker_sq != UINT32_MAX)
            last = larger_of(last, entry->waker_device);
    }
    return last + 1;
}

/* Resources that a queue holds, and work of its blocks on cores. */
static bool is_held(const struct twinsim_trace_entry *entry)
{
    return entry->phase == TWINSIM_PHASE_OCCUPY || entry->phase == TWINSIM_PHASE_SHARE ||
           entry->phase == TWINSIM_PHASE_BLOCK || entry->phase == TWINSIM_PHASE_START ||
           entry->phase == TWINSIM_PHASE_PIPE;
}

/* Number of a new track; TIMELINE_NONE: out of memory. */
static uint32_t add_track(struct timeline_layout *layout, const struct timeline_track *track)
{
    if (!sim_grow(&layout->tracks, sizeof(*layout->tracks), layout->track_count,
                  &layout->track_room))
        return TIMELINE_NONE;
    layout->tracks[layout->track_count] = *track;
    return (uint32_t)layout->track_count++;
}

/* The track of a slot, class, channel, core or pipe. */
static uint32_t unit_track(struct timeline_layout *layout, const struct timeline_track *unit)
{
    uint32_t *bucket =
        &layout->unit_hash[(unit->number * 8 + unit->part + (uint32_t)unit->group * 37u +
                            unit->engine_kind * 101u + unit->device * 59u) &
                           255u];
    for (uint32_t i = *bucket; i != TIMELINE_NONE; i = layout->tracks[i].next) {
        const struct timeline_track *track = &layout->tracks[i];
        if (track->group == unit->group && track->device == unit->device &&
            track->engine_kind == unit->engine_kind && track->number == unit->number &&
            track->part == unit->part)
            return i;
    }
    struct timeline_track made = *unit;
    made.next = *bucket;
    uint32_t index = add_track(layout, &made);
    if (index != TIMELINE_NONE)
        *bucket = index;
    return index;
}

/* What a block has computed is no part of its time. */
static bool is_count(const struct twinsim_trace_entry *entry)
{
    return entry->phase == TWINSIM_PHASE_PIPE && TWINSIM_PIPE_KIND_OF(entry) == TWIN_STEP_COUNT;
}

static uint32_t engine_track(struct timeline_layout *layout,
                             const struct twinsim_trace_entry *entry)
{
    uint32_t channel = entry->id == TIMELINE_NONE ? 0 : entry->id;
    if (entry->phase == TWINSIM_PHASE_ENGINE)
        channel = TIMELINE_WAITS;
    return unit_track(layout, &(struct timeline_track){.group = TIMELINE_ENGINES,
                                                       .device = entry->device,
                                                       .number = channel,
                                                       .engine_kind = entry->engine});
}

static uint32_t held_track(struct timeline_layout *layout, const struct twinsim_trace_entry *entry)
{
    struct timeline_track unit = {.device = entry->device, .number = entry->id};
    if (entry->phase == TWINSIM_PHASE_OCCUPY) {
        unit.group = TIMELINE_SLOTS;
    } else if (entry->phase == TWINSIM_PHASE_SHARE) {
        unit.group = TIMELINE_CLASSES;
    } else {
        unit.group = TIMELINE_CORES;
        unit.engine_kind = entry->engine;
        if (entry->phase == TWINSIM_PHASE_PIPE)
            unit.part = 1 + TWINSIM_PIPE_OF(entry);
    }
    return unit_track(layout, &unit);
}

static int add_slice(struct timeline_layout *layout, size_t entry, uint32_t track)
{
    if (track == TIMELINE_NONE)
        return -ENOMEM;
    layout->slices[layout->slice_count++] = (struct timeline_slice){.entry = entry, .track = track};
    return 0;
}

/* The owners are tracks: those of queues with a stream come first, in their order. */
static int place_entry(struct timeline_layout *layout, struct sq_owner *map, size_t index)
{
    const struct twinsim_trace_entry *entry = &layout->entries[index];
    bool moves = entry->engine != TWINSIM_ENGINE_NONE && entry->engine < TWINSIM_ENGINE_AIC &&
                 (entry->phase == TWINSIM_PHASE_SETUP || entry->phase == TWINSIM_PHASE_TRANSFER);
    if (entry->phase == TWINSIM_PHASE_LINK || is_count(entry))
        return 0;
    if (entry->sq == NOT_FROM_QUEUE)
        return add_slice(layout, index, engine_track(layout, entry));

    uint32_t *slot = sq_owner_slot(map, entry->device, entry->sq);
    if (*slot == TIMELINE_NONE)
        *slot =
            add_track(layout, &(struct timeline_track){
                                  .device = entry->device, .number = entry->sq, .sq = entry->sq});
    layout->entry_track[index] = *slot;
    if (is_held(entry))
        return add_slice(layout, index, held_track(layout, entry));
    if (entry->phase == TWINSIM_PHASE_PARK && entry->waker_sq != UINT32_MAX)
        layout->waker_track[index] = *sq_owner_slot(map, entry->waker_device, entry->waker_sq);
    int error = 0;
    if (entry->phase != TWINSIM_PHASE_DOORBELL)
        error = add_slice(layout, index, *slot);
    if (!error && moves)
        error = add_slice(layout, index, engine_track(layout, entry));
    return error;
}

static int place_entries(struct timeline_layout *layout)
{
    const struct timeline_notes *notes = layout->notes;
    struct sq_owner map;
    int error =
        sq_owner_make(&map, notes->queues, notes->queue_count, count_devices(layout)) ? 0 : -ENOMEM;
    for (size_t i = 0; i < notes->queue_count && !error; i++) {
        const struct timeline_queue *queue = &notes->queues[i];
        if (add_track(layout, &(struct timeline_track){.device = queue->device,
                                                       .number = queue->stream_id,
                                                       .sq = queue->sq,
                                                       .named = true}) == TIMELINE_NONE)
            error = -ENOMEM;
    }
    for (size_t i = 0; i < layout->entry_count && !error; i++) {
        sq_owner_advance(&map, i);
        error = place_entry(layout, &map, i);
    }
    free(map.life);
    return error;
}

/* qsort has no context argument that C11 knows; drawing is done by one thread at a time. */
static const struct twinsim_trace_entry *sort_entries;

static int compare_slices(const void *left, const void *right)
{
    const struct timeline_slice *a = left;
    const struct timeline_slice *b = right;
    const struct twinsim_trace_entry *ra = &sort_entries[a->entry];
    const struct twinsim_trace_entry *rb = &sort_entries[b->entry];
    int order = sim_order(a->track, b->track);
    order = order ? order : sim_order(ra->begin_ns, rb->begin_ns);
    order = order ? order : sim_order(rb->end_ns, ra->end_ns);
    order =
        order ? order : sim_order(ra->phase != TWINSIM_PHASE_TASK, rb->phase != TWINSIM_PHASE_TASK);
    return order ? order : sim_order(a->entry, b->entry);
}

/* Whether the slice fits on the lane: under a slice of its own SQE, or alone. */
static bool lane_takes(const struct timeline_layout *layout, struct lane *lane,
                       const struct timeline_slice *slice, bool *out_own)
{
    const struct twinsim_trace_entry *entry = &layout->entries[slice->entry];
    while (lane->depth > 0) {
        const struct twinsim_trace_entry *top =
            &layout->entries[layout->slices[lane->open[lane->depth - 1]].entry];
        bool own =
            top->number == entry->number && top->sq == entry->sq && top->device == entry->device;
        bool point_at_end = entry->begin_ns == entry->end_ns && top->end_ns == entry->begin_ns;
        if (top->end_ns > entry->begin_ns || (point_at_end && own)) {
            *out_own = own && top->end_ns >= entry->end_ns && lane->depth < LANE_DEPTH;
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
    size_t room = 0;
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
            if (!sim_grow(&lanes, sizeof(*lanes), track->lanes, &room)) {
                free(lanes);
                return -ENOMEM;
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

size_t timeline_lower_bound(const void *key, const void *list, size_t count, size_t bytes,
                            int (*compare)(const void *left, const void *right))
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (compare((const char *)list + middle * bytes, key) < 0)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

struct timeline_place timeline_place_of(const struct timeline_layout *layout,
                                        const struct timeline_slice *slice)
{
    const struct timeline_track *track = &layout->tracks[slice->track];
    return (struct timeline_place){.pid = TIMELINE_PID(track->device, track->group),
                                   .tid = track->first_tid + slice->lane};
}

/* ---- arrows --------------------------------------------------------------------------------- */

static int compare_anchors(const void *left, const void *right)
{
    const struct timeline_anchor *a = left;
    const struct timeline_anchor *b = right;
    int order = sim_order(a->track, b->track);
    order = order ? order : sim_order(a->number, b->number);
    return order ? order : sim_order(a->slice, b->slice);
}

static void collect_anchors(struct timeline_layout *layout)
{
    for (size_t i = 0; i < layout->slice_count; i++) {
        const struct twinsim_trace_entry *entry = &layout->entries[layout->slices[i].entry];
        if (layout->tracks[layout->slices[i].track].group != TIMELINE_STREAMS)
            continue;
        if (entry->phase == TWINSIM_PHASE_TASK || entry->phase == TWINSIM_PHASE_TABLE)
            layout->anchors[layout->anchor_count++] = (struct timeline_anchor){
                .number = entry->number, .slice = i, .track = layout->slices[i].track};
    }
    qsort(layout->anchors, layout->anchor_count, sizeof(*layout->anchors), compare_anchors);
}

const struct timeline_slice *timeline_find_anchor(const struct timeline_layout *layout,
                                                  uint32_t track, uint64_t number, uint8_t phase,
                                                  uint64_t until_ns)
{
    const struct timeline_anchor key = {.number = number, .slice = 0, .track = track};
    const struct timeline_slice *best = NULL;
    size_t i = timeline_lower_bound(&key, layout->anchors, layout->anchor_count,
                                    sizeof(*layout->anchors), compare_anchors);
    for (; i < layout->anchor_count && layout->anchors[i].track == track &&
           layout->anchors[i].number == number;
         i++) {
        const struct timeline_slice *slice = &layout->slices[layout->anchors[i].slice];
        const struct twinsim_trace_entry *entry = &layout->entries[slice->entry];
        if (entry->phase == phase && entry->begin_ns <= until_ns)
            best = slice;
    }
    return best;
}

uint32_t timeline_slice_id(const struct timeline_layout *layout, const struct timeline_slice *slice)
{
    const struct twinsim_trace_entry *entry = &layout->entries[slice->entry];
    if (entry->id != TIMELINE_NONE || entry->phase != TWINSIM_PHASE_TASK)
        return entry->id;
    /* a whole task has no id: its access to the table has one */
    const struct timeline_slice *table =
        timeline_find_anchor(layout, slice->track, entry->number, TWINSIM_PHASE_TABLE, UINT64_MAX);
    return table ? layout->entries[table->entry].id : TIMELINE_NONE;
}

/* A viewer ties an arrow's end to the slice that is open then: not yet closed, so before its
 * end. */
static uint64_t last_inside(uint64_t begin_ns, uint64_t end_ns, uint64_t wanted_ns)
{
    uint64_t last = end_ns > begin_ns ? end_ns - 1 : begin_ns;
    return wanted_ns < begin_ns ? begin_ns : wanted_ns > last ? last : wanted_ns;
}

static void add_event(struct timeline_layout *layout, struct timeline_event event)
{
    layout->events[layout->event_count++] = event;
}

/* Unless it would go back in time. */
static void add_flow(struct timeline_layout *layout, enum timeline_flow flow, uint64_t from_ns,
                     struct timeline_place from, uint64_t to_ns, struct timeline_place to)
{
    if (from_ns > to_ns)
        return;
    size_t number = ++layout->flow_count;
    add_event(layout, (struct timeline_event){.kind = TIMELINE_FLOW_START,
                                              .at_ns = from_ns,
                                              .index = number,
                                              .pid = from.pid,
                                              .tid = from.tid,
                                              .flow = flow});
    add_event(layout, (struct timeline_event){.kind = TIMELINE_FLOW_END,
                                              .at_ns = to_ns,
                                              .index = number,
                                              .pid = to.pid,
                                              .tid = to.tid,
                                              .flow = flow});
}

/* From the record that ended a park to the wait it ended. */
static void add_wake_flow(struct timeline_layout *layout, const struct timeline_slice *park)
{
    const struct twinsim_trace_entry *entry = &layout->entries[park->entry];
    uint32_t waker = layout->waker_track[park->entry];
    if (waker == TIMELINE_NONE)
        return;
    const struct timeline_slice *from = timeline_find_anchor(layout, waker, entry->waker_number,
                                                             TWINSIM_PHASE_TABLE, entry->end_ns);
    if (!from)
        from = timeline_find_anchor(layout, waker, entry->waker_number, TWINSIM_PHASE_TASK,
                                    entry->end_ns);
    if (!from)
        return;
    const struct twinsim_trace_entry *origin = &layout->entries[from->entry];
    uint64_t to_ns = entry->end_ns;
    const struct timeline_slice *task =
        timeline_find_anchor(layout, park->track, entry->number, TWINSIM_PHASE_TASK, to_ns);
    if (!task || layout->entries[task->entry].end_ns <= to_ns || task->lane != park->lane)
        to_ns = last_inside(entry->begin_ns, entry->end_ns, to_ns);
    uint64_t from_ns = last_inside(origin->begin_ns, origin->end_ns, to_ns);
    add_flow(layout, TIMELINE_FLOW_WAKE, from_ns, timeline_place_of(layout, from), to_ns,
             timeline_place_of(layout, park));
}

/* From the end of the work to where its reader continues. */
static void add_data_flow(struct timeline_layout *layout, const struct timeline_arrow *arrow)
{
    const struct timeline_slice *from = &layout->slices[arrow->from];
    const struct timeline_slice *to = &layout->slices[arrow->to];
    const struct twinsim_trace_entry *work = &layout->entries[from->entry];
    const struct twinsim_trace_entry *reader = &layout->entries[to->entry];
    const uint64_t from_ns = last_inside(work->begin_ns, work->end_ns, work->end_ns);
    const uint64_t to_ns = last_inside(reader->begin_ns, reader->end_ns, work->end_ns);
    add_flow(layout, TIMELINE_FLOW_DATA, from_ns, timeline_place_of(layout, from), to_ns,
             timeline_place_of(layout, to));
}

/* From the call that submitted to the task. `next` is the next call that the thread ended: a call
 * is noted when it ends, so its note follows those of its submissions. NULL: there is none. */
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
    add_flow(layout, TIMELINE_FLOW_SUBMIT, from_ns,
             (struct timeline_place){.pid = TIMELINE_HOST_PID, .tid = submit->thread + 1},
             layout->entries[task->entry].begin_ns, timeline_place_of(layout, task));
}

/* From the doorbell to the first task it rang for. */
static void add_doorbell(struct timeline_layout *layout, size_t index)
{
    const struct timeline_doorbell *doorbell = &layout->doorbells[index];
    const struct timeline_track *track = &layout->tracks[doorbell->track];
    const struct timeline_place place = {.pid = TIMELINE_PID(track->device, TIMELINE_DOORBELLS),
                                         .tid = track->first_tid};
    if (!doorbell->seen)
        return;
    add_event(layout, (struct timeline_event){.kind = TIMELINE_DOORBELL,
                                              .at_ns = doorbell->begin_ns,
                                              .length_ns = doorbell->seen_ns - doorbell->begin_ns,
                                              .index = index,
                                              .pid = place.pid,
                                              .tid = place.tid});
    const struct timeline_slice *task = timeline_find_anchor(
        layout, doorbell->track, doorbell->number, TWINSIM_PHASE_TASK, UINT64_MAX);
    if (!task)
        return;
    uint64_t to_ns = layout->entries[task->entry].begin_ns;
    uint64_t from_ns = last_inside(doorbell->begin_ns, doorbell->seen_ns, to_ns);
    add_flow(layout, TIMELINE_FLOW_DOORBELL, from_ns, place, to_ns,
             timeline_place_of(layout, task));
}

/* ---- events in order of time ---------------------------------------------------------------- */

static int compare_events(const void *left, const void *right)
{
    const struct timeline_event *a = left;
    const struct timeline_event *b = right;
    int order = sim_order(a->at_ns, b->at_ns);
    /* slices before the arrows that end in them, an arrow's start before its end */
    order = order ? order
                  : sim_order(a->kind == TIMELINE_FLOW_END ? 2 : a->kind == TIMELINE_FLOW_START,
                              b->kind == TIMELINE_FLOW_END ? 2 : b->kind == TIMELINE_FLOW_START);
    order = order ? order : sim_order(a->kind, b->kind);
    if (!order && a->kind == TIMELINE_CALL && a->tid == b->tid)
        order = sim_order(b->length_ns, a->length_ns);
    return order ? order : sim_order(a->index, b->index);
}

static void collect_events(struct timeline_layout *layout)
{
    for (size_t i = 0; i < layout->slice_count; i++) {
        const struct twinsim_trace_entry *entry = &layout->entries[layout->slices[i].entry];
        add_event(layout, (struct timeline_event){.kind = TIMELINE_SLICE,
                                                  .at_ns = entry->begin_ns,
                                                  .length_ns = entry->end_ns - entry->begin_ns,
                                                  .index = i});
        if (entry->phase == TWINSIM_PHASE_PARK)
            add_wake_flow(layout, &layout->slices[i]);
    }
    for (size_t i = 0; i < layout->entry_count; i++) {
        const struct twinsim_trace_entry *entry = &layout->entries[i];
        if (entry->phase != TWINSIM_PHASE_DOORBELL || layout->entry_track[i] == TIMELINE_NONE)
            continue;
        const struct timeline_place place = timeline_place_of(
            layout, &(struct timeline_slice){.track = layout->entry_track[i], .lane = 0});
        add_event(layout, (struct timeline_event){.kind = TIMELINE_INSTANT,
                                                  .at_ns = entry->begin_ns,
                                                  .index = i,
                                                  .pid = place.pid,
                                                  .tid = place.tid});
    }
    const struct timeline_note *next = NULL;
    for (size_t i = layout->notes->note_count; i-- > 0;) {
        const struct timeline_note *note = &layout->notes->notes[i];
        if (next && next->thread != note->thread)
            next = NULL;
        if (!note->wait && !note->call) {
            add_submit_flow(layout, note, next);
            continue;
        }
        next = note->wait ? next : note;
        add_event(layout,
                  (struct timeline_event){.kind = note->wait ? TIMELINE_HOST_WAIT : TIMELINE_CALL,
                                          .at_ns = note->begin_ns,
                                          .length_ns = note->end_ns - note->begin_ns,
                                          .index = i,
                                          .tid = note->thread + 1});
    }
    for (size_t i = 0; i < layout->doorbell_count; i++)
        add_doorbell(layout, i);
    for (size_t i = 0; i < layout->data_count; i++)
        add_data_flow(layout, &layout->data[i]);
    for (size_t i = 0; i < layout->sample_count; i++)
        add_event(layout, (struct timeline_event){
                              .kind = TIMELINE_SAMPLE,
                              .at_ns = layout->samples[i].at_ns,
                              .index = i,
                              .pid = TIMELINE_PID(layout->samples[i].device, TIMELINE_CURVES)});
    qsort(layout->events, layout->event_count, sizeof(*layout->events), compare_events);
}

int timeline_layout_make(struct timeline_layout *layout, const struct timeline_notes *notes,
                         const twinsim *sim)
{
    memset(layout, 0, sizeof(*layout));
    memset(layout->unit_hash, 0xff, sizeof(layout->unit_hash));
    layout->notes = notes;
    layout->entries = twinsim_trace(sim, &layout->entry_count);
    if (!layout->entries && layout->entry_count > 0)
        return -ENOMEM;

    size_t count = layout->entry_count + 1;
    layout->entry_track = malloc(count * sizeof(*layout->entry_track));
    layout->waker_track = malloc(count * sizeof(*layout->waker_track));
    layout->slices = calloc(2 * count, sizeof(*layout->slices));
    layout->anchors = calloc(count, sizeof(*layout->anchors));
    if (!layout->entry_track || !layout->waker_track || !layout->slices || !layout->anchors)
        return -ENOMEM;
    memset(layout->entry_track, 0xff, count * sizeof(*layout->entry_track));
    memset(layout->waker_track, 0xff, count * sizeof(*layout->waker_track));

    int error = place_entries(layout);
    if (error)
        return error;
    sort_entries = layout->entries;
    qsort(layout->slices, layout->slice_count, sizeof(*layout->slices), compare_slices);
    error = assign_lanes(layout);
    if (error)
        return error;
    collect_anchors(layout);
    error = timeline_doorbells_make(layout);
    if (!error)
        error = timeline_counters_make(layout);
    if (!error)
        error = timeline_data_make(layout);
    if (error)
        return error;
    /* a slice, a second one on its engine, both ends of an arrow; a call, both ends of an arrow; a
     * doorbell, the same */
    layout->events = calloc(4 * count + 2 * notes->note_count + 3 * layout->doorbell_count +
                                layout->sample_count + 2 * layout->data_count,
                            sizeof(*layout->events));
    if (!layout->events)
        return -ENOMEM;
    collect_events(layout);
    return 0;
}

void timeline_layout_free(struct timeline_layout *layout)
{
    free(layout->entry_track);
    free(layout->waker_track);
    free(layout->tracks);
    free(layout->slices);
    free(layout->anchors);
    free(layout->doorbells);
    free(layout->entry_doorbell);
    free(layout->samples);
    free(layout->data);
    free(layout->events);
    memset(layout, 0, sizeof(*layout));
}
