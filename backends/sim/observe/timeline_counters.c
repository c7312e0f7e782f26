/* SPDX-License-Identifier: Apache-2.0 */
/* Curves: bytes per second on links, slots in use. */
#include <errno.h>
#include <stdlib.h>

#include "observe/timeline_layout.h"

#define SLOTS_IN_USE UINT32_MAX

static int compare(const void *left, const void *right)
{
    const struct timeline_sample *a = left;
    const struct timeline_sample *b = right;
    int order = sim_order(a->device, b->device);
    order = order ? order : sim_order(a->link, b->link);
    order = order ? order : sim_order(a->at_ns, b->at_ns);
    /* what ends, then what begins; of one curve they do not overlap, or add up */
    return order ? order : sim_order(a->begins, b->begins);
}

static void add(struct timeline_layout *layout, const struct twinsim_trace_entry *entry,
                uint32_t link, uint64_t value)
{
    layout->samples[layout->sample_count++] = (struct timeline_sample){.device = entry->device,
                                                                       .link = link,
                                                                       .at_ns = entry->begin_ns,
                                                                       .value = value,
                                                                       .begins = true};
    layout->samples[layout->sample_count++] = (struct timeline_sample){
        .device = entry->device, .link = link, .at_ns = entry->end_ns, .value = value};
}

int timeline_counters_make(struct timeline_layout *layout)
{
    size_t room = 0;
    for (size_t i = 0; i < layout->entry_count; i++)
        room += layout->entries[i].phase == TWINSIM_PHASE_LINK ||
                layout->entries[i].phase == TWINSIM_PHASE_OCCUPY;
    layout->samples = calloc(2 * room + 1, sizeof(*layout->samples));
    if (!layout->samples)
        return -ENOMEM;
    for (size_t i = 0; i < layout->entry_count; i++) {
        const struct twinsim_trace_entry *entry = &layout->entries[i];
        if (entry->phase == TWINSIM_PHASE_LINK)
            add(layout, entry, entry->id, entry->bytes);
        else if (entry->phase == TWINSIM_PHASE_OCCUPY)
            add(layout, entry, SLOTS_IN_USE, 1);
    }
    qsort(layout->samples, layout->sample_count, sizeof(*layout->samples), compare);

    /* from edges to values, one for each instant at which the value is another */
    size_t kept = 0;
    uint64_t value = 0;
    for (size_t i = 0; i < layout->sample_count; i++) {
        struct timeline_sample now = layout->samples[i];
        bool fresh = kept == 0 || layout->samples[kept - 1].device != now.device ||
                     layout->samples[kept - 1].link != now.link;
        value = fresh ? 0 : value;
        value = now.begins ? value + now.value : value - now.value;
        now.value = value;
        if (!fresh && layout->samples[kept - 1].at_ns == now.at_ns)
            kept--;
        layout->samples[kept++] = now;
    }
    layout->sample_count = kept;
    return 0;
}

bool timeline_sample_is_slots(const struct timeline_sample *sample)
{
    return sample->link == SLOTS_IN_USE;
}
