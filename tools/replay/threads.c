/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run one at a time: the thread that has the turn takes the events of the recording in
 * order until one is of another thread. */
#include "replay/state.h"

static void *thread_main(void *argument);

/* In a trial the device counts on one thread at a time: the others are detached. */
static void rest(const struct replay *replay)
{
    if (replay->trial)
        replay->ops->host.detach();
}

static void resume(const struct replay *replay)
{
    if (replay->trial)
        replay->ops->host.attach();
}

/* Gives the turn to that thread and waits for it to come back. False: the recording is over, or
 * cannot be run. */
static bool pass(struct replay *replay, uint32_t to, uint32_t self)
{
    rest(replay);
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
    if (goes_on)
        resume(replay);
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

/* On a device that takes no turns an op that waits is asked for when it came back: then what it
 * waits for is there. */
static bool waits(const struct replay *replay, size_t entry)
{
    switch (twin_recording_at(replay->recording, entry)->kind) {
    case TWIN_RECORD_QUEUE_DRAIN:
    case TWIN_RECORD_QUEUE_ROOM:
    case TWIN_RECORD_SIGNAL_WAIT:
    case TWIN_RECORD_CALL_QUEUE_TAKE:
    case TWIN_RECORD_MODEL_INSTANCE_DRAIN:
        return !replay->conducted;
    default:
        return false;
    }
}

/* The op has come back in the recording: the thread that is in it may go on. */
static void end_call(struct replay *replay, size_t entry)
{
    for (struct replay_call *call = replay_current; call; call = call->outer)
        if (call->index == entry)
            call->ended = true;
    if (twin_recording_at(replay->recording, entry)->kind == TWIN_RECORD_HOST_CALL)
        replay_leave(replay, entry);
    else if (waits(replay, entry))
        replay_execute(replay, entry, replay_current);
}

static void begin_call(struct replay *replay, size_t entry)
{
    if (!waits(replay, entry))
        replay_execute(replay, entry, replay_current);
}

/* A call that waits for its place may have come to it. */
static void arrive(size_t entry)
{
    for (struct replay_call *call = replay_current; call; call = call->outer)
        if (call->awaits == entry)
            call->arrived = true;
}

static void take(struct replay *replay, const struct replay_event *event)
{
    switch (event->what) {
    case REPLAY_BEGIN:
        begin_call(replay, event->entry);
        break;
    case REPLAY_ND:
        arrive(event->entry);
        break;
    case REPLAY_SEE:
    case REPLAY_MOVE:
        replay_move(replay, event->entry);
        break;
    case REPLAY_END:
        end_call(replay, event->entry);
        break;
    }
}

/* No op is under way. */
static bool begin_pacing(struct replay *replay)
{
    replay->pacing = replay->ops->host.pace() == TWIN_OK;
    if (!replay->pacing)
        replay->failed = replay->over = true;
    return replay->pacing;
}

/* Has the turn; returns without it, or with it when `until`, in whose wait this is, is to go on. */
static void walk(struct replay *replay, uint32_t self, const struct replay_call *until)
{
    while (!until || !(until->ended || until->arrived)) {
        if (replay->over || replay->report.refused || replay->next == replay->event_count) {
            finish(replay);
            rest(replay);
            return;
        }
        const struct replay_event *event = &replay->events[replay->next];
        if (event->thread != self) {
            if (!pass(replay, event->thread, self))
                return;
            continue;
        }
        if (replay->report.paced && !replay->pacing && event->seq >= replay->paced_from &&
            !begin_pacing(replay))
            continue;
        replay->next++;
        replay->place = event->seq;
        take(replay, event);
    }
}

static _Thread_local uint32_t own_index;

/* Others go on until the call's end has come, or what it awaits. */
static void give_way(struct replay_call *call)
{
    unsigned depth = 0;
    for (const struct replay_call *outer = call; outer; outer = outer->outer)
        depth++;
    /* Very deep only in recordings that no program makes: then it waits at once. */
    if (!call->ended && depth <= REPLAY_NESTED_MOST)
        walk(call->replay, own_index, call);
}

void replay_waiting(void)
{
    if (replay_current)
        give_way(replay_current);
}

/* ---- what calls find that the order of threads decides ---- */

static struct twin_record_ND nd_at(const struct replay_call *call, size_t at)
{
    const struct replay *replay = call->replay;
    struct twin_record_ND nd;
    twin_recording_fields(twin_recording_at(replay->recording, replay->nd_index.list[at].entry),
                          &nd, sizeof(nd));
    return nd;
}

/* The next such thing of the call; one that waits for its place may leave out others that do.
 * `nd_end`: there is none. */
static size_t find_nd(const struct replay_call *call, twin_nd what, uint64_t which, bool beyond,
                      struct twin_record_ND *out)
{
    for (size_t i = call->nd_next; i < call->nd_end; i++) {
        *out = nd_at(call, i);
        if (out->what == (uint32_t)what && out->which == which)
            return i;
        if (!beyond && twin_nd_waits((twin_nd)out->what))
            break;
    }
    return call->nd_end;
}

/* Whether an op that goes on after `what` was not yet as far as this: others met what it had not
 * released, taken or made by then. What the value of `what` is returned, so nothing is lost by
 * coming later; but who has the device to itself keeps others from moving it. */
static bool delays(twin_nd what, uint32_t next)
{
    switch (what) {
    case TWIN_ND_COMPLETION:
    case TWIN_ND_WOKE:
        return next == TWIN_ND_FREED || next == TWIN_ND_ID || next == TWIN_ND_SET;
    case TWIN_ND_LOCK:
        return next == TWIN_ND_ID || next == TWIN_ND_LEFT;
    default:
        return false;
    }
}

/* Where the call goes on that reaches the one at `at`. */
static size_t place_of(const struct replay_call *call, twin_nd what, size_t at)
{
    size_t place = at;
    for (size_t i = at + 1; i < call->nd_end; i++) {
        const struct twin_record_ND next = nd_at(call, i);
        if (next.what < TWIN_ND_COUNT && twin_nd_waits((twin_nd)next.what))
            break;
        if (delays(what, next.what))
            place = i;
    }
    return call->replay->nd_index.list[place].entry;
}

bool replay_nd(twin_nd what, uint64_t which, uint64_t *value)
{
    struct replay_call *call = replay_current;
    struct twin_record_ND found;
    bool waits = twin_nd_waits(what);
    if (!call)
        return false;
    size_t at = find_nd(call, what, which, waits, &found);
    if (at == call->nd_end)
        return false;
    call->nd_next = at + 1;
    call->awaits = place_of(call, what, at);
    call->arrived =
        twin_recording_at(call->replay->recording, call->awaits)->begin_seq <= call->replay->place;
    if (waits && !call->arrived)
        give_way(call);
    call->arrived = false;
    call->awaits = TWIN_RECORDING_NONE;
    *value = found.value;
    return true;
}

bool replay_outlook(uint64_t *value)
{
    const struct replay_call *call = replay_current;
    struct twin_record_ND found;
    if (!call || find_nd(call, TWIN_ND_WOKE, 0, true, &found) == call->nd_end)
        return false;
    *value = found.value;
    return true;
}

static void *thread_main(void *argument)
{
    struct replay_thread *self = argument;
    struct replay *replay = self->replay;
    own_index = self->index;
    pthread_mutex_lock(&replay->lock);
    while (!replay->over && replay->turn != self->index)
        pthread_cond_wait(&self->turn, &replay->lock);
    bool over = replay->over;
    pthread_mutex_unlock(&replay->lock);
    if (over)
        return NULL;
    resume(replay);
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
    resume(replay);
    walk(replay, own_index, NULL);
    for (uint32_t i = 0; i < replay->thread_count; i++)
        if (i != own_index && replay->threads[i].started)
            (void)pthread_join(replay->threads[i].id, NULL);
    return !replay->failed;
}
