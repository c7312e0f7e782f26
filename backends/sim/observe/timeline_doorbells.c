/* SPDX-License-Identifier: Apache-2.0 */
/* Doorbells: when a thread rang, when the device saw it, for which SQEs. */
#include <errno.h>
#include <stdlib.h>

#include "observe/timeline_layout.h"

static int compare_bells(const void *left, const void *right)
{
    const struct timeline_bell *a = left;
    const struct timeline_bell *b = right;
    int order = sim_order(a->track, b->track);
    return order ? order : sim_order(a->number, b->number);
}

int timeline_bells_make(struct timeline_layout *layout)
{
    const struct timeline_notes *notes = layout->notes;
    layout->bells = calloc(notes->note_count + 1, sizeof(*layout->bells));
    layout->record_bell = malloc((layout->record_count + 1) * sizeof(*layout->record_bell));
    if (!layout->bells || !layout->record_bell)
        return -ENOMEM;
    for (size_t i = 0; i < notes->note_count; i++) {
        const struct timeline_note *note = &notes->notes[i];
        if (note->call || note->wait || note->u.track == TIMELINE_NONE)
            continue;
        layout->bells[layout->bell_count++] = (struct timeline_bell){.track = note->u.track,
                                                                     .number = note->end_ns,
                                                                     .rung_ns = note->begin_ns,
                                                                     .thread = note->thread};
    }
    qsort(layout->bells, layout->bell_count, sizeof(*layout->bells), compare_bells);

    for (size_t i = 0; i < layout->record_count; i++) {
        const struct twinsim_trace_record *record = &layout->records[i];
        layout->record_bell[i] = TIMELINE_NO_BELL;
        if (record->phase != TWINSIM_PHASE_DOORBELL || layout->record_track[i] == TIMELINE_NONE)
            continue;
        /* the newest that rang for this SQE or one before it */
        const struct timeline_bell key = {.track = layout->record_track[i],
                                          .number = record->number + 1};
        size_t after = timeline_lower_bound(&key, layout->bells, layout->bell_count,
                                            sizeof(*layout->bells), compare_bells);
        if (after == 0 || layout->bells[after - 1].track != key.track)
            continue;
        struct timeline_bell *bell = &layout->bells[after - 1];
        layout->record_bell[i] = after - 1;
        if (bell->number == record->number) {
            bell->seen = true;
            bell->seen_ns = record->begin_ns;
        }
    }

    /* of one stream they arrive in order: a slice begins when the one before has arrived */
    uint64_t before = 0;
    for (size_t i = 0; i < layout->bell_count; i++) {
        struct timeline_bell *bell = &layout->bells[i];
        if (i == 0 || layout->bells[i - 1].track != bell->track)
            before = 0;
        if (!bell->seen)
            continue;
        bell->begin_ns = bell->rung_ns > before ? bell->rung_ns : before;
        if (bell->begin_ns > bell->seen_ns)
            bell->begin_ns = bell->seen_ns;
        before = bell->seen_ns;
    }
    return 0;
}
