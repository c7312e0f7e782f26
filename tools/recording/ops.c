/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/ops.h"

#include <stdlib.h>
#include <string.h>

#include "recording/containers.h"
#include "recording/reading.h"

#define CALLS_DEEP 16u

/* A public call that a thread is in. */
struct call {
    uint64_t end_seq, site;
    size_t op; /* what it became, if it failed: the one with that end_seq */
    uint32_t name;
    uint32_t stack; /* 0: not known */
};

struct thread {
    UT_hash_handle hh;
    uint32_t number;
    uint32_t depth;
    uint32_t next_stack;           /* of the call that comes next; 0: not known */
    struct call calls[CALLS_DEEP]; /* the outermost first */
};

struct newest_record {
    UT_hash_handle hh;
    uint32_t signal;
    size_t op;
};

struct loader {
    const twin_recording *recording;
    struct twin_ops *out;
    struct thread *threads;
    struct thread *thread; /* of the newest entry */
    struct newest_record *newest;
};

const char *twin_op_word(uint32_t kind)
{
    static const char *const words[TWIN_OP_KINDS] = {
#define OP_WORD(name, entry, word) word,
        TWIN_OPS(OP_WORD)
#undef OP_WORD
    };
    return kind < TWIN_OP_KINDS ? words[kind] : "unknown";
}

/* TWIN_OP_KINDS: the entry is not an op. */
static uint16_t op_kind(unsigned kind)
{
    static const uint8_t kinds[TWIN_RECORD_KINDS_END] = {
#define OP_KIND(name, entry, word) [TWIN_RECORD_##entry] = TWIN_OP_##name + 1,
        TWIN_OPS(OP_KIND)
#undef OP_KIND
            [TWIN_RECORD_WORK_LABEL] = TWIN_OP_CONTROL + 1,
        [TWIN_RECORD_WORK_JUMP] = TWIN_OP_CONTROL + 1,
    };
    return kind < TWIN_RECORD_KINDS_END && kinds[kind] != 0 ? kinds[kind] - 1 : TWIN_OP_KINDS;
}

/* A status that this build does not know is a failure. */
static uint16_t status_of(const struct loader *loader, unsigned written)
{
    uint32_t status = twin_recording_own_status(loader->recording, written);
    return (uint16_t)(status < TWIN_STATUS_COUNT ? status : TWIN_E_INTERNAL);
}

/* ---- public calls ---- */

static struct thread *thread_of(struct loader *loader, uint32_t number)
{
    struct thread *thread = loader->thread;
    if (thread && thread->number == number)
        return thread;
    HASH_ENSURE(loader->threads, number, number, thread);
    loader->thread = thread;
    return thread;
}

static void leave_calls(struct thread *thread, uint64_t seq)
{
    for (; thread->depth > 0; thread->depth--) {
        uint64_t end = thread->calls[thread->depth - 1].end_seq;
        if (end == 0 || end > seq)
            return;
    }
}

/* A public call begins. False: it is not an op. */
static bool enter_call(struct loader *loader, struct thread *thread,
                       const struct twin_record_HOST_CALL *f, twin_op *op)
{
    op->code = f->out_code, op->name = f->name, op->site = f->site;
    op->stack = thread->next_stack;
    thread->next_stack = 0;
    leave_calls(thread, op->begin_seq);
    if (thread->depth < CALLS_DEEP)
        thread->calls[thread->depth++] = (struct call){.end_seq = op->end_seq,
                                                       .site = op->site,
                                                       .op = loader->out->count,
                                                       .name = op->name,
                                                       .stack = op->stack};
    loader->out->calls += op->end_seq != 0;
    if (op->end_seq == 0 || op->code == 0)
        return false;
    /* The runtime refuses bad addresses itself: no op of the device reports them. */
    const char *name = twin_recording_string(loader->recording, op->name);
    op->of_free = strcmp(name, "aclrtFree") == 0 || strcmp(name, "aclrtFreeHost") == 0;
    bool moves = strncmp(name, "aclrtMemcpy", strlen("aclrtMemcpy")) == 0 ||
                 strncmp(name, "aclrtMemset", strlen("aclrtMemset")) == 0;
    loader->out->refused += moves && op->code == 107000; /* ACL_ERROR_RT_PARAM_INVALID */
    return true;
}

/* The public call that an op is part of. */
static void note_call(struct loader *loader, struct thread *thread, twin_op *op)
{
    leave_calls(thread, op->begin_seq);
    if (thread->depth == 0)
        return;
    const struct call *call = &thread->calls[thread->depth - 1];
    op->name = call->name, op->site = call->site, op->stack = call->stack;
    /* The device was asked to free, and that op has the result. */
    if ((op->kind == TWIN_OP_FREE || op->kind == TWIN_OP_HOST_FREE) &&
        loader->out->list[call->op].end_seq == call->end_seq)
        loader->out->list[call->op].of_free = false;
}

/* ---- fields ---- */

static uint16_t narrow(uint32_t value)
{
    return (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
}

#define OP(NAME, ...)                                                                              \
    case TWIN_RECORD_##NAME: {                                                                     \
        const struct twin_record_##NAME *const f = &any->NAME;                                     \
        __VA_ARGS__;                                                                               \
        return;                                                                                    \
    }

/* The byte of a fill, or -1 for words of several. */
static int16_t filled(uint64_t value, uint32_t words)
{
    const uint8_t byte = (uint8_t)value;
    return words != 0 && (uint32_t)value != byte * 0x01010101u ? -1 : byte;
}

/* Bytes of random numbers, as far as the recording says: of a count by address one. */
static uint64_t made(const struct twin_record_WORK_RANDOM *f)
{
    if (f->type > TWIN_RANDOM_FP32 || (f->addresses & 8u) != 0)
        return 1;
    const uint64_t bytes =
        twin_random_bytes((twin_random_function)f->function, (twin_random_type)f->type, f->count);
    return bytes == 0 || bytes == UINT64_MAX ? 1 : bytes;
}

static void read_work(unsigned kind, const union twin_recording_any *any, twin_op *op)
{
    const struct twin_record_WORK_END *const work = &any->WORK_END; /* all work begins alike */
    op->queue = work->queue;
    op->tasks = work->tasks > 1u << 20 ? 0 : work->tasks;
    if (work->first_task != 0 && work->first_task < TWIN_OP_NONE)
        op->task = (uint32_t)work->first_task;
    switch (kind) {
        OP(WORK_COPY, op->dst = f->dst, op->src = f->src, op->bytes = f->bytes)
        OP(WORK_FILL, op->dst = f->dst, op->bytes = f->bytes, op->fill = filled(f->value, f->words))
        OP(WORK_REDUCE, op->dst = f->dst, op->src = f->src, op->bytes = f->bytes)
        OP(WORK_COPY_ROWS, op->dst = f->dst, op->src = f->src, op->bytes = f->width,
           op->dst_pitch = f->dst_pitch, op->src_pitch = f->src_pitch, op->height = f->height)
        OP(WORK_DESCRIBED, op->dst = f->at)
        OP(WORK_MAINTAIN, op->dst = f->address, op->bytes = f->bytes)
        OP(WORK_COPY_BASED, op->dst = f->dst, op->src = f->src, op->bytes = f->bytes)
        OP(WORK_RANDOM, op->dst = f->dst, op->bytes = made(f), op->fill = -1)
        OP(WORK_RECORD, op->object = f->signal)
        OP(WORK_RESET, op->object = f->signal)
        OP(WORK_WAIT, op->object = f->signal, op->timeout_ns = f->timeout_ns)
        OP(WORK_WRITE_VALUE, op->word.address = f->address, op->word.value = f->value)
        OP(WORK_WAIT_VALUE, op->word.address = f->address, op->word.value = f->value,
           op->word.relation = f->relation)
        OP(WORK_COUNT, op->object = f->signal, op->count.value = f->value,
           op->count.mode = narrow(f->mode))
        OP(WORK_WAIT_COUNT, op->object = f->signal, op->count.value = f->value,
           op->count.clear = f->clear != 0, op->count.relation = narrow(f->relation))
        OP(WORK_CALL, op->object = f->call_queue, op->blocks = f->block != 0,
           op->call.function = f->function, op->call.argument = f->argument)
        OP(WORK_LAUNCH, op->kind = f->replaced != 0 ? TWIN_OP_CONTROL : op->kind)
        OP(WORK_RUN, op->object = f->model_instance)
        OP(WORK_ACTIVATE, op->other = f->other)
        OP(WORK_ALLOC, op->dst = f->out_address, op->bytes = f->bytes)
        OP(WORK_FREE, op->dst = f->address)
    default:
        return;
    }
}

static void read_other(unsigned kind, const union twin_recording_any *any, twin_op *op)
{
    switch (kind) {
        OP(MEMORY_COPY, op->device = f->device, op->dst = f->dst, op->src = f->src,
           op->bytes = f->bytes)
        OP(MEMORY_FILL, op->device = f->device, op->dst = f->dst, op->bytes = f->bytes,
           op->fill = filled(f->value, f->words))
        OP(MEMORY_COPY_ROWS, op->device = f->device, op->dst = f->dst, op->src = f->src,
           op->bytes = f->width, op->dst_pitch = f->dst_pitch, op->src_pitch = f->src_pitch,
           op->height = f->height)
        OP(MEMORY_ALLOC, op->device = f->device, op->dst = f->out_address, op->bytes = f->bytes)
        OP(MEMORY_HOST_ALLOC, op->dst = f->out_address, op->bytes = f->bytes)
        OP(MEMORY_FREE, op->dst = f->address)
        OP(MEMORY_HOST_FREE, op->dst = f->address)
        OP(IMAGE_LOAD, op->device = f->device, op->object = f->out_image, op->dst = f->out_address,
           op->bytes = f->out_device_bytes)
        OP(IMAGE_UNLOAD, op->object = f->image)
        OP(DEVICE_OPEN, op->device = f->device)
        OP(DEVICE_CLOSE, op->device = f->device)
        OP(DEVICE_ABORT, op->device = f->device)
        OP(QUEUE_CREATE, op->device = f->device, op->queue = f->out_queue,
           op->config.name = f->stream, op->config.group = f->group,
           op->config.deferred = f->deferred != 0, op->config.is_default = f->is_default != 0,
           op->config.reports_tasks = f->out_tasks_reported != 0)
        OP(QUEUE_DRAIN, op->queue = f->queue, op->timeout_ns = f->timeout_ns)
        OP(QUEUE_QUERY, op->queue = f->queue, op->positive = f->out_idle != 0)
        OP(QUEUE_DESTROY, op->queue = f->queue)
        OP(QUEUE_ABORT, op->queue = f->queue)
        OP(QUEUE_STOP, op->queue = f->queue)
        OP(QUEUE_SET_PRIORITY, op->queue = f->queue)
        OP(QUEUE_STOP_ON_FAILURE, op->queue = f->queue)
        OP(QUEUE_TAKE_FAILURE, op->queue = f->queue)
        OP(SIGNAL_CREATE, op->device = f->device, op->object = f->out_signal,
           op->config.signal_kind = f->kind, op->config.name = f->name,
           op->config.timed = f->timed != 0)
        OP(SIGNAL_OPEN, op->device = f->device, op->object = f->out_signal,
           op->config.signal_kind = f->kind, op->config.name = f->name,
           op->config.timed = f->timed != 0, op->config.share = f->name_hash)
        OP(SIGNAL_SHARE, op->object = f->signal, op->config.share = f->out_name_hash)
        OP(SIGNAL_DESTROY, op->object = f->signal)
        OP(SIGNAL_CLEAR, op->object = f->signal)
        OP(SIGNAL_WAIT, op->object = f->signal, op->timeout_ns = f->timeout_ns)
        OP(SIGNAL_QUERY, op->object = f->signal, op->positive = f->out_complete != 0,
           op->recorded = f->out_recorded != 0)
        OP(SIGNAL_TIMESTAMP, op->object = f->signal, op->time_ns = f->out_time_ns)
        OP(CALL_QUEUE_CREATE, op->device = f->device, op->object = f->out_call_queue)
        OP(CALL_QUEUE_DESTROY, op->object = f->call_queue)
        OP(CALL_QUEUE_TAKE, op->object = f->call_queue, op->blocks = f->out_block != 0,
           op->call.function = f->out_function, op->call.argument = f->out_argument,
           op->call.ticket = f->out_ticket)
        OP(CALL_QUEUE_ANSWER, op->object = f->call_queue, op->call.ticket = f->ticket)
        OP(MODEL_INSTANCE_CREATE, op->device = f->device, op->object = f->out_model_instance)
        OP(MODEL_INSTANCE_DESTROY, op->object = f->model_instance)
        OP(MODEL_INSTANCE_DRAIN, op->object = f->model_instance)
        OP(MODEL_INSTANCE_BIND, op->object = f->model_instance, op->queue = f->queue,
           op->head = f->head != 0)
        OP(MODEL_INSTANCE_UNBIND, op->object = f->model_instance, op->queue = f->queue)
        OP(MODEL_INSTANCE_CLEAN, op->queue = f->queue)
        OP(MODEL_INSTANCE_ABORT, op->object = f->model_instance)
    default:
        return;
    }
}
#undef OP

/* ---- one entry ---- */

static void add_times(struct loader *loader, const struct twin_record_WORK_END *work, twin_op *op)
{
    struct twin_recording_times times;
    twin_recording_times(loader->recording, op->entry, &times);
    if (times.ended) {
        op->timed = true;
        op->stamped = !times.begun;
        op->task_begin_ns = times.begun ? times.begin_ns : 0;
        op->task_end_ns = times.end_ns;
        op->task_status = status_of(loader, times.status);
    }
    if (work->first_task != 0)
        op->reported = (uint32_t)twin_recording_tasks_among(loader->recording, op->queue,
                                                            work->first_task, op->tasks);
}

/* A time that the program asked for, where the device reports none. */
static void note_record(struct loader *loader, const twin_op *op)
{
    struct newest_record *newest = NULL;
    if ((op->kind != TWIN_OP_RECORD && op->kind != TWIN_OP_TIMESTAMP) || op->status != TWIN_OK ||
        op->end_seq == 0)
        return;
    if (op->kind == TWIN_OP_RECORD) {
        HASH_ENSURE(loader->newest, signal, op->object, newest);
        if (newest)
            newest->op = loader->out->count;
        return;
    }
    HASH_FIND(hh, loader->newest, &op->object, sizeof(op->object), newest);
    twin_op *record = newest ? &loader->out->list[newest->op] : NULL;
    if (!record || record->timed || record->end_seq > op->begin_seq)
        return;
    record->timed = true;
    record->task_end_ns = op->time_ns;
    record->task_status = TWIN_OK;
}

/* Nondeterminism that an op found; the op is loaded already. */
static void note_nd(struct loader *loader, const struct twin_record_ND *f)
{
    const twin_op *list = loader->out->list;
    const size_t at = PARTITION_POINT(loader->out->count, i, list[i].begin_seq < f->of_seq);
    if (f->what == TWIN_ND_CLOCK && at < loader->out->count && list[at].begin_seq == f->of_seq)
        loader->out->list[at].moved = true;
}

/* False: out of memory. */
static bool load_entry(struct loader *loader, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(loader->recording, index);
    union twin_recording_any any;
    uint16_t kind = op_kind(entry->kind);
    if (kind == TWIN_OP_KINDS && entry->kind != TWIN_RECORD_ND &&
        entry->kind != TWIN_RECORD_CALL_STACK)
        return true;
    twin_recording_fields(entry, &any, twin_recording_kind(entry->kind)->bytes);
    if (entry->kind == TWIN_RECORD_ND) {
        note_nd(loader, &any.ND);
        return true;
    }
    struct thread *thread = thread_of(loader, entry->thread);
    if (!thread)
        return false;
    if (entry->kind == TWIN_RECORD_CALL_STACK) {
        thread->next_stack = any.CALL_STACK.stack;
        return true;
    }
    twin_op *op = &loader->out->list[loader->out->count];
    *op = (twin_op){.begin_seq = entry->begin_seq,
                    .end_seq = entry->end_seq,
                    .begin_ns = entry->begin_ns,
                    .end_ns = entry->end_ns,
                    .entry = (uint32_t)index,
                    .thread = entry->thread,
                    .task = TWIN_OP_NONE,
                    .name = TWIN_OP_NONE,
                    .kind = kind};
    if (kind == TWIN_OP_CALL_ENDED) {
        if (!enter_call(loader, thread, &any.HOST_CALL, op))
            return true;
    } else if (twin_op_is_work(kind)) {
        read_work(entry->kind, &any, op);
        add_times(loader, &any.WORK_END, op);
    } else {
        read_other(entry->kind, &any, op);
    }
    if (kind != TWIN_OP_CALL_ENDED)
        note_call(loader, thread, op);
    op->status = op->end_seq != 0 ? status_of(loader, entry->status) : TWIN_E_INTERNAL;
    loader->out->unanswered += op->end_seq == 0;
    loader->out->one_clock = loader->out->one_clock || (op->end_ns != 0 && op->timed);
    note_record(loader, op);
    loader->out->count++;
    return true;
}

bool twin_ops_load(const twin_recording *recording, struct twin_ops *out)
{
    struct loader loader = {.recording = recording, .out = out};
    size_t count = twin_recording_count(recording);
    const struct twin_record_header *header = twin_recording_header(recording);
    *out = (struct twin_ops){.list = calloc(count + 1, sizeof(*out->list))};
    out->partial = header->state == TWIN_RECORD_CUT || header->lost > 0 ||
                   twin_recording_damage_count(recording) > 0;
    out->whole = header->state == TWIN_RECORD_CLOSED && !out->partial;
    bool good = out->list != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = load_entry(&loader, i);
    good = good && twin_ops_add_device_times(recording, out) &&
           twin_ops_add_shares(recording, out) && twin_ops_add_edges(recording, out);
    HASH_FREE_ALL(loader.threads);
    HASH_FREE_ALL(loader.newest);
    if (!good)
        twin_ops_free(out);
    return good;
}

void twin_ops_free(struct twin_ops *ops)
{
    free(ops->list);
    free(ops->edges.items);
    *ops = (struct twin_ops){0};
}

const char *twin_op_name(const twin_recording *recording, const twin_op *op,
                         char text[TWIN_OP_NAME])
{
    const char *name = op->name != TWIN_OP_NONE ? twin_recording_string(recording, op->name) : "";
    size_t used = 0;
    for (; *name && used + 1 < TWIN_OP_NAME; name++)
        text[used++] = (char)(*name > ' ' && *name < 0x7f ? *name : '?');
    text[used] = '\0';
    return text;
}
