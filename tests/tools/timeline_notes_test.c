/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of host threads are read back as they were written, in any packing. */
#include "support/cunit_main.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "observe/atomic_file.h"
#include "observe/timeline.h"
#include "wait/observer.h"
#include "observe/timeline_notes.h"

/* ---- what the writer of the file is linked with, and no test here uses ---------------------- */

int timeline_draw(FILE *file, const struct timeline_notes *notes, const twinsim *sim,
                  const twinsim_profile *profile)
{
    (void)file;
    (void)notes;
    (void)sim;
    (void)profile;
    return 0;
}

int sim_output_write(const char *path, int (*write)(FILE *file, void *context), void *context)
{
    (void)path;
    (void)write;
    (void)context;
    return 0;
}

size_t twinsim_trace_count(const twinsim *sim)
{
    (void)sim;
    return 0;
}

/* ---- a thread's notes ----------------------------------------------------------------------- */

static const twin_call calls[] = {{"first", TWIN_COST_LOCAL}, {"second", TWIN_COST_SUBMIT}};
static const twin_call far_away[20000]; /* farther than the offset of a call can encode */

/* A thread with its clock, and all notes that it wrote. */
struct writer {
    unsigned thread;
    uint64_t now_ns;
    struct timeline_note *written;
    size_t count, room;
    void (*write)(struct writer *writer);
};

static struct timeline_note *expect(struct writer *writer)
{
    if (writer->count == writer->room) {
        writer->room = writer->room ? 2 * writer->room : 1024;
        writer->written = realloc(writer->written, writer->room * sizeof(*writer->written));
        CU_ASSERT_PTR_NOT_NULL_FATAL(writer->written);
    }
    struct timeline_note *note = &writer->written[writer->count++];
    memset(note, 0, sizeof(*note));
    note->thread = writer->thread;
    return note;
}

static void write_call(struct writer *writer, const twin_call *call, uint64_t begin_ns,
                       int32_t code)
{
    struct timeline_note *note = expect(writer);
    note->call = call;
    note->begin_ns = begin_ns;
    note->end_ns = writer->now_ns;
    note->u.code = code;
    sim_timeline_call(writer->thread, call, begin_ns, writer->now_ns, code);
}

static void write_submit(struct writer *writer, uint32_t track, uint64_t number)
{
    struct timeline_note *note = expect(writer);
    note->begin_ns = writer->now_ns;
    note->end_ns = number;
    note->u.track = track;
    sim_timeline_submit(writer->thread, track, number, writer->now_ns);
}

/* It ends now. */
static void write_wait(struct writer *writer, const struct timeline_wait *wait)
{
    struct timeline_note *note = expect(writer);
    note->wait = true;
    note->begin_ns = wait->begin_ns;
    note->end_ns = wait->end_ns;
    note->done_ns = wait->done_ns;
    note->number = wait->number;
    note->cause = wait->cause;
    note->wake = wait->wake;
    note->failed = wait->failed;
    note->u.track = wait->track;
    sim_timeline_wait(writer->thread, wait);
}

static bool same(const struct timeline_note *a, const struct timeline_note *b)
{
    if (a->call != b->call || a->begin_ns != b->begin_ns || a->end_ns != b->end_ns ||
        a->thread != b->thread || a->wait != b->wait)
        return false;
    if (a->call)
        return a->u.code == b->u.code;
    if (a->u.track != b->u.track)
        return false;
    return !a->wait || (a->done_ns == b->done_ns && a->number == b->number &&
                        a->cause == b->cause && a->wake == b->wake && a->failed == b->failed);
}

static void *run(void *writer)
{
    ((struct writer *)writer)->write(writer);
    return NULL;
}

static size_t words_so_far(void)
{
    struct timeline_notes notes;
    CU_ASSERT_EQUAL_FATAL(timeline_gather(&notes), 0);
    free(notes.notes);
    return notes.words;
}

/* Lets a new thread write its notes and compares. Returns how many words that took. */
static size_t check(struct writer *writer)
{
    static unsigned threads;
    writer->thread = ++threads;
    size_t before = words_so_far();
    pthread_t thread;
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, run, writer), 0);
    CU_ASSERT_EQUAL_FATAL(pthread_join(thread, NULL), 0);

    struct timeline_notes notes;
    CU_ASSERT_EQUAL_FATAL(timeline_gather(&notes), 0);
    size_t first = 0;
    while (first < notes.note_count && notes.notes[first].thread != writer->thread)
        first++;
    CU_ASSERT_EQUAL(notes.note_count - first, writer->count);
    CU_ASSERT_EQUAL(notes.dropped, 0);
    /* memory for these, one more for each chunk of 16 KiB at least, and malloc's rounding */
    const size_t room = malloc_usable_size(notes.notes) / sizeof(*notes.notes);
    CU_ASSERT(room <= notes.note_count + notes.words / 2000 + threads + 200);
    size_t right = 0;
    for (size_t i = 0; i < writer->count && first + i < notes.note_count; i++)
        right += same(&notes.notes[first + i], &writer->written[i]);
    CU_ASSERT_EQUAL(right, writer->count);
    free(notes.notes);
    free(writer->written);
    return notes.words - before;
}

/* ---- tests ---------------------------------------------------------------------------------- */

enum { ROUNDS = 20000 }; /* beyond the first chunk */

static void write_alike(struct writer *writer)
{
    for (uint64_t number = 1; number <= ROUNDS; number++) {
        uint64_t begin = writer->now_ns;
        writer->now_ns += 3000;
        write_submit(writer, 2, number);
        write_call(writer, &calls[1], begin, 0);
        begin = writer->now_ns;
        struct timeline_wait wait = {.begin_ns = begin + 500,
                                     .done_ns = begin + 640,
                                     .end_ns = begin + 10640,
                                     .number = number,
                                     .track = 2,
                                     .cause = 1,
                                     .wake = 2};
        writer->now_ns = wait.end_ns;
        write_wait(writer, &wait);
        write_call(writer, &calls[0], begin, 0);
    }
}

static void test_alike(void)
{
    struct writer writer = {.now_ns = 2000000, .write = write_alike};
    size_t words = check(&writer);
    CU_ASSERT(words >= 2 * (size_t)ROUNDS);
    CU_ASSERT(words <= 2 * (size_t)ROUNDS + ROUNDS / 100);
}

/* The program ends inside a call: its newest note is found although no later note follows. */
static void write_submit_at_last(struct writer *writer)
{
    write_alike(writer);
    writer->now_ns += 3000;
    write_submit(writer, 2, ROUNDS + 1);
}

static void write_wait_at_last(struct writer *writer)
{
    write_alike(writer);
    struct timeline_wait wait = {.begin_ns = writer->now_ns + 500,
                                 .done_ns = writer->now_ns + 640,
                                 .end_ns = writer->now_ns + 10640,
                                 .number = ROUNDS,
                                 .track = 2,
                                 .cause = 1,
                                 .wake = 2};
    write_wait(writer, &wait);
}

static void test_ended_inside(void)
{
    struct writer submits = {.now_ns = 2000000, .write = write_submit_at_last};
    (void)check(&submits);
    struct writer waits = {.now_ns = 2000000, .write = write_wait_at_last};
    (void)check(&waits);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Mostly few different values; else any up to `bits`, and such as just fit a field or just do
 * not. */
static uint64_t some(uint64_t *state, unsigned bits)
{
    uint64_t what = next_random(state);
    uint64_t edge = (uint64_t)1 << next_random(state) % bits;
    switch (what % 16) {
    case 0:
        return edge;
    case 1:
        return edge - 1;
    case 2:
        return next_random(state) & (((uint64_t)1 << bits) - 1);
    default:
        return what / 16 % 3;
    }
}

static void write_anything(struct writer *writer)
{
    uint64_t state = 88172645463325252u + writer->thread;
    uint64_t number = 0;
    uint32_t track = 0;
    for (int i = 0; i < 6 * ROUNDS; i++) {
        writer->now_ns += some(&state, 40);
        uint64_t begin = writer->now_ns - some(&state, 30);
        unsigned inside = next_random(&state) % 8;
        if (inside < 3) { /* a submit */
            bool next = next_random(&state) % 4 != 0;
            number = next ? number + 1 : some(&state, 40);
            track = next                            ? track
                    : next_random(&state) % 32 == 0 ? UINT32_MAX
                                                    : (uint32_t)some(&state, 20);
            write_submit(writer, track, number);
        } else if (inside < 6) { /* a wait */
            bool last = next_random(&state) % 4 != 0;
            struct timeline_wait wait = {
                .begin_ns = begin + some(&state, 4),
                .number = last ? number : some(&state, 48),
                .track = last                           ? track
                         : next_random(&state) % 8 == 0 ? UINT32_MAX
                                                        : (uint32_t)some(&state, 20),
                .cause = (uint8_t)(some(&state, 2) % 6),
                .wake = (uint8_t)(some(&state, 2) % 5),
                .failed = next_random(&state) % 16 == 0,
            };
            wait.end_ns = writer->now_ns > wait.begin_ns ? writer->now_ns : wait.begin_ns;
            wait.end_ns += some(&state, 3);
            wait.done_ns = wait.end_ns - some(&state, 20);
            writer->now_ns = wait.end_ns;
            write_wait(writer, &wait);
        }
        if (next_random(&state) % 8 == 0)
            writer->now_ns += some(&state, 30);
        if (next_random(&state) % 8 == 0) /* a call in a call, or none */
            continue;
        const twin_call *call =
            some(&state, 3) == 1
                ? &far_away[next_random(&state) % (sizeof(far_away) / sizeof(far_away[0]))]
                : &calls[next_random(&state) % 2];
        int32_t code = next_random(&state) % 16 == 0 ? (int32_t)next_random(&state) : 0;
        write_call(writer, call, begin, code);
    }
}

static void test_anything(void)
{
    for (int i = 0; i < 4; i++) {
        struct writer writer = {.now_ns = (uint64_t)1 << 41, .write = write_anything};
        CU_ASSERT(check(&writer) > ROUNDS);
    }
}

/* Each value at its limit and at that of its field, before and after a note that others are encoded
 * relative to. */
static void write_extremes(struct writer *writer)
{
    static const uint64_t lengths[] = {0,        1,         0xffff,           0x10000,
                                       0xfffff,  0x100000,  0x3fffff,         0x400000,
                                       0xffffff, 0x1000000, (uint64_t)1 << 62};
    static const uint32_t tracks[] = {0, 0x1fff, 0x2000, 0xffff, 0x10000, UINT32_MAX};
    static const uint64_t numbers[] = {0, 0x7ffffff, 0x8000000, ((uint64_t)1 << 48) - 1};
    static const int32_t codes[] = {0, 1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < TWIN_COUNT(lengths); i++)
        for (size_t j = 0; j < TWIN_COUNT(tracks); j++)
            for (size_t k = 0; k < TWIN_COUNT(numbers); k++)
                for (size_t l = 0; l < TWIN_COUNT(codes); l++) {
                    uint64_t begin = writer->now_ns;
                    writer->now_ns += lengths[i] & INT32_MAX;
                    write_submit(writer, tracks[j], numbers[k]);
                    write_submit(writer, tracks[j], numbers[k] + 1);
                    write_call(writer, &calls[l % 2], begin, codes[l]);
                    struct timeline_wait wait = {.begin_ns = writer->now_ns,
                                                 .end_ns = writer->now_ns + lengths[i],
                                                 .done_ns =
                                                     writer->now_ns + lengths[i] - lengths[k],
                                                 .number = numbers[k],
                                                 .track = tracks[j],
                                                 .cause = 5,
                                                 .wake = 4,
                                                 .failed = l % 2 == 1};
                    write_wait(writer, &wait);
                    write_wait(writer, &wait);
                    uint64_t later = writer->now_ns;
                    writer->now_ns = wait.end_ns;
                    write_call(writer, &calls[0], later, codes[l]);
                    writer->now_ns = later; /* not by 2^62 each time */
                }
}

static void test_extremes(void)
{
    struct writer writer = {.now_ns = 1, .write = write_extremes};
    CU_ASSERT(check(&writer) > 0);
}

static const twin_test tests[] = {
    {"a task and its wait take a word for each call when they are like the ones before",
     test_alike},
    {"a program that ends inside a call has its newest note", test_ended_inside},
    {"notes of any kind and size come back in their order", test_anything},
    {"values at the ends of their ranges come back", test_extremes},
};

int main(int argc, char **argv)
{
    return twin_run_suite("timeline_notes", tests, TWIN_COUNT(tests), argc, argv);
}
