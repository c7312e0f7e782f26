/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of deferred queues that become other ones. An entry that launches a kernel names it in
 * two words, so that a copy of an entry brings its kernel along. */
#ifndef TWINRT_SIM_QUEUE_REPLACE_H
#define TWINRT_SIM_QUEUE_REPLACE_H

#include "queue/queue.h"

/* Keeps the kernel that the entry at `slot` of a deferred queue launches. NULL: no host memory.
 * Thread: any, with the queue's lock. */
struct sim_kept *sim_kept_add(twin_queue *queue, uint32_t slot, twin_launch *kernel);
/* The newest one of an entry stays the caller's. Thread: any, with the queue's lock. */
void sim_kept_take_back_locked(twin_queue *queue, uint32_t slot, struct sim_kept *kept);
/* Releases the kernels of an entry. Thread: any, with the queue's lock. */
void sim_kept_release(twin_queue *queue, uint32_t slot);
/* The kernel that an entry of a deferred queue names. */
twin_launch *sim_kernel_named(const stars_sqe *sqe);

/* Before the ring of a deferred queue goes, or is filled anew: no copy to it is under way or will
 * be. Thread: queue. Blocks. */
void sim_kept_settle(twin_queue *queue);

/* work.launch of a kernel that takes the place of another task. */
twin_status sim_work_replace(twin_queue *queue, twin_launch *kernel);

#endif
