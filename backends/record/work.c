/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"

twin_status record_work_ended(twin_queue *queue, struct record_call *call, uint64_t before,
                              twin_status status)
{
    struct twin_record_WORK_END *work = (struct twin_record_WORK_END *)(void *)(call->entry + 1);
    uint64_t newest = record_below.diag.newest_task(queue->inner);
    if (newest > before) {
        work->first_task = before + 1;
        work->tasks = (uint32_t)(newest - before);
    }
    uint64_t seq = call->entry->begin_seq;
    record_returned(call, status);
    if (__builtin_expect(queue->stamps != NULL, 0) && status == TWIN_OK)
        record_stamp(queue, seq);
    return status;
}

/* `f` points to the fields of a work op, its queue filled in. */
#define WORK(NAME)                                                                                 \
    uint64_t before = record_below.diag.newest_task(queue->inner);                                 \
    struct record_call call;                                                                       \
    struct twin_record_##NAME *f = RECORD_BEGIN(&call, NAME, 0);                                   \
    f->queue = queue->number

twin_status record_work_copy(twin_queue *queue, const twin_copy *copy)
{
    WORK(WORK_COPY);
    f->dst = copy->dst;
    f->src = copy->src;
    f->bytes = copy->bytes;
    record_called(&call);
    uint64_t seq = call.entry->begin_seq;
    twin_status status =
        record_work_ended(queue, &call, before, record_below.work.copy(queue->inner, copy));
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, copy->src, copy->bytes, copy->bytes, 1);
    return status;
}

twin_status record_work_fill(twin_queue *queue, const twin_fill *fill)
{
    WORK(WORK_FILL);
    f->dst = fill->dst;
    f->bytes = fill->bytes;
    f->value = fill->value;
    record_called(&call);
    return record_work_ended(queue, &call, before, record_below.work.fill(queue->inner, fill));
}

twin_status record_work_record(twin_queue *queue, twin_signal *signal)
{
    WORK(WORK_RECORD);
    f->signal = signal->number;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.record(queue->inner, signal->inner));
}

twin_status record_work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    WORK(WORK_WAIT);
    f->signal = signal->number;
    f->timeout_ns = timeout_ns;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.wait(queue->inner, signal->inner, timeout_ns));
}

twin_status record_work_reset(twin_queue *queue, twin_signal *signal)
{
    WORK(WORK_RESET);
    f->signal = signal->number;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.reset(queue->inner, signal->inner));
}

twin_status record_work_write_value(twin_queue *queue, uint64_t address, uint64_t value)
{
    WORK(WORK_WRITE_VALUE);
    f->address = address;
    f->value = value;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.write_value(queue->inner, address, value));
}

twin_status record_work_wait_value(twin_queue *queue, const twin_value_wait *wait)
{
    WORK(WORK_WAIT_VALUE);
    f->address = wait->address;
    f->value = wait->value;
    f->relation = (uint32_t)wait->relation;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.wait_value(queue->inner, wait));
}

twin_status record_work_call(twin_queue *queue, twin_channel *channel,
                             const twin_host_call *host_call)
{
    WORK(WORK_CALL);
    f->channel = channel->number;
    f->block = host_call->block;
    f->function = (uint64_t)(uintptr_t)host_call->fn;
    f->argument = (uint64_t)(uintptr_t)host_call->argument;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.call(queue->inner, channel->inner, host_call));
}

twin_status record_work_run(twin_queue *queue, twin_program *program)
{
    WORK(WORK_RUN);
    f->program = program->number;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.run(queue->inner, program->inner));
}

twin_status record_work_end(twin_queue *queue)
{
    WORK(WORK_END);
    record_called(&call);
    return record_work_ended(queue, &call, before, record_below.work.end(queue->inner));
}

twin_status record_work_activate(twin_queue *queue, twin_queue *other)
{
    WORK(WORK_ACTIVATE);
    f->other = other->number;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.activate(queue->inner, other->inner));
}

twin_status record_work_branch(twin_queue *queue, const twin_branch *branch)
{
    WORK(WORK_BRANCH);
    f->to = branch->to->number;
    f->condition = (uint32_t)branch->condition;
    f->left = branch->left;
    f->right = branch->right;
    f->wide = branch->wide;
    twin_branch inner = *branch;
    inner.to = branch->to->inner;
    record_called(&call);
    return record_work_ended(queue, &call, before, record_below.work.branch(queue->inner, &inner));
}

twin_status record_work_label(twin_queue *queue, uint64_t table, uint32_t index)
{
    WORK(WORK_LABEL);
    f->table = table;
    f->index = index;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.label(queue->inner, table, index));
}

twin_status record_work_jump(twin_queue *queue, uint64_t address, uint64_t table, uint32_t count)
{
    WORK(WORK_JUMP);
    f->address = address;
    f->table = table;
    f->count = count;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.jump(queue->inner, address, table, count));
}

twin_status record_work_count(twin_queue *queue, twin_signal *signal,
                              const twin_count_change *change)
{
    WORK(WORK_COUNT);
    f->signal = signal->number;
    f->mode = (uint32_t)change->mode;
    f->value = change->value;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.count(queue->inner, signal->inner, change));
}

twin_status record_work_wait_count(twin_queue *queue, twin_signal *signal,
                                   const twin_count_wait *wait)
{
    WORK(WORK_WAIT_COUNT);
    f->signal = signal->number;
    f->relation = (uint32_t)wait->relation;
    f->value = wait->value;
    f->clear = wait->clear;
    f->timeout_ns = wait->timeout_ns;
    record_called(&call);
    return record_work_ended(queue, &call, before,
                             record_below.work.wait_count(queue->inner, signal->inner, wait));
}

twin_status record_work_reduce(twin_queue *queue, const twin_reduce *reduce)
{
    WORK(WORK_REDUCE);
    f->dst = reduce->dst;
    f->src = reduce->src;
    f->bytes = reduce->bytes;
    f->op = (uint32_t)reduce->op;
    f->element = (uint32_t)reduce->element;
    record_called(&call);
    return record_work_ended(queue, &call, before, record_below.work.reduce(queue->inner, reduce));
}

twin_status record_work_copy_rows(twin_queue *queue, const twin_rows *rows)
{
    WORK(WORK_COPY_ROWS);
    f->dst = rows->dst;
    f->src = rows->src;
    f->dst_pitch = rows->dst_pitch;
    f->src_pitch = rows->src_pitch;
    f->width = rows->width;
    f->height = rows->height;
    record_called(&call);
    uint64_t seq = call.entry->begin_seq;
    twin_status status =
        record_work_ended(queue, &call, before, record_below.work.copy_rows(queue->inner, rows));
    if (__builtin_expect(record_data_wanted, 0) && status == TWIN_OK)
        record_contents(seq, rows->src, rows->width, rows->src_pitch, rows->height);
    return status;
}
