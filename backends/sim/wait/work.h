/* SPDX-License-Identifier: Apache-2.0 */
/* What queues have to do; queue/work_state.c. */
#ifndef TWINRT_SIM_WAIT_WORK_H
#define TWINRT_SIM_WAIT_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

/* A number that changes when anybody submits, any task retires, a queue is opened anew, or a thread comes. */
uint64_t sim_stall_stamp(void);
/* A number that changes when a task begins or ends. Thread: model. */
uint64_t sim_tasks_stamp(void);
/* A queue with work in flight that the host can see without a call, `all`: any work; NULL: there is none. Takes no lock. */
const twin_queue *sim_pending_work(bool all);
uint32_t sim_work_sq(const twin_queue *queue);
/* Its stream and device, for messages. */
void sim_work_names(const twin_queue *queue, uint32_t *out_device, uint32_t *out_stream);

#endif
