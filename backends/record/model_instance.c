/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances, diagnosis. */
#include <stdlib.h>

#include "ops.h"

twin_status record_model_instance_create(twin_hw_device *device, twin_hw_instance **out_instance)
{
    twin_hw_instance *instance = calloc(1, sizeof(*instance));
    if (!instance)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_MODEL_INSTANCE_CREATE *f = RECORD_BEGIN(&call, MODEL_INSTANCE_CREATE, 0);
    f->device = device->index;
    record_called(&call);
    twin_status status = record_below.model_instance.create(device->inner, &instance->inner);
    if (status == TWIN_OK)
        f->out_model_instance = instance->number = record_number(&record_numbers.instances);
    record_returned(&call, status);
    if (status == TWIN_OK)
        *out_instance = instance;
    else
        free(instance);
    return status;
}

void record_model_instance_destroy(twin_hw_instance *instance)
{
    struct record_call call;
    struct twin_record_MODEL_INSTANCE_DESTROY *f = RECORD_BEGIN(&call, MODEL_INSTANCE_DESTROY, 0);
    f->model_instance = instance->number;
    record_called(&call);
    record_below.model_instance.destroy(instance->inner);
    record_returned(&call, TWIN_OK);
    free(instance);
}

/* ---- diagnosis ------------------------------------------------------------------------------- */

struct counted {
    void (*take)(void *context, const twin_fact *fact);
    void *context;
    uint64_t count;
};

static void count_fact(void *context, const twin_fact *fact)
{
    struct counted *counted = context;
    counted->count++;
    counted->take(counted->context, fact);
}

/* The facts themselves come after process.start. */
void record_diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    struct counted counted = {.take = take, .context = context};
    struct record_call call;
    struct twin_record_DIAG_FACTS *f = RECORD_BEGIN(&call, DIAG_FACTS, 0);
    record_called(&call);
    record_below.diag.facts(count_fact, &counted);
    f->count = counted.count;
    record_returned(&call, TWIN_OK);
}

/* There is one observer of a queue, and that is the wrapper: it passes reports on. */
twin_status record_diag_tasks(twin_queue *queue,
                              void (*take)(void *context, const twin_task_end *task), void *context)
{
    if (!queue->reports_tasks)
        return TWIN_E_UNSUPPORTED;
    queue->take = take;
    queue->context = context;
    return TWIN_OK;
}

uint64_t record_diag_newest_task(twin_queue *queue)
{
    return record_below.diag.newest_task(queue->inner);
}
