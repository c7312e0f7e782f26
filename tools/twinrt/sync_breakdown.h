/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of one wait between streams: from the completion of stream A's record to the
 * completion of the first task after stream B's wait. */
#ifndef TWINRT_TOOLS_SYNC_BREAKDOWN_H
#define TWINRT_TOOLS_SYNC_BREAKDOWN_H

#include "trace_file.h"

/* A stretch of time that one phase accounts for; phase NULL: nothing does. */
struct sync_breakdown_part {
    const struct trace_slice *phase;
    uint64_t begin_ns;
    uint64_t end_ns;
};

struct sync_breakdown {
    const struct trace_slice *record; /* A's task */
    const struct trace_slice *wait;   /* B's task that waited */
    const struct trace_slice *next; /* the first task after it; the wait itself if there is none */
    uint64_t begin_ns;
    uint64_t end_ns;
    struct sync_breakdown_part *parts; /* without gaps: they sum to end_ns - begin_ns */
    size_t part_count;
    uint64_t unaccounted_ns;
};

/* Waits in the file that a record of another stream ended. */
size_t sync_breakdown_count(const struct trace_file *file);
/* Finds the phases of the longest, the earliest of equals. Returns 1, 0 when there is none, or -1
 * when out of memory. sync_breakdown_free() is due after 1. */
int sync_breakdown_longest(const struct trace_file *file, struct sync_breakdown *out);
void sync_breakdown_free(struct sync_breakdown *breakdown);

#endif
