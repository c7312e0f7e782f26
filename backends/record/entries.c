/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that have their place in a chunk: marks, events, and what calls found that the order of threads decides. */
#include <string.h>

#include "file.h"

void record_drop_nd(const struct record_call *call)
{
    struct record_thread *self = &record_self;
    char *from = self->nd_entries;
    char *const end = self->at;
    /* those of a call around this one stay until that comes back */
    if (call->map == self->map && from < (char *)call->entry)
        return;
    self->nd_entries = NULL;
    /* After the call has its end_seq: who makes this false gets a later number. */
    if (!atomic_load(&record_global.alone))
        return;
    struct twin_record_chunk *chunk = self->map->chunk;
    const char *const first = (char *)(chunk + 1);
    /* if the process dies meanwhile the call has not come back */
    __atomic_store_n(&chunk->used, (uint64_t)(from - first), __ATOMIC_RELEASE);
    char *to = from;
    while (from < end) {
        const struct twin_record_entry *entry = (void *)from;
        const size_t bytes = entry->bytes;
        const bool dropped = entry->kind == TWIN_RECORD_SEEN ||
                             entry->kind == TWIN_RECORD_WATCHED ||
                             entry->kind == TWIN_RECORD_MOVED || entry->kind == TWIN_RECORD_ND;
        if (!dropped && to != from)
            memmove(to, from, bytes);
        if (!dropped)
            to += bytes;
        from += bytes;
    }
    self->at = to;
    __atomic_store_n(&chunk->used, (uint64_t)(to - first), __ATOMIC_RELEASE);
}

void record_nd(struct record_call *call)
{
    struct record_thread *self = &record_self;
    if (!self->nd_entries && self->inside != 0 && call->map && call->map == self->map &&
        atomic_load_explicit(&record_global.alone, memory_order_relaxed))
        self->nd_entries = (char *)call->entry;
    record_mark(call);
}

void record_event(struct record_call *call)
{
    struct twin_record_entry *entry = call->entry;
    entry->begin_ns = entry->end_ns = record_global.now();
    entry->begin_wall_ns = entry->end_wall_ns = record_wall();
    entry->status = TWIN_OK;
    entry->begin_seq = entry->end_seq = record_next();
    struct record_map *map = call->map;
    if (!map)
        return;
    record_cover(call);
    if (map != record_self.map)
        record_map_release(map);
}

void record_mark(struct record_call *call)
{
    call->entry->begin_seq = record_next();
    if (call->map)
        record_cover(call);
}
