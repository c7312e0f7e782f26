/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, diagnosis, planted faults. */
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

twin_status record_program_bind(twin_program *program, twin_queue *queue, bool head)
{
    struct record_call call;
    struct twin_record_PROGRAM_BIND *f = RECORD_BEGIN(&call, PROGRAM_BIND, 0);
    f->program = program->number;
    f->queue = queue->number;
    f->head = head;
    record_called(&call);
    twin_status status = record_below.program.bind(program->inner, queue->inner, head);
    record_returned(&call, status);
    return status;
}

twin_status record_program_unbind(twin_program *program, twin_queue *queue)
{
    struct record_call call;
    struct twin_record_PROGRAM_UNBIND *f = RECORD_BEGIN(&call, PROGRAM_UNBIND, 0);
    f->program = program->number;
    f->queue = queue->number;
    record_called(&call);
    twin_status status = record_below.program.unbind(program->inner, queue->inner);
    record_returned(&call, status);
    return status;
}

twin_status record_program_seal(twin_program *program)
{
    struct record_call call;
    struct twin_record_PROGRAM_SEAL *f = RECORD_BEGIN(&call, PROGRAM_SEAL, 0);
    f->program = program->number;
    record_called(&call);
    twin_status status = record_below.program.seal(program->inner);
    record_returned(&call, status);
    return status;
}

twin_status record_program_clean(twin_queue *queue)
{
    struct record_call call;
    struct twin_record_PROGRAM_CLEAN *f = RECORD_BEGIN(&call, PROGRAM_CLEAN, 0);
    f->queue = queue->number;
    record_called(&call);
    twin_status status = record_below.program.clean(queue->inner);
    record_returned(&call, status);
    return status;
}

twin_status record_program_abort(twin_program *program)
{
    struct record_call call;
    struct twin_record_PROGRAM_ABORT *f = RECORD_BEGIN(&call, PROGRAM_ABORT, 0);
    f->program = program->number;
    record_called(&call);
    twin_status status = record_below.program.abort(program->inner);
    record_returned(&call, status);
    return status;
}

twin_status record_program_drain(twin_program *program, uint64_t timeout_ns)
{
    struct record_call call;
    struct twin_record_PROGRAM_DRAIN *f = RECORD_BEGIN(&call, PROGRAM_DRAIN, 0);
    f->program = program->number;
    f->timeout_ns = timeout_ns;
    record_called(&call);
    twin_status status = record_below.program.drain(program->inner, timeout_ns);
    record_returned(&call, status);
    return status;
}

/* ---- diagnosis ----------------------------------------------------------------------------------- */

void record_diag_dump(twin_hw_device *device)
{
    struct record_call call;
    struct twin_record_DIAG_DUMP *f = RECORD_BEGIN(&call, DIAG_DUMP, 0);
    f->device = device->index;
    record_called(&call);
    record_below.diag.dump(device->inner);
    record_returned(&call, TWIN_OK);
}

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

twin_status record_diag_usage(uint32_t index, twin_usage *out_usage)
{
    struct record_call call;
    struct twin_record_DIAG_USAGE *f = RECORD_BEGIN(&call, DIAG_USAGE, 0);
    f->device = index;
    record_called(&call);
    twin_status status = record_below.diag.usage(index, out_usage);
    if (status == TWIN_OK) {
        f->out_cube = out_usage->cube;
        f->out_vector = out_usage->vector;
        f->out_cpu = out_usage->cpu;
    }
    record_returned(&call, status);
    return status;
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

/* ---- planted faults ------------------------------------------------------------------------------- */

twin_status record_fault_plant(const twin_fault *fault, uint32_t *out_number)
{
    struct record_call call;
    struct twin_record_FAULT_PLANT *f = RECORD_BEGIN(&call, FAULT_PLANT, 0);
    f->kind = (uint32_t)fault->kind;
    f->task = (uint32_t)fault->task;
    f->device = fault->device;
    f->stream = fault->stream;
    f->id = fault->id;
    f->factor_permille = fault->factor_permille;
    f->first = fault->first;
    f->times = fault->times;
    f->duration_ns = fault->duration_ns;
    f->address = fault->address;
    f->bytes = fault->bytes;
    f->access = fault->access;
    f->device_status = fault->status;
    record_called(&call);
    twin_status status = record_below.fault.plant(fault, out_number);
    if (status == TWIN_OK)
        f->out_number = *out_number;
    record_returned(&call, status);
    return status;
}

twin_status record_fault_remove(uint32_t number)
{
    struct record_call call;
    struct twin_record_FAULT_REMOVE *f = RECORD_BEGIN(&call, FAULT_REMOVE, 0);
    f->number = number;
    record_called(&call);
    twin_status status = record_below.fault.remove(number);
    record_returned(&call, status);
    return status;
}

twin_status record_fault_struck(uint32_t number, uint64_t *out_times)
{
    struct record_call call;
    struct twin_record_FAULT_STRUCK *f = RECORD_BEGIN(&call, FAULT_STRUCK, 0);
    f->number = number;
    record_called(&call);
    twin_status status = record_below.fault.struck(number, out_times);
    if (status == TWIN_OK)
        f->out_times = *out_times;
    record_returned(&call, status);
    return status;
}
