/* SPDX-License-Identifier: Apache-2.0 */
/* Taking work back from queues, and their priority. All ops take the model lock; those that act on the task under way
 * first bring the model up to the caller's clock. */
#ifndef TWINRT_SIM_QUEUE_CONTROL_H
#define TWINRT_SIM_QUEUE_CONTROL_H

#include "seam/types.h"

twin_status sim_control_abort(twin_queue *queue);
twin_status sim_control_abort_all(twin_hw_device *device);
twin_status sim_control_stop(twin_queue *queue);
twin_status sim_control_set_priority(twin_queue *queue, uint32_t priority);

#endif
