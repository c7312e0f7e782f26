/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* madvise */
#include "observe/timeline.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "observe/atomic_file.h"
#include "observe/timeline_notes.h"
#include "process/process.h"
#include "wait/observer.h"

/* A thread's first chunk is small, for threads that call little. Of the others pages are asked for
 * some at a time, which costs less than to find out one by one. */
#define SMALL_BYTES ((size_t)16 << 10)
#define LARGE_BYTES ((size_t)2 << 20)
#define STEP_BYTES  ((size_t)64 << 10)
#define PAGE_BYTES  ((size_t)4096)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* A note is one word if it fits, or none: fresh memory is what noting costs most. A time is stored
 * as the distance from the time at which the note before it ended, by the thread's clock, which
 * never runs backwards.
 *
 *   call         tag | joint << 2 | place of the call from the chunk's first on << 4 | length << 18
 *                | ns passed << 40
 *   submit       tag | track << 2 | SQE number << 15 | ns passed << 42
 *   wide call    tag | code << 32; begin; end; pointer to the call
 *   wide submit  tag | track << 32; time; number
 *   wait         the same tag with WAIT_BIT | SHORT_BIT | cause << 4 | wake << 8 | failed << 11 |
 *                ns passed << 12 | length << 28 | wake-up << 48; number | track << 48
 *   wide wait    the same without SHORT_BIT, in place of the times track << 32; begin; end; done;
 *   number
 *
 * A call with something joint is two notes, that one first. It ended with the call, and is
 *   a submit     of the next SQE of the queue of the last submit
 *   a wait       for the last submit; in cause, outcome, wake-up and how long its call had run by
 *   then, like the last
 *                wait */
enum tag { TAG_CALL, TAG_SUBMIT, TAG_WIDE_CALL, TAG_WIDE_SUBMIT };
enum joint { JOINT_NONE, JOINT_SUBMIT, JOINT_WAIT };
#define TAG_MASK          3u
#define WAIT_BIT          4u
#define SHORT_BIT         8u
#define JOINT_SHIFT       2u
#define PLACE_SHIFT       4u
#define LENGTH_SHIFT      18u
#define ENDED_SHIFT       40u
#define TRACK_SHIFT       2u
#define NUMBER_SHIFT      15u
#define AT_SHIFT          42u
#define CAUSE_SHIFT       4u
#define WAKE_SHIFT        8u
#define FAILED_SHIFT      11u
#define WAITED_SHIFT      12u
#define WAIT_LENGTH_SHIFT 28u
#define WOKE_SHIFT        48u
#define WAIT_TRACK_SHIFT  48u
_Static_assert(SIM_HOST_CAUSES <= 1 << (WAKE_SHIFT - CAUSE_SHIFT), "a cause fits");
_Static_assert(SIM_WAKE_COUNT <= 1 << (FAILED_SHIFT - WAKE_SHIFT), "a wake-up fits");
#define FIELD(word, from, to) ((word) >> (from) & (((uint64_t)1 << ((to) - (from))) - 1))
#define FITS(value, bits)     ((value) >> (bits) == 0)
#define PLACES                ((uintptr_t)1 << (LENGTH_SHIFT - PLACE_SHIFT))
#define LONGEST_WORDS         10u /* of a note and of the one that waits for it */

/* What the next notes are held against. Writer and reader keep it, both from the beginning of a
 * chunk on. */
struct context {
    uint64_t last_ns; /* when the newest note ended */
    uint64_t number;  /* of the last submit */
    uint32_t track;
    uint32_t how;   /* of the last wait: cause, wake and outcome as in a short one */
    uint64_t woke;  /* how long its wake-up took after the awaited instant */
    uint64_t after; /* how long the call had run, of the last one right after a wait */
};

#define CONTEXT_AT_FIRST ((struct context){.track = TIMELINE_NONE})

/* Each thread fills its own chunks; all chunks are on one list that only grows. */
struct chunk {
    struct chunk *next;
    uint64_t number;       /* rises with the order of making: a thread's chunks in order */
    uint64_t *end;         /* of the filled part */
    uint64_t *limit;       /* of the part that can be filled now */
    uint64_t *chunk_limit; /* of the whole */
    struct context context;
    enum joint
        joint; /* the newest note, as far as the context tells it; it is not among the words yet */
    bool waited;       /* the newest note is a wait */
    uint64_t begin_ns; /* of that note; a submit's time */
    uint64_t end_ns;
    uintptr_t calls; /* where the calls begin that fit: one of them is the first in here */
    unsigned thread; /* of all its notes */
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

/* The next pages of a chunk; how many bytes. A kernel without the option allocates them one by
 * one. */
static size_t populate(void *at)
{
    (void)madvise(at, STEP_BYTES, MADV_POPULATE_WRITE);
    return STEP_BYTES;
}

static struct chunk *chunk_new(unsigned thread)
{
    bool large = own_chunk != NULL;
    size_t bytes = large ? LARGE_BYTES : SMALL_BYTES;
    /* Not of malloc(): a signal inside it whose handler calls exit() would meet its lock. */
    struct chunk *chunk =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
    size_t step = large ? populate(chunk) : bytes;
    chunk->number = atomic_fetch_add_explicit(&chunk_numbers, 1, memory_order_relaxed);
    chunk->end = chunk->words;
    chunk->limit = (uint64_t *)(void *)((char *)chunk + step);
    chunk->chunk_limit = (uint64_t *)(void *)((char *)chunk + bytes);
    chunk->context = CONTEXT_AT_FIRST;
    chunk->joint = JOINT_NONE;
    chunk->waited = false;
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

/* Makes room for any note of the thread. False, and one note lost: out of memory. */
__attribute__((cold, noinline)) static bool make_room(unsigned thread)
{
    struct chunk *chunk = own_chunk;
    if (chunk && chunk->thread == thread && chunk->limit != chunk->chunk_limit) {
        chunk->limit += populate(chunk->limit) / sizeof(*chunk->limit);
        return true;
    }
    if (chunk_new(thread))
        return true;
    atomic_fetch_add_explicit(&dropped_notes, 1, memory_order_relaxed);
    return false;
}

/* Whether the calling thread's chunk has room for any note of that thread. */
static inline bool has_room(const struct chunk *chunk, unsigned thread)
{
    return __builtin_expect(chunk && chunk->thread == thread &&
                                (size_t)(chunk->limit - chunk->end) >= LONGEST_WORDS,
                            1);
}

/* These append a note, in one word if it fits. */

static void put_submit(struct chunk *chunk, uint32_t track, uint64_t number, uint64_t at_ns)
{
    struct context *context = &chunk->context;
    uint64_t *to = chunk->end;
    uint64_t passed = at_ns - context->last_ns;
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
    context->last_ns = at_ns;
    context->number = number;
    context->track = track;
}

static void put_wait(struct chunk *chunk, const struct timeline_wait *wait, uint32_t how,
                     uint64_t woke)
{
    struct context *context = &chunk->context;
    uint64_t *to = chunk->end;
    uint64_t passed = wait->begin_ns - context->last_ns;
    uint64_t length = wait->end_ns - wait->begin_ns;
    if (FITS(passed, WAIT_LENGTH_SHIFT - WAITED_SHIFT) &&
        FITS(length, WOKE_SHIFT - WAIT_LENGTH_SHIFT) && FITS(woke, 64 - WOKE_SHIFT) &&
        FITS(wait->track, 64 - WAIT_TRACK_SHIFT) && FITS(wait->number, WAIT_TRACK_SHIFT)) {
        to[0] = TAG_WIDE_SUBMIT | WAIT_BIT | SHORT_BIT | how | passed << WAITED_SHIFT |
                length << WAIT_LENGTH_SHIFT | woke << WOKE_SHIFT;
        to[1] = wait->number | (uint64_t)wait->track << WAIT_TRACK_SHIFT;
        chunk->end = to + 2;
    } else {
        to[0] = TAG_WIDE_SUBMIT | WAIT_BIT | how | (uint64_t)wait->track << 32;
        to[1] = wait->begin_ns;
        to[2] = wait->end_ns;
        to[3] = wait->end_ns - woke;
        to[4] = wait->number;
        chunk->end = to + 5;
    }
    context->last_ns = wait->end_ns;
    context->how = how;
    context->woke = woke;
}

/* The newest note is not joint with a call. */
__attribute__((noinline)) static void put_newest(struct chunk *chunk)
{
    const struct context *context = &chunk->context;
    if (chunk->joint == JOINT_SUBMIT)
        put_submit(chunk, context->track, context->number + 1, chunk->end_ns);
    else
        put_wait(chunk,
                 &(struct timeline_wait){
                     .begin_ns = chunk->begin_ns,
                     .end_ns = chunk->end_ns,
                     .number = context->number,
                     .track = context->track,
                 },
                 context->how, context->woke);
    chunk->joint = JOINT_NONE;
}

/* A call without a joint note, or that does not fit in a word, or is a thread's first. */
__attribute__((noinline)) static void put_call(unsigned thread_number, const twin_call *call,
                                               uint64_t begin_ns, uint64_t end_ns, int32_t code)
{
    struct chunk *chunk = own_chunk;
    if (!has_room(chunk, thread_number)) {
        if (!make_room(thread_number))
            return;
        chunk = own_chunk;
    }
    if (chunk->calls == 0)
        chunk->calls = (uintptr_t)call - PLACES / 2 * _Alignof(twin_call);
    if (chunk->joint != JOINT_NONE)
        put_newest(chunk);
    struct context *context = &chunk->context;
    uint64_t *to = chunk->end;
    uint64_t passed = end_ns - context->last_ns;
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
    if (chunk->waited)
        context->after = chunk->begin_ns - begin_ns;
    context->last_ns = end_ns;
    chunk->waited = false;
}

/* What programs do most: a call that submitted one task, or waited for the last one. The rest is
 * not done here, so that this needs no registers of its caller's. */
void sim_timeline_call(unsigned thread_number, const twin_call *call, uint64_t begin_ns,
                       uint64_t end_ns, int32_t code)
{
    struct chunk *chunk = own_chunk;
    if (has_room(chunk, thread_number)) {
        struct context *context = &chunk->context;
        enum joint joint = chunk->joint;
        uint64_t length = end_ns - begin_ns;
        uint64_t passed = end_ns - context->last_ns;
        uintptr_t place = ((uintptr_t)call - chunk->calls) / _Alignof(twin_call);
        uint64_t after = joint == JOINT_WAIT ? chunk->begin_ns - begin_ns : context->after;
        bool fits = (passed >> (64 - ENDED_SHIFT) | length >> (ENDED_SHIFT - LENGTH_SHIFT) |
                     place >> (LENGTH_SHIFT - PLACE_SHIFT) | (uint32_t)code) == 0;
        if (joint != JOINT_NONE && chunk->end_ns == end_ns && fits && after == context->after) {
            *chunk->end++ = TAG_CALL | (uint64_t)joint << JOINT_SHIFT |
                            (uint64_t)place << PLACE_SHIFT | length << LENGTH_SHIFT |
                            passed << ENDED_SHIFT;
            context->number += joint == JOINT_SUBMIT;
            context->last_ns = end_ns;
            chunk->joint = JOINT_NONE;
            chunk->waited = false;
            return;
        }
    }
    put_call(thread_number, call, begin_ns, end_ns, code);
}

void sim_timeline_submit(unsigned thread_number, uint32_t track, uint64_t number, uint64_t at_ns)
{
    struct chunk *chunk = own_chunk;
    if (!has_room(chunk, thread_number)) {
        if (make_room(thread_number))
            sim_timeline_submit(thread_number, track, number, at_ns);
        return;
    }
    if (chunk->joint != JOINT_NONE)
        put_newest(chunk);
    chunk->waited = false;
    if (track != chunk->context.track || number != chunk->context.number + 1) {
        put_submit(chunk, track, number, at_ns);
        return;
    }
    chunk->joint = JOINT_SUBMIT;
    chunk->end_ns = at_ns;
}

void sim_timeline_wait(unsigned thread_number, const struct timeline_wait *wait)
{
    struct chunk *chunk = own_chunk;
    if (!has_room(chunk, thread_number)) {
        if (make_room(thread_number))
            sim_timeline_wait(thread_number, wait);
        return;
    }
    if (chunk->joint != JOINT_NONE)
        put_newest(chunk);
    const struct context *context = &chunk->context;
    uint64_t woke = wait->end_ns - wait->done_ns;
    uint32_t how = (uint32_t)wait->cause << CAUSE_SHIFT | (uint32_t)wait->wake << WAKE_SHIFT |
                   (uint32_t)wait->failed << FAILED_SHIFT;
    chunk->waited = true;
    chunk->begin_ns = wait->begin_ns;
    if (how != context->how || woke != context->woke || wait->track != context->track ||
        wait->number != context->number) {
        put_wait(chunk, wait, how, woke);
        return;
    }
    chunk->joint = JOINT_WAIT;
    chunk->end_ns = wait->end_ns;
}

uint32_t sim_timeline_name_queue(const twinsim *sim, uint32_t device, uint32_t sq,
                                 uint32_t stream_id)
{
    size_t first_entry = twinsim_trace_count(sim);
    if (first_entry == SIZE_MAX || !sim_grow(&queues, sizeof(*queues), queue_count, &queue_room))
        return TIMELINE_NONE;
    queues[queue_count] = (struct timeline_queue){
        .device = device, .sq = sq, .stream_id = stream_id, .first_entry = first_entry};
    return (uint32_t)queue_count++;
}

const struct timeline_queue *sim_timeline_queues(size_t *out_count)
{
    *out_count = queue_count;
    return queues;
}

/* A chunk as far as it was filled when it was counted. */
struct part {
    const struct chunk *chunk;
    const uint64_t *end;
};

static int compare_parts(const void *left, const void *right)
{
    const struct chunk *a = ((const struct part *)left)->chunk;
    const struct chunk *b = ((const struct part *)right)->chunk;
    int order = sim_order(a->thread, b->thread);
    return order ? order : sim_order(a->number, b->number);
}

/* What a call was joint with: `out`, before the call. */
static void unpack_joint(enum joint joint, struct context *context,
                         const struct timeline_note *call, struct timeline_note *out)
{
    out->u.track = context->track;
    if (joint == JOINT_SUBMIT) {
        out->begin_ns = call->end_ns;
        out->end_ns = ++context->number;
        return;
    }
    out->wait = true;
    out->begin_ns = call->begin_ns + context->after;
    out->end_ns = call->end_ns;
    out->number = context->number;
}

/* The fields of waits that both forms have. */
static void unpack_how(const struct context *context, struct timeline_note *out)
{
    out->done_ns = out->end_ns - context->woke;
    out->cause = (uint8_t)FIELD(context->how, CAUSE_SHIFT, WAKE_SHIFT);
    out->wake = (uint8_t)FIELD(context->how, WAKE_SHIFT, FAILED_SHIFT);
    out->failed = FIELD(context->how, FAILED_SHIFT, WAITED_SHIFT) != 0;
}

/* The wait at `words`; returns the next note's place. */
static const uint64_t *unpack_wait(const uint64_t *words, struct context *context,
                                   struct timeline_note *out)
{
    uint64_t first = *words;
    context->how = (uint32_t)FIELD(first, CAUSE_SHIFT, WAITED_SHIFT) << CAUSE_SHIFT;
    out->wait = true;
    if ((first & SHORT_BIT) != 0) {
        out->begin_ns = context->last_ns + FIELD(first, WAITED_SHIFT, WAIT_LENGTH_SHIFT);
        out->end_ns = out->begin_ns + FIELD(first, WAIT_LENGTH_SHIFT, WOKE_SHIFT);
        context->woke = first >> WOKE_SHIFT;
        out->number = FIELD(words[1], 0, WAIT_TRACK_SHIFT);
        out->u.track = (uint32_t)(words[1] >> WAIT_TRACK_SHIFT);
        return words + 2;
    }
    out->u.track = (uint32_t)(first >> 32);
    out->begin_ns = words[1];
    out->end_ns = words[2];
    context->woke = words[2] - words[3];
    out->number = words[4];
    return words + 5;
}

/* Unpacks the note at *at, or the two, into `out`, which is all zeros, and moves *at after it.
 * Returns how many; `before` is the one before them, NULL: none. */
static size_t unpack(const struct chunk *chunk, const uint64_t **at, struct context *context,
                     const struct timeline_note *before, struct timeline_note *out)
{
    const uint64_t *words = *at;
    uint64_t first = *words;
    enum joint joint = JOINT_NONE;
    struct timeline_note *last = out;
    switch ((enum tag)(first & TAG_MASK)) {
    case TAG_CALL:
        joint = (enum joint)FIELD(first, JOINT_SHIFT, PLACE_SHIFT);
        if (joint != JOINT_NONE)
            last++;
        last->call =
            (const twin_call *)(chunk->calls + (uintptr_t)FIELD(first, PLACE_SHIFT, LENGTH_SHIFT) *
                                                   _Alignof(twin_call));
        last->end_ns = context->last_ns + (first >> ENDED_SHIFT);
        last->begin_ns = last->end_ns - FIELD(first, LENGTH_SHIFT, ENDED_SHIFT);
        if (joint != JOINT_NONE)
            unpack_joint(joint, context, last, out);
        words++;
        break;
    case TAG_SUBMIT:
        out->begin_ns = context->last_ns + (first >> AT_SHIFT);
        out->end_ns = FIELD(first, NUMBER_SHIFT, AT_SHIFT);
        out->u.track = (uint32_t)FIELD(first, TRACK_SHIFT, NUMBER_SHIFT);
        words++;
        break;
    case TAG_WIDE_CALL:
        out->call = (const twin_call *)(uintptr_t)words[3];
        out->begin_ns = words[1];
        out->end_ns = words[2];
        out->u.code = (int32_t)(first >> 32);
        words += 4;
        break;
    case TAG_WIDE_SUBMIT:
        if ((first & WAIT_BIT) != 0) {
            words = unpack_wait(words, context, out);
            break;
        }
        out->begin_ns = words[1];
        out->end_ns = words[2];
        out->u.track = (uint32_t)(first >> 32);
        words += 3;
        break;
    }
    *at = words;
    if (out->wait)
        unpack_how(context, out);
    if (!last->call && !last->wait) {
        context->number = last->end_ns;
        context->track = last->u.track;
    } else if (last->call && last == out && before && before->wait) {
        context->after = before->begin_ns - last->begin_ns;
    }
    context->last_ns = last->call || last->wait ? last->end_ns : last->begin_ns;
    return (size_t)(last - out) + 1;
}

/* How many words the note that begins with that one takes. */
static size_t words_of(uint64_t first)
{
    switch ((enum tag)(first & TAG_MASK)) {
    case TAG_WIDE_CALL:
        return 4;
    case TAG_WIDE_SUBMIT:
        return (first & WAIT_BIT) == 0 ? 3 : (first & SHORT_BIT) != 0 ? 2 : 5;
    case TAG_CALL:
    case TAG_SUBMIT:
        break;
    }
    return 1;
}

static size_t count_notes(const struct part *part)
{
    size_t count = 0;
    for (const uint64_t *at = part->chunk->words; at < part->end; at += words_of(*at)) {
        const bool two = (*at & TAG_MASK) == TAG_CALL && FIELD(*at, JOINT_SHIFT, PLACE_SHIFT) != 0;
        count += two ? 2 : 1;
    }
    return count;
}

/* In their order. NULL: out of memory. */
static struct part *find_parts(size_t *out_count)
{
    size_t count = 0;
    struct chunk *head = atomic_load_explicit(&all_chunks, memory_order_acquire);
    for (const struct chunk *chunk = head; chunk; chunk = chunk->next)
        count++;
    struct part *parts = calloc(count + 1, sizeof(*parts));
    size_t at = 0;
    for (const struct chunk *chunk = head; parts && chunk; chunk = chunk->next)
        parts[at++] = (struct part){.chunk = chunk, .end = chunk->end};
    if (parts)
        qsort(parts, count, sizeof(*parts), compare_parts);
    *out_count = count;
    return parts;
}

/* The note of a chunk that is not among its words: the thread is still in that call. Returns how
 * many. */
static size_t unpack_newest(const struct part *part, const struct context *context,
                            struct timeline_note *out)
{
    const struct chunk *chunk = part->chunk;
    enum joint joint = chunk->joint;
    if (joint == JOINT_NONE || chunk->end != part->end)
        return 0;
    out->thread = chunk->thread;
    out->u.track = context->track;
    out->begin_ns = chunk->end_ns;
    out->end_ns = context->number + 1;
    if (joint == JOINT_WAIT) {
        out->wait = true;
        out->begin_ns = chunk->begin_ns;
        out->end_ns = chunk->end_ns;
        out->number = context->number;
        unpack_how(context, out);
    }
    return 1;
}

int timeline_gather(struct timeline_notes *out)
{
    size_t part_count = 0;
    size_t words = 0;
    struct part *parts = find_parts(&part_count);
    if (!parts)
        return -ENOMEM;
    /* A thread that is still in a call may go on: what it adds is not counted, but what is not
     * among its words yet. */
    size_t room = part_count + 1;
    for (size_t i = 0; i < part_count; i++) {
        words += (size_t)(parts[i].end - parts[i].chunk->words);
        room += count_notes(&parts[i]);
    }
    struct timeline_note *notes = calloc(room, sizeof(*notes));
    if (!notes) {
        free(parts);
        return -ENOMEM;
    }

    size_t filled = 0;
    for (size_t i = 0; i < part_count; i++) {
        const struct chunk *chunk = parts[i].chunk;
        struct context context = CONTEXT_AT_FIRST;
        const struct timeline_note *before = NULL;
        for (const uint64_t *note = chunk->words; note < parts[i].end && filled + 2 <= room;) {
            size_t count = unpack(chunk, &note, &context, before, &notes[filled]);
            for (; count > 0; count--)
                notes[filled++].thread = chunk->thread;
            before = &notes[filled - 1];
        }
        if (filled < room)
            filled += unpack_newest(&parts[i], &context, &notes[filled]);
    }
    free(parts);

    out->notes = notes;
    out->note_count = filled;
    out->words = words;
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
    int error = timeline_gather(&notes);
    if (error)
        return error;
    struct drawing drawing = {.notes = &notes, .sim = sim, .profile = profile};
    error = sim_output_write(path, draw, &drawing);
    free(notes.notes);
    return error;
}
