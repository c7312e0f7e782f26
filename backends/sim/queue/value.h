/* SPDX-License-Identifier: Apache-2.0 */
/* Words of device memory that queues write and wait for. */
#ifndef TWINRT_SIM_QUEUE_VALUE_H
#define TWINRT_SIM_QUEUE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "seam/types.h"
#include "twinsim/stars.h"

twin_status sim_work_write_value(twin_queue *queue, uint64_t address, uint64_t value);
twin_status sim_work_wait_value(twin_queue *queue, const twin_value_wait *wait);

/* "the word at 0x1000 >= 5"; false for an entry that sim_work_wait_value did not make. */
bool sim_value_describe(const stars_sqe *sqe, char *text, size_t bytes);

#endif
