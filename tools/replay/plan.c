/* SPDX-License-Identifier: Apache-2.0 */
/* What of a recording is run, in which order, and by whom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/state.h"

static bool make_index(const struct replay *replay, unsigned kind, const char *field,
                       struct twin_recording_index *out)
{
    return twin_recording_index_make(replay->recording, kind, field, replay->start, replay->stop,
                                     out);
}

/* ---- threads ---- */

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left;
    const uint32_t *b = right;
    return ORDER(*a, *b);
}

static const struct replay_thread *find_thread(const struct replay *replay, uint32_t number)
{
    size_t low = PARTITION_POINT(replay->thread_count, i, replay->threads[i].number < number);
    return &replay->threads[low];
}

/* Whether the entry has a place in the run. */
static bool takes_part(const struct replay *replay, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(replay->recording, index);
    return replay->trial ? replay_trial_takes(replay, index) : replay_can_issue(entry->kind);
}

static bool find_threads(struct replay *replay, char *error, size_t error_bytes)
{
    uint32_t *numbers = malloc((replay->stop - replay->start + 1) * sizeof(*numbers));
    size_t count = 0;
    for (size_t i = replay->start; numbers && i < replay->stop; i++)
        if (i == replay->start || takes_part(replay, i))
            numbers[count++] = twin_recording_at(replay->recording, i)->thread;
    if (count > 0)
        qsort(numbers, count, sizeof(*numbers), compare_numbers);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[distinct++] = numbers[i];
    const bool fits = distinct <= REPLAY_THREADS_MOST;
    replay->threads = numbers && fits ? calloc(distinct + 1, sizeof(*replay->threads)) : NULL;
    for (uint32_t i = 0; replay->threads && i < distinct; i++) {
        struct replay_thread *thread = &replay->threads[replay->thread_count++];
        *thread = (struct replay_thread){.number = numbers[i], .replay = replay, .index = i};
        (void)pthread_cond_init(&thread->turn, NULL);
    }
    if (!fits)
        (void)snprintf(error, error_bytes, "it has %zu threads; at most %u can be run again",
                       distinct, REPLAY_THREADS_MOST);
    else if (!replay->threads)
        (void)snprintf(error, error_bytes, "out of memory");
    free(numbers);
    return replay->threads != NULL;
}

/* ---- events ---- */

static int compare_events(const void *left, const void *right)
{
    const struct replay_event *a = left;
    const struct replay_event *b = right;
    return ORDER_3(a->seq, b->seq, a->entry, b->entry, a->what, b->what);
}

static bool is_paced(const struct replay *replay, const struct twin_record_entry *entry)
{
    return replay->report.paced && entry->begin_seq >= replay->paced_from;
}

/* Where a call begins to meet what others did: before, it does nothing that they could see. */
static uint64_t begin_of(const struct replay *replay, const struct twin_record_entry *entry)
{
    size_t first;
    size_t count = 0;
    uint64_t begin = entry->begin_seq;
    /* Another thread may just have freed what it returned; and before it came back that was not
     * used. */
    if (entry->kind == TWIN_RECORD_MEMORY_ALLOC || entry->kind == TWIN_RECORD_MEMORY_HOST_ALLOC ||
        entry->kind == TWIN_RECORD_VMM_RESERVE || entry->kind == TWIN_RECORD_MANAGED_ALLOC)
        return entry->end_seq != 0 ? entry->end_seq : begin;
    if (is_paced(replay, entry) && entry->kind != TWIN_RECORD_HOST_CALL)
        count = twin_recording_index_find(&replay->nd_index, entry->begin_seq, &first);
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *met =
            twin_recording_at(replay->recording, replay->nd_index.list[first + i].entry);
        struct twin_record_ND nd;
        twin_recording_fields(met, &nd, sizeof(nd));
        bool waits = nd.what < TWIN_ND_COUNT && twin_nd_waits((twin_nd)nd.what);
        if ((i == 0 || !waits) && met->begin_seq > begin && met->begin_seq < entry->end_seq)
            begin = met->begin_seq;
        if (waits)
            break;
    }
    return begin;
}

/* Entries that are not calls. */
static void add_other(struct replay *replay, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(replay->recording, index);
    enum replay_what what = entry->kind == TWIN_RECORD_ND        ? REPLAY_ND
                            : entry->kind == TWIN_RECORD_SEEN    ? REPLAY_SEE
                            : entry->kind == TWIN_RECORD_WATCHED ? REPLAY_SEE
                            : entry->kind == TWIN_RECORD_SHARED  ? REPLAY_SEE
                            : entry->kind == TWIN_RECORD_MOVED   ? REPLAY_MOVE
                                                                 : REPLAY_END;
    const struct replay_thread *thread = find_thread(replay, entry->thread);
    if (what == REPLAY_END || !is_paced(replay, entry))
        return;
    bool known = thread < replay->threads + replay->thread_count && thread->number == entry->thread;
    if (known || what != REPLAY_ND)
        replay->events[replay->event_count++] =
            (struct replay_event){.seq = entry->begin_seq,
                                  .entry = index,
                                  .thread = known ? thread->index : replay->threads[0].index,
                                  .what = what};
}

static bool make_events(struct replay *replay)
{
    free(replay->events);
    replay->event_count = 0;
    replay->report.open = 0;
    replay->events = malloc((replay->stop - replay->start + 1) * 2 * sizeof(*replay->events));
    if (!replay->events)
        return false;
    for (size_t i = replay->start; i < replay->stop; i++) {
        const struct twin_record_entry *entry = twin_recording_at(replay->recording, i);
        if (!takes_part(replay, i)) {
            add_other(replay, i);
            continue;
        }
        bool ended = twin_recording_ended(entry);
        /* What had not come back may have waited for what the recording does not have. */
        if (!ended && entry->kind != TWIN_RECORD_HOST_CALL) {
            replay->report.open++;
            continue;
        }
        struct replay_event event = {.seq = begin_of(replay, entry),
                                     .entry = i,
                                     .thread = find_thread(replay, entry->thread)->index};
        replay->events[replay->event_count++] = event;
        if (!ended)
            continue;
        event.seq = entry->end_seq;
        event.what = REPLAY_END;
        replay->events[replay->event_count++] = event;
    }
    qsort(replay->events, replay->event_count, sizeof(*replay->events), compare_events);
    return true;
}

/* ---- sessions ---- */

static bool find_session(struct replay *replay, char *error, size_t error_bytes)
{
    size_t count = twin_recording_count(replay->recording);
    size_t starts = 0;
    replay->stop = count;
    if (replay->trial)
        return true;
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(replay->recording, i);
        if (entry->kind != TWIN_RECORD_PROCESS_START || !twin_recording_succeeded(entry))
            continue;
        if (starts == 0)
            replay->start = i;
        else if (starts == 1)
            replay->stop = i;
        starts++;
    }
    replay->report.sessions = (uint32_t)starts;
    if (starts == 0)
        (void)snprintf(error, error_bytes, "%s",
                       count == 0 ? "the recording is empty or ends before its first entry"
                                  : "it has no device that started: there is nothing to run");
    return starts != 0;
}

/* From where on the recording has all that calls met; 0: nowhere. */
static uint64_t nd_from(const struct replay *replay)
{
    return twin_recording_header(replay->recording)->nd_from;
}

/* What was in progress there has all that it met too. */
static uint64_t find_paced_from(const struct replay *replay)
{
    const uint64_t from = nd_from(replay);
    for (size_t i = replay->start; i < replay->stop; i++) {
        const struct twin_record_entry *entry = twin_recording_at(replay->recording, i);
        if (entry->begin_seq >= from)
            break;
        if (takes_part(replay, i) && entry->kind != TWIN_RECORD_HOST_CALL &&
            (entry->end_seq == 0 || entry->end_seq > from))
            return entry->begin_seq;
    }
    return from;
}

bool replay_has_moves(const struct replay *replay)
{
    if (nd_from(replay) == 0)
        return false;
    for (size_t i = replay->start; i < replay->stop; i++) {
        const unsigned kind = twin_recording_at(replay->recording, i)->kind;
        if (kind == TWIN_RECORD_MOVED || kind == TWIN_RECORD_SHARED)
            return true;
    }
    return false;
}

bool replay_plan_paced(struct replay *replay)
{
    replay->paced_from = find_paced_from(replay);
    return make_index(replay, TWIN_RECORD_ND, "of_seq", &replay->nd_index) && make_events(replay);
}

bool replay_plan(struct replay *replay, char *error, size_t error_bytes)
{
    if (!find_session(replay, error, error_bytes) || !find_threads(replay, error, error_bytes))
        return false;
    replay->report.threads = replay->thread_count;
    replay->objects =
        calloc(twin_recording_object_count(replay->recording) + 1, sizeof(*replay->objects));
    bool good = replay->objects && make_events(replay) &&
                make_index(replay, TWIN_RECORD_CONTENT, "of_seq", &replay->contents) &&
                make_index(replay, TWIN_RECORD_DESCRIBED, "kernel", &replay->described) &&
                make_index(replay, TWIN_RECORD_CODE, "kernel", &replay->codes) &&
                make_index(replay, TWIN_RECORD_USED, "kernel", &replay->uses) &&
                replay_pinned_find(replay) && replay_touches_find(replay) &&
                make_index(replay, TWIN_RECORD_HOST_FOLLOW, "of_seq", &replay->follows);
    if (good)
        replay->released = calloc(replay->follows.count + 1, sizeof(*replay->released));
    if (!replay->released)
        (void)snprintf(error, error_bytes, "out of memory");
    return replay->released != NULL;
}
