/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_SIM_QUEUE_MARK_H
#define TWINRT_SIM_QUEUE_MARK_H

#include <stdint.h>

#include "seam/backend.h"

/* Where a piece of work stands: good to ask for the life of the process, see queue.h. */
struct sim_mark {
    twin_queue *queue;
    uint32_t epoch;
    uint64_t number;
};

#endif
