/* SPDX-License-Identifier: Apache-2.0 */
/* Texts about what every stream waits for, and who could end it. */
#ifndef TWINRT_SIM_WAIT_REPORT_H
#define TWINRT_SIM_WAIT_REPORT_H

#include "process/process.h"

enum sim_stall_kind {
    SIM_STALL_WARNING,  /* a wait lasts long */
    SIM_STALL_DEADLOCK, /* proven */
    SIM_STALL_ASKED,    /* `twinrt run --timeout` asks */
    SIM_STALL_DROPPED /* work that the device cannot finish by itself is dropped by a forced reset */
};

/* Logs what every stream and every thread of the process waits for: as the cause of a deadlock or of dropped work, which is kept
 * for sim_report_explain(), or as a warning about a long wait. Thread: model. */
void sim_report_stall(enum sim_stall_kind kind);
/* Adds the newest deadlock's text to the caller's recent error messages. Takes the model lock. */
void sim_report_explain(void);

#endif
