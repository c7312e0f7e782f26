/* SPDX-License-Identifier: Apache-2.0 */
/* What orders host threads in a recording, and how far the device had come at each op. */
#include <stdlib.h>

#include "recording/containers.h"
#include "recording/reading.h"

/* Threads beyond this are taken as one: what is kept of each grows with their number. */
#define THREADS_APART_MOST 1024u

/* Whether each start of the device was under a library that reports threads. */
static bool are_threads_apart(const twin_recording *recording)
{
    bool apart = false;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_PROCESS_START start;
        if (entry->thread > THREADS_APART_MOST)
            return false;
        if (!TWIN_RECORDING_GET(entry, PROCESS_START, &start))
            continue;
        if (!start.order_kept)
            return false;
        apart = true;
    }
    return apart;
}

bool twin_ops_add_edges(const twin_recording *recording, struct twin_ops *out)
{
    size_t count = 0;
    out->threads_apart = !out->partial && are_threads_apart(recording);
    if (!out->threads_apart)
        return true;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        count += twin_recording_at(recording, i)->kind == TWIN_RECORD_HOST_FOLLOW;
    out->edges = calloc(count + 1, sizeof(*out->edges));
    if (!out->edges)
        return false;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_HOST_FOLLOW follow;
        if (!TWIN_RECORDING_GET(entry, HOST_FOLLOW, &follow) || follow.releaser == 0 ||
            follow.releaser > THREADS_APART_MOST || follow.of_seq >= entry->begin_seq)
            continue;
        out->edges[out->edge_count++] = (struct twin_op_edge){.seq = entry->begin_seq,
                                                              .thread = entry->thread,
                                                              .releaser = follow.releaser,
                                                              .of_seq = follow.of_seq};
    }
    return true;
}

struct moved {
    uint64_t seq, at_ns;
};

/* The newest of those before that number of the sequence; 0: none. */
static uint64_t device_time(const struct moved *moved, size_t count, uint64_t seq)
{
    size_t low = PARTITION_POINT(count, i, moved[i].seq < seq);
    return low > 0 ? moved[low - 1].at_ns : 0;
}

bool twin_ops_add_device_times(const twin_recording *recording, struct twin_ops *out)
{
    size_t count = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        count += twin_recording_at(recording, i)->kind == TWIN_RECORD_MOVED;
    struct moved *moved = calloc(count + 1, sizeof(*moved));
    if (!moved)
        return false;
    count = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_MOVED f;
        if (TWIN_RECORDING_GET(entry, MOVED, &f))
            moved[count++] = (struct moved){.seq = entry->begin_seq, .at_ns = f.at_ns};
    }
    for (size_t i = 0; i < out->count; i++)
        out->list[i].device_ns = device_time(moved, count, out->list[i].end_seq);
    free(moved);
    return true;
}
