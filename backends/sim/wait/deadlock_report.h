/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of what every stream and thread waits for, and what could end the waits. */
#ifndef TWINRT_SIM_WAIT_DEADLOCK_REPORT_H
#define TWINRT_SIM_WAIT_DEADLOCK_REPORT_H

#include "process/process.h"

enum sim_report_kind {
    SIM_REPORT_LONG_WAIT, /* a wait lasts long */
    SIM_REPORT_DEADLOCK,  /* proven */
    SIM_REPORT_ASKED,     /* `twinrt run --timeout` asks */
    SIM_REPORT_DROPPED    /* work that the device cannot finish by itself is dropped by a forced
                          reset */
};

/* Logs what every stream and every thread of the process waits for: as the cause of a deadlock or
 * of dropped work, which is kept for sim_deadlock_explain(), or as a warning about a long wait.
 * Thread: model. */
void sim_report_waits(enum sim_report_kind kind);
/* Adds the newest deadlock's text to the caller's recent error messages. Takes the model lock. */
void sim_deadlock_explain(void);

#endif
