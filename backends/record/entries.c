/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that have their place in a chunk: marks, events, and what calls found that the order of threads decides. */
#include <string.h>

#include "file.h"

struct record_early record_early;

/* The newest number that can be told without taking one: what this thread writes from now on has later ones. */
static uint64_t number_before(const struct record_thread *self)
{
    return self->next < self->next_end
               ? self->next
               : atomic_load_explicit(&record_global.sequence, memory_order_relaxed);
}

/* A base for entries of a thread from a number on, in the chunk of this one, which has room for it. */
static void put_base(uint32_t thread, uint64_t seq)
{
    struct record_thread *self = &record_self;
    const struct twin_record_base base = {
        .bytes = sizeof(base) | TWIN_RECORD_BASE,
        .thread = thread,
        .seq = self->base_seq = seq,
        .ns = self->base_ns = record_global.now(),
        .wall_ns = self->base_wall = record_wall(),
    };
    struct record_call call = {.entry = self->at, .map = self->map, .bytes = sizeof(base)};
    if (!self->map)
        return;
    *(struct twin_record_base *)(void *)self->at = base;
    record_cover(&call);
}

void record_write_early(void)
{
    struct record_thread *self = &record_self;
    static const size_t most = 2 * sizeof(struct twin_record_base) + sizeof(record_early.list);
    uint64_t words[RECORD_EARLY_MOST][2 + RECORD_WORDS_MOST];
    const unsigned count = atomic_load_explicit(&record_early.count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        const struct record_nd *found = &record_early.list[i];
        words[i][0] = atomic_load_explicit(&found->seq, memory_order_relaxed);
        words[i][1] = atomic_load_explicit(&found->kind, memory_order_relaxed);
        for (unsigned k = 0; k < RECORD_WORDS_MOST; k++)
            words[i][2 + k] = atomic_load_explicit(&found->words[k], memory_order_relaxed);
    }
    /* When another thread asks, the first one may have come back from a call just now: then it is not needed. */
    atomic_thread_fence(memory_order_acquire);
    if (count == 0 || atomic_load_explicit(&record_early.count, memory_order_relaxed) < count ||
        atomic_load_explicit(&record_early.list[0].seq, memory_order_relaxed) != words[0][0])
        return;
    struct record_call call = {.bytes = 0};
    if ((size_t)(self->limit - self->at) < most)
        record_leave_chunk();
    record_place_slow(&call, most);
    if (!call.map)
        return;
    put_base(1, words[0][0] - 1);
    for (unsigned i = 0; i < count; i++) {
        const unsigned fields = (unsigned)(words[i][1] >> 32);
        call.entry = self->at;
        call.bytes = (uint32_t)(sizeof(struct twin_record_mark) + fields * sizeof(words[0][0]));
        *(uint64_t *)call.entry =
            record_mark_head((uint32_t)words[i][1], call.bytes, words[i][0] - self->base_seq);
        memcpy((uint64_t *)call.entry + 1, words[i] + 2, fields * sizeof(words[0][0]));
        record_cover(&call);
    }
    record_put_base();
}

/* The first thread finds that another one has called, or that there is no more room. */
static __attribute__((noinline)) void leave_early(struct record_thread *self)
{
    record_write_early();
    if (atomic_load_explicit(&record_global.alone, memory_order_relaxed))
        atomic_store_explicit(&record_early.count, 0, memory_order_relaxed);
    else
        self->is_first = false;
}

void record_nd_late(enum twin_record_kind kind, const uint64_t *words, unsigned count)
{
    if (record_self.is_first && record_self.inside != 0)
        leave_early(&record_self);
    record_put_mark(kind, words, count);
}

void record_event(struct record_call *call)
{
    struct twin_record_entry *entry = call->entry;
    entry->begin_ns = entry->end_ns = record_global.now();
    entry->begin_wall_ns = entry->end_wall_ns = record_entry_wall();
    entry->status = TWIN_OK;
    entry->begin_seq = entry->end_seq = record_next();
    struct record_map *map = call->map;
    if (!map)
        return;
    record_cover(call);
    if (map != record_self.map)
        record_map_release(map);
}

/* The end of a brief call that is too far from its begin. */
static __attribute__((noinline)) void returned_late(const struct record_call *call,
                                                    uint64_t end_seq, uint64_t end_ns)
{
    RECORD_MARK(RETURNED, call->seq, end_seq, end_ns);
}

void record_called(struct record_call *call)
{
    struct record_thread *self = &record_self;
    call->seq = record_next();
    call->early = atomic_load_explicit(&record_early.count, memory_order_relaxed);
    if (__builtin_expect(call->brief, 1)) {
        struct twin_record_brief *entry = call->entry;
        const uint64_t seq = call->seq - self->base_seq;
        entry->seq = (uint32_t)seq;
        entry->seq_high = (uint16_t)(seq >> 32);
    } else {
        struct twin_record_entry *entry = call->entry;
        entry->begin_ns = call->begin_ns;
        entry->begin_wall_ns = record_entry_wall();
        entry->begin_seq = call->seq;
    }
    call->outer = self->inside;
    self->inside = call->seq;
    struct record_map *map = call->map;
    if (__builtin_expect(!map, 0))
        return;
    map->open++;
    record_cover(call);
}

void record_returned(struct record_call *call, twin_status status)
{
    struct record_thread *self = &record_self;
    const uint64_t end_ns = record_global.now();
    const uint64_t end_seq = record_next();
    /* After the call has its end_seq: who makes `alone` false gets a later number. */
    if (__builtin_expect(self->is_first, 1)) {
        if (__builtin_expect(!atomic_load(&record_global.alone), 0))
            leave_early(self);
        else if (atomic_load_explicit(&record_early.count, memory_order_relaxed) > call->early)
            atomic_store_explicit(&record_early.count, call->early, memory_order_relaxed);
    }
    if (__builtin_expect(call->brief, 1)) {
        struct twin_record_brief *entry = call->entry;
        const uint64_t length_ns = end_ns - call->begin_ns;
        uint64_t after = end_seq - call->seq;
        entry->length_ns = (uint32_t)length_ns;
        entry->status = (uint16_t)status;
        if (__builtin_expect(length_ns > UINT32_MAX || after >= TWIN_RECORD_LATE, 0)) {
            returned_late(call, end_seq, end_ns);
            after = TWIN_RECORD_LATE;
        }
        __atomic_store_n(&entry->end_after, (uint32_t)after, __ATOMIC_RELEASE);
    } else {
        struct twin_record_entry *entry = call->entry;
        entry->end_ns = end_ns;
        entry->end_wall_ns = record_entry_wall();
        entry->status = (uint16_t)status;
        __atomic_store_n(&entry->end_seq, end_seq, __ATOMIC_RELEASE);
    }
    self->inside = call->outer;
    if (__builtin_expect(self->moment != NULL, 1))
        self->moment->entry = end_seq;
    struct record_map *map = call->map;
    if (map && --map->open == 0 && __builtin_expect(map != self->map, 0))
        record_map_release(map);
}

uint64_t record_next_slow(void)
{
    enum { OWN = 64 };
    struct record_thread *self = &record_self;
    const bool own = self->number == 1 && record_joined(self) &&
                     atomic_load_explicit(&record_global.alone, memory_order_relaxed);
    const uint64_t before =
        atomic_fetch_add_explicit(&record_global.sequence, own ? OWN : 1, memory_order_acq_rel);
    self->next = before + 1;
    self->next_end = own ? before + OWN : 0;
    return before + 1;
}

void record_put_base(void)
{
    put_base(record_self.number, number_before(&record_self));
}

void record_rebase(void)
{
    const struct record_thread *self = &record_self;
    if (!record_joined(self)) /* its first entry has one of its own */
        return;
    if (self->map && (size_t)(self->limit - self->at) < sizeof(struct twin_record_base))
        record_leave_chunk();
    record_put_base();
}
