/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to a recording, or asks a replay, what is found in memory to which others store. */
#ifndef TWINRT_SIM_MEMORY_TOUCH_REPORT_H
#define TWINRT_SIM_MEMORY_TOUCH_REPORT_H

#include "process/process.h"

/* Adds the step of the model and calls services.touched, which is there. Thread: model. */
bool sim_touch_report(const twin_touch *what);

/* Of a page of managed memory: whether the host has used it, as `used` says, or did in the
 * recording. Thread: model. */
static inline bool sim_touch_host(uint64_t address, uint64_t bytes, bool used)
{
    const twin_touch touch = {
        .what = TWIN_TOUCH_HOST, .address = address, .bytes = bytes, .good = used, .shared = true};
    return sim_process.touched ? sim_touch_report(&touch) : used;
}

#endif
