/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: launching them, and what the model asks about them. */
#ifndef TWINRT_SIM_QUEUE_KERNEL_H
#define TWINRT_SIM_QUEUE_KERNEL_H

#include "queue/queue.h"

/* Fills in an entry of the queue that launches a kernel; its header is there. `context`: address of
 * its context, 0: it has none. */
void sim_kernel_entry(stars_sqe *sqe, const twin_queue *queue, const twin_launch *kernel,
                      uint64_t context);
/* Whether a kernel needs no context or has got one, in the ring of the queue or with what it keeps
 * (NULL: nothing); its address. Thread: any, with the queue's lock. */
bool sim_kernel_context(twin_queue *queue, uint32_t slot, struct sim_kept *kept,
                        const twin_launch *kernel, uint64_t *out_address);
/* The task state that held it releases it. Thread: any, with the queue's lock. */
void sim_kernel_release(twin_launch *kernel);
/* Whether a kernel is being described: it knows places in memory, whatever became of its task.
 * Thread: any. */
bool sim_kernel_described(void);
/* The same of a kernel of that queue, or of any of the device. Thread: any. */
#define SIM_ANY_QUEUE UINT32_MAX
bool sim_kernel_described_on(uint32_t device, uint32_t sq);
/* Waits until the kernel that is being described now, if one is, has been. Thread: model. */
void sim_kernel_settle_locked(void);

/* ---- the bus of the model; thread: model ---- */

enum twinsim_kernel_answer sim_kernel_begin(void *context, const struct twinsim_kernel_task *task,
                                            struct twinsim_kernel *out);
enum twinsim_kernel_fault sim_kernel_effect(void *context, uint32_t device, uint32_t sq,
                                            uint64_t number, uint32_t of);

#endif
