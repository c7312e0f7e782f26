/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks found in memory to which others than tasks had stored: on the recorded device it is
 * there again when the same step of the device uses it. */
#include <stdlib.h>
#include <string.h>

#include "replay/state.h"

struct replay_touch {
    size_t entry;
    bool used;
};

static struct replay *touching; /* the one that the device asks; set once */

bool replay_touches_find(struct replay *replay)
{
    size_t count = 0;
    for (size_t i = replay->start; i < replay->stop; i++)
        count += twin_recording_at(replay->recording, i)->kind == TWIN_RECORD_TOUCHED;
    replay->touches = calloc(count + 1, sizeof(*replay->touches));
    for (size_t i = replay->start; replay->touches && i < replay->stop; i++)
        if (twin_recording_at(replay->recording, i)->kind == TWIN_RECORD_TOUCHED)
            replay->touches[replay->touch_count++].entry = i;
    touching = replay;
    return replay->touches != NULL;
}

bool replay_has_touches(const struct replay *replay)
{
    return replay->report.same && replay->touch_count > 0;
}

/* The number in the recording up to which the device has come. */
static uint64_t come_to(const struct replay *replay)
{
    const struct replay_call *call = replay_current;
    if (replay->described_at != 0)
        return replay->described_at;
    if (call && call->entry->end_seq != 0)
        return call->entry->end_seq;
    return replay->pacing ? replay->place : UINT64_MAX;
}

/* The part of the range that the entry is about. False: none. */
static bool is_about(struct replay *replay, const struct twin_record_TOUCHED *f,
                     const twin_touch *touch, uint64_t *out_from)
{
    *out_from = replay_address_any(replay, f->address) - touch->address;
    return f->what == (uint32_t)touch->what && f->use == touch->use && *out_from < touch->bytes &&
           f->bytes <= touch->bytes - *out_from;
}

static bool put(const struct replay *replay, const struct twin_record_TOUCHED *f, char *to)
{
    size_t bytes;
    const char *data = twin_recording_data(replay->recording, f->data, &bytes);
    if (data && bytes == f->bytes)
        memcpy(to, data, bytes);
    return data && bytes == f->bytes;
}

/* The device has gone past it. */
static void leave(struct replay *replay, const struct twin_record_TOUCHED *f)
{
    const struct replay_touch *touch = &replay->touches[replay->touch_next++];
    if (!touch->used && !TWIN_TOUCH_LOOKS(f))
        replay_note(&replay->report.times, touch->entry,
                    "no task uses the %llu bytes at 0x%llx of the recording",
                    (unsigned long long)f->bytes, (unsigned long long)f->address);
}

bool replay_touched(const twin_touch *touch)
{
    struct replay *replay = touching;
    bool good = touch->good;
    if (!replay || !replay_has_touches(replay))
        return good;
    const uint64_t last = come_to(replay);
    for (size_t i = replay->touch_next; i < replay->touch_count; i++) {
        const struct twin_record_entry *entry =
            twin_recording_at(replay->recording, replay->touches[i].entry);
        struct twin_record_TOUCHED f;
        uint64_t from;
        twin_recording_fields(entry, &f, sizeof(f));
        const bool is_now = f.at_ns == touch->at_ns && f.step == touch->step;
        const bool is_over =
            f.at_ns < touch->at_ns || (f.at_ns == touch->at_ns && f.step < touch->step);
        if (entry->begin_seq > last || (!is_now && !is_over))
            break;
        if (is_over && i == replay->touch_next)
            leave(replay, &f);
        if (!is_now || replay->touches[i].used || !is_about(replay, &f, touch, &from))
            continue;
        replay->touches[i].used = true;
        if (f.what == TWIN_TOUCH_HOST || !f.good)
            good = f.good != 0;
        else if (!put(replay, &f, (char *)touch->at + from))
            replay->report.no_contents++;
    }
    return good;
}
