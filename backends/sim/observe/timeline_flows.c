/* SPDX-License-Identifier: Apache-2.0 */
/* Where data goes between streams: from the work before a record to the work after the wait for
 * it. */
#include "observe/timeline_layout.h"

#include <errno.h>
#include <stdlib.h>

#include "twinsim/stars.h"

#define SOURCES_MOST 16u /* arrows to one task */
#define LOOKED_MOST                                                                                \
    512u /* tasks looked at for them: chains of records and waits alone may be long */
#define NO_ITEM SIZE_MAX

/* A task; those of a stream are in their order. */
struct item {
    size_t slice;
    size_t setter; /* of a wait: the task whose record let it pass; NO_ITEM: none is known */
    uint64_t read_ns;
    uint32_t id;
    bool waits;  /* for the event or notify `id`, looked at by read_ns */
    bool parked; /* and it was not there yet */
};

/* A record has reached its event or notify. */
struct set {
    uint64_t at_ns;
    size_t item;
    uint32_t id;
    uint8_t device;
    bool notify;
};

struct data {
    struct timeline_layout *layout;
    struct item *items;
    size_t item_count;
    struct set *sets;
    size_t set_count;
};

/* Those that one task gets. */
struct sources {
    size_t items[SOURCES_MOST];
    unsigned count;
    unsigned looked;
};

static const struct twinsim_trace_entry *entry_of(const struct data *data, size_t slice)
{
    return &data->layout->entries[data->layout->slices[slice].entry];
}

static bool is_of_stream(const struct timeline_layout *layout, size_t slice)
{
    return layout->tracks[layout->slices[slice].track].group == TIMELINE_STREAMS;
}

static bool moves_data(const struct twinsim_trace_entry *entry)
{
    return entry->sqe_type == STARS_SQE_SDMA || entry->sqe_type == STARS_SQE_DSA ||
           entry->sqe_type == STARS_SQE_PCIE_DMA || entry->sqe_type == STARS_SQE_AICORE;
}

static int compare_slice(const void *key, const void *element)
{
    return sim_order(*(const size_t *)key, ((const struct item *)element)->slice);
}

/* The task that the SQE was at that time; NO_ITEM: it is not in the timeline. */
static size_t item_at(const struct data *data, uint32_t track, uint64_t number, uint64_t at_ns)
{
    const struct timeline_slice *task =
        timeline_find_anchor(data->layout, track, number, TWINSIM_PHASE_TASK, at_ns);
    if (!task || data->item_count == 0)
        return NO_ITEM;
    const size_t slice = (size_t)(task - data->layout->slices);
    const struct item *item =
        bsearch(&slice, data->items, data->item_count, sizeof(*data->items), compare_slice);
    return item ? (size_t)(item - data->items) : NO_ITEM;
}

static void note_access(struct data *data, const struct twinsim_trace_entry *entry, size_t item)
{
    const uint64_t bits = entry->waker_number;
    const bool record_task =
        entry->sqe_type == STARS_SQE_EVENT_RECORD || entry->sqe_type == STARS_SQE_NOTIFY_RECORD;
    const bool stores =
        entry->sqe_type == STARS_SQE_WRITE_VALUE && (bits & TWINSIM_TABLE_SETS) != 0;
    if ((bits & (TWINSIM_TABLE_VAIN | TWINSIM_TABLE_AWAY | TWINSIM_TABLE_COUNT)) != 0 ||
        entry->id == TIMELINE_NONE)
        return;
    if (record_task || stores) {
        data->sets[data->set_count++] =
            (struct set){.at_ns = entry->end_ns,
                         .item = item,
                         .id = entry->id,
                         .device = entry->device,
                         .notify = entry->sqe_type == STARS_SQE_NOTIFY_RECORD ||
                                   (stores && (bits & TWINSIM_TABLE_NOTIFY) != 0)};
    } else if (entry->sqe_type == STARS_SQE_EVENT_WAIT ||
               entry->sqe_type == STARS_SQE_NOTIFY_WAIT) {
        data->items[item].waits = true;
        data->items[item].id = entry->id;
        data->items[item].read_ns = entry->end_ns;
    }
}

static void read_slices(struct data *data)
{
    const struct timeline_layout *layout = data->layout;
    for (size_t i = 0; i < layout->slice_count; i++) {
        const struct twinsim_trace_entry *entry = entry_of(data, i);
        if (!is_of_stream(layout, i) ||
            (entry->phase != TWINSIM_PHASE_TABLE && entry->phase != TWINSIM_PHASE_PARK))
            continue;
        const size_t item = item_at(data, layout->slices[i].track, entry->number, entry->begin_ns);
        if (item == NO_ITEM)
            continue;
        if (entry->phase == TWINSIM_PHASE_TABLE) {
            note_access(data, entry, item);
            continue;
        }
        const uint32_t waker = layout->waker_track[layout->slices[i].entry];
        data->items[item].parked = true;
        if (waker != TIMELINE_NONE)
            data->items[item].setter = item_at(data, waker, entry->waker_number, entry->end_ns);
    }
}

static int compare_sets(const void *left, const void *right)
{
    const struct set *a = left;
    const struct set *b = right;
    int order = sim_order(a->device, b->device);
    order = order ? order : sim_order(a->notify, b->notify);
    order = order ? order : sim_order(a->id, b->id);
    order = order ? order : sim_order(a->at_ns, b->at_ns);
    return order ? order : sim_order(a->item, b->item);
}

/* A wait that found its flag set passes by the newest record before it. */
static void find_setter(const struct data *data, struct item *item)
{
    const struct twinsim_trace_entry *entry = entry_of(data, item->slice);
    const struct set key = {.at_ns = item->read_ns,
                            .item = SIZE_MAX,
                            .id = item->id,
                            .device = entry->device,
                            .notify = entry->sqe_type == STARS_SQE_NOTIFY_WAIT};
    const size_t after =
        timeline_lower_bound(&key, data->sets, data->set_count, sizeof(*data->sets), compare_sets);
    if (after == 0)
        return;
    const struct set *set = &data->sets[after - 1];
    if (set->device == key.device && set->notify == key.notify && set->id == key.id)
        item->setter = set->item;
}

static void add_source(struct sources *sources, size_t item)
{
    for (unsigned i = 0; i < sources->count; i++)
        if (sources->items[i] == item)
            return;
    if (sources->count < SOURCES_MOST)
        sources->items[sources->count++] = item;
}

/* Collects the work before the records that ended the waits between `item` and the work before it
 * in its stream. Returns that work, NO_ITEM: there is none. */
static size_t look_back(const struct data *data, size_t item, struct sources *sources,
                        unsigned depth)
{
    const uint32_t track = data->layout->slices[data->items[item].slice].track;
    while (item-- > 0 && sources->looked++ < LOOKED_MOST) {
        const struct item *before = &data->items[item];
        if (data->layout->slices[before->slice].track != track)
            break;
        if (moves_data(entry_of(data, before->slice)))
            return item;
        if (before->setter == NO_ITEM || depth == 0)
            continue;
        const size_t work = look_back(data, before->setter, sources, depth - 1);
        if (work != NO_ITEM)
            add_source(sources, work);
    }
    return NO_ITEM;
}

static int add_arrows(struct data *data, size_t item, size_t *room)
{
    struct timeline_layout *layout = data->layout;
    struct sources sources = {.count = 0};
    (void)look_back(data, item, &sources, SOURCES_MOST);
    for (unsigned i = 0; i < sources.count; i++) {
        if (!sim_grow(&layout->data, sizeof(*layout->data), layout->data_count, room))
            return -ENOMEM;
        layout->data[layout->data_count++] = (struct timeline_arrow){
            .from = data->items[sources.items[i]].slice, .to = data->items[item].slice};
    }
    return 0;
}

static int make(struct data *data)
{
    const struct timeline_layout *layout = data->layout;
    for (size_t i = 0; i < layout->slice_count; i++)
        if (is_of_stream(layout, i) && entry_of(data, i)->phase == TWINSIM_PHASE_TASK)
            data->items[data->item_count++] = (struct item){.slice = i, .setter = NO_ITEM};
    read_slices(data);
    qsort(data->sets, data->set_count, sizeof(*data->sets), compare_sets);
    for (size_t i = 0; i < data->item_count; i++)
        if (data->items[i].waits && !data->items[i].parked)
            find_setter(data, &data->items[i]);
    size_t room = 0;
    int error = 0;
    for (size_t i = 0; i < data->item_count && !error; i++) {
        const struct twinsim_trace_entry *entry = entry_of(data, data->items[i].slice);
        if (moves_data(entry) || entry->sqe_type == STARS_SQE_AICPU)
            error = add_arrows(data, i, &room);
    }
    return error;
}

int timeline_data_make(struct timeline_layout *layout)
{
    struct data data = {.layout = layout};
    size_t tasks = 1;
    size_t accesses = 1;
    for (size_t i = 0; i < layout->entry_count; i++) {
        tasks += layout->entries[i].phase == TWINSIM_PHASE_TASK;
        accesses += layout->entries[i].phase == TWINSIM_PHASE_TABLE;
    }
    data.items = malloc(tasks * sizeof(*data.items));
    data.sets = malloc(accesses * sizeof(*data.sets));
    const int error = data.items && data.sets ? make(&data) : -ENOMEM;
    free(data.items);
    free(data.sets);
    return error;
}
