/* SPDX-License-Identifier: Apache-2.0 */
/* Writes entries: marks, events, calls, and the nondeterminism log. */
#include <string.h>

#include "file.h"

struct record_early record_early;

/* The newest number that is certain to be less than those of what this thread writes from now on.
 * The call that it is in may be what it writes next. */
static uint64_t number_before(const struct record_thread *self)
{
    if (self->inside != 0)
        return self->inside - 1;
    return self->next < self->next_end
               ? self->next
               : atomic_load_explicit(&record_global.sequence, memory_order_relaxed);
}

/* Writes a base for entries of a thread from a number on into the chunk of the calling thread,
 * which has room for it. */
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
        words[i][1] = record_pair(atomic_load_explicit(&found->kind, memory_order_relaxed),
                                  atomic_load_explicit(&found->count, memory_order_relaxed));
        for (unsigned k = 0; k < RECORD_WORDS_MOST; k++)
            words[i][2 + k] = atomic_load_explicit(&found->words[k], memory_order_relaxed);
    }
    /* Another thread writes it: the call of the first one may have returned meanwhile, and then it
     * is not needed. */
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

/* The first thread finds that another one has joined, or that the list is full. */
static __attribute__((noinline)) void leave_early(struct record_thread *self)
{
    record_write_early();
    if (atomic_load_explicit(&record_global.alone, memory_order_relaxed) != 0)
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
    record_cover(call);
    if (call->map && call->map != record_self.map)
        record_map_release(call->map);
}

/* The number of a call that begins, which the thread is in from now on. */
static void enter(struct record_call *call)
{
    call->seq = record_next();
    call->outer = record_self.inside;
    call->early = atomic_load_explicit(&record_early.count, memory_order_relaxed);
    record_self.inside = call->seq;
}

static void *begin_long(struct record_call *call, enum twin_record_kind kind, size_t fixed_bytes,
                        size_t tail_bytes)
{
    void *fields = record_begin_whole(call, kind, fixed_bytes, tail_bytes);
    struct twin_record_entry *entry = call->entry;
    enter(call);
    entry->begin_seq = call->seq;
    entry->begin_ns = record_global.now();
    entry->begin_wall_ns = record_entry_wall();
    if (call->map && call->map != record_self.map) /* of this entry alone */
        record_keep_until_left(call->map);
    return fields;
}

static void *begin_brief(struct record_call *call, enum twin_record_kind kind, size_t fixed_bytes)
{
    struct record_thread *self = &record_self;
    const size_t bytes = sizeof(struct twin_record_brief) + fixed_bytes;
    record_look_at_wall();
    uint64_t *entry = record_place(call, bytes);
    enter(call);
    call->begin_ns = record_global.now();
    if (call->map && (call->seq - self->base_seq > UINT32_MAX ||
                      call->begin_ns - self->base_ns > TWIN_RECORD_BRIEF_NS)) {
        record_rebase();
        entry = record_place(call, bytes);
    }
    entry[0] =
        bytes | TWIN_RECORD_BRIEF | (uint64_t)kind << 16 | (call->seq - self->base_seq) << 32;
    entry[1] = call->begin_ns - self->base_ns;
    if (call->map)
        self->at = (char *)entry + bytes;
    else if (!self->map)
        self->chunk = &self->none;
    call->brief = true;
    return memset(entry + 2, 0, fixed_bytes);
}

void *record_begin_any(struct record_call *call, enum twin_record_kind kind, size_t fixed_bytes,
                       size_t tail_bytes)
{
    return tail_bytes == 0 && record_global.brief ? begin_brief(call, kind, fixed_bytes)
                                                  : begin_long(call, kind, fixed_bytes, tail_bytes);
}

static void end_long(struct record_call *call, twin_status status, uint64_t end_seq)
{
    struct twin_record_entry *entry = call->entry;
    entry->end_ns = record_global.now();
    entry->end_wall_ns = record_entry_wall();
    entry->status = (uint16_t)status;
    __atomic_store_n(&entry->end_seq, end_seq, __ATOMIC_RELEASE);
}

static void end_brief_any(struct record_call *call, twin_status status, uint64_t end_seq)
{
    uint64_t length_ns = record_global.now() - call->begin_ns;
    uint64_t after = end_seq - call->seq;
    if (length_ns > TWIN_RECORD_BRIEF_NS || after >= TWIN_RECORD_LATE) {
        RECORD_MARK(RETURNED, call->seq, end_seq, call->begin_ns + length_ns);
        after = TWIN_RECORD_LATE;
        length_ns = 0;
    }
    record_end_brief(call->entry, status, length_ns, after);
}

void record_returned_any(struct record_call *call, twin_status status)
{
    struct record_thread *self = &record_self;
    const uint64_t end_seq = record_next();
    /* Read after the call has its end_seq: the thread that sets `alone` to 0 gets a later
     * number. */
    const bool was_alone = self->is_first && atomic_load(&record_global.alone) != 0;
    if (self->is_first && !was_alone)
        leave_early(self);
    if (call->brief)
        end_brief_any(call, status, end_seq);
    else
        end_long(call, status, end_seq);
    if (was_alone)
        record_forget_early(call);
    self->inside = call->outer;
    if (self->moment)
        self->moment->entry = end_seq;
    if (self->left && self->inside == 0)
        record_release_left();
}

void record_returned(struct record_call *call, twin_status status)
{
    record_end(call, status);
}

uint64_t record_next_slow(void)
{
    enum { OWN = 1024 };
    struct record_thread *self = &record_self;
    const bool own = record_global.brief && self->number == 1 &&
                     self->file == atomic_load_explicit(&record_global.alone, memory_order_relaxed);
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
    if (!record_joined(self)) /* a base will precede its first entry */
        return;
    if (self->map && (size_t)(self->limit - self->at) < sizeof(struct twin_record_base))
        record_leave_chunk();
    record_put_base();
}
