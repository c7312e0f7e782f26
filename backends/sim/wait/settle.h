/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver does whenever the model has moved. Thread: model. */
#ifndef TWINRT_SIM_WAIT_SETTLE_H
#define TWINRT_SIM_WAIT_SETTLE_H

#include <stdbool.h>

/* Reads completion queues, stops groups of failed queues, delivers host calls, gives ids back, passes records of other
 * processes on. True: something came of it. settle.c. */
bool sim_settle_devices(void);
/* The model has stopped for want of a description: gets it, with the lock given up meanwhile, or waits for the thread
 * that is at it. Thread: model. */
void sim_kernel_describe_locked(void);

#endif
