/* SPDX-License-Identifier: Apache-2.0 */
#include "sync_breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "twinsim.h"

static bool hands_over(const struct trace_slice *slice)
{
    return slice->kind == TRACE_WAIT && slice->woken && slice->waker_track != slice->track;
}

/* Fills all but the parts. False: the file lacks one of the tasks. */
static bool find_ends(const struct trace_file *file, const struct trace_slice *park,
                      struct sync_breakdown *out)
{
    memset(out, 0, sizeof(*out));
    out->record = trace_file_task(file, park->waker_track, park->waker_number);
    out->wait = trace_file_task(file, park->track, park->number);
    if (!out->record || !out->wait)
        return false;
    out->next = trace_file_task(file, park->track, park->number + 1);
    if (!out->next)
        out->next = out->wait;
    /* the waiter may be released before the record itself retires */
    out->begin_ns = park->end_ns < out->record->end_ns ? park->end_ns : out->record->end_ns;
    out->end_ns = out->next->end_ns;
    return out->end_ns >= out->begin_ns;
}

/* Which of two phases accounts for an instant: that of the earlier task, then the inner one. */
static bool better(const struct trace_slice *slice, const struct trace_slice *best)
{
    if (!best)
        return true;
    if (slice->number != best->number)
        return slice->number < best->number;
    if (slice->begin_ns != best->begin_ns)
        return slice->begin_ns > best->begin_ns;
    return slice->end_ns < best->end_ns;
}

static bool counts(const struct trace_slice *slice, const struct sync_breakdown *breakdown)
{
    /* the later report to the host is not part of the path */
    return slice->kind != TRACE_TASK && slice->phase != TWINSIM_PHASE_REPORTED &&
           slice->track == breakdown->wait->track && slice->number >= breakdown->wait->number &&
           slice->number <= breakdown->next->number && slice->end_ns > breakdown->begin_ns &&
           slice->begin_ns < breakdown->end_ns;
}

static int take_apart(const struct trace_file *file, struct sync_breakdown *breakdown)
{
    size_t room = 0;
    for (size_t i = 0; i < file->count; i++)
        room += counts(&file->slices[i], breakdown);
    /* every phase begins and ends once: no more stretches than twice their number, and one */
    breakdown->parts = calloc(2 * room + 1, sizeof(*breakdown->parts));
    if (!breakdown->parts)
        return -1;

    uint64_t now = breakdown->begin_ns;
    while (now < breakdown->end_ns) {
        const struct trace_slice *best = NULL;
        uint64_t until = breakdown->end_ns;
        for (size_t i = 0; i < file->count; i++) {
            const struct trace_slice *slice = &file->slices[i];
            if (!counts(slice, breakdown))
                continue;
            if (slice->begin_ns <= now && slice->end_ns > now) {
                if (better(slice, best))
                    best = slice;
                if (slice->end_ns < until)
                    until = slice->end_ns;
            } else if (slice->begin_ns > now && slice->begin_ns < until) {
                until = slice->begin_ns;
            }
        }
        struct sync_breakdown_part *last =
            breakdown->part_count ? &breakdown->parts[breakdown->part_count - 1] : NULL;
        if (last && last->phase == best)
            last->end_ns = until;
        else
            breakdown->parts[breakdown->part_count++] =
                (struct sync_breakdown_part){.phase = best, .begin_ns = now, .end_ns = until};
        if (!best)
            breakdown->unaccounted_ns += until - now;
        now = until;
    }
    return 0;
}

size_t sync_breakdown_count(const struct trace_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++)
        count += hands_over(&file->slices[i]);
    return count;
}

int sync_breakdown_longest(const struct trace_file *file, struct sync_breakdown *out)
{
    bool found = false;
    struct sync_breakdown candidate;
    for (size_t i = 0; i < file->count; i++) {
        if (!hands_over(&file->slices[i]) || !find_ends(file, &file->slices[i], &candidate))
            continue;
        uint64_t length = candidate.end_ns - candidate.begin_ns;
        uint64_t longest = found ? out->end_ns - out->begin_ns : 0;
        if (!found || length > longest ||
            (length == longest && candidate.begin_ns < out->begin_ns)) {
            *out = candidate;
            found = true;
        }
    }
    if (!found)
        return 0;
    return take_apart(file, out) == 0 ? 1 : -1;
}

void sync_breakdown_free(struct sync_breakdown *breakdown)
{
    free(breakdown->parts);
    memset(breakdown, 0, sizeof(*breakdown));
}
