/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ops.h"

/* Fills in an entry TASK as a short one. False: it has to be a long one. */
static inline bool put_ended(uint64_t *at, uint64_t seq, uint32_t queue, const twin_task_end *task)
{
    const uint64_t begin_ns = task->begin_ns - record_self.base_ns;
    const uint64_t length_ns = task->end_ns - task->begin_ns;
    if (__builtin_expect(
            (seq | task->number | length_ns | (begin_ns + ((uint64_t)1 << 31))) > UINT32_MAX, 0))
        return false;
    at[0] = sizeof(struct twin_record_ended) | TWIN_RECORD_ENDED | (uint64_t)task->status << 24 |
            seq << 32;
    at[1] = record_pair(queue, (uint32_t)task->number);
    at[2] = record_pair((uint32_t)begin_ns, (uint32_t)length_ns);
    return true;
}

static __attribute__((noinline)) void note_any_task(uint32_t queue, const twin_task_end *task)
{
    struct record_call call;
    uint64_t *at = record_place(&call, sizeof(struct twin_record_ended));
    if (put_ended(at, record_next() - record_self.base_seq, queue, task))
        record_cover(&call);
    else
        RECORD_MARK(TASK, record_pair(queue, (uint32_t)task->status), task->number, task->begin_ns,
                    task->end_ns);
}

static inline void note_task(uint32_t queue, const twin_task_end *task)
{
    struct record_thread *self = &record_self;
    uint64_t *at = (uint64_t *)(void *)self->at;
    if (!record_is_quick(sizeof(struct twin_record_ended)) ||
        !put_ended(at, self->next + 1 - self->base_seq, queue, task)) {
        note_any_task(queue, task);
        return;
    }
    self->next++;
    self->at = (char *)at + sizeof(struct twin_record_ended);
    record_cover_all();
}

/* A task has ended. Runs on whichever thread drives the device. */
static void take_task(void *context, const twin_task_end *task)
{
    const twin_queue *queue = context;
    note_task(queue->number, task);
    if (queue->take)
        queue->take(queue->context, task);
}

twin_status record_queue_create(twin_hw_device *device, const twin_queue_config *config,
                                twin_queue **out_queue)
{
    twin_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_QUEUE_CREATE *f = RECORD_BEGIN(&call, QUEUE_CREATE, 0);
    f->device = device->index;
    f->stream = config->id;
    f->priority = config->priority;
    f->group = config->group;
    f->fast_launch = config->fast_launch;
    f->fast_sync = config->fast_sync;
    f->deferred = config->deferred;
    f->is_default = config->is_default;
    record_called(&call);
    twin_status status = record_below.queue.create(device->inner, config, &queue->inner);
    if (status == TWIN_OK) {
        f->out_queue = queue->number = record_number(&record_numbers.queues);
        queue->reports_tasks = record_below.diag.tasks(queue->inner, take_task, queue) == TWIN_OK;
        f->out_tasks_reported = queue->reports_tasks;
    }
    record_returned(&call, status);
    if (status != TWIN_OK) {
        free(queue);
        return status;
    }
    if (record_stamps_wanted && !config->deferred)
        queue->stamps = record_stamps_new(device->inner, queue->number);
    *out_queue = queue;
    return TWIN_OK;
}

void record_queue_destroy(twin_queue *queue)
{
    if (queue->stamps)
        record_stamps_look(queue->stamps);
    struct record_call call;
    struct twin_record_QUEUE_DESTROY *f = RECORD_BEGIN(&call, QUEUE_DESTROY, 0);
    f->queue = queue->number;
    record_called(&call);
    record_below.queue.destroy(queue->inner);
    record_returned(&call, TWIN_OK);
    if (queue->stamps)
        record_stamps_free(queue->stamps);
    free(queue);
}

twin_status record_queue_drain(twin_queue *queue, uint64_t timeout_ns)
{
    struct record_call call;
    struct twin_record_QUEUE_DRAIN *f = RECORD_BEGIN(&call, QUEUE_DRAIN, 0);
    f->queue = queue->number;
    f->timeout_ns = timeout_ns;
    record_called(&call);
    twin_status status = record_below.queue.drain(queue->inner, timeout_ns);
    record_returned(&call, status);
    if (queue->stamps)
        record_stamps_look(queue->stamps);
    return status;
}

twin_status record_queue_take_failure(twin_queue *queue, twin_failure *out_failure)
{
    struct record_call call;
    struct twin_record_QUEUE_TAKE_FAILURE *f = RECORD_BEGIN(&call, QUEUE_TAKE_FAILURE, 0);
    f->queue = queue->number;
    record_called(&call);
    twin_status status = record_below.queue.take_failure(queue->inner, out_failure);
    if (status == TWIN_OK) {
        f->out_failure = (uint32_t)out_failure->status;
        f->out_task_id = out_failure->task_id;
        f->out_thread = out_failure->thread;
        if (out_failure->kernel)
            out_failure->kernel = record_launch_inner(out_failure->kernel, &f->out_kernel);
    }
    record_returned(&call, status);
    return status;
}
