/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_SIM_WAIT_QUEUE_POINT_H
#define TWINRT_SIM_WAIT_QUEUE_POINT_H

#include <stdint.h>

#include "seam/backend.h"

/* A point in a queue: all SQEs up to it. Valid for the life of the process, see queue.h. */
struct sim_queue_point {
    twin_queue *queue;
    uint32_t epoch;
    uint64_t number;
};

#endif
