/* SPDX-License-Identifier: Apache-2.0 */
/* Doorbells: when a thread rang, when the device saw it, for which SQEs. */
#include <errno.h>
#include <stdlib.h>

#include "observe/timeline_layout.h"

static int compare_doorbells(const void *left, const void *right)
{
    const struct timeline_doorbell *a = left;
    const struct timeline_doorbell *b = right;
    int order = sim_order(a->track, b->track);
    return order ? order : sim_order(a->number, b->number);
}

int timeline_doorbells_make(struct timeline_layout *layout)
{
    const struct timeline_notes *notes = layout->notes;
    layout->doorbells = calloc(notes->note_count + 1, sizeof(*layout->doorbells));
    layout->entry_doorbell = malloc((layout->entry_count + 1) * sizeof(*layout->entry_doorbell));
    if (!layout->doorbells || !layout->entry_doorbell)
        return -ENOMEM;
    for (size_t i = 0; i < notes->note_count; i++) {
        const struct timeline_note *note = &notes->notes[i];
        if (note->call || note->wait || note->u.track == TIMELINE_NONE)
            continue;
        layout->doorbells[layout->doorbell_count++] =
            (struct timeline_doorbell){.track = note->u.track,
                                       .number = note->end_ns,
                                       .rung_ns = note->begin_ns,
                                       .thread = note->thread};
    }
    qsort(layout->doorbells, layout->doorbell_count, sizeof(*layout->doorbells), compare_doorbells);

    for (size_t i = 0; i < layout->entry_count; i++) {
        const struct twinsim_trace_entry *entry = &layout->entries[i];
        layout->entry_doorbell[i] = TIMELINE_NO_DOORBELL;
        if (entry->phase != TWINSIM_PHASE_DOORBELL || layout->entry_track[i] == TIMELINE_NONE)
            continue;
        /* the newest that rang for this SQE or one before it */
        const struct timeline_doorbell key = {.track = layout->entry_track[i],
                                              .number = entry->number + 1};
        size_t after = timeline_lower_bound(&key, layout->doorbells, layout->doorbell_count,
                                            sizeof(*layout->doorbells), compare_doorbells);
        if (after == 0 || layout->doorbells[after - 1].track != key.track)
            continue;
        struct timeline_doorbell *doorbell = &layout->doorbells[after - 1];
        layout->entry_doorbell[i] = after - 1;
        if (doorbell->number == entry->number) {
            doorbell->seen = true;
            doorbell->seen_ns = entry->begin_ns;
        }
    }

    /* of one stream they arrive in order: a slice begins when the one before has arrived */
    uint64_t before = 0;
    for (size_t i = 0; i < layout->doorbell_count; i++) {
        struct timeline_doorbell *doorbell = &layout->doorbells[i];
        if (i == 0 || layout->doorbells[i - 1].track != doorbell->track)
            before = 0;
        if (!doorbell->seen)
            continue;
        doorbell->begin_ns = doorbell->rung_ns > before ? doorbell->rung_ns : before;
        if (doorbell->begin_ns > doorbell->seen_ns)
            doorbell->begin_ns = doorbell->seen_ns;
        before = doorbell->seen_ns;
    }
    return 0;
}
