/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for records on another device.
 *
 * A queue waits in its own device's event table alone. So the wait takes an id of that table, and a bridge remembers which
 * record sets it: the model stops when the record has retired, and the driver writes the flag at that instant. What the
 * way between the devices takes is not added. The bridge ends with the record, with the wait, or with either device. */
#ifndef TWINRT_SIM_BRIDGE_H
#define TWINRT_SIM_BRIDGE_H

#include "event.h"

/* Holds the queue until the record at `mark`, on another device, is complete; queues nothing when it is.
 * Thread: queue, and takes the model lock. TWIN_E_BUSY, TWIN_E_NOMEM. */
twin_status sim_bridge_wait(twin_queue *queue, twin_signal *signal, const struct sim_mark *mark,
                            uint32_t serial, uint64_t timeout_ns);

/* ---- for the driver of the model; thread: model ---- */

/* Sets the flags whose records are complete. Whether there were any. */
bool sim_bridge_settle(void);
/* The first entry of the queue that a bridge waits for; 0: none. */
uint64_t sim_bridge_next(const twin_queue *queue);
/* Ends the bridges from and to a device that closes. */
void sim_bridge_forget(const twin_hw_device *device);

#endif
