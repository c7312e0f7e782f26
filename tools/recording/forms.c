/* SPDX-License-Identifier: Apache-2.0 */
/* Entries without whole heads are returned with them. */
#include <stdlib.h>
#include <string.h>

#include "recording/reading.h"

#define ROOM_BYTES ((size_t)1 << 20)

/* Bytes of the heads. */
static const size_t heads[] = {[TWIN_RECORD_MARK] = sizeof(struct twin_record_mark),
                               [TWIN_RECORD_BRIEF] = sizeof(struct twin_record_brief),
                               [TWIN_RECORD_BASE] = sizeof(struct twin_record_base),
                               [TWIN_RECORD_ENDED] = sizeof(struct twin_record_ended)};

/* Room for a whole entry with fields and tail of so many bytes, which is all 0. NULL: no host
 * memory. */
static struct twin_record_entry *room_for(twin_recording *recording, size_t rest_bytes)
{
    const size_t bytes = sizeof(struct twin_record_entry) + rest_bytes;
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
    whole->fixed_bytes = (uint16_t)rest_bytes;
    return whole;
}

/* A number of 3 bytes. */
static uint32_t number24(const uint8_t bytes[3])
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

static void take_brief(const unsigned char *place, const struct twin_record_base *base,
                       struct twin_record_entry *whole)
{
    struct twin_record_brief brief;
    memcpy(&brief, place, sizeof(brief));
    whole->begin_seq = base->seq + brief.seq;
    whole->begin_ns = base->ns + number24(brief.begin_ns);
    whole->begin_wall_ns = base->wall_ns;
    whole->status = brief.end_after ? brief.status : TWIN_RECORD_NO_STATUS;
    if (brief.end_after != 0 && brief.end_after != TWIN_RECORD_LATE) {
        whole->end_seq = whole->begin_seq + brief.end_after;
        whole->end_ns = whole->begin_ns + number24(brief.length_ns);
        whole->end_wall_ns = base->wall_ns;
    }
}

static void take_task(const unsigned char *place, const struct twin_record_base *base,
                      struct twin_record_entry *whole)
{
    struct twin_record_ended ended;
    memcpy(&ended, place, sizeof(ended));
    const uint64_t begin_ns = base->ns + (uint64_t)ended.begin_ns;
    const struct twin_record_TASK task = {.queue = ended.queue,
                                          .result = ended.result,
                                          .task = ended.task,
                                          .task_begin_ns = begin_ns,
                                          .task_end_ns = begin_ns + ended.length_ns};
    memcpy(whole + 1, &task, sizeof(task));
    whole->kind = TWIN_RECORD_TASK;
    whole->begin_seq = whole->end_seq = base->seq + ended.seq;
}

/* In the file a public call has only its first fields; the copy has room for all. NULL: no host
 * memory. */
static struct twin_record_entry *whole_call(twin_recording *recording,
                                            const struct twin_record_entry *entry)
{
    struct twin_record_entry *whole = room_for(recording, sizeof(struct twin_record_HOST_CALL));
    if (!whole)
        return NULL;
    const uint32_t bytes = whole->bytes;
    *whole = *entry;
    whole->bytes = bytes;
    whole->fixed_bytes = (uint16_t)sizeof(struct twin_record_HOST_CALL);
    memcpy(whole + 1, entry + 1, entry->fixed_bytes);
    return whole;
}

struct twin_record_entry *twin_recording_whole_entry(twin_recording *recording,
                                                     const struct twin_recording_forms *forms,
                                                     uint64_t at)
{
    static const size_t call_bytes = sizeof(struct twin_record_HOST_CALL);
    const unsigned char *place = recording->bytes + at;
    const struct twin_record_base *base = &forms->base;
    const unsigned form = place[0] & TWIN_RECORD_FORM_BITS;
    struct twin_record_entry *whole = (void *)(recording->bytes + at);
    if (form == TWIN_RECORD_WHOLE)
        return whole->kind == TWIN_RECORD_HOST_CALL && whole->fixed_bytes < call_bytes &&
                       whole->fixed_bytes <= whole->bytes - sizeof(*whole)
                   ? whole_call(recording, whole)
                   : whole;
    struct twin_record_mark mark; /* the others begin alike */
    memcpy(&mark, place, sizeof(mark));
    const size_t rest_bytes = (mark.bytes & ~TWIN_RECORD_FORM_BITS) - heads[form];
    const size_t least = form == TWIN_RECORD_ENDED            ? sizeof(struct twin_record_TASK)
                         : mark.kind == TWIN_RECORD_HOST_CALL ? call_bytes
                                                              : 0;
    whole = room_for(recording, rest_bytes < least ? least : rest_bytes);
    if (!whole)
        return NULL;
    whole->kind = mark.kind;
    whole->thread = base->thread;
    if (form == TWIN_RECORD_MARK)
        whole->begin_seq = whole->end_seq = base->seq + ((uint64_t)mark.seq_high << 32 | mark.seq);
    else if (form == TWIN_RECORD_BRIEF)
        take_brief(place, base, whole);
    else
        take_task(place, base, whole);
    if (form != TWIN_RECORD_ENDED)
        memcpy(whole + 1, place + heads[form], rest_bytes);
    return whole;
}

uint64_t twin_recording_entry_fits(const twin_recording *recording,
                                   const struct twin_recording_forms *forms, uint64_t at,
                                   uint64_t end)
{
    const struct twin_record_entry *entry = (const void *)(recording->bytes + at);
    if (end - at < sizeof(struct twin_record_mark))
        return 0;
    const unsigned form = recording->bytes[at] & TWIN_RECORD_FORM_BITS;
    uint64_t bytes = entry->bytes;
    if (form != TWIN_RECORD_WHOLE) {
        bytes &= UINT16_MAX & ~TWIN_RECORD_FORM_BITS;
        const bool known =
            form <= TWIN_RECORD_ENDED && (forms->has_base || form == TWIN_RECORD_BASE);
        return known && bytes >= heads[form] && bytes <= end - at ? bytes : 0;
    }
    return end - at >= sizeof(*entry) && bytes >= sizeof(*entry) && bytes <= end - at ? bytes : 0;
}
