/* SPDX-License-Identifier: Apache-2.0 */
/* The tracks of a timeline: streams, and units, which are found by kind and number. */
#include "observe/timeline_layout.h"

uint32_t timeline_track_add(struct timeline_layout *layout, const struct timeline_track *track)
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
    uint32_t index = timeline_track_add(layout, &made);
    if (index != TIMELINE_NONE)
        *bucket = index;
    return index;
}

uint32_t timeline_engine_track(struct timeline_layout *layout,
                               const struct twinsim_trace_record *record)
{
    uint32_t channel = record->id == TIMELINE_NONE ? 0 : record->id;
    if (record->phase == TWINSIM_PHASE_ENGINE)
        channel = TIMELINE_WAITS;
    return unit_track(layout, &(struct timeline_track){.group = TIMELINE_ENGINES,
                                                       .device = record->device,
                                                       .number = channel,
                                                       .engine_kind = record->engine});
}

uint32_t timeline_held_track(struct timeline_layout *layout,
                             const struct twinsim_trace_record *record)
{
    struct timeline_track unit = {.device = record->device, .number = record->id};
    if (record->phase == TWINSIM_PHASE_OCCUPY) {
        unit.group = TIMELINE_SLOTS;
    } else if (record->phase == TWINSIM_PHASE_SHARE) {
        unit.group = TIMELINE_CLASSES;
    } else {
        unit.group = TIMELINE_CORES;
        unit.engine_kind = record->engine;
        if (record->phase == TWINSIM_PHASE_PIPE)
            unit.part = 1 + (uint32_t)(record->waker_number >> 32);
    }
    return unit_track(layout, &unit);
}
