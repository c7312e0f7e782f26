/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run one at a time: whoever has the turn takes the events of the record in order until one is another's. */
#include "replay/state.h"

static void *thread_main(void *argument);

/* Gives the turn to that thread and waits for it to come back. False: the record is over, or cannot be run. */
static bool pass(struct replay *replay, uint32_t to, uint32_t self)
{
    pthread_mutex_lock(&replay->lock);
    struct replay_thread *other = &replay->threads[to];
    if (!other->started) {
        other->started = true;
        if (pthread_create(&other->id, NULL, thread_main, other) != 0) {
            other->started = false;
            replay->failed = replay->over = true;
        }
    }
    if (!replay->over) {
        replay->turn = to;
        pthread_cond_signal(&other->turn);
    }
    while (!replay->over && replay->turn != self)
        pthread_cond_wait(&replay->threads[self].turn, &replay->lock);
    bool goes_on = !replay->over;
    pthread_mutex_unlock(&replay->lock);
    return goes_on;
}

static void finish(struct replay *replay)
{
    pthread_mutex_lock(&replay->lock);
    replay->over = true;
    for (uint32_t i = 0; i < replay->thread_count; i++)
        pthread_cond_signal(&replay->threads[i].turn);
    pthread_mutex_unlock(&replay->lock);
}

/* The op has come back in the record: whoever is in it may go on. */
static void end_call(struct replay *replay, size_t entry)
{
    for (struct replay_call *call = replay_current; call; call = call->outer)
        if (call->index == entry)
            call->ended = true;
    if (twin_recording_at(replay->recording, entry)->kind == TWIN_RECORD_HOST_CALL)
        replay_leave(replay, entry);
    else if (!replay->conducted)
        replay_execute(replay, entry, replay_current);
}

static void begin_call(struct replay *replay, size_t entry)
{
    /* On a device that takes no turns an op that waits is asked for when it came back: then what it waits for is there. */
    if (replay->conducted ||
        twin_recording_at(replay->recording, entry)->kind == TWIN_RECORD_HOST_CALL)
        replay_execute(replay, entry, replay_current);
}

/* Has the turn; returns without it, or with it when `until`, in whose wait this is, is to go on. */
static void walk(struct replay *replay, uint32_t self, const struct replay_call *until)
{
    while (!until || !until->ended) {
        if (replay->over || replay->report.refused || replay->next == replay->event_count) {
            finish(replay);
            return;
        }
        const struct replay_event *event = &replay->events[replay->next];
        if (event->thread != self) {
            if (!pass(replay, event->thread, self))
                return;
            continue;
        }
        replay->next++;
        if (event->end)
            end_call(replay, event->entry);
        else
            begin_call(replay, event->entry);
    }
}

static _Thread_local uint32_t own_index;

void replay_waiting(void)
{
    struct replay_call *call = replay_current;
    unsigned depth = 0;
    for (const struct replay_call *outer = call; outer; outer = outer->outer)
        depth++;
    /* Very deep only in records that no program makes: then it waits at once. */
    if (call && !call->ended && depth <= REPLAY_NESTED_MOST)
        walk(call->replay, own_index, call);
}

static void *thread_main(void *argument)
{
    struct replay_thread *self = argument;
    struct replay *replay = self->replay;
    own_index = self->index;
    pthread_mutex_lock(&replay->lock);
    while (!replay->over && replay->turn != self->index)
        pthread_cond_wait(&self->turn, &replay->lock);
    pthread_mutex_unlock(&replay->lock);
    walk(replay, self->index, NULL);
    return NULL;
}

bool replay_walk_all(struct replay *replay)
{
    uint32_t number = twin_recording_at(replay->recording, replay->start)->thread;
    for (uint32_t i = 0; i < replay->thread_count; i++)
        if (replay->threads[i].number == number)
            own_index = i;
    replay->turn = own_index;
    replay->threads[own_index].started = true;
    walk(replay, own_index, NULL);
    for (uint32_t i = 0; i < replay->thread_count; i++)
        if (i != own_index && replay->threads[i].started)
            (void)pthread_join(replay->threads[i].id, NULL);
    return !replay->failed;
}
