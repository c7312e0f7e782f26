/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances are the vendor's. The vendor does not report whether a run is under way: an event
 * after each run does. */
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

struct twin_hw_instance {
    twin_hw_device *device;
    aclmdlRI model;       /* NULL before the first queue came */
    aclrtContext context; /* that it belongs to */
    pthread_mutex_t lock;
    ascend_run *runs; /* guarded by lock */
    bool sealed;
    struct twin_hw_instance *next, *prev; /* all of the process; guarded by instances_lock */
};

static pthread_mutex_t instances_lock = PTHREAD_MUTEX_INITIALIZER;
static twin_hw_instance *instances;

twin_status ascend_model_instance_create(twin_hw_device *device, twin_hw_instance **out_instance)
{
    if (!vendor.model_begin || !vendor.model_bind || !vendor.model_unbind || !vendor.model_end ||
        !vendor.model_end_task || !vendor.model_run || !vendor.model_destroy)
        return TWIN_E_UNSUPPORTED;
    twin_hw_instance *instance = calloc(1, sizeof(*instance));
    if (!instance)
        return TWIN_E_NOMEM;
    instance->device = device;
    pthread_mutex_init(&instance->lock, NULL);
    pthread_mutex_lock(&instances_lock);
    DL_PREPEND(instances, instance);
    pthread_mutex_unlock(&instances_lock);
    *out_instance = instance;
    return TWIN_OK;
}

static void end_run(const twin_hw_instance *instance, ascend_run *run)
{
    if (ascend_use(instance->device, run->context) == TWIN_OK)
        vendor.destroy_event(run->event);
    free(run);
}

void ascend_model_instance_destroy(twin_hw_instance *instance)
{
    pthread_mutex_lock(&instances_lock);
    DL_DELETE(instances, instance);
    pthread_mutex_unlock(&instances_lock);
    ascend_run *run, *next;
    LL_FOREACH_SAFE(instance->runs, run, next)
        end_run(instance, run);
    if (instance->model && ascend_use(instance->device, instance->context) == TWIN_OK &&
        vendor.model_destroy(instance->model) != 0)
        ascend.services->log(2, "the vendor's runtime cannot destroy a model instance");
    pthread_mutex_destroy(&instance->lock);
    free(instance);
}

/* The runs of a queue that is destroyed have ended, or were aborted. */
static void forget_runs_of(twin_hw_instance *instance, const twin_queue *queue)
{
    pthread_mutex_lock(&instance->lock);
    ascend_run *gone;
    LL_SEARCH_SCALAR(instance->runs, gone, queue, queue);
    if (gone)
        LL_DELETE(instance->runs, gone);
    pthread_mutex_unlock(&instance->lock);
    if (gone)
        end_run(instance, gone);
}

void ascend_instance_forget_queue(twin_queue *queue)
{
    pthread_mutex_lock(&instances_lock);
    for (twin_hw_instance *instance = instances; instance; instance = instance->next)
        forget_runs_of(instance, queue);
    pthread_mutex_unlock(&instances_lock);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool is_busy(twin_hw_instance *instance)
{
    bool busy = false;
    pthread_mutex_lock(&instance->lock);
    for (ascend_run *run = instance->runs; run && !busy; run = run->next) {
        aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_COMPLETE;
        busy = ascend_use(instance->device, run->context) == TWIN_OK &&
               vendor.query_event(run->event, &state) == 0 &&
               state != ACL_EVENT_RECORDED_STATUS_COMPLETE;
    }
    pthread_mutex_unlock(&instance->lock);
    return busy;
}

/* The queue's run of the instance, made with its first one. */
static ascend_run *run_of(twin_hw_instance *instance, const twin_queue *queue)
{
    pthread_mutex_lock(&instance->lock);
    ascend_run *run;
    LL_SEARCH_SCALAR(instance->runs, run, queue, queue);
    pthread_mutex_unlock(&instance->lock);
    if (run || !(run = calloc(1, sizeof(*run))))
        return run;
    if (ascend_create_event(ACL_EVENT_SYNC, &run->event) != 0) {
        free(run);
        return NULL;
    }
    run->queue = queue;
    run->context = queue->group->context;
    pthread_mutex_lock(&instance->lock);
    LL_PREPEND(instance->runs, run);
    pthread_mutex_unlock(&instance->lock);
    return run;
}

twin_status ascend_work_run(twin_queue *queue, twin_hw_instance *instance)
{
    if (!instance->sealed)
        return TWIN_E_INVALID;
    twin_status status = ascend_use_queue(queue);
    if (status != TWIN_OK)
        return status;
    const ascend_run *run = run_of(instance, queue);
    if (!run)
        return TWIN_E_NOMEM;
    status = ascend_status(vendor.model_run(instance->model, queue->stream));
    if (status == TWIN_OK)
        status = ascend_status(vendor.record_event(run->event, queue->stream));
    return status;
}

twin_status ascend_model_instance_drain(twin_hw_instance *instance, uint64_t timeout_ns)
{
    bool forever = timeout_ns >= TWIN_UNAIDED;
    twin_status status = TWIN_OK;
    pthread_mutex_lock(&instance->lock);
    for (ascend_run *run = instance->runs; run && status == TWIN_OK; run = run->next) {
        pthread_mutex_unlock(
            &instance->lock); /* the core keeps a program that a thread waits for */
        status = ascend_use(instance->device, run->context);
        if (status == TWIN_OK)
            status = ascend_wait_status(
                vendor.sync_event(run->event, forever ? -1 : ascend_milliseconds(timeout_ns)),
                forever);
        pthread_mutex_lock(&instance->lock);
    }
    pthread_mutex_unlock(&instance->lock);
    return status;
}

twin_status ascend_model_instance_abort(twin_hw_instance *instance)
{
    if (!vendor.model_abort)
        return TWIN_E_UNSUPPORTED;
    if (!instance->model)
        return TWIN_OK;
    return ASCEND_CALL(ascend_use(instance->device, instance->context),
                       vendor.model_abort(instance->model));
}

/* ---- building -------------------------------------------------------------------------------- */

twin_status ascend_model_instance_bind(twin_hw_instance *instance, twin_queue *queue, bool head)
{
    if (is_busy(instance))
        return TWIN_E_BUSY;
    twin_status status = ascend_use_queue(queue);
    if (status == TWIN_OK && !instance->model) {
        status = ascend_status(vendor.model_begin(&instance->model, 0));
        instance->context = queue->group->context;
    }
    if (status == TWIN_OK)
        status =
            ascend_status(vendor.model_bind(instance->model, queue->stream, head ? HEAD : WAITS));
    if (status == TWIN_OK) {
        queue->instance = instance;
        instance->sealed = false;
    }
    return status;
}

twin_status ascend_model_instance_unbind(twin_hw_instance *instance, twin_queue *queue)
{
    if (is_busy(instance))
        return TWIN_E_BUSY;
    twin_status status =
        ASCEND_CALL(ascend_use_queue(queue), vendor.model_unbind(instance->model, queue->stream));
    if (status == TWIN_OK) {
        queue->instance = NULL;
        instance->sealed = false;
    }
    return status;
}

twin_status ascend_model_instance_seal(twin_hw_instance *instance)
{
    if (!instance->model)
        return TWIN_E_INVALID;
    twin_status status = ASCEND_CALL(ascend_use(instance->device, instance->context),
                                     vendor.model_end(instance->model, NULL));
    if (status == TWIN_OK)
        instance->sealed = true;
    return status;
}

twin_status ascend_model_instance_clean(twin_queue *queue)
{
    if (!vendor.clean_stream)
        return TWIN_E_UNSUPPORTED;
    if (queue->instance && is_busy(queue->instance))
        return TWIN_E_BUSY;
    twin_status status = ASCEND_CALL(ascend_use_queue(queue), vendor.clean_stream(queue->stream));
    if (status == TWIN_OK) {
        ascend_calls_forget(queue);
        if (queue->instance)
            queue->instance->sealed = false;
    }
    return status;
}

twin_status ascend_work_end(twin_queue *queue)
{
    if (!queue->instance)
        return TWIN_E_INVALID;
    return ASCEND_CALL(ascend_use_queue(queue),
                       vendor.model_end_task(queue->instance->model, queue->stream));
}

twin_status ascend_work_activate(twin_queue *queue, twin_queue *other)
{
    return ASCEND_CALL(ascend_use_queue_for(queue, vendor.activate_stream != NULL),
                       vendor.activate_stream(other->stream, queue->stream));
}

twin_status ascend_work_branch(twin_queue *queue, const twin_branch *branch)
{
    return ASCEND_CALL(
        ascend_use_queue_for(queue, vendor.switch_stream != NULL),
        vendor.switch_stream(ascend_pointer(branch->left), (aclrtCondition)branch->condition,
                             ascend_pointer(branch->right),
                             branch->wide ? ACL_RT_SWITCH_INT64 : ACL_RT_SWITCH_INT32,
                             branch->to->stream, NULL, queue->stream));
}
