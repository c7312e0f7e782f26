/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the file of TWINRT_RECORD (seam/record_file.h).
 *
 * Each thread has its own mapped chunk, into which it stores entries; a lock is taken and system
 * calls are made once per chunk. A chunk that a thread leaves during a call stays mapped until the
 * thread is in no call. When there is no more room for the file the recording stops: from then on
 * entries go to memory of the thread that is never read. */
#ifndef TWINRT_RECORD_FILE_H
#define TWINRT_RECORD_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "seam/backend.h"
#include "seam/record_file.h"
#include "seam/record_kinds.h"

#define RECORD_INLINE     static inline __attribute__((always_inline))
#define RECORD_LINE       64
#define RECORD_ROOM_LEAST 4096 /* more than nearly all calls take */
#define RECORD_ROOM_TO_WAIT                                                                        \
    (TWIN_RECORD_CHUNK_BYTES / 3) /* for the tasks of a full queue, which may all end in one wait */

/* A mapped chunk. Its thread's alone. */
struct record_map {
    struct twin_record_chunk *chunk;
    size_t bytes;
    struct record_map *next; /* among those that the thread has left */
};

/* A file of code that may be closed, and another may come to its place. */
struct record_module {
    uintptr_t begin, end, base;
    const char *path; /* compared, never read */
    uintptr_t id_at;  /* of the build ID in memory; 0: it is far from the begin, or there is none */
    uint64_t id;
    unsigned replaced; /* how many modules had been replaced */
};

/* Where a public function was called from, outside of all others: a slot of a thread's table. */
struct record_site {
    const char *name; /* NULL: the slot is free */
    uint64_t site;
    uint32_t cost;
    uint32_t number;
};
#define RECORD_SITES           64u
#define RECORD_SITE_SLOT(site) (((site) ^ (site) >> 6) % RECORD_SITES)

/* A call under way. */
struct record_call {
    void *entry;            /* struct twin_record_entry or, when `brief`, twin_record_brief */
    struct record_map *map; /* NULL: the entry is not kept */
    uint64_t outer;         /* record_thread.inside before */
    uint64_t seq, begin_ns;
    unsigned early; /* record_early.count when it began */
    uint32_t bytes;
    bool brief;
};

/* What each thread has, what most calls need first. `at` .. `limit` is the room left in `map`; both
 * NULL: no chunk. */
struct record_thread {
    char *at;
    char *limit;
    struct twin_record_chunk *chunk; /* of `map`, or `none`, which is never read */
    uint32_t file;                   /* the file that number, chunk and depth belong to */
    uint32_t depth;                  /* public calls under way */
    uint64_t inside;                 /* begin_seq of the call that this thread is in; 0: none */
    uint64_t next, next_end;         /* numbers that it has for itself, see record_next() */
    uint64_t base_seq, base_ns;      /* of the last base in `map`, as base_wall */
    twin_host_moment *moment;        /* of host.self; NULL: nothing was asked for yet */
    const twin_call_place *place;    /* services.place; NULL: not asked for yet */
    struct record_site *sites;       /* RECORD_SITES of them; NULL: not needed yet */
    uintptr_t program_begin;         /* of the program itself, once the file has it */
    size_t settled_bytes;            /* of it, where a call takes no look; 0 with stacks */
    struct record_call outermost;    /* public call */
    struct record_call *nested;      /* public calls within others; NULL: there were none yet */
    uint64_t base_wall;
    size_t program_bytes;
    struct record_module module; /* the last other one: the file has it */
    struct record_map *map;
    struct record_map *left; /* chunks that the thread has left during a call */
    struct twin_record_chunk none;
    void *nowhere;     /* for what is not kept; NULL: not needed yet */
    uint32_t number;   /* 0: none yet in this file */
    uint32_t followed; /* whom it followed last, and up to where */
    uint64_t followed_entry;
    bool keeps_chunks; /* a full chunk could not be copied to another place */
    bool is_first;     /* it is the one thread that has called, or was: what it meets goes to
                          record_early */
    bool busy; /* with the lock of the file, which a thread that ends takes outside of all calls: it
                 does not order the program's calls */
};
extern _Thread_local struct record_thread record_self __attribute__((tls_model("initial-exec")));

struct record_global {
    _Alignas(RECORD_LINE) _Atomic uint64_t sequence; /* newest */
    _Alignas(RECORD_LINE) uint64_t (*now)(void);     /* host.now of the backend */
    twin_host_moment *(*self)(void);                 /* host.self of the backend */
    uint64_t origin_ns;
    clockid_t wall_clock; /* this and the next: fixed before a file is opened */
    bool brief;           /* calls are brief: only base entries have the real time */
    atomic_uint file;     /* number of the file in this process; 0: none yet */
    atomic_bool active;   /* entries are kept */
    atomic_uint alone;    /* that number while one thread alone has called a device whose answers
                              depend on its calls alone, else 0 */
};
extern struct record_global record_global;

/* What the calls under way of the first thread have found that the order of threads decides, while
 * no other one has called. A call that returns removes it. The thread that ends that state writes
 * it to the file; the first thread does as well, as its last entries may be missing there. */
#define RECORD_EARLY_MOST 128u
#define RECORD_WORDS_MOST 4u
struct record_early {
    atomic_uint count;
    struct record_nd {
        _Alignas(RECORD_LINE) _Atomic uint64_t seq;
        _Atomic uint32_t kind, count;
        _Atomic uint64_t words[RECORD_WORDS_MOST];
    } list[RECORD_EARLY_MOST];
};
extern struct record_early record_early;

/* ---- the file (file.c) ----------------------------------------------------------------------- */

/* Opens the file, or goes on with it when this process wrote it before; *out_new says which. False,
 * logged: nothing will be recorded. Thread: init. */
bool record_file_open(const twin_services *services, const char *path, bool *out_new);
/* Nothing more comes until it is opened again. Thread: init. */
void record_file_close(void);
/* Entries that found no place. */
uint64_t record_file_lost(void);
/* In a forked child that writes what its parent cannot: marks the file as complete. Takes no
 * lock. */
void record_file_end_alone(void);
/* In a forked child that starts anew: the file is the parent's, and no lock is held. */
void record_file_forked(void);

/* ---- entries --------------------------------------------------------------------------------- */

/* Whether number, chunk and depth of the thread belong to the file there is. Relaxed: who opens a
 * file lets no call run. */
static inline bool record_joined(const struct record_thread *self)
{
    return self->file == atomic_load_explicit(&record_global.file, memory_order_relaxed);
}
/* Makes them so. */
void record_join(void);

/* Finds room for an entry of `bytes` in a new chunk or, if there is none, in memory that is never
 * read. */
void record_place_slow(struct record_call *call, size_t bytes);
/* A base for what this thread writes from now on; the first one has room for it. */
void record_put_base(void);
/* What the first thread has found, see record_early. */
void record_write_early(void);
void record_rebase(void);
/* The thread goes on in another chunk. */
void record_leave_chunk(void);
/* A public call begins. When the thread's chunk is nearly full and the thread is in no other call,
 * the content of the chunk is moved to another place of the file. */
void record_make_room(void);
static inline void record_look_for_room(bool waits)
{
    const struct record_thread *self = &record_self;
    if (__builtin_expect(self->limit - self->at <
                                 (waits ? RECORD_ROOM_TO_WAIT : RECORD_ROOM_LEAST) &&
                             self->map != NULL,
                         0) &&
        self->inside == 0 && !self->keeps_chunks)
        record_make_room();
}
/* From now on what calls find that the order of threads decides is kept. The calling thread may be
 * in a call. */
void record_keep_nd(void);
void record_map_release(struct record_map *map);
/* The thread has left the chunk during a call. */
void record_keep_until_left(struct record_map *map);
/* It is in no call any more: releases those chunks. */
void record_release_left(void);

/* Never before the origin: a session with the exact clock may be followed by one with the coarse
 * clock, which lags by a tick. */
static inline uint64_t record_wall(void)
{
    struct timespec now;
    (void)clock_gettime(record_global.wall_clock, &now);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return now_ns > record_global.origin_ns ? now_ns - record_global.origin_ns : 0;
}

/* One thread alone calls, this one, and it has numbers for itself. Calls are brief then, and the
 * thread has its moment. The first thing that a second thread does is to end that. */
static inline bool record_is_alone(void)
{
    const struct record_thread *self = &record_self;
    return __builtin_expect(
               self->file == atomic_load_explicit(&record_global.alone, memory_order_relaxed), 1) &&
           __builtin_expect(self->next < self->next_end, 1);
}
/* Besides, its chunk has room: nothing else is to be asked. */
static inline bool record_is_quick(size_t bytes)
{
    const struct record_thread *self = &record_self;
    return record_is_alone() &&
           __builtin_expect((uintptr_t)self->at + bytes <= (uintptr_t)self->limit, 1);
}

/* The next number. */
uint64_t record_next_slow(void);
static inline uint64_t record_next(void)
{
    return record_is_alone() ? ++record_self.next : record_next_slow();
}

/* Real time where calls are brief: that of the last base, which is renewed when something outside
 * of all public calls begins. */
static inline void record_look_at_wall(void)
{
    const struct record_thread *self = &record_self;
    if (record_global.brief && self->depth == 0 && record_wall() != self->base_wall)
        record_rebase();
}
static inline uint64_t record_entry_wall(void)
{
    return record_global.brief ? record_self.base_wall : record_wall();
}

RECORD_INLINE void *record_place(struct record_call *call, size_t bytes)
{
    const struct record_thread *self = &record_self;
    call->bytes = (uint32_t)bytes;
    if (__builtin_expect((size_t)(self->limit - self->at) >= bytes && record_joined(self), 1)) {
        call->map = self->map;
        call->entry = self->at;
    } else {
        record_place_slow(call, bytes);
    }
    return call->entry;
}

/* Begins an entry and returns its fields, all 0, to be filled in before record_called() or
 * record_event(). `tail_bytes` follow the fields when call->map is not NULL; without, there is no
 * room for them. No other entry of the thread may begin in between. */
static inline void *record_begin_whole(struct record_call *call, enum twin_record_kind kind,
                                       size_t fixed_bytes, size_t tail_bytes)
{
    record_look_at_wall();
    const size_t head = sizeof(struct twin_record_entry);
    const size_t bytes = head + fixed_bytes + ((tail_bytes + 7) & ~(size_t)7);
    struct twin_record_entry *entry = record_place(call, bytes);
    __builtin_memset(entry, 0, head + fixed_bytes);
    if (tail_bytes != 0 &&
        call->map) /* the room may have been a dropped entry's: the padding is 0 */
        __builtin_memset((char *)entry + bytes - 8, 0, 8);
    entry->bytes = (uint32_t)bytes;
    entry->kind = (uint16_t)kind;
    entry->fixed_bytes = (uint16_t)fixed_bytes;
    entry->thread = record_self.number;
    entry->status = TWIN_RECORD_NO_STATUS;
    call->brief = false;
    return entry + 1;
}

/* The same of a call in general. It is brief when that holds all there is of it. */
void *record_begin_any(struct record_call *call, enum twin_record_kind kind, size_t fixed_bytes,
                       size_t tail_bytes);

/* The same, when record_is_quick(). */
RECORD_INLINE void *record_begin_quick(struct record_call *call, enum twin_record_kind kind,
                                       size_t fixed_bytes, uint64_t now_ns, uint64_t since_base_ns)
{
    struct record_thread *self = &record_self;
    const size_t bytes = sizeof(struct twin_record_brief) + fixed_bytes;
    const uint64_t seq = ++self->next;
    uint64_t *entry = (uint64_t *)(void *)self->at;
    self->at = (char *)entry + bytes;
    entry[0] = bytes | TWIN_RECORD_BRIEF | (uint64_t)kind << 16 | (seq - self->base_seq) << 32;
    entry[1] = since_base_ns;
    call->entry = entry;
    call->map = self->map;
    call->begin_ns = now_ns;
    call->seq = seq;
    call->outer = self->inside;
    call->early = atomic_load_explicit(&record_early.count, memory_order_relaxed);
    call->brief = true;
    self->inside = seq;
    return __builtin_memset(entry + 2, 0, fixed_bytes);
}

/* The same. Within a public call, as most are. */
RECORD_INLINE void *record_begin(struct record_call *call, enum twin_record_kind kind,
                                 size_t fixed_bytes, size_t tail_bytes)
{
    const size_t bytes = sizeof(struct twin_record_brief) + fixed_bytes;
    const struct record_thread *self = &record_self;
    if (tail_bytes != 0 || !record_is_quick(bytes) || self->depth == 0)
        return record_begin_any(call, kind, fixed_bytes, tail_bytes);
    const uint64_t now_ns = self->moment->at_ns;
    const uint64_t ns = now_ns - self->base_ns;
    if (__builtin_expect(ns > TWIN_RECORD_BRIEF_NS, 0))
        return record_begin_any(call, kind, fixed_bytes, 0);
    return record_begin_quick(call, kind, fixed_bytes, now_ns, ns);
}

static inline void *record_fields(const struct record_call *call)
{
    return (char *)call->entry + (__builtin_expect(call->brief, 1)
                                      ? sizeof(struct twin_record_brief)
                                      : sizeof(struct twin_record_entry));
}

/* From now on the entry is in the file, if it is kept. */
static inline void record_cover(const struct record_call *call)
{
    struct record_thread *self = &record_self;
    if (__builtin_expect(!call->map, 0))
        return;
    struct twin_record_chunk *chunk = call->map->chunk;
    char *end = (char *)call->entry + call->bytes;
    if (__builtin_expect(call->map == self->map, 1))
        self->at = end;
    __atomic_store_n(&chunk->used, (uint64_t)(end - (char *)chunk) - sizeof(*chunk),
                     __ATOMIC_RELEASE);
}
/* The same of all up to self->at. */
static inline void record_cover_all(void)
{
    const struct record_thread *self = &record_self;
    struct twin_record_chunk *chunk = self->chunk;
    __atomic_store_n(&chunk->used, (uint64_t)(self->at - (char *)(chunk + 1)), __ATOMIC_RELEASE);
}

/* The fields are filled in: the call begins. */
static inline void record_called(const struct record_call *call)
{
    if (__builtin_expect(call->brief, 1))
        record_cover_all();
    else
        record_cover(call);
}

/* The end of a brief call. */
static inline void record_end_brief(uint64_t *entry, twin_status status, uint64_t length_ns,
                                    uint64_t after)
{
    ((struct twin_record_brief *)(void *)entry)->status = (uint8_t)status;
    __atomic_store_n(&entry[1], entry[1] | length_ns << 24 | after << 48, __ATOMIC_RELEASE);
}
/* The end of the call is in the file: its part of the log is not needed. */
static inline void record_forget_early(const struct record_call *call)
{
    if (atomic_load_explicit(&record_early.count, memory_order_relaxed) > call->early)
        atomic_store_explicit(&record_early.count, call->early, memory_order_release);
}

/* The call has come back and its answers are filled in. */
void record_returned(struct record_call *call, twin_status status);
void record_returned_any(struct record_call *call, twin_status status);
RECORD_INLINE void record_end(struct record_call *call, twin_status status)
{
    struct record_thread *self = &record_self;
    if (record_is_alone() && __builtin_expect(call->brief, 1)) {
        const uint64_t length_ns = self->moment->at_ns - call->begin_ns;
        const uint64_t after = self->next + 1 - call->seq;
        if (__builtin_expect(length_ns <= TWIN_RECORD_BRIEF_NS && after < TWIN_RECORD_LATE, 1)) {
            /* Its number is less than that of a second thread that joins meanwhile. */
            self->moment->entry = ++self->next;
            record_end_brief(call->entry, status, length_ns, after);
            record_forget_early(call);
            self->inside = call->outer;
            return;
        }
    }
    record_returned_any(call, status);
}

/* For an entry that is not a call: its fields, and the tail if any, are filled in. */
void record_event(struct record_call *call);
static inline uint64_t record_mark_head(enum twin_record_kind kind, size_t bytes, uint64_t seq)
{
    return bytes | TWIN_RECORD_MARK | (uint64_t)kind << 16 | (seq >> 32 & 0xff) << 24 | seq << 32;
}

/* An entry of which the place in the order is all that matters: its fields. */
RECORD_INLINE void record_put_mark(enum twin_record_kind kind, const uint64_t *words,
                                   unsigned count)
{
    struct record_call call;
    uint64_t *at = record_place(&call, sizeof(struct twin_record_mark) + count * sizeof(words[0]));
    at[0] = record_mark_head(kind, call.bytes, record_next() - record_self.base_seq);
#pragma GCC unroll 4
    for (unsigned i = 0; i < count; i++)
        at[1 + i] = words[i];
    record_cover(&call);
}

/* The same of what a call found that the order of threads decides. */
void record_nd_late(enum twin_record_kind kind, const uint64_t *words, unsigned count);
/* Adds it to record_early. False: it does not belong there. */
RECORD_INLINE bool record_put_early(enum twin_record_kind kind, const uint64_t *words,
                                    unsigned count)
{
    if (!record_is_alone() || __builtin_expect(record_self.inside == 0, 0))
        return false;
    const unsigned at = atomic_load_explicit(&record_early.count, memory_order_relaxed);
    if (__builtin_expect(at == RECORD_EARLY_MOST, 0))
        return false;
    struct record_nd *found = &record_early.list[at];
    atomic_store_explicit(&found->seq, ++record_self.next, memory_order_relaxed);
    atomic_store_explicit(&found->kind, kind, memory_order_relaxed);
    atomic_store_explicit(&found->count, count, memory_order_relaxed);
#pragma GCC unroll 4
    for (unsigned i = 0; i < count; i++)
        atomic_store_explicit(&found->words[i], words[i], memory_order_relaxed);
    atomic_store_explicit(&record_early.count, at + 1, memory_order_release);
    return true;
}
RECORD_INLINE void record_nd(enum twin_record_kind kind, const uint64_t *words, unsigned count)
{
    if (__builtin_expect(!record_put_early(kind, words, count), 0))
        record_nd_late(kind, words, count);
}

/* Two fields of 32 bits. */
static inline uint64_t record_pair(uint32_t first, uint32_t second)
{
    return (uint64_t)second << 32 | first;
}

/* RECORD_MARK(X, word, ...): an entry of that kind, its fields as words of 64 bits. */
#define RECORD_WORDS(...)                                                                          \
    (const uint64_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define RECORD_MARK(NAME, ...)                                                                     \
    record_put_mark(TWIN_RECORD_##NAME, RECORD_WORDS(__VA_ARGS__),                                 \
                    sizeof(struct twin_record_##NAME) / 8)
#define RECORD_ND(NAME, ...)                                                                       \
    record_nd(TWIN_RECORD_##NAME, RECORD_WORDS(__VA_ARGS__), sizeof(struct twin_record_##NAME) / 8)

/* struct twin_record_X *f = RECORD_BEGIN(&call, X, tail): fields of a call of that kind. */
#define RECORD_BEGIN(call, NAME, tail_bytes)                                                       \
    ((struct twin_record_##NAME *)record_begin((call), TWIN_RECORD_##NAME,                         \
                                               sizeof(struct twin_record_##NAME), (tail_bytes)))
/* The same for an entry that is not a call. */
#define RECORD_BEGIN_EVENT(call, NAME, tail_bytes)                                                 \
    ((struct twin_record_##NAME *)record_begin_whole(                                              \
        (call), TWIN_RECORD_##NAME, sizeof(struct twin_record_##NAME), (tail_bytes)))
/* Whether the entry at hand is kept, tail and all. */
static inline bool record_kept(const struct record_call *call)
{
    return call->map != NULL;
}

#endif
