/* SPDX-License-Identifier: Apache-2.0 */
/* The stubs of the ops that queue work, for the table in unsupported_ops.c. */
#ifndef TWINRT_CORE_BACKEND_UNSUPPORTED_WORK_H
#define TWINRT_CORE_BACKEND_UNSUPPORTED_WORK_H

#include "seam/backend.h"

twin_status twin_unsupported_work_copy(twin_queue *queue, const twin_copy *copy);
twin_status twin_unsupported_work_fill(twin_queue *queue, const twin_fill *fill);
twin_status twin_unsupported_work_record(twin_queue *queue, twin_signal *signal);
twin_status twin_unsupported_work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns);
twin_status twin_unsupported_work_reset(twin_queue *queue, twin_signal *signal);
twin_status twin_unsupported_work_count(twin_queue *queue, twin_signal *signal,
                                        const twin_count_change *change);
twin_status twin_unsupported_work_wait_count(twin_queue *queue, twin_signal *signal,
                                             const twin_count_wait *wait);
twin_status twin_unsupported_work_reduce(twin_queue *queue, const twin_reduce *reduce);
twin_status twin_unsupported_work_copy_rows(twin_queue *queue, const twin_rows *rows);
twin_status twin_unsupported_work_write_value(twin_queue *queue, uint64_t address, uint64_t value);
twin_status twin_unsupported_work_wait_value(twin_queue *queue, const twin_value_wait *wait);
twin_status twin_unsupported_work_call(twin_queue *queue, twin_channel *channel,
                                       const twin_host_call *call);
twin_status twin_unsupported_work_run(twin_queue *queue, twin_program *program);
twin_status twin_unsupported_work_end(twin_queue *queue);
twin_status twin_unsupported_work_activate(twin_queue *queue, twin_queue *other);
twin_status twin_unsupported_work_branch(twin_queue *queue, const twin_branch *branch);
twin_status twin_unsupported_work_label(twin_queue *queue, uint64_t table, uint32_t index);
twin_status twin_unsupported_work_jump(twin_queue *queue, uint64_t address, uint64_t table,
                                       uint32_t count);
twin_status twin_unsupported_work_launch(twin_queue *queue, twin_launch *kernel);

#endif
