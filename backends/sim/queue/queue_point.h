/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_SIM_QUEUE_QUEUE_POINT_H
#define TWINRT_SIM_QUEUE_QUEUE_POINT_H

#include <stdint.h>

#include "seam/backend.h"

/* A place in a queue, which a wait waits for: all SQEs up to it. Good to ask for the life of the process, see queue.h. */
struct sim_queue_point {
    twin_queue *queue;
    uint32_t epoch;
    uint64_t number;
};

#endif
