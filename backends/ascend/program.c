/* SPDX-License-Identifier: Apache-2.0 */
/* Programs are the vendor's model instances. The vendor does not report whether a run is under way: an event after each run does. */
#include <stdlib.h>
#include <utlist.h>

#include "process.h"

#define HEAD  0u
#define WAITS 0x7fffffffu

/* The newest run that one queue asked for. */
struct ascend_run {
    struct ascend_run *next;
    const twin_queue *queue;
    aclrtContext context;
    aclrtEvent event;
};

struct twin_program {
    twin_hw_device *device;
    aclmdlRI model;       /* NULL before the first queue came */
    aclrtContext context; /* that it belongs to */
    pthread_mutex_t lock;
    ascend_run *runs; /* guarded by lock */
    bool sealed;
    struct twin_program *next, *prev; /* all programs; guarded by programs_lock */
};

static pthread_mutex_t programs_lock = PTHREAD_MUTEX_INITIALIZER;
static twin_program *programs;

static twin_status program_create(twin_hw_device *device, twin_program **out_program)
{
    if (!vendor.model_begin || !vendor.model_bind || !vendor.model_unbind || !vendor.model_end ||
        !vendor.model_end_task || !vendor.model_run || !vendor.model_destroy)
        return TWIN_E_UNSUPPORTED;
    twin_program *program = calloc(1, sizeof(*program));
    if (!program)
        return TWIN_E_NOMEM;
    program->device = device;
    pthread_mutex_init(&program->lock, NULL);
    pthread_mutex_lock(&programs_lock);
    DL_PREPEND(programs, program);
    pthread_mutex_unlock(&programs_lock);
    *out_program = program;
    return TWIN_OK;
}

static void end_run(const twin_program *program, ascend_run *run)
{
    if (ascend_use(program->device, run->context) == TWIN_OK)
        vendor.destroy_event(run->event);
    free(run);
}

static void program_destroy(twin_program *program)
{
    pthread_mutex_lock(&programs_lock);
    DL_DELETE(programs, program);
    pthread_mutex_unlock(&programs_lock);
    ascend_run *run, *next;
    LL_FOREACH_SAFE(program->runs, run, next)
        end_run(program, run);
    if (program->model && ascend_use(program->device, program->context) == TWIN_OK &&
        vendor.model_destroy(program->model) != 0)
        ascend.services->log(2, "the vendor's runtime cannot destroy a model instance");
    pthread_mutex_destroy(&program->lock);
    free(program);
}

/* The runs of a queue that is destroyed have ended, or were aborted. */
static void forget_runs_of(twin_program *program, const twin_queue *queue)
{
    pthread_mutex_lock(&program->lock);
    ascend_run *gone;
    LL_SEARCH_SCALAR(program->runs, gone, queue, queue);
    if (gone)
        LL_DELETE(program->runs, gone);
    pthread_mutex_unlock(&program->lock);
    if (gone)
        end_run(program, gone);
}

void ascend_program_forget_queue(twin_queue *queue)
{
    pthread_mutex_lock(&programs_lock);
    for (twin_program *program = programs; program; program = program->next)
        forget_runs_of(program, queue);
    pthread_mutex_unlock(&programs_lock);
}

/* ---- runs --------------------------------------------------------------------------------------- */

static bool is_busy(twin_program *program)
{
    bool busy = false;
    pthread_mutex_lock(&program->lock);
    for (ascend_run *run = program->runs; run && !busy; run = run->next) {
        aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_COMPLETE;
        busy = ascend_use(program->device, run->context) == TWIN_OK &&
               vendor.query_event(run->event, &state) == 0 &&
               state != ACL_EVENT_RECORDED_STATUS_COMPLETE;
    }
    pthread_mutex_unlock(&program->lock);
    return busy;
}

/* The queue's run of the program, made with its first one. */
static ascend_run *run_of(twin_program *program, const twin_queue *queue)
{
    pthread_mutex_lock(&program->lock);
    ascend_run *run;
    LL_SEARCH_SCALAR(program->runs, run, queue, queue);
    pthread_mutex_unlock(&program->lock);
    if (run || !(run = calloc(1, sizeof(*run))))
        return run;
    if (ascend_create_event(ACL_EVENT_SYNC, &run->event) != 0) {
        free(run);
        return NULL;
    }
    run->queue = queue;
    run->context = queue->group->context;
    pthread_mutex_lock(&program->lock);
    LL_PREPEND(program->runs, run);
    pthread_mutex_unlock(&program->lock);
    return run;
}

twin_status ascend_work_run(twin_queue *queue, twin_program *program)
{
    if (!program->sealed)
        return TWIN_E_INVALID;
    twin_status status = ascend_use_queue(queue);
    if (status != TWIN_OK)
        return status;
    const ascend_run *run = run_of(program, queue);
    if (!run)
        return TWIN_E_NOMEM;
    status = ascend_status(vendor.model_run(program->model, queue->stream));
    if (status == TWIN_OK)
        status = ascend_status(vendor.record_event(run->event, queue->stream));
    return status;
}

static twin_status program_drain(twin_program *program, uint64_t timeout_ns)
{
    bool forever = timeout_ns >= TWIN_UNAIDED;
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&program->lock);
    for (ascend_run *run = program->runs; run && status == TWIN_OK; run = run->next) {
        pthread_mutex_unlock(&program->lock); /* the core keeps a program that a thread waits for */
        status = ascend_use(program->device, run->context);
        if (status == TWIN_OK)
            status = ascend_wait_status(
                vendor.sync_event(run->event, forever ? -1 : ascend_milliseconds(timeout_ns)),
                forever);
        pthread_mutex_lock(&program->lock);
    }
    pthread_mutex_unlock(&program->lock);
    return status;
}

static twin_status program_abort(twin_program *program)
{
    if (!vendor.model_abort)
        return TWIN_E_UNSUPPORTED;
    if (!program->model)
        return TWIN_OK;
    twin_status status = ascend_use(program->device, program->context);
    return status == TWIN_OK ? ascend_status(vendor.model_abort(program->model)) : status;
}

/* ---- building ----------------------------------------------------------------------------------- */

static twin_status program_bind(twin_program *program, twin_queue *queue, bool head)
{
    if (is_busy(program))
        return TWIN_E_BUSY;
    twin_status status = ascend_use_queue(queue);
    if (status == TWIN_OK && !program->model) {
        status = ascend_status(vendor.model_begin(&program->model, 0));
        program->context = queue->group->context;
    }
    if (status == TWIN_OK)
        status =
            ascend_status(vendor.model_bind(program->model, queue->stream, head ? HEAD : WAITS));
    if (status == TWIN_OK) {
        queue->program = program;
        program->sealed = false;
    }
    return status;
}

static twin_status program_unbind(twin_program *program, twin_queue *queue)
{
    if (is_busy(program))
        return TWIN_E_BUSY;
    twin_status status = ascend_use_queue(queue);
    if (status == TWIN_OK)
        status = ascend_status(vendor.model_unbind(program->model, queue->stream));
    if (status == TWIN_OK) {
        queue->program = NULL;
        program->sealed = false;
    }
    return status;
}

static twin_status program_seal(twin_program *program)
{
    if (!program->model)
        return TWIN_E_INVALID;
    twin_status status = ascend_use(program->device, program->context);
    if (status == TWIN_OK)
        status = ascend_status(vendor.model_end(program->model, NULL));
    if (status == TWIN_OK)
        program->sealed = true;
    return status;
}

static twin_status program_clean(twin_queue *queue)
{
    if (!vendor.clean_stream)
        return TWIN_E_UNSUPPORTED;
    if (queue->program && is_busy(queue->program))
        return TWIN_E_BUSY;
    twin_status status = ascend_use_queue(queue);
    if (status == TWIN_OK)
        status = ascend_status(vendor.clean_stream(queue->stream));
    if (status == TWIN_OK) {
        ascend_calls_forget(queue);
        if (queue->program)
            queue->program->sealed = false;
    }
    return status;
}

twin_status ascend_work_end(twin_queue *queue)
{
    if (!queue->program)
        return TWIN_E_INVALID;
    twin_status status = ascend_use_queue(queue);
    return status == TWIN_OK
               ? ascend_status(vendor.model_end_task(queue->program->model, queue->stream))
               : status;
}

twin_status ascend_work_activate(twin_queue *queue, twin_queue *other)
{
    twin_status status = ascend_use_queue_for(queue, vendor.activate_stream != NULL);
    return status == TWIN_OK ? ascend_status(vendor.activate_stream(other->stream, queue->stream))
                             : status;
}

twin_status ascend_work_branch(twin_queue *queue, const twin_branch *branch)
{
    twin_status status = ascend_use_queue_for(queue, vendor.switch_stream != NULL);
    if (status != TWIN_OK)
        return status;
    return ascend_status(vendor.switch_stream(
        ascend_pointer(branch->left), (aclrtCondition)branch->condition,
        ascend_pointer(branch->right), branch->wide ? ACL_RT_SWITCH_INT64 : ACL_RT_SWITCH_INT32,
        branch->to->stream, NULL, queue->stream));
}

const struct twin_program_ops ascend_program_ops = {.create = program_create,
                                                    .destroy = program_destroy,
                                                    .bind = program_bind,
                                                    .unbind = program_unbind,
                                                    .seal = program_seal,
                                                    .clean = program_clean,
                                                    .abort = program_abort,
                                                    .drain = program_drain};
