/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* madvise */
#include "timeline.h"
#include "output.h"
#include "timeline_notes.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A thread's first chunk is small, for threads that call little. Of the others pages are asked for some at a time, which
 * costs less than to find out one by one. */
#define SMALL_BYTES ((size_t)16 << 10)
#define LARGE_BYTES ((size_t)2 << 20)
#define STEP_BYTES  ((size_t)64 << 10)
#define PAGE_BYTES  ((size_t)4096)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* A note is one word if it fits: fresh memory is what noting costs most. Time is told as the distance
 * from the time at which the note before it ended, by the thread's clock, which never runs backwards.
 *
 *   call         tag | place of the call from the chunk's first on << 2 | length << 16 | ns passed << 40
 *   submit       tag | track << 2 | SQE number << 15 | ns passed << 42
 *   wide call    tag | code << 32; begin; end; pointer to the call
 *   wide submit  tag | track << 32; time; number
 *   wait         the same tag with WAIT_BIT; begin; end; done; number | cause << 48 | wake << 56 | failed << 63 */
enum tag { TAG_CALL, TAG_SUBMIT, TAG_WIDE_CALL, TAG_WIDE_SUBMIT };
#define TAG_MASK              3u
#define WAIT_BIT              4u
#define PLACE_SHIFT           2u
#define LENGTH_SHIFT          16u
#define ENDED_SHIFT           40u
#define TRACK_SHIFT           2u
#define NUMBER_SHIFT          15u
#define AT_SHIFT              42u
#define FIELD(word, from, to) ((word) >> (from) & (((uint64_t)1 << ((to) - (from))) - 1))
#define FITS(value, bits)     ((value) >> (bits) == 0)
#define PLACES                ((uintptr_t)1 << (LENGTH_SHIFT - PLACE_SHIFT))
#define LONGEST_WORDS         5u

/* Each thread fills chunks of its own; all chunks hang on one list that only grows. */
struct chunk {
    struct chunk *next;
    uint64_t number;       /* rises with the order of making: a thread's chunks in order */
    uint64_t *end;         /* of what is filled */
    uint64_t *limit;       /* of what can be filled now */
    uint64_t *chunk_limit; /* of the whole */
    uint64_t last_ns;      /* when the newest note ended */
    uintptr_t calls;       /* where the calls begin that fit: one of them is the first in here */
    unsigned thread;       /* of all its notes */
    uint64_t words[];
};

static _Atomic(struct chunk *) all_chunks;
static atomic_uint_fast64_t chunk_numbers;
static atomic_uint_fast64_t dropped_notes;
static _Thread_local struct chunk *own_chunk __attribute__((tls_model("initial-exec")));

/* Guarded by the caller's model lock. */
static struct timeline_queue *queues;
static size_t queue_count;
static size_t queue_room;

/* The next pages of a chunk; how many bytes. A kernel that does not know the way gives them one by one. */
static size_t populate(void *at)
{
    (void)madvise(at, STEP_BYTES, MADV_POPULATE_WRITE);
    return STEP_BYTES;
}

static struct chunk *chunk_new(unsigned thread)
{
    bool large = own_chunk != NULL;
    size_t bytes = large ? LARGE_BYTES : SMALL_BYTES;
    struct chunk *chunk = aligned_alloc(PAGE_BYTES, bytes);
    if (!chunk)
        return NULL;
    size_t step = large ? populate(chunk) : bytes;
    chunk->number = atomic_fetch_add_explicit(&chunk_numbers, 1, memory_order_relaxed);
    chunk->end = chunk->words;
    chunk->limit = (uint64_t *)(void *)((char *)chunk + step);
    chunk->chunk_limit = (uint64_t *)(void *)((char *)chunk + bytes);
    chunk->last_ns = 0;
    chunk->calls = 0;
    chunk->thread = thread;
    chunk->next = atomic_load_explicit(&all_chunks, memory_order_relaxed);
    /* release: who walks the list sees the fields set above */
    while (!atomic_compare_exchange_weak_explicit(&all_chunks, &chunk->next, chunk,
                                                  memory_order_release, memory_order_relaxed))
        continue;
    own_chunk = chunk;
    return chunk;
}

static struct chunk *chunk_with_room(unsigned thread)
{
    struct chunk *chunk = own_chunk;
    if (chunk && chunk->thread == thread && chunk->limit != chunk->chunk_limit) {
        chunk->limit += populate(chunk->limit) / sizeof(*chunk->limit);
        return chunk;
    }
    chunk = chunk_new(thread);
    if (!chunk)
        atomic_fetch_add_explicit(&dropped_notes, 1, memory_order_relaxed);
    return chunk;
}

/* A chunk with room for any note of the thread; NULL, and one note lost, when memory is short. */
static inline struct chunk *chunk_of(unsigned thread)
{
    struct chunk *chunk = own_chunk;
    if (__builtin_expect(!chunk || chunk->thread != thread ||
                             (size_t)(chunk->limit - chunk->end) < LONGEST_WORDS,
                         0))
        chunk = chunk_with_room(thread);
    return chunk;
}

void sim_timeline_call(unsigned thread_number, const twin_call *call, uint64_t begin_ns,
                       uint64_t end_ns, int32_t code)
{
    struct chunk *chunk = chunk_of(thread_number);
    if (!chunk)
        return;
    if (chunk->calls == 0)
        chunk->calls = (uintptr_t)call - PLACES / 2 * _Alignof(twin_call);
    uint64_t *to = chunk->end;
    uint64_t passed = end_ns - chunk->last_ns;
    uint64_t length = end_ns - begin_ns;
    uintptr_t place = ((uintptr_t)call - chunk->calls) / _Alignof(twin_call);
    if (FITS(passed, 64 - ENDED_SHIFT) && FITS(length, ENDED_SHIFT - LENGTH_SHIFT) &&
        place < PLACES && code == 0) {
        to[0] = TAG_CALL | (uint64_t)place << PLACE_SHIFT | length << LENGTH_SHIFT |
                passed << ENDED_SHIFT;
        chunk->end = to + 1;
    } else {
        to[0] = TAG_WIDE_CALL | (uint64_t)(uint32_t)code << 32;
        to[1] = begin_ns;
        to[2] = end_ns;
        to[3] = (uintptr_t)call;
        chunk->end = to + 4;
    }
    chunk->last_ns = end_ns;
}

void sim_timeline_submit(unsigned thread_number, uint32_t track, uint64_t number, uint64_t at_ns)
{
    struct chunk *chunk = chunk_of(thread_number);
    if (!chunk)
        return;
    uint64_t *to = chunk->end;
    uint64_t passed = at_ns - chunk->last_ns;
    if (FITS(passed, 64 - AT_SHIFT) && FITS(number, AT_SHIFT - NUMBER_SHIFT) &&
        FITS(track, NUMBER_SHIFT - TRACK_SHIFT)) {
        to[0] = TAG_SUBMIT | (uint64_t)track << TRACK_SHIFT | number << NUMBER_SHIFT |
                passed << AT_SHIFT;
        chunk->end = to + 1;
    } else {
        to[0] = TAG_WIDE_SUBMIT | (uint64_t)track << 32;
        to[1] = at_ns;
        to[2] = number;
        chunk->end = to + 3;
    }
    chunk->last_ns = at_ns;
}

void sim_timeline_wait(unsigned thread_number, const struct timeline_wait *wait)
{
    struct chunk *chunk = chunk_of(thread_number);
    if (!chunk)
        return;
    uint64_t *to = chunk->end;
    to[0] = TAG_WIDE_SUBMIT | WAIT_BIT | (uint64_t)wait->track << 32;
    to[1] = wait->begin_ns;
    to[2] = wait->end_ns;
    to[3] = wait->done_ns;
    to[4] = wait->number | (uint64_t)wait->cause << 48 | (uint64_t)wait->wake << 56 |
            (uint64_t)wait->failed << 63;
    chunk->end = to + 5;
    chunk->last_ns = wait->end_ns;
}

uint32_t sim_timeline_name_queue(const twinsim *sim, uint32_t device, uint32_t sq,
                                 uint32_t stream_id)
{
    if (queue_count == queue_room) {
        size_t room = queue_room ? queue_room * 2 : 64;
        struct timeline_queue *larger = realloc(queues, room * sizeof(*larger));
        if (!larger)
            return TIMELINE_NONE;
        queues = larger;
        queue_room = room;
    }
    size_t first_record = twinsim_trace_count(sim);
    if (first_record == SIZE_MAX)
        return TIMELINE_NONE;
    struct timeline_queue *queue = &queues[queue_count];
    queue->device = device;
    queue->sq = sq;
    queue->stream_id = stream_id;
    queue->first_record = first_record;
    return (uint32_t)queue_count++;
}

const struct timeline_queue *sim_timeline_queues(size_t *out_count)
{
    *out_count = queue_count;
    return queues;
}

static int compare_chunks(const void *left, const void *right)
{
    const struct chunk *a = *(const struct chunk *const *)left;
    const struct chunk *b = *(const struct chunk *const *)right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Unpacks the note at `words`; last_ns is when the one before it ended. Returns the next one's place. */
static const uint64_t *unpack(const struct chunk *chunk, const uint64_t *words, uint64_t last_ns,
                              struct timeline_note *out)
{
    uint64_t first = *words;
    out->wait = (first & TAG_MASK) == TAG_WIDE_SUBMIT && (first & WAIT_BIT) != 0;
    switch ((enum tag)(first & TAG_MASK)) {
    case TAG_CALL:
        out->call =
            (const twin_call *)(chunk->calls + (uintptr_t)FIELD(first, PLACE_SHIFT, LENGTH_SHIFT) *
                                                   _Alignof(twin_call));
        out->end_ns = last_ns + (first >> ENDED_SHIFT);
        out->begin_ns = out->end_ns - FIELD(first, LENGTH_SHIFT, ENDED_SHIFT);
        out->u.code = 0;
        return words + 1;
    case TAG_SUBMIT:
        out->call = NULL;
        out->begin_ns = last_ns + (first >> AT_SHIFT);
        out->end_ns = FIELD(first, NUMBER_SHIFT, AT_SHIFT);
        out->u.track = (uint32_t)FIELD(first, TRACK_SHIFT, NUMBER_SHIFT);
        return words + 1;
    case TAG_WIDE_CALL:
        out->call = (const twin_call *)(uintptr_t)words[3];
        out->begin_ns = words[1];
        out->end_ns = words[2];
        out->u.code = (int32_t)(first >> 32);
        return words + 4;
    case TAG_WIDE_SUBMIT:
        out->call = NULL;
        out->begin_ns = words[1];
        out->end_ns = words[2];
        out->u.track = (uint32_t)(first >> 32);
        if (!out->wait)
            break;
        out->done_ns = words[3];
        out->number = FIELD(words[4], 0, 48);
        out->cause = (uint8_t)FIELD(words[4], 48, 56);
        out->wake = (uint8_t)FIELD(words[4], 56, 63);
        out->failed = words[4] >> 63 != 0;
        return words + 5;
    }
    return words + 3;
}

/* Lays all notes out by thread, each thread's in the order it made them. */
static int gather(struct timeline_notes *out)
{
    size_t chunk_count = 0;
    size_t room = 0;
    struct chunk *head = atomic_load_explicit(&all_chunks, memory_order_acquire);
    for (const struct chunk *chunk = head; chunk; chunk = chunk->next) {
        chunk_count++;
        room += (size_t)(chunk->end - chunk->words);
    }

    const struct chunk **chunks = calloc(chunk_count + 1, sizeof(const struct chunk *));
    struct timeline_note *notes = calloc(room + 1, sizeof(*notes));
    if (!chunks || !notes) {
        free(notes);
        free(chunks);
        return -ENOMEM;
    }
    size_t at = 0;
    for (const struct chunk *chunk = head; chunk; chunk = chunk->next)
        chunks[at++] = chunk;
    qsort(chunks, chunk_count, sizeof(const struct chunk *), compare_chunks);

    size_t filled = 0;
    for (size_t i = 0; i < chunk_count; i++) {
        uint64_t last_ns = 0;
        for (const uint64_t *words = chunks[i]->words; words != chunks[i]->end; filled++) {
            struct timeline_note *note = &notes[filled];
            words = unpack(chunks[i], words, last_ns, note);
            note->thread = chunks[i]->thread;
            last_ns = note->call || note->wait ? note->end_ns : note->begin_ns;
        }
    }
    free(chunks);

    out->notes = notes;
    out->note_count = filled;
    out->queues = queues;
    out->queue_count = queue_count;
    out->dropped = atomic_load_explicit(&dropped_notes, memory_order_relaxed);
    return 0;
}

struct drawing {
    const struct timeline_notes *notes;
    const twinsim *sim;
    const twinsim_profile *profile;
};

static int draw(FILE *file, void *context)
{
    const struct drawing *drawing = context;
    return timeline_draw(file, drawing->notes, drawing->sim, drawing->profile);
}

int sim_timeline_write(const char *path, const twinsim *sim, const twinsim_profile *profile)
{
    struct timeline_notes notes;
    int error = gather(&notes);
    if (error)
        return error;
    struct drawing drawing = {.notes = &notes, .sim = sim, .profile = profile};
    error = sim_output_write(path, draw, &drawing);
    free(notes.notes);
    return error;
}
