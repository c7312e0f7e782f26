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
    out->threads_apart = !out->partial && are_threads_apart(recording);
    for (size_t i = 0; out->threads_apart && i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_HOST_FOLLOW follow;
        if (!TWIN_RECORDING_GET(entry, HOST_FOLLOW, &follow) || follow.releaser == 0 ||
            follow.releaser > THREADS_APART_MOST || follow.of_seq >= entry->begin_seq)
            continue;
        const struct twin_op_edge edge = {.seq = entry->begin_seq,
                                          .thread = entry->thread,
                                          .releaser = follow.releaser,
                                          .of_seq = follow.of_seq};
        if (!LIST_ADD(&out->edges, edge))
            return false;
    }
    return true;
}

struct moved {
    uint64_t seq, at_ns;
};

bool twin_ops_add_device_times(const twin_recording *recording, struct twin_ops *out)
{
    LIST_OF(struct moved) moved = {0};
    bool good = true;
    for (size_t i = 0; good && i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_MOVED f;
        if (TWIN_RECORDING_GET(entry, MOVED, &f))
            good = LIST_ADD(&moved, (struct moved){.seq = entry->begin_seq, .at_ns = f.at_ns});
    }
    /* the newest of those before the op came back */
    for (size_t i = 0; good && i < out->count; i++) {
        const uint64_t seq = out->list[i].end_seq;
        const size_t count = PARTITION_POINT(moved.count, at, moved.items[at].seq < seq);
        out->list[i].device_ns = count > 0 ? moved.items[count - 1].at_ns : 0;
    }
    free(moved.items);
    return good;
}
