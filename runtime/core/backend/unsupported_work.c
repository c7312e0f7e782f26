/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/unsupported_work.h"

twin_status twin_unsupported_work_copy(twin_queue *queue, const twin_copy *copy)
{
    (void)queue;
    (void)copy;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_fill(twin_queue *queue, const twin_fill *fill)
{
    (void)queue;
    (void)fill;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_record(twin_queue *queue, twin_signal *signal)
{
    (void)queue;
    (void)signal;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns)
{
    (void)queue;
    (void)signal;
    (void)timeout_ns;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_reset(twin_queue *queue, twin_signal *signal)
{
    (void)queue;
    (void)signal;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_count(twin_queue *queue, twin_signal *signal,
                                        const twin_count_change *change)
{
    (void)queue;
    (void)signal;
    (void)change;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_wait_count(twin_queue *queue, twin_signal *signal,
                                             const twin_count_wait *wait)
{
    (void)queue;
    (void)signal;
    (void)wait;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_reduce(twin_queue *queue, const twin_reduce *reduce)
{
    (void)queue;
    (void)reduce;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_copy_rows(twin_queue *queue, const twin_rows *rows)
{
    (void)queue;
    (void)rows;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_write_value(twin_queue *queue, uint64_t address, uint64_t value)
{
    (void)queue;
    (void)address;
    (void)value;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_wait_value(twin_queue *queue, const twin_value_wait *wait)
{
    (void)queue;
    (void)wait;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_call(twin_queue *queue, twin_channel *channel,
                                       const twin_host_call *call)
{
    (void)queue;
    (void)channel;
    (void)call;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_run(twin_queue *queue, twin_program *program)
{
    (void)queue;
    (void)program;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_end(twin_queue *queue)
{
    (void)queue;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_activate(twin_queue *queue, twin_queue *other)
{
    (void)queue;
    (void)other;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_branch(twin_queue *queue, const twin_branch *branch)
{
    (void)queue;
    (void)branch;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_label(twin_queue *queue, uint64_t table, uint32_t index)
{
    (void)queue;
    (void)table;
    (void)index;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_jump(twin_queue *queue, uint64_t address, uint64_t table,
                                       uint32_t count)
{
    (void)queue;
    (void)address;
    (void)table;
    (void)count;
    return TWIN_E_UNSUPPORTED;
}

twin_status twin_unsupported_work_launch(twin_queue *queue, twin_launch *kernel)
{
    (void)queue;
    (void)kernel;
    return TWIN_E_UNSUPPORTED;
}
