/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the file of TWINRT_RECORD (seam/record_file.h).
 *
 * Each thread has a chunk of its own, mapped, into which it stores entries; a lock and system calls are met once per chunk. A chunk
 * stays mapped while calls entered in it have not come back. When there is no more room for the file the recording stops: from
 * then on entries go to a place of the thread that nobody reads. */
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

#define RECORD_LINE       64
#define RECORD_ROOM_LEAST 4096 /* more than nearly all calls take */

/* A mapped chunk. Its thread's alone. */
struct record_map {
    struct twin_record_chunk *chunk;
    size_t bytes;
    unsigned open; /* calls entered in it that have not come back */
};

/* A file of code that may be closed, and another may come to its place. */
struct record_module {
    uintptr_t begin, end, base;
    const char *path; /* compared, never read */
    uintptr_t id_at;  /* of the build ID in memory; 0: it is far from the begin, or there is none */
    uint64_t id;
    unsigned replaced; /* how many modules had been replaced */
};

/* What each thread has. `at` .. `limit` is the room left in `map`; both NULL: no chunk. */
struct record_thread {
    bool
        busy; /* with the lock of the file, which a thread that ends takes outside of all calls: it is no order of the program's */
    char *at;
    char *limit;
    struct record_map *map;
    bool keeps_chunks; /* a full chunk could not be written to a place of its own */
    uint32_t number;   /* 0: none yet in this file */
    uint32_t file;     /* the file that number, chunk and depth belong to */
    uint32_t depth;    /* public calls under way */
    uint64_t inside;   /* begin_seq of the call that this thread is in; 0: none */
    char *
        nd_entries; /* oldest entry in `map` of what calls found that the order of threads decides that may be dropped; NULL: none */
    twin_host_moment *moment; /* of host.self; NULL: nothing was asked for yet */
    uint32_t followed;        /* whom it followed last, and up to where */
    uint64_t followed_entry;
    const twin_call_place *place; /* services.place; NULL: not asked for yet */
    uintptr_t program_begin;      /* of the program itself, once the file has it */
    size_t program_bytes;
    size_t settled_bytes;              /* of these, where a call takes no look; 0 with stacks */
    struct record_module module;       /* the last other one: the file has it */
    struct twin_record_entry *nowhere; /* for what is not kept; NULL: not needed yet */
};
extern _Thread_local struct record_thread record_self __attribute__((tls_model("initial-exec")));

struct record_global {
    _Alignas(RECORD_LINE) _Atomic uint64_t sequence; /* newest */
    _Alignas(RECORD_LINE) uint64_t (*now)(void);     /* host.now of the backend */
    twin_host_moment *(*self)(void);                 /* host.self of the backend */
    uint64_t origin_ns;
    clockid_t wall_clock; /* fixed before a file is opened */
    atomic_uint file;     /* number of the file in this process; 0: none yet */
    atomic_bool active;   /* entries are kept */
    atomic_bool
        alone; /* one thread alone has called a device whose answers depend on its calls alone */
};
extern struct record_global record_global;

/* A call under way. */
struct record_call {
    struct twin_record_entry *entry;
    struct record_map *map; /* NULL: the entry is not kept */
    uint64_t outer;         /* record_thread.inside before */
};

/* ---- the file (file.c) ------------------------------------------------------------------------ */

/* Opens the file, or goes on with it when this process wrote it before; *out_new says which. False, logged: nothing will be
 * recorded. Thread: init. */
bool record_file_open(const twin_services *services, const char *path, bool *out_new);
/* Nothing more comes until it is opened again. Thread: init. */
void record_file_close(void);
/* Entries that found no place. */
uint64_t record_file_lost(void);
/* In a forked child that writes what its parent cannot: marks the file as complete. Takes no lock. */
void record_file_end_alone(void);
/* In a forked child that starts anew: the file is the parent's, and no lock is held. */
void record_file_forked(void);

/* ---- entries ---------------------------------------------------------------------------------- */

/* Whether number, chunk and depth of the thread belong to the file there is. Relaxed: who opens a file lets no call run. */
static inline bool record_joined(const struct record_thread *self)
{
    return self->file == atomic_load_explicit(&record_global.file, memory_order_relaxed);
}
/* Makes them so. */
void record_join(void);

/* A place for an entry of `bytes` in a new chunk, or one that nobody reads when there is none or it is wanted for the fields alone. */
struct twin_record_entry *record_place_slow(struct record_call *call, size_t bytes);
/* A public call begins. When the thread's chunk is nearly full and no call entered in it is under way, what it holds is moved to
 * a place of its own in the file. */
void record_make_room(void);
static inline void record_look_for_room(void)
{
    const struct record_thread *self = &record_self;
    if (__builtin_expect(self->limit - self->at < RECORD_ROOM_LEAST && self->map != NULL, 0) &&
        self->map->open == 0 && !self->keeps_chunks)
        record_make_room();
}
/* The call comes back. Drops the nondeterminism that it logged if no other thread can have had a part in it. */
void record_drop_nd(const struct record_call *call);
/* From now on what calls find that the order of threads decides is kept. The calling thread may be in a call. */
void record_keep_nd(void);
/* Ends what keeps the chunk of a call that came back, when it was the last one. */
void record_map_release(struct record_map *map);

/* Never before the origin: a session with the exact clock may be followed by one with the coarse clock, which lags by a tick. */
static inline uint64_t record_wall(void)
{
    struct timespec now;
    (void)clock_gettime(record_global.wall_clock, &now);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return now_ns > record_global.origin_ns ? now_ns - record_global.origin_ns : 0;
}

static inline uint64_t record_next(void)
{
    return atomic_fetch_add_explicit(&record_global.sequence, 1, memory_order_acq_rel) + 1;
}

/* Begins an entry and returns its fields, all 0, to be filled in before record_called(). `tail_bytes` follow the fields when
 * call->map is not NULL; without, there is no room for them. No other entry of the thread may begin in between. `head_bytes`: of
 * a whole head, or of a short one for record_mark(). */
static inline void *record_begin(struct record_call *call, enum twin_record_kind kind,
                                 size_t head_bytes, size_t fixed_bytes, size_t tail_bytes)
{
    const struct record_thread *self = &record_self;
    size_t bytes = head_bytes + fixed_bytes + ((tail_bytes + 7) & ~(size_t)7);
    struct twin_record_entry *entry;
    if (__builtin_expect((size_t)(self->limit - self->at) >= bytes && record_joined(self), 1)) {
        entry = (struct twin_record_entry *)(void *)self->at;
        call->map = self->map;
        call->entry = entry;
    } else {
        entry = record_place_slow(call, bytes);
    }
    __builtin_memset(entry, 0, head_bytes + fixed_bytes);
    if (tail_bytes != 0 &&
        call->map) /* the room may have been a dropped entry's: the padding is 0 */
        __builtin_memset((char *)entry + bytes - 8, 0, 8);
    entry->bytes = (uint32_t)bytes;
    entry->kind = (uint16_t)kind;
    entry->fixed_bytes = (uint16_t)fixed_bytes;
    entry->thread = self->number;
    entry->status = head_bytes == TWIN_RECORD_SHORT_BYTES ? TWIN_OK : TWIN_RECORD_NO_STATUS;
    entry->flags = head_bytes == TWIN_RECORD_SHORT_BYTES ? TWIN_RECORD_SHORT : 0;
    return (char *)entry + head_bytes;
}

/* From now on the entry is in the file. */
static inline void record_cover(const struct record_call *call)
{
    struct twin_record_chunk *chunk = call->map->chunk;
    char *end = (char *)call->entry + call->entry->bytes;
    if (__builtin_expect(call->map == record_self.map, 1))
        record_self.at = end;
    __atomic_store_n(&chunk->used, (uint64_t)(end - (char *)chunk) - sizeof(*chunk),
                     __ATOMIC_RELEASE);
}

/* The fields are filled in: the call begins. */
static inline void record_called(struct record_call *call)
{
    struct twin_record_entry *entry = call->entry;
    entry->begin_ns = record_global.now();
    entry->begin_wall_ns = record_wall();
    entry->begin_seq = record_next();
    call->outer = record_self.inside;
    record_self.inside = entry->begin_seq;
    struct record_map *map = call->map;
    if (__builtin_expect(!map, 0))
        return;
    map->open++;
    record_cover(call);
}

/* The call has come back and its answers are filled in. */
static inline void record_returned(struct record_call *call, twin_status status)
{
    struct twin_record_entry *entry = call->entry;
    entry->end_ns = record_global.now();
    entry->end_wall_ns = record_wall();
    entry->status = (uint16_t)status;
    uint64_t end_seq = record_next();
    if (__builtin_expect(record_self.nd_entries != NULL, 0))
        record_drop_nd(call);
    __atomic_store_n(&entry->end_seq, end_seq, __ATOMIC_RELEASE);
    record_self.inside = call->outer;
    if (__builtin_expect(record_self.moment != NULL, 1))
        record_self.moment->entry = end_seq;
    struct record_map *map = call->map;
    if (map && --map->open == 0 && __builtin_expect(map != record_self.map, 0))
        record_map_release(map);
}

/* For an entry that is no call: its fields, and the tail if any, are filled in. */
void record_event(struct record_call *call);
/* The same for one whose place in the order is all that matters, begun by RECORD_BEGIN_MARK(). */
void record_mark(struct record_call *call);
/* The same for nondeterminism that a call found, which may be dropped when that comes back. */
void record_nd(struct record_call *call);

/* struct twin_record_X *f = RECORD_BEGIN(&call, X, tail): fields of an entry of that kind. */
#define RECORD_BEGIN(call, NAME, tail_bytes)                                                       \
    ((struct twin_record_##NAME *)record_begin((call), TWIN_RECORD_##NAME,                         \
                                               sizeof(struct twin_record_entry),                   \
                                               sizeof(struct twin_record_##NAME), (tail_bytes)))
/* The same with a short head. */
#define RECORD_BEGIN_MARK(call, NAME)                                                              \
    ((struct twin_record_##NAME *)record_begin((call), TWIN_RECORD_##NAME,                         \
                                               TWIN_RECORD_SHORT_BYTES,                            \
                                               sizeof(struct twin_record_##NAME), 0))

/* Whether the entry at hand is kept, tail and all. */
static inline bool record_kept(const struct record_call *call)
{
    return call->map != NULL;
}

#endif
