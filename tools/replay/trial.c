/* SPDX-License-Identifier: Apache-2.0 */
/* A trial: the work of a recording on a model of other times, with the pauses of the recording
 * between the ops. */
#include <stdlib.h>

#include "replay/state.h"

#define PAUSE_MOST (UINT64_C(1) << 45) /* ten hours: a longer one is damage */
#define STAMP      (UINT64_C(1) << 63)

struct replay_trial {
    const struct replay_trial_op *ops;
    size_t *op_of_entry; /* TWIN_RECORDING_NONE: takes no part */
    struct replay_times *times;
    char *error;
    size_t error_bytes;
    uint64_t recorded_last, played_last; /* end of the previous op of all threads */
};

/* Of a queue: which op each task comes from. */
struct replay_trial_queue {
    struct replay *replay;
    uint64_t *op_of_task; /* by number; with STAMP: the timed event after the op's own tasks */
    uint64_t tasks, room;
    twin_signal *stamp;
};

bool replay_trial_takes(const struct replay *replay, size_t entry)
{
    return replay->trial->op_of_entry[entry] != TWIN_RECORDING_NONE;
}

/* ---- tasks ---- */

/* Called by the thread that has the turn: no other drives the device. */
static void take_task(void *context, const twin_task_end *task)
{
    const struct replay_trial_queue *queue = context;
    if (task->number >= queue->tasks || task->status != TWIN_OK)
        return;
    uint64_t op = queue->op_of_task[task->number];
    uint64_t *at = queue->replay->trial->times[op & ~STAMP].at;
    if (!(op & STAMP) && at[REPLAY_TASK_BEGIN] == REPLAY_UNKNOWN)
        at[REPLAY_TASK_BEGIN] = task->begin_ns;
    at[REPLAY_TASK_END] = task->end_ns;
}

void replay_trial_observe(struct replay_object *object)
{
    struct replay_trial_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return;
    *queue = (struct replay_trial_queue){.replay = object->replay, .tasks = 1}; /* counted from 1 */
    object->trial = queue;
    (void)object->replay->ops->diag.tasks(object->handle, take_task, queue);
}

/* Tasks queued since are those of `op`. */
static twin_status note_tasks(const struct replay_object *object, uint64_t op)
{
    struct replay_trial_queue *queue = object->trial;
    uint64_t newest = object->replay->ops->diag.newest_task(object->handle);
    if (newest >= queue->room) {
        uint64_t room = newest * 2 + 64;
        uint64_t *tasks = realloc(queue->op_of_task, room * sizeof(*tasks));
        if (!tasks)
            return TWIN_E_NOMEM;
        queue->op_of_task = tasks;
        queue->room = room;
    }
    for (; queue->tasks <= newest; queue->tasks++)
        queue->op_of_task[queue->tasks] = op;
    return TWIN_OK;
}

/* The recording's device reported the end of the op by a timed event after it, which takes its time
 * as well. */
static twin_status stamp(const struct replay_object *object, uint64_t op)
{
    static const twin_signal_config config = {.kind = TWIN_SIGNAL_EVENT_REBIND, .timed = true};
    const struct replay *replay = object->replay;
    struct replay_trial_queue *queue = object->trial;
    twin_status status = TWIN_OK;
    if (!queue->stamp)
        status =
            replay->ops->signal.create(replay->devices[object->device], &config, &queue->stamp);
    if (status == TWIN_OK)
        status = replay->ops->work.record(object->handle, queue->stamp);
    return status == TWIN_OK ? note_tasks(object, op | STAMP) : status;
}

/* The queue of an op that queues work; NULL: it is none, or the queue is missing. */
static const struct replay_object *queue_of(const struct replay_call *call)
{
    struct twin_record_WORK_END work;
    const struct replay_object *queue =
        twin_recording_work(call->entry, &work)
            ? replay_object_quiet(call->replay, TWIN_RECORD_ROLE_QUEUE, work.queue)
            : NULL;
    return queue && queue->handle && queue->trial ? queue : NULL;
}

static twin_status follow_work(struct replay_call *call, size_t op)
{
    const struct replay *replay = call->replay;
    const struct replay_object *queue = queue_of(call);
    twin_status status = queue ? note_tasks(queue, op) : TWIN_OK;
    if (!queue || status != TWIN_OK || !replay->trial->ops[op].stamped)
        return status;
    while ((status = stamp(queue, op)) == TWIN_E_BUSY &&
           replay->ops->queue.room(queue->handle) == TWIN_OK)
        ;
    return status;
}

void replay_trial_rest(struct replay_object *queue)
{
    (void)queue->replay->ops->queue.drain(queue->handle, TWIN_FOREVER);
}

void replay_trial_forget(struct replay_object *queue)
{
    if (queue->trial && queue->trial->stamp)
        queue->replay->ops->signal.destroy(queue->trial->stamp);
}

/* ---- ops ---- */

static void pause_until(const struct replay *replay, uint64_t then)
{
    const struct twin_host_ops *host = &replay->ops->host;
    uint64_t now = host->now();
    for (int cost = TWIN_COST_COUNT; cost-- > 0;) {
        const twin_call call = {.name = "pause", .cost = (twin_cost)cost};
        while (now < then && then - now >= REPLAY_PAUSE_STEP(cost)) {
            host->enter(&call);
            now = host->now();
        }
    }
}

/* Of this thread: the end of its previous op. */
static _Thread_local struct {
    bool met;
    uint64_t recorded, played;
} previous;

void replay_trial_begin(struct replay_call *call)
{
    struct replay_trial *trial = call->replay->trial;
    size_t op = trial->op_of_entry[call->index];
    uint64_t begin = trial->ops[op].recorded.at[REPLAY_CALL_BEGIN];
    uint64_t recorded = previous.met ? previous.recorded : trial->recorded_last;
    uint64_t played = previous.met ? previous.played : trial->played_last;
    uint64_t pause = begin > recorded ? begin - recorded : 0;
    for (int i = 0; i < REPLAY_INSTANTS; i++)
        trial->times[op].at[i] = REPLAY_UNKNOWN;
    pause_until(call->replay, played + (pause < PAUSE_MOST ? pause : PAUSE_MOST));
    trial->times[op].at[REPLAY_CALL_BEGIN] = call->replay->ops->host.now();
}

static void fail(struct replay_call *call, const char *why)
{
    struct replay *replay = call->replay;
    (void)snprintf(replay->trial->error, replay->trial->error_bytes,
                   "%s (seq %llu) cannot be asked for again: %s",
                   twin_recording_kind(call->entry->kind)->name,
                   (unsigned long long)call->entry->begin_seq, why);
    replay->failed = replay->over = true;
}

/* Whether nothing that is measured depends on the op. */
static bool may_be_missing(unsigned kind)
{
    return kind == TWIN_RECORD_DEVICE_OPEN || kind == TWIN_RECORD_DEVICE_CLOSE ||
           kind == TWIN_RECORD_CALL_QUEUE_ANSWER;
}

void replay_trial_end(struct replay_call *call, twin_status status)
{
    struct replay_trial *trial = call->replay->trial;
    size_t op = trial->op_of_entry[call->index];
    const uint64_t *recorded = trial->ops[op].recorded.at;
    uint64_t *at = trial->times[op].at;
    if (call->left_out && !may_be_missing(call->entry->kind)) {
        fail(call, call->left_out);
        return;
    }
    if (!call->left_out && !call->skipped && status == TWIN_OK)
        status = follow_work(call, op);
    if (status != TWIN_OK) {
        fail(call, twin_recording_own_status_name(status));
        return;
    }
    if (!trial->ops[op].blocks) { /* the host time that it cost in the recording */
        uint64_t took = recorded[REPLAY_CALL_END] - recorded[REPLAY_CALL_BEGIN];
        pause_until(call->replay, at[REPLAY_CALL_BEGIN] + (took < PAUSE_MOST ? took : 0));
    }
    at[REPLAY_CALL_END] = call->replay->ops->host.now();
    previous.met = true;
    previous.recorded = trial->recorded_last = recorded[REPLAY_CALL_END];
    previous.played = trial->played_last = at[REPLAY_CALL_END];
}

/* ---- all ---- */

struct replay *replay_trial_new(const twin_recording *recording, const struct replay_trial_op *ops,
                                size_t count, char *error, size_t error_bytes)
{
    struct replay *replay = calloc(1, sizeof(*replay));
    struct replay_trial *trial = calloc(1, sizeof(*trial));
    size_t entries = twin_recording_count(recording);
    size_t *op_of_entry = malloc((entries + 1) * sizeof(*op_of_entry));
    if (!replay || !trial || !op_of_entry) {
        free(replay);
        free(trial);
        free(op_of_entry);
        (void)snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < entries; i++)
        op_of_entry[i] = TWIN_RECORDING_NONE;
    for (size_t i = 0; i < count; i++)
        op_of_entry[ops[i].entry] = i;
    *trial = (struct replay_trial){.ops = ops, .op_of_entry = op_of_entry};
    replay->trial = trial;
    if (replay_begin(replay, recording, error, error_bytes))
        return replay;
    replay_trial_free(replay);
    return NULL;
}

bool replay_trial_run(struct replay *replay, const struct twin_backend *ops,
                      struct replay_times *times, char *error, size_t error_bytes)
{
    struct replay_trial *trial = replay->trial;
    replay->ops = ops;
    trial->times = times;
    trial->error = error;
    trial->error_bytes = error_bytes;
    (void)snprintf(error, error_bytes, "cannot create threads");
    if (!replay_walk_all(replay))
        return false;
    /* what is still queued happens too */
    ops->host.attach();
    for (size_t i = 0; i < twin_recording_object_count(replay->recording); i++)
        if (replay->objects[i].handle && replay->objects[i].trial)
            replay_trial_rest(&replay->objects[i]);
    ops->host.detach();
    return true;
}

void replay_trial_free(struct replay *replay)
{
    if (!replay)
        return;
    free(replay->events);
    free(replay->threads);
    free(replay->objects);
    free(replay->released);
    free(replay->touches);
    free(replay->pinned);
    free(replay->contents.list);
    free(replay->described.list);
    free(replay->codes.list);
    free(replay->uses.list);
    free(replay->follows.list);
    free(replay->trial->op_of_entry);
    free(replay->trial);
    free(replay);
}
