/* SPDX-License-Identifier: Apache-2.0 */
#include "check/load.h"

#include "check/calls.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "seam/types.h"

struct newest_record {
    UT_hash_handle hh;
    uint32_t signal;
    size_t op;
};

struct loader {
    const twin_recording *recording;
    struct check_ops *out;
    struct check_calls *calls;
    struct newest_record *newest;
    uint16_t statuses[TWIN_STATUS_COUNT + 64]; /* the writer's number: ours */
};

static const char *const status_names[] = {
#define STATUS_NAME(name, code, text) #name,
    TWIN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
};
#define STATUSES (sizeof(status_names) / sizeof(status_names[0]))

/* A status that nobody here knows is a failure of some kind. */
static uint16_t status_of(struct loader *loader, unsigned written)
{
    size_t room = sizeof(loader->statuses) / sizeof(loader->statuses[0]);
    if (written == TWIN_OK)
        return TWIN_OK;
    if (written < room && loader->statuses[written] != 0)
        return loader->statuses[written];
    uint16_t status = TWIN_E_INTERNAL;
    const char *name = twin_recording_status(loader->recording, written);
    for (size_t i = 0; i < STATUSES; i++)
        if (strcmp(status_names[i], name) == 0)
            status = (uint16_t)i;
    if (written < room)
        loader->statuses[written] = status;
    return status;
}

/* ---- public calls ---- */

/* The public call that an op is part of. */
static void fill_call(struct loader *loader, const struct twin_record_entry *entry, check_op *op)
{
    const struct check_call *call = check_calls_present(loader->calls, entry);
    if (call)
        op->name = call->name, op->site = call->site, op->stack = call->stack;
}

/* The runtime refuses bad addresses itself: no op of the device reports them. */
static void fill_failure(struct loader *loader, check_op *op)
{
    const char *name = twin_recording_string(loader->recording, op->name);
    op->kind = CHECK_CALL_ENDED;
    op->of_free = strcmp(name, "aclrtFree") == 0 || strcmp(name, "aclrtFreeHost") == 0;
    bool moves = strncmp(name, "aclrtMemcpy", strlen("aclrtMemcpy")) == 0 ||
                 strncmp(name, "aclrtMemset", strlen("aclrtMemset")) == 0;
    loader->out->refused += moves && op->code == 107000; /* ACL_ERROR_RT_PARAM_INVALID */
}

/* The device was asked to free, and that op tells what there is to tell. */
static void note_free(struct loader *loader, const struct twin_record_entry *entry)
{
    const struct check_call *call = check_calls_present(loader->calls, entry);
    if (call && loader->out->ops[call->op].end_seq == call->end_seq)
        loader->out->ops[call->op].of_free = false;
}

/* ---- fields ---- */

#define FIELDS(NAME, fields)                                                                       \
    struct twin_record_##NAME fields;                                                              \
    twin_recording_fields(entry, &fields, sizeof(fields))

static bool fill_transfer(const struct twin_record_entry *entry, check_op *op)
{
    switch (entry->kind) {
    case TWIN_RECORD_WORK_COPY: {
        FIELDS(WORK_COPY, copy);
        op->kind = CHECK_COPY;
        op->dst = copy.dst, op->src = copy.src, op->bytes = copy.bytes;
        return true;
    }
    case TWIN_RECORD_WORK_FILL: {
        FIELDS(WORK_FILL, fill);
        op->kind = CHECK_FILL;
        op->dst = fill.dst, op->bytes = fill.bytes, op->fill = (uint8_t)fill.value;
        return true;
    }
    case TWIN_RECORD_WORK_REDUCE: {
        FIELDS(WORK_REDUCE, reduce);
        op->kind = CHECK_REDUCE;
        op->dst = reduce.dst, op->src = reduce.src, op->bytes = reduce.bytes;
        return true;
    }
    case TWIN_RECORD_WORK_COPY_ROWS: {
        FIELDS(WORK_COPY_ROWS, rows);
        op->kind = CHECK_COPY_ROWS;
        op->dst = rows.dst, op->src = rows.src, op->bytes = rows.width;
        op->dst_pitch = rows.dst_pitch, op->src_pitch = rows.src_pitch, op->height = rows.height;
        return true;
    }
    case TWIN_RECORD_MEMORY_COPY: {
        FIELDS(MEMORY_COPY, copy);
        op->kind = CHECK_NOW_COPY, op->device = copy.device;
        op->dst = copy.dst, op->src = copy.src, op->bytes = copy.bytes;
        return true;
    }
    case TWIN_RECORD_MEMORY_FILL: {
        FIELDS(MEMORY_FILL, fill);
        op->kind = CHECK_NOW_FILL, op->device = fill.device;
        op->dst = fill.dst, op->bytes = fill.bytes, op->fill = (uint8_t)fill.value;
        return true;
    }
    case TWIN_RECORD_MEMORY_COPY_ROWS: {
        FIELDS(MEMORY_COPY_ROWS, rows);
        op->kind = CHECK_NOW_ROWS, op->device = rows.device;
        op->dst = rows.dst, op->src = rows.src, op->bytes = rows.width;
        op->dst_pitch = rows.dst_pitch, op->src_pitch = rows.src_pitch, op->height = rows.height;
        return true;
    }
    default:
        return false;
    }
}

static bool fill_sync(const struct twin_record_entry *entry, check_op *op)
{
    switch (entry->kind) {
    case TWIN_RECORD_WORK_RECORD:
    case TWIN_RECORD_WORK_RESET: {
        FIELDS(WORK_RECORD, record);
        op->kind = entry->kind == TWIN_RECORD_WORK_RECORD ? CHECK_RECORD : CHECK_RESET;
        op->object = record.signal;
        return true;
    }
    case TWIN_RECORD_WORK_WAIT: {
        FIELDS(WORK_WAIT, wait);
        op->kind = CHECK_WAIT;
        op->object = wait.signal, op->timeout_ns = wait.timeout_ns;
        return true;
    }
    case TWIN_RECORD_WORK_WRITE_VALUE: {
        FIELDS(WORK_WRITE_VALUE, value);
        op->kind = CHECK_WRITE_VALUE;
        op->word.address = value.address, op->word.value = value.value;
        return true;
    }
    case TWIN_RECORD_WORK_WAIT_VALUE: {
        FIELDS(WORK_WAIT_VALUE, value);
        op->kind = CHECK_WAIT_VALUE;
        op->word.address = value.address, op->word.value = value.value;
        op->word.relation = value.relation;
        return true;
    }
    case TWIN_RECORD_WORK_COUNT: {
        FIELDS(WORK_COUNT, count);
        op->kind = CHECK_COUNT;
        op->object = count.signal, op->count.value = count.value;
        op->count.mode = (uint16_t)(count.mode < UINT16_MAX ? count.mode : UINT16_MAX);
        return true;
    }
    case TWIN_RECORD_WORK_WAIT_COUNT: {
        FIELDS(WORK_WAIT_COUNT, wait);
        op->kind = CHECK_WAIT_COUNT;
        op->object = wait.signal, op->count.value = wait.value, op->count.clear = wait.clear != 0;
        op->count.relation = (uint16_t)(wait.relation < UINT16_MAX ? wait.relation : UINT16_MAX);
        return true;
    }
    default:
        return false;
    }
}

static bool fill_other_work(const struct twin_record_entry *entry, check_op *op)
{
    switch (entry->kind) {
    case TWIN_RECORD_WORK_CALL: {
        FIELDS(WORK_CALL, call);
        op->kind = CHECK_CALL;
        op->object = call.channel, op->blocks = call.block != 0;
        op->call.function = call.function, op->call.argument = call.argument;
        return true;
    }
    case TWIN_RECORD_WORK_RUN: {
        FIELDS(WORK_RUN, run);
        op->kind = CHECK_RUN;
        op->object = run.program;
        return true;
    }
    case TWIN_RECORD_WORK_LAUNCH:
        op->kind = CHECK_LAUNCH;
        return true;
    default:
        op->kind = CHECK_CONTROL;
        return true;
    }
}

static bool fill_memory(const struct twin_record_entry *entry, check_op *op)
{
    switch (entry->kind) {
    case TWIN_RECORD_MEMORY_ALLOC: {
        FIELDS(MEMORY_ALLOC, alloc);
        op->kind = CHECK_ALLOC;
        op->device = alloc.device, op->dst = alloc.out_address, op->bytes = alloc.bytes;
        return true;
    }
    case TWIN_RECORD_MEMORY_HOST_ALLOC: {
        FIELDS(MEMORY_HOST_ALLOC, alloc);
        op->kind = CHECK_HOST_ALLOC;
        op->dst = alloc.out_address, op->bytes = alloc.bytes;
        return true;
    }
    case TWIN_RECORD_MEMORY_FREE:
    case TWIN_RECORD_MEMORY_HOST_FREE: {
        FIELDS(MEMORY_FREE, end);
        op->kind = entry->kind == TWIN_RECORD_MEMORY_FREE ? CHECK_FREE : CHECK_HOST_FREE;
        op->dst = end.address;
        return true;
    }
    default:
        return false;
    }
}

static bool fill_queue(const struct twin_record_entry *entry, check_op *op)
{
    static const struct {
        uint16_t from, to;
    } plain[] = {
        {TWIN_RECORD_QUEUE_DESTROY, CHECK_QUEUE_DESTROY},
        {TWIN_RECORD_QUEUE_ABORT, CHECK_QUEUE_ABORT},
        {TWIN_RECORD_QUEUE_STOP, CHECK_QUEUE_STOP},
        {TWIN_RECORD_QUEUE_SET_PRIORITY, CHECK_QUEUE_OTHER},
        {TWIN_RECORD_QUEUE_STOP_ON_FAILURE, CHECK_STOP_ON_FAILURE},
        {TWIN_RECORD_QUEUE_TAKE_FAILURE, CHECK_TAKE_FAILURE},
    };
    if (entry->kind == TWIN_RECORD_QUEUE_CREATE) {
        FIELDS(QUEUE_CREATE, made);
        op->kind = CHECK_QUEUE_CREATE;
        op->device = made.device, op->queue = made.out_queue;
        op->config.name = made.stream, op->config.group = made.group;
        op->config.deferred = made.deferred != 0, op->config.is_default = made.is_default != 0;
        op->config.tasks_told = made.out_tasks_told != 0;
        return true;
    }
    FIELDS(QUEUE_DRAIN, drain);
    op->queue = drain.queue;
    if (entry->kind == TWIN_RECORD_QUEUE_DRAIN) {
        op->kind = CHECK_DRAIN;
        op->timeout_ns = drain.timeout_ns;
        return true;
    }
    if (entry->kind == TWIN_RECORD_QUEUE_QUERY) {
        FIELDS(QUEUE_QUERY, query);
        op->kind = CHECK_QUEUE_QUERY;
        op->positive = query.out_idle != 0;
        return true;
    }
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (plain[i].from != entry->kind)
            continue;
        op->kind = plain[i].to;
        return true;
    }
    return false;
}

static bool fill_signal(const struct twin_record_entry *entry, check_op *op)
{
    if (entry->kind == TWIN_RECORD_SIGNAL_CREATE || entry->kind == TWIN_RECORD_SIGNAL_OPEN) {
        FIELDS(SIGNAL_CREATE, made);
        op->kind =
            entry->kind == TWIN_RECORD_SIGNAL_CREATE ? CHECK_SIGNAL_CREATE : CHECK_SIGNAL_OPEN;
        op->device = made.device, op->object = made.out_signal;
        op->config.signal_kind = made.kind, op->config.name = made.name;
        op->config.timed = made.timed != 0;
        if (entry->kind == TWIN_RECORD_SIGNAL_OPEN) {
            FIELDS(SIGNAL_OPEN, open);
            op->config.share = open.name_hash;
        }
        return true;
    }
    FIELDS(SIGNAL_WAIT, wait);
    op->object = wait.signal;
    switch (entry->kind) {
    case TWIN_RECORD_SIGNAL_DESTROY:
        op->kind = CHECK_SIGNAL_DESTROY;
        return true;
    case TWIN_RECORD_SIGNAL_WAIT:
        op->kind = CHECK_SIGNAL_WAIT;
        op->timeout_ns = wait.timeout_ns;
        return true;
    case TWIN_RECORD_SIGNAL_CLEAR:
        op->kind = CHECK_SIGNAL_CLEAR;
        return true;
    case TWIN_RECORD_SIGNAL_SHARE: {
        FIELDS(SIGNAL_SHARE, share);
        op->kind = CHECK_SIGNAL_SHARE;
        op->config.share = share.out_name_hash;
        return true;
    }
    case TWIN_RECORD_SIGNAL_QUERY: {
        FIELDS(SIGNAL_QUERY, query);
        op->kind = CHECK_SIGNAL_QUERY;
        op->positive = query.out_complete != 0, op->recorded = query.out_recorded != 0;
        return true;
    }
    case TWIN_RECORD_SIGNAL_TIMESTAMP: {
        FIELDS(SIGNAL_TIMESTAMP, time);
        op->kind = CHECK_TIMESTAMP;
        op->time_ns = time.out_time_ns;
        return true;
    }
    default:
        return false;
    }
}

static bool fill_rest(struct loader *loader, const struct twin_record_entry *entry, check_op *op)
{
    switch (entry->kind) {
    case TWIN_RECORD_DEVICE_OPEN:
    case TWIN_RECORD_DEVICE_CLOSE:
    case TWIN_RECORD_DEVICE_ABORT: {
        FIELDS(DEVICE_OPEN, device);
        op->kind = entry->kind == TWIN_RECORD_DEVICE_OPEN    ? CHECK_DEVICE_OPEN
                   : entry->kind == TWIN_RECORD_DEVICE_CLOSE ? CHECK_DEVICE_CLOSE
                                                             : CHECK_DEVICE_ABORT;
        op->device = device.device;
        return true;
    }
    case TWIN_RECORD_CHANNEL_CREATE:
    case TWIN_RECORD_PROGRAM_CREATE: {
        FIELDS(CHANNEL_CREATE, made);
        op->kind =
            entry->kind == TWIN_RECORD_CHANNEL_CREATE ? CHECK_CHANNEL_CREATE : CHECK_PROGRAM_CREATE;
        op->device = made.device, op->object = made.out_channel;
        return true;
    }
    case TWIN_RECORD_CHANNEL_DESTROY:
    case TWIN_RECORD_PROGRAM_DESTROY:
    case TWIN_RECORD_PROGRAM_DRAIN: {
        FIELDS(CHANNEL_DESTROY, end);
        op->kind = entry->kind == TWIN_RECORD_CHANNEL_DESTROY   ? CHECK_CHANNEL_DESTROY
                   : entry->kind == TWIN_RECORD_PROGRAM_DESTROY ? CHECK_PROGRAM_DESTROY
                                                                : CHECK_PROGRAM_DRAIN;
        op->object = end.channel;
        return true;
    }
    case TWIN_RECORD_CHANNEL_TAKE: {
        FIELDS(CHANNEL_TAKE, take);
        op->kind = CHECK_TAKE;
        op->object = take.channel, op->blocks = take.out_block != 0;
        op->call.function = take.out_function, op->call.argument = take.out_argument;
        op->call.ticket = take.out_ticket;
        return true;
    }
    case TWIN_RECORD_CHANNEL_ANSWER: {
        FIELDS(CHANNEL_ANSWER, answer);
        op->kind = CHECK_ANSWER;
        op->object = answer.channel, op->call.ticket = answer.ticket;
        return true;
    }
    case TWIN_RECORD_IMAGE_LOAD: {
        FIELDS(IMAGE_LOAD, load);
        op->kind = CHECK_IMAGE_LOAD;
        op->device = load.device, op->object = load.out_image;
        op->dst = load.out_address, op->bytes = load.out_device_bytes;
        return true;
    }
    case TWIN_RECORD_IMAGE_UNLOAD: {
        FIELDS(IMAGE_UNLOAD, unload);
        op->kind = CHECK_IMAGE_UNLOAD;
        op->object = unload.image;
        return true;
    }
    case TWIN_RECORD_FAULT_PLANT:
        op->kind = CHECK_FAULT_PLANT;
        return true;
    case TWIN_RECORD_PROCESS_STOP:
        op->kind = CHECK_STOP;
        return true;
    case TWIN_RECORD_HOST_CALL: {
        FIELDS(HOST_CALL, call);
        op->code = call.out_code, op->name = call.name, op->site = call.site;
        loader->out->calls += entry->end_seq != 0;
        if (entry->end_seq == 0 || call.out_code == 0)
            return false;
        fill_failure(loader, op);
        return true;
    }
    default:
        return false;
    }
}

/* ---- one entry ---- */

static void add_times(struct loader *loader, size_t index, uint64_t first_task, check_op *op)
{
    struct twin_recording_times times;
    twin_recording_times(loader->recording, index, &times);
    if (times.ended) {
        op->timed = true;
        op->stamped = !times.begun;
        op->task_begin_ns = times.begun ? times.begin_ns : 0;
        op->task_end_ns = times.end_ns;
        op->task_status = status_of(loader, times.status);
    }
    if (first_task != 0)
        op->told += (uint32_t)twin_recording_tasks_among(loader->recording, op->queue, first_task,
                                                         op->tasks);
}

/* A time that the program asked for, where the device tells none. */
static void note_record(struct loader *loader, const check_op *op, size_t at)
{
    struct newest_record *newest = NULL;
    uint32_t signal = op->object;
    if (op->kind != CHECK_RECORD && op->kind != CHECK_TIMESTAMP)
        return;
    if (op->status != TWIN_OK || op->end_seq == 0)
        return;
    HASH_FIND(hh, loader->newest, &signal, sizeof(signal), newest);
    if (op->kind == CHECK_TIMESTAMP) {
        check_op *record = newest ? &loader->out->ops[newest->op] : NULL;
        if (!record || record->timed || record->end_seq > op->begin_seq)
            return;
        record->timed = true;
        record->task_end_ns = op->time_ns;
        record->task_status = TWIN_OK;
        return;
    }
    if (!newest) {
        newest = calloc(1, sizeof(*newest));
        if (!newest)
            return;
        newest->signal = signal;
        HASH_ADD(hh, loader->newest, signal, sizeof(newest->signal), newest);
    }
    newest->op = at;
}

/* False: out of memory. */
/* Something that an op found by chance; it is loaded already. */
static void note_chance(struct loader *loader, const struct twin_record_entry *entry)
{
    FIELDS(CHANCE, chance);
    size_t low = 0;
    size_t high = loader->out->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (loader->out->ops[middle].begin_seq < chance.of_seq)
            low = middle + 1;
        else
            high = middle;
    }
    if (chance.what == TWIN_CHANCE_CLOCK && low < loader->out->count &&
        loader->out->ops[low].begin_seq == chance.of_seq)
        loader->out->ops[low].moved = true;
}

static bool load_entry(struct loader *loader, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(loader->recording, index);
    if (entry->kind == TWIN_RECORD_CHANCE) {
        note_chance(loader, entry);
        return true;
    }
    if (entry->kind == TWIN_RECORD_CALL_STACK)
        return check_calls_note_stack(&loader->calls, entry);
    struct twin_record_WORK_END work;
    check_op *op = &loader->out->ops[loader->out->count];
    memset(op, 0, sizeof(*op));
    op->name = op->task = CHECK_NONE;
    op->thread = entry->thread;
    op->begin_seq = entry->begin_seq, op->end_seq = entry->end_seq;
    op->begin_ns = entry->begin_ns, op->end_ns = entry->end_ns;
    if (entry->kind == TWIN_RECORD_HOST_CALL) {
        if (!check_calls_enter(&loader->calls, entry, loader->out->count, &op->stack))
            return false;
    }

    bool known = false;
    if (twin_recording_work(entry, &work)) {
        op->queue = work.queue;
        op->tasks = work.tasks;
        op->task = work.first_task != 0 && work.first_task < CHECK_NONE ? (uint32_t)work.first_task
                                                                        : CHECK_NONE;
        if (op->tasks > 1u << 20)
            op->tasks = 0;
        known = fill_transfer(entry, op) || fill_sync(entry, op) || fill_other_work(entry, op);
        add_times(loader, index, work.first_task, op);
    } else {
        bool of_queue = entry->kind >= TWIN_RECORD_QUEUE_CREATE &&
                        entry->kind <= TWIN_RECORD_QUEUE_TAKE_FAILURE;
        bool of_signal =
            entry->kind >= TWIN_RECORD_SIGNAL_CREATE && entry->kind <= TWIN_RECORD_SIGNAL_OPEN;
        known = fill_transfer(entry, op) || fill_memory(entry, op) ||
                (of_queue && fill_queue(entry, op)) || (of_signal && fill_signal(entry, op)) ||
                fill_rest(loader, entry, op);
    }
    if (!known)
        return true;
    if (op->kind != CHECK_CALL_ENDED)
        fill_call(loader, entry, op);
    if (op->kind == CHECK_FREE || op->kind == CHECK_HOST_FREE)
        note_free(loader, entry);
    op->status = op->end_seq != 0 ? status_of(loader, entry->status) : TWIN_E_INTERNAL;
    loader->out->unanswered += op->end_seq == 0;
    loader->out->one_clock = loader->out->one_clock || (op->end_ns != 0 && op->timed);
    note_record(loader, op, loader->out->count);
    loader->out->entries[loader->out->count++] = index;
    return true;
}

static void free_loader(struct loader *loader)
{
    check_calls_free(loader->calls);
    struct newest_record *newest = loader->newest;
    HASH_CLEAR(hh, loader->newest);
    while (newest) {
        struct newest_record *next = newest->hh.next;
        free(newest);
        newest = next;
    }
}

bool check_ops_load(const twin_recording *recording, struct check_ops *out)
{
    struct loader loader = {.recording = recording, .out = out};
    size_t count = twin_recording_count(recording);
    memset(out, 0, sizeof(*out));
    const struct twin_record_header *header = twin_recording_header(recording);
    out->partial = header->state == TWIN_RECORD_CUT || header->lost > 0 ||
                   twin_recording_damage_count(recording) > 0;
    out->whole = header->state == TWIN_RECORD_CLOSED && !out->partial;
    out->ops = calloc(count + 1, sizeof(*out->ops));
    out->entries = calloc(count + 1, sizeof(*out->entries));
    bool good = out->ops && out->entries;
    for (size_t i = 0; good && i < count; i++)
        good = load_entry(&loader, i);
    good = good && check_add_device_times(recording, out) && check_add_shares(recording, out) &&
           check_add_edges(recording, out);
    free_loader(&loader);
    if (!good)
        check_ops_free(out);
    return good;
}

void check_ops_free(struct check_ops *ops)
{
    free(ops->ops);
    free(ops->entries);
    free(ops->edges);
    memset(ops, 0, sizeof(*ops));
}

const char *check_call_name(const twin_recording *recording, const check_op *op,
                            char text[CHECK_CALL_NAME])
{
    const char *name = op->name != CHECK_NONE ? twin_recording_string(recording, op->name) : "";
    size_t used = 0;
    for (; *name && used + 1 < CHECK_CALL_NAME; name++)
        text[used++] = (char)(*name > ' ' && *name < 0x7f ? *name : '?');
    text[used] = '\0';
    return text;
}
