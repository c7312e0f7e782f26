/* SPDX-License-Identifier: Apache-2.0 */
/* Texts about what every stream waits for, and who could end it. */
#ifndef TWINRT_SIM_REPORT_H
#define TWINRT_SIM_REPORT_H

#include "process.h"

struct sim_wait;

/* Logs what every stream, and every thread of `waits` that needs another process, waits for: as the cause of a deadlock, which is kept for sim_report_explain(), or as a
 * warning about a long wait. Thread: model. */
void sim_report_stall(bool deadlock, const struct sim_wait *waits);
/* Adds the newest deadlock's text to the caller's recent error messages. Takes the model lock. */
void sim_report_explain(void);
/* Logs the state of every queue of a device. Takes the model lock. */
void sim_report_dump(twin_hw_device *device);

#endif
