/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkostemp */
#include "timeline.h"
#include "timeline_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_NOTES 512u

/* Each thread fills chunks of its own; all chunks hang on one list that only grows. */
struct chunk {
    struct chunk *next;
    uint64_t number; /* rises with the order of making: a thread's chunks in order */
    size_t count;
    struct timeline_note notes[CHUNK_NOTES];
};

static _Atomic(struct chunk *) all_chunks;
static atomic_uint_fast64_t chunk_numbers;
static atomic_uint_fast64_t dropped_notes;
static _Thread_local struct chunk *own_chunk;

/* Guarded by the caller's model lock. */
static struct timeline_queue *queues;
static size_t queue_count;
static size_t queue_room;

static struct chunk *chunk_new(void)
{
    struct chunk *chunk = malloc(sizeof(*chunk));
    if (!chunk)
        return NULL;
    chunk->number = atomic_fetch_add_explicit(&chunk_numbers, 1, memory_order_relaxed);
    chunk->count = 0;
    chunk->next = atomic_load_explicit(&all_chunks, memory_order_relaxed);
    /* release: who walks the list sees the fields set above */
    while (!atomic_compare_exchange_weak_explicit(&all_chunks, &chunk->next, chunk,
                                                  memory_order_release, memory_order_relaxed))
        continue;
    own_chunk = chunk;
    return chunk;
}

static inline struct timeline_note *note_new(void)
{
    struct chunk *chunk = own_chunk;
    if (!chunk || chunk->count == CHUNK_NOTES) {
        chunk = chunk_new();
        if (!chunk) {
            atomic_fetch_add_explicit(&dropped_notes, 1, memory_order_relaxed);
            return NULL;
        }
    }
    return &chunk->notes[chunk->count++];
}

void sim_timeline_call(unsigned thread_number, const twin_call *call, uint64_t begin_ns,
                       uint64_t end_ns, int32_t code)
{
    struct timeline_note *note = note_new();
    if (!note)
        return;
    note->call = call;
    note->begin_ns = begin_ns;
    note->end_ns = end_ns;
    note->thread = thread_number;
    note->u.code = code;
}

void sim_timeline_submit(unsigned thread_number, uint32_t track, uint64_t number, uint64_t at_ns)
{
    struct timeline_note *note = note_new();
    if (!note)
        return;
    note->call = NULL;
    note->begin_ns = at_ns;
    note->end_ns = number;
    note->thread = thread_number;
    note->u.track = track;
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
    struct timeline_queue *queue = &queues[queue_count];
    queue->device = device;
    queue->sq = sq;
    queue->stream_id = stream_id;
    (void)twinsim_trace(sim, &queue->first_record);
    return (uint32_t)queue_count++;
}

static int compare_chunks(const void *left, const void *right)
{
    const struct chunk *a = *(const struct chunk *const *)left;
    const struct chunk *b = *(const struct chunk *const *)right;
    return a->number < b->number ? -1 : a->number > b->number;
}

struct ordered_note {
    struct timeline_note note;
    size_t order;
};

static int compare_notes(const void *left, const void *right)
{
    const struct ordered_note *a = left;
    const struct ordered_note *b = right;
    if (a->note.thread != b->note.thread)
        return a->note.thread < b->note.thread ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Lays all notes out by thread, each thread's in the order it made them. */
static int gather(struct timeline_notes *out)
{
    size_t chunk_count = 0;
    size_t note_count = 0;
    struct chunk *head = atomic_load_explicit(&all_chunks, memory_order_acquire);
    for (const struct chunk *chunk = head; chunk; chunk = chunk->next) {
        chunk_count++;
        note_count += chunk->count;
    }

    int error = -ENOMEM;
    const struct chunk **chunks = calloc(chunk_count + 1, sizeof(const struct chunk *));
    struct ordered_note *ordered = calloc(note_count + 1, sizeof(*ordered));
    struct timeline_note *notes = calloc(note_count + 1, sizeof(*notes));
    if (!chunks || !ordered || !notes) {
        free(notes);
        goto free_scratch;
    }
    size_t at = 0;
    for (const struct chunk *chunk = head; chunk; chunk = chunk->next)
        chunks[at++] = chunk;
    qsort(chunks, chunk_count, sizeof(const struct chunk *), compare_chunks);

    size_t filled = 0;
    for (size_t i = 0; i < chunk_count; i++) {
        for (size_t j = 0; j < chunks[i]->count; j++, filled++) {
            ordered[filled].note = chunks[i]->notes[j];
            ordered[filled].order = filled;
        }
    }
    qsort(ordered, note_count, sizeof(*ordered), compare_notes);
    for (size_t i = 0; i < note_count; i++)
        notes[i] = ordered[i].note;

    out->notes = notes;
    out->note_count = note_count;
    out->queues = queues;
    out->queue_count = queue_count;
    out->dropped = atomic_load_explicit(&dropped_notes, memory_order_relaxed);
    error = 0;

free_scratch:
    free(ordered);
    free(chunks);
    return error;
}

/* A rename replaces whatever has the name; only a regular file may lose its own that way. */
static int check_target(const char *path)
{
    struct stat present;
    if (lstat(path, &present) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (S_ISLNK(present.st_mode))
        return -ELOOP;
    if (S_ISDIR(present.st_mode))
        return -EISDIR;
    return S_ISREG(present.st_mode) ? 0 : -EINVAL;
}

int sim_timeline_write(const char *path, const twinsim *sim, const twinsim_profile *profile)
{
    int error = check_target(path);
    if (error)
        return error;

    struct timeline_notes notes;
    error = gather(&notes);
    if (error)
        return error;

    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    char *temporary = malloc(length + sizeof(suffix));
    if (!temporary) {
        error = -ENOMEM;
        goto free_notes;
    }
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof(suffix));

    /* makes a new file, never follows a link, readable by its owner alone */
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0) {
        error = -errno;
        goto free_temporary;
    }
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        error = -errno;
        (void)close(descriptor);
        goto remove_temporary;
    }
    error = timeline_draw(file, &notes, sim, profile);
    if (fclose(file) != 0 && !error)
        error = -errno;
    if (!error && rename(temporary, path) != 0)
        error = -errno;

remove_temporary:
    if (error)
        (void)unlink(temporary);
free_temporary:
    free(temporary);
free_notes:
    free(notes.notes);
    return error;
}
