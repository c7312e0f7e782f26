/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and brief calls are handed out with whole heads. */
#include <stdlib.h>
#include <string.h>

#include "recording/reading.h"

#define ROOM_BYTES ((size_t)1 << 20)

/* Room for a whole entry with fields and tail of so many bytes, which is all 0. NULL: no host memory. */
static struct twin_record_entry *room_for(twin_recording *recording, size_t behind)
{
    const size_t bytes = sizeof(struct twin_record_entry) + behind;
    struct twin_recording_room *room = recording->rooms;
    if (!room || room->used + bytes > ROOM_BYTES) {
        room = calloc(1, sizeof(*room) + (bytes > ROOM_BYTES ? bytes : ROOM_BYTES));
        if (!room)
            return NULL;
        room->next = recording->rooms;
        recording->rooms = room;
    }
    struct twin_record_entry *whole = (void *)((char *)room->bytes + room->used);
    room->used += bytes;
    whole->bytes = (uint32_t)bytes;
    whole->fixed_bytes = (uint16_t)behind;
    return whole;
}

struct twin_record_entry *twin_recording_whole_entry(twin_recording *recording,
                                                     const struct twin_recording_forms *forms,
                                                     uint64_t at)
{
    const unsigned char *place = recording->bytes + at;
    struct twin_record_entry *entry = (void *)(recording->bytes + at);
    const unsigned form = place[0] & TWIN_RECORD_FORM_BITS;
    const struct twin_record_base *base = &forms->base;
    if (form == TWIN_RECORD_WHOLE)
        return entry;
    struct twin_record_mark mark; /* briefs begin alike */
    struct twin_record_brief brief;
    const size_t head = form == TWIN_RECORD_MARK ? sizeof(mark) : sizeof(brief);
    memcpy(&mark, place, sizeof(mark));
    struct twin_record_entry *whole =
        room_for(recording, (mark.bytes & ~TWIN_RECORD_FORM_BITS) - head);
    if (!whole)
        return NULL;
    whole->kind = mark.kind;
    if (form == TWIN_RECORD_MARK) {
        whole->begin_seq = whole->end_seq = base->seq + ((uint64_t)mark.seq_high << 32 | mark.seq);
    } else {
        memcpy(&brief, place, sizeof(brief));
        whole->fixed_bytes = (uint16_t)(brief.fixed_words * 8);
        whole->status = brief.status;
        whole->begin_seq = base->seq + ((uint64_t)brief.seq_high << 32 | brief.seq);
        whole->begin_ns = base->ns + brief.begin_ns;
        whole->begin_wall_ns = base->wall_ns;
        if (brief.end_after != 0 && brief.end_after != TWIN_RECORD_LATE) {
            whole->end_seq = whole->begin_seq + brief.end_after;
            whole->end_ns = whole->begin_ns + brief.length_ns;
            whole->end_wall_ns = base->wall_ns;
        }
    }
    whole->thread = base->thread;
    memcpy(whole + 1, place + head, whole->bytes - sizeof(*whole));
    return whole;
}

uint64_t twin_recording_entry_fits(const twin_recording *recording,
                                   const struct twin_recording_forms *forms, uint64_t at,
                                   uint64_t end)
{
    static const size_t heads[] = {[TWIN_RECORD_MARK] = sizeof(struct twin_record_mark),
                                   [TWIN_RECORD_BRIEF] = sizeof(struct twin_record_brief),
                                   [TWIN_RECORD_BASE] = sizeof(struct twin_record_base)};
    const struct twin_record_entry *entry = (const void *)(recording->bytes + at);
    if (end - at < sizeof(struct twin_record_mark))
        return 0;
    const unsigned form = recording->bytes[at] & TWIN_RECORD_FORM_BITS;
    uint64_t bytes = entry->bytes;
    if (form != TWIN_RECORD_WHOLE) {
        bytes &= UINT16_MAX & ~TWIN_RECORD_FORM_BITS;
        const bool known =
            form <= TWIN_RECORD_BASE && (forms->has_base || form == TWIN_RECORD_BASE);
        return known && bytes >= heads[form] && bytes <= end - at ? bytes : 0;
    }
    return end - at >= sizeof(*entry) && bytes >= sizeof(*entry) && bytes <= end - at ? bytes : 0;
}
