/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/work.h"

#include <stdlib.h>

#include "recording/ops.h"

/* Objects that are left out, and so is what names them. */
struct loader {
    struct calibrate_work *out;
    struct twin_ops ops;
    bool *deferred; /* queues whose tasks run when a model instance does */
    bool *strange;  /* signals that other processes share */
    size_t queue_room, signal_room;
};

static bool is_wait(unsigned kind)
{
    return kind == TWIN_RECORD_QUEUE_DRAIN || kind == TWIN_RECORD_SIGNAL_WAIT ||
           kind == TWIN_RECORD_CALL_QUEUE_TAKE;
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

static bool usable_call_queue(const struct loader *loader, uint32_t call_queue)
{
    return call_queue != 0 && call_queue <= loader->out->call_queues;
}

/* Whether the op can be asked for again, with all that it names. */
static bool is_usable(struct loader *loader, const twin_op *op)
{
    switch (op->kind) {
    case TWIN_OP_ALLOC:
    case TWIN_OP_DEVICE_CLOSE:
    case TWIN_OP_DEVICE_OPEN:
    case TWIN_OP_FREE:
    case TWIN_OP_HOST_ALLOC:
    case TWIN_OP_HOST_FREE:
    case TWIN_OP_NOW_COPY:
    case TWIN_OP_NOW_FILL:
    case TWIN_OP_NOW_ROWS:
        return true;
    case TWIN_OP_QUEUE_CREATE:
        if (op->queue < loader->queue_room)
            loader->deferred[op->queue] = op->config.deferred;
        return usable_queue(loader, op->queue);
    case TWIN_OP_COPY:
    case TWIN_OP_COPY_BASED:
    case TWIN_OP_COPY_ROWS:
    case TWIN_OP_DESCRIBED:
    case TWIN_OP_DRAIN:
    case TWIN_OP_FILL:
    case TWIN_OP_LAUNCH:
    case TWIN_OP_MAINTAIN:
    case TWIN_OP_QUEUE_DESTROY:
    case TWIN_OP_QUEUE_OTHER:
    case TWIN_OP_RANDOM:
    case TWIN_OP_REDUCE:
    case TWIN_OP_WAIT_VALUE:
    case TWIN_OP_WRITE_VALUE:
        return usable_queue(loader, op->queue);
    case TWIN_OP_SIGNAL_CREATE:
    case TWIN_OP_SIGNAL_OPEN:
        if (op->object < loader->signal_room)
            loader->strange[op->object] = op->kind == TWIN_OP_SIGNAL_OPEN;
        return usable_signal(loader, op->object);
    case TWIN_OP_SIGNAL_CLEAR:
    case TWIN_OP_SIGNAL_DESTROY:
    case TWIN_OP_SIGNAL_WAIT:
        return usable_signal(loader, op->object);
    case TWIN_OP_COUNT:
    case TWIN_OP_RECORD:
    case TWIN_OP_RESET:
    case TWIN_OP_WAIT:
    case TWIN_OP_WAIT_COUNT:
        return usable_queue(loader, op->queue) && usable_signal(loader, op->object);
    case TWIN_OP_CALL:
        return usable_queue(loader, op->queue) && usable_call_queue(loader, op->object);
    case TWIN_OP_ANSWER:
    case TWIN_OP_CALL_QUEUE_CREATE:
    case TWIN_OP_CALL_QUEUE_DESTROY:
    case TWIN_OP_TAKE:
        return usable_call_queue(loader, op->object);
    default:
        return false;
    }
}

/* Entries that are neither repeated nor counted as left out: queries, and what the recording itself
 * did. */
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
    case TWIN_RECORD_MEMORY_USAGE:
    case TWIN_RECORD_IMAGE_LOAD:
    case TWIN_RECORD_IMAGE_UNLOAD:
        return true;
    default:
        return entry->kind < TWIN_RECORD_DEVICE_OPEN || entry->kind >= TWIN_RECORD_DIAG_FACTS;
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

static void take_cost(struct loader *loader, const struct twin_record_entry *entry,
                      size_t *cost_of_thread)
{
    struct calibrate_work *out = loader->out;
    struct twin_record_HOST_CALL call;
    twin_recording_fields(entry, &call, sizeof(call));
    uint64_t begin = begin_of(out, entry);
    uint64_t end = end_of(out, entry);
    if (call.depth != 0)
        return;
    cost_of_thread[entry->thread] = SIZE_MAX;
    if (call.out_code != 0 || call.cost >= TWIN_COST_COUNT || end < begin)
        return;
    cost_of_thread[entry->thread] = out->cost_count;
    out->costs[out->cost_count++] = (struct calibrate_cost){.cost = call.cost, .ns = end - begin};
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

/* A call in which something failed is not measured. */
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
        uint32_t *most = object->role == TWIN_RECORD_ROLE_QUEUE        ? &work->queues
                         : object->role == TWIN_RECORD_ROLE_SIGNAL     ? &work->signals
                         : object->role == TWIN_RECORD_ROLE_CALL_QUEUE ? &work->call_queues
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

/* What an entry asked for. The end of a host-call queue's service names a host-call queue as its
 * destruction does. */
static twin_op op_of(const struct loader *loader, size_t index, size_t *next)
{
    const struct twin_ops *ops = &loader->ops;
    struct twin_record_CALL_QUEUE_CLOSE f;
    while (*next < ops->count && ops->list[*next].entry < index)
        ++*next;
    if (*next < ops->count && ops->list[*next].entry == index)
        return ops->list[*next];
    if (TWIN_RECORDING_GET(twin_recording_at(loader->out->recording, index), CALL_QUEUE_CLOSE, &f))
        return (twin_op){.kind = TWIN_OP_CALL_QUEUE_DESTROY, .object = f.call_queue};
    return (twin_op){.kind = TWIN_OP_KINDS};
}

static void load(struct loader *loader, size_t *cost_of_thread)
{
    struct calibrate_work *out = loader->out;
    size_t count = twin_recording_count(out->recording);
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(out->recording, i);
        struct calibrate_op *op = &out->ops[out->count];
        if (entry->thread == 0 || entry->thread > out->threads)
            continue;
        if (entry->kind == TWIN_RECORD_HOST_CALL) {
            if (twin_recording_ended(entry))
                take_cost(loader, entry, cost_of_thread);
            continue;
        }
        if (is_silent(entry))
            continue;
        if (!twin_recording_succeeded(entry)) {
            drop_cost(loader, entry, cost_of_thread);
            continue;
        }
        const twin_op asked = op_of(loader, i, &next);
        *op =
            (struct calibrate_op){.entry = entry,
                                  .index = i,
                                  .place = is_wait(entry->kind) ? entry->end_seq : entry->begin_seq,
                                  .work = twin_op_is_work(asked.kind),
                                  .blocks = is_wait(entry->kind) || is_transfer(entry->kind),
                                  .queue = asked.queue,
                                  .object = asked.object};
        if (op->blocks)
            take_sleep(loader, entry, cost_of_thread);
        if (!is_usable(loader, &asked)) {
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
    good = good && twin_ops_load(recording, &loader.ops);
    if (good) {
        for (size_t i = 0; i <= out->threads; i++)
            cost_of_thread[i] = SIZE_MAX;
        load(&loader, cost_of_thread);
    }
    twin_ops_free(&loader.ops);
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
