/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/work.h"

#include <stdlib.h>
#include <string.h>

#include "seam/types.h"

/* Objects that are left out, and so is what names them. */
struct loader {
    struct calibrate_work *out;
    bool *deferred; /* queues whose tasks run when a program does */
    bool *strange;  /* signals that other processes share */
    size_t queue_room, signal_room;
};

static bool is_wait(unsigned kind)
{
    return kind == TWIN_RECORD_QUEUE_DRAIN || kind == TWIN_RECORD_SIGNAL_WAIT ||
           kind == TWIN_RECORD_CHANNEL_TAKE;
}

static bool is_transfer(unsigned kind)
{
    return kind == TWIN_RECORD_MEMORY_COPY || kind == TWIN_RECORD_MEMORY_FILL ||
           kind == TWIN_RECORD_MEMORY_COPY_ROWS;
}

static bool usable_queue(const struct loader *loader, uint32_t queue)
{
    return queue != 0 && queue < loader->queue_room && !loader->deferred[queue];
}

static bool usable_signal(const struct loader *loader, uint32_t signal)
{
    return signal != 0 && signal < loader->signal_room && !loader->strange[signal];
}

/* Which objects work names. False: it cannot be asked for again. */
static bool take_work(struct loader *loader, const struct twin_record_entry *entry,
                      struct calibrate_op *op)
{
    struct twin_record_WORK_END work;
    if (!twin_recording_work(entry, &work))
        return false;
    op->work = true;
    op->queue = work.queue;
    if (!usable_queue(loader, work.queue))
        return false;
    switch (entry->kind) {
    case TWIN_RECORD_WORK_COPY:
    case TWIN_RECORD_WORK_FILL:
    case TWIN_RECORD_WORK_WRITE_VALUE:
    case TWIN_RECORD_WORK_WAIT_VALUE:
    case TWIN_RECORD_WORK_REDUCE:
    case TWIN_RECORD_WORK_COPY_ROWS:
    case TWIN_RECORD_WORK_LAUNCH:
        return true;
    case TWIN_RECORD_WORK_RECORD:
    case TWIN_RECORD_WORK_WAIT:
    case TWIN_RECORD_WORK_RESET:
    case TWIN_RECORD_WORK_COUNT:
    case TWIN_RECORD_WORK_WAIT_COUNT: {
        struct twin_record_WORK_RECORD named; /* all of these begin alike */
        twin_recording_fields(entry, &named, sizeof(named));
        op->object = named.signal;
        return usable_signal(loader, named.signal);
    }
    case TWIN_RECORD_WORK_CALL: {
        struct twin_record_WORK_CALL call;
        twin_recording_fields(entry, &call, sizeof(call));
        op->object = call.channel;
        return call.channel != 0 && call.channel <= loader->out->channels;
    }
    default:
        return false;
    }
}

/* The same of what is no work. */
static bool take_other(struct loader *loader, const struct twin_record_entry *entry,
                       struct calibrate_op *op)
{
    union {
        struct twin_record_QUEUE_DRAIN drain;
        struct twin_record_QUEUE_CREATE queue;
        struct twin_record_SIGNAL_CREATE signal;
        struct twin_record_SIGNAL_WAIT wait;
        struct twin_record_CHANNEL_TAKE take;
        struct twin_record_CHANNEL_CREATE channel;
    } u;
    memset(&u, 0, sizeof(u));
    twin_recording_fields(entry, &u, sizeof(u));
    switch (entry->kind) {
    case TWIN_RECORD_DEVICE_OPEN:
    case TWIN_RECORD_DEVICE_CLOSE:
    case TWIN_RECORD_MEMORY_ALLOC:
    case TWIN_RECORD_MEMORY_FREE:
    case TWIN_RECORD_MEMORY_HOST_ALLOC:
    case TWIN_RECORD_MEMORY_HOST_FREE:
    case TWIN_RECORD_MEMORY_COPY:
    case TWIN_RECORD_MEMORY_FILL:
    case TWIN_RECORD_MEMORY_COPY_ROWS:
        return true;
    case TWIN_RECORD_QUEUE_CREATE:
        op->queue = u.queue.out_queue;
        if (op->queue < loader->queue_room)
            loader->deferred[op->queue] = u.queue.deferred != 0;
        return usable_queue(loader, op->queue);
    case TWIN_RECORD_QUEUE_DESTROY:
    case TWIN_RECORD_QUEUE_DRAIN:
    case TWIN_RECORD_QUEUE_SET_PRIORITY:
        op->queue = u.drain.queue; /* all of these begin with it */
        return usable_queue(loader, op->queue);
    case TWIN_RECORD_SIGNAL_OPEN:
    case TWIN_RECORD_SIGNAL_CREATE:
        op->object = u.signal.out_signal;
        if (op->object < loader->signal_room)
            loader->strange[op->object] = entry->kind == TWIN_RECORD_SIGNAL_OPEN;
        return usable_signal(loader, op->object);
    case TWIN_RECORD_SIGNAL_DESTROY:
    case TWIN_RECORD_SIGNAL_WAIT:
    case TWIN_RECORD_SIGNAL_CLEAR:
        op->object = u.wait.signal;
        return usable_signal(loader, op->object);
    case TWIN_RECORD_CHANNEL_CREATE:
        op->object = u.channel.out_channel;
        return op->object != 0 && op->object <= loader->out->channels;
    case TWIN_RECORD_CHANNEL_TAKE:
    case TWIN_RECORD_CHANNEL_ANSWER:
    case TWIN_RECORD_CHANNEL_DESTROY:
    case TWIN_RECORD_CHANNEL_CLOSE:
        op->object = u.take.channel;
        return op->object != 0 && op->object <= loader->out->channels;
    default:
        return false;
    }
}

/* What is neither done again nor missed: questions, and what the recording itself did. */
static bool is_silent(const struct twin_record_entry *entry)
{
    switch (entry->kind) {
    case TWIN_RECORD_QUEUE_QUERY:
    case TWIN_RECORD_QUEUE_ROOM:
    case TWIN_RECORD_QUEUE_TAKE_FAILURE:
    case TWIN_RECORD_SIGNAL_QUERY:
    case TWIN_RECORD_SIGNAL_TIMESTAMP:
    case TWIN_RECORD_SIGNAL_ELAPSED:
    case TWIN_RECORD_SIGNAL_AVAILABLE:
    case TWIN_RECORD_DEVICE_PEER:
    case TWIN_RECORD_MEMORY_SPACE:
    case TWIN_RECORD_MEMORY_ERRORS:
    case TWIN_RECORD_IMAGE_LOAD:
    case TWIN_RECORD_IMAGE_UNLOAD:
        return true;
    default:
        return entry->kind < TWIN_RECORD_DEVICE_OPEN || entry->kind >= TWIN_RECORD_DIAG_DUMP;
    }
}

static uint64_t begin_of(const struct calibrate_work *work, const struct twin_record_entry *entry)
{
    return work->one_clock ? entry->begin_ns : entry->begin_wall_ns;
}

static uint64_t end_of(const struct calibrate_work *work, const struct twin_record_entry *entry)
{
    return work->one_clock ? entry->end_ns : entry->end_wall_ns;
}

static void take_times(const struct loader *loader, size_t index, struct calibrate_op *op)
{
    const struct twin_record_entry *entry = op->entry;
    struct twin_recording_times times;
    for (int i = 0; i < REPLAY_INSTANTS; i++)
        op->times.at[i] = REPLAY_UNKNOWN;
    op->times.at[REPLAY_CALL_BEGIN] = begin_of(loader->out, entry);
    op->times.at[REPLAY_CALL_END] = end_of(loader->out, entry);
    if (!op->work)
        return;
    twin_recording_times(loader->out->recording, index, &times);
    if (!times.ended || times.status != TWIN_OK)
        return;
    op->times.at[REPLAY_TASK_END] = times.end_ns;
    op->stamped = !times.begun;
    if (times.begun)
        op->times.at[REPLAY_TASK_BEGIN] = times.begin_ns;
}

static bool take_cost(struct loader *loader, const struct twin_record_entry *entry)
{
    struct calibrate_work *out = loader->out;
    struct twin_record_HOST_CALL call;
    twin_recording_fields(entry, &call, sizeof(call));
    uint64_t begin = begin_of(out, entry);
    uint64_t end = end_of(out, entry);
    if (call.depth != 0 || call.out_code != 0 || call.cost >= TWIN_COST_COUNT || end < begin)
        return true;
    out->costs[out->cost_count].cost = call.cost;
    out->costs[out->cost_count++].ns = end - begin;
    return true;
}

/* A call is written when it begins; what its ops slept is taken off as they come. */
static void take_sleep(struct loader *loader, const struct twin_record_entry *entry,
                       size_t *cost_of_thread)
{
    size_t at = cost_of_thread[entry->thread];
    uint64_t begin = begin_of(loader->out, entry);
    uint64_t end = end_of(loader->out, entry);
    if (at == SIZE_MAX || end < begin)
        return;
    struct calibrate_cost *cost = &loader->out->costs[at];
    cost->ns -= end - begin < cost->ns ? end - begin : cost->ns;
}

/* A call in which something failed is no measure. */
static void drop_cost(struct loader *loader, const struct twin_record_entry *entry,
                      size_t *cost_of_thread)
{
    size_t at = cost_of_thread[entry->thread];
    if (at != SIZE_MAX)
        loader->out->costs[at].cost = TWIN_COST_COUNT;
    cost_of_thread[entry->thread] = SIZE_MAX;
}

static int by_place(const void *left, const void *right)
{
    const struct calibrate_op *a = left;
    const struct calibrate_op *b = right;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void measure(struct calibrate_work *work)
{
    size_t count = twin_recording_count(work->recording);
    size_t objects = twin_recording_object_count(work->recording);
    for (size_t i = 0; i < objects; i++) {
        const struct twin_recording_object *object = twin_recording_object_at(work->recording, i);
        uint32_t *most = object->role == TWIN_RECORD_ROLE_QUEUE     ? &work->queues
                         : object->role == TWIN_RECORD_ROLE_SIGNAL  ? &work->signals
                         : object->role == TWIN_RECORD_ROLE_CHANNEL ? &work->channels
                                                                    : NULL;
        if (most && object->number > *most && object->number <= count)
            *most = object->number;
    }
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(work->recording, i);
        struct twin_record_DEVICE_OPEN open;
        if (entry->thread > work->threads && entry->thread <= count)
            work->threads = entry->thread;
        if (TWIN_RECORDING_GET(entry, DEVICE_OPEN, &open) && open.device < 64 &&
            open.device >= work->devices)
            work->devices = open.device + 1;
        if (entry->kind >= TWIN_RECORD_DEVICE_OPEN && entry->end_ns != 0)
            work->one_clock = true;
    }
}

static bool load(struct loader *loader, size_t *cost_of_thread)
{
    struct calibrate_work *out = loader->out;
    size_t count = twin_recording_count(out->recording);
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(out->recording, i);
        struct calibrate_op *op = &out->ops[out->count];
        if (entry->thread == 0 || entry->thread > out->threads)
            continue;
        if (entry->kind == TWIN_RECORD_HOST_CALL) {
            size_t before = out->cost_count;
            if (!twin_recording_ended(entry) || !take_cost(loader, entry))
                continue;
            struct twin_record_HOST_CALL call;
            twin_recording_fields(entry, &call, sizeof(call));
            if (call.depth == 0)
                cost_of_thread[entry->thread] = out->cost_count > before ? before : SIZE_MAX;
            continue;
        }
        if (is_silent(entry))
            continue;
        if (!twin_recording_succeeded(entry)) {
            drop_cost(loader, entry, cost_of_thread);
            continue;
        }
        memset(op, 0, sizeof(*op));
        op->entry = entry;
        op->index = i;
        op->blocks = is_wait(entry->kind) || is_transfer(entry->kind);
        op->place = is_wait(entry->kind) ? entry->end_seq : entry->begin_seq;
        if (op->blocks)
            take_sleep(loader, entry, cost_of_thread);
        if (!take_work(loader, entry, op) && (op->work || !take_other(loader, entry, op))) {
            out->left_out++;
            continue;
        }
        take_times(loader, i, op);
        out->count++;
    }
    qsort(out->ops, out->count, sizeof(*out->ops), by_place);
    for (size_t i = 0; i < out->count; i++)
        out->asked[i] = (struct replay_trial_op){.entry = out->ops[i].index,
                                                 .recorded = out->ops[i].times,
                                                 .blocks = out->ops[i].blocks,
                                                 .stamped = out->ops[i].stamped};
    return true;
}

bool calibrate_work_load(const twin_recording *recording, const char *path,
                         struct calibrate_work *out)
{
    size_t count = twin_recording_count(recording);
    *out = (struct calibrate_work){.recording = recording, .path = path};
    measure(out);
    struct loader loader = {
        .out = out, .queue_room = (size_t)out->queues + 1, .signal_room = (size_t)out->signals + 1};
    size_t *cost_of_thread = malloc(((size_t)out->threads + 1) * sizeof(*cost_of_thread));
    out->ops = calloc(count + 1, sizeof(*out->ops));
    out->asked = calloc(count + 1, sizeof(*out->asked));
    out->costs = calloc(count + 1, sizeof(*out->costs));
    loader.deferred = calloc(loader.queue_room, sizeof(*loader.deferred));
    loader.strange = calloc(loader.signal_room, sizeof(*loader.strange));
    bool good =
        cost_of_thread && out->ops && out->asked && out->costs && loader.deferred && loader.strange;
    if (good) {
        for (size_t i = 0; i <= out->threads; i++)
            cost_of_thread[i] = SIZE_MAX;
        good = load(&loader, cost_of_thread);
    }
    free(cost_of_thread);
    free(loader.deferred);
    free(loader.strange);
    if (!good)
        calibrate_work_free(out);
    return good;
}

void calibrate_work_free(struct calibrate_work *work)
{
    replay_trial_free(work->plan);
    free(work->ops);
    free(work->asked);
    free(work->costs);
    *work = (struct calibrate_work){0};
}
