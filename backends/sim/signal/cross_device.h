/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies between devices of this process, which the model carries in its own time (RMT). Thread: any. */
#ifndef TWINRT_SIM_SIGNAL_CROSS_DEVICE_H
#define TWINRT_SIM_SIGNAL_CROSS_DEVICE_H

#include "signal/event.h"

/* The SQE of a record of a notify that another device has made: a store into that one's table. */
void sim_abroad_record(stars_sqe *sqe, const twin_signal *signal);
/* Waits for the record at `point`, of another device, which sets `event` there. A queue waits in its own device's table alone:
 * the wait takes an entry there, and the record is forwarded to it (T-RMT-6). Both entries are cleared when they are given back,
 * which ends what was not forwarded: the record was dropped, or the wait. */
twin_status sim_abroad_wait(twin_queue *queue, twin_signal *signal, uint32_t event,
                            const struct sim_queue_point *point, uint32_t serial,
                            uint64_t timeout_ns);

#endif
