/* SPDX-License-Identifier: Apache-2.0 */
/* The work ops of the seam: each fills in SQEs and rings. No model lock, no allocation, no system
 * call, except that a copy of rows between host and device takes memory for its list of
 * descriptors. */
#ifndef TWINRT_SIM_QUEUE_WORK_H
#define TWINRT_SIM_QUEUE_WORK_H

#include "seam/types.h"
#include "twinsim/stars.h"

twin_status sim_work_copy(twin_queue *queue, const twin_copy *copy);
twin_status sim_work_reduce(twin_queue *queue, const twin_reduce *reduce);
twin_status sim_work_copy_rows(twin_queue *queue, const twin_rows *rows);
twin_status sim_work_fill(twin_queue *queue, const twin_fill *fill);
twin_status sim_work_record(twin_queue *queue, twin_signal *signal);
twin_status sim_work_wait(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns);
twin_status sim_work_reset(twin_queue *queue, twin_signal *signal);
twin_status sim_work_count(twin_queue *queue, twin_signal *signal, const twin_count_change *change);
twin_status sim_work_wait_count(twin_queue *queue, twin_signal *signal,
                                const twin_count_wait *wait);
twin_status sim_work_write_value(twin_queue *queue, uint64_t address, uint64_t value,
                                 twin_side side);
twin_status sim_work_wait_value(twin_queue *queue, const twin_value_wait *wait);

/* "the word at 0x1000 >= 5"; false for an entry that sim_work_wait_value did not make. */
bool sim_value_describe(const stars_sqe *sqe, char *text, size_t bytes);

#endif
