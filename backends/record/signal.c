/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

twin_status record_signal_create(twin_hw_device *device, const twin_signal_config *config,
                                 twin_signal **out_signal)
{
    twin_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return TWIN_E_NOMEM;
    if (config->shared) /* another process may have a part in it */
        record_keep_nd();
    struct record_call call;
    struct twin_record_SIGNAL_CREATE *f = RECORD_BEGIN(&call, SIGNAL_CREATE, 0);
    f->device = device->index;
    f->kind = (uint32_t)config->kind;
    f->name = config->name;
    f->timed = config->timed;
    f->waitable = config->waitable;
    f->shared = config->shared;
    f->counted = config->counted;
    record_called(&call);
    twin_status status = record_below.signal.create(device->inner, config, &signal->inner);
    if (status == TWIN_OK)
        f->out_signal = signal->number = record_number(&record_numbers.signals);
    record_returned(&call, status);
    if (status == TWIN_OK)
        *out_signal = signal;
    else
        free(signal);
    return status;
}

void record_signal_destroy(twin_signal *signal)
{
    struct record_call call;
    struct twin_record_SIGNAL_DESTROY *f = RECORD_BEGIN(&call, SIGNAL_DESTROY, 0);
    f->signal = signal->number;
    record_called(&call);
    record_below.signal.destroy(signal->inner);
    record_returned(&call, TWIN_OK);
    free(signal);
}

twin_status record_signal_query(twin_signal *signal, twin_signal_state *out_state)
{
    struct record_call call;
    struct twin_record_SIGNAL_QUERY *f = RECORD_BEGIN(&call, SIGNAL_QUERY, 0);
    uint32_t ask = out_state->ask;
    f->signal = signal->number;
    f->ask = ask;
    record_called(&call);
    twin_status status = record_below.signal.query(signal->inner, out_state);
    if (status == TWIN_OK) {
        f->out_recorded = out_state->recorded;
        f->out_complete = out_state->complete;
        if (ask & TWIN_ASK_WAITS)
            f->out_waits_open = out_state->waits_open;
        if ((ask & TWIN_ASK_HARDWARE_ID) && out_state->has_hardware_id) {
            f->out_has_hardware_id = 1;
            f->out_hardware_id = out_state->hardware_id;
        }
    }
    record_returned(&call, status);
    return status;
}

twin_status record_signal_wait(twin_signal *signal, uint64_t timeout_ns)
{
    struct record_call call;
    struct twin_record_SIGNAL_WAIT *f = RECORD_BEGIN(&call, SIGNAL_WAIT, 0);
    f->signal = signal->number;
    f->timeout_ns = timeout_ns;
    record_called(&call);
    twin_status status = record_below.signal.wait(signal->inner, timeout_ns);
    record_returned(&call, status);
    if (__builtin_expect(record_stamps_wanted, 0))
        record_stamps_look_all();
    return status;
}

twin_status record_signal_share(twin_signal *signal, bool check_pid, char out_name[TWIN_SHARE_NAME])
{
    record_keep_nd();
    struct record_call call;
    struct twin_record_SIGNAL_SHARE *f = RECORD_BEGIN(&call, SIGNAL_SHARE, 0);
    f->signal = signal->number;
    f->check_pid = check_pid;
    record_called(&call);
    twin_status status = record_below.signal.share(signal->inner, check_pid, out_name);
    if (status == TWIN_OK)
        f->out_name_hash = record_name_hash(out_name);
    record_returned(&call, status);
    return status;
}

twin_status record_signal_allow(twin_signal *signal, const int32_t *pids, size_t count)
{
    struct record_call call;
    struct twin_record_SIGNAL_ALLOW *f = RECORD_BEGIN(&call, SIGNAL_ALLOW, count * sizeof(int32_t));
    f->signal = signal->number;
    f->count = (uint32_t)count;
    if (record_kept(&call))
        memcpy(f + 1, pids, count * sizeof(int32_t));
    record_called(&call);
    twin_status status = record_below.signal.allow(signal->inner, pids, count);
    record_returned(&call, status);
    return status;
}

twin_status record_signal_open(twin_hw_device *device, const char *name,
                               const twin_signal_config *config, twin_signal **out_signal)
{
    twin_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return TWIN_E_NOMEM;
    record_keep_nd();
    struct record_call call;
    struct twin_record_SIGNAL_OPEN *f = RECORD_BEGIN(&call, SIGNAL_OPEN, 0);
    f->device = device->index;
    f->kind = (uint32_t)config->kind;
    f->name = config->name;
    f->timed = config->timed;
    f->waitable = config->waitable;
    f->shared = config->shared;
    f->counted = config->counted;
    f->name_hash = record_name_hash(name);
    record_called(&call);
    twin_status status = record_below.signal.open(device->inner, name, config, &signal->inner);
    if (status == TWIN_OK)
        f->out_signal = signal->number = record_number(&record_numbers.signals);
    record_returned(&call, status);
    if (status == TWIN_OK)
        *out_signal = signal;
    else
        free(signal);
    return status;
}

/* ---- host-call queues ------------------------------------------------------------------------ */

twin_status record_call_queue_create(twin_hw_device *device, bool service,
                                     twin_call_queue **out_call_queue)
{
    twin_call_queue *call_queue = calloc(1, sizeof(*call_queue));
    if (!call_queue)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_CALL_QUEUE_CREATE *f = RECORD_BEGIN(&call, CALL_QUEUE_CREATE, 0);
    f->device = device->index;
    f->service = service;
    record_called(&call);
    twin_status status = record_below.call_queue.create(device->inner, service, &call_queue->inner);
    if (status == TWIN_OK)
        f->out_call_queue = call_queue->number = record_number(&record_numbers.call_queues);
    record_returned(&call, status);
    if (status == TWIN_OK)
        *out_call_queue = call_queue;
    else
        free(call_queue);
    return status;
}

void record_call_queue_destroy(twin_call_queue *call_queue)
{
    struct record_call call;
    struct twin_record_CALL_QUEUE_DESTROY *f = RECORD_BEGIN(&call, CALL_QUEUE_DESTROY, 0);
    f->call_queue = call_queue->number;
    record_called(&call);
    record_below.call_queue.destroy(call_queue->inner);
    record_returned(&call, TWIN_OK);
    free(call_queue);
}

void record_call_queue_answer(twin_call_queue *call_queue, uint64_t ticket)
{
    struct record_call call;
    struct twin_record_CALL_QUEUE_ANSWER *f = RECORD_BEGIN(&call, CALL_QUEUE_ANSWER, 0);
    f->call_queue = call_queue->number;
    f->ticket = ticket;
    record_called(&call);
    record_below.call_queue.answer(call_queue->inner, ticket);
    record_returned(&call, TWIN_OK);
}

void record_call_queue_close(twin_call_queue *call_queue)
{
    struct record_call call;
    struct twin_record_CALL_QUEUE_CLOSE *f = RECORD_BEGIN(&call, CALL_QUEUE_CLOSE, 0);
    f->call_queue = call_queue->number;
    record_called(&call);
    record_below.call_queue.close(call_queue->inner);
    record_returned(&call, TWIN_OK);
}
