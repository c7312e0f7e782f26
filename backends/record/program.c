/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, diagnosis. */
#include <stdlib.h>

#include "ops.h"

twin_status record_program_create(twin_hw_device *device, twin_program **out_program)
{
    twin_program *program = calloc(1, sizeof(*program));
    if (!program)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_PROGRAM_CREATE *f = RECORD_BEGIN(&call, PROGRAM_CREATE, 0);
    f->device = device->index;
    record_called(&call);
    twin_status status = record_below.program.create(device->inner, &program->inner);
    if (status == TWIN_OK) {
        program->number = record_number(&record_numbers.programs);
        f->out_program = program->number;
    }
    record_returned(&call, status);
    if (status == TWIN_OK)
        *out_program = program;
    else
        free(program);
    return status;
}

void record_program_destroy(twin_program *program)
{
    struct record_call call;
    struct twin_record_PROGRAM_DESTROY *f = RECORD_BEGIN(&call, PROGRAM_DESTROY, 0);
    f->program = program->number;
    record_called(&call);
    record_below.program.destroy(program->inner);
    record_returned(&call, TWIN_OK);
    free(program);
}

/* ---- diagnosis ----------------------------------------------------------------------------------- */

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

/* The facts themselves stand behind process.start. */
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

/* There is one observer of a queue, and that is the wrapper: it passes on what it hears. */
twin_status record_diag_tasks(twin_queue *queue,
                              void (*take)(void *context, const twin_task_end *task), void *context)
{
    if (!queue->tells)
        return TWIN_E_UNSUPPORTED;
    queue->take = take;
    queue->context = context;
    return TWIN_OK;
}

uint64_t record_diag_newest_task(twin_queue *queue)
{
    return record_below.diag.newest_task(queue->inner);
}
