/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the process in reports. */
#ifndef TWINRT_SIM_REPORT_THREADS_H
#define TWINRT_SIM_REPORT_THREADS_H

#include "process/text.h"

/* A line for each thread of the process. deadlock_threads.c. Thread: model. */
void sim_deadlock_threads(struct text *text);

#endif
